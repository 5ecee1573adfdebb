//! Are the charged tasks what the overheads make of a bin's tasks? Computed again, from the published accounting.

mod fixed_priority;
mod preemption_centric;

use crate::certificate::{Amounts, Bin, Charged, JobRanking, Table};
use crate::fraction::Fraction;
use crate::rejected::{Rejected, overflow};
use prazo_core::task::Task;

/// Checks what `bin` says its `tasks` become; true if an amount lies beyond the last point of its table.
pub(crate) fn check(
    table: &Table,
    tasks: &[Task],
    bin: &Bin,
    charged: &Charged,
    policy: &JobRanking,
) -> Result<bool, Rejected> {
    let costs = Costs::of(table, tasks)?;
    if charged.tasks.len() != tasks.len() {
        return Err(wrong("each task of a bin must be charged exactly once"));
    }
    match (policy, bin.processors) {
        (JobRanking::FixedPriority(_), 1) => fixed_priority::check(&costs, tasks, charged)?,
        (_, processors) => preemption_centric::check(&costs, tasks, charged, processors)?,
    }
    Ok(costs.extrapolated)
}

fn wrong(why: impl Into<String>) -> Rejected {
    Rejected::WronglyCharged(why.into())
}

/// The amounts for one bin.
struct Costs {
    release: Fraction,
    switch: Fraction,
    tick: Fraction,
    tick_period: Option<u64>,
    ipi_latency: Fraction,
    event_latency: Fraction,
    /// Largest cache delay of the other tasks, then the initial load, for each task.
    cache: Vec<[Fraction; 2]>,
    dedicated: bool,
    extrapolated: bool,
}

impl Costs {
    fn of(table: &Table, tasks: &[Task]) -> Result<Self, Rejected> {
        let count = tasks.len() as u64;
        let mut reader = Reader { extrapolated: false };
        let switch = &reader.at(&table.scheduling, count)? + &reader.at(&table.context_switch, count)?;
        let tick = if table.tick_period.is_some() { reader.at(&table.tick, count)? } else { nothing() };
        let delays = reader.by_working_set(&table.cache_delay, tasks)?;
        let loads = reader.by_working_set(&table.initial_cache_load, tasks)?;
        Ok(Self {
            release: reader.at(&table.release, count)?,
            switch,
            tick,
            tick_period: table.tick_period,
            ipi_latency: reader.at(&table.ipi_latency, count)?,
            event_latency: reader.at(&table.event_latency, count)?,
            cache: largest_of_others(&delays).into_iter().zip(loads).map(<[Fraction; 2]>::from).collect(),
            dedicated: table.dedicated_interrupt_processor,
            extrapolated: reader.extrapolated,
        })
    }

    /// What a job's own start and the preemption that it causes cost: C + ld + 2 (sch + cxs) + cpd.
    fn own(&self, task: &Task, cache: &[Fraction; 2]) -> Fraction {
        let [delay, load] = cache.clone();
        Fraction::sum(&[Fraction::whole(task.cost), load, self.switch.clone(), self.switch.clone(), delay])
    }
}

fn nothing() -> Fraction {
    Fraction::whole(0u64)
}

/// For each task the largest delay of all others.
fn largest_of_others(delays: &[Fraction]) -> Vec<Fraction> {
    let mut ranked: Vec<usize> = (0..delays.len()).collect();
    ranked.sort_by(|&a, &b| delays[b].cmp(&delays[a]));
    let others =
        |task: usize| ranked.iter().find(|&&other| other != task).map_or_else(nothing, |&other| delays[other].clone());
    (0..delays.len()).map(others).collect()
}

/// Reads amounts and remembers whether one was beyond its table.
struct Reader {
    extrapolated: bool,
}

impl Reader {
    fn at(&mut self, amounts: &Amounts, count: u64) -> Result<Fraction, Rejected> {
        let amount = amounts.at(count).ok_or_else(overflow)?;
        self.extrapolated |= amount.extrapolated;
        Ok(amount.value.into())
    }

    fn by_working_set(&mut self, amounts: &Amounts, tasks: &[Task]) -> Result<Vec<Fraction>, Rejected> {
        tasks.iter().map(|task| self.at(amounts, task.working_set_kib)).collect()
    }
}
