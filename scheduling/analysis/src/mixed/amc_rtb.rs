//! Adaptive mixed criticality under fixed priorities: a response-time bound for each mode and for the change between them.
//!
//! Of task i, with the tasks above it in h, those of high criticality in hH and those of low criticality in hL:
//!
//! ```text
//! R_LO = C_i(LO) + sum over h of ceil(R_LO/T) C(LO)
//! R*   = C_i(HI) + sum over hH of ceil(R*/T) C(HI) + sum over hL of ceil(R_LO/T) C(LO)
//! ```
//!
//! R_LO is for both criticalities, R* for high criticality only. A job that is pending when high mode begins was released at most R_LO before,
//! since in low mode it would be done by then; so that jobs of low criticality that delay it are released within R_LO. R* has all that
//! the bound for high mode alone has, so that this third one need not be computed. Both must not exceed D.
//!
//! Baruah, Burns, Davis, RTSS 2011, section 4 (AMC-rtb); for D <= T, without release jitter. It is sufficient, and exact in low mode.

use super::MixedTask;
use crate::budget::Spent;
use crate::{Budget, Finding, Margin, Quantity, Ticks};
use prazo_core::behaviour::CriticalityMode;

/// What findings call this test.
pub const NAME: &str = "AMC-rtb";
const LONG: &str = "this test covers D <= T only";

/// The bounds of one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// R_LO: no job takes longer in low mode.
    pub low: Ticks,
    /// R*: no job takes longer in any mode; `None` for a task of low criticality.
    pub high: Option<Ticks>,
}

impl Bound {
    /// The bound on all jobs that are not dropped.
    pub fn response(&self) -> Ticks {
        self.high.map_or(self.low, |high| high.max(self.low))
    }
}

/// Why a task has no bounds within its deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// R_LO is at least this time, which is beyond the deadline.
    Low(u128),
    /// R* is.
    High {
        /// R_LO, which is within the deadline.
        low: Ticks,
        /// A time beyond the deadline that R* is not below.
        at_least: u128,
    },
}

impl Beyond {
    /// The mode whose bound is beyond the deadline.
    pub fn mode(self) -> CriticalityMode {
        match self {
            Self::Low(_) => CriticalityMode::Low,
            Self::High { .. } => CriticalityMode::High,
        }
    }

    fn at_least(self) -> u128 {
        match self {
            Self::Low(time) | Self::High { at_least: time, .. } => time,
        }
    }
}

/// The bounds of each task, most urgent first, up to and with the first that has none within its deadline.
pub type Bounds = Vec<Result<Bound, Beyond>>;

/// What the test found, with the bounds that it computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Tested {
    /// Proven if each task's bounds are within its deadline; else it names the first task whose bounds are not, and the mode.
    pub finding: Finding,
    /// `None` where the test does not apply or the budget was spent.
    pub bounds: Option<Bounds>,
}

/// Tests `tasks`, which are the most urgent first.
pub fn test(tasks: &[MixedTask], budget: &mut Budget) -> Tested {
    if tasks.iter().any(|one| one.task.deadline > one.task.period) {
        return Tested { finding: Finding::not_applicable(NAME, LONG), bounds: None };
    }
    let before = budget.spent();
    let bounds = bounds(tasks, budget);
    let work = budget.spent() - before;
    match bounds {
        Ok(bounds) => Tested { finding: decided(tasks, &bounds, work), bounds: Some(bounds) },
        Err(Spent) => Tested { finding: Finding::budget_spent(NAME, work), bounds: None },
    }
}

fn decided(tasks: &[MixedTask], bounds: &[Result<Bound, Beyond>], work: u64) -> Finding {
    let margin = |place: usize, response: u128| Margin {
        demand: response as f64,
        capacity: tasks[place].task.deadline as f64,
        of: Quantity::ResponseTime,
    };
    let deadline = |place: usize| u128::from(tasks[place].task.deadline);
    let mut closest: Option<(usize, u128)> = None;
    for (place, bound) in bounds.iter().enumerate() {
        match bound {
            Err(beyond) => {
                let margin = Some(margin(place, beyond.at_least()));
                return Finding::does_not_hold(NAME, Some(place), margin, work).in_mode(beyond.mode());
            }
            Ok(bound) => {
                let response = u128::from(bound.response());
                let is_closer = |(other, least): (usize, u128)| response * deadline(other) > least * deadline(place);
                if closest.is_none_or(is_closer) {
                    closest = Some((place, response));
                }
            }
        }
    }
    let margin = closest.map(|(place, response)| margin(place, response));
    Finding::proven(NAME, closest.map(|(place, _)| place), margin, work)
}

/// The bounds of `tasks`, which are the most urgent first.
pub fn bounds(tasks: &[MixedTask], budget: &mut Budget) -> Result<Bounds, Spent> {
    let mut bounds = Vec::with_capacity(tasks.len());
    for (place, own) in tasks.iter().enumerate() {
        let bound = bound(own, &tasks[..place], budget)?;
        bounds.push(bound);
        if bound.is_err() {
            break;
        }
    }
    Ok(bounds)
}

/// The bounds of `own` below `above`, whose order does not matter.
fn bound(own: &MixedTask, above: &[MixedTask], budget: &mut Budget) -> Result<Result<Bound, Beyond>, Spent> {
    let deadline = own.task.deadline;
    let in_low = |time: Ticks, one: &MixedTask| jobs(time, one) * u128::from(one.task.cost);
    let low =
        least(own.task.cost.into(), deadline, above, budget, |time| above.iter().map(|one| in_low(time, one)).sum())?;
    let (low, cost_high) = match (low, own.cost_high) {
        (Err(at_least), _) => return Ok(Err(Beyond::Low(at_least))),
        (Ok(low), None) => return Ok(Ok(Bound { low, high: None })),
        (Ok(low), Some(cost_high)) => (low, cost_high),
    };
    let of_low: u128 = above.iter().filter(|one| one.cost_high.is_none()).map(|one| in_low(low, one)).sum();
    let high = least(u128::from(cost_high) + of_low, deadline, above, budget, |time| {
        above.iter().filter_map(|one| Some(jobs(time, one) * u128::from(one.cost_high?))).sum()
    })?;
    Ok(match high {
        Ok(high) => Ok(Bound { low, high: Some(high) }),
        Err(at_least) => Err(Beyond::High { low, at_least }),
    })
}

/// ceil(t/T).
fn jobs(time: Ticks, one: &MixedTask) -> u128 {
    time.div_ceil(one.task.period).into()
}

/// The least w with w = own + more(w), or a time beyond `deadline` that it is not below.
fn least(
    own: u128,
    deadline: Ticks,
    above: &[MixedTask],
    budget: &mut Budget,
    more: impl Fn(Ticks) -> u128,
) -> Result<Result<Ticks, u128>, Spent> {
    let mut reached = own;
    loop {
        let Some(time) = Ticks::try_from(reached).ok().filter(|time| *time <= deadline) else {
            return Ok(Err(reached));
        };
        budget.spend(above.len() as u64 + 1)?;
        let next = own + more(time);
        if next == reached {
            return Ok(Ok(time));
        }
        reached = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Task;

    fn low(cost: Ticks, period: Ticks, deadline: Ticks) -> MixedTask {
        MixedTask { task: Task::new(cost, period, deadline), cost_high: None }
    }

    fn high(cost: Ticks, cost_high: Ticks, period: Ticks, deadline: Ticks) -> MixedTask {
        MixedTask { cost_high: Some(cost_high), ..low(cost, period, deadline) }
    }

    #[test]
    fn a_change_of_mode_counts_low_jobs_of_low_mode_only() {
        // By hand: R_LO of the second is 2 + 2 = 4, within which one job of the first arrives; so R* is 7 + 2 and not 7 + 2 * 2.
        let tasks = [low(2, 5, 5), high(2, 7, 20, 9)];
        let found = bounds(&tasks, &mut Budget::unlimited()).unwrap();
        assert_eq!(found, [Ok(Bound { low: 2, high: None }), Ok(Bound { low: 4, high: Some(9) })]);
        let tested = test(&tasks, &mut Budget::unlimited());
        assert!(tested.finding.is_proven() && tested.finding.mode.is_none());
        assert_eq!(tested.bounds, Some(found));
        let tight = test(&[tasks[0], high(2, 7, 20, 8)], &mut Budget::unlimited());
        assert_eq!((tight.finding.task, tight.finding.mode), (Some(1), Some(CriticalityMode::High)));
        assert_eq!(tight.bounds.unwrap()[1], Err(Beyond::High { low: 4, at_least: 9 }));
        let late = test(&[tasks[0], high(2, 7, 20, 3)], &mut Budget::unlimited());
        assert_eq!((late.finding.task, late.finding.mode), (Some(1), Some(CriticalityMode::Low)));
        assert_eq!(late.bounds.unwrap()[1], Err(Beyond::Low(4)));
    }

    #[test]
    fn without_high_criticality_it_is_the_response_time_and_a_long_deadline_is_refused() {
        let tasks = [low(1, 4, 4), low(2, 6, 6), low(3, 12, 12)];
        let found = bounds(&tasks, &mut Budget::unlimited()).unwrap();
        assert_eq!(found, [1, 3, 10].map(|low| Ok(Bound { low, high: None })));
        let long = test(&[low(1, 4, 5)], &mut Budget::unlimited());
        assert_eq!(long, Tested { finding: Finding::not_applicable(NAME, LONG), bounds: None });
        assert_eq!(test(&tasks, &mut Budget::new(3)).finding.reason, crate::Reason::BudgetSpent);
    }
}
