//! Answers to triggers: latencies seen from the triggering side, in a run file and as a table.

use crate::error::Error;
use crate::files::{name_of, open};
use crate::output::make_parent;
use prazo_core::text::printable;
use prazo_core::time::Duration;
use prazo_probe::station::{self, Answers, Delta};
use prazo_run::run::{Origin, Quantity};
use prazo_run::{Caveat, Run, Series, store};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};

/// Latencies seen from the triggering station.
#[derive(Serialize, JsonSchema)]
pub struct Outside {
    /// Run file that holds the latencies.
    pub file: PathBuf,
    /// Mean detection delay of this station; null where it is not known.
    pub delta_mean_ns: Option<f64>,
    /// Figures of each latency.
    pub latencies: Vec<OutsideLatency>,
    /// Threats to the validity of the latencies.
    pub caveats: Vec<Caveat>,
}

/// One latency seen from the triggering station; minimum and maximum are uncorrected.
#[derive(Serialize, JsonSchema)]
pub struct OutsideLatency {
    /// Which latency was measured.
    pub quantity: Quantity,
    /// Number of triggers that were answered.
    pub count: u64,
    /// Number of triggers that were not answered.
    pub unanswered: u64,
    /// The smallest latency, uncorrected.
    pub min_ns: Option<i64>,
    /// The mean latency, uncorrected.
    pub mean_ns: Option<f64>,
    /// The mean latency minus the station's detection delay; null if the delay is unknown, or both stamps contain it.
    pub mean_less_delta_ns: Option<f64>,
    /// The largest latency, uncorrected.
    pub max_ns: Option<i64>,
}

/// The delay of noticing an answer, as a caller gives it: a time, or a run file between two alike and idle stations.
pub(super) fn delta(text: &str) -> Result<Delta, Error> {
    let refused = |cause: String| Error::field("delta", cause).with_value(text);
    if let Ok(time) = text.parse::<Duration>() {
        return Ok(Delta { mean_ns: time.as_ns() as f64, count: None });
    }
    let run = open(Path::new(text))
        .map_err(|error| refused(format!("this is neither a time such as 9us nor a readable run file: {error}")))?;
    Delta::of_symmetric(&run).ok_or_else(|| {
        refused("this run has no answers from the other station's BPF program".into()).with_remedy(
            "name a run of `prazo trigger --answers`, measured while the other station ran with --answer both",
        )
    })
}

impl Outside {
    /// Writes the run file and sums it up.
    pub(super) fn of(answers: &Answers, delta: Option<Delta>, file: &Path, command: &str) -> Result<Self, Error> {
        let run = Run {
            name: name_of(file),
            origin: Origin::Measured,
            command: command.to_owned(),
            series: station::series(answers),
            caveats: station::caveats(answers, delta),
            ..Run::default()
        };
        make_parent(file)?;
        store::save(&run, file).map_err(Error::failed)?;
        let latencies = run.series.iter().map(|series| latency(series, delta)).collect();
        Ok(Self {
            file: file.to_owned(),
            delta_mean_ns: delta.map(|delta| delta.mean_ns),
            latencies,
            caveats: run.caveats,
        })
    }
}

/// The lines that a person reads.
impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), |ns| format!("{:.1}", ns / 1e3));
        f.write_str("Seen by station, in µs      count  unanswered       min      mean  corr. mean       max")?;
        for one in &self.latencies {
            write!(
                f,
                "\n{:<24} {:>8}  {:>10}  {:>8}  {:>8}  {:>10}  {:>8}",
                prazo_report::words::quantity(one.quantity),
                one.count,
                one.unanswered,
                us(one.min_ns.map(|ns| ns as f64)),
                us(one.mean_ns),
                us(one.mean_less_delta_ns),
                us(one.max_ns.map(|ns| ns as f64))
            )?;
        }
        for caveat in &self.caveats {
            let line = format!("! {}: {}; {}", caveat.id, caveat.what, caveat.remedy);
            write!(f, "\n{}", printable(&line))?;
        }
        write!(f, "\nrun file: {}", printable(&self.file.display().to_string()))
    }
}

/// Delta is in both stamps of an activation latency, and so in none of it.
fn latency(series: &Series, delta: Option<Delta>) -> OutsideLatency {
    let add = |(sum, count): (i128, u64), (value, times): (i64, u64)| {
        (sum + i128::from(value) * i128::from(times), count + times)
    };
    let (sum, count) = series.histogram.cells().fold((0, 0), add);
    let mean_ns = (count > 0).then(|| sum as f64 / count as f64);
    let has_delta = series.quantity != Quantity::ActivationLatency;
    let values = || series.histogram.cells().map(|(value, _)| value);
    OutsideLatency {
        quantity: series.quantity,
        count,
        unanswered: series.activations.skipped.unwrap_or(0),
        min_ns: values().min(),
        mean_ns,
        mean_less_delta_ns: delta.filter(|_| has_delta).zip(mean_ns).map(|(delta, mean_ns)| mean_ns - delta.mean_ns),
        max_ns: values().max(),
    }
}
