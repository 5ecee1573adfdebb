//! Any program watched against its deadline, with the name of whoever made it late.

mod deployment;
mod document;
mod find;
mod kept;
mod metrics;
mod refused;
mod request;
mod rules;
mod run_file;
mod started;
mod text;
mod trace;

pub use document::{Untraced, WatchCost, WatchEnding, WatchedProgram};
pub use find::Target;
pub use prazo_probe::activations::ProgramSection;
pub use request::WatchRequest;
pub use rules::Rules;
pub use trace::activations;

use crate::error::Error;
use crate::progress::{Count, Progress, Remark};
use deployment::Deployment;
use document::{KeptAround, thread};
use find::Found;
use prazo_core::cpu::CpuSet;
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_probe::activations::{Follower, Limits, Part, SeenSection, SeenThread, ThreadPart};
use prazo_run::run::Ending;
use prazo_sys::clock::process_cpu_ns;
use prazo_verdict::watched::{ProgramEvidence, UnplacedPlace, WatchedSection, WatchedThread, judge_program};
use refused::refused;
use run_file::Recorder;
use started::Started;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

/// How often the kernel's ring is emptied.
const ROUND: std::time::Duration = std::time::Duration::from_millis(50);
/// How many rounds lie between two looks for new processes and names.
const ROUNDS_A_LOOK: u64 = 10;
/// So many rounds after the start places are looked for in each: a program that starts takes its libraries one after the other.
const ROUNDS_AT_START: u64 = 40;
/// How often the run file is written, and figures are served.
const WRITTEN_EVERY: std::time::Duration = std::time::Duration::from_secs(1);
/// Where the last seconds are kept, watching goes on for so long after a miss.
const AFTER_MISS: std::time::Duration = std::time::Duration::from_secs(1);
/// Of so many of the worst activations the run file has what happened around them.
const AROUND_KEPT: usize = 16;
/// Processors whose events are kept for the causes: each takes four megabytes.
const EVENTS_CPUS: usize = 64;

/// Hears once a second what was seen until then, as the answer would be if the watch ended; it may end it.
pub type EachSecond<'a> = &'a mut dyn FnMut(&WatchedProgram) -> ControlFlow<()>;

/// Watches, and judges what was seen.
pub fn watch(request: &WatchRequest, progress: &mut dyn Progress) -> Result<WatchedProgram, Error> {
    watch_with(request, None, progress)
}

/// Watches as [`watch`] does, for a caller that also wants to hear what was seen meanwhile.
pub fn watch_live(
    request: &WatchRequest,
    each_second: EachSecond<'_>,
    progress: &mut dyn Progress,
) -> Result<WatchedProgram, Error> {
    watch_with(request, Some(each_second), progress)
}

fn watch_with(
    request: &WatchRequest,
    mut each_second: Option<EachSecond<'_>>,
    progress: &mut dyn Progress,
) -> Result<WatchedProgram, Error> {
    let root = Root::system();
    let stop = progress.stop().map_err(Error::failed)?;
    check(request)?;
    let mut found = Found::new(&request.target, &root)?;
    let metrics = metrics::served(request, progress)?;
    let mut follower = attached(request, &root)?;
    let mut recorder = Recorder::open(request, &root)?;
    let mut started = start_command(request, &mut follower)?;
    let first = found.look(&mut follower).and_then(|()| found.must_be_there());
    first.and_then(|()| must_be_placed(&found, &follower)).inspect_err(|_| recorder.abandon())?;
    let (begun, begun_cpu_ns) = (Instant::now(), process_cpu_ns());
    let length = request.duration.map(|length| std::time::Duration::from_nanos(length.as_ns()));
    let (mut rounds, mut written) = (0_u64, begun);
    let (mut shown, mut missed) = (Shown::default(), None);
    // The lines of a started program, and those of a caller who hears of each second, shall not be cut by a progress line.
    let shows_time = started.is_none() && each_second.is_none();
    if shows_time {
        progress.stage("watching");
    }
    loop {
        std::thread::sleep(ROUND);
        rounds += 1;
        let has_ended = match &mut started {
            Some(started) => started.has_ended()?,
            None => found.has_ended(&follower),
        };
        follower.poll();
        if rounds < ROUNDS_AT_START {
            follower.find_places();
        }
        if rounds.is_multiple_of(ROUNDS_A_LOOK) {
            found.look(&mut follower)?;
            shown.tell(&follower, progress);
        }
        let is_missed = request.until_miss && is_past_miss(request, &follower, &mut missed);
        if missed.is_some() {
            // Before the next seconds are taken, which would drop it.
            recorder.pin();
        }
        if written.elapsed() >= WRITTEN_EVERY {
            written = Instant::now();
            recorder.second(&mut follower);
            if let Some(length) = length.filter(|_| shows_time) {
                progress.count(&seconds(begun.elapsed(), length));
            }
            metrics.as_ref().inspect(|metrics| metrics.show(&follower));
            if let Some(hear) = &mut each_second {
                let end = End { status: None, file: None, watching_ns: process_cpu_ns() - begun_cpu_ns };
                if hear(&document(request, &found, &follower, follower.seen(), end)).is_break() {
                    stop.stop();
                }
            }
        }
        if has_ended || stop.is_set() || length.is_some_and(|length| begun.elapsed() >= length) || is_missed {
            break;
        }
    }
    found.look(&mut follower)?;
    follower.finish();
    let watching_ns = process_cpu_ns() - begun_cpu_ns;
    let status = started.map(Started::end).transpose()?;
    let seen = follower.seen();
    let ending = if stop.is_set() { Ending::Interrupted } else { Ending::Complete };
    let caveats = run_file::caveats(&follower, &seen);
    let file = recorder.close(&mut follower, ending, &seen, caveats)?;
    if let Some(file) = &request.trace {
        trace::write(file, &run_file::accounts(&seen, Some(KeptAround::all(follower.from_ns()))), progress)?;
    }
    Ok(document(request, &found, &follower, seen, End { status, file, watching_ns }))
}

/// How far a watch of a given length is.
fn seconds(elapsed: std::time::Duration, length: std::time::Duration) -> Count {
    let left = length.saturating_sub(elapsed);
    Count {
        parts: "seconds",
        done: elapsed.as_secs().min(length.as_secs()),
        found: 0,
        total: length.as_secs(),
        left: Some(Duration::from(left)),
        elapsed: None,
    }
}

/// True once a deadline was missed or a rule broken; a moment later, where what is around it shall be kept.
fn is_past_miss(request: &WatchRequest, follower: &Follower, missed: &mut Option<Instant>) -> bool {
    let has_broken = || follower.has_broken(|rule, name, priority| request.rules.is_about(rule, name, priority));
    if missed.is_none() && (follower.has_missed() || has_broken()) {
        *missed = Some(Instant::now());
    }
    missed.is_some_and(|missed| request.keep.is_none() || missed.elapsed() >= AFTER_MISS)
}

/// Refuses, before anything is attached or written, what no watch can do.
fn check(request: &WatchRequest) -> Result<(), Error> {
    request.trace.as_deref().map_or(Ok(()), trace::check)?;
    if request.keep.is_some_and(|keep| keep < Duration::from_s(1)) {
        return Err(Error::field("keep", "the time to keep is less than a second")
            .with_remedy("keep at least one second, as in 30s"));
    }
    Ok(())
}

/// The program that the request starts; `None` where it names what runs already.
fn start_command(request: &WatchRequest, follower: &mut Follower) -> Result<Option<Started>, Error> {
    let Target::Command(words) = &request.target else { return Ok(None) };
    // Both before the start, so that the program is followed from its first instruction on.
    follower.follow_children_of(std::process::id()).map_err(refused)?;
    if let Some(program) = started::file_of(words) {
        follower.expect(&program);
    }
    Started::new(words, request.output_to_error).map(Some)
}

/// What follows the target's threads from now on, and counts what that costs where this is wanted.
fn attached(request: &WatchRequest, root: &Root) -> Result<Follower, Error> {
    let ns = |time: Option<Duration>| time.map(Duration::as_ns);
    let limits = Limits {
        period_ns: ns(request.period),
        deadline_ns: ns(request.deadline),
        budget_ns: ns(request.budget),
        worst: request.worst,
        keeps_around: if request.trace.is_some() { usize::MAX } else { AROUND_KEPT },
        is_recorded: true,
        without_events: !request.causes,
        rules: request.rules.of_activations(),
        places: request.rules.places(&request.sections),
        ..Limits::default()
    };
    let topology = Topology::read(root).map_err(Error::failed)?;
    let cpus = CpuSet::from_cpus(topology.online.iter().take(EVENTS_CPUS)).unwrap_or(topology.online);
    let mut follower = Follower::attach(root, &cpus, limits).map_err(refused)?;
    if request.cost {
        follower.count_cost();
    }
    Ok(follower)
}

/// An error if a process that is there already lacks a place; others may come that have it.
fn must_be_placed(found: &Found, follower: &Follower) -> Result<(), Error> {
    let unplaced = follower.unplaced();
    match unplaced.first() {
        Some(one) if found.is_fixed() => {
            Err(Error::refused(format!("{}: {}", one.place, one.why)).with_remedy(one.remedy))
        }
        _ => Ok(()),
    }
}

/// What is known at the end of a watch.
struct End {
    /// The started program's.
    status: Option<u8>,
    file: Option<PathBuf>,
    /// Processor time between the beginning and the end of watching.
    watching_ns: u64,
}

fn document(
    request: &WatchRequest,
    found: &Found,
    follower: &Follower,
    seen: Vec<SeenThread>,
    End { status, file, watching_ns }: End,
) -> WatchedProgram {
    let rules = request.rules.judged(&seen, &follower.processes());
    let names = request.rules.places(&request.sections).sections;
    let of_thread = |seen: &SeenThread| -> Vec<(usize, WatchedSection)> {
        let of = |section: &SeenSection| (section.number, document::section(&names[section.number], seen, section));
        seen.sections.iter().map(of).collect()
    };
    let mut sections: Vec<(usize, WatchedSection)> = seen.iter().flat_map(of_thread).collect();
    sections.sort_by_key(|(number, _)| *number);
    let unplaced: Vec<UnplacedPlace> = follower.unplaced().into_iter().map(document::unplaced).collect();
    let has_budget = request.budget.is_some() || found.deployment().is_some();
    let mut threads: Vec<WatchedThread> = seen.into_iter().filter_map(|seen| thread(seen, has_budget)).collect();
    if let Some(deployment) = found.deployment() {
        threads.iter_mut().for_each(|thread| thread.bound_ns = deployment.bound_ns(thread.thread_id));
    }
    let differs = found.deployment().map(Deployment::differences).unwrap_or_default();
    let deployed = found.deployment().map(|deployment| deployment.evidence(&differs));
    let unfollowed = follower.unfollowed();
    let evidence = ProgramEvidence { threads: &threads, rules: &rules, unfollowed, unplaced: &unplaced, deployed };
    let (outcome, reasons) = judge_program(evidence);
    let mut remarks = Vec::new();
    let under_way: u64 = threads.iter().map(|thread| thread.under_way_at_start).sum();
    if !found.has_matched() && matches!(request.target, Target::Name(_) | Target::Group(_)) {
        remarks.push(format!("No running process matched '{}'.", request.target));
    }
    if under_way > 0 {
        remarks.push(format!("Not judged: {} under way when the watch began.", counted(under_way, "activation")));
    }
    if follower.clock_steps() > 0 {
        remarks.push(format!(
            "A clock was set {}; around these instants, latencies on that clock are wrong by the size of the step.",
            counted(follower.clock_steps(), "time")
        ));
    }
    let kernel_cost = match follower.kernel_cost() {
        Some(Err(why)) => {
            remarks.push(format!("The kernel does not count what BPF programs cost: {why}."));
            None
        }
        cost => cost.and_then(Result::ok),
    };
    let activations: u64 = threads.iter().map(|thread| thread.served).sum();
    WatchedProgram {
        target: request.target.to_string(),
        file: file.map(|file| file.display().to_string()),
        outcome,
        reasons,
        watched_s: std::time::Duration::from_nanos(follower.watched_ns()).as_secs_f64(),
        threads,
        sections: sections.into_iter().map(|(_, section)| section).collect(),
        unplaced,
        rules,
        unfollowed,
        status,
        processor_time_s: std::time::Duration::from_nanos(process_cpu_ns()).as_secs_f64(),
        processor_time_per_activation_ns: watching_ns.checked_div(activations),
        kernel_cost: kernel_cost.map(|cost| WatchCost::of(cost, activations)),
        not_traced: follower.not_traced().into_iter().map(Untraced::from).collect(),
        remarks,
    }
}

/// What was said already of each thread.
#[derive(Default)]
struct Shown(BTreeSet<ThreadPart>);

impl Shown {
    /// Says how a thread waits, once its period is known.
    fn tell(&mut self, follower: &Follower, progress: &mut dyn Progress) {
        let is_new = |own: &ThreadPart| matches!(own.part, Part::Wait(_)) && !self.0.contains(own);
        let new: Vec<ThreadPart> = follower.parts().filter(is_new).collect();
        for own in new {
            let row = follower.seen_of(own.serial).and_then(|seen| thread(seen, false));
            if let Some(row) = row.filter(|row| row.period_ns.is_some()) {
                self.0.insert(own);
                progress.remark(&Remark::Text(document::waits(&row)));
            }
        }
    }
}
