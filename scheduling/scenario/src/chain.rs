//! Chains of cause and effect as their author wrote them: tasks in the order in which a datum passes through them.

use prazo_core::task::Ticks;

/// One chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// What it is called, unlike every other chain of the set.
    pub name: String,
    /// Its stages from cause to effect, at least one, no task twice.
    pub stages: Vec<Stage>,
    /// When tasks read and write.
    pub communication: Communication,
    /// True if the offsets and periods of all its tasks hold exactly, on one clock.
    pub synchronized: bool,
    /// The longest reaction that is allowed.
    pub max_reaction: Option<Ticks>,
    /// The oldest datum that may be written.
    pub max_age: Option<Ticks>,
}

/// One task of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stage {
    /// Index of the task.
    pub task: usize,
    /// True if each datum activates a job: one of the task before or, in the first stage, an event outside.
    pub activated: bool,
    /// How long a datum of the task before is under way at most; data arrive in the order in which they were sent.
    pub hop: Ticks,
}

/// When the tasks of a chain read their input and write their output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Communication {
    /// A job reads when it starts and writes when it ends.
    #[default]
    Implicit,
    /// Logical execution time: a job reads when it arrives and writes at its deadline.
    Let,
}

prazo_core::words!(Communication: Implicit => "implicit", Let => "let");
