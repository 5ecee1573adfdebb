//! Deployed tasks, followed job by job, and why their worst jobs took so long.
//!
//! A job is what lies between a thread's wake-up and the block that ends it; a task that blocks within a job shows several. Its
//! arrival is its timer's programmed expiry where a timer woke it. Nothing of the tasks changes, and they need not be ours.

mod account;
mod job;
mod task;

pub use account::JobAccount;
pub use task::FollowedTask;

use super::program::{Program, Wanted};
use super::record::{Off, Record};
use crate::split::causes::Devices;
use crate::split::events::{Events, Stretch};
use crate::split::{NoSplit, cause};
use account::Candidate;
use job::Jobs;
use prazo_core::cpu::CpuSet;
use prazo_core::text::counted;
use prazo_platform::root::Root;
use prazo_run::split::{SampleExplanation, Share, Taker};
use prazo_sys::clock::monotonic_ns;
use std::collections::BTreeMap;

/// How many jobs are looked into in one round, the worst of it: watching must stay cheap.
const EXPLAINED_A_ROUND: usize = 8;
/// How many seconds of jobs the kernel's ring holds at least.
const SECONDS_HELD: u64 = 10;

/// Follows some tasks; everything it has in the kernel is gone when it is dropped.
pub struct JobFollower {
    program: Program,
    events: Result<Events, NoSplit>,
    devices: Devices,
    tasks: Vec<FollowedTask>,
    jobs: Vec<Jobs>,
    accounts: Vec<JobAccount>,
    places: BTreeMap<u32, usize>,
    /// The worst jobs since the last round.
    worst: BTreeMap<usize, Candidate>,
    /// When everything was attached; a job whose thread was woken earlier is not counted.
    from_ns: u64,
    /// When the ring was last emptied.
    to_ns: u64,
}

impl JobFollower {
    /// Attaches to the kernel; the tasks are followed from now on.
    pub fn attach(root: &Root, tasks: Vec<FollowedTask>) -> Result<Self, NoSplit> {
        let cpus = tasks.iter().map(|task| task.cluster).reduce(CpuSet::union);
        let cpus: Vec<u32> =
            cpus.iter().flat_map(|cpus| cpus.iter().map(|cpu| cpu.number()).collect::<Vec<_>>()).collect();
        let events = Events::attach(root, &cpus);
        let places: BTreeMap<u32, usize> =
            tasks.iter().enumerate().map(|(place, task)| (task.thread_id, place)).collect();
        if places.len() != tasks.len() {
            return Err(NoSplit::Collision);
        }
        let mut program = Program::attach(root, Wanted::Jobs { threads: tasks.len() as u32, room: room(&tasks) })?;
        tasks.iter().try_for_each(|task| program.follow_away(task.thread_id))?;
        let from_ns = monotonic_ns();
        let jobs = tasks.iter().map(|task| Jobs::new(task.cluster, from_ns)).collect();
        let accounts = vec![JobAccount::default(); tasks.len()];
        let (devices, worst, to_ns) = (Devices::default(), BTreeMap::new(), from_ns);
        Ok(Self { program, events, devices, tasks, jobs, accounts, places, worst, from_ns, to_ns })
    }

    /// Why no causes are looked for, where none are.
    pub fn no_causes(&self) -> Option<String> {
        self.events.as_ref().err().map(ToString::to_string)
    }

    /// The time whose jobs have been taken in: from a moment after the last program was attached to the last call of `poll`.
    pub fn watched_ns(&self) -> u64 {
        self.to_ns - self.from_ns
    }

    /// Empties the kernel's ring; several times a second, so that tasks which are preempted often find room in it.
    pub fn drain(&mut self) {
        let Self { program, tasks, jobs, accounts, places, worst, .. } = self;
        program.drain(|record| {
            let Record::Off(off) = record else { return };
            let Some(&place) = places.get(&off.thread_id) else { return };
            if let Some(job) = jobs[place].came_back(&off) {
                take_in(worst, place, accounts[place].add(&tasks[place], &job));
            }
        });
    }

    /// Takes in the jobs that have ended since the last call.
    pub fn poll(&mut self) -> &[JobAccount] {
        // Before the ring is emptied: what is over of these stretches is then in it.
        let away: Vec<Option<Off>> = self.tasks.iter().map(|task| self.program.away(task.thread_id)).collect();
        self.drain();
        let drained_ns = monotonic_ns();
        for (place, off) in away.iter().enumerate() {
            let (task, jobs, account) = (&self.tasks[place], &mut self.jobs[place], &mut self.accounts[place]);
            if let Some(job) = off.as_ref().and_then(|off| jobs.is_away(off)) {
                take_in(&mut self.worst, place, account.add(task, &job));
            }
            account.rest(task, (jobs.lost(), jobs.arrival_ns(off.as_ref())), drained_ns);
        }
        self.to_ns = drained_ns;
        let worst = std::mem::take(&mut self.worst);
        self.explain(&worst);
        &self.accounts
    }

    /// Looks into the worst of this round.
    fn explain(&mut self, worst: &BTreeMap<usize, Candidate>) {
        let Ok(events) = &self.events else { return };
        let mut chosen: Vec<(&usize, &Candidate)> = worst.iter().collect();
        chosen.sort_by_key(|(_, one)| std::cmp::Reverse(one.sample.latency_ns));
        for (place, one) in chosen.into_iter().take(EXPLAINED_A_ROUND) {
            let stretch = events.between(one.window.cpu, one.window.from_ns, one.window.to_ns);
            stretch.events.iter().for_each(|event| self.devices.learn(event));
            self.accounts[*place].keep(explained(one, &stretch, &self.devices));
        }
    }
}

/// Of a task's candidates the worst is kept.
fn take_in(worst: &mut BTreeMap<usize, Candidate>, place: usize, one: Option<Candidate>) {
    let Some(one) = one else { return };
    let kept = worst.entry(place).or_insert(one);
    if one.sample.latency_ns > kept.sample.latency_ns {
        *kept = one;
    }
}

/// How many stretches the ring has room for: ten seconds of all tasks' jobs, each preempted once.
fn room(tasks: &[FollowedTask]) -> u64 {
    let each = |task: &FollowedTask| SECONDS_HELD * 1_000_000_000 / task.period_ns.max(1) + 1;
    tasks.iter().map(each).fold(0, u64::saturating_add).saturating_mul(2)
}

fn explained(one: &Candidate, stretch: &Stretch, devices: &Devices) -> SampleExplanation {
    let shares = cause::shares(&one.window, stretch, &|number| devices.name(number));
    let explanation = one_for_all(&shares);
    let sentence = cause::sentence(one.sample.latency_ns, &explanation, cause::moved_to(&one.window, stretch));
    let throttled = match one.throttled {
        0 => String::new(),
        times => format!(", throttled {}", counted(u64::from(times), "time")),
    };
    SampleExplanation { sample: one.sample, sentence: sentence + &throttled, shares }
}

/// While a thread is throttled, many others may run for a short time each: they become one share with the name of the longest.
fn one_for_all(shares: &[Share]) -> Vec<Share> {
    let (instead, mut explanation): (Vec<Share>, Vec<Share>) =
        shares.iter().cloned().partition(|share| share.taker == Taker::Throttled);
    if let [first, _, ..] = &instead[..] {
        let length_ns = instead.iter().map(|share| share.length_ns).sum();
        explanation.push(Share { length_ns, name: format!("{} and other threads", first.name), ..first.clone() });
        explanation.sort_by_key(|share| std::cmp::Reverse(share.length_ns));
        return explanation;
    }
    shares.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_does_not_describe_its_structures_is_not_watched_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let task = FollowedTask {
            thread_id: 7,
            cluster: "0".parse().unwrap(),
            period_ns: 1,
            deadline_ns: 1,
            budget_ns: None,
            priority: None,
        };
        let refused = JobFollower::attach(&Root::at(folder.path()), vec![task]).err().expect("there are no types");
        assert!(matches!(refused, NoSplit::NoTypes(_) | NoSplit::NotBuilt), "{refused}");
    }

    #[test]
    fn many_that_ran_instead_are_told_as_one() {
        let share = |taker, name: &str, length_ns| Share { taker, name: name.into(), cpu: 1, length_ns };
        let own = share(Taker::Task, "", 9);
        let several = [own.clone(), share(Taker::Throttled, "cc1", 8), share(Taker::Throttled, "ld", 3)];
        assert_eq!(one_for_all(&several), [share(Taker::Throttled, "cc1 and other threads", 11), own.clone()]);
        let single = [share(Taker::Throttled, "cc1", 8), own];
        assert_eq!(one_for_all(&single), single);
    }
}
