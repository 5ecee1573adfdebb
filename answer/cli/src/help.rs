//! The answer to `-h`: one screen of 24 lines. What finds no room on it is named, and `--help` explains it.

use clap::{Arg, Command};
use prazo_report::terminal::wrapped;
use std::ffi::OsString;

/// The smallest usual terminal.
pub(crate) const LINES: usize = 24;
const COLUMNS: usize = 80;
/// A flag that is longer has its sentence on the next line.
const FLAG_MAX: usize = 28;

/// What `-h` among these words prints; `None` where it is not there.
pub(crate) fn asked_for(command: &Command, words: &[OsString]) -> Option<String> {
    let words: Vec<&str> =
        words.iter().skip(1).map_while(|word| word.to_str()).take_while(|word| *word != "--").collect();
    if !words.contains(&"-h") || words.contains(&"--help") {
        return None;
    }
    let mut command = command.clone();
    command.build();
    let mut named = &mut command;
    for word in words.into_iter().take_while(|word| *word != "-h") {
        if named.find_subcommand(word).is_some() {
            named = named.find_subcommand_mut(word)?;
        }
    }
    Some(short(named))
}

/// The help of a built command, on one screen.
pub(crate) fn short(command: &mut Command) -> String {
    let usage = command.render_usage().to_string();
    let in_order = command.render_help().to_string();
    let command = &*command;
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut lines = folded(&about, "");
    lines.extend([String::new(), usage.lines().next().unwrap_or_default().to_owned(), String::new()]);
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let last = format!(
        "`{name} {} explains every flag.",
        if command.is_subcommand_required_set() { "COMMAND --help`" } else { "--help`" }
    );
    let entries = entries(command, &in_order);
    // As many as find room, with the names of the others below them.
    let (shown, named) = (0..=entries.len())
        .rev()
        .map(|count| (listed(&entries[..count]), not_shown(&entries[count..])))
        .find(|(shown, named)| lines.len() + shown.len() + named.len() < LINES)
        .unwrap_or_default();
    lines.extend(shown);
    lines.extend(named);
    let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let examples: Vec<&str> =
        examples.lines().skip_while(|line| *line != "Examples:").take_while(|line| !line.is_empty()).collect();
    // A blank line, the heading, an example and the last line.
    let room = LINES.saturating_sub(lines.len() + 2).min(examples.len());
    if room >= 2 && examples[..room].iter().all(|line| line.chars().count() <= COLUMNS) {
        lines.push(String::new());
        lines.extend(examples[..room].iter().map(|line| (*line).to_owned()));
    }
    lines.push(last);
    lines.join("\n") + "\n"
}

/// A command or a flag, with what it does.
struct Entry {
    name: String,
    spelled: String,
    does: String,
}

/// The commands below this one, or its common arguments and flags in their order.
///
/// Of commands only clap's own help knows the order: one that was changed later stands last in the list.
fn entries(command: &Command, in_order: &str) -> Vec<Entry> {
    let below = command.get_subcommands().filter(|one| one.get_name() != "help" && !one.is_hide_set());
    let mut below: Vec<Entry> = below.map(of_command).collect();
    below.sort_by_key(|entry| in_order.find(&format!("\n  {} ", entry.name)));
    // One that only leads to others has no flags worth the room.
    if command.is_subcommand_required_set() {
        return below;
    }
    let is_common = |one: &&Arg| {
        !one.is_hide_set() && !one.is_hide_short_help_set() && !["help", "version"].contains(&one.get_id().as_str())
    };
    let (positional, flags): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().filter(is_common).partition(|one| one.is_positional());
    below.extend(positional.into_iter().chain(flags).map(of_flag));
    below
}

fn of_command(command: &Command) -> Entry {
    let (name, does) =
        (command.get_name().to_owned(), command.get_about().map(ToString::to_string).unwrap_or_default());
    Entry { spelled: name.clone(), name, does }
}

fn of_flag(flag: &Arg) -> Entry {
    let name = flag.get_long().map_or_else(|| flag.to_string(), |long| format!("--{long}"));
    let spelled = match (flag.is_positional(), flag.get_short(), flag.get_long()) {
        (true, ..) => flag.to_string(),
        (_, Some(short), Some(_)) => format!("-{short}, {flag}"),
        (_, Some(_), None) => flag.to_string(),
        (_, None, _) => format!("    {flag}"),
    };
    let does = flag.get_help().map(ToString::to_string).unwrap_or_default();
    let defaults: Vec<_> = flag.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let known: Vec<String> = match flag.is_hide_possible_values_set() || !flag.get_action().takes_values() {
        true => Vec::new(),
        false => flag
            .get_possible_values()
            .iter()
            .filter(|one| !one.is_hide_set())
            .map(|one| one.get_name().to_owned())
            .collect(),
    };
    let known = if known.is_empty() { String::new() } else { format!(" [{}]", known.join(", ")) };
    let is_told = flag.get_action().takes_values() && !defaults.is_empty() && !flag.is_hide_default_value_set();
    let default = if is_told { format!(" [default: {}]", defaults.join(",")) } else { String::new() };
    Entry { name, spelled, does: does + &default + &known }
}

/// The entries in two columns.
fn listed(entries: &[Entry]) -> Vec<String> {
    let wide = |entry: &Entry| entry.spelled.chars().count();
    let left = entries.iter().map(wide).filter(|wide| *wide <= FLAG_MAX).max().unwrap_or(0) + 4;
    let of = |entry: &Entry| {
        let mut does = folded(&entry.does, &" ".repeat(left));
        let spelled = format!("  {}", entry.spelled);
        match does.first_mut() {
            Some(first) if wide(entry) <= FLAG_MAX => *first = format!("{spelled:left$}{}", first.trim_start()),
            _ => does.insert(0, spelled),
        }
        does
    };
    entries.iter().flat_map(of).collect()
}

/// Only their names.
fn not_shown(entries: &[Entry]) -> Vec<String> {
    if entries.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    folded(&format!("  Also: {}", names.join(", ")), "        ")
}

/// Lines of at most 80 columns; all begin with `indent`, which the first one may replace.
fn folded(text: &str, indent: &str) -> Vec<String> {
    let own = if text.starts_with(' ') { String::new() } else { indent.to_owned() };
    wrapped(&(own + text), COLUMNS, indent).lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many() -> Command {
        let flag = |at: usize| {
            let name: &'static str = format!("flag-{at}").leak();
            Arg::new(name).long(name).help("Set a value that takes a sentence to explain")
        };
        Command::new("prazo").about("Try it").args((0..40).map(flag)).after_help("Examples:\n  prazo --flag-1 2")
    }

    fn of(words: &[&str]) -> Option<String> {
        asked_for(&many(), &words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn flags_that_find_no_room_are_named() {
        let help = of(&["prazo", "-h"]).unwrap();
        assert!(help.lines().count() <= LINES, "{help}");
        assert!((0..40).all(|at| help.contains(&format!("--flag-{at}"))), "{help}");
        assert!(help.contains("  Also: --flag-") && help.ends_with("`prazo --help` explains every flag.\n"), "{help}");
    }

    #[test]
    fn only_h_is_answered_here() {
        for words in [&["prazo", "--help"][..], &["prazo"], &["prazo", "--", "-h"], &["prazo", "-h", "--help"]] {
            assert_eq!(of(words), None, "{words:?}");
        }
    }
}
