//! What a platform costs a program: penalty and slowdown, as Marsal 2013 defines them.
//!
//! Pure: executed and waited times come in, ratios go out. T_exec is processor time; T_wait is the time that tasks were
//! runnable and not running (scheduler wait) or blocked (non-scheduler wait, in the paper mostly for devices).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Execution and waiting times of one workload on one platform; medians over its runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Work {
    /// T_exec: processor time, user and system, in nanoseconds; in counted time, instructions.
    pub executed: f64,
    /// Scheduler wait, the part of T_wait in which tasks were runnable and did not run, in the unit of `executed`; null
    /// where not measured.
    pub scheduler_wait: Option<f64>,
    /// Non-scheduler wait, the part of T_wait in which tasks were blocked, in the unit of `executed`; null where not
    /// measured.
    pub other_wait: Option<f64>,
}

/// Total slowdown and its two parts: total = 1 + part due to scheduler wait + part due to non-scheduler wait.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Slowdown {
    /// Total slowdown: (T_exec + T_wait) / T_exec.
    pub whole: f64,
    /// Part of the slowdown due to scheduler wait: scheduler wait / T_exec.
    pub by_scheduler: f64,
    /// Part of the slowdown due to non-scheduler wait: non-scheduler wait / T_exec.
    pub by_other: f64,
}

/// T_best_exec: the smallest executed time of a workload over the platforms compared; `None` without any above 0.
pub fn best_executed(works: &[Work]) -> Option<f64> {
    works.iter().map(|work| work.executed).filter(|executed| *executed > 0.0).min_by(f64::total_cmp)
}

/// Penalty = T_exec / T_best_exec; at least 1 if the best is of the same platforms. `None` if nothing was executed.
pub fn penalty(work: &Work, best_executed: f64) -> Option<f64> {
    (best_executed > 0.0 && work.executed > 0.0).then(|| work.executed / best_executed)
}

/// Slowdown = (T_exec + T_wait) / T_exec; `None` if a wait was not measured or nothing was executed.
pub fn slowdown(work: &Work) -> Option<Slowdown> {
    let (scheduler, other) = work.scheduler_wait.zip(work.other_wait).filter(|_| work.executed > 0.0)?;
    Some(Slowdown {
        whole: (work.executed + scheduler + other) / work.executed,
        by_scheduler: scheduler / work.executed,
        by_other: other / work.executed,
    })
}

/// The geometric mean, as penalties of several workloads are joined; `None` without a value, or with one that is not above 0.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() || values.iter().any(|value| value.is_nan() || *value <= 0.0) {
        return None;
    }
    Some((values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn work(executed: f64, scheduler: f64, other: f64) -> Work {
        Work { executed, scheduler_wait: Some(scheduler), other_wait: Some(other) }
    }

    #[test]
    fn marsal_2013_s_penalty_of_35_percent() {
        let platforms = [work(100.0, 0.0, 0.0), work(105.0, 0.0, 0.0), work(135.0, 0.0, 0.0)];
        let best = best_executed(&platforms).unwrap();
        let penalties: Vec<_> = platforms.iter().map(|one| penalty(one, best).unwrap()).collect();
        assert_eq!(penalties, [1.0, 1.05, 1.35]);
    }

    #[test]
    fn slowdown_is_split_into_its_two_waits() {
        let found = slowdown(&work(100.0, 20.0, 30.0)).unwrap();
        assert_eq!((found.whole, found.by_scheduler, found.by_other), (1.5, 0.2, 0.3));
    }

    #[test]
    fn a_geometric_mean_takes_values_above_0() {
        assert!((geometric_mean(&[1.0, 4.0]).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!([geometric_mean(&[]), geometric_mean(&[1.0, 0.0]), geometric_mean(&[f64::NAN])], [None; 3]);
    }

    #[test]
    fn what_was_not_measured_or_executed_has_no_ratio() {
        let unmeasured = Work { other_wait: None, ..work(100.0, 1.0, 1.0) };
        assert_eq!(slowdown(&unmeasured), None);
        assert_eq!(slowdown(&work(0.0, 1.0, 1.0)), None);
        assert_eq!([penalty(&work(0.0, 0.0, 0.0), 1.0), penalty(&work(1.0, 0.0, 0.0), 0.0)], [None; 2]);
        assert_eq!(best_executed(&[work(0.0, 0.0, 0.0)]), None);
    }

    proptest! {
        #[test]
        fn no_platform_is_better_than_the_best_and_the_parts_make_the_whole(
            times in prop::collection::vec((1.0f64..1e12, 0.0f64..1e12, 0.0f64..1e12), 1..8)
        ) {
            let works: Vec<Work> = times.iter().map(|(executed, wait, other)| work(*executed, *wait, *other)).collect();
            let best = best_executed(&works).unwrap();
            prop_assert!(works.iter().any(|one| penalty(one, best) == Some(1.0)));
            for one in &works {
                prop_assert!(penalty(one, best).unwrap() >= 1.0);
                let found = slowdown(one).unwrap();
                prop_assert!((found.whole - 1.0 - found.by_scheduler - found.by_other).abs() <= 1e-9 * found.whole);
            }
        }
    }
}
