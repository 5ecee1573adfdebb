//! Whom to watch: processes by number, by name, by control group; and their threads.

use super::deployment::Deployment;
use super::refused::refused;
use crate::error::Error;
use prazo_platform::process::{self, Process};
use prazo_platform::root::Root;
use prazo_probe::activations::Follower;
use std::collections::BTreeSet;
use std::fmt;

/// Whom to watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A process with all its threads, or one thread of it.
    Process {
        /// The process.
        id: u32,
        /// The thread.
        thread: Option<u32>,
    },
    /// Processes and threads whose names match, those that come later included; `*` is any text and `?` any character.
    Name(String),
    /// Processes of a control group and of those below it, by its path or its last part, as in `controller.service`.
    Group(String),
    /// A program that is started, with its descendants.
    Command(Vec<String>),
    /// The deployed tasks, each against its own period, deadline and budget.
    Deployment,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process { id, thread: None } => write!(f, "{id}"),
            Self::Process { id, thread: Some(thread) } => write!(f, "{id}/{thread}"),
            Self::Name(text) | Self::Group(text) => f.write_str(text),
            Self::Command(words) => f.write_str(&words.join(" ")),
            Self::Deployment => f.write_str("the deployed tasks"),
        }
    }
}

/// Which of the target's processes are followed.
pub(super) struct Found {
    target: Target,
    root: Root,
    deployment: Option<Deployment>,
    processes: BTreeSet<u32>,
    has_matched: bool,
}

impl Found {
    /// Follows no process yet. An error if the deployed tasks are the target and there are none.
    pub(super) fn new(target: &Target, root: &Root) -> Result<Self, Error> {
        let deployment = (*target == Target::Deployment).then(|| Deployment::current(root)).transpose()?;
        let processes = BTreeSet::new();
        Ok(Self { target: target.clone(), root: root.clone(), deployment, processes, has_matched: false })
    }

    /// The deployment, where its tasks are the target.
    pub(super) fn deployment(&self) -> Option<&Deployment> {
        self.deployment.as_ref()
    }

    /// True once a process of the target was there.
    pub(super) fn has_matched(&self) -> bool {
        self.has_matched
    }

    /// Looks for those that have come, and what those that are there are called now.
    pub(super) fn look(&mut self, follower: &mut Follower) -> Result<(), Error> {
        match self.target.clone() {
            Target::Process { id, thread: None } if self.processes.is_empty() => self.follow(id, follower)?,
            Target::Process { id, thread: Some(thread) } if self.processes.is_empty() => {
                let of_it = process::threads(&self.root, id).into_iter().find(|one| one.pid == thread);
                if let Some(one) = of_it {
                    self.processes.insert(id);
                    follower.follow(id, thread, &one.name).map_err(refused)?;
                }
            }
            Target::Name(pattern) => self.look_for_names(&pattern, follower)?,
            Target::Group(group) => {
                for one in self.all()? {
                    if !self.processes.contains(&one.pid) && self.is_in(one.pid, &group) {
                        self.follow(one.pid, follower)?;
                    }
                }
            }
            Target::Deployment if self.processes.is_empty() => {
                for task in self.deployment.iter().flat_map(Deployment::tasks) {
                    self.processes.insert(task.process);
                    follower.follow_task(task.process, task.thread, &task.name, task.times).map_err(refused)?;
                }
            }
            Target::Process { .. } | Target::Command(_) | Target::Deployment => {}
        }
        self.has_matched |= !self.processes.is_empty() || follower.alive() > 0;
        let root = &self.root;
        follower.rename(|process, thread| name_of(root, process, thread));
        self.forget_ended(follower);
        follower.find_places();
        Ok(())
    }

    /// An error if the process or thread with the given number does not exist. Names and groups may appear later.
    pub(super) fn must_be_there(&self) -> Result<(), Error> {
        match self.target {
            Target::Process { id, thread } if self.processes.is_empty() => {
                let value = thread.map_or_else(|| id.to_string(), |thread| format!("{id}/{thread}"));
                Err(Error::refused(format!("there is no process or thread {value}"))
                    .with_remedy("`ps -eLo pid,lwp,comm` lists all processes and threads"))
            }
            _ => Ok(()),
        }
    }

    /// True once a process that was named has ended.
    pub(super) fn has_ended(&self, follower: &Follower) -> bool {
        self.is_fixed() && follower.alive() == 0
    }

    /// True if no thread can join later: the targets are fixed threads, and one that reuses a thread ID does not count.
    pub(super) fn is_fixed(&self) -> bool {
        matches!(self.target, Target::Process { .. } | Target::Deployment)
    }

    fn all(&self) -> Result<Vec<Process>, Error> {
        let own = std::process::id();
        Ok(process::all(&self.root).map_err(Error::failed)?.into_iter().filter(|one| one.pid != own).collect())
    }

    fn look_for_names(&mut self, pattern: &str, follower: &mut Follower) -> Result<(), Error> {
        for one in self.all()? {
            if self.processes.contains(&one.pid) {
                continue;
            }
            if matches(pattern, &one.name) {
                self.follow(one.pid, follower)?;
                continue;
            }
            for thread in process::threads(&self.root, one.pid) {
                if matches(pattern, &thread.name) {
                    follower.follow(one.pid, thread.pid, &thread.name).map_err(refused)?;
                }
            }
        }
        Ok(())
    }

    /// Follows a process: its new threads first, so that none is between the list and the hook.
    fn follow(&mut self, id: u32, follower: &mut Follower) -> Result<(), Error> {
        let is_there = Process::read(&self.root, id).is_ok_and(|one| !one.has_ended());
        if !is_there {
            return Ok(());
        }
        follower.follow_threads_of(id).map_err(refused)?;
        for thread in process::threads(&self.root, id) {
            follower.follow(id, thread.pid, &thread.name).map_err(refused)?;
        }
        self.processes.insert(id);
        Ok(())
    }

    fn forget_ended(&mut self, follower: &mut Follower) {
        if self.is_fixed() {
            return;
        }
        let root = &self.root;
        let has_ended = |id: &u32| Process::read(root, *id).map_or(true, |one| one.has_ended());
        let ended: Vec<u32> = self.processes.iter().copied().filter(has_ended).collect();
        for id in ended {
            self.processes.remove(&id);
            follower.forget(id);
        }
    }

    fn is_in(&self, id: u32, group: &str) -> bool {
        let text = self.root.read(&format!("/proc/{id}/cgroup")).unwrap_or_default();
        text.lines().any(|line| line.splitn(3, ':').nth(2).is_some_and(|path| is_below(path, group)))
    }
}

/// True for a group's own path, one below it, and one with a part of that name.
fn is_below(path: &str, group: &str) -> bool {
    match group.strip_prefix('/') {
        Some(_) => path.strip_prefix(group).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
        None => path.split('/').any(|part| part == group),
    }
}

fn name_of(root: &Root, process: u32, thread: u32) -> Option<String> {
    let text = root.read(&format!("/proc/{process}/task/{thread}/comm")).ok()?;
    Some(text.trim_end_matches('\n').to_owned()).filter(|name| !name.is_empty())
}

/// A name against a pattern with `*` and `?`.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // Which beginnings of the pattern match the name so far.
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    let skip_stars = |reached: &mut Vec<bool>| {
        (0..pattern.len()).for_each(|at| reached[at + 1] |= reached[at] && pattern[at] == '*');
    };
    skip_stars(&mut reached);
    for letter in name {
        let mut next = vec![false; pattern.len() + 1];
        for at in 0..pattern.len() {
            match pattern[at] {
                '*' => next[at] |= reached[at],
                '?' => next[at + 1] |= reached[at],
                wanted => next[at + 1] |= reached[at] && wanted == letter,
            }
        }
        skip_stars(&mut next);
        reached = next;
    }
    reached[pattern.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text_and_a_question_mark_one_character() {
        for (pattern, name, expected) in [
            ("ctl", "ctl", true),
            ("ctl", "ctl2", false),
            ("ctl*", "ctl", true),
            ("*l?", "ctl2", true),
            ("c*t*x", "control", false),
            ("*", "", true),
            ("?", "", false),
            ("*a*b*", "xxaxxbxx", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn a_group_is_named_by_its_path_or_a_part_of_it() {
        for (path, group, expected) in [
            ("/system.slice/ctl.service", "ctl.service", true),
            ("/system.slice/ctl.service/sub", "ctl.service", true),
            ("/system.slice/ctl.service", "/system.slice", true),
            ("/system.slices", "/system.slice", false),
            ("/system.slice/ctl", "ctl.service", false),
        ] {
            assert_eq!(is_below(path, group), expected, "{path} {group}");
        }
    }
}
