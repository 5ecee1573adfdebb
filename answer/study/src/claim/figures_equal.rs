//! "The file says": a cell's figures are exactly those that a text quotes, at the source's own resolution.

use super::{ClaimFinding, Judge, Judgement};
use crate::evidence::Evidence;
use crate::figure::Figures;
use crate::toml_values;
use prazo_core::text::counted;
use prazo_core::time::{Duration, Offset};
use prazo_stats::MeanRange;
use prazo_verdict::claim::{Name, Undecidable, figures};
use serde::Deserialize;

/// `figures-equal = { cell, in_range, overflow, min, mean, max }`: any of them. A mean is truncated to the source's
/// resolution.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FiguresEqual {
    cell: Name,
    in_range: Option<u64>,
    overflow: Option<u64>,
    #[serde(default, deserialize_with = "toml_values::maybe_duration")]
    min: Option<Duration>,
    #[serde(default, deserialize_with = "toml_values::maybe_duration")]
    mean: Option<Duration>,
    #[serde(default, deserialize_with = "toml_values::maybe_duration")]
    max: Option<Duration>,
}

impl Judge for FiguresEqual {
    fn cells(&self) -> Vec<&Name> {
        vec![&self.cell]
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let figures = evidence.figures(&self.cell)?;
        let parts: Vec<(bool, String)> = self.counts(figures).into_iter().chain(self.times(figures)?).collect();
        let ClaimFinding { holds, evidence } = super::each(parts);
        Ok(ClaimFinding { holds, evidence: format!("{}: {evidence}", self.cell.id) })
    }

    fn contradiction(&self) -> Option<&'static str> {
        let counts = self.in_range.is_some() || self.overflow.is_some();
        let times = self.min.is_some() || self.mean.is_some() || self.max.is_some();
        (!counts && !times).then_some("no figure is given; write in_range, overflow, min, mean or max")
    }
}

impl FiguresEqual {
    fn counts(&self, figures: &Figures) -> Vec<(bool, String)> {
        let one = |place: &str, wanted: Option<u64>, found: u64| {
            wanted.map(|wanted| (wanted == found, format!("{} {place}", counted(found, "sample"))))
        };
        let parts = [
            one("in the histogram's range", self.in_range, figures.histogram.in_range()),
            one("beyond the histogram", self.overflow, figures.histogram.overflow()),
        ];
        parts.into_iter().flatten().collect()
    }

    fn times(&self, figures: &Figures) -> Result<Vec<(bool, String)>, Undecidable> {
        let nothing = || Undecidable(format!("{} has no sample in the histogram's range", self.cell.id));
        let latencies = &figures.latencies;
        let (min, max) = (latencies.min_ns().ok_or_else(nothing)?, latencies.max().ok_or_else(nothing)?);
        let MeanRange { low_ns: low, high_ns: high } = latencies.mean_range().ok_or_else(nothing)?;
        if self.mean.is_some() && high.is_none() {
            return Err(Undecidable(format!(
                "the mean of {} is unknown, because some samples lie beyond its histogram",
                self.cell.id
            )));
        }
        let cut = |ns: f64| (ns / figures.resolution.as_ns().max(1) as f64).floor() as i64;
        let is = |wanted: Duration, ns: i64| wanted.as_ns() as i64 == ns;
        let mean_is =
            |wanted: Duration| high.is_some_and(|high| (cut(low)..=cut(high)).contains(&cut(wanted.as_ns() as f64)));
        let parts = [
            self.min.map(|wanted| (is(wanted, min), format!("minimum {}", Offset::from_ns(min)))),
            self.mean.map(|wanted| (mean_is(wanted), format!("mean {}", figures::ns(low)))),
            self.max.map(|wanted| (max.exact().is_some_and(|max| is(wanted, max)), format!("maximum {max}"))),
        ];
        Ok(parts.into_iter().flatten().collect())
    }
}
