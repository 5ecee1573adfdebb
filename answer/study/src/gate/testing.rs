//! Answers for the tests of this folder.

use super::{Compared, Direction, GateOutcome, GateResult, Movement};
use prazo_run::run::Quantity;
use prazo_stats::observed_range::Ends;

/// One figure of the response latency, 10 µs before.
pub(super) fn compared(cell: &str, figure: &str, gap_ns: f64, needed_ns: f64, movement: Movement) -> Compared {
    let ends = |low_ns: f64| Some(Ends { low_ns, high_ns: low_ns + 500.0 });
    Compared {
        cell: cell.into(),
        quantity: Quantity::ResponseLatency,
        figure: figure.into(),
        seeds: [4, 4],
        baseline: ends(10_000.0),
        found: ends(10_500.0 + gap_ns),
        gap_ns: Some(gap_ns),
        needed_ns: Some(needed_ns),
        movement,
        reason: (movement == Movement::Undecidable).then(|| "too few <seeds>".into()),
    }
}

/// An answer of these figures.
pub(super) fn of(outcome: GateOutcome, compared: Vec<Compared>) -> GateResult {
    GateResult {
        baseline: "good.json".into(),
        outcome,
        direction: Direction::Either,
        differs: vec![],
        compared,
        left: vec![],
        chance_max: 0.01,
        explained: None,
        not_explained: None,
    }
}
