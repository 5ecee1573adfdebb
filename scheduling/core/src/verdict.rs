//! Does a task set meet its deadlines? The three answers of a schedulability test, wherever they are kept or printed.

use core::fmt;
use core::str::FromStr;

/// Does the set meet its deadlines?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Every job of every legal arrival sequence meets its deadline.
    Proven,
    /// Some legal arrival sequence makes a job miss; the reason holds the proof.
    Disproven,
    /// This test cannot tell.
    Unknown,
}

impl Verdict {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Proven, Self::Disproven, Self::Unknown];

    /// `proven`, `disproven`, `unknown`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Disproven => "disproven",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that is none of the three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoVerdict;

impl fmt::Display for NoVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is no verdict; write proven, disproven or unknown")
    }
}

impl core::error::Error for NoVerdict {}

impl FromStr for Verdict {
    type Err = NoVerdict;

    fn from_str(word: &str) -> Result<Self, NoVerdict> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == word).ok_or(NoVerdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verdict_is_read_back_from_its_word() {
        Verdict::ALL.iter().for_each(|verdict| assert_eq!(verdict.name().parse(), Ok(*verdict)));
        assert_eq!("Proven".parse::<Verdict>(), Err(NoVerdict));
    }
}
