//! A task's utilization as a user may write it: above zero, at most one.

use serde::{Deserialize, Serialize};

/// A number in (0, 1].
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Share(f64);

impl Share {
    /// A share known to be right when it is written.
    pub(super) const fn constant(value: f64) -> Self {
        assert!(value > 0.0 && value <= 1.0, "a utilization lies in (0, 1]");
        Self(value)
    }

    /// As a float, which draws and never decides.
    pub const fn value(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Share {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        if value > 0.0 && value <= 1.0 {
            return Ok(Self(value));
        }
        Err(format!("a task cannot have a utilization of {value}; write a number above 0 and at most 1"))
    }
}

impl From<Share> for f64 {
    fn from(share: Share) -> Self {
        share.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_utilizations_that_one_task_can_have_are_taken() {
        assert!(Share::try_from(1.0).is_ok());
        for wrong in [0.0, -0.1, 1.001, f64::NAN, f64::INFINITY] {
            assert!(Share::try_from(wrong).is_err(), "{wrong}");
        }
    }
}
