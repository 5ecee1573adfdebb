//! How arrivals and execution times vary, as flags and files write it: `sporadic=0.5`, `bimodal=0.3`.

use crate::execution::Distribution;
use crate::model::Arrivals;
use std::str::FromStr;

/// A word that says neither how jobs arrive nor how long they execute.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownVariation {
    /// No way in which jobs arrive.
    #[error("write periodic, sporadic or sporadic=0.5")]
    Arrivals,
    /// No distribution of execution times.
    #[error("write bound, uniform=0.5, bimodal=0.3 or overrun=1.5")]
    Distribution,
    /// No share, or one beyond what there can be.
    #[error("'{text}' is not a number from 0 to {most}")]
    Share {
        /// What was written.
        text: String,
        /// The largest share.
        most: u32,
    },
    /// No factor of an overrun, or one beyond what there can be.
    #[error("'{text}' is not a factor from 1 to 1000")]
    Factor {
        /// What was written.
        text: String,
    },
    /// An overrun that is none.
    #[error(
        "an overrunning job executes for its bound or longer, so the factor must be at least 1, not {share}; \
         for shorter jobs write uniform={share}"
    )]
    BelowBound {
        /// What was written.
        share: String,
    },
}

/// `0.25` in thousandths.
fn thousandths(text: &str, most: u32) -> Result<u32, UnknownVariation> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=f64::from(most)).contains(share));
    let unknown = || UnknownVariation::Share { text: text.to_owned(), most };
    share.map(|share| (share * 1_000.0).round() as u32).ok_or_else(unknown)
}

/// `1.5` in thousandths: no less than the bound, which such a job exceeds.
fn beyond_the_bound(share: &str) -> Result<u32, UnknownVariation> {
    match thousandths(share, 1_000).map_err(|_| UnknownVariation::Factor { text: share.to_owned() })? {
        least if least < 1_000 => Err(UnknownVariation::BelowBound { share: share.to_owned() }),
        enough => Ok(enough),
    }
}

/// `periodic`, `sporadic=0.5`.
impl FromStr for Arrivals {
    type Err = UnknownVariation;

    fn from_str(text: &str) -> Result<Self, UnknownVariation> {
        match text.split_once('=').unwrap_or((text, "1")) {
            ("periodic", "1") => Ok(Self::Periodic),
            ("sporadic", share) => Ok(Self::Sporadic { extra_thousandths: thousandths(share, 1_000)? }),
            _ => Err(UnknownVariation::Arrivals),
        }
    }
}

/// `bound`, `uniform=0.5`, `bimodal=0.3`, `overrun=1.5`; a rare job is one in a hundred.
impl FromStr for Distribution {
    type Err = UnknownVariation;

    fn from_str(text: &str) -> Result<Self, UnknownVariation> {
        match text.split_once('=').unwrap_or((text, "")) {
            ("bound", "") => Ok(Self::Bound),
            ("uniform", share) if !share.is_empty() => Ok(Self::Uniform { least_thousandths: thousandths(share, 1)? }),
            ("bimodal", share) if !share.is_empty() => {
                Ok(Self::Bimodal { usual_thousandths: thousandths(share, 1)?, one_in: 100 })
            }
            ("overrun", share) if !share.is_empty() => {
                Ok(Self::Overrun { rare_thousandths: beyond_the_bound(share)?, one_in: 100 })
            }
            _ => Err(UnknownVariation::Distribution),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_and_execution_times_are_read_from_words() {
        assert_eq!("periodic".parse(), Ok(Arrivals::Periodic));
        assert_eq!("sporadic=0.5".parse(), Ok(Arrivals::Sporadic { extra_thousandths: 500 }));
        assert_eq!("bimodal=0.3".parse(), Ok(Distribution::Bimodal { usual_thousandths: 300, one_in: 100 }));
        assert_eq!("periodic=2".parse::<Arrivals>(), Err(UnknownVariation::Arrivals));
        assert_eq!("uniform".parse::<Distribution>(), Err(UnknownVariation::Distribution));
        let factor = "overrun=x".parse::<Distribution>().unwrap_err();
        assert_eq!(factor.to_string(), "'x' is not a factor from 1 to 1000");
        for text in ["uniform=1.5", "sporadic=x", "overrun=0.5"] {
            assert!(text.parse::<Distribution>().is_err() && text.parse::<Arrivals>().is_err(), "{text}");
        }
    }
}
