//! "As its own line says": a figure that the source states of itself agrees with the samples it carries.

use super::{Judge, Judgement, each};
use crate::evidence::Evidence;
use crate::figure::Figures;
use prazo_core::text::{counted, grouped};
use prazo_core::time::Offset;
use prazo_run::run::StatedFigures;
use prazo_stats::MeanRange;
use prazo_verdict::claim::{Name, Undecidable, figures};
use serde::Deserialize;

/// `stated-agrees = { cells, figure, count }`; `count` quotes a line that the importer does not keep.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedAgrees {
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    cells: Vec<Name>,
    figure: Figure,
    count: Option<u64>,
}

/// The figures that a source can state.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Figure {
    Count,
    Min,
    Mean,
    Max,
}

impl Judge for StatedAgrees {
    fn cells(&self) -> Vec<&Name> {
        self.cells.iter().collect()
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let parts = evidence.all(&self.cells)?.into_iter().map(|(cell, figures)| self.one(cell, figures));
        Ok(each(parts.collect::<Result<_, _>>()?))
    }
}

impl StatedAgrees {
    fn one(&self, cell: &str, figures: &Figures) -> Result<(bool, String), Undecidable> {
        let silent = || {
            Undecidable(format!(
                "{cell} does not state the figure that the claim checks, or its samples do not give this figure"
            ))
        };
        let stated = figures.stated.unwrap_or_default();
        let part = match self.figure {
            Figure::Count => self.count.or(stated.count).map(|stated| count(stated, figures)),
            Figure::Min => {
                stated.min_ns.zip(figures.latencies.min_ns()).map(|(stated, found)| same("minimum", stated, found))
            }
            Figure::Mean => mean(stated, figures),
            Figure::Max => return max(cell, stated, figures),
        };
        part.map(|(agrees, text)| (agrees, format!("{cell}: {text}"))).ok_or_else(silent)
    }
}

fn count(stated: u64, figures: &Figures) -> (bool, String) {
    let (in_range, total) = (figures.histogram.in_range(), figures.count());
    let text = format!(
        "the source states {}, and contains {} in the histogram's range and {} in all",
        counted(stated, "sample"),
        grouped(in_range),
        grouped(total)
    );
    (stated == in_range || stated == total, text)
}

fn same(what: &str, stated: i64, found: i64) -> (bool, String) {
    let (says, gives) = (Offset::from_ns(stated), Offset::from_ns(found));
    (stated == found, format!("the source states a {what} of {says}, and its samples give {gives}"))
}

/// Agrees where cutting a possible mean to the resolution gives the stated one.
fn mean(stated: StatedFigures, figures: &Figures) -> Option<(bool, String)> {
    let (stated, MeanRange { low_ns: low, high_ns: high }) = (stated.mean_ns?, figures.latencies.mean_range()?);
    let agrees = stated > low - figures.resolution.as_ns() as f64 && stated <= high?;
    Some((
        agrees,
        format!(
            "the source states a mean of {}, and its samples give {} (n = {})",
            figures::ns(stated),
            figures::ns(low),
            grouped(figures.count())
        ),
    ))
}

/// With overflow the stated maximum is the only witness of itself.
fn max(cell: &str, stated: StatedFigures, figures: &Figures) -> Result<(bool, String), Undecidable> {
    let top = figures.histogram.cells().next_back().map(|(value, _)| value);
    let (Some(stated), Some(top)) = (stated.max_ns, top) else {
        return Err(Undecidable(format!("{cell} does not state its maximum, or has no samples to check it with")));
    };
    if figures.histogram.overflow() > 0 && stated > top {
        return Err(Undecidable(format!(
            "{cell}: the histogram lacks {} beyond its end, so the stated maximum cannot be checked",
            counted(figures.histogram.overflow(), "sample")
        )));
    }
    let (agrees, text) = same("maximum", stated, top);
    Ok((agrees, format!("{cell}: {text}")))
}
