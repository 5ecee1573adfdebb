//! One run of measuring threads, from its plan to what was measured.

use super::assemble::Frame;
use super::control::Reason;
use super::error::ProbeError;
use super::follow::changes::Changes;
use super::follow::{Before, Followed, FollowedThread};
use super::layout::Layout;
use super::machine_readings::Reading;
use super::measured::{self, Measured, SelfCheck};
use super::plan_check::{self, Machine};
use super::process_settings::ProcessSettings;
use super::recorder::{Assignment, Outlets, Recorded, Recorder};
use super::ring::Consumer;
use super::rivals;
use super::sink::Counted;
use super::surroundings::Surroundings;
use super::team::{Shared, Team};
use super::thread_defaults::LEAD_NS;
use super::validity::{RunObservations, Worked, caveats};
use super::wait_source::WaitSource;
use super::worker_request::WorkerRequest;
use prazo_core::time::{Duration, Instant};
use prazo_run::Plan;
use prazo_sys::memory::SharedMemory;
use prazo_sys::{clock, scheduling};
use std::collections::BTreeSet;
use std::{io, thread};

/// Refuses a plan that this machine cannot measure, before anything is started for it.
pub fn check_plan(plan: &Plan) -> Result<(), ProbeError> {
    Ok(plan_check::check(plan, &machine(&Surroundings::default())?)?)
}

/// Measures what `plan` asks for, on this machine, with threads that wait for `source`. The calling thread becomes the recorder and
/// has its place and policy back afterwards. The plan's loads and lead-in are the caller's: they run before and beside this.
/// `around` says where the machine's files are.
pub fn measure(
    around: &Surroundings,
    plan: &Plan,
    source: &dyn WaitSource,
    outlets: Outlets<'_>,
) -> Result<Measured, ProbeError> {
    let machine = machine(around)?;
    plan_check::check(plan, &machine)?;
    let settings = ProcessSettings::apply(plan, &machine.usable, around)?;
    let rivals = rivals::at_or_above(rivals::priority(plan.policy), around);
    let application_priority = plan.beside_pid.map(|pid| rivals::highest_priority(pid, around).unwrap_or(0));
    let before = Reading::take(around);
    let outcome = measure_with_team(around, plan, source, outlets)?;
    let after = Reading::take(around);
    let housekeeping = settings.housekeeping.number();
    let idle_not_held = settings.idle_not_held.clone();
    let of_process = settings.put_back();
    let of_source = source.release();
    let cpus = used(plan, source);
    let evidence = RunObservations {
        plan,
        cpus: &cpus,
        before: &before,
        after: &after,
        workers: &outcome.workers,
        elapsed: outcome.recorded.elapsed,
        housekeeping,
        idle_not_held: idle_not_held.as_deref(),
        stopped: outcome.stopped,
        rivals: &rivals,
        changes: &outcome.changes,
        application_priority,
    };
    Ok(Measured {
        ending: measured::ending(outcome.stopped, plan),
        start: Instant::from_ns(outcome.start_ns),
        elapsed: outcome.recorded.elapsed,
        housekeeping_cpu: housekeeping,
        recorder_delay_max: outcome.recorded.delay_max,
        caveats: caveats(&evidence).into_iter().chain(source.caveats()).collect(),
        tunables: measured::tunables(of_process, &outcome.workers).into_iter().chain(of_source).collect(),
        series: measured::series(plan, outcome.start_ns, &outcome.workers),
        self_checks: outcome.workers.iter().map(SelfCheck::of).collect(),
    })
}

/// The processors that exist, those that are online, and those that this process may use.
pub fn machine(around: &Surroundings) -> Result<Machine, ProbeError> {
    let usable = scheduling::usable_cpus().map_err(system("reading the list of usable processors"))?;
    let listed = |file| around.text(&format!("sys/devices/system/cpu/{file}")).and_then(|list| list.parse().ok());
    let online = listed("online").unwrap_or(usable);
    Ok(Machine { present: listed("present").unwrap_or(online), online, usable })
}

fn system(what: &'static str) -> impl Fn(io::Error) -> ProbeError {
    move |source| ProbeError::System {
        what,
        source,
        remedy: "this kernel or container may forbid a system call that every run needs",
    }
}

struct TeamResult {
    start_ns: u64,
    recorded: Recorded,
    workers: Vec<Worked>,
    stopped: Option<Reason>,
    changes: Changes,
}

fn measure_with_team(
    around: &Surroundings,
    plan: &Plan,
    source: &dyn WaitSource,
    outlets: Outlets<'_>,
) -> Result<TeamResult, ProbeError> {
    let requests = WorkerRequest::all_of(plan, plan.stop_above.and_then(|_| around.marked_trace()));
    let layout = Layout::of(&requests);
    let memory = SharedMemory::new(layout.words()).map_err(|source| ProbeError::System {
        what: "allocating memory for the samples",
        source,
        remedy: "free some memory or give a longer --period; prazo keeps the samples of ten seconds in memory",
    })?;
    let shared = Shared { memory: &memory, layout: &layout, stop: outlets.stop, source };
    thread::scope(|scope| {
        let mut team = Team::assemble(scope, &requests, shared)?;
        let before = Before::look(around, followed(plan, &team, source));
        let start_ns = clock::monotonic_ns() + LEAD_NS;
        let follower = before.follow(scope, start_ns).map_err(not_followed)?;
        outlets.sink.prepared(&team.thread_ids(), start_ns);
        let recorder = Recorder::new(assignment(plan, start_ns, shared), outlets);
        team.start(start_ns);
        source.begin(start_ns);
        let recorded = recorder.run(&mut team)?;
        let stopped = team.control().reason();
        let changes = follower.finish();
        Ok(TeamResult { start_ns, workers: workers(plan, &team, &recorded), recorded, stopped, changes })
    })
}

/// The processors on which measuring threads run: those of the plan, and those to which its threads move.
fn used(plan: &Plan, source: &dyn WaitSource) -> Vec<u32> {
    let own: Vec<u32> = plan.threads.iter().map(|thread| thread.cpu).collect();
    let also: BTreeSet<u32> = own.iter().filter_map(|cpu| source.also_used(*cpu)).collect();
    let also: Vec<u32> = also.into_iter().filter(|cpu| !own.contains(cpu)).collect();
    [own, also].concat()
}

fn followed(plan: &Plan, team: &Team<'_, '_>, source: &dyn WaitSource) -> Followed {
    Followed {
        cpus: used(plan, source),
        threads: plan
            .threads
            .iter()
            .map(|thread| thread.cpu)
            .zip(team.thread_ids())
            .map(FollowedThread::measuring)
            .collect(),
        rival_priority: rivals::priority(plan.policy),
        move_themselves: plan.source.moves_its_threads(),
    }
}

/// The follower's thread could not be started.
pub fn not_followed(source: io::Error) -> ProbeError {
    ProbeError::System {
        what: "starting the thread that monitors the run",
        source,
        remedy: "raise the limit on the number of processes (ulimit -u, or the container's pids limit)",
    }
}

fn assignment<'m>(plan: &Plan, start_ns: u64, shared: Shared<'m>) -> Assignment<'m> {
    let frame = |series: usize| Frame {
        series,
        start_ns,
        period_ns: plan.threads[series].period.as_ns(),
        deadline_ns: plan.deadline.map(Duration::as_ns),
        warm_up_ns: plan.warm_up.as_ns(),
        has_due_grid: plan.has_due_grid(),
    };
    let ring = |number| Consumer::over(shared.layout.ring(shared.memory.words(), number));
    Assignment {
        start_ns,
        planned: plan.run_length(),
        warm_up: plan.warm_up_kept_apart(),
        counted: Counted::of(plan),
        cpus: plan.threads.iter().map(|thread| thread.cpu).collect(),
        consumers: (0..plan.threads.len()).map(ring).collect(),
        frames: (0..plan.threads.len()).map(frame).collect(),
    }
}

/// Joins what each worker said with what its samples add up to. All have ended, so each has said both.
fn workers(plan: &Plan, team: &Team<'_, '_>, recorded: &Recorded) -> Vec<Worked> {
    let reports = plan.threads.iter().zip(team.reports()).zip(&recorded.totals);
    reports
        .filter_map(|((thread, (prepared, finished)), totals)| {
            Some(Worked { cpu: thread.cpu, prepared: prepared?, finished: finished?, totals: *totals })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::SetupError;
    use crate::worker::{Activations, Finished};

    /// Threads that move to the next processor; the last one to the first.
    struct Moving;

    impl WaitSource for Moving {
        fn serve(&self, _activations: Activations<'_>) -> Result<Finished, SetupError> {
            Ok(Finished::default())
        }
        fn also_used(&self, cpu: u32) -> Option<u32> {
            Some((cpu + 1) % 4)
        }
    }

    #[test]
    fn a_processor_to_which_a_thread_moves_is_followed_once_behind_those_of_the_plan() {
        let used = |cpus: &[u32]| used(&crate::plans::plan(cpus), &Moving);
        assert_eq!(used(&[0]), [0, 1]);
        assert_eq!(used(&[0, 1, 3]), [0, 1, 3, 2]);
        assert_eq!(used(&[0, 1, 2, 3]), [0, 1, 2, 3]);
    }
}
