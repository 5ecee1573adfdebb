//! From clusters and carriers to steps, each with its undo; pure.
//!
//! The order matters to the kernel: a thread enters its group before it asks for a deadline (its affinity must cover the root
//! domain then), a deadline thread's affinity can no longer be changed, and all partitions stand before anybody asks, since
//! making one moves bandwidth between domains. A thread that sleeps is moved no sooner than it wakes, so each is waited for before
//! it asks. Undone in reverse, each holds again.

use crate::carrier::ThreadSnapshot;
use crate::partition::{ClusterGroup, Ground, Layout, PartitionError, stem};
use crate::step::SystemChange;
use prazo_core::cpu::CpuSet;
use prazo_platform::tunable::{Thread, ThreadSetting};
use prazo_sys::scheduling::{RESET_ON_FORK, SCHED_DEADLINE, SCHED_FIFO, SchedAttr};
use std::collections::BTreeSet;
use std::time::Duration;

/// A task with its place and what carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The task's name.
    pub task: String,
    /// The index of its cluster.
    pub cluster: usize,
    /// How it is to be scheduled.
    pub attr: SchedAttr,
    /// The thread.
    pub found: ThreadSnapshot,
    /// True where it is a command that was started for the task, and ends with the deployment.
    pub is_started: bool,
}

/// What would be done, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Where the members of each cluster go.
    pub layout: Layout,
    /// The steps.
    pub steps: Vec<SystemChange>,
}

/// A deadline task: so much in every period, due within the deadline. Its children start as ordinary threads.
pub fn deadline(runtime_ns: u64, deadline_ns: u64, period_ns: u64) -> SchedAttr {
    SchedAttr {
        policy: SCHED_DEADLINE,
        flags: RESET_ON_FORK,
        runtime_ns,
        deadline_ns,
        period_ns,
        ..SchedAttr::default()
    }
}

/// A task of a fixed priority. Its children start as ordinary threads.
pub fn fifo(priority: u32) -> SchedAttr {
    SchedAttr { policy: SCHED_FIFO, flags: RESET_ON_FORK, priority, ..SchedAttr::default() }
}

impl Plan {
    /// The plan for these members in these clusters.
    pub fn of(clusters: &[CpuSet], members: &[Member], ground: &Ground) -> Result<Self, PartitionError> {
        Self::named(clusters, members, ground, &stem())
    }

    /// The same; `stem` begins the groups' names.
    fn named(clusters: &[CpuSet], members: &[Member], ground: &Ground, stem: &str) -> Result<Self, PartitionError> {
        let layout = Layout::of(clusters, ground, stem)?;
        let mut steps = layout.steps();
        let mut moves = Moves { layout: &layout, members, moved: BTreeSet::new() };
        for member in members {
            let place = &layout.places()[member.cluster];
            steps.extend(before(member, place));
            steps.extend(moves.steps(member, place));
        }
        let deadlines = members.iter().filter(|member| member.attr.policy == SCHED_DEADLINE);
        steps.extend(deadlines.map(|member| settle(member, &layout.places()[member.cluster])));
        steps.extend(members.iter().map(|member| set(member, ThreadSetting::Policy { attr: member.attr })));
        Ok(Self { layout, steps })
    }

    /// The same where threads that do not wake by themselves may be woken.
    pub fn waking(mut self, wake: bool) -> Self {
        for step in &mut self.steps {
            if let SystemChange::Settle { wake: may, .. } = step {
                *may = wake;
            }
        }
        self
    }

    /// True where the process ends with a control group.
    pub(crate) fn encloses(&self, process: Thread) -> bool {
        self.steps
            .iter()
            .any(|step| matches!(step, SystemChange::Enclose { process: enclosed, .. } if *enclosed == process))
    }

    /// The steps up to where everybody is in place, and those that follow.
    pub(crate) fn parts(&self) -> (&[SystemChange], &[SystemChange]) {
        let settles = |step: &SystemChange| matches!(step, SystemChange::Settle { .. });
        self.steps.split_at(self.steps.iter().position(settles).unwrap_or(self.steps.len()))
    }
}

/// Two of its periods, and two seconds for those that come later than they say.
fn settle(member: &Member, place: &ClusterGroup) -> SystemChange {
    let ThreadSnapshot { thread, process, .. } = member.found;
    let patience = Duration::from_secs(2) + Duration::from_nanos(member.attr.period_ns.saturating_mul(2));
    SystemChange::Settle { task: member.task.clone(), thread, process, cpus: place.cpus, patience, wake: false }
}

fn set(member: &Member, setting: ThreadSetting) -> SystemChange {
    SystemChange::thread(&member.task, member.found.thread, setting)
}

/// A deadline thread cannot be moved to another affinity, and one that is bound to less than its cluster cannot become one.
fn before(member: &Member, place: &ClusterGroup) -> Vec<SystemChange> {
    let mut steps = Vec::new();
    let is_deadline = |attr: &SchedAttr| attr.policy == SCHED_DEADLINE;
    if is_deadline(&member.found.attr) {
        let other = SchedAttr { policy: libc::SCHED_OTHER as u32, flags: RESET_ON_FORK, ..SchedAttr::default() };
        steps.push(set(member, ThreadSetting::Policy { attr: other }));
    } else if is_deadline(&member.attr) && member.found.attr.flags & RESET_ON_FORK == 0 {
        // A fork that is under way when its parent gets a deadline would fail, were its children not told apart before.
        let attr = SchedAttr { flags: member.found.attr.flags | RESET_ON_FORK, ..member.found.attr };
        steps.push(set(member, ThreadSetting::Policy { attr }));
    }
    if place.cpus.difference(member.found.affinity).is_some() {
        steps.push(set(member, ThreadSetting::Affinity { cpus: place.cpus.to_string() }));
    }
    steps
}

/// Who is moved, and how.
struct Moves<'a> {
    layout: &'a Layout,
    members: &'a [Member],
    /// Processes that are moved already.
    moved: BTreeSet<u32>,
}

impl Moves<'_> {
    /// A process goes as a whole with its first task, unless its tasks belong to several clusters.
    fn steps(&mut self, member: &Member, place: &ClusterGroup) -> Vec<SystemChange> {
        let Some(folder) = &place.folder else { return Vec::new() };
        if member.is_started {
            return self.layout.enclose(place, &member.task, member.found.process);
        }
        let is_first = self.moved.insert(member.found.process.id);
        match (self.is_divided(member.found.process), self.layout.domain()) {
            (true, Some(mount)) => self.in_domain(member, place, is_first.then_some(mount)),
            (true, None) => vec![self.step(member, member.found.thread, folder, false)],
            // What stays with the root stays in its own group, which may limit its memory.
            (false, Some(_)) if place.is_rest => Vec::new(),
            (false, _) if is_first => vec![self.step(member, member.found.process, folder, true)],
            (false, _) => Vec::new(),
        }
    }

    /// True where some thread of the process belongs to another cluster than the rest of it.
    fn is_divided(&self, process: Thread) -> bool {
        let mut of_it = self.members.iter().filter(|member| member.found.process == process);
        let first = of_it.next();
        let has_main = self.members.iter().any(|member| member.found.thread == process);
        !has_main || first.is_some_and(|first| of_it.any(|other| other.cluster != first.cluster))
    }

    /// On version 2 threads move only between groups of one domain, so the process has to be in the root's first.
    fn in_domain(&self, member: &Member, place: &ClusterGroup, mount: Option<&str>) -> Vec<SystemChange> {
        let mut steps: Vec<SystemChange> =
            mount.map(|mount| self.step(member, member.found.process, mount, true)).into_iter().collect();
        if let (Some(folder), false) = (&place.folder, place.is_rest) {
            steps.push(self.step(member, member.found.thread, folder, false));
        }
        steps
    }

    fn step(&self, member: &Member, thread: Thread, folder: &str, whole: bool) -> SystemChange {
        SystemChange::thread(&member.task, thread, ThreadSetting::Group { file: self.layout.file(folder, whole) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_platform::root_domain::Mechanism;

    const MS: u64 = 1_000_000;

    fn set_of(list: &str) -> CpuSet {
        list.parse().unwrap()
    }

    fn ground(way: Mechanism) -> Ground {
        let online = set_of("0-3");
        Ground { way: Ok(way), online, free: Some(online), owners: Vec::new(), mems: "0".into() }
    }

    fn member(task: &str, cluster: usize, thread: u32, process: u32) -> Member {
        let found = ThreadSnapshot {
            thread: Thread { id: thread, started_ticks: 5 },
            process: Thread { id: process, started_ticks: 5 },
            attr: SchedAttr { flags: RESET_ON_FORK, ..SchedAttr::default() },
            affinity: set_of("0-3"),
        };
        Member { task: task.into(), cluster, attr: deadline(MS, 10 * MS, 10 * MS), found, is_started: false }
    }

    /// The steps behind those that make the groups.
    fn of_members(clusters: &[&str], members: &[Member], way: Mechanism) -> Vec<String> {
        let clusters: Vec<CpuSet> = clusters.iter().map(|list| set_of(list)).collect();
        let plan = Plan::named(&clusters, members, &ground(way), "prazo-7").unwrap();
        let groups = plan.layout.steps().len();
        plan.steps[groups..].iter().map(ToString::to_string).collect()
    }

    fn v2() -> Mechanism {
        Mechanism::Partition("/sys/fs/cgroup".into())
    }

    #[test]
    fn everybody_is_in_place_before_anybody_asks_for_a_deadline() {
        let members = [member("a", 0, 10, 10), member("b", 1, 11, 11)];
        assert_eq!(
            of_members(&["0", "1"], &members, v2()),
            [
                "task 'a', thread 10: group /sys/fs/cgroup/prazo-7-0",
                "task 'b', thread 11: group /sys/fs/cgroup/prazo-7-1",
                "task 'a', thread 10: wait until it has run on processors 0",
                "task 'b', thread 11: wait until it has run on processors 1",
                "task 'a', thread 10: policy deadline, budget 1000 µs in every 10000 µs, due within 10000 µs",
                "task 'b', thread 11: policy deadline, budget 1000 µs in every 10000 µs, due within 10000 µs",
            ]
        );
    }

    #[test]
    fn what_stays_with_the_root_stays_in_its_own_group() {
        let members = [member("a", 0, 10, 10), member("b", 1, 11, 11)];
        let steps = of_members(&["0", "1-3"], &members, v2());
        assert!(steps.iter().all(|step| !(step.contains("'b'") && step.contains("group"))), "{steps:?}");
        let v1 = of_members(&["0", "1-3"], &members, Mechanism::Cpusets("/sys/fs/cgroup/cpuset".into()));
        assert_eq!(v1[1], "task 'b', thread 11: group /sys/fs/cgroup/cpuset/prazo-7-1");
    }

    #[test]
    fn threads_of_one_process_can_be_in_several_clusters() {
        let members = [member("a", 0, 10, 10), member("b", 1, 11, 10), member("c", 2, 12, 10)];
        let domain = "task 'a', thread 10: group /sys/fs/cgroup";
        assert_eq!(
            of_members(&["0", "1", "2-3"], &members, v2())[..3],
            [
                domain,
                "task 'a', thread 10: group /sys/fs/cgroup/prazo-7-0",
                "task 'b', thread 11: group /sys/fs/cgroup/prazo-7-1",
            ],
            "the third stays with the root"
        );
        let alone = of_members(&["0", "1"], &[member("b", 1, 11, 10)], v2());
        let process = "task 'b', thread 10: group /sys/fs/cgroup";
        assert_eq!(alone[..2], [process, "task 'b', thread 11: group /sys/fs/cgroup/prazo-7-1"]);
        let together = of_members(&["0", "1"], &[member("a", 1, 10, 10), member("b", 1, 11, 10)], v2());
        assert_eq!(together.len(), 1 + 4, "the second came along with its process");
    }

    #[test]
    fn one_that_is_bound_to_less_is_unbound_first_and_one_with_a_deadline_loses_it_first() {
        let mut bound = member("a", 0, 10, 10);
        bound.found.affinity = set_of("1");
        bound.found.attr = deadline(MS, 5 * MS, 5 * MS);
        let steps = of_members(&["0-1"], &[bound], v2());
        let lost = "task 'a', thread 10: policy other, nice 0, not inherited by children";
        assert_eq!(steps[..2], [lost, "task 'a', thread 10: processors 0-1"]);
        let mut plain = member("a", 0, 10, 10);
        plain.found.attr.flags = 0;
        assert_eq!(of_members(&["0-3"], &[plain], v2())[0], lost, "so that a fork under way does not fail");
        assert_eq!(of_members(&["0-3"], &[member("a", 0, 10, 10)], v2()).len(), 2, "nothing but its policy");
    }

    #[test]
    fn a_started_command_is_never_put_back_where_it_came_from() {
        let started = Member { is_started: true, ..member("a", 0, 10, 10) };
        let steps = of_members(&["0", "1-3"], &[started, member("b", 0, 11, 11)], v2());
        let into = "task 'a', process 10: move it and all processes that it starts into";
        assert_eq!(steps[2], format!("{into} /sys/fs/cgroup/prazo-7-0/prazo-command-10"));
        assert_eq!(steps[3], "task 'b', thread 11: group /sys/fs/cgroup/prazo-7-0");
    }

    #[test]
    fn every_step_says_what_undoes_it() {
        let plan = Plan::of(&[set_of("0")], &[member("a", 0, 10, 10)], &ground(v2())).unwrap();
        assert!(plan.steps.iter().all(|step| !step.undo().is_empty()));
    }
}
