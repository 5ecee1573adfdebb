//! Tasks that already run, watched job by job from inside a stock kernel, and why their worst jobs took so long.
//!
//! A job is what lies between a thread's wake-up and the block that ends it; a task that blocks within a job shows several. Its
//! arrival is its timer's programmed expiry where a timer woke it. Nothing of the tasks changes, and they need not be ours.

mod account;
mod program;
mod record;
mod watched;

pub use account::{Account, WORST_KEPT};
pub use watched::Watched;

use crate::split::causes::Devices;
use crate::split::events::{Events, Stretch};
use crate::split::{NoSplit, cause};
use account::Candidate;
use prazo_core::text::counted;
use prazo_platform::root::Root;
use prazo_run::split::{Cause, Share, Taker};
use prazo_sys::clock::monotonic_ns;
use program::Program;
use std::collections::{BTreeMap, BTreeSet};

/// Where a kernel describes its structures.
const KERNEL_TYPES: &str = "sys/kernel/btf/vmlinux";

/// How many jobs are looked into in one round, the worst of it: watching must stay cheap.
const EXPLAINED_A_ROUND: usize = 8;

/// Watches some tasks; everything it has in the kernel is gone when it is dropped.
pub struct Watch {
    program: Program,
    events: Result<Events, NoSplit>,
    devices: Devices,
    tasks: Vec<Watched>,
    accounts: Vec<Account>,
    places: BTreeMap<u32, usize>,
    /// When everything was attached; what woke before belongs to nobody's count.
    from_ns: u64,
    /// When the ring was last emptied.
    to_ns: u64,
}

impl Watch {
    /// Attaches to the kernel; the tasks are watched from now on.
    pub fn attach(root: &Root, tasks: Vec<Watched>) -> Result<Self, NoSplit> {
        let types = root.base().join(KERNEL_TYPES);
        let cpus: BTreeSet<u32> =
            tasks.iter().flat_map(|task| task.cluster.iter().map(|cpu| cpu.number()).collect::<Vec<_>>()).collect();
        let events = Events::attach(&types, &cpus.into_iter().collect::<Vec<_>>());
        let program = Program::attach(&types, &tasks)?;
        let places = tasks.iter().enumerate().map(|(place, task)| (task.thread_id, place)).collect();
        let accounts = vec![Account::default(); tasks.len()];
        let from_ns = monotonic_ns();
        Ok(Self { program, events, devices: Devices::default(), tasks, accounts, places, from_ns, to_ns: from_ns })
    }

    /// Why no causes are looked for, where none are.
    pub fn no_causes(&self) -> Option<String> {
        self.events.as_ref().err().map(ToString::to_string)
    }

    /// The time whose jobs have been taken in: from a moment after the last program was attached to the last call of `poll`.
    pub fn watched_ns(&self) -> u64 {
        self.to_ns - self.from_ns
    }

    /// Takes in the jobs that have ended since the last call; at least once in five seconds.
    pub fn poll(&mut self) -> &[Account] {
        let Self { program, tasks, accounts, places, from_ns, .. } = self;
        let mut worst: BTreeMap<usize, Candidate> = BTreeMap::new();
        program.drain(|job| {
            let Some(place) = places.get(&job.thread_id).copied().filter(|_| job.waking_ns >= *from_ns) else { return };
            if let Some(one) = accounts[place].add(&tasks[place], &job) {
                let kept = worst.entry(place).or_insert(one);
                if one.sample.latency_ns > kept.sample.latency_ns {
                    *kept = one;
                }
            }
        });
        let drained_ns = monotonic_ns();
        for (account, task) in accounts.iter_mut().zip(tasks) {
            account.rest(task, program.rest(task.thread_id), drained_ns);
        }
        self.to_ns = drained_ns;
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

fn explained(one: &Candidate, stretch: &Stretch, devices: &Devices) -> Cause {
    let shares = cause::shares(&one.window, stretch, &|number| devices.name(number));
    let explanation = one_for_all(&shares);
    let sentence = cause::sentence(one.sample.latency_ns, &explanation, cause::moved_to(&one.window, stretch));
    let throttled = match one.throttled {
        0 => String::new(),
        times => format!(", throttled {}", counted(u64::from(times), "time")),
    };
    Cause { sample: one.sample, sentence: sentence + &throttled, shares }
}

/// While a thread is throttled whoever is there runs, so that many take a little each; told is that they did, and who most.
fn one_for_all(shares: &[Share]) -> Vec<Share> {
    let (instead, mut explanation): (Vec<Share>, Vec<Share>) =
        shares.iter().cloned().partition(|share| share.taker == Taker::Throttled);
    if let [first, _, ..] = &instead[..] {
        let length_ns = instead.iter().map(|share| share.length_ns).sum();
        explanation.push(Share { length_ns, name: format!("{} or another", first.name), ..first.clone() });
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
        let task = Watched {
            thread_id: 7,
            cluster: "0".parse().unwrap(),
            period_ns: 1,
            deadline_ns: 1,
            budget_ns: None,
            priority: None,
        };
        let refused = Watch::attach(&Root::at(folder.path()), vec![task]).err().expect("there are no types");
        assert!(matches!(refused, NoSplit::NoTypes(_) | NoSplit::NotBuilt), "{refused}");
    }

    #[test]
    fn many_that_ran_instead_are_told_as_one() {
        let share = |taker, name: &str, length_ns| Share { taker, name: name.into(), cpu: 1, length_ns };
        let own = share(Taker::Task, "", 9);
        let several = [own.clone(), share(Taker::Throttled, "cc1", 8), share(Taker::Throttled, "ld", 3)];
        assert_eq!(one_for_all(&several), [share(Taker::Throttled, "cc1 or another", 11), own.clone()]);
        let single = [share(Taker::Throttled, "cc1", 8), own];
        assert_eq!(one_for_all(&single), single);
    }
}
