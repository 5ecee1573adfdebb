//! From a verdict to who goes where with which policy.

use crate::error::Error;
use crate::sched::grants::Grants;
use crate::sched::place;
use crate::sched::question::PosedQuestion;
use prazo_analysis::linux::Reservation;
use prazo_analysis::question::{Answer, JobRanking, Method, Priorities, Question, Shape, lateness};
use prazo_analysis::{Ticks, Verdict};
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_core::ratio::Ratio;
use prazo_core::text::counted;
use prazo_deploy::deployment::Times;
use prazo_deploy::plan::{deadline, fifo};
use prazo_report::schedulability::answered;
use prazo_sys::scheduling::SchedAttr;

/// The priority of the most urgent task: above interrupt threads (50), below the kernel's watchdogs (99).
const PRIORITY_TOP: u32 = 89;

/// Who goes where, in the scenario's order.
pub(crate) struct Assignment {
    /// What the analysis says.
    pub(crate) verdict: Verdict,
    /// Which test or heuristic decided, where one did.
    pub(crate) decided_by: Option<&'static str>,
    /// `edf` or `fp`.
    pub(crate) policy: &'static str,
    /// `global`, `clustered` or `partitioned`.
    pub(crate) shape: &'static str,
    /// The processors of each cluster.
    pub(crate) clusters: Vec<CpuSet>,
    /// The tasks.
    pub(crate) tasks: Vec<Assigned>,
    /// Notes for the reader.
    pub(crate) remarks: Vec<String>,
}

/// One task.
pub(crate) struct Assigned {
    pub(crate) name: String,
    pub(crate) cluster: usize,
    pub(crate) attr: SchedAttr,
    pub(crate) times: Times,
    /// What the kernel's admission is asked; none under fixed priorities.
    pub(crate) reservation: Option<Reservation>,
}

impl Assignment {
    /// Asks the question, and makes of its answer who goes where; clusters take the processors of `grants` in order.
    pub(crate) fn of(posed: &PosedQuestion, method: &Method, grants: &Grants) -> Result<Self, Error> {
        let question = posed.answerable()?;
        let ask = |all_tests| posed.answer(&question, &Method { all_tests, ..method.clone() });
        let found = place::with_the_packing_that_counts(&question, grants, ask)?;
        posed.check_verdict(found.verdict)?;
        let places = places(&question, &found)?;
        let clusters = clusters(&question, &grants.cpus)?;
        let tasks = tasks(posed, &question, &found, &places)?;
        let document = answered::Answered::new(serde_json::Value::Null, &question, &found, Vec::new());
        let caveats = found.caveats.iter().map(|caveat| format!("Caveat {}: {}.", caveat.id(), caveat.sentence()));
        let remarks = posed.answer_remarks().into_iter().chain(caveats).chain(free_platform(&question));
        Ok(Self {
            verdict: found.verdict,
            decided_by: document.decided_by,
            policy: document.policy,
            shape: document.shape,
            clusters,
            tasks,
            remarks: remarks.collect(),
        })
    }
}

/// What is proven without overheads is proven of no real machine.
fn free_platform(question: &Question<'_>) -> Option<String> {
    let remark = "The analysis charged no overheads; name a table of this machine's overheads with --overheads. Without this table the proof covers no context switches and interrupts, and budgets leave no room for them.";
    question.overheads.is_none().then(|| remark.to_owned())
}

/// The cluster of each task in the packing that counts, which must place them all.
fn places(question: &Question<'_>, found: &Answer) -> Result<Vec<usize>, Error> {
    if let Shape::Global { .. } = question.shape {
        return Ok(vec![0; question.tasks.len()]);
    }
    let whole = found.packings.iter().find_map(|packed| packed.assignment.iter().copied().collect::<Option<Vec<_>>>());
    let bins = whole.ok_or_else(|| {
        let tasks = counted(question.tasks.len() as u64, "task");
        let processors = counted(answered::sizes(question.shape).iter().sum::<u32>().into(), "processor");
        let verdict = found.verdict;
        Error::refused(format!(
            "{tasks} cannot be placed on {processors}: no packing places every task (verdict: {verdict})"
        ))
        .with_remedy("inspect each packing with `prazo sched partition`, or choose other clusters with -m or --shape")
    })?;
    Ok(bins.into_iter().map(|bin| bin as usize).collect())
}

/// Clusters take the processors in order.
fn clusters(question: &Question<'_>, cpus: &[Cpu]) -> Result<Vec<CpuSet>, Error> {
    let sizes = answered::sizes(question.shape);
    let wanted: u32 = sizes.iter().sum();
    if (cpus.len() as u32) < wanted {
        let there = CpuSet::from_cpus(cpus.iter().copied()).map_or("none".into(), |set| set.to_string());
        let problem = format!(
            "the shape needs {}, but only {} can be used: {there}",
            counted(wanted.into(), "processor"),
            cpus.len()
        );
        return Err(Error::refused(problem).with_remedy("choose fewer processors with -m, or another --shape"));
    }
    let mut rest = cpus.iter().copied();
    let set = |size: &u32| CpuSet::from_cpus(rest.by_ref().take(*size as usize)).expect("a cluster has processors");
    Ok(sizes.iter().map(set).collect())
}

fn tasks(
    posed: &PosedQuestion,
    question: &Question<'_>,
    found: &Answer,
    places: &[usize],
) -> Result<Vec<Assigned>, Error> {
    let name = &posed.scenario.name;
    let unit = posed.scenario.unit.ok_or_else(|| {
        Error::refused("the set has no unit of time, and Linux needs nanoseconds")
            .with_value(name)
            .with_remedy("write times with a unit, as in \"5ms\"")
    })?;
    let ns_per_tick = Ratio::whole(unit.ns());
    let priorities = priorities(question, found)?;
    let bounds = bounds(question, found);
    let charged = charged_costs(question, found);
    let assigned = |index: usize| {
        let (named, granted) = (&posed.scenario.tasks[index], &question.tasks[index]);
        let of = |task| Reservation::of(task, ns_per_tick, places[index]);
        let too_long =
            || Error::refused(format!("task '{}' has times that exceed 64 bits in ns", named.name)).with_value(name);
        let (own, mut server) = (of(&named.task).ok_or_else(too_long)?, of(granted).ok_or_else(too_long)?);
        if named.conduct.server.is_none() {
            server.runtime_ns = server.runtime_ns.max(in_budget(charged[index], unit.ns(), &server));
        }
        let attr = match &priorities {
            None => deadline(server.runtime_ns, server.deadline_ns, server.period_ns),
            Some(priorities) => fifo(priorities[index]),
        };
        let bound_ns = bounds[index].and_then(|ticks| ticks.checked_mul(unit.ns()));
        let (cost_ns, deadline_ns, period_ns) = (own.runtime_ns, own.deadline_ns, own.period_ns);
        let times = Times { cost_ns, deadline_ns, period_ns, bound_ns };
        let reservation = priorities.is_none().then_some(server);
        Ok(Assigned { name: named.name.clone(), cluster: places[index], attr, times, reservation })
    };
    (0..question.tasks.len()).map(assigned).collect()
}

/// A priority for each task, distinct, under fixed priorities; `None` under EDF.
fn priorities(question: &Question<'_>, found: &Answer) -> Result<Option<Vec<u32>>, Error> {
    let JobRanking::FixedPriority(from) = question.policy else { return Ok(None) };
    let count = question.tasks.len();
    if count > PRIORITY_TOP as usize {
        return Err(Error::refused(format!(
            "the set has {count} tasks, but prazo deploys with only {PRIORITY_TOP} real-time priorities; deploy fewer tasks, or choose --policy edf"
        )));
    }
    let order = match (&found.priorities, from) {
        (Some(order), _) => order.clone(),
        (None, Priorities::RateMonotonic) => sorted(question, |task, _| task.period),
        (None, Priorities::DeadlineMonotonic) => sorted(question, |task, _| task.deadline),
        (None, Priorities::Given(ranks)) => sorted(question, |_, index| ranks[index].into()),
        (None, Priorities::Audsley) => {
            return Err(Error::field("priorities", "Audsley's search gives no single order of all tasks")
                .with_remedy("choose --priorities dm"));
        }
    };
    let mut priorities = vec![0; count];
    order.iter().zip((1..=PRIORITY_TOP).rev()).for_each(|(task, priority)| priorities[*task] = priority);
    Ok(Some(priorities))
}

/// The indices of the tasks, the smallest key first, ties by index.
fn sorted(question: &Question<'_>, key: impl Fn(&prazo_analysis::Task, usize) -> Ticks) -> Vec<usize> {
    let mut order: Vec<usize> = (0..question.tasks.len()).collect();
    order.sort_by_key(|index| (key(&question.tasks[*index], *index), *index));
    order
}

/// The proven bound on each task's response time; where deadlines are proven and nothing shorter is, the deadline.
fn bounds(question: &Question<'_>, found: &Answer) -> Vec<Option<Ticks>> {
    let count = question.tasks.len();
    let deadline = |index: usize| question.tasks[index].deadline;
    let proven = found.verdict == Verdict::Proven;
    if let JobRanking::Edf = question.policy {
        let late = lateness(question, found).bounds;
        let tardy =
            |index: usize| late.as_ref().map(|bounds| bounds[index]).and_then(|x| deadline(index).checked_add(x));
        return (0..count).map(|index| if proven { Some(deadline(index)) } else { tardy(index) }).collect();
    }
    let mut bounds: Vec<Option<Ticks>> = (0..count).map(|index| proven.then(|| deadline(index))).collect();
    if let Some(responses) = found.responses_by_task() {
        bounds.iter_mut().zip(responses).for_each(|(bound, response)| *bound = response.or(*bound));
    }
    bounds
}

/// What each task costs with overheads charged, where they were: the kernel takes switches and interrupts from its budget, too.
fn charged_costs(question: &Question<'_>, found: &Answer) -> Vec<Option<Ticks>> {
    let mut costs = vec![None; question.tasks.len()];
    if let Some(charged) = &found.charged {
        costs.iter_mut().zip(&charged.tasks[charged.first_real..]).for_each(|(cost, task)| *cost = Some(task.cost));
    }
    for bin in found.packings.iter().flat_map(|packed| &packed.bins) {
        let Some((_, charged)) = bin.charged() else { continue };
        bin.tasks.iter().zip(charged).for_each(|(index, task)| costs[*index] = Some(task.cost));
    }
    costs
}

/// A charged cost as a budget, which the kernel wants to fit before the deadline; none where nothing was charged.
fn in_budget(charged: Option<Ticks>, ns_per_tick: u64, server: &Reservation) -> u64 {
    let ns = charged.and_then(|ticks| ticks.checked_mul(ns_per_tick)).unwrap_or(0);
    ns.min(server.deadline_ns).min(server.period_ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sched::{SchedulerOptions, ShapeChoice};
    use prazo_analysis::linux::{Limits, Server, admission};
    use prazo_deploy::bandwidth::Reserved;
    use prazo_scenario::{Shape, read};

    /// Tasks of these costs in hundredths of a processor on two processors, each with its own queue.
    fn on_two(costs: [u32; 3]) -> PosedQuestion {
        let task = |(index, cost): (usize, u32)| format!("[task.t{index}]\ncost = '{cost}ms'\nperiod = '100ms'\n");
        let tasks: String = costs.into_iter().enumerate().map(task).collect();
        let text = format!("name = 'three'\nprocessors = 2\n{tasks}");
        let scenario = read::any("three.toml".as_ref(), &text).unwrap();
        let shape = Some(ShapeChoice::Stated(Shape::Partitioned));
        PosedQuestion::new(scenario, &SchedulerOptions { shape, ..SchedulerOptions::default() }).unwrap()
    }

    /// The cluster of each task, and whether a kernel with these limits admits the reservations beside those of others.
    fn deployed_beside(others: Vec<Reserved>, costs: [u32; 3], limits: &Limits) -> (Vec<usize>, bool) {
        let grants = Grants { limits: *limits, cpus: (0..2).filter_map(Cpu::new).collect(), others };
        let found = Assignment::of(&on_two(costs), &Method::default(), &grants).unwrap();
        assert_eq!((found.verdict, found.decided_by.is_some()), (Verdict::Proven, true));
        let reservations: Vec<Reservation> = found.tasks.iter().filter_map(|task| task.reservation).collect();
        assert_eq!(reservations.len(), costs.len());
        let places = found.tasks.iter().map(|task| task.cluster).collect();
        let all = [grants.others(&[1, 1]), reservations].concat();
        (places, admission(&all, &[1, 1], limits).admitted)
    }

    fn deployed(costs: [u32; 3], limits: &Limits) -> (Vec<usize>, bool) {
        deployed_beside(Vec::new(), costs, limits)
    }

    #[test]
    fn a_packing_that_the_kernel_would_refuse_gives_way_to_an_admissible_one() {
        let old = Limits::default();
        let new = Limits { server: Some(Server::FAIR), ..old };
        assert_eq!(deployed([50, 48, 30], &old), (vec![0, 1, 1], true), "first fit would reserve 0.98 of a processor");
        assert_eq!(deployed([50, 42, 30], &old), (vec![0, 0, 1], true));
        assert_eq!(deployed([50, 42, 30], &new), (vec![0, 1, 1], true), "a new kernel grants 0.90 of a processor");
    }

    #[test]
    fn threads_that_have_deadlines_already_leave_less_of_their_processor() {
        let cpus = CpuSet::from_cpus(Cpu::new(0)).unwrap();
        let other = Reserved { thread: 7, name: "other".into(), runtime_ns: 30_000_000, period_ns: 100_000_000, cpus };
        let usual = Limits::default();
        assert_eq!(deployed([40, 30, 20], &usual), (vec![0, 0, 0], true));
        assert_eq!(deployed_beside(vec![other], [40, 30, 20], &usual), (vec![0, 1, 1], true));
    }

    #[test]
    fn without_admission_the_first_proven_packing_is_deployed() {
        assert_eq!(deployed([50, 48, 30], &Limits { rt_runtime_us: None, ..Limits::default() }), (vec![0, 0, 1], true));
    }
}
