//! From what was received to a run: nanoseconds, activations, and a caveat for whatever is missing.

use crate::error::SerialError;
use crate::received::Received;
use crate::record::Header;
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_platform::fingerprint::{Fact, Fingerprint};
use prazo_run::run::{Activations, Ending, LoadRecord, Origin, Quantity, Series, WORST_KEPT, WorstSample};
use prazo_run::{Caveat, Histogram, Run, Severity};

/// The tool of such a run's origin.
pub const TOOL: &str = "serial-line";
/// The fact that says how the target's task is scheduled.
pub const POLICY_FACT: &str = "serial.policy";
/// The fact that says how many tasks shared the target's ready queue.
pub const TASKS_FACT: &str = "serial.tasks";

/// One second, in nanoseconds.
const SECOND_NS: i128 = 1_000_000_000;

impl Received {
    /// The run; `from` says where the line is.
    ///
    /// # Errors
    /// No header or no sample came.
    pub fn run(&self, from: &str) -> Result<Run, SerialError> {
        let Some(header) = &self.header else {
            return Err(SerialError::NoHeader { lines: self.other, damaged: self.damaged });
        };
        if self.samples.is_empty() {
            return Err(SerialError::NoSamples);
        }
        let series = self.samples.iter().map(|(quantity, values)| self.series(header, *quantity, values)).collect();
        let ending = if self.is_complete() { Ending::Complete } else { Ending::Interrupted };
        Ok(Run {
            origin: Origin::Imported { tool: TOOL.into(), file: from.to_owned() },
            ending,
            platform_before: Some(facts(header)),
            series,
            loads: header.load.iter().map(|name| load(name)).collect(),
            caveats: self.caveats(),
            ..Run::default()
        })
    }

    fn series(&self, header: &Header, quantity: Quantity, values: &[(u64, i128)]) -> Series {
        let mut histogram = Histogram::new();
        values.iter().for_each(|(_, value)| histogram.add(ns(*value, header.hz), 1));
        let is_of_activations =
            matches!(quantity, Quantity::ResponseLatency | Quantity::InterruptLatency | Quantity::ActivationLatency);
        let period = (header.period > 0).then(|| Duration::from_ns(ns(i128::from(header.period), header.hz) as u64));
        Series {
            quantity,
            period: period.filter(|_| is_of_activations),
            resolution: Duration::from_ns((SECOND_NS as u64).div_ceil(header.hz).max(1)),
            activations: if is_of_activations { self.activations(values.len() as u64) } else { counted_only(values) },
            worst: if is_of_activations { worst(header, values) } else { Vec::new() },
            histogram,
            ..Series::default()
        }
    }

    /// Activations between the first and the last one that came. What did not come was lost on its way as far as lines are missing,
    /// and was skipped by the target beyond that.
    fn activations(&self, received: u64) -> Activations {
        let (first, last, count) = self.activations.unwrap_or_default();
        let due = last - first + 1;
        let absent = due - count;
        let lost = absent.min(self.lost_lines() + self.end.map_or(0, |(_, lost)| lost));
        let skipped = absent - lost;
        Activations { due: Some(due), served: received + lost, skipped: Some(skipped), lost, ..Activations::default() }
    }

    fn lost_lines(&self) -> u64 {
        let by_end = self.end.map_or(0, |(sent, _)| sent.saturating_sub(self.taken));
        self.missing.max(by_end).max(self.damaged)
    }

    fn caveats(&self) -> Vec<Caveat> {
        let high = |count: u64, id: &str, what: String, remedy: &str| {
            (count > 0).then(|| Caveat::new(id, Severity::High, what, remedy))
        };
        let lines = self.lost_lines();
        let target_lost = self.end.map_or(0, |(_, lost)| lost);
        let found = [
            high(
                lines,
                "serial-lines-lost",
                format!(
                    "{} of the target did not arrive or arrived damaged ({} damaged)",
                    counted(lines, "line"),
                    self.damaged
                ),
                "check the cable; set a lower baud rate on the target and with --baud, or give the target a longer period; the largest samples may be among the lost ones",
            ),
            high(
                self.impossible,
                "serial-lines-impossible",
                format!(
                    "prazo ignored {} that arrived intact, but with impossible content",
                    counted(self.impossible, "line")
                ),
                "check the target's program for stamps wider than its counter, activations out of order and unknown \
                 kinds of overhead",
            ),
            high(
                target_lost,
                "target-lost-samples",
                format!("the target could not keep the stamps of {}", counted(target_lost, "activation")),
                "give the target a larger buffer or a longer period",
            ),
            high(
                u64::from(!self.is_complete()),
                "serial-cut-off",
                "the target's closing line did not arrive, so losses after the last received line are not counted"
                    .into(),
                "measure until the target has ended: give a longer --duration",
            ),
            (self.repeated > 0).then(|| {
                let what = format!("{} arrived again; each was counted only once", counted(self.repeated, "line"));
                Caveat::new("serial-lines-repeated", Severity::Info, what, "check the cable or the adapter")
            }),
        ];
        found.into_iter().flatten().collect()
    }
}

fn counted_only(values: &[(u64, i128)]) -> Activations {
    Activations { served: values.len() as u64, ..Activations::default() }
}

/// Increments as nanoseconds, rounded up: no latency becomes smaller.
fn ns(increments: i128, hz: u64) -> i64 {
    let hz = i128::from(hz);
    let scaled = increments.saturating_mul(SECOND_NS);
    let up = scaled.div_euclid(hz) + i128::from(scaled.rem_euclid(hz) > 0);
    i64::try_from(up).unwrap_or(if up < 0 { i64::MIN } else { i64::MAX })
}

fn worst(header: &Header, values: &[(u64, i128)]) -> Vec<WorstSample> {
    let first = values.first().map_or(0, |(activation, _)| *activation);
    let mut worst = values.to_vec();
    worst.sort_by_key(|(activation, value)| (std::cmp::Reverse(*value), *activation));
    worst.truncate(WORST_KEPT);
    let sample = |(activation, value): &(u64, i128)| WorstSample {
        at_ns: ns(i128::from(activation - first) * i128::from(header.period), header.hz),
        latency_ns: ns(*value, header.hz),
        activation: *activation,
    };
    worst.iter().map(sample).collect()
}

fn facts(header: &Header) -> Fingerprint {
    let facts = [
        ("serial.kernel", Some(header.kernel.clone())),
        ("serial.board", Some(header.board.clone())),
        ("serial.counter_hz", Some(header.hz.to_string())),
        ("serial.counter_bits", Some(header.bits.to_string())),
        (POLICY_FACT, Some(header.policy.clone())),
        (TASKS_FACT, header.tasks.map(|tasks| tasks.to_string())),
    ];
    let fact = |value: String| Fact { value: Some(value), source: "the target's header".into() };
    Fingerprint { facts: facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), fact(value?)))).collect() }
}

fn load(name: &str) -> LoadRecord {
    LoadRecord {
        name: name.to_owned(),
        generator: "the target".into(),
        unit: String::new(),
        asked: None,
        reached: None,
        note: "the target reports that the load ran, but not at which rate".into(),
        on_s: Vec::new(),
        contained: LoadRecord::NOT_PRAZO_S.into(),
    }
}
