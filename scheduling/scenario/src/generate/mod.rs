//! Task sets drawn at random: a family says how periods, deadlines and utilizations are spread, a seed which set it is.
//!
//! A tick is a microsecond. Floats draw and never decide: the total utilization of a set is compared with its cap in
//! integers, and never above it. Costs are whole microseconds, at least one and at most the period. One file each
//! distribution of utilizations, in the words of its source; the first three go on until the cap is reached, the others
//! know their number of tasks beforehand.

mod bimodal;
mod deadlines;
mod exponential;
mod filling;
mod periods;
mod rand_fixed_sum;
mod random;
mod share;
mod uniform;
mod uunifast_discard;

pub use bimodal::Bimodal;
pub use deadlines::Deadlines;
pub use exponential::Exponential;
pub use periods::{Periods, Spread};
pub use rand_chacha::ChaCha8Rng;
pub use rand_fixed_sum::RandFixedSum;
pub use random::set_rng;
pub use share::Share;
pub use uniform::Uniform;
pub use uunifast_discard::UUniFastDiscard;

use filling::Filling;
use prazo_core::ratio::Ratio;
use prazo_core::task::Task;
use serde::{Deserialize, Serialize};

/// The most tasks a set is given, as many as an analysis takes.
const TASKS_MAX: usize = 1 << 16;

/// How the task sets of an experiment are drawn.
///
/// ```toml
/// utilization = { kind = "uniform", range = [0.001, 0.1] }
/// periods = { us = [3_000, 33_000], step_us = 1_000, spread = "uniform" }
/// deadlines = "implicit"
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// How utilizations are spread.
    pub utilization: Utilizations,
    /// Which periods there are.
    pub periods: Periods,
    /// Where deadlines lie.
    #[serde(default)]
    pub deadlines: Deadlines,
}

/// How utilizations are spread; `kind` names it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Utilizations {
    /// Evenly over an interval, until the cap is reached.
    Uniform(Uniform),
    /// Exponential, until the cap is reached.
    Exponential(Exponential),
    /// Light and heavy tasks in a proportion, until the cap is reached.
    Bimodal(Bimodal),
    /// A number of tasks; sets with one above 1 are drawn again.
    #[serde(rename = "uunifast-discard")]
    UUniFastDiscard(UUniFastDiscard),
    /// A number of tasks, evenly over all sets with every task in a range.
    RandFixedSum(RandFixedSum),
}

impl Family {
    /// Figure 7 of Vitor 2013: utilization in [0.001, 0.1], period of 3 to 33 ms, D = T.
    pub const PAPERS_004: Family = Family {
        utilization: Utilizations::Uniform(Uniform::LIGHT),
        periods: Periods::SHORT,
        deadlines: Deadlines::Implicit,
    };

    /// A task set whose exact total utilization is at most `utilization`, and as near to it as whole microseconds
    /// allow.
    ///
    /// Where the number of tasks is open, tasks are added until one would cross the cap; that one is shrunk to fit, and
    /// left out if nothing is left for it. The set is empty if the family cannot have the utilization: a fixed
    /// number of tasks cannot sum to it, or UUniFast-discard gave up. An experiment counts those.
    pub fn draw(&self, rng: &mut ChaCha8Rng, utilization: Ratio) -> Vec<Task> {
        let total = utilization.to_f64();
        match &self.utilization {
            Utilizations::Uniform(spread) => self.until_full(rng, utilization, |rng| spread.share(rng)),
            Utilizations::Exponential(spread) => self.until_full(rng, utilization, |rng| spread.share(rng)),
            Utilizations::Bimodal(spread) => self.until_full(rng, utilization, |rng| spread.share(rng)),
            Utilizations::UUniFastDiscard(spread) => self.as_planned(spread.shares(rng, total), rng, utilization),
            Utilizations::RandFixedSum(spread) => self.as_planned(spread.shares(rng, total), rng, utilization),
        }
    }

    /// For each task: its period, its utilization, its deadline; until one does not fit whole.
    fn until_full(&self, rng: &mut ChaCha8Rng, cap: Ratio, share: impl Fn(&mut ChaCha8Rng) -> f64) -> Vec<Task> {
        let mut filling = Filling::new(cap);
        let mut tasks = Vec::new();
        while tasks.len() < TASKS_MAX {
            let period = self.periods.draw(rng);
            let wanted = ((share(rng) * period as f64).round() as u64).clamp(1, period);
            let cost = wanted.min(filling.cost_left(period));
            if cost > 0 {
                tasks.push(self.task(rng, cost, period));
                filling.take(cost, period);
            }
            if cost < wanted {
                break;
            }
        }
        tasks
    }

    /// A task for each share, its cost rounded so that the running total follows the plan; nothing of nothing.
    fn as_planned(&self, shares: Option<Vec<f64>>, rng: &mut ChaCha8Rng, cap: Ratio) -> Vec<Task> {
        let mut filling = Filling::new(cap);
        let mut tasks = Vec::new();
        let mut planned = 0.0;
        for share in shares.unwrap_or_default() {
            planned += share;
            let period = self.periods.draw(rng);
            let cost = filling.cost_up_to(planned, period).max(1).min(filling.cost_left(period));
            if cost > 0 {
                tasks.push(self.task(rng, cost, period));
                filling.take(cost, period);
            }
        }
        tasks
    }

    fn task(&self, rng: &mut ChaCha8Rng, cost: u64, period: u64) -> Task {
        Task::new(cost, period, self.deadlines.draw(rng, cost, period))
    }
}

#[cfg(test)]
mod tests;
