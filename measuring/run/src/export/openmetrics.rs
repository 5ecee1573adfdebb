//! OpenMetrics text 1.0: a latency histogram for each series, its activations, and its largest latency.
//!
//! Buckets are 1, 2, 5 times each power of ten from a microsecond to ten seconds. A sum and a count stand only where they are
//! exact, and never with negative latencies, as the format demands.

use super::distribution::Distribution;
use super::json::word;
use crate::watched::WatchedAccount;
use crate::{Run, Series, overflow};
use prazo_core::text::acts;
use std::fmt::Display;
use std::io::{self, Write};

/// Writes all series.
pub(super) fn write(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    family(out, "latency_seconds", "histogram", Some("seconds"), "Latency of the samples, warm-up excluded.")?;
    run.series.iter().try_for_each(|series| buckets(run, series, out))?;
    family(out, "latency_max_seconds", "gauge", Some("seconds"), "Observed maximum of the latency.")?;
    for series in &run.series {
        sample(out, "latency_max_seconds", &Labels::new(run, series).0, overflow::max_ns(run, series).map(seconds))?;
    }
    family(out, "activations", "counter", None, "Number of activations by outcome, warm-up excluded.")?;
    run.series.iter().try_for_each(|series| activations(&Labels::new(run, series), series, out))?;
    // Other runs keep the families that they have.
    if !run.watched.is_empty() {
        misses(run, out)?;
    }
    family(out, "caveats", "gauge", None, "Caveats of the run with id and severity; the value is always 1.")?;
    for caveat in &run.caveats {
        let labels = format!(
            "run=\"{}\",id=\"{}\",severity=\"{}\"",
            label(&run.name),
            label(&caveat.id),
            word(&caveat.severity)
        );
        sample(out, "caveats", &labels, Some(1))?;
    }
    writeln!(out, "# EOF")
}

/// `run="a",cpu="0",quantity="response-latency"`; of a watched thread `thread="815 ctl"` as well.
struct Labels(String);

impl Labels {
    fn new(run: &Run, series: &Series) -> Self {
        let cpu = series.cpu.map_or_else(String::new, |cpu| cpu.to_string());
        let thread = series
            .thread
            .as_ref()
            .map(|thread| format!("thread=\"{}\",", label(&thread.to_string())))
            .unwrap_or_default();
        Self(format!("run=\"{}\",cpu=\"{cpu}\",{thread}quantity=\"{}\"", label(&run.name), series.quantity))
    }
}

fn family(out: &mut dyn Write, name: &str, kind: &str, unit: Option<&str>, help: &str) -> io::Result<()> {
    writeln!(out, "# TYPE prazo_{name} {kind}")?;
    unit.map_or(Ok(()), |unit| writeln!(out, "# UNIT prazo_{name} {unit}"))?;
    writeln!(out, "# HELP prazo_{name} {help}")
}

fn sample(out: &mut dyn Write, name: &str, labels: &str, value: Option<impl Display>) -> io::Result<()> {
    value.map_or(Ok(()), |value| writeln!(out, "prazo_{name}{{{labels}}} {value}"))
}

fn buckets(run: &Run, series: &Series, out: &mut dyn Write) -> io::Result<()> {
    let labels = Labels::new(run, series);
    let of = Distribution::of(run, [series]);
    let total = of.total();
    for bound_ns in bounds_ns() {
        // What has no value lies above everything that has one in range; a bucket that it might belong to stays without it.
        let within = of.above(bound_ns).map_or_else(|| listed_within(&of, bound_ns), |above| total - above);
        sample(out, "latency_seconds_bucket", &format!("{},le=\"{}\"", labels.0, seconds(bound_ns)), Some(within))?;
    }
    sample(out, "latency_seconds_bucket", &format!("{},le=\"+Inf\"", labels.0), Some(total))?;
    let sum = of.sum_ns().filter(|_| of.min_ns().is_none_or(|min_ns| min_ns >= 0));
    sample(out, "latency_seconds_count", &labels.0, sum.map(|_| total))?;
    sample(out, "latency_seconds_sum", &labels.0, sum.map(|sum| sum as f64 / 1e9))
}

fn listed_within(of: &Distribution, bound_ns: i64) -> u64 {
    of.cells().take_while(|(value, _)| *value <= bound_ns).map(|(_, count)| count).sum()
}

fn bounds_ns() -> impl Iterator<Item = i64> {
    let decades = (3..10).map(|power| 10i64.pow(power));
    decades.flat_map(|decade| [decade, 2 * decade, 5 * decade]).chain([10_000_000_000])
}

fn activations(labels: &Labels, series: &Series, out: &mut dyn Write) -> io::Result<()> {
    let of = series.activations;
    let outcomes = [
        ("due", of.due),
        ("served", Some(of.served)),
        ("skipped", of.skipped),
        ("missed", of.missed),
        ("lost", Some(of.lost)),
        ("overflow", Some(series.histogram.overflow())),
    ];
    outcomes.into_iter().try_for_each(|(outcome, count)| {
        sample(out, "activations_total", &format!("{},outcome=\"{outcome}\"", labels.0), count)
    })
}

/// Missed activations of watched threads by cause, and by who made them late.
fn misses(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let all = || run.watched.iter().filter_map(|account| Some((account, account.figures.causes.as_ref()?)));
    let labels = |account: &WatchedAccount| {
        format!("run=\"{}\",thread=\"{}\"", label(&run.name), label(&account.thread.to_string()))
    };
    family(out, "missed_by_cause", "counter", None, "Number of missed activations of a watched thread by cause.")?;
    for (account, causes) in all() {
        for (cause, count) in &causes.by_cause {
            let labels = format!("{},cause=\"{}\"", labels(account), label(cause));
            sample(out, "missed_by_cause_total", &labels, Some(count))?;
        }
    }
    let help = "Number of missed activations of a watched thread by the name of the device, softirq, thread or system \
                call that made them late.";
    family(out, "missed_by_who", "counter", None, help)?;
    for (account, causes) in all() {
        let named = causes.by_who.iter().map(|one| (one.cause.as_str(), one.who.as_str(), one.count));
        let rest = [("", "others", causes.others), ("", "unknown", causes.unnamed)];
        for (cause, who, count) in named.chain(rest.into_iter().filter(|(.., count)| *count > 0)) {
            let labels = format!("{},cause=\"{}\",who=\"{}\"", labels(account), label(cause), label(who));
            sample(out, "missed_by_who_total", &labels, Some(count))?;
        }
    }
    Ok(())
}

fn seconds(ns: i64) -> f64 {
    ns as f64 / 1e9
}

/// A label's text between its quotes. Three characters have escapes of the format's own; others that act on a terminal are
/// written out as in `\\u{1b}`, so that names that differ in them stay different series.
pub fn label(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => safe.push_str(r"\\"),
            '"' => safe.push_str("\\\""),
            '\n' => safe.push_str(r"\n"),
            c if acts(c) => {
                // The format has no escape for it: the text has a backslash, which is doubled as any other.
                safe.push('\\');
                safe.extend(c.escape_unicode());
            }
            c => safe.push(c),
        }
    }
    safe
}
