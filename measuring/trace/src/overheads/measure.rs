//! One run of the overheads probe, from its plan to samples and marks.

use super::cache;
use super::kinds::{self, ASKED, Pass, QUANTITIES, Sorter};
use super::points::PASSES;
use super::record::{Counts, OverheadKind};
use super::task::{TaskRequest, set_of};
use super::team::{self, Ran};
use super::trace::{Attached, Stretch, Trace, TraceRequest};
use prazo_core::text::counted;
use prazo_core::time::{Duration, Instant};
use prazo_engine::process_settings::ProcessSettings;
use prazo_engine::{Measured, Outlets, PlanError, ProbeError, Sink, StopFlag, Surroundings, machine, plan_check};
use prazo_platform::root::Root;
use prazo_run::overheads::{Mark, Traced, TracedKind};
use prazo_run::run::{Ending, Quantity};
use prazo_run::source::OverheadsSource;
use prazo_run::{Caveat, Plan, Severity};
use prazo_sys::{clock, memory};
use std::collections::BTreeMap;

/// Naps while two stamps are compared, and how long each is.
const NAPS: (u32, u64) = (500, 100_000);
/// Pairs that a job brings at most: release, its latency, two decisions, two switches, an interrupt to another processor.
const PAIRS_OF_A_JOB: u64 = 8;
/// Pairs a second that are no job's: ticks, and what else runs.
const OTHER_PAIRS: u64 = 20_000;
/// The most pairs that are held of each processor: 64 MiB.
const ROOM_MAX: u64 = 1 << 22;

/// What was measured, and what was traced besides.
pub struct OverheadsMeasured {
    /// The run as every probe answers it.
    pub measured: Measured,
    /// Kinds, marks and reasons.
    pub traced: Option<Traced>,
}

/// Refuses a plan that cannot be measured here, for the first reason found.
pub fn check(plan: &Plan, source: &OverheadsSource) -> Result<(), ProbeError> {
    let machine = machine(&Surroundings::default())?;
    if plan.threads.is_empty() || set_of(&source.cpus).is_none() {
        return Err(PlanError::NoThreads.into());
    }
    source.cpus.iter().try_for_each(|cpu| plan_check::check_cpu(*cpu, &machine))?;
    plan_check::check_length(plan)?;
    Ok(plan_check::check_policy(plan)?)
}

/// Runs the tasks of the plan once for each pass of what is traced, and hands on what was found.
pub fn measure(
    plan: &Plan,
    source: &OverheadsSource,
    root: &Root,
    outlets: Outlets<'_>,
) -> Result<OverheadsMeasured, ProbeError> {
    let usable = machine(&Surroundings::default())?.usable;
    let settings = ProcessSettings::apply(plan, &usable, &Surroundings::default())?;
    let idle_not_held = settings.idle_not_held.clone();
    let housekeeping_cpu = settings.housekeeping.number();
    let passes = run_passes(plan, source, root, outlets.stop);
    let cache = cache::measure(&source.cpus, &source.working_sets_kib, plan.seed, root);
    let tunables = settings.put_back();
    let (passes, cache) = (passes?, cache?);
    let traced = Traced { cache, ..hand_on(plan, source, &passes, outlets.sink)? };
    let elapsed_ns = passes.iter().map(|pass| pass.ran.span.end_ns - pass.ran.span.start_ns).sum();
    Ok(OverheadsMeasured {
        measured: Measured {
            ending: if outlets.stop.is_set() { Ending::Interrupted } else { Ending::Complete },
            start: Instant::from_ns(passes.first().map_or(0, |pass| pass.ran.span.start_ns)),
            elapsed: Duration::from_ns(elapsed_ns),
            housekeeping_cpu,
            recorder_delay_max: Duration::ZERO,
            caveats: caveats(&traced, &passes, idle_not_held.as_deref(), outlets.stop.is_set()),
            tunables,
            series: Vec::new(),
            self_checks: Vec::new(),
        },
        traced: (!source.kinds.is_empty()).then_some(traced),
    })
}

/// One pass: what the tasks did, and what was traced.
struct Passed {
    ran: Ran,
    found: TracedPasses,
}

/// What tracing found.
#[derive(Default)]
struct TracedPasses {
    stretches: Vec<Stretch>,
    ways: BTreeMap<OverheadKind, Attached>,
    before: Vec<Counts>,
    instructions: u32,
}

/// The kinds of each pass that were asked for; one pass without any where none was.
fn passes_of(source: &OverheadsSource) -> Vec<Vec<OverheadKind>> {
    let is_asked =
        |kind: &&OverheadKind| ASKED.iter().any(|(quantity, of)| of == *kind && source.kinds.contains(quantity));
    let of = |pass: &&[OverheadKind]| pass.iter().filter(is_asked).copied().collect::<Vec<_>>();
    let mut passes: Vec<Vec<OverheadKind>> = PASSES.iter().map(of).filter(|pass| !pass.is_empty()).collect();
    if passes.is_empty() {
        passes.push(Vec::new());
    }
    passes
}

fn run_passes(plan: &Plan, source: &OverheadsSource, root: &Root, stop: &StopFlag) -> Result<Vec<Passed>, ProbeError> {
    let orders = team::requests(plan, source);
    // Refused, a page may be fetched while measuring; a deadline task's policy would be refused by the same limits first.
    let _ = memory::lock_current();
    let passes = passes_of(source);
    let run = |(number, kinds): (usize, &Vec<OverheadKind>)| {
        if number > 0 && stop.is_set() {
            return None;
        }
        Some(run_pass(plan, source, root, stop, &orders, (number == 0, kinds)))
    };
    passes.iter().enumerate().filter_map(run).collect()
}

fn run_pass(
    plan: &Plan,
    source: &OverheadsSource,
    root: &Root,
    stop: &StopFlag,
    orders: &[TaskRequest],
    (is_first, kinds): (bool, &[OverheadKind]),
) -> Result<Passed, ProbeError> {
    if kinds.is_empty() {
        let ran = team::run(orders, plan.run_length().as_ns(), stop, || ())?;
        return Ok(Passed { ran, found: TracedPasses::default() });
    }
    match Trace::load(root, TraceRequest { cpus: &source.cpus, room: room(plan) }) {
        Ok(mut trace) => traced_pass(plan, stop, orders, &mut trace, (is_first, kinds)),
        Err(why) => {
            let ways = kinds.iter().map(|kind| (*kind, Err(why.to_string()))).collect();
            let ran = team::run(orders, plan.run_length().as_ns(), stop, || ())?;
            Ok(Passed { ran, found: TracedPasses { ways, ..TracedPasses::default() } })
        }
    }
}

fn traced_pass(
    plan: &Plan,
    stop: &StopFlag,
    orders: &[TaskRequest],
    trace: &mut Trace<'_>,
    (is_first, kinds): (bool, &[OverheadKind]),
) -> Result<Passed, ProbeError> {
    let stamp = is_first.then(|| compare_stamps(trace));
    let mut ways = trace.attach(kinds);
    ways.extend(stamp.map(|way| (OverheadKind::Stamp, way)));
    let mut before = Vec::new();
    let ran = team::run(orders, plan.run_length().as_ns(), stop, || {
        before = trace.stretches().iter().map(|stretch| stretch.counts).collect();
    })?;
    let instructions = trace.instructions().values().sum();
    Ok(Passed { ran, found: TracedPasses { stretches: trace.stretches(), ways, before, instructions } })
}

/// Stamps are compared alone, before all else, so that nothing of it is in any other pair.
fn compare_stamps(trace: &mut Trace<'_>) -> Attached {
    let way = trace.attach_stamp();
    if way.is_ok() {
        for _ in 0..NAPS.0 {
            // A nap that a signal cuts short has its two switches all the same.
            let _ = clock::sleep_for(NAPS.1);
        }
    }
    trace.detach_stamp();
    way
}

/// Room for every pair that the plan can bring on one processor.
fn room(plan: &Plan) -> u32 {
    let length_ns = plan.run_length().as_ns();
    let jobs: u64 = plan.threads.iter().map(|thread| length_ns / thread.period.as_ns().max(1) + 1).sum();
    let others = (length_ns / 1_000_000_000 + 1) * OTHER_PAIRS;
    (jobs * PAIRS_OF_A_JOB + others).min(ROOM_MAX) as u32
}

fn hand_on(
    plan: &Plan,
    source: &OverheadsSource,
    passes: &[Passed],
    sink: &mut dyn Sink,
) -> Result<Traced, ProbeError> {
    let ways = passes.iter().flat_map(|pass| pass.found.ways.clone()).collect();
    let mut kinds = kinds::traced(&ways);
    let mut sorter = Sorter::new(plan, source, plan.run_length().as_ns(), passes.len() as u32);
    for (number, passed) in (0..).zip(passes) {
        sort(Pass { number, span: passed.ran.span }, passed, &mut sorter, &mut kinds);
    }
    let stamp_ns = passes.first().and_then(|pass| stamp_ns(&pass.found.stretches));
    for kind in kinds.iter_mut().filter(|kind| kind.untraced.is_none() && kind.quantity != Quantity::StampCost) {
        kind.stamp_ns = stamp_ns;
    }
    sorter.batches().try_for_each(|batch| sink.second(&batch)).map_err(ProbeError::Sink)?;
    let served = || passes.iter().flat_map(|pass| &pass.ran.served);
    Ok(Traced {
        tasks: plan.threads.len() as u32,
        jobs_due: served().map(|one| one.due).sum(),
        jobs_served: served().map(|one| one.samples.len() as u64).sum(),
        tick_period_ns: clock::tick_period_ns(),
        kinds,
        cache: Vec::new(),
    })
}

fn sort(pass: Pass, passed: &Passed, sorter: &mut Sorter, kinds: &mut [TracedKind]) {
    let mut jobs: Vec<_> = passed.ran.served.iter().flat_map(|served| &served.samples).copied().collect();
    jobs.sort_by_key(|sample| sample.due_ns);
    jobs.into_iter().for_each(|sample| sorter.job(pass, sample));
    for (place, stretch) in passed.found.stretches.iter().enumerate() {
        sorter.stretch(pass, place, stretch, kinds);
        let before = passed.found.before.get(place).copied().unwrap_or_default();
        for (number, (_, kind)) in QUANTITIES.iter().enumerate() {
            let count = stretch.counts.incomplete_since(&before, *kind);
            sorter.incomplete(pass, place, number, count);
            kinds[number].mark(Mark::Incomplete, count, None);
        }
    }
}

/// The median of all stamps with nothing between; the upper one of two.
fn stamp_ns(stretches: &[Stretch]) -> Option<u64> {
    let records = stretches.iter().flat_map(|stretch| &stretch.records);
    let mut stamps: Vec<u32> =
        records.filter(|record| record.kind == OverheadKind::Stamp).map(|record| record.cost_ns).collect();
    stamps.sort_unstable();
    stamps.get(stamps.len() / 2).map(|ns| u64::from(*ns))
}

fn caveats(traced: &Traced, passes: &[Passed], idle_not_held: Option<&str>, is_stopped: bool) -> Vec<Caveat> {
    let lost = passes.iter().flat_map(|pass| &pass.found.stretches).map(|stretch| stretch.lost).sum();
    let instructions = passes.iter().map(|pass| pass.found.instructions).max().unwrap_or(0);
    let changes = passes.iter().flat_map(|pass| pass.ran.changes.iter().cloned());
    let others = [
        untraced(traced),
        lost_pairs(lost),
        late(traced).filter(|_| !is_stopped),
        idle(idle_not_held),
        cost(instructions),
    ];
    changes.chain(others.into_iter().flatten()).collect()
}

fn untraced(traced: &Traced) -> Option<Caveat> {
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for kind in &traced.kinds {
        if let Some(reason) = kind.untraced.as_ref().filter(|reason| *reason != kinds::NOT_ASKED) {
            by_reason.entry(reason).or_default().push(kind.quantity.to_string());
        }
    }
    let reasons: Vec<String> =
        by_reason.iter().map(|(reason, kinds)| format!("{} ({reason})", kinds.join(", "))).collect();
    let what = format!("these kinds of overhead could not be traced: {}", reasons.join("; "));
    (!reasons.is_empty()).then(|| {
        let remedy = "see the reason of each kind; tracing needs root and a kernel with CONFIG_DEBUG_INFO_BTF; the \
                      other kinds of overhead are valid";
        Caveat::new("not-traced", Severity::Medium, what, remedy)
    })
}

fn lost_pairs(lost: u64) -> Option<Caveat> {
    let pairs = counted(lost, "pair");
    let what = format!("the trace buffer was full and lost {pairs} of stamps, all kinds of overhead together");
    (lost > 0).then(|| {
        Caveat::new(
            "pairs-lost",
            Severity::High,
            what,
            "keep other programs off these processors, or give a shorter --duration",
        )
    })
}

fn late(traced: &Traced) -> Option<Caveat> {
    let missing = traced.jobs_due - traced.jobs_served;
    let what = format!(
        "{missing} of {} never ran, because the tasks require more processor time than the processors have",
        counted(traced.jobs_due, "job")
    );
    (missing > 0).then(|| Caveat::new("tasks-overloaded", Severity::High, what, "give smaller numbers with --tasks"))
}

fn idle(why: Option<&str>) -> Option<Caveat> {
    let what = format!(
        "deep idle states could not be disabled ({}), so event latency and IPI latency contain the exit latency \
         of idle states",
        why?
    );
    let remedy = "run as root, or boot with processor.max_cstate=1, on Intel also with intel_idle.max_cstate=0 (in a guest: on the host)";
    Some(Caveat::new("no-dma-latency", Severity::Medium, what, remedy))
}

fn cost(instructions: u32) -> Option<Caveat> {
    let what = format!(
        "every pair of stamps contains the cost of a stamp (stamp_ns); the programs attached at one time have at most \
         {instructions} BPF instructions in total, excluding helpers"
    );
    let remedy = "docs/linux-overheads.md states how many instructions tracing adds";
    (instructions > 0).then(|| Caveat::new("tracing-cost", Severity::Info, what, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_every_pair_of_a_full_run() {
        let (length, cpus) = (Duration::from_s(10), vec![0]);
        let draw = super::super::Draw {
            tasks: 125,
            by_deadline: false,
            cpus,
            shape: prazo_run::source::TaskAffinity::Global,
            length,
            warm_up: Duration::ZERO,
            kinds: vec![Quantity::ReleaseOverhead],
            working_sets_kib: Vec::new(),
            seed: 1,
        };
        let room = u64::from(room(&draw.plan()));
        assert!((500_000..ROOM_MAX).contains(&room), "{room}");
    }
}
