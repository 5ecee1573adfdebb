//! `prazo tune`: change what `prazo check` found, reversibly.

use crate::exit::{Exit, Failure};
use crate::out;
use prazo::tune;
use prazo_core::cpu::CpuSet;
use prazo_core::text::counted;
use prazo_platform::readiness::Change;
use prazo_platform::tunable::Undone;
use prazo_platform::tune::Applied;

/// Change the settings that `check` found, reversibly
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo tune --dry-run     show the changes
  prazo tune apply         make them; they stay until `undo` or the next boot
  prazo tune undo          restore the old values, even after a crash")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Only show the changes (the default)
    #[arg(long)]
    dry_run: bool,
    /// Processors for real-time work [default: all]
    #[arg(long, short, value_name = "LIST", global = true)]
    cpus: Option<CpuSet>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand, Debug, Clone, Copy)]
enum Action {
    /// Make the changes
    Apply {
        /// Remove the limit on real-time threads' processor time; a thread that never sleeps can then hang the machine
        #[arg(long)]
        lift_rt_throttling: bool,
    },
    /// Restore the old values
    Undo,
}

impl Args {
    /// Shows, applies or undoes.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let changes = |lift_rt_throttling| tune::changes(self.cpus, lift_rt_throttling);
        match self.action {
            None => self.show(&changes(false)),
            Some(Action::Apply { lift_rt_throttling }) if self.dry_run => self.show(&changes(lift_rt_throttling)),
            Some(Action::Apply { lift_rt_throttling }) => self.apply(&changes(lift_rt_throttling)),
            Some(Action::Undo) => self.undo(),
        }
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
            "{} to make; `prazo tune apply` does so, `prazo tune undo` restores the old values",
            counted(changes.len() as u64, "change")
        ))?;
        Ok(Exit::Pass)
    }

    fn apply(&self, changes: &[Change]) -> Result<Exit, Failure> {
        let applied = tune::apply(changes)?;
        if self.json {
            out::json(&applied)?;
        } else {
            applied.iter().try_for_each(|one| out::text_line(&in_words(one)))?;
        }
        Ok(if applied.iter().all(|one| one.problem.is_none()) { Exit::Pass } else { Exit::Fail })
    }

    fn undo(&self) -> Result<Exit, Failure> {
        let undone = tune::undo()?;
        if self.json {
            out::json(&undone)?;
        } else {
            undone.iter().try_for_each(|one| out::text_line(&one.to_string()))?;
            out::text_line(&format!("{} checked", counted(undone.len() as u64, "change")))?;
        }
        Ok(if undone.iter().any(|one| matches!(one, Undone::Failed { .. })) { Exit::Fail } else { Exit::Pass })
    }
}

/// `/proc/sys/vm/stat_interval: 1 -> 10`, or why not.
fn in_words(applied: &Applied) -> String {
    let change = &applied.change;
    match &applied.problem {
        None => format!("{}: {} -> {}", change.knob, change.from, change.to),
        // It names the setting.
        Some(problem) => format!("not changed: {problem}"),
    }
}
