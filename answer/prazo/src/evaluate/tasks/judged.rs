//! Each scheduler, judged twice: with the largest overheads that were measured, and with their means.

use super::scheduler::Scheduler;
use crate::error::Error;
use crate::sched::{PosedQuestion, SchedulerOptions};
use prazo_analysis::Verdict;
use prazo_analysis::question::{Method, edge};
use prazo_analysis::roomiest::{Candidate, candidate, roomiest};
use prazo_report::schedulability::answered::SensitivityRow;
use prazo_scenario::set::{JobRanking, Priorities};
use prazo_scenario::{OverheadTable, Scenario};

/// What the platform costs, by the two statistics of what was measured.
#[derive(Clone, Debug)]
pub(super) struct Costs {
    /// The largest samples.
    pub(super) max: OverheadTable,
    /// The means.
    pub(super) mean: OverheadTable,
}

/// One scheduler with what holds for the set under it.
pub(super) struct Judged {
    /// The scheduler.
    pub(super) scheduler: Scheduler,
    /// With the largest overheads.
    pub(super) by_max: Candidate,
    /// With the means.
    pub(super) by_mean: Candidate,
    /// How far from the edge it is with the means, where somebody asked.
    pub(super) edge: Option<SensitivityRow>,
}

/// The scheduler that is to be deployed.
pub(super) struct Chosen {
    /// Its place in the list.
    pub(super) index: usize,
    /// True where it is proven with the largest overheads, false where only with the means.
    pub(super) is_by_max: bool,
}

/// Judges `scenario` under `scheduler`.
pub(super) fn judge(scenario: &Scenario, scheduler: Scheduler, costs: &Costs) -> Result<Judged, Error> {
    let by = |table: &OverheadTable| {
        let posed = PosedQuestion::new(under(scenario, &scheduler, table), &SchedulerOptions::default())?;
        let question = posed.answerable()?;
        candidate(&question, &Method::default()).map_err(Error::refused)
    };
    Ok(Judged { by_max: by(&costs.max)?, by_mean: by(&costs.mean)?, edge: None, scheduler })
}

/// What would have to change so that the scheduler is proven: each of its figures is, with the means charged.
pub(super) fn find_edge(scenario: &Scenario, judged: &mut Judged, costs: &Costs) -> Result<(), Error> {
    let posed = PosedQuestion::new(under(scenario, &judged.scheduler, &costs.mean), &SchedulerOptions::default())?;
    let question = posed.answerable()?;
    judged.edge = edge(&question, &Method::default()).map(|edge| SensitivityRow::new(&edge, question.tasks));
    Ok(())
}

/// The roomiest of those proven with the largest overheads; where there is none, of those proven with the means.
pub(super) fn choose(judged: &[Judged]) -> Option<Chosen> {
    let by_max = roomiest(judged.iter().map(|one| &one.by_max)).map(|index| Chosen { index, is_by_max: true });
    by_max.or_else(|| roomiest(judged.iter().map(|one| &one.by_mean)).map(|index| Chosen { index, is_by_max: false }))
}

/// `scenario` as it is asked about under `scheduler` on a platform that costs `table`.
pub(super) fn under(scenario: &Scenario, scheduler: &Scheduler, table: &OverheadTable) -> Scenario {
    let policy = if scheduler.is_edf { JobRanking::Edf } else { JobRanking::FixedPriority(Priorities::RateMonotonic) };
    let sizes = scheduler.sizes();
    Scenario {
        processors: Some(sizes.iter().sum()),
        clusters: (!scheduler.is_global()).then_some(sizes),
        policy: Some(policy),
        overheads: Some(table.clone()),
        expect: None,
        ..scenario.clone()
    }
}

/// The same with each task where the chosen packing puts it.
pub(super) fn placed(scenario: &Scenario, judged: &Judged, costs: &Costs, chosen: &Chosen) -> Scenario {
    let (candidate, table) =
        if chosen.is_by_max { (&judged.by_max, &costs.max) } else { (&judged.by_mean, &costs.mean) };
    let mut placed = under(scenario, &judged.scheduler, table);
    if let Some(packing) = &candidate.packing {
        for (task, bin) in placed.tasks.iter_mut().zip(&packing.assignment) {
            (task.cluster, task.affinity) = (*bin, None);
        }
    }
    placed
}

impl Judged {
    /// No test can prove it, even with the means charged.
    pub(super) fn is_disproven(&self) -> bool {
        self.by_mean.answer.verdict == Verdict::Disproven
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::cpu::CpuSet;
    use prazo_scenario::{overheads, read, write};

    const SET: &str = "name = 'two'\n[task.a]\ncost = '400us'\nperiod = '1ms'\n[task.b]\ncost = '400us'\nperiod = '1ms'\n[task.c]\ncost = '100us'\nperiod = '1ms'\n";

    fn scenario() -> Scenario {
        read::any("two.toml".as_ref(), SET).unwrap()
    }

    fn costs(max: &str) -> Costs {
        let table = |amount: &str| {
            let text = format!("source = 'assumed'\n[release]\nconstant = '{amount}'\n");
            overheads::read("table.toml", &text, scenario().unit).unwrap()
        };
        Costs { max: table(max), mean: table("1us") }
    }

    fn schedulers() -> [Scheduler; 2] {
        let cpus = |words: &[&str]| words.iter().map(|text| text.parse().unwrap()).collect::<Vec<CpuSet>>();
        let scheduler = |name: &str, clusters| Scheduler { name: name.into(), clusters, is_edf: true };
        [scheduler("partitioned-edf", cpus(&["0", "1"])), scheduler("global-edf", cpus(&["0-1"]))]
    }

    fn judged(costs: &Costs) -> Vec<Judged> {
        schedulers().into_iter().map(|one| judge(&scenario(), one, costs).unwrap()).collect()
    }

    #[test]
    fn the_largest_overheads_decide_where_something_is_proven_with_them() {
        let all = judged(&costs("2us"));
        let chosen = choose(&all).unwrap();
        assert!(chosen.is_by_max && chosen.index == 0, "parted, the two large tasks leave the most room");
    }

    #[test]
    fn where_only_the_means_prove_anything_the_choice_says_so() {
        let all = judged(&costs("600us"));
        assert!(!choose(&all).unwrap().is_by_max);
        assert!(!all.iter().any(Judged::is_disproven));
    }

    #[test]
    fn what_to_change_is_found_for_deadlines_and_for_priorities() {
        let heavy = read::any("two.toml".as_ref(), &SET.replace("'400us'", "'900us'")).unwrap();
        let costs = costs("2us");
        let [parted, global] = schedulers();
        for scheduler in [Scheduler { is_edf: false, name: "partitioned-rm".into(), ..parted.clone() }, parted, global]
        {
            let mut judged = judge(&heavy, scheduler, &costs).unwrap();
            find_edge(&heavy, &mut judged, &costs).unwrap();
            let edge = judged.edge.unwrap();
            assert!(judged.by_mean.room.is_none() && edge.cost_factor.is_some_and(|factor| factor < 1.0), "{edge:?}");
            assert_eq!((edge.processors, edge.critical_task.is_some()), (Some(3), true), "{edge:?}");
        }
    }

    #[test]
    fn the_scenario_to_deploy_has_each_task_placed_and_reads_back() {
        let costs = costs("2us");
        let all = judged(&costs);
        let chosen = choose(&all).unwrap();
        let text = write::toml(&placed(&scenario(), &all[chosen.index], &costs, &chosen));
        let back = read::any("placed.toml".as_ref(), &text).unwrap();
        assert_eq!(back.clusters, Some(vec![1, 1]));
        assert!(back.tasks.iter().all(|task| task.cluster.is_some()), "{text}");
        assert_ne!(back.tasks[0].cluster, back.tasks[1].cluster, "{text}");
    }
}
