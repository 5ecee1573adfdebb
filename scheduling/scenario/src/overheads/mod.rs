//! What a platform costs, as a value that owns its tables and lends them to the analysis.
//!
//! The same eight overheads as in [`prazo_core::overheads`], each with its source, its statistic and its count of
//! samples. A table is accepted only if it never falls: an overhead that shrinks with more tasks is a measuring error,
//! and a test that packs tasks one by one would be wrong with it.

mod toml;

pub(crate) use self::toml::from_entries;
pub use self::toml::read;

use crate::error::Problem;
use prazo_core::overheads as lent;
use prazo_core::ratio::Ratio;
use prazo_core::task::{TICKS_MAX, Ticks};

/// One count with its amount in ticks.
pub type Point = (u64, Ratio);

/// How an amount in ticks depends on a count (tasks, or KiB of working set).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Function {
    /// The same for every count.
    Constant(Ratio),
    /// `base + slope * count`.
    Affine {
        /// The amount at zero.
        base: Ratio,
        /// What each more adds.
        slope: Ratio,
    },
    /// The amount of the first point at or above the count.
    Table(Vec<Point>),
    /// Straight lines between the points.
    Linear(Vec<Point>),
}

impl Default for Function {
    fn default() -> Self {
        Self::Constant(Ratio::ZERO)
    }
}

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

/// What a platform adds to every task; the fields as in [`prazo_core::overheads::Overheads`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverheadTable {
    /// What the platform is called.
    pub name: String,
    /// What a reader should know of it.
    pub note: Option<String>,
    /// Interrupt that makes a job ready.
    pub release: Overhead,
    /// Choice of the next job.
    pub scheduling: Overhead,
    /// Change of stack and registers.
    pub context_switch: Overhead,
    /// Timer interrupt of the scheduler's clock.
    pub tick: Overhead,
    /// Distance of two ticks.
    pub tick_period: Option<Ticks>,
    /// Request to entry of an interrupt between processors.
    pub ipi_latency: Overhead,
    /// Programmed time to entry of the release interrupt.
    pub event_latency: Overhead,
    /// What a preemption or migration costs in lost cache contents; by KiB.
    pub cache_delay: Overhead,
    /// What a job's first fetch of its working set costs; by KiB.
    pub initial_cache_load: Overhead,
    /// True if one processor of its own takes the release interrupts.
    pub dedicated_interrupt_processor: bool,
}

impl Function {
    /// The same, lent.
    pub fn borrow(&self) -> lent::Function<'_> {
        match self {
            Self::Constant(value) => lent::Function::Constant(*value),
            Self::Affine { base, slope } => lent::Function::Affine { base: *base, slope: *slope },
            Self::Table(points) => lent::Function::Table(points),
            Self::Linear(points) => lent::Function::Linear(points),
        }
    }

    /// True if it is nothing for every count.
    pub fn is_zero(&self) -> bool {
        match self {
            Self::Constant(value) => value.is_zero(),
            Self::Affine { base, slope } => base.is_zero() && slope.is_zero(),
            Self::Table(points) | Self::Linear(points) => points.iter().all(|(_, value)| value.is_zero()),
        }
    }

    /// Refuses what falls, has no point, or is longer than any time a task may have.
    pub fn validated(self) -> Result<Self, Problem> {
        match &self {
            Self::Constant(value) => short(*value)?,
            Self::Affine { base, slope } => short(*base).and(short(*slope))?,
            Self::Table(points) | Self::Linear(points) => ascending(points)?,
        }
        Ok(self)
    }
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
            "order the points by count, and let no amount decrease",
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
    /// The same, lent to analysis or simulator.
    pub fn borrow(&self) -> lent::Overheads<'_> {
        lent::Overheads {
            release: self.release.borrow(),
            scheduling: self.scheduling.borrow(),
            context_switch: self.context_switch.borrow(),
            tick: self.tick.borrow(),
            tick_period: self.tick_period,
            ipi_latency: self.ipi_latency.borrow(),
            event_latency: self.event_latency.borrow(),
            cache_delay: self.cache_delay.borrow(),
            initial_cache_load: self.initial_cache_load.borrow(),
            dedicated_interrupt_processor: self.dedicated_interrupt_processor,
        }
    }

    /// The overheads with the keys that texts use for them.
    pub fn named(&self) -> [(&'static str, &Overhead); 8] {
        [
            ("release", &self.release),
            ("scheduling", &self.scheduling),
            ("context_switch", &self.context_switch),
            ("tick", &self.tick),
            ("ipi_latency", &self.ipi_latency),
            ("event_latency", &self.event_latency),
            ("cache_delay", &self.cache_delay),
            ("initial_cache_load", &self.initial_cache_load),
        ]
    }

    /// The overhead that texts call `key`.
    pub fn named_mut(&mut self, key: &str) -> Option<&mut Overhead> {
        Some(match key {
            "release" => &mut self.release,
            "scheduling" => &mut self.scheduling,
            "context_switch" => &mut self.context_switch,
            "tick" => &mut self.tick,
            "ipi_latency" => &mut self.ipi_latency,
            "event_latency" => &mut self.event_latency,
            "cache_delay" => &mut self.cache_delay,
            "initial_cache_load" => &mut self.initial_cache_load,
            _ => return None,
        })
    }

    /// Refuses a tick that nothing could charge.
    pub fn validated(self) -> Result<Self, Problem> {
        match self.tick_period {
            Some(0) => Err(Problem::new("the tick period is zero", "remove tick_period if there is no periodic tick")
                .of("tick_period")),
            None if !self.tick.amount.is_zero() => {
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
        assert!(Function::Linear(points(4)).validated().is_ok());
        let problem = Function::Linear(points(2)).validated().unwrap_err();
        assert_eq!(problem.problem, "points (5, 3) and (10, 2) are not in ascending order");
        assert!(Function::Table(Vec::new()).validated().is_err());
        assert!(Function::Table(vec![(5, Ratio::ONE), (5, Ratio::ONE)]).validated().is_err());
    }

    #[test]
    fn what_is_lent_is_what_is_owned() {
        let linear = Function::Linear(vec![(0, Ratio::whole(2)), (10, Ratio::whole(4))]);
        let table = OverheadTable { release: Overhead::of(linear), ..OverheadTable::default() };
        assert_eq!(table.borrow().release.at(5).map(|amount| amount.value), Some(Ratio::whole(3)));
        assert_eq!(OverheadTable::default().borrow(), lent::Overheads::NONE);
    }

    #[test]
    fn a_tick_without_its_period_is_refused() {
        let tick = Overhead::of(Function::Constant(Ratio::ONE));
        let table = OverheadTable { tick, ..OverheadTable::default() };
        assert!(table.clone().validated().is_err());
        assert!(OverheadTable { tick_period: Some(1_000), ..table.clone() }.validated().is_ok());
        assert!(OverheadTable { tick_period: Some(0), ..table }.validated().is_err());
    }
}
