//! Watches a program's measuring thread from outside, through /proc, while it runs.

use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

/// Readings of one thread at one moment.
#[derive(Clone, Copy, Debug)]
struct Reading {
    cpu_ns: u64,
    voluntary_switches: u64,
    process_faults: u64,
}

/// What a thread used between two readings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    /// Processor time in nanoseconds.
    pub cpu_ns: u64,
    /// Voluntary switches, which are its activations: each sleeps once.
    pub voluntary_switches: u64,
    /// Page faults of the whole process.
    pub faults: u64,
}

/// Reads the thread with the most voluntary switches after `settle` and again `span` later.
pub(super) fn watch(child: &Child, settle: Duration, span: Duration) -> Result<Use, String> {
    std::thread::sleep(settle);
    let thread = busiest_sleeper(child.id())?;
    let first = read(&thread)?;
    std::thread::sleep(span);
    let last = read(&thread)?;
    Ok(Use {
        cpu_ns: last.cpu_ns - first.cpu_ns,
        voluntary_switches: last.voluntary_switches - first.voluntary_switches,
        faults: last.process_faults - first.process_faults,
    })
}

/// The measuring thread is the one that sleeps most often: thousands of times a second.
fn busiest_sleeper(pid: u32) -> Result<PathBuf, String> {
    let tasks = PathBuf::from(format!("/proc/{pid}/task"));
    let threads = std::fs::read_dir(&tasks).map_err(|error| format!("cannot list {}: {error}", tasks.display()))?;
    let threads = threads.flatten().map(|entry| entry.path());
    let counted = threads.filter_map(|thread| Some((read(&thread).ok()?.voluntary_switches, thread)));
    counted.max().map(|(_, thread)| thread).ok_or(format!("process {pid} ended before it could be watched"))
}

fn read(thread: &std::path::Path) -> Result<Reading, String> {
    let text = |name: &str| {
        let path = thread.join(name);
        std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))
    };
    let cpu_ns = text("schedstat")?.split_whitespace().next().and_then(|word| word.parse().ok());
    let switches =
        text("status")?.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")?.trim().parse().ok());
    Ok(Reading {
        cpu_ns: cpu_ns.ok_or("no processor time in schedstat")?,
        voluntary_switches: switches.ok_or("no voluntary switches in status")?,
        process_faults: faults(&text("stat")?).ok_or("no faults in stat")?,
    })
}

/// minflt + majflt: the 10th and 12th fields of `stat`, counted behind the parenthesised name.
fn faults(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(7);
    let minor: u64 = fields.next()?.parse().ok()?;
    let major: u64 = fields.nth(1)?.parse().ok()?;
    Some(minor + major)
}

#[cfg(test)]
mod tests {
    #[test]
    fn faults_are_minor_and_major() {
        let stat = "12 (a) b) S 1 2 3 4 5 6 70 8 9 10 11";
        assert_eq!(super::faults(stat), Some(79));
    }
}
