//! What `prazo trigger --answers` found: latencies seen from outside, into a run file and onto paper.

use super::files;
use crate::exit::Failure;
use crate::out;
use prazo_core::time::Duration;
use prazo_probe::station::{self, Answers, Delta};
use prazo_run::run::{Origin, Quantity};
use prazo_run::{Caveat, Run, Series, store};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Latencies seen from the triggering side.
#[derive(Serialize, JsonSchema)]
pub(super) struct Outside {
    /// The run file that holds them.
    file: PathBuf,
    /// What this station takes to notice an answer; null where it is not known.
    delta_mean_ns: Option<f64>,
    /// Each latency.
    latencies: Vec<Latency>,
    /// What threatens validity.
    caveats: Vec<Caveat>,
}

/// One latency seen from the triggering side; minimum and maximum are as they were measured.
#[derive(Serialize, JsonSchema)]
struct Latency {
    quantity: Quantity,
    /// Triggers that were answered.
    count: u64,
    /// Triggers that were not.
    unanswered: u64,
    min_ns: Option<i64>,
    mean_ns: Option<f64>,
    /// The mean less delta; null where delta is not known, or is in both stamps.
    mean_less_delta_ns: Option<f64>,
    max_ns: Option<i64>,
}

/// Delta as the user gives it: a time, or a run between two alike and idle stations.
pub(super) fn delta(text: &str) -> Result<Delta, Failure> {
    if let Ok(time) = text.parse::<Duration>() {
        return Ok(Delta { mean_ns: time.as_ns() as f64, count: None });
    }
    let run = files::open(Path::new(text)).map_err(|error| {
        Failure::usage(format!("--delta '{text}' is neither a time as 9us nor a run file that opens: {error:?}"))
    })?;
    Delta::of_symmetric(&run).ok_or_else(|| {
        Failure::usage(format!(
            "--delta {text}: this run has no handler's answers; it must be one of `prazo trigger --answers`"
        ))
    })
}

impl Outside {
    /// Writes the run file and sums it up.
    pub(super) fn of(answers: &Answers, delta: Option<Delta>, file: &Path) -> Result<Self, Failure> {
        let run = run(answers, delta, file);
        files::make_parent(file)?;
        store::save(&run, file).map_err(Failure::world)?;
        let latencies = run.series.iter().map(|series| latency(series, delta)).collect();
        Ok(Self {
            file: file.to_owned(),
            delta_mean_ns: delta.map(|delta| delta.mean_ns),
            latencies,
            caveats: run.caveats,
        })
    }

    /// Onto paper.
    pub(super) fn print(&self) -> Result<(), Failure> {
        let us = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), |ns| format!("{:.1}", ns / 1e3));
        out::text_line("")?;
        out::text_line("From outside, in us         count  unanswered       min      mean  less delta       max")?;
        for one in &self.latencies {
            out::text_line(&format!(
                "{:<24} {:>8}  {:>10}  {:>8}  {:>8}  {:>10}  {:>8}",
                prazo_report::words::quantity(one.quantity),
                one.count,
                one.unanswered,
                us(one.min_ns.map(|ns| ns as f64)),
                us(one.mean_ns),
                us(one.mean_less_delta_ns),
                us(one.max_ns.map(|ns| ns as f64))
            ))?;
        }
        self.caveats
            .iter()
            .try_for_each(|caveat| out::text_line(&format!("! {}: {}; {}", caveat.id, caveat.what, caveat.remedy)))?;
        out::text_line(&format!("run file: {}", self.file.display()))
    }
}

fn run(answers: &Answers, delta: Option<Delta>, file: &Path) -> Run {
    Run {
        name: files::name_of(file),
        origin: Origin::Measured,
        command: super::command_line(),
        series: station::series(answers),
        caveats: station::caveats(answers, delta),
        ..Run::default()
    }
}

/// Delta is in both stamps of an activation latency, and so in none of it.
fn latency(series: &Series, delta: Option<Delta>) -> Latency {
    let add = |(sum, count): (i128, u64), (value, times): (i64, u64)| {
        (sum + i128::from(value) * i128::from(times), count + times)
    };
    let (sum, count) = series.histogram.cells().fold((0, 0), add);
    let mean_ns = (count > 0).then(|| sum as f64 / count as f64);
    let has_delta = series.quantity != Quantity::ActivationLatency;
    let values = || series.histogram.cells().map(|(value, _)| value);
    Latency {
        quantity: series.quantity,
        count,
        unanswered: series.activations.skipped.unwrap_or(0),
        min_ns: values().min(),
        mean_ns,
        mean_less_delta_ns: delta.filter(|_| has_delta).zip(mean_ns).map(|(delta, mean_ns)| mean_ns - delta.mean_ns),
        max_ns: values().max(),
    }
}
