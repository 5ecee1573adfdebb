//! Scheduling policies: what they are, whether the kernel grants one, and why it refuses.

mod grant;
mod refusal;
mod trial;

pub use grant::{NotGranted, grant};
pub(crate) use refusal::{CAP_SYS_NICE, group_without_budget, has_capability};
pub use refusal::{Facts, Refusal};
pub use trial::{TRIED_DEADLINE, Trial, try_policy};

use prazo_core::time::Duration;
use prazo_sys::scheduling::{SCHED_DEADLINE, SCHED_FIFO, SCHED_OTHER, SCHED_RR, SchedAttr};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Scheduling policy of a thread under Linux, with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "name")]
pub enum Policy {
    /// SCHED_OTHER: no real-time policy at all.
    Other,
    /// SCHED_FIFO at `priority` (1 to 99).
    Fifo {
        /// Real-time priority, 1 to 99.
        priority: u8,
    },
    /// SCHED_RR at `priority` (1 to 99).
    Rr {
        /// Real-time priority, 1 to 99.
        priority: u8,
    },
    /// SCHED_DEADLINE with deadline and period equal to the thread's period.
    Deadline {
        /// Processor time that the kernel grants to the thread in each period.
        #[serde(rename = "runtime_ns", with = "crate::serde_duration::duration_ns")]
        #[schemars(with = "u64")]
        runtime: Duration,
    },
}

impl Policy {
    /// The name used by flags and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Other => "other",
            Self::Fifo { .. } => "fifo",
            Self::Rr { .. } => "rr",
            Self::Deadline { .. } => "deadline",
        }
    }

    /// True for every policy but `other`.
    pub const fn is_real_time(self) -> bool {
        !matches!(self, Self::Other)
    }

    /// The kernel's attributes; a deadline thread's deadline is its period.
    pub fn attributes(self, period_ns: u64) -> SchedAttr {
        let none = SchedAttr::default();
        match self {
            Self::Other => SchedAttr { policy: SCHED_OTHER, ..none },
            Self::Fifo { priority } => SchedAttr { policy: SCHED_FIFO, priority: priority.into(), ..none },
            Self::Rr { priority } => SchedAttr { policy: SCHED_RR, priority: priority.into(), ..none },
            Self::Deadline { runtime } => SchedAttr {
                policy: SCHED_DEADLINE,
                runtime_ns: runtime.as_ns(),
                deadline_ns: period_ns,
                period_ns,
                ..none
            },
        }
    }
}

/// `other`, `fifo:80`, `rr:1`, `deadline:50us`.
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other => f.write_str(self.name()),
            Self::Fifo { priority } | Self::Rr { priority } => write!(f, "{}:{priority}", self.name()),
            Self::Deadline { runtime } => write!(f, "{}:{runtime}", self.name()),
        }
    }
}

/// Why a text names no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not a policy; give other, fifo:PRIORITY, rr:PRIORITY (1 to 99) or deadline:RUNTIME, as in deadline:50us"
)]
pub struct NoPolicy(String);

impl FromStr for Policy {
    type Err = NoPolicy;

    fn from_str(text: &str) -> Result<Self, NoPolicy> {
        let priority = |value: &str| value.parse().ok().filter(|priority| (1..=99).contains(priority));
        let found = match text.split_once(':') {
            None if text == "other" => Some(Self::Other),
            Some(("fifo", value)) => priority(value).map(|priority| Self::Fifo { priority }),
            Some(("rr", value)) => priority(value).map(|priority| Self::Rr { priority }),
            Some(("deadline", value)) => value.parse().ok().map(|runtime| Self::Deadline { runtime }),
            _ => None,
        };
        found.ok_or_else(|| NoPolicy(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_s_text_is_read_back() {
        let runtime = Duration::from_us(50);
        let all =
            [Policy::Other, Policy::Fifo { priority: 80 }, Policy::Rr { priority: 1 }, Policy::Deadline { runtime }];
        for policy in all {
            assert_eq!(policy.to_string().parse(), Ok(policy), "{policy}");
        }
        for text in ["", "fifo", "fifo:0", "fifo:100", "deadline:", "idle"] {
            assert!(text.parse::<Policy>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_deadline_is_the_period() {
        let attributes = Policy::Deadline { runtime: Duration::from_us(50) }.attributes(1_000_000);
        assert_eq!(attributes.in_a_record(), "deadline runtime 50000 ns, deadline 1000000 ns, period 1000000 ns");
    }
}
