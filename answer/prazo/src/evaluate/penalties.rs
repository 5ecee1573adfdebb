//! From the accounts of two settings to what each costs: penalties over the same rounds, slowdowns run by run.

use prazo_cost::workload::Workload;
use prazo_cost::{Account, Figure};
use prazo_report::cost::{Range, WorkloadCost, WorkloadRow};
use prazo_stats::penalty::{Slowdown, Work, slowdown};
use prazo_stats::repeats::{Median, median, median_ratio};

/// The accounts of the rounds that count, in their order.
pub(super) struct Sides<'a> {
    /// The workload alone.
    pub(super) alone: &'a [Account],
    /// The workload beside the real-time task.
    pub(super) beside: &'a [Account],
}

/// The workload's row; `None` where no round counts, or processor times are from different sources.
pub(super) fn row(workload: &Workload, size: u64, sides: &Sides<'_>) -> Option<WorkloadRow> {
    let (alone, beside) = (Times::of(sides.alone)?, Times::of(sides.beside)?);
    if alone.sources != beside.sources {
        return None;
    }
    let on = vec![alone.cost(&beside), beside.cost(&alone)];
    Some(WorkloadRow { workload: workload.name.into(), size: format!("{size} {}", workload.unit), on })
}

/// One setting, run by run.
struct Times<'a> {
    accounts: &'a [Account],
    executed: Vec<f64>,
    wall: Vec<f64>,
    sources: (Option<&'static str>, Option<&'static str>),
}

impl<'a> Times<'a> {
    fn of(accounts: &'a [Account]) -> Option<Self> {
        let sources = |account: &Account| (account.user_ns.source, account.system_ns.source);
        let first = sources(accounts.first()?);
        let executed: Vec<f64> = accounts.iter().map(executed).collect::<Option<_>>()?;
        let wall = accounts.iter().map(|account| value(&account.wall_ns)).collect::<Option<_>>()?;
        accounts.iter().all(|account| sources(account) == first).then_some(Self {
            accounts,
            executed,
            wall,
            sources: first,
        })
    }

    fn cost(&self, other: &Self) -> WorkloadCost {
        let slowdowns: Option<Vec<Slowdown>> = self.accounts.iter().map(of_run).collect();
        let slowdowns = slowdowns.unwrap_or_default();
        let part = |of: fn(&Slowdown) -> f64| median(&slowdowns.iter().map(of).collect::<Vec<_>>());
        let count = |of: fn(&Account) -> &Figure| {
            let runs: Vec<f64> = self.accounts.iter().map(|account| value(of(account))).collect::<Option<_>>()?;
            Some(median(&runs)?.value)
        };
        WorkloadCost {
            runs: self.accounts.len(),
            penalty: against(&self.executed, &other.executed),
            wall_penalty: against(&self.wall, &other.wall),
            slowdown: part(|slowdown| slowdown.whole).map(|median| range(&median)),
            by_scheduler: part(|slowdown| slowdown.by_scheduler).map(|median| median.value),
            by_other: part(|slowdown| slowdown.by_other).map(|median| median.value),
            voluntary_switches: count(|account| &account.voluntary_switches),
            involuntary_switches: count(|account| &account.involuntary_switches),
        }
    }
}

/// Against the better of the two: 1 for that itself, a ratio over the same rounds for the other.
fn against(own: &[f64], other: &[f64]) -> Option<Range> {
    let is_best = median(own)?.value <= median(other)?.value;
    if is_best { Some(Range::point(1.0)) } else { median_ratio(other, own).map(|ratio| range(&ratio)) }
}

fn range(median: &Median) -> Range {
    median.interval.map_or_else(|| Range::point(median.value), |ends| Range::new(median.value, ends.low, ends.high))
}

fn of_run(account: &Account) -> Option<Slowdown> {
    slowdown(&Work {
        executed: executed(account)?,
        scheduler_wait: value(&account.run_queue_wait_ns),
        other_wait: value(&account.blocked_ns),
    })
}

fn executed(account: &Account) -> Option<f64> {
    Some(value(&account.user_ns)? + value(&account.system_ns)?)
}

fn value(figure: &Figure) -> Option<f64> {
    figure.value.map(|value| value as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_better_setting_is_1_and_the_other_is_held_against_it_round_by_round() {
        let alone: Vec<f64> = (0..10).map(|round| f64::from(100 + round * 20)).collect();
        let beside: Vec<f64> = alone.iter().map(|time| time * 1.25).collect();
        assert_eq!(against(&alone, &beside), Some(Range::point(1.0)));
        let penalty = against(&beside, &alone).unwrap();
        assert!((penalty.value - 1.25).abs() < 1e-9 && penalty.high.unwrap() - penalty.low.unwrap() < 1e-9);
        assert_eq!(against(&[], &beside), None);
    }

    #[test]
    fn few_rounds_have_a_penalty_without_an_interval() {
        let penalty = against(&[3.0, 3.0], &[2.0, 2.0]).unwrap();
        assert_eq!((penalty.value, penalty.low), (1.5, None));
    }
}
