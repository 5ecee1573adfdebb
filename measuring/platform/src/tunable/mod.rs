//! Knobs of the system: set, read back, recorded and put back, even after a crash.
//!
//! ```text
//! write down ─► set ─► read back ─► write down what is effective ─► … ─► put back ─► cross out
//! ```
//!
//! What is going to be changed stands in the [`Journal`] before it is changed, so that whoever finds the entry of a dead
//! owner can undo it. A [`Held`] knob belongs to this process and is put back when it is dropped; an applied one
//! (`prazo tune apply`) stays until `prazo tune undo`, and what was deployed until `prazo sched undeploy` or that. All end
//! with the boot that they were made in.

mod command;
mod controller;
mod entry;
mod group;
mod held;
mod journal;
mod known;
mod owner;
mod receive_stamps;
#[cfg(test)]
mod scratch;
mod state;
mod temporary;
mod thread;
mod undo;
mod value;

pub use command::command_group;
pub use entry::{Entry, JournaledChange};
pub use held::Held;
pub use journal::{Journal, JournalError, TuneError};
pub use known::Tunable;
pub use owner::Owner;
pub use receive_stamps::StampSetting;
pub use thread::{Thread, ThreadSetting};
pub use undo::Undone;
pub use value::same_value;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One changed setting, as a run records it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TunableRecord {
    /// The setting: a file under /proc, /sys or /dev, or a call such as `prctl(PR_SET_TIMERSLACK)`.
    pub knob: String,
    /// Value of the setting before prazo changed it; null where there was none or where it is unknown.
    pub before: Option<String>,
    /// Value that prazo requested for the setting.
    pub requested: String,
    /// Value of the setting read back after the change; null where it cannot be read.
    pub effective: Option<String>,
    /// True if the value from before the change was restored, or if the setting ended with its thread.
    pub restored: bool,
}

impl TunableRecord {
    /// Something that was not there before.
    fn of_new(knob: String, what: &str) -> Self {
        Self { knob, before: None, requested: what.into(), effective: Some(what.into()), restored: false }
    }

    /// True where what was read back is what was asked.
    pub fn took_effect(&self) -> bool {
        self.effective.as_ref().is_some_and(|effective| same_value(&self.knob, effective, &self.requested))
    }
}
