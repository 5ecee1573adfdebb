//! What this machine costs a task set: overheads traced and wake-ups timed under the load under which the set is run later.

use super::judged::Costs;
use super::latency::Latency;
use super::observed;
use crate::error::Error;
use crate::evaluate::request::EvaluateTasksRequest;
use crate::guest::GuestOptions;
use crate::measure::overheads::{KINDS, MeasuredOverheads, OverheadsRequest, TracedPolicy, measure_overheads};
use crate::progress::Progress;
use crate::report_content::each_once;
use prazo_core::time::Duration;
use prazo_run::Caveat;
use prazo_run::run::{LoadRecord, Quantity};
use prazo_run::source::TaskAffinity;
use prazo_scenario::{Scenario, overheads};
use prazo_stats::overheads::Uncharged;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How long each of four passes over each number of tasks is at most.
const TRACED_MAX: Duration = Duration::from_ms(2_500);

/// What this machine costs, by policy.
pub(super) struct MachineCosts {
    pub(super) edf: Costs,
    pub(super) fixed: Costs,
    /// What could not be measured, and is charged nothing.
    pub(super) uncharged: Vec<Uncharged>,
    /// How late it wakes a thread; why that is not known.
    pub(super) latency: Result<Latency, Error>,
    /// What disturbed it while overheads were traced.
    pub(super) loads: Vec<LoadRecord>,
    /// What threatens the validity of all this.
    pub(super) caveats: Vec<Caveat>,
}

impl MachineCosts {
    /// Traces as many tasks as the set has, and as a queue of one processor would have, under both policies, while the load runs
    /// under which the set is run later: what disturbs the one disturbs the other. Then how late it wakes a thread, under the same.
    pub(super) fn measured(
        scenario: &Scenario,
        processors: u32,
        request: &EvaluateTasksRequest,
        progress: &mut dyn Progress,
    ) -> Result<Self, Error> {
        let all = u32::try_from(scenario.tasks.len()).unwrap_or(u32::MAX).max(1);
        let mut numbers = vec![all.div_ceil(processors), all];
        numbers.dedup();
        let mut trace = |policy| Tables::measured(&traced(scenario, &numbers, policy, request), progress);
        let (tables, loads, of_loads) = observed::under(&observed::usual_load(), 1, || {
            Ok((trace(TracedPolicy::Deadline)?, trace(TracedPolicy::Fifo)?))
        })?;
        let (deadline, fifo) = tables;
        let latency = Latency::measured(scenario, request, progress);
        let of_latency = latency.iter().flat_map(|latency| &latency.caveats);
        let caveats = each_once(deadline.caveats.iter().chain(&fifo.caveats).chain(&of_loads).chain(of_latency));
        let uncharged = uncharged(&deadline, &fifo, processors);
        let (edf, fixed) = (costs(&deadline, scenario)?, costs(&fifo, scenario)?);
        Ok(Self { edf, fixed, uncharged, latency, loads, caveats })
    }

    pub(super) fn costs(&self, is_edf: bool) -> &Costs {
        if is_edf { &self.edf } else { &self.fixed }
    }
}

/// The tables of one policy.
struct Tables {
    /// Of the largest samples.
    max: PathBuf,
    /// Of the means.
    mean: PathBuf,
    /// What they cannot charge, each with the reason.
    uncharged: Vec<Uncharged>,
    /// What threatens their validity.
    caveats: Vec<Caveat>,
}

impl Tables {
    fn measured(request: &OverheadsRequest, progress: &mut dyn Progress) -> Result<Self, Error> {
        let MeasuredOverheads { overheads_max, overheads_mean, uncharged, caveats, .. } =
            measure_overheads(request, progress)?;
        let (Some(max), Some(mean)) = (overheads_max, overheads_mean) else {
            return Err(Error::failed("no overhead was traced, so there is no table"));
        };
        Ok(Self { max, mean, uncharged, caveats })
    }
}

/// What is traced under one policy: so many tasks, and the working sets that the scenario's have.
fn traced(
    scenario: &Scenario,
    numbers: &[u32],
    policy: TracedPolicy,
    request: &EvaluateTasksRequest,
) -> OverheadsRequest {
    OverheadsRequest {
        policy,
        tasks: numbers.to_vec(),
        shape: TaskAffinity::Global,
        cpus: None,
        length: TRACED_MAX.min(request.duration),
        warm_up: Duration::ZERO,
        seed: 1,
        kinds: KINDS.to_vec(),
        working_sets_kib: working_sets(scenario),
        guest: GuestOptions::default(),
        folder: Some(request.folder.join(policy.name())),
        command: request.command.clone(),
    }
}

/// What either policy's tables lack. One processor interrupts no other.
fn uncharged(deadline: &Tables, fifo: &Tables, processors: u32) -> Vec<Uncharged> {
    let more = fifo.uncharged.iter().filter(|one| !deadline.uncharged.contains(one));
    let all = deadline.uncharged.iter().chain(more);
    all.filter(|one| processors > 1 || one.kind != Quantity::IpiLatency).cloned().collect()
}

/// The working sets of the tasks that have one, ascending, in KiB.
fn working_sets(scenario: &Scenario) -> Vec<u32> {
    let of_tasks = scenario.tasks.iter().filter_map(|task| u32::try_from(task.task.working_set_kib).ok());
    of_tasks.filter(|kib| *kib > 0).collect::<BTreeSet<u32>>().into_iter().collect()
}

fn costs(tables: &Tables, scenario: &Scenario) -> Result<Costs, Error> {
    let table = |file: &Path| {
        let text = std::fs::read_to_string(file).map_err(Error::failed)?;
        overheads::read(&file.display().to_string(), &text, scenario.unit).map_err(Error::failed)
    };
    Ok(Costs { max: table(&tables.max)?, mean: table(&tables.mean)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(lacks: &[Quantity]) -> Tables {
        let uncharged = lacks.iter().map(|kind| Uncharged { kind: *kind, why: "no such point".into() }).collect();
        Tables { max: PathBuf::new(), mean: PathBuf::new(), uncharged, caveats: vec![] }
    }

    #[test]
    fn a_kind_is_lacking_once_and_one_processor_lacks_no_interrupt_to_another() {
        let deadline = tables(&[Quantity::IpiLatency, Quantity::TickOverhead]);
        let fifo = tables(&[Quantity::TickOverhead, Quantity::EventLatency]);
        let kinds = |processors| uncharged(&deadline, &fifo, processors).iter().map(|one| one.kind).collect::<Vec<_>>();
        assert_eq!(kinds(1), [Quantity::TickOverhead, Quantity::EventLatency]);
        assert_eq!(kinds(2), [Quantity::IpiLatency, Quantity::TickOverhead, Quantity::EventLatency]);
    }
}
