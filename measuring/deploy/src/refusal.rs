//! What a refusal means: the kernel tells a number, and this machine the rest.

use crate::deployment::DeployError;
use crate::step::Step;
use prazo_platform::root::{Root, Unavailable};
use prazo_platform::tunable::TuneError;

/// The kernel's word, with what on this machine explains it.
pub(crate) fn explained(root: &Root, step: &Step, error: TuneError) -> DeployError {
    let why = match error {
        TuneError::Journal(error) => return DeployError::Journal(error),
        TuneError::Refused { why, .. } => why,
    };
    let said = why.to_string();
    let is = |number: i32| said.contains(&format!("os error {number})"));
    let by_admission = step.policy().is_some() && is(libc::EBUSY);
    let cause = match &why {
        Unavailable::Absent { .. } => "it ended while it was being deployed".into(),
        _ if by_admission => "the kernel's admission has no bandwidth left for it there".into(),
        _ if step.policy().is_some() && is(libc::EPERM) => causes_of_eperm(root, step),
        Unavailable::Denied { .. } => "this takes root (in a container: its control groups are not its own)".into(),
        _ if is(libc::EROFS) => {
            "the control groups are mounted read-only, as in a container: deploy on the host".into()
        }
        _ => String::new(),
    };
    let why = if cause.is_empty() { said } else { format!("{said}: {cause}") };
    DeployError::Refused { step: step.to_string(), why, by_admission }
}

fn causes_of_eperm(root: &Root, step: &Step) -> String {
    let Step::Thread { thread, .. } = step else { return String::new() };
    let budget = group_without_budget(root, thread.id);
    budget.unwrap_or_else(|| {
        "this takes CAP_SYS_NICE; a deadline thread must also be allowed on every processor of its root domain".into()
    })
}

/// Under RT_GROUP_SCHED a group starts with no real-time budget, and EPERM is all that is told.
fn group_without_budget(root: &Root, thread: u32) -> Option<String> {
    let groups = prazo_platform::cgroup::Cgroups::of(root, &format!("/proc/{thread}/cgroup")).ok()?;
    let file = format!("{}/cpu.rt_runtime_us", groups.own_v1("cpu")?);
    let none = root.read_number(&file).ok()? == 0;
    none.then(|| format!("RT_GROUP_SCHED: its group has no real-time budget ({file} is 0)"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{deadline, fifo};
    use prazo_platform::sys::SchedAttr;
    use prazo_platform::tunable::{Thread, ThreadSetting};

    fn asked(attr: SchedAttr) -> Step {
        Step::thread("a", Thread { id: 30, started_ticks: 5 }, ThreadSetting::Policy { attr })
    }

    fn said(root: &Root, step: &Step, number: i32) -> (String, bool) {
        let why = Unavailable::Failed {
            path: "thread 30".into(),
            why: std::io::Error::from_raw_os_error(number).to_string(),
        };
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
        let (why, _) = said(&root, &asked(fifo(80)), libc::EPERM);
        assert!(why.contains("RT_GROUP_SCHED") && why.contains("box/cpu.rt_runtime_us is 0"), "{why}");
        let (_with, root) = with_budget("950000\n");
        let (why, _) = said(&root, &asked(fifo(80)), libc::EPERM);
        assert!(why.contains("CAP_SYS_NICE") && !why.contains("RT_GROUP_SCHED"), "{why}");
    }

    #[test]
    fn busy_is_admission_s_word_for_a_policy_and_for_nothing_else() {
        let (_folder, root) = with_budget("0\n");
        let (why, by_admission) = said(&root, &asked(deadline(1, 2, 2)), libc::EBUSY);
        assert!(by_admission && why.contains("no bandwidth left"), "{why}");
        let group = Step::Group { folder: "/sys/fs/cgroup/prazo".into() };
        assert!(!said(&root, &group, libc::EBUSY).1);
        assert!(said(&root, &group, libc::EROFS).0.contains("read-only"));
    }
}
