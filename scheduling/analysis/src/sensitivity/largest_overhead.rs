//! How much the platform may cost: the largest factor on one kind of overhead or on several, and the largest amount.
//!
//! The factor keeps the shape of what was measured: a table by number of tasks stays a table. The amount asks the question
//! that comes before any measurement: what would this kind of overhead have to stay below, whatever the number of tasks?

use super::largest_cost_factor::Thousandths;
use super::search::{Boundary, Range, largest};
use crate::{Ticks, Verdict};
use prazo_core::overheads::{Function, Overhead, OverheadField, Overheads};
use prazo_core::ratio::Ratio;

/// Factors above this are not searched: a platform that may cost a thousand times as much is not what decides.
pub const FACTOR_MAX: Thousandths = Thousandths(1_000_000);

/// Asks the tests with these overheads.
pub type AskOverheads<'a> = &'a mut dyn FnMut(&Overheads<'_>) -> Verdict;

/// True if nothing is charged for this kind, so that no factor changes anything.
fn is_nothing(overheads: &Overheads<'_>, kind: OverheadField) -> bool {
    let is_charged = kind != OverheadField::Tick || overheads.tick_period.is_some();
    !is_charged || overheads.of(kind).amount.is_zero()
}

/// The largest factor, in thousandths, at which `ask` proves the set when these kinds are multiplied by it together.
///
/// `None` if nothing is charged for any of them. A factor whose product cannot be kept exactly counts as not proven.
pub fn largest_overhead_factor(
    overheads: &Overheads<'_>,
    kinds: &[OverheadField],
    ask: AskOverheads<'_>,
) -> Option<Boundary> {
    if kinds.iter().all(|kind| is_nothing(overheads, *kind)) {
        return None;
    }
    let range = Range { first: 0, last: FACTOR_MAX.0, start: Thousandths::ONE.0 };
    Some(largest(range, &mut |thousandths| {
        with_scaled(overheads, kinds, Thousandths(thousandths).ratio(), ask).unwrap_or(Verdict::Unknown)
    }))
}

/// The largest whole number of ticks up to `limit` that this kind may cost, for any number of tasks, with the others as they
/// are.
pub fn largest_overhead(
    overheads: &Overheads<'_>,
    kind: OverheadField,
    limit: Ticks,
    ask: AskOverheads<'_>,
) -> Boundary {
    largest(Range { first: 0, last: limit, start: 0 }, &mut |ticks| {
        let mut changed = *overheads;
        *changed.of_mut(kind) = Overhead::constant(Ratio::whole(ticks));
        ask(&changed)
    })
}

/// Asks with `kinds` multiplied by `factor`; `None` where 128 bits do not hold a product.
fn with_scaled(
    overheads: &Overheads<'_>,
    kinds: &[OverheadField],
    factor: Ratio,
    ask: AskOverheads<'_>,
) -> Option<Verdict> {
    let amounts = kinds.iter().map(|kind| overheads.of(*kind).amount);
    let tables: Vec<Vec<(u64, Ratio)>> =
        amounts.map(|amount| scaled_points(&amount, factor)).collect::<Option<Vec<_>>>()?;
    let mut changed = *overheads;
    for (kind, points) in kinds.iter().zip(&tables) {
        let overhead = changed.of_mut(*kind);
        overhead.amount = scaled(&overhead.amount, factor, points)?;
    }
    Some(ask(&changed))
}

/// `function` multiplied by `factor`; `points` are its points, multiplied.
fn scaled<'p>(function: &Function<'_>, factor: Ratio, points: &'p [(u64, Ratio)]) -> Option<Function<'p>> {
    Some(match function {
        Function::Constant(value) => Function::Constant(value.checked_mul(factor)?),
        Function::Affine { base, slope } => {
            Function::Affine { base: base.checked_mul(factor)?, slope: slope.checked_mul(factor)? }
        }
        Function::Table(_) => Function::Table(points),
        Function::Linear(_) => Function::Linear(points),
    })
}

/// The multiplied points of a table or of lines; none for the other functions.
fn scaled_points(function: &Function<'_>, factor: Ratio) -> Option<Vec<(u64, Ratio)>> {
    points(function).iter().map(|(count, value)| Some((*count, value.checked_mul(factor)?))).collect()
}

fn points<'a>(function: &Function<'a>) -> &'a [(u64, Ratio)] {
    match function {
        Function::Table(points) | Function::Linear(points) => points,
        Function::Constant(_) | Function::Affine { .. } => &[],
    }
}
