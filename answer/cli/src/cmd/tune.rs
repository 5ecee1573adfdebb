//! `prazo tune`: change what `prazo check` found, reversibly.

use crate::exit::{Exit, Failure};
use crate::out;
use prazo_core::cpu::CpuSet;
use prazo_platform::readiness::{self, Change, Scenario};
use prazo_platform::root::Root;
use prazo_platform::tunable::{Journal, Undone};
use prazo_platform::tune::{self, Applied};

/// Change what `check` found, reversibly.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo tune --dry-run        what would be changed, and why
  prazo tune apply            change it; it stays until `undo` or the next boot
  prazo tune undo             put everything back, also what a killed run left")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Only show what would be changed (the default)
    #[arg(long)]
    dry_run: bool,
    /// Processors meant for real-time work
    #[arg(long, short, value_name = "LIST", global = true)]
    cpus: Option<CpuSet>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand, Debug, Clone, Copy)]
enum Action {
    /// Change it
    Apply {
        /// Also lift the limit on real-time threads' processor time: a thread that never sleeps can then hang the machine
        #[arg(long)]
        lift_rt_throttling: bool,
    },
    /// Put back what was changed
    Undo,
}

/// The risky change that `--lift-rt-throttling` asks for, by its check's name.
const RT_THROTTLING: &str = "rt-throttling";

impl Args {
    /// Shows, applies or undoes.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let root = Root::system();
        match self.action {
            None => self.show(&self.changes(&root, false)),
            Some(Action::Apply { lift_rt_throttling }) if self.dry_run => {
                self.show(&self.changes(&root, lift_rt_throttling))
            }
            Some(Action::Apply { lift_rt_throttling }) => self.apply(&self.changes(&root, lift_rt_throttling), &root),
            Some(Action::Undo) => self.undo(&root),
        }
    }

    fn changes(&self, root: &Root, lift_rt_throttling: bool) -> Vec<Change> {
        let results = readiness::check(root, &Scenario { rt_cpus: self.cpus, ..Scenario::default() });
        tune::plan_with(&results, if lift_rt_throttling { &[RT_THROTTLING] } else { &[] })
    }

    fn show(&self, changes: &[Change]) -> Result<Exit, Failure> {
        if self.json {
            out::json(&changes)?;
            return Ok(Exit::Pass);
        }
        for change in changes {
            out::text_line(&format!("{}: {} -> {}  ({})", change.knob, change.from, change.to, change.check))?;
        }
        out::text_line(&format!(
            "{} changes; `prazo tune apply` makes them, `prazo tune undo` puts them back",
            changes.len()
        ))?;
        Ok(Exit::Pass)
    }

    fn apply(&self, changes: &[Change], root: &Root) -> Result<Exit, Failure> {
        let journal = Journal::open(root).map_err(Failure::world)?;
        let applied = tune::apply(changes, &journal).map_err(Failure::world)?;
        if self.json {
            out::json(&applied)?;
        } else {
            applied.iter().try_for_each(|one| out::text_line(&told(one)))?;
        }
        Ok(if applied.iter().all(|one| one.problem.is_none()) { Exit::Pass } else { Exit::Fail })
    }

    fn undo(&self, root: &Root) -> Result<Exit, Failure> {
        let journal = Journal::open(root).map_err(Failure::world)?;
        let undone = tune::undo(&journal).map_err(Failure::world)?;
        if self.json {
            out::json(&undone)?;
        } else {
            undone.iter().try_for_each(|one| out::text_line(&one.to_string()))?;
            out::text_line(&format!("{} changes looked at", undone.len()))?;
        }
        Ok(if undone.iter().any(|one| matches!(one, Undone::Failed { .. })) { Exit::Fail } else { Exit::Pass })
    }
}

/// `/proc/sys/vm/stat_interval: 1 -> 10`, or why not.
fn told(applied: &Applied) -> String {
    let change = &applied.change;
    match &applied.problem {
        None => format!("{}: {} -> {}", change.knob, change.from, change.to),
        Some(problem) => format!("{}: not changed: {problem}", change.knob),
    }
}
