//! Who changed a knob, and whether they are still there.

use crate::process::Process;
use crate::root::{Reading, Root};
use serde::{Deserialize, Serialize};

/// Who answers for a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Owner {
    /// A process: undone when it is gone.
    Process {
        /// Its number.
        pid: u32,
        /// Its start, in clock ticks since boot, since numbers are used again.
        started_ticks: u64,
        /// The name space that the number belongs to, as `/proc/self/ns/pid` links to it.
        pid_namespace: String,
    },
    /// Nobody: `prazo tune apply`, undone by `prazo tune undo`.
    Applied,
    /// Nobody: `prazo sched deploy`, undone by `prazo sched undeploy` or `prazo tune undo`.
    Deployed,
}

/// Whether an owner is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It runs, or its change is meant to stay.
    There,
    /// It has ended.
    Gone,
    /// It belongs to another name space, whose processes cannot be seen from here.
    OutOfSight,
}

impl Owner {
    /// This process.
    pub fn this_process() -> Reading<Self> {
        let own = Process::read(&Root::system(), std::process::id())?;
        Ok(Self::Process { pid: own.pid, started_ticks: own.started_ticks, pid_namespace: own_namespace() })
    }

    /// Whether it is there. A process that has ended and waits to be collected is gone.
    pub fn presence(&self) -> Presence {
        let Self::Process { pid, started_ticks, pid_namespace } = self else { return Presence::There };
        if *pid_namespace != own_namespace() {
            return Presence::OutOfSight;
        }
        match Process::read(&Root::system(), *pid) {
            Ok(process) if process.started_ticks == *started_ticks && !process.has_ended() => Presence::There,
            Ok(_) => Presence::Gone,
            Err(error) if error.is_absent() => Presence::Gone,
            // It ended between opening and reading, or may not be seen: then another look decides, not a guess.
            Err(_) => Presence::OutOfSight,
        }
    }
}

fn own_namespace() -> String {
    Root::system().link("/proc/self/ns/pid").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_there_and_its_numbers_next_user_is_not_it() {
        let own = Owner::this_process().unwrap();
        assert_eq!(own.presence(), Presence::There);
        let Owner::Process { pid, started_ticks, pid_namespace } = own else { unreachable!() };
        let later = Owner::Process { pid, started_ticks: started_ticks + 1, pid_namespace: pid_namespace.clone() };
        assert_eq!(later.presence(), Presence::Gone);
        let elsewhere = Owner::Process { pid, started_ticks, pid_namespace: "pid:[1]".into() };
        assert_eq!(elsewhere.presence(), Presence::OutOfSight);
        let none = Owner::Process { pid: u32::MAX, started_ticks, pid_namespace };
        assert_eq!(none.presence(), Presence::Gone);
    }

    #[test]
    fn a_process_that_waits_to_be_collected_is_gone() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let started_ticks = Process::read(&Root::system(), child.id()).unwrap().started_ticks;
        let owner = Owner::Process { pid: child.id(), started_ticks, pid_namespace: own_namespace() };
        let is_gone = (0..500).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            owner.presence() == Presence::Gone
        });
        assert!(is_gone, "it has ended, although nobody has collected it");
        child.wait().unwrap();
    }
}
