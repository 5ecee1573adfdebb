//! At which instants jobs may arrive, as far as a proof is concerned.

use core::fmt;
use core::str::FromStr;

/// The arrivals that a proof must hold for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimeModel {
    /// At any real instant, whatever the tick of the task set is. This is what a machine does.
    #[default]
    Continuous,
    /// At whole ticks only, and jobs run for whole ticks. Some published tools assume this.
    Discrete,
}

impl TimeModel {
    /// Both models.
    pub const ALL: [TimeModel; 2] = [TimeModel::Continuous, TimeModel::Discrete];

    /// `continuous` or `discrete`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Continuous => "continuous",
            Self::Discrete => "discrete",
        }
    }
}

impl fmt::Display for TimeModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no time model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownTimeModel;

impl fmt::Display for UnknownTimeModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the time model must be continuous or discrete")
    }
}

impl core::error::Error for UnknownTimeModel {}

impl FromStr for TimeModel {
    type Err = UnknownTimeModel;

    fn from_str(word: &str) -> Result<Self, UnknownTimeModel> {
        Self::ALL.into_iter().find(|model| model.name() == word).ok_or(UnknownTimeModel)
    }
}
