//! Summarises a run: each series and all processors together, per served wake-up and per due activation.

use crate::blocks;
use crate::distribution::Distribution;
use crate::due::{self, Due};
use crate::estimate::{Estimate, TooFew, estimates};
use crate::length::length_allows;
use crate::level::{Level, VALUES_ABOVE_MIN};
use crate::moments::moments;
use crate::scope;
use crate::served::served;
use crate::summary::{Per, Quantile, RunSummary, Summary};
use prazo_core::text::{counted, grouped};
use prazo_run::run::Quantity;
use prazo_run::{Run, Series};
use std::collections::BTreeSet;

/// All summaries of `run`: one for each series and kind of count, then those over all processors of a quantity.
pub fn summarise(run: &Run) -> RunSummary {
    let parts: Vec<Part<'_>> = run.series.iter().map(|series| Part::of(run, series)).collect();
    let mut summaries: Vec<Summary> = parts.iter().flat_map(summaries_of).collect();
    let quantities: BTreeSet<Quantity> = run.series.iter().map(|series| series.quantity).collect();
    summaries.extend(quantities.into_iter().flat_map(|quantity| summaries_of(&together(&parts, quantity))));
    RunSummary {
        run: run.name.clone(),
        summaries,
        length_allows: length_allows(run).sentence,
        remarks: remarks(run, &parts),
    }
}

/// One quantile of the run's principal quantity, all processors together; `Err` says why there is no such figure.
pub fn quantile(run: &Run, per: Per, level: Level) -> Result<Quantile, String> {
    let quantity = scope::principal_quantity(run).ok_or("the run has no samples")?;
    let parts: Vec<Part<'_>> = run.series.iter().map(|series| Part::of(run, series)).collect();
    let part = together(&parts, quantity);
    let distribution = match per {
        Per::ServedWakeUp => &part.served,
        Per::DueActivation => &part.due.as_ref().map_err(Clone::clone)?.distribution,
    };
    Ok(quantiles(&part, per, distribution, &[level]).remove(0))
}

/// What one pair of summaries is made from: one series, or all of one quantity.
struct Part<'a> {
    cpu: Option<u32>,
    thread: Option<String>,
    quantity: Quantity,
    series: Vec<&'a Series>,
    served: Distribution,
    due: Result<Due, String>,
}

impl<'a> Part<'a> {
    fn of(run: &Run, series: &'a Series) -> Self {
        let served = served(run, series);
        let due = due::per_due(run, series, &served);
        let thread = series.thread.as_ref().map(ToString::to_string);
        Self { cpu: series.cpu, thread, quantity: series.quantity, series: vec![series], served, due }
    }
}

/// All series of one quantity as one.
fn together<'a>(parts: &[Part<'a>], quantity: Quantity) -> Part<'a> {
    let members: Vec<&Part<'_>> = parts.iter().filter(|part| part.quantity == quantity).collect();
    Part {
        cpu: None,
        thread: None,
        quantity,
        series: parts.iter().filter(|part| part.quantity == quantity).flat_map(|part| part.series.clone()).collect(),
        served: Distribution::merged(members.iter().map(|part| &part.served)),
        due: members
            .iter()
            .map(|part| part.due.as_ref().map_err(Clone::clone))
            .collect::<Result<Vec<_>, _>>()
            .map(all_due),
    }
}

fn all_due(members: Vec<&Due>) -> Due {
    let methods: BTreeSet<&str> = members.iter().map(|due| due.method.as_str()).collect();
    Due {
        distribution: Distribution::merged(members.iter().map(|due| &due.distribution)),
        method: methods.into_iter().collect::<Vec<_>>().join("; "),
        reconstructed: members.iter().any(|due| due.reconstructed),
    }
}

fn summaries_of(part: &Part<'_>) -> Vec<Summary> {
    let method = format!("{}, per served activation", counted(part.served.count(), "sample"));
    let mut both = vec![summary(part, Per::ServedWakeUp, &part.served, method)];
    if let Ok(due) = &part.due {
        both.push(summary(part, Per::DueActivation, &due.distribution, due.method.clone()));
    }
    both
}

fn summary(part: &Part<'_>, per: Per, distribution: &Distribution, method: String) -> Summary {
    let moments = moments(distribution);
    Summary {
        cpu: part.cpu,
        thread: part.thread.clone(),
        quantity: part.quantity,
        per,
        count: distribution.count(),
        min_ns: distribution.min(),
        mean_ns: moments.as_ref().map(|moments| moments.mean_ns),
        mean_is_lower_bound: distribution.vague_count() > 0,
        sd_ns: moments.and_then(|moments| moments.sd_ns).filter(|_| distribution.vague_count() == 0),
        max_ns: distribution.max(),
        overflow: part.series.iter().map(|series| series.histogram.overflow()).sum(),
        quantiles: quantiles(part, per, distribution, &Level::ALL),
        method: with_unknowns(distribution, method),
    }
}

/// The method, with what could not be computed from values known by count alone.
fn with_unknowns(distribution: &Distribution, method: String) -> String {
    let vague = distribution.vague_count();
    if vague == 0 {
        return method;
    }
    let maximum = match (distribution.max(), distribution.reached()) {
        (None, Some(reached)) => format!(", and the maximum is unknown (at least {reached} ns)"),
        _ => String::new(),
    };
    format!("{method}; no standard deviation, because of {} of unknown size{maximum}", counted(vague, "value"))
}

fn quantiles(part: &Part<'_>, per: Per, distribution: &Distribution, levels: &[Level]) -> Vec<Quantile> {
    // Where nothing was skipped, the two kinds of count are the same values, and blocks need no re-adding.
    let per = if *distribution == part.served { Per::ServedWakeUp } else { per };
    let units = blocks::units(&part.series, per);
    let found = estimates(distribution, units.as_deref().map_err(String::as_str), levels);
    let (given, refused): (Vec<_>, Vec<_>) = levels.iter().copied().zip(found).partition(|(_, found)| found.is_ok());
    given.into_iter().chain(refused).map(|(level, found)| figure(level, distribution.count(), found)).collect()
}

fn figure(level: Level, count: u64, found: Result<Estimate, TooFew>) -> Quantile {
    let Ok(found) = found else { return unsupported(level, count) };
    Quantile {
        q: level.as_f64(),
        value_ns: Some(found.value.at_least_ns),
        at_least: !found.value.is_exact(),
        values_above: level.values_above(count),
        interval_ns: found.interval_ns(),
        reason: found.reason().to_owned(),
    }
}

fn unsupported(level: Level, count: u64) -> Quantile {
    let above = level.values_above(count);
    let needed =
        level.count_needed().map_or_else(String::new, |needed| format!("; {} values are needed", grouped(needed)));
    Quantile {
        q: level.as_f64(),
        value_ns: None,
        at_least: false,
        values_above: above,
        interval_ns: None,
        reason: format!(
            "{} of {} lie above this quantile, fewer than {VALUES_ABOVE_MIN}{needed}",
            grouped(above),
            counted(count, "value")
        ),
    }
}

/// What a reader of the figures has to know, each once.
fn remarks(run: &Run, parts: &[Part<'_>]) -> Vec<String> {
    let missing = parts.iter().filter_map(|part| part.due.as_ref().err());
    let mut remarks: Vec<String> = missing.map(|reason| format!("no figures per due activation: {reason}")).collect();
    let lost: u64 = run.series.iter().map(scope::lost).sum();
    if lost > 0 {
        remarks
            .push(format!("{} without a sample (lost), excluded from all figures", counted(lost, "served activation")));
    }
    remarks.extend(run.series.iter().filter_map(disagreement_with_source));
    remarks.sort();
    remarks.dedup();
    remarks
}

/// Where the source states another total than its samples add up to.
fn disagreement_with_source(series: &Series) -> Option<String> {
    let stated = series.stated?.count?;
    let total = series.histogram.total();
    (stated != total)
        .then(|| format!("the source states {}, but its histogram has {}", counted(stated, "sample"), grouped(total)))
}

#[cfg(test)]
#[path = "summarise_tests.rs"]
pub(crate) mod tests;
