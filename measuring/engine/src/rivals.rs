//! Threads of other programs that run at or above the measured ones: they can delay them whatever the kernel does.

use super::surroundings::Surroundings;
use prazo_core::cpu::CpuSet;
use prazo_run::plan::Policy;
use std::fs;
use std::path::Path;

/// Another thread with a real-time policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rival {
    /// Its process.
    pub process_id: u32,
    /// The thread itself.
    pub thread_id: i32,
    /// Its name.
    pub name: String,
    /// The kernel's number of its policy.
    pub policy: u32,
    /// Its real-time priority; 0 under the deadline policy, which is above all.
    pub priority: u32,
    /// Where it may run; `None` where that cannot be read.
    pub cpus: Option<CpuSet>,
}

impl Rival {
    /// True unless it is known to stay on other processors.
    pub fn may_run_on(&self, measured: Option<CpuSet>) -> bool {
        let apart = |(cpus, measured): (CpuSet, CpuSet)| cpus.intersection(measured).is_none();
        !self.cpus.zip(measured).is_some_and(apart)
    }
}

/// The kernel's number of SCHED_DEADLINE.
pub const DEADLINE: u32 = 6;

/// True where a thread with this policy and priority preempts one with those.
pub fn is_more_urgent((policy, priority): (u32, u32), (other_policy, other_priority): (u32, u32)) -> bool {
    (policy == DEADLINE, priority) > (other_policy == DEADLINE, other_priority)
}

/// The priority that a foreign thread must have to be a rival of threads under `policy`; under `other`, every real-time thread is
/// one.
pub fn priority(policy: Policy) -> u32 {
    match policy {
        Policy::Other => 1,
        Policy::Fifo { priority } | Policy::Rr { priority } => priority.into(),
        Policy::Deadline { .. } => ABOVE_ALL,
    }
}

/// The priority from which on only deadline threads are rivals.
pub const ABOVE_ALL: u32 = 100;

/// The threads of other processes that a thread of `priority` does not preempt.
///
/// The kernel's own stopper threads (`migration/N`) are left out: every system has them, and nothing is above them.
pub fn at_or_above(priority: u32, around: &Surroundings) -> Vec<Rival> {
    let own = std::process::id();
    let processes = numbered(&around.path("proc")).filter(|process_id| *process_id != own);
    let rivals = processes
        .flat_map(|process_id| of_process(process_id, around))
        .filter(|rival| rival.policy == DEADLINE || rival.priority >= priority)
        .filter(|rival| !rival.name.starts_with("migration/"));
    rivals.map(|rival| Rival { cpus: allowed(&rival, around), ..rival }).collect()
}

/// The highest real-time priority among the threads of a process; `None` where it has none.
pub fn highest_priority(process_id: u32, around: &Surroundings) -> Option<u32> {
    let of = |rival: Rival| if rival.policy == DEADLINE { 100 } else { rival.priority };
    of_process(process_id, around).into_iter().map(of).max()
}

fn allowed(rival: &Rival, around: &Surroundings) -> Option<CpuSet> {
    let status = around.text(&format!("proc/{}/task/{}/status", rival.process_id, rival.thread_id))?;
    status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?.trim().parse().ok()
}

fn numbered(folder: &Path) -> impl Iterator<Item = u32> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The real-time threads of a process; none where it has gone meanwhile.
fn of_process(process_id: u32, around: &Surroundings) -> Vec<Rival> {
    let tasks = format!("proc/{process_id}/task");
    let threads = numbered(&around.path(&tasks));
    let of = |thread: u32| parse(process_id, thread, &around.text(&format!("{tasks}/{thread}/stat"))?);
    threads.filter_map(of).collect()
}

/// One line of `stat`: the name in parentheses may hold anything, so the figures are counted from the last one.
fn parse(process_id: u32, thread: u32, stat: &str) -> Option<Rival> {
    const PRIORITY: usize = 40 - 3;
    const POLICY: usize = 41 - 3;
    let (front, figures) = stat.rsplit_once(')')?;
    let (_, name) = front.split_once('(')?;
    let figures: Vec<&str> = figures.split_whitespace().collect();
    let (priority, policy) = (figures.get(PRIORITY)?.parse().ok()?, figures.get(POLICY)?.parse().ok()?);
    let thread_id = i32::try_from(thread).ok()?;
    let is_real_time = priority > 0 || policy == DEADLINE;
    is_real_time.then(|| Rival { process_id, thread_id, name: name.into(), policy, priority, cpus: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(threads: &[(u32, &str, u32, u32)]) -> tempfile::TempDir {
        let tree = tempfile::tempdir().unwrap();
        for (id, name, priority, policy) in threads {
            let folder = tree.path().join(format!("proc/{id}/task/{id}"));
            fs::create_dir_all(&folder).unwrap();
            let zeros = "0 ".repeat(36);
            fs::write(folder.join("stat"), format!("{id} ({name}) S {zeros}{priority} {policy} 0 0\n")).unwrap();
            fs::write(folder.join("status"), "Name:\tx\nCpus_allowed_list:\t0,2-3\n").unwrap();
        }
        tree
    }

    #[test]
    fn only_what_is_at_or_above_is_a_rival() {
        let tree = tree(&[
            (9, "irq/24 (x)", 50, 1),
            (10, "audio", 90, 2),
            (11, "shell", 0, 0),
            (12, "migration/0", 99, 1),
            (13, "dl", 0, 6),
        ]);
        let around = Surroundings::below(tree.path());
        let mut names: Vec<_> = at_or_above(80, &around).into_iter().map(|rival| rival.name).collect();
        names.sort();
        assert_eq!(names, ["audio", "dl"]);
        let (elsewhere, here) = ("1".parse().ok(), "1-2".parse().ok());
        assert!(at_or_above(80, &around).iter().all(|rival| rival.may_run_on(here) && !rival.may_run_on(elsewhere)));
        assert_eq!(at_or_above(50, &around).len(), 3);
        assert_eq!(highest_priority(9, &around), Some(50));
        assert_eq!(highest_priority(13, &around), Some(100));
        assert_eq!(highest_priority(11, &around), None);
    }
}
