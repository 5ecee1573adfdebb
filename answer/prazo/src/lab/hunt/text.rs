//! A hunt as people read it: the sentence, the boots that were worse than all before, and what makes the worst one late.

use super::document::{CauseDocument, Hunted};
use prazo_report::terminal::{InWords, Side, Words};
use prazo_report::view::Cell;
use prazo_stats::microseconds::us;

impl InWords for Hunted {
    fn write(&self, to: &mut Words<'_>) {
        to.line(&self.sentence);
        to.line("");
        let rises = self.rises.iter().map(|rise| vec![Cell::from(rise.boot.to_string()), time(rise.latency_ns)]);
        to.table(&[Side::Right, Side::Right], &["boot", "largest latency so far, µs"], rises);
        if let Some(cause) = &self.cause {
            to.line("");
            causes(cause, to);
        }
        to.line("");
        to.line(format_args!("repeat:  prazo study run {}", self.worst.study));
        to.line(format_args!("explain: prazo lab explain {}", self.worst.run));
    }
}

/// What was left out, and what remained.
fn causes(cause: &CauseDocument, to: &mut Words<'_>) {
    let row = |left_out: String, ns: i64, is_late: bool| {
        vec![Cell::from(left_out), time(ns), Cell::from(if is_late { "late" } else { "not late" })]
    };
    let controls = cause.controls.iter();
    let controls = controls.map(|one| row("nothing".into(), one.latency_ns, one.latency_ns >= cause.late_from_ns));
    let without = cause.without.iter().map(|one| row(one.loads.join(", "), one.latency_ns, one.late));
    let sides = [Side::Left, Side::Right, Side::Left];
    to.table(&sides, &["loads left out", "largest latency, µs", ""], controls.chain(without));
    if let Some(why) = &cause.reason {
        to.line(format_args!("The last instant at which ending a load prevents the latency is unknown: {why}."));
    }
}

fn time(ns: i64) -> Cell {
    us(ns as f64).into()
}
