//! Processes as the kernel lists them: a tree below one process, and who of it is still alive.
//!
//! A process is its number and its start time, since numbers are used again.

use std::collections::BTreeSet;
use std::path::Path;

/// One process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Process {
    pub pid: u32,
    start: u64,
    pub(crate) name: String,
}

/// The fields of /proc/PID/stat from the third on, and the name.
pub(crate) struct Stat {
    pub(crate) name: String,
    fields: Vec<String>,
}

impl Stat {
    /// Reads a process's or a thread's folder in /proc.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(folder.join("stat")).ok()?;
        let (head, tail) = text.rsplit_once(')')?;
        let name = head.split_once('(')?.1.to_owned();
        Some(Self { name, fields: tail.split_whitespace().map(str::to_owned).collect() })
    }

    /// A field by its number in proc(5).
    pub(crate) fn number(&self, field: usize) -> u64 {
        self.fields[field - 3].parse().expect("a number")
    }

    fn is_zombie(&self) -> bool {
        self.fields[0] == "Z" || self.fields[0] == "X"
    }
}

fn stat(pid: u32) -> Option<Stat> {
    Stat::read(Path::new(&format!("/proc/{pid}")))
}

/// All processes below `root`, without it; namespaces hide nothing from the one that holds them.
pub(crate) fn below(root: u32) -> BTreeSet<Process> {
    let listed =
        std::fs::read_dir("/proc").expect("/proc").filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let all: Vec<(u32, Stat)> = listed.filter_map(|pid: u32| Some((pid, stat(pid)?))).collect();
    let mut tree = BTreeSet::from([root]);
    let mut found = BTreeSet::new();
    loop {
        let before = tree.len();
        for (pid, stat) in &all {
            if tree.contains(&(stat.number(4) as u32)) && *pid != root {
                tree.insert(*pid);
                found.insert(Process { pid: *pid, start: stat.number(22), name: stat.name.clone() });
            }
        }
        if tree.len() == before {
            return found;
        }
    }
}

/// True unless it is gone, or dead and only waited for.
pub(crate) fn is_alive(process: &Process) -> bool {
    stat(process.pid).is_some_and(|stat| stat.number(22) == process.start && !stat.is_zombie())
}
