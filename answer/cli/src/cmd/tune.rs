//! `prazo tune`: change what `prazo check` found, reversibly.

use crate::exit::{Exit, Failure};
use crate::out;
use prazo::tune;
use prazo_core::cpu::CpuSet;

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
    /// Processors for real-time work [default: the isolated ones, else all]
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
        Ok(match self.action {
            Some(Action::Undo) => {
                let undone = tune::undo()?;
                out::answer(self.json, &undone)?;
                undone.outcome().into()
            }
            Some(Action::Apply { lift_rt_throttling }) if !self.dry_run => {
                let applied = tune::apply(&changes(lift_rt_throttling))?;
                out::answer(self.json, &applied)?;
                applied.outcome().into()
            }
            Some(Action::Apply { lift_rt_throttling }) => {
                out::answer(self.json, &changes(lift_rt_throttling))?;
                Exit::Pass
            }
            None => {
                out::answer(self.json, &changes(false))?;
                Exit::Pass
            }
        })
    }
}
