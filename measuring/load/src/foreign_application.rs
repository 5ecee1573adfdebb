//! The user's own application as the load: checked, watched and recorded, never started, changed or ended.
//!
//! A process number alone is not trusted: the process's start time goes with it, so that another process that came to
//! have the same number is not taken for it.

use prazo_core::text::counted;
use std::path::{Path, PathBuf};
use std::{fs, io};

use prazo_core::time::Instant;
use prazo_run::plan::Policy;
use prazo_run::run::LoadRecord;
use prazo_run::{Caveat, Severity};

/// An application that a measurement runs beside.
#[derive(Clone, Debug)]
pub struct ForeignApplication {
    proc: PathBuf,
    pid: u32,
    begun: Stat,
    begun_ns: u64,
    /// Its threads as they were when it was found.
    pub threads: Vec<Thread>,
}

/// One thread of the application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its number.
    pub tid: u32,
    /// Its name, which the application may choose.
    pub name: String,
    /// Its scheduling policy: `other`, `fifo`, `rr`, `batch`, `idle`, `deadline`, or the kernel's number.
    pub policy: String,
    /// Its real-time priority, 1 to 99; 0 without one.
    pub priority: u32,
}

/// Why one cannot measure beside a process.
#[derive(Debug, thiserror::Error)]
#[error("cannot measure alongside process {pid}: {source}; give --application the id of a running process")]
pub struct ApplicationError {
    /// What was asked.
    pub pid: u32,
    /// What reading its /proc entry gave.
    pub source: io::Error,
}

impl ForeignApplication {
    /// Finds the process, which must be living.
    pub fn find(pid: u32) -> Result<Self, ApplicationError> {
        Self::find_in("/proc".into(), pid)
    }

    fn find_in(proc: PathBuf, pid: u32) -> Result<Self, ApplicationError> {
        let failed = |source| ApplicationError { pid, source };
        let begun = living(&proc, pid).map_err(failed)?;
        let threads = threads(&proc, pid).map_err(failed)?;
        Ok(Self { proc, pid, begun, begun_ns: prazo_sys::clock::monotonic_ns(), threads })
    }

    /// True while the process that was found lives.
    pub fn is_alive(&self) -> bool {
        living(&self.proc, self.pid).is_ok_and(|now| now.start_ticks == self.begun.start_ticks)
    }

    /// What the application did since it was found, with times in seconds since `epoch`.
    pub fn record(&self, epoch: Instant) -> LoadRecord {
        let now_ns = prazo_sys::clock::monotonic_ns();
        let seconds = |ns: u64| (ns as f64 - epoch.as_ns() as f64) / 1e9;
        let reached = self.is_alive().then(|| self.busy_processors(now_ns)).flatten();
        let counted = "processor time of the process, from /proc/PID/stat";
        LoadRecord {
            name: "beside".into(),
            generator: format!("process {} '{}': {}", self.pid, self.begun.name, self.described()),
            unit: "processors".into(),
            asked: None,
            reached,
            note: if reached.is_some() { counted.into() } else { "not counted: the process has ended".into() },
            on_s: vec![(seconds(self.begun_ns), seconds(now_ns))],
            contained: LoadRecord::NOT_PRAZO_S.into(),
        }
    }

    fn busy_processors(&self, now_ns: u64) -> Option<f64> {
        let now = living(&self.proc, self.pid).ok()?;
        let busy_s = now.busy_ticks.saturating_sub(self.begun.busy_ticks) as f64 / TICKS_PER_SECOND;
        let elapsed_s = now_ns.saturating_sub(self.begun_ns) as f64 / 1e9;
        (elapsed_s > 0.0).then_some(busy_s / elapsed_s)
    }

    fn described(&self) -> String {
        let describe =
            |thread: &Thread| format!("{} {} {} {}", thread.tid, thread.name, thread.policy, thread.priority);
        self.threads.iter().map(describe).collect::<Vec<_>>().join(", ")
    }

    /// What threatens a measurement with threads of `policy` beside this application, now. Threads that were made since
    /// it was found are looked at, too.
    pub fn caveats(&self, policy: &Policy) -> Vec<Caveat> {
        if !self.is_alive() {
            return vec![self.gone()];
        }
        let threads = threads(&self.proc, self.pid).unwrap_or_else(|_| self.threads.clone());
        let above: Vec<_> = threads.iter().filter(|thread| !thread.yields_to(policy)).collect();
        let above = (!above.is_empty()).then(|| self.above(&above, policy));
        above.into_iter().chain(self.idle()).collect()
    }

    /// An application that only waits is no load.
    fn idle(&self) -> Option<Caveat> {
        let now = living(&self.proc, self.pid).ok()?;
        (now.busy_ticks <= self.begun.busy_ticks).then(|| {
            Caveat::new(
                "beside-idle",
                Severity::Medium,
                format!(
                    "process {} '{}', the application, used no processor time during the run",
                    self.pid, self.begun.name
                ),
                "run the measurement while the application is busy; this result is valid only while the \
                 application is idle",
            )
        })
    }

    fn gone(&self) -> Caveat {
        Caveat::new(
            "beside-gone",
            Severity::High,
            format!("process {} '{}', the application, ended during the run", self.pid, self.begun.name),
            "keep the application running for the whole measurement",
        )
    }

    fn above(&self, threads: &[&Thread], policy: &Policy) -> Caveat {
        let first = threads[0];
        Caveat::new(
            "beside-above-probe",
            Severity::High,
            format!(
                "process {}, the application, has {} that the measuring threads ({}) cannot preempt; the first is '{}' \
                 (thread {}, {} {})",
                self.pid,
                counted(threads.len() as u64, "thread"),
                policy.name(),
                first.name,
                first.tid,
                first.policy,
                first.priority
            ),
            "measure under fifo with a --priority above those of the application's threads, unless you want to measure the \
             delays that the application causes; no priority is above policy deadline",
        )
    }
}

impl Thread {
    /// True if a ready thread of `policy` never waits for this one, or if neither is real-time.
    fn yields_to(&self, policy: &Policy) -> bool {
        match policy {
            Policy::Deadline { .. } => self.policy != "deadline",
            Policy::Fifo { priority } | Policy::Rr { priority } => {
                self.policy != "deadline" && self.priority < u32::from(*priority)
            }
            Policy::Other => self.policy != "deadline" && self.priority == 0,
        }
    }
}

/// `times` in /proc are in USER_HZ, which is 100 on every architecture that Debian supports.
const TICKS_PER_SECOND: f64 = 100.0;

/// The parts of /proc/PID/stat that matter here.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stat {
    name: String,
    state: char,
    busy_ticks: u64,
    start_ticks: u64,
    priority: u32,
    policy: u32,
}

fn living(proc: &Path, pid: u32) -> io::Result<Stat> {
    let stat = read_stat(&proc.join(pid.to_string()).join("stat"))?;
    match stat.state {
        'Z' | 'X' => Err(io::Error::other("the process has already ended")),
        _ => Ok(stat),
    }
}

fn threads(proc: &Path, pid: u32) -> io::Result<Vec<Thread>> {
    let entries = fs::read_dir(proc.join(pid.to_string()).join("task"))?.flatten();
    let mut threads: Vec<Thread> = entries.filter_map(|entry| thread(&entry.path())).collect();
    threads.sort_by_key(|thread| thread.tid);
    Ok(threads)
}

/// `None` for a thread that ended while its entry was read.
fn thread(entry: &Path) -> Option<Thread> {
    let tid = entry.file_name()?.to_str()?.parse().ok()?;
    let stat = read_stat(&entry.join("stat")).ok()?;
    Some(Thread { tid, name: stat.name, policy: policy_name(stat.policy), priority: stat.priority })
}

fn read_stat(path: &Path) -> io::Result<Stat> {
    let text = fs::read_to_string(path)?;
    stat(&text)
        .ok_or_else(|| io::Error::other(format!("{} does not have the format of proc_pid_stat(5)", path.display())))
}

/// Reads the text of /proc/PID/stat; numbers in brackets are the fields of proc_pid_stat(5).
fn stat(text: &str) -> Option<Stat> {
    let (head, rest) = text.rsplit_once(')')?;
    let name = head.split_once('(')?.1.into();
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3).copied();
    let number = |which: usize| field(which)?.parse::<u64>().ok();
    Some(Stat {
        name,
        state: field(3)?.chars().next()?,
        busy_ticks: number(14)? + number(15)?,
        start_ticks: number(22)?,
        priority: number(40)? as u32,
        policy: number(41)? as u32,
    })
}

fn policy_name(number: u32) -> String {
    match number {
        0 => "other".into(),
        1 => "fifo".into(),
        2 => "rr".into(),
        3 => "batch".into(),
        5 => "idle".into(),
        6 => "deadline".into(),
        other => format!("policy {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::time::Duration;

    fn line(start: u32, priority: u32, policy: u32) -> String {
        let zeros = |count| vec!["0"; count].join(" ");
        format!("7 (my) app) S 1 7 7 {} 150 50 {} {start} {} {priority} {policy} 0", zeros(7), zeros(6), zeros(17))
    }

    /// A copied /proc with one process of one thread.
    fn machine(priority: u32, policy: u32) -> tempfile::TempDir {
        let proc = tempfile::tempdir().unwrap();
        fs::create_dir_all(proc.path().join("7/task/7")).unwrap();
        fs::write(proc.path().join("7/stat"), line(99, priority, policy)).unwrap();
        fs::write(proc.path().join("7/task/7/stat"), line(99, priority, policy)).unwrap();
        proc
    }

    /// An application that has used some processor time since it was found.
    fn busy(proc: &tempfile::TempDir) -> ForeignApplication {
        let mut application = ForeignApplication::find_in(proc.path().into(), 7).unwrap();
        application.begun.busy_ticks -= 1;
        application
    }

    fn ids(application: &ForeignApplication, policy: Policy) -> Vec<String> {
        application.caveats(&policy).into_iter().map(|caveat| caveat.id).collect()
    }

    #[test]
    fn policy_priority_and_start_are_read_behind_any_name() {
        let stat = stat(&line(99, 50, 1)).unwrap();
        assert_eq!((stat.name.as_str(), stat.busy_ticks, stat.start_ticks), ("my) app", 200, 99));
        assert_eq!((stat.priority, policy_name(stat.policy).as_str()), (50, "fifo"));
    }

    #[test]
    fn a_truncated_stat_is_an_error_and_no_panic() {
        let whole = line(99, 50, 1);
        for end in 0..whole.len() - 4 {
            assert_eq!(stat(&whole[..end]), None, "{end}");
        }
    }

    #[test]
    fn threads_at_or_above_the_probe_s_priority_are_a_caveat() {
        let proc = machine(50, 1);
        let application = busy(&proc);
        assert_eq!(ids(&application, Policy::Fifo { priority: 80 }), [""; 0]);
        assert_eq!(ids(&application, Policy::Fifo { priority: 50 }), ["beside-above-probe"]);
        assert_eq!(ids(&application, Policy::Other), ["beside-above-probe"]);
        assert_eq!(ids(&application, Policy::Deadline { runtime: Duration::from_us(100) }), [""; 0]);
    }

    #[test]
    fn an_application_that_only_waits_is_told() {
        let proc = machine(0, 0);
        let waiting = ForeignApplication::find_in(proc.path().into(), 7).unwrap();
        assert_eq!(ids(&waiting, Policy::Fifo { priority: 80 }), ["beside-idle"]);
        assert_eq!(ids(&busy(&proc), Policy::Fifo { priority: 80 }), [""; 0]);
    }

    #[test]
    fn a_deadline_thread_is_above_every_fixed_priority() {
        let proc = machine(0, 6);
        let application = busy(&proc);
        assert_eq!(ids(&application, Policy::Fifo { priority: 99 }), ["beside-above-probe"]);
    }

    #[test]
    fn another_process_with_the_same_number_is_not_the_application() {
        let proc = machine(0, 0);
        let application = ForeignApplication::find_in(proc.path().into(), 7).unwrap();
        assert!(application.is_alive());
        fs::write(proc.path().join("7/stat"), line(100, 0, 0)).unwrap();
        assert!(!application.is_alive());
        assert_eq!(ids(&application, Policy::Other), ["beside-gone"]);
        assert_eq!(application.record(Instant::from_ns(0)).reached, None);
    }

    #[test]
    fn a_process_that_is_not_there_is_refused_with_a_remedy() {
        let proc = machine(0, 0);
        let error = ForeignApplication::find_in(proc.path().into(), 8).unwrap_err();
        assert!(error.to_string().contains("--application"), "{error}");
    }

    #[test]
    fn a_real_child_is_seen_living_and_gone() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let application = ForeignApplication::find(child.id()).unwrap();
        assert_eq!(application.threads.len(), 1);
        assert_eq!(application.threads[0].tid, child.id());
        assert!(application.is_alive() && application.record(Instant::from_ns(0)).reached.is_some());
        child.kill().unwrap();
        // Ended and not collected is ended.
        while application.is_alive() {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert_eq!(ids(&application, Policy::Other), ["beside-gone"]);
    }
}
