//! What the scheduler answers: who runs where, who is preempted, which processor gets an interrupt.

use crate::cpu::Cpu;
use crate::event::EventKind;
use crate::job::TaskIndex;

/// What has to be done after a change.
#[must_use = "a decision that nobody carries out leaves a processor with the wrong job"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Every processor goes on with what it does.
    Stay,
    /// One processor does something else from now on.
    Switch(Switch),
}

/// One processor takes another job, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The processor.
    pub cpu: Cpu,
    /// Who runs there from now on; `None` if it idles.
    pub runs: Option<TaskIndex>,
    /// Who ran there, could go on, and waits instead.
    pub preempted: Option<TaskIndex>,
    /// Where who runs ran last, if that was another processor.
    pub migrated_from: Option<Cpu>,
}

impl Decision {
    /// The switch, if there is one.
    #[inline]
    pub const fn switch(self) -> Option<Switch> {
        match self {
            Self::Stay => None,
            Self::Switch(switch) => Some(switch),
        }
    }

    /// The processor that must be interrupted when the change happened on `here`: the one that switches, unless that is
    /// `here` itself.
    #[inline]
    pub fn interrupt(self, here: Cpu) -> Option<Cpu> {
        self.switch().map(|switch| switch.cpu).filter(|cpu| *cpu != here)
    }
}

impl Switch {
    /// What a trace says of it, in this order: who is preempted, who migrates, who is dispatched.
    pub fn events(self) -> impl Iterator<Item = (TaskIndex, EventKind)> {
        let Self { cpu, runs, preempted, migrated_from } = self;
        let preemption = preempted.map(|task| (task, EventKind::Preemption { cpu }));
        let migration = runs.zip(migrated_from).map(|(task, from)| (task, EventKind::Migration { from, to: cpu }));
        let dispatch = runs.map(|task| (task, EventKind::Dispatch { cpu }));
        [preemption, migration, dispatch].into_iter().flatten()
    }
}
