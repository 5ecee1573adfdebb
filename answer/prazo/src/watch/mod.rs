//! Any program watched against its deadline, with the name of whoever made it late.

mod document;
mod find;
mod refused;
mod started;

pub use document::WatchedProgram;
pub use find::Target;

use crate::error::Error;
use crate::progress::{Progress, Remark};
use document::thread;
use find::Found;
use prazo_core::cpu::CpuSet;
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_probe::activations::{Follower, Limits};
use prazo_sys::clock::process_cpu_ns;
use prazo_verdict::watched::{WatchedThread, judge_program};
use refused::refused;
use started::Started;
use std::time::Instant;

/// How often the kernel's ring is emptied.
const ROUND: std::time::Duration = std::time::Duration::from_millis(50);
/// How many rounds lie between two looks for new processes and names.
const ROUNDS_A_LOOK: u64 = 10;
/// Processors whose events are kept for the causes: each takes four megabytes.
const EVENTS_CPUS: usize = 64;

/// Whom to watch, for how long, and what overrules what is found.
#[derive(Clone, Debug)]
pub struct WatchRequest {
    /// Whom.
    pub target: Target,
    /// For how long; by default until it ends or the caller stops it.
    pub duration: Option<Duration>,
    /// Stop at the first missed deadline.
    pub until_miss: bool,
    /// The period; found by default.
    pub period: Option<Duration>,
    /// The relative deadline; the period by default.
    pub deadline: Option<Duration>,
    /// What one activation may compute.
    pub budget: Option<Duration>,
    /// How many of each thread's worst activations are explained.
    pub worst: usize,
    /// A started program's output goes to standard error.
    pub output_to_error: bool,
}

/// Watches, and judges what was seen.
pub fn watch(request: &WatchRequest, progress: &mut dyn Progress) -> Result<WatchedProgram, Error> {
    let root = Root::system();
    let stop = progress.stop().map_err(Error::failed)?;
    let mut follower = attached(request, &root)?;
    let mut found = Found::new(&request.target, &root);
    let mut started = None;
    if let Target::Command(words) = &request.target {
        follower.follow_children_of(std::process::id()).map_err(refused)?;
        started = Some(Started::new(words, request.output_to_error)?);
    }
    found.look(&mut follower)?;
    found.must_be_there()?;
    let begun = Instant::now();
    let length = request.duration.map(|length| std::time::Duration::from_nanos(length.as_ns()));
    let mut rounds = 0_u64;
    let mut shown = Shown::default();
    loop {
        std::thread::sleep(ROUND);
        rounds += 1;
        let has_ended = match &mut started {
            Some(started) => started.has_ended()?,
            None => found.has_ended(&follower),
        };
        follower.poll();
        if rounds.is_multiple_of(ROUNDS_A_LOOK) {
            found.look(&mut follower)?;
            shown.tell(&rows(&follower, request), progress);
        }
        let is_missed = || request.until_miss && follower.has_missed();
        if has_ended || stop.is_set() || length.is_some_and(|length| begun.elapsed() >= length) || is_missed() {
            break;
        }
    }
    found.look(&mut follower)?;
    follower.finish();
    let status = started.map(Started::end).transpose()?;
    Ok(document(request, &follower, status))
}

fn attached(request: &WatchRequest, root: &Root) -> Result<Follower, Error> {
    let ns = |time: Option<Duration>| time.map(Duration::as_ns);
    let limits = Limits {
        period_ns: ns(request.period),
        deadline_ns: ns(request.deadline),
        budget_ns: ns(request.budget),
        worst: request.worst,
    };
    let topology = Topology::read(root).map_err(Error::failed)?;
    let cpus = CpuSet::from_cpus(topology.online.iter().take(EVENTS_CPUS)).unwrap_or(topology.online);
    Follower::attach(root, &cpus, limits).map_err(refused)
}

fn rows(follower: &Follower, request: &WatchRequest) -> Vec<WatchedThread> {
    follower.seen().into_iter().filter_map(|seen| thread(seen, request.budget.is_some())).collect()
}

fn document(request: &WatchRequest, follower: &Follower, status: Option<u8>) -> WatchedProgram {
    let threads = rows(follower, request);
    let (outcome, reasons) = judge_program(&threads, follower.unfollowed());
    let mut remarks = Vec::new();
    if let Some(why) = follower.no_events() {
        remarks.push(format!("The processors' events were not recorded, so that few causes are known: {why}."));
    }
    if follower.clock_steps() > 0 {
        remarks.push(format!(
            "A clock was set {}; latencies on it are wrong by the step around then.",
            counted(follower.clock_steps(), "time")
        ));
    }
    WatchedProgram {
        target: request.target.to_string(),
        outcome,
        reasons,
        watched_s: std::time::Duration::from_nanos(follower.watched_ns()).as_secs_f64(),
        threads,
        unfollowed: follower.unfollowed(),
        status,
        processor_time_s: std::time::Duration::from_nanos(process_cpu_ns()).as_secs_f64(),
        remarks,
    }
}

/// What was said already of each thread.
#[derive(Default)]
struct Shown(std::collections::BTreeSet<u32>);

impl Shown {
    /// Says how a thread waits, once its period is known.
    fn tell(&mut self, rows: &[WatchedThread], progress: &mut dyn Progress) {
        for row in rows.iter().filter(|row| row.period_ns.is_some()) {
            if self.0.insert(row.thread_id) {
                progress.remark(&Remark::Text(document::waits(row)));
            }
        }
    }
}
