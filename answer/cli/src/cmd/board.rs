//! `--on ssh://BOARD`: the same command on a board; and `prazo fetch`.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::out;
use clap::{Arg, ArgAction, ArgMatches, Command};
use prazo::board::{BoardOutput, BoardRequest};
use prazo_board::{Address, Argument};
use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// The commands that touch a machine, which may be a board.
const COMMANDS: [&[&str]; 17] = [
    &["evaluate"],
    &["check"],
    &["tune"],
    &["measure", "timer"],
    &["measure", "interrupt"],
    &["measure", "wakeup"],
    &["measure", "noise"],
    &["measure", "overheads"],
    &["measure", "xenomai"],
    &["measure", "plan"],
    &["watch"],
    &["cost"],
    &["load"],
    &["sched", "run"],
    &["sched", "deploy"],
    &["sched", "undeploy"],
    &["sched", "watch"],
];

/// Commands that measure a machine and refuse a board, with the reason and what to do instead.
const REFUSED: [(&[&str], &str); 1] = [(
    &["measure", "event"],
    "`measure event` does not run over SSH, because SSH packets would be among the measured frames; start `prazo \
     measure event --station remote` at the board's console, and `prazo trigger` here",
)];

/// Flags that name what is written.
const WRITTEN: [&str; 5] = ["output", "gantt", "trace", "csv", "systemd"];

/// The list of all flags, with those of boards where a board can be meant.
pub(crate) fn with_flags(command: Command) -> Command {
    let command = COMMANDS.iter().fold(command, |command, path| add(command, path, false));
    REFUSED.iter().fold(command, |command, (path, _)| add(command, path, true))
}

/// Hidden where it is read only to be refused.
fn add(command: Command, path: &[&str], hidden: bool) -> Command {
    match path {
        // `tune` has subcommands. Were the flag not global, `tune --on BOARD apply` would ignore it and change this machine.
        [] => {
            let has_actions = command.has_subcommands();
            command.arg(on().hide(hidden).global(has_actions)).arg(detach().hide(hidden).global(has_actions))
        }
        [name, rest @ ..] => command.mut_subcommand(*name, |inner| add(inner, rest, hidden)),
    }
}

fn on() -> Arg {
    Arg::new("on")
        .long("on")
        .value_name("ADDRESS")
        .help_heading(None::<&str>)
        .help("Run on this board, as in ssh://root@board")
        .long_help(
            "Run on this board, as in ssh://root@board; repeat the flag to run on several boards.\n\nprazo copies \
             itself to the board over SSH, runs there, and copies all written files back. On the board prazo works in \
             /dev/shm, or in the folder at the end of the address, as in ssh://root@board/tmp. Several boards run at \
             the same time.",
        )
        .value_parser(clap::value_parser!(Address))
        .action(ArgAction::Append)
}

fn detach() -> Arg {
    Arg::new("detach")
        .long("detach")
        .help("Disconnect while the board continues; fetch the results later with `prazo fetch`")
        .action(ArgAction::SetTrue)
        .help_heading(None::<&str>)
        .requires("on")
        .hide_short_help(true)
}

/// What is to run on boards; `None` where no board is named. `words` are the whole command line.
pub(crate) fn request(
    command: &Command,
    matches: &ArgMatches,
    words: &[OsString],
    replace: bool,
) -> Result<Option<BoardRequest>, Failure> {
    let path = path(matches);
    let (command, matches) = leaf(command, matches);
    let Some(boards) = matches.try_get_many::<Address>("on").ok().flatten() else { return Ok(None) };
    if let Some((_, reason)) = REFUSED.iter().find(|(refused, _)| *refused == path) {
        return Err(Failure::usage(format!("--on: {reason}")));
    }
    let boards: Vec<Address> = boards.cloned().collect();
    let flag = |id: &str| matches!(matches.try_get_one::<bool>(id), Ok(Some(true)));
    refuse_sources(matches)?;
    let files = named_files(command, matches);
    let words = rewritten(words, &files)?;
    let is_json = flag("json");
    let is_terminal =
        std::io::stdout().is_terminal() && std::io::stderr().is_terminal() && std::io::stdin().is_terminal();
    let output = match (is_json && boards.len() > 1, is_terminal && !is_json) {
        (true, _) => BoardOutput::Json,
        (_, true) => BoardOutput::Terminal,
        (_, false) => BoardOutput::Inherited,
    };
    Ok(Some(BoardRequest { boards, words, detach: flag("detach"), replace, output, command: command_line() }))
}

/// Runs it.
pub(crate) fn run(request: &BoardRequest) -> Result<Exit, Failure> {
    let print = |board: &str, is_result: bool, line: &str| {
        let line = format!("{board}: {line}");
        // A reader that is gone is no reason to stop the boards.
        if is_result { drop(out::text_line(&line)) } else { out::note(line) }
    };
    let boards = prazo::board::run(request, &print, &mut Console::default())?;
    if request.output == BoardOutput::Json {
        out::json(&boards)?;
    }
    for end in &boards.boards {
        if let Some(fetch) = &end.fetch {
            out::note(format_args!(
                "prazo: board {} continues on its own; fetch its results later with `prazo fetch {fetch}`",
                end.board
            ));
        }
    }
    Ok(Exit::Command(boards.status()))
}

/// Fetch the results of a command that continued on a board
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo evaluate --on ssh://root@board --detach       prints the address to fetch from
  prazo fetch ssh://root@board/dev/shm/prazo-a1b2c3

Results stay on the board for an hour after the command's end. Exit status: that of
the command; 3 while it still runs, 4 where there is nothing to fetch.")]
pub(crate) struct Fetch {
    /// Address of the board and of the command's folder there, as --detach printed it
    #[arg(value_name = "ADDRESS")]
    address: Address,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Fetch {
    /// Takes them.
    pub(crate) fn run(self, replace: bool) -> Result<Exit, Failure> {
        let print = |is_result: bool, bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            let text = text.trim_end();
            if text.is_empty() || self.json {
                return;
            }
            if is_result { drop(out::text(text)) } else { text.lines().for_each(out::note) }
        };
        let end = prazo::board::fetch(&self.address, replace, &print, &mut Console::default())?;
        if self.json {
            out::json(&end)?;
        } else {
            if let Some(reason) = &end.reason {
                out::note(format_args!("prazo: {}: {reason}", end.board));
            }
            end.files.iter().for_each(|file| out::note(format_args!("fetched {}", file.display())));
        }
        Ok(Exit::Command(end.exit_status))
    }
}

/// The innermost command that was given.
fn leaf<'a>(command: &'a Command, matches: &'a ArgMatches) -> (&'a Command, &'a ArgMatches) {
    match matches.subcommand().and_then(|(name, inner)| Some((command.find_subcommand(name)?, inner))) {
        Some((command, matches)) => leaf(command, matches),
        None => (command, matches),
    }
}

/// Only files are copied: a board has neither a compiler nor the headers of its kernel.
fn refuse_sources(matches: &ArgMatches) -> Result<(), Failure> {
    let module = matches.try_get_one::<PathBuf>("module").ok().flatten().filter(|module| module.is_dir());
    let Some(folder) = module.map(|module| module.display()) else { return Ok(()) };
    Err(Failure::usage(format!(
        "--module {folder}: prazo cannot build the module on a board. Build it here with the headers of the board's kernel: `make -C {folder} KERNEL=HEADERS`, for another architecture also with ARCH= and CROSS_COMPILE=. Then give --module {folder}/irqlat.ko"
    )))
}

/// The names of the commands that were given, from the outermost.
fn path(matches: &ArgMatches) -> Vec<&str> {
    std::iter::successors(matches.subcommand(), |(_, inner)| inner.subcommand()).map(|(name, _)| name).collect()
}

/// The files that were named, and whether each is written.
fn named_files(command: &Command, matches: &ArgMatches) -> Vec<(OsString, bool)> {
    let is_path = |arg: &&Arg| arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    let of = |arg: &Arg| {
        let id = arg.get_id().as_str();
        let is_given = matches.value_source(id) == Some(clap::parser::ValueSource::CommandLine);
        let raw = matches.try_get_raw(id).ok().flatten().filter(|_| is_given);
        let is_written = WRITTEN.contains(&id);
        raw.into_iter().flatten().map(move |value| (value.to_owned(), is_written)).collect::<Vec<_>>()
    };
    command.get_arguments().filter(is_path).flat_map(of).collect()
}

/// The command's words for a board: without the board's own flags, and with its files marked.
fn rewritten(words: &[OsString], files: &[(OsString, bool)]) -> Result<Vec<Argument>, Failure> {
    let mut rewritten = Vec::new();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--on") => drop(words.next()),
            Some("--detach") => {}
            Some(text) if text.starts_with("--on=") => {}
            // What follows is a command for the board.
            Some("--") => {
                for word in std::iter::once(word).chain(words.by_ref()) {
                    rewritten.push(Argument::Word(text_of(word)?));
                }
            }
            _ => rewritten.push(argument(&text_of(word)?, files)),
        }
    }
    Ok(rewritten)
}

fn text_of(word: &OsStr) -> Result<String, Failure> {
    let text = word.to_str().map(str::to_owned);
    text.ok_or_else(|| {
        Failure::usage(format!("argument '{}' is not UTF-8; with --on, write every argument in UTF-8", word.display()))
    })
}

fn argument(word: &str, files: &[(OsString, bool)]) -> Argument {
    for (file, is_written) in files {
        let Some(flag) = file.to_str().and_then(|file| word.strip_suffix(file)) else { continue };
        // `FILE`, `--flag=FILE` or `-oFILE`.
        let is_short = flag.len() == 2 && flag.starts_with('-') && flag != "--";
        if !(flag.is_empty() || flag.starts_with("--") && flag.ends_with('=') || is_short) {
            continue;
        }
        let path = Path::new(file);
        match is_written {
            true => return Argument::Write(flag.to_owned(), path.to_owned()),
            false if path.is_file() => return Argument::Read(flag.to_owned(), path.to_owned()),
            // A path that is not here is the board's.
            false => {}
        }
    }
    Argument::Word(word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<BoardRequest> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let command = crate::cmd::command();
        let matches = command.clone().try_get_matches_from(&words).unwrap_or_else(|error| panic!("{line}: {error}"));
        request(&command, &matches, &words, false).unwrap()
    }

    #[test]
    fn a_command_for_a_board_loses_the_boards_flags_and_marks_its_files() {
        let here = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let line = format!("prazo sched run {here} --on ssh://root@a --csv=out.csv -D 1s --on=ssh://b --detach");
        let wanted = vec![
            Argument::Word("sched".into()),
            Argument::Word("run".into()),
            Argument::Read(String::new(), here.into()),
            Argument::Write("--csv=".into(), "out.csv".into()),
            Argument::Word("-D".into()),
            Argument::Word("1s".into()),
        ];
        let request = read(&line).unwrap();
        assert_eq!(request.words, wanted);
        assert!(request.detach && request.boards.len() == 2);
        assert!(read("prazo check").is_none());
        assert!(read("prazo report a.prazo").is_none());
    }

    #[test]
    fn what_cannot_run_on_a_board_is_refused_by_name() {
        for (path, reason) in REFUSED {
            let words: Vec<OsString> =
                ["prazo"].iter().chain(path).chain(&["--on", "ssh://a"]).map(OsString::from).collect();
            let command = crate::cmd::command();
            let matches = command.clone().try_get_matches_from(&words).unwrap();
            let failure = request(&command, &matches, &words, false).unwrap_err();
            assert!(failure.status() == 2 && failure.line().contains(reason), "{failure:?}");
        }
    }

    #[test]
    fn a_module_is_copied_and_its_sources_are_refused() {
        let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kmod/irqlat");
        let words: Vec<OsString> =
            format!("prazo measure interrupt --module {sources} --on ssh://a").split(' ').map(OsString::from).collect();
        let command = crate::cmd::command();
        let matches = command.clone().try_get_matches_from(&words).unwrap();
        let failure = request(&command, &matches, &words, false).unwrap_err();
        assert!(failure.status() == 2 && failure.line().contains("make -C"), "{failure:?}");
        let file = format!("{sources}/main.c");
        let request = read(&format!("prazo measure interrupt --module {file} --on ssh://a")).unwrap();
        assert!(request.words.contains(&Argument::Read(String::new(), file.into())), "{:?}", request.words);
    }

    #[test]
    fn a_batch_is_read() {
        let here = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let request = read(&format!("prazo sched run --batch={here} --on ssh://a")).unwrap();
        assert!(request.words.contains(&Argument::Read("--batch=".into(), here.into())), "{:?}", request.words);
    }

    #[test]
    fn a_path_that_is_not_here_and_a_command_are_the_boards() {
        let request = read("prazo check --root /nowhere/board --on ssh://a").unwrap();
        assert!(request.words.contains(&Argument::Word("/nowhere/board".into())));
        let request = read("prazo cost -o c.json --on ssh://a -- ls -o c.json --detach").unwrap();
        let last: Vec<_> = request.words.iter().rev().take(5).rev().cloned().collect();
        let word = |text: &str| Argument::Word(text.into());
        assert_eq!(last, [word("--"), word("ls"), word("-o"), word("c.json"), word("--detach")]);
        assert!(request.words.contains(&Argument::Write(String::new(), "c.json".into())));
    }
}
