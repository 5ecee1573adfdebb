//! The processes and kernel threads that `/proc` shows, with what the scheduler knows of them.

use crate::root::{Reading, Root, Unavailable};

/// One process or kernel thread (its first thread).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Its short name.
    pub name: String,
    /// `R`, `S`, `Z` and so on.
    pub state: char,
    /// The process group that it belongs to, by its leader's number.
    pub process_group: u32,
    /// The session that it belongs to, by its leader's number.
    pub session: u32,
    /// Start, in clock ticks since boot; with the number it identifies a process for good.
    pub started_ticks: u64,
    /// 0 for none, 1 to 99.
    pub rt_priority: u32,
    /// SCHED_OTHER 0, FIFO 1, RR 2, DEADLINE 6.
    pub policy: u32,
}

impl Process {
    /// One process by its number; absent where there is none.
    pub fn read(root: &Root, pid: u32) -> Reading<Self> {
        let path = format!("/proc/{pid}/stat");
        let text = root.read(&path)?;
        parse(&text).ok_or_else(|| Unavailable::nonsense(&path, "the state of a process", &text))
    }

    /// True for one that has ended and waits to be collected.
    pub fn has_ended(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }
}

/// All processes; those that end while we look are left out.
pub fn all(root: &Root) -> Reading<Vec<Process>> {
    let names = root.list("/proc")?;
    Ok(names.iter().filter_map(|name| name.parse().ok()).filter_map(|pid| Process::read(root, pid).ok()).collect())
}

/// The process that a thread belongs to, by its number; none if it has ended.
pub fn process_of(root: &Root, thread: u32) -> Option<u32> {
    let status = root.read(&format!("/proc/{thread}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()
}

/// The threads of one process, itself among them; none if it has ended.
pub fn threads(root: &Root, pid: u32) -> Vec<Process> {
    let folder = format!("/proc/{pid}/task");
    let names = root.list(&folder).unwrap_or_default();
    names.iter().filter_map(|name| parse(&root.read(&format!("{folder}/{name}/stat")).ok()?)).collect()
}

fn parse(text: &str) -> Option<Process> {
    let open = text.find('(')?;
    let close = text.rfind(')')?;
    let rest: Vec<&str> = text.get(close + 1..)?.split_whitespace().collect();
    // proc(5) counts from 1 and the state is its field 3, so field n is rest[n - 3].
    Some(Process {
        pid: text[..open].trim().parse().ok()?,
        name: text.get(open + 1..close)?.to_owned(),
        state: rest.first()?.chars().next()?,
        process_group: rest.get(2)?.parse().ok()?,
        session: rest.get(3)?.parse().ok()?,
        started_ticks: rest.get(19)?.parse().ok()?,
        rt_priority: rest.get(37)?.parse().ok()?,
        policy: rest.get(38)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_spaces_and_brackets() {
        let text = "77 (a) (b) S 1 2 3 0 -1 4 5 6 7 8 9 10 11 12 -100 0 1 0 4711 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 17 1 99 1 0 0 0";
        let process = parse(text).unwrap();
        assert_eq!((process.pid, process.name.as_str(), process.state), (77, "a) (b", 'S'));
        assert_eq!((process.process_group, process.session), (2, 3));
        assert_eq!((process.started_ticks, process.rt_priority, process.policy), (4711, 99, 1));
    }

    #[test]
    fn this_process_is_found_on_this_machine() {
        let own = Process::read(&Root::system(), std::process::id()).unwrap();
        assert!(own.started_ticks > 0 && !own.has_ended());
        assert!(all(&Root::system()).unwrap().iter().any(|process| process.pid == own.pid));
        assert!(Process::read(&Root::system(), u32::MAX).unwrap_err().is_absent());
    }
}
