//! "The worst comes when a load starts" (Blaess 2014): the seconds after a load's start against the rest of its time on.
//!
//! The starts of all loads in all runs of the cell are one set; `prazo-stats` decides, as it does for a report.

use super::{ClaimFinding, Judge, Judgement};
use crate::evidence::Evidence;
use crate::toml_values;
use prazo_core::time::Duration;
use prazo_stats::TransientFinding;
use prazo_verdict::claim::{Name, Undecidable};
use serde::Deserialize;

/// `transient = { cell, within }`: latency within so many seconds after a load's start is worse than later.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transient {
    cell: Name,
    #[serde(deserialize_with = "toml_values::duration")]
    within: Duration,
}

impl Judge for Transient {
    fn cells(&self) -> Vec<&Name> {
        vec![&self.cell]
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let window_s = self.window_s().unwrap_or_default();
        let found = prazo_stats::transient(&evidence.sound(&self.cell.id)?.runs, window_s);
        match found.finding {
            TransientFinding::WorseJustAfter => Ok(ClaimFinding { holds: true, evidence: found.text }),
            TransientFinding::BetterJustAfter => Ok(ClaimFinding { holds: false, evidence: found.text }),
            TransientFinding::NoDifferenceShown => {
                let text = found.text;
                let remedy = "measure for longer, so that loads start more often";
                Err(Undecidable(format!("{text}, which may be chance; {remedy}")))
            }
            TransientFinding::TooFewStarts => Err(Undecidable(found.text)),
        }
    }

    fn contradiction(&self) -> Option<&'static str> {
        self.window_s().is_none().then_some("`within` must be a whole number of seconds; write \"2s\"")
    }
}

impl Transient {
    /// The window in seconds; `None` where it is not a whole number of them.
    fn window_s(&self) -> Option<u32> {
        let window_s = self.within.div_floor(Duration::from_s(1)).and_then(|s| u32::try_from(s).ok())?;
        (window_s > 0 && Duration::from_s(window_s.into()) == self.within).then_some(window_s)
    }
}
