//! The tasks of the inversion, as threads and as the simulator has them.

use prazo_analysis::blocking::System;
use prazo_analysis::blocking::fixed_priority;
use prazo_analysis::{Budget, Response, Task};
use prazo_core::behaviour::{Behaviour, CriticalSection, Locking, NonPreemptive};
use prazo_core::time::Duration;
use prazo_run::jobs::{self, Dispatch, Executions, LockProtocol, Releases, SetPlan, TaskPlan};
use prazo_sim::inversion;
use prazo_sim::locks::{self, LockSchedule, LockedJob};

/// How finely threads work: preemptions are seen as finely.
const STEP_NS: u64 = 20_000;
/// The most urgent task's priority; the others follow.
const PRIORITY: u8 = 90;

/// One set under one protocol.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// What it is called.
    pub(crate) name: String,
    pub(crate) protocol: LockProtocol,
    /// What the task in the middle executes; `None` for the nested tasks.
    pub(crate) middle_ns: Option<u64>,
    jobs: Vec<LockedJob>,
}

impl Setting {
    /// Each middle under each protocol; the nested tasks without locks, and with those that lend urgency.
    pub(crate) fn all(middles: &[Duration]) -> Vec<Self> {
        let protocols = [LockProtocol::Plain, LockProtocol::Inherit, LockProtocol::Protect];
        let of = |protocol: LockProtocol| middles.iter().map(move |middle| Self::three(protocol, middle.as_ns()));
        protocols.into_iter().flat_map(of).chain(protocols.map(Self::nested)).collect()
    }

    fn three(protocol: LockProtocol, middle_ns: u64) -> Self {
        let name = format!("{}-{}", protocol.name(), Duration::from_ns(middle_ns));
        Self {
            name,
            protocol,
            middle_ns: Some(middle_ns),
            jobs: inversion::three(Duration::from_ns(middle_ns)).to_vec(),
        }
    }

    /// Plain ones take no lock: they are what the switches of the others are counted from.
    fn nested(protocol: LockProtocol) -> Self {
        let (name, mut jobs) = (format!("nested-{}", protocol.name()), inversion::nested().to_vec());
        if protocol != LockProtocol::Plain {
            return Self { name, protocol, middle_ns: None, jobs };
        }
        jobs.iter_mut().for_each(|job| job.sections.clear());
        Self { name: "nested-unlocked".to_owned(), protocol, middle_ns: None, jobs }
    }

    /// The jobs, the most urgent first.
    pub(crate) fn jobs(&self) -> &[LockedJob] {
        &self.jobs
    }

    /// What threads shall do on processor `cpu`.
    pub(crate) fn plan(&self, cpu: u32) -> SetPlan {
        let last_ns = self.jobs.iter().map(|job| job.release.as_ns()).max().unwrap_or(0);
        let all_ns: u64 = self.jobs.iter().map(|job| job.execution.as_ns()).sum();
        // A deadline that nobody misses, however long the most urgent one waits.
        let deadline_ns = 10 * (last_ns + all_ns);
        let task = |(place, job): (usize, &LockedJob)| TaskPlan {
            name: ["urgent", "middle", "low"][place.min(2)].to_owned(),
            cluster: 0,
            period_ns: deadline_ns,
            deadline_ns,
            releases: Releases::Listed { at_ns: vec![job.release.as_ns()] },
            executions: Executions::Constant { ns: job.execution.as_ns() },
            reservation: None,
            priority: Some(PRIORITY - place as u8),
            sections: job.sections.iter().map(section).collect(),
        };
        SetPlan {
            name: self.name.clone(),
            dispatch: Dispatch::Fifo,
            clusters: vec![vec![cpu]],
            tasks: self.jobs.iter().enumerate().map(task).collect(),
            length_ns: last_ns + 1,
            step_ns: STEP_NS,
            spare_ns: Some(0),
            protocol: self.protocol,
        }
    }

    /// What the simulator makes of it.
    pub(crate) fn simulated(&self) -> LockSchedule {
        let protocol = match self.protocol {
            LockProtocol::Plain => locks::LockProtocol::Plain,
            LockProtocol::Inherit => locks::LockProtocol::Inherit,
            LockProtocol::Protect => locks::LockProtocol::Protect,
        };
        locks::run(&self.jobs, protocol).expect("no two of these tasks take locks in opposite orders")
    }

    /// A bound on the response of the most urgent task whenever the tasks arrive, in nanoseconds; or why there is none.
    pub(crate) fn bound(&self) -> Result<u64, &'static str> {
        let sections: Vec<Vec<CriticalSection>> = self.jobs.iter().map(longest_sections).collect();
        let locking = match self.protocol {
            LockProtocol::Plain if sections.iter().any(|sections| !sections.is_empty()) => {
                return Err("without a protocol, less urgent tasks may delay the most urgent one without bound");
            }
            LockProtocol::Inherit if self.jobs.iter().any(nests) => {
                return Err("the bound under inheritance does not cover nested critical sections");
            }
            LockProtocol::Plain | LockProtocol::Protect => Locking::Srp,
            LockProtocol::Inherit => Locking::Pip,
        };
        let tasks = self.plan(0).tasks;
        let task = |(plan, job): (&TaskPlan, &LockedJob)| Task::implicit(job.execution.as_ns(), plan.period_ns);
        let tasks: Vec<Task> = tasks.iter().zip(&self.jobs).map(task).collect();
        let of_tasks = sections.iter().map(|sections| self.behaviour(sections)).collect();
        let system = System::new(tasks, of_tasks, locking);
        match fixed_priority::responses(&system, &mut Budget::unlimited()).ok().and_then(|all| all.first().copied()) {
            Some(Response::Within(bound)) => Ok(bound),
            _ => Err("no bound within the deadline was found"),
        }
    }

    fn behaviour<'a>(&self, sections: &'a [CriticalSection]) -> Behaviour<'a> {
        match self.protocol {
            // Who holds a lock is more urgent than all others, whoever uses that lock.
            LockProtocol::Protect => {
                let longest = sections.iter().map(|section| section.length).max().unwrap_or(0);
                Behaviour { non_preemptive: NonPreemptive::floating(longest), ..Behaviour::default() }
            }
            LockProtocol::Plain | LockProtocol::Inherit => Behaviour { sections, ..Behaviour::default() },
        }
    }

    /// When the most urgent task arrives.
    pub(crate) fn urgent_release_ns(&self) -> u64 {
        self.jobs[0].release.as_ns()
    }

    /// Each task's name, in order of urgency.
    pub(crate) fn names(&self) -> Vec<String> {
        self.plan(0).tasks.into_iter().map(|task| task.name).collect()
    }
}

/// The longest section of each lock, nested ones included.
fn longest_sections(job: &LockedJob) -> Vec<CriticalSection> {
    let mut longest: Vec<CriticalSection> = Vec::new();
    for section in &job.sections {
        let (resource, length) = (section.lock as u32, section.to.saturating_sub(section.from).as_ns());
        match longest.iter_mut().find(|one| one.resource == resource) {
            Some(one) => one.length = one.length.max(length),
            None => longest.push(CriticalSection::once(resource, length)),
        }
    }
    longest
}

/// True if a section of the job begins within another one.
fn nests(job: &LockedJob) -> bool {
    let within = |one: &locks::CriticalSection, other: &locks::CriticalSection| {
        one.lock != other.lock && other.from <= one.from && one.from < other.to
    };
    job.sections.iter().any(|one| job.sections.iter().any(|other| within(one, other)))
}

fn section(of: &locks::CriticalSection) -> jobs::CriticalSection {
    jobs::CriticalSection { lock: of.lock as u32, from_ns: of.from.as_ns(), to_ns: of.to.as_ns() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::event::EventKind;

    #[test]
    fn the_bound_is_the_section_of_another_and_no_simulated_response_passes_it() {
        let middles = [40, 80, 160].map(Duration::from_ms);
        let mut bounds = Vec::new();
        for setting in Setting::all(&middles) {
            let events = setting.simulated().events;
            let is_end = |event: &&prazo_core::event::Event| {
                event.task.index() == 0 && matches!(event.kind, EventKind::Completion { .. })
            };
            let response = events.iter().find(is_end).unwrap().at.as_ns() - setting.urgent_release_ns();
            let bound = setting.bound().ok();
            assert!(bound.is_none_or(|bound| response <= bound), "{}: {response} {bound:?}", setting.name);
            bounds.push((setting.name.clone(), bound.map(|ns| ns / 1_000_000)));
        }
        let of = |name: &str| bounds.iter().find(|(one, _)| one == name).unwrap().1;
        assert_eq!(
            (of("plain-40ms"), of("inherit-40ms"), of("protect-160ms")),
            (None, Some(24), Some(24)),
            "{bounds:?}"
        );
        assert_eq!(
            (of("nested-unlocked"), of("nested-inherit"), of("nested-protect")),
            (Some(10), None, Some(50)),
            "{bounds:?}"
        );
    }
}
