//! The pages of docs/ that are made from the program: every command with its flags, every check, every load and workload.

use clap::{Arg, Command};
use prazo_platform::readiness::{self, Scenario};
use prazo_platform::root::Root;
use std::fmt::Write as _;
use std::path::PathBuf;

const MADE: &str = "This page is generated: `cargo xtask reference docs` writes it.";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder, created if necessary
    folder: PathBuf,
}

impl Args {
    /// Writes `commands.md`, `checks.md` and `loads.md`.
    pub(crate) fn run(self) -> Result<(), String> {
        let mut command = prazo_cli::command();
        command.build();
        let pages = [("commands.md", commands(&command)), ("checks.md", checks()), ("loads.md", loads())];
        std::fs::create_dir_all(&self.folder)
            .and_then(|()| pages.iter().try_for_each(|(name, text)| std::fs::write(self.folder.join(name), text)))
            .map_err(|error| format!("cannot write pages to {}: {error}", self.folder.display()))
    }
}

/// Text in a cell of a table, on one line.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|").replace('<', "&lt;")
}

fn commands(command: &Command) -> String {
    let mut page = format!("# Commands and flags\n\n{MADE}\n");
    each_command(command, &mut page);
    page
}

fn each_command(command: &Command, page: &mut String) {
    let is_group = command.get_subcommands().any(|one| !one.is_hide_set() && one.get_name() != "help");
    if command.get_bin_name() != Some("prazo") {
        let name = command.get_bin_name().unwrap_or(command.get_name());
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = write!(page, "\n## {name}\n\n{}.\n", about.trim_end_matches('.'));
        if !is_group {
            flags(command, page);
        }
    }
    let inner = command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help");
    inner.for_each(|one| each_command(one, page));
}

fn flags(command: &Command, page: &mut String) {
    let is_own = |arg: &&Arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str());
    let mut shown = command.get_arguments().filter(is_own).peekable();
    if shown.peek().is_some() {
        page.push_str("\n| flag | default | meaning |\n|---|---|---|\n");
    }
    for arg in shown {
        let default: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        let values: Vec<String> = arg
            .get_possible_values()
            .iter()
            .filter(|value| !value.is_hide_set() && arg.get_action().takes_values())
            .map(|value| format!("`{}`", value.get_name()))
            .collect();
        let help =
            arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default().replace("\n\n", ". ");
        let stop = if help.ends_with('.') { "" } else { "." };
        let values = if values.is_empty() { String::new() } else { format!("{stop} One of {}", values.join(", ")) };
        let default = if default.is_empty() { String::new() } else { format!("`{}`", default.join(",")) };
        let _ = writeln!(page, "| {} | {default} | {}{values} |", spelling(arg), cell(&help));
    }
}

/// `-p`, `--policy POLICY`, or the argument's name where it has no flag.
fn spelling(arg: &Arg) -> String {
    let value = arg.get_value_names().filter(|_| arg.get_action().takes_values());
    let value = value.map(|names| names.join(" ").to_string()).unwrap_or_default();
    let long = arg.get_long().map(|long| format!("`--{long} {value}`").replace(" `", "`"));
    let short = arg.get_short().map(|short| format!("`-{short}`"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    if names.is_empty() { format!("`{value}`") } else { names.join(", ") }
}

/// Every check with what it wants; looked at in a tree that is none, where no check can find anything.
fn checks() -> String {
    let mut page = format!(
        "# Readiness checks\n\n{MADE} `prazo check` runs them.\n\n\
         | check | severity | wanted | why | remedy | source |\n|---|---|---|---|---|---|\n"
    );
    let mut results = readiness::check(&Root::at("/dev/null"), &Scenario::default());
    results.sort_by(|one, other| one.id.cmp(&other.id));
    for check in results {
        let [wanted, why, fix, reference] =
            [&check.wanted, &check.why, &check.fix, &check.reference].map(|text| cell(text));
        let _ = writeln!(page, "| `{}` | {} | {wanted} | {why} | {fix} | {reference} |", check.id, check.severity);
    }
    page
}

const FOREIGN_LOADS: &str = "\nPrazo makes these loads itself: they need no other program, and are the same for a seed on every machine.\n\n\
    ## Loads of foreign programs\n\nThese loads run the programs that the papers ran, with the same rates and the same counters. The programs \
    must be installed.\n[load-peers.md](load-peers.md) compares what the kernel counts for both.\n\n| load | same disturbance as | programs |\n|---|---|---|\n";

fn loads() -> String {
    let mut page = format!(
        "# Loads and workloads\n\n{MADE}\n\n## Loads\n\n`prazo load` and `--load NAME[=RATE]` run them.\n\n\
         | load | disturbs | origin |\n|---|---|---|\n"
    );
    let (own, foreign): (Vec<_>, Vec<_>) = prazo::load::list().into_iter().partition(|load| load.peer.is_none());
    for load in own {
        let _ = writeln!(page, "| `{}` | {} | {} |", load.name, cell(load.disturbs), cell(load.source));
    }
    page.push_str(FOREIGN_LOADS);
    for load in foreign {
        let peer = load.peer.unwrap_or_default();
        let _ = writeln!(page, "| `{}` | `{peer}` | {} |", load.name, load.programs.join(", "));
    }
    page.push_str("\n## Workloads\n\n`prazo cost --workload NAME` runs them.\n\n| workload | work | unit of its size |\n|---|---|---|\n");
    for workload in prazo::cost::workloads() {
        let _ = writeln!(page, "| `{}` | {} | {} |", workload.name, cell(workload.what), workload.unit);
    }
    page
}
