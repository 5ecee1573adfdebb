//! Summarises a run: each series and all processors together, per served wake-up and per due activation.

use crate::blocks;
use crate::bootstrap::{self, Resampler};
use crate::distribution::Distribution;
use crate::due::{self, Due};
use crate::length::length_allows;
use crate::level::{Level, VALUES_ABOVE_MIN};
use crate::moments::moments;
use crate::scope;
use crate::served::served;
use crate::summary::{Per, Quantile, RunSummary, Summary};
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

/// What one pair of summaries is made from: one series, or all of one quantity.
struct Part<'a> {
    cpu: Option<u32>,
    quantity: Quantity,
    series: Vec<&'a Series>,
    served: Distribution,
    due: Result<Due, String>,
}

impl<'a> Part<'a> {
    fn of(run: &Run, series: &'a Series) -> Self {
        let served = served(run, series);
        let due = due::per_due(run, series, &served);
        Self { cpu: series.cpu, quantity: series.quantity, series: vec![series], served, due }
    }
}

/// All series of one quantity as one.
fn together<'a>(parts: &[Part<'a>], quantity: Quantity) -> Part<'a> {
    let members: Vec<&Part<'_>> = parts.iter().filter(|part| part.quantity == quantity).collect();
    Part {
        cpu: None,
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
    let method = format!("{} samples as served", part.served.count());
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
        quantity: part.quantity,
        per,
        count: distribution.count(),
        min_ns: distribution.min(),
        mean_ns: moments.as_ref().map(|moments| moments.mean_ns),
        mean_is_lower_bound: distribution.vague_count() > 0,
        sd_ns: moments.and_then(|moments| moments.sd_ns).filter(|_| distribution.vague_count() == 0),
        max_ns: distribution.max(),
        overflow: part.series.iter().map(|series| series.histogram.overflow()).sum(),
        quantiles: quantiles(part, per, distribution),
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
        (None, Some(reached)) => format!(", and the maximum is unknown, at least {reached} ns"),
        _ => String::new(),
    };
    format!("{method}; {vague} values are known by count alone, so no deviation is given{maximum}")
}

fn quantiles(part: &Part<'_>, per: Per, distribution: &Distribution) -> Vec<Quantile> {
    let count = distribution.count();
    let supported: Vec<Level> = Level::ALL.into_iter().filter(|level| level.is_supported_by(count)).collect();
    let intervals = intervals(part, per, distribution, &supported);
    let refused = Level::ALL.into_iter().filter(|level| !level.is_supported_by(count));
    let given = supported.iter().zip(intervals).map(|(level, interval)| given(*level, distribution, interval));
    given.chain(refused.map(|level| unsupported(level, count))).collect()
}

/// The intervals of the supported levels, each with how it was made or why it is missing.
fn intervals(part: &Part<'_>, per: Per, distribution: &Distribution, levels: &[Level]) -> Vec<Interval> {
    // Where nothing was skipped, the two kinds of count are the same values, and blocks need no re-adding.
    let per = if *distribution == part.served { Per::ServedWakeUp } else { per };
    match blocks::units(&part.series, per).and_then(|units| Resampler::new(&units)) {
        Err(reason) => vec![Interval { ns: None, reason }; levels.len()],
        Ok(resampler) => bootstrap::intervals(&resampler, levels)
            .into_iter()
            .map(|interval| match interval {
                Ok(ns) => Interval { ns: Some(ns), reason: resampler.method() },
                Err(reason) => Interval { ns: None, reason },
            })
            .collect(),
    }
}

#[derive(Clone)]
struct Interval {
    ns: Option<(i64, i64)>,
    reason: String,
}

fn given(level: Level, distribution: &Distribution, interval: Interval) -> Quantile {
    let count = distribution.count();
    let bracket = level.rank(count).and_then(|rank| distribution.at_rank(rank));
    let value_ns = bracket.map(|bracket| bracket.at_least_ns);
    let exact = bracket.is_some_and(|bracket| bracket.is_exact());
    Quantile {
        q: level.as_f64(),
        value_ns,
        at_least: !exact,
        values_above: level.values_above(count),
        interval_ns: interval
            .ns
            .filter(|_| exact)
            .zip(value_ns)
            .map(|((low, high), value)| (low.min(value), high.max(value))),
        reason: if exact {
            interval.reason
        } else {
            "only a lower bound: some of the values are known by count alone".into()
        },
    }
}

fn unsupported(level: Level, count: u64) -> Quantile {
    let above = level.values_above(count);
    let needed = level.count_needed().map_or_else(String::new, |needed| format!("; it takes {needed}"));
    Quantile {
        q: level.as_f64(),
        value_ns: None,
        at_least: false,
        values_above: above,
        interval_ns: None,
        reason: format!("{above} of {count} values lie above this rank, fewer than {VALUES_ABOVE_MIN}{needed}"),
    }
}

/// What a reader of the figures has to know, each once.
fn remarks(run: &Run, parts: &[Part<'_>]) -> Vec<String> {
    let missing = parts.iter().filter_map(|part| part.due.as_ref().err());
    let mut remarks: Vec<String> = missing.map(|reason| format!("no figures per due activation: {reason}")).collect();
    let lost: u64 = run.series.iter().map(scope::lost).sum();
    if lost > 0 {
        remarks.push(format!("{lost} served activations have no sample (lost) and are in no figure"));
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
    (stated != total).then(|| format!("the source states {stated} samples, its histogram holds {total}"))
}

#[cfg(test)]
#[path = "summarise_tests.rs"]
pub(crate) mod tests;
