//! The tasks of the inversion, as threads and as the simulator has them.

use prazo_core::time::Duration;
use prazo_run::jobs::{Dispatch, Executions, Protocol, Releases, Section, SetPlan, TaskPlan};
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
    pub(crate) protocol: Protocol,
    /// What the task in the middle executes; `None` for the nested tasks.
    pub(crate) middle_ns: Option<u64>,
    jobs: Vec<LockedJob>,
}

impl Setting {
    /// Each middle under each protocol; the nested tasks without locks, and with those that lend urgency.
    pub(crate) fn all(middles: &[Duration]) -> Vec<Self> {
        let protocols = [Protocol::Plain, Protocol::Inherit, Protocol::Protect];
        let of = |protocol: Protocol| middles.iter().map(move |middle| Self::three(protocol, middle.as_ns()));
        protocols.into_iter().flat_map(of).chain(protocols.map(Self::nested)).collect()
    }

    fn three(protocol: Protocol, middle_ns: u64) -> Self {
        let name = format!("{}-{}", protocol.name(), Duration::from_ns(middle_ns));
        Self {
            name,
            protocol,
            middle_ns: Some(middle_ns),
            jobs: inversion::three(Duration::from_ns(middle_ns)).to_vec(),
        }
    }

    /// Plain ones take no lock: they are what the switches of the others are counted from.
    fn nested(protocol: Protocol) -> Self {
        let (name, mut jobs) = (format!("nested-{}", protocol.name()), inversion::nested().to_vec());
        if protocol != Protocol::Plain {
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
            Protocol::Plain => locks::Protocol::Plain,
            Protocol::Inherit => locks::Protocol::Inherit,
            Protocol::Protect => locks::Protocol::Protect,
        };
        locks::run(&self.jobs, protocol).expect("no two of these tasks take locks in opposite orders")
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

fn section(of: &locks::Section) -> Section {
    Section { lock: of.lock as u32, from_ns: of.from.as_ns(), to_ns: of.to.as_ns() }
}
