//! What a platform costs, as a value that owns its tables and lends them to the analysis.
//!
//! The same eight overheads as in [`prazo_core::overheads`], each with its source, its statistic and its count of
//! samples. A table is accepted only if it never falls: an overhead that shrinks with more tasks is a measuring error,
//! and a test that packs tasks one by one would be wrong with it.

mod toml;

pub(crate) use self::toml::from_entries;
pub use self::toml::read;

use crate::error::Problem;
use prazo_core::overheads::{self as lent, AmountBy, OverheadField, OverheadSet};
use prazo_core::ratio::Ratio;
use prazo_core::task::TICKS_MAX;

/// One count with its amount in ticks.
pub type Point = (u64, Ratio);

/// How an amount in ticks depends on a count (tasks, or KiB of working set).
pub type Function = AmountBy<Vec<Point>>;

/// Where an overhead's numbers come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// A run file, a paper's figure, an assumption.
    pub source: String,
    /// Which statistic of the samples it is.
    pub statistic: String,
    /// How many samples; zero where not stated.
    pub samples: u64,
}

/// One overhead with its origin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overhead {
    /// The amount by count.
    pub amount: Function,
    /// Where it is from.
    pub provenance: Provenance,
}

/// What a platform adds to every task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverheadTable {
    /// What the platform is called.
    pub name: String,
    /// What a reader should know of it.
    pub note: Option<String>,
    /// Its overheads.
    pub overheads: OverheadSet<Overhead>,
}

/// Refuses what falls, has no point, or is longer than any time a task may have.
pub fn validated(function: Function) -> Result<Function, Problem> {
    match &function {
        Function::Constant(value) => short(*value)?,
        Function::Affine { base, slope } => short(*base).and(short(*slope))?,
        Function::Table(points) | Function::Linear(points) => ascending(points)?,
    }
    Ok(function)
}

fn short(value: Ratio) -> Result<(), Problem> {
    if value <= Ratio::whole(TICKS_MAX) {
        return Ok(());
    }
    Err(Problem::new(format!("an amount of {value} ticks exceeds 2^48"), "check the unit of the amount"))
}

fn ascending(points: &[Point]) -> Result<(), Problem> {
    let Some((_, last)) = points.last() else {
        return Err(Problem::new("the list of points is empty", "give at least one point, as in [[10, \"4us\"]]"));
    };
    match points.windows(2).find(|pair| pair[0].0 >= pair[1].0 || pair[0].1 > pair[1].1) {
        Some(pair) => Err(Problem::new(
            format!(
                "points ({}, {}) and ({}, {}) are not in ascending order",
                pair[0].0, pair[0].1, pair[1].0, pair[1].1
            ),
            "order the points by count, state each count once, and let no amount decrease",
        )),
        None => short(*last),
    }
}

impl Overhead {
    /// `amount`, its origin not stated.
    pub fn of(amount: Function) -> Self {
        Self { amount, provenance: Provenance::default() }
    }

    /// The same, lent.
    pub fn borrow(&self) -> lent::Overhead<'_> {
        let Provenance { source, statistic, samples } = &self.provenance;
        lent::Overhead {
            amount: self.amount.borrow(),
            provenance: lent::Provenance { source, statistic, samples: *samples },
        }
    }
}

impl OverheadTable {
    /// One without a name.
    pub fn of(overheads: OverheadSet<Overhead>) -> Self {
        Self { overheads, ..Self::default() }
    }

    /// The same, lent to analysis or simulator.
    pub fn borrow(&self) -> lent::Overheads<'_> {
        self.overheads.map(Overhead::borrow)
    }

    /// The overheads with the keys that texts use for them.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, &Overhead)> {
        OverheadField::VALUES.iter().map(|field| (field.name(), self.overheads.of(*field)))
    }

    /// Refuses a tick that nothing could charge.
    pub fn validated(self) -> Result<Self, Problem> {
        match self.overheads.tick_period {
            Some(0) => Err(Problem::new("the tick period is zero", "remove tick_period if there is no periodic tick")
                .of("tick_period")),
            None if !self.overheads.tick.amount.is_zero() => {
                Err(Problem::new("the tick has an overhead but no period", "add tick_period").of("tick"))
            }
            _ => Ok(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_falls_is_refused() {
        let points = |last: u64| vec![(5, Ratio::whole(3)), (10, Ratio::whole(last))];
        assert!(validated(Function::Linear(points(4))).is_ok());
        let problem = validated(Function::Linear(points(2))).unwrap_err();
        assert_eq!(problem.problem, "points (5, 3) and (10, 2) are not in ascending order");
        assert!(validated(Function::Table(Vec::new())).is_err());
        assert!(validated(Function::Table(vec![(5, Ratio::ONE), (5, Ratio::ONE)])).is_err());
    }

    #[test]
    fn what_is_lent_is_what_is_owned() {
        let linear = Function::Linear(vec![(0, Ratio::whole(2)), (10, Ratio::whole(4))]);
        let table = OverheadTable::of(OverheadSet { release: Overhead::of(linear), ..OverheadSet::default() });
        assert_eq!(table.borrow().release.at(5).map(|amount| amount.value), Some(Ratio::whole(3)));
        assert_eq!(OverheadTable::default().borrow(), lent::Overheads::NONE);
    }

    #[test]
    fn a_tick_without_its_period_is_refused() {
        let tick = Overhead::of(Function::Constant(Ratio::ONE));
        let with =
            |tick_period| OverheadTable::of(OverheadSet { tick: tick.clone(), tick_period, ..OverheadSet::default() });
        assert!(with(None).validated().is_err());
        assert!(with(Some(1_000)).validated().is_ok());
        assert!(with(Some(0)).validated().is_err());
    }
}
