//! What a refusal means: the kernel tells a number, and this machine the rest.

use crate::error::DeployError;
use crate::step::SystemChange;
use prazo_core::time::Duration;
use prazo_platform::policy::{Facts, Policy};
use prazo_platform::root::{Root, Unavailable};
use prazo_platform::tunable::TuneError;
use prazo_sys::scheduling::SCHED_DEADLINE;

/// The kernel's word, with what on this machine explains it.
pub(crate) fn explained(root: &Root, step: &SystemChange, error: TuneError) -> DeployError {
    let why = match error {
        TuneError::Journal(error) => return DeployError::Journal(error),
        TuneError::Refused { why, .. } | TuneError::NotMade { why, .. } => why,
    };
    let errno = match why {
        Unavailable::Refused { errno, .. } => Some(errno),
        _ => None,
    };
    let by_admission = step.policy().is_some() && errno == Some(libc::EBUSY);
    let cause = match (&why, errno) {
        (Unavailable::Absent { path }, _) => absent(step, path).into(),
        _ if by_admission => {
            "the kernel's admission test found too little deadline bandwidth left in the task's cluster".into()
        }
        (_, Some(libc::EPERM)) if step.policy().is_some() => policy_refused(root, step),
        (Unavailable::Denied { .. }, _) => {
            "run as root; in a container, deploy on the host instead, because the container's control groups belong to \
             the host"
                .into()
        }
        (_, Some(libc::EROFS)) => {
            "the control groups are mounted read-only, as in containers; deploy on the host instead".into()
        }
        _ => String::new(),
    };
    let why = if cause.is_empty() { why.to_string() } else { format!("{why}; {cause}") };
    DeployError::Refused { step: step.to_string(), why, by_admission }
}

/// What it means that `path` does not exist.
fn absent(step: &SystemChange, path: &str) -> &'static str {
    match step {
        SystemChange::Group { .. } | SystemChange::Command { .. } => {
            "the control group above the new one does not exist"
        }
        SystemChange::Offer { .. } | SystemChange::Write { .. } | SystemChange::Knob { .. } => {
            "this kernel does not provide the file, or the cpuset controller is not enabled for this control group"
        }
        SystemChange::Enclose { .. } | SystemChange::Thread { .. } | SystemChange::Settle { .. }
            if path.starts_with("/sys/") =>
        {
            "the thread or process has ended, or its new control group was removed"
        }
        SystemChange::Enclose { .. } | SystemChange::Thread { .. } | SystemChange::Settle { .. } => {
            "the thread or process has ended"
        }
    }
}

/// The reasons that the thread's own facts and prazo's privileges give.
fn policy_refused(root: &Root, step: &SystemChange) -> String {
    let (SystemChange::Thread { thread, .. }, Some(policy)) = (step, step.policy()) else { return String::new() };
    let policy = match policy.policy {
        SCHED_DEADLINE => Policy::Deadline { runtime: Duration::from_ns(policy.runtime_ns) },
        _ => Policy::Fifo { priority: policy.priority.try_into().unwrap_or(u8::MAX) },
    };
    // It is prazo that needs the privilege, and the thread that needs the group's budget and its processors.
    let (own, of_thread) = (Facts::read(root), Facts::of(root, thread.id));
    let facts = Facts { group_budget: of_thread.group_budget, bound: of_thread.bound, ..own };
    facts.reasons(policy, libc::EPERM).join("; or ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{deadline, fifo};
    use prazo_platform::tunable::{Thread, ThreadSetting};
    use prazo_sys::scheduling::SchedAttr;

    fn policy_step(attr: SchedAttr) -> SystemChange {
        SystemChange::thread("a", Thread { id: 30, started_ticks: 5 }, ThreadSetting::Policy { attr })
    }

    fn message(root: &Root, step: &SystemChange, number: i32) -> (String, bool) {
        refused(root, step, Unavailable::Refused { path: "thread 30".into(), errno: number })
    }

    fn refused(root: &Root, step: &SystemChange, why: Unavailable) -> (String, bool) {
        let error = TuneError::Refused { knob: "thread 30".into(), requested: String::new(), why };
        match explained(root, step, error) {
            DeployError::Refused { why, by_admission, .. } => (why, by_admission),
            other => panic!("{other}"),
        }
    }

    /// Version 1, with the thread in a group of this budget.
    fn with_budget(us: &str) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        write("proc/30/cgroup", "3:cpu:/box\n");
        write("proc/self/mountinfo", "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
        write("sys/fs/cgroup/cpu/box/cpu.rt_runtime_us", us);
        let root = Root::at(folder.path());
        (folder, root)
    }

    #[test]
    fn a_group_without_a_real_time_budget_is_told_by_its_file_and_one_with_it_is_not() {
        let (_without, root) = with_budget("0\n");
        let (why, _) = message(&root, &policy_step(fifo(80)), libc::EPERM);
        assert!(why.contains("RT_GROUP_SCHED") && why.contains("box/cpu.rt_runtime_us is 0"), "{why}");
        let (_with, root) = with_budget("950000\n");
        let (why, _) = message(&root, &policy_step(fifo(80)), libc::EPERM);
        assert!(why.contains("CAP_SYS_NICE") && !why.contains("RT_GROUP_SCHED"), "{why}");
    }

    #[test]
    fn busy_is_admission_s_word_for_a_policy_and_for_nothing_else() {
        let (_folder, root) = with_budget("0\n");
        let (why, by_admission) = message(&root, &policy_step(deadline(1, 2, 2)), libc::EBUSY);
        assert!(by_admission && why.contains("too little deadline bandwidth left"), "{why}");
        let group = SystemChange::Group { folder: "/sys/fs/cgroup/prazo".into() };
        assert!(!message(&root, &group, libc::EBUSY).1);
        let file = "/sys/fs/cgroup/prazo/cpuset.cpus.partition".to_owned();
        let missing =
            |step: &SystemChange, path: &str| refused(&root, step, Unavailable::Absent { path: path.into() }).0;
        assert_eq!(
            missing(&policy_step(fifo(80)), "thread 30"),
            "thread 30 does not exist; the thread or process has ended"
        );
        let of_file = missing(&SystemChange::Write { file: file.clone(), value: "root".into() }, &file);
        assert!(of_file.contains("does not provide the file") && !of_file.contains("ended"), "{of_file}");
        assert!(message(&root, &group, libc::EROFS).0.contains("read-only"));
    }
}
