//! The list of flags: it is sound, help fits a screen, and every command that help and documents name parses.

use clap::error::ErrorKind;
use prazo_cli::command;
use prazo_testing::documents;
use std::collections::BTreeMap;
use std::process::Command;

/// What ends a command within a line of a shell.
const ENDS: [&str; 6] = ["|", "||", "&&", ";", ">", ">>"];

/// Fails unless the command of this program parses; `place` names where it is.
fn assert_parses(text: &str, place: &str) {
    for words in commands(text) {
        if let Err(error) = command().try_get_matches_from(&words)
            && !matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)
        {
            panic!("{place}: `{}` does not parse: {error}", words.join(" "));
        }
    }
}

/// The commands of this program in a shell's text, also those within its quotes.
fn commands(text: &str) -> Vec<Vec<String>> {
    let (mut found, mut pending) = (Vec::new(), String::new());
    for line in text.lines() {
        pending += line;
        let is_continued = pending.ends_with('\\');
        if is_continued {
            pending.pop();
        }
        pending.push('\n');
        // Without a split a quote is open.
        if let (false, Some(words)) = (is_continued, shlex::split(&pending)) {
            pending.clear();
            let nested = words.iter().filter(|word| word.contains("prazo ")).flat_map(|word| commands(word));
            found.extend(nested);
            found.extend(words.split(|word| ENDS.contains(&word.as_str())).filter_map(own));
        }
    }
    found
}

/// The words from the program's name on.
fn own(words: &[String]) -> Option<Vec<String>> {
    let from = words.iter().position(|word| word == "prazo")?;
    let words: Vec<String> = words[from..].iter().map(|word| word.trim_end_matches(';').to_owned()).collect();
    (words.len() > 1).then_some(words)
}

#[test]
fn a_shells_text_is_read_as_a_shell_reads_it() {
    let words = |text| commands(text).iter().map(|words| words.join(" ")).collect::<Vec<_>>();
    assert_eq!(words("sudo prazo check -c 2 > out # prazo view\n"), ["prazo check -c 2"]);
    assert_eq!(words("git bisect run sh -c 'make\n  prazo gate --bisect'\n"), ["prazo gate --bisect"]);
    assert_eq!(words("prazo cost \\\n  -- sleep 1 && prazo check\n"), ["prazo cost -- sleep 1", "prazo check"]);
}

/// Lists what it reads, with `--nocapture`: these are the commands that no test runs.
#[test]
fn each_command_of_the_documents_that_is_not_run_parses() {
    let mut count = 0;
    for block in documents::blocks().iter().filter(|block| ["sh", "yaml"].contains(&block.kind.as_str())) {
        let place = format!("{}:{}", block.page, block.line);
        for words in commands(&block.text) {
            println!("not run: {place}: {}", words.join(" "));
            count += 1;
        }
        assert_parses(&block.text, &place);
    }
    assert!(count > 60, "the commands are found: {count}");
}

#[test]
fn the_list_of_flags_is_sound() {
    command().debug_assert();
}

/// Every command with the words that name it, subcommands included.
fn all(command: clap::Command) -> Vec<(String, clap::Command)> {
    fn add(command: &clap::Command, words: &str, found: &mut Vec<(String, clap::Command)>) {
        for one in command.get_subcommands().filter(|one| one.get_name() != "help") {
            add(one, &format!("{words} {}", one.get_name()), found);
        }
        found.push((words.to_owned(), command.clone()));
    }
    let (mut command, mut found) = (command, Vec::new());
    command.build();
    add(&command, "prazo", &mut found);
    found
}

#[test]
fn short_help_fits_one_screen() {
    for (name, command) in all(command()) {
        let words = name.split(' ').skip(1).chain(["-h"]);
        let printed = Command::new(env!("CARGO_BIN_EXE_prazo")).args(words).output().unwrap();
        assert!(printed.status.success(), "`{name} -h`: {}", printed.status);
        let help = String::from_utf8(printed.stdout).unwrap();
        let lines: Vec<&str> = help.lines().collect();
        assert!(lines.len() <= 24, "`{name} -h` has {} lines:\n{help}", lines.len());
        let is_named = |flag: &clap::Arg| {
            let long = flag.get_long().filter(|long| !["help", "version"].contains(long));
            long.is_none_or(|long| help.contains(&format!("--{long}")))
        };
        let common = |flag: &&clap::Arg| !flag.is_hide_set() && !flag.is_hide_short_help_set();
        let lost: Vec<_> = command.get_arguments().filter(common).filter(|flag| !is_named(flag)).collect();
        assert!(command.is_subcommand_required_set() || lost.is_empty(), "`{name} -h` does not name {lost:?}:\n{help}");
        let wide = lines.iter().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "`{name} -h` is at most 80 columns wide");
    }
}

/// One letter is one thing in every command.
#[test]
fn a_letter_means_the_same_in_every_command() {
    let mut meanings: BTreeMap<char, String> = BTreeMap::new();
    for (name, command) in all(command()) {
        for flag in command.get_arguments() {
            let (Some(short), Some(long)) = (flag.get_short(), flag.get_long()) else { continue };
            // One processor, where only one is possible.
            let long = if long == "cpu" { "cpus" } else { long };
            let first = meanings.entry(short).or_insert_with(|| long.to_owned());
            assert_eq!(first, long, "-{short} in `{name}`");
        }
    }
    let known: String = meanings.keys().collect();
    assert!("DVbcfhimnopsa".chars().all(|letter| known.contains(letter)), "{known}");
}

/// Examples name commands and flags that there are; a shell's words behind a pipe or an `&&` are not read.
#[test]
fn the_examples_of_help_parse() {
    let mut count = 0;
    for (name, command) in all(command()) {
        let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default().replace("\\\n", " ");
        for line in examples.lines().filter_map(|line| line.strip_prefix("  prazo ")) {
            // Two spaces end the command; what follows explains it.
            let line = line.split("    ").next().unwrap_or(line);
            let text = line.split("  ").next().unwrap_or(line);
            assert_parses(&format!("prazo {text}"), &format!("`{name} -h`"));
            count += 1;
        }
    }
    assert!(count > 60, "the examples are found: {count}");
}
