//! Why a table is refused, in words that fit on a kernel's console: which field, what was found, what would be right.

use super::{LONGEST, RECORD, SHORTEST_PERIOD, VERSION};
use core::fmt;

/// What is wrong with a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableError {
    /// It does not begin as a table does.
    Magic,
    /// It is of another version.
    Version(u16),
    /// Its records are of another size.
    RecordSize(u16),
    /// It ends early, or goes on behind its end.
    Length {
        /// As its head has it.
        expected: u64,
        /// As it is.
        found: u64,
    },
    /// It was changed on its way.
    Checksum {
        /// As it says.
        stated: u32,
        /// Of what came.
        found: u32,
    },
    /// What must be zero is not.
    Reserved,
    /// It has no processors or no queues, or more queues than processors.
    Shape {
        /// As the head has them.
        processors: u16,
        /// As the head has them.
        queues: u16,
    },
    /// It has no record.
    NoTask,
    /// One of its records cannot be.
    Task(u32, Fault),
}

/// What is wrong with one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A time is zero that must not be, or too long.
    Time(&'static str, u64),
    /// The period of the task or of its server is shorter than a kernel keeps.
    Period(u64),
    /// The cost is above the period, and no server keeps it from the others.
    Cost {
        /// In ns.
        cost: u64,
        /// In ns.
        period: u64,
    },
    /// The queue is not one of those that the head has.
    Queue {
        /// The record's.
        queue: u16,
        /// The head's.
        queues: u16,
    },
    /// The server has a budget and no period, a period and no budget, or a budget above its period.
    Server {
        /// In ns.
        budget: u64,
        /// In ns.
        period: u64,
    },
    /// There is no such overrun policy.
    Overrun(u8),
    /// What must be zero is not.
    Reserved,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => write!(f, "this is not a task table: it does not begin with PRAZOSET"),
            Self::Version(found) => {
                write!(f, "the task table has version {found}, but only version {VERSION} is supported")
            }
            Self::RecordSize(found) => {
                write!(f, "the task table has records of {found} bytes, but a task record must have {RECORD} bytes")
            }
            Self::Length { expected, found } => {
                write!(f, "the task table has {found} bytes, but {expected} are expected")
            }
            Self::Checksum { stated, found } => {
                write!(
                    f,
                    "the task table is damaged: its checksum is {found:08x}, but the checksum stored at its end is {stated:08x}"
                )
            }
            Self::Reserved => write!(f, "a reserved field in the task table's header is not zero"),
            Self::Shape { processors, queues } => {
                write!(
                    f,
                    "the task table states {queues} queues on {processors} processors; it needs at least one queue, and at most one per processor"
                )
            }
            Self::NoTask => write!(f, "the task table has no task"),
            Self::Task(number, fault) => write!(f, "task {number}: {fault}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(name, 0) => write!(f, "{name} must be at least 1 ns"),
            Self::Time(name, ns) => write!(f, "{name} is {ns} ns, but must be at most {} ns", LONGEST.as_ns()),
            Self::Period(ns) => {
                write!(f, "a period of {ns} ns is too short: the kernel needs at least {} ns", SHORTEST_PERIOD.as_ns())
            }
            Self::Cost { cost, period } => {
                write!(f, "the cost of {cost} ns is longer than the period of {period} ns, and the task has no server")
            }
            Self::Queue { queue, queues } => {
                write!(f, "there is no queue {queue}; the task table has {queues} queues, numbered from 0")
            }
            Self::Server { budget, period } => {
                write!(
                    f,
                    "a server of {budget} ns in every {period} ns is impossible: both must be above zero, the budget at most the period, and the period at most 1 h"
                )
            }
            Self::Overrun(kind) => {
                write!(
                    f,
                    "unknown overrun policy {kind}; write 0 to continue the late job, 1 to abort it, or 2 to skip the next job"
                )
            }
            Self::Reserved => write!(f, "a reserved field of the task is not zero"),
        }
    }
}

impl core::error::Error for TableError {}
