//! One run of the overheads probe, from its plan to samples and marks.

use super::kinds::{self, QUANTITIES, Sorter};
use super::record::{Counts, Kind};
use super::task::set_of;
use super::team::{self, Ran};
use super::trace::{Asked, Stretch, Trace, Way};
use crate::split::NoSplit;
use crate::timer::process_settings::ProcessSettings;
use crate::timer::sys::{clock, memory};
use crate::timer::{Measured, Outlets, PlanError, ProbeError, StopFlag, Surroundings};
use crate::timer::{measure as timer, plan_check};
use prazo_core::time::{Duration, Instant};
use prazo_platform::root::Root;
use prazo_run::overheads::{Mark, Traced, TracedKind};
use prazo_run::plan::Length;
use prazo_run::run::{Ending, Quantity};
use prazo_run::source::OverheadsSource;
use prazo_run::{Caveat, Plan, Severity};
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
pub struct Outcome {
    /// The run as every probe answers it.
    pub measured: Measured,
    /// Kinds, marks and reasons.
    pub traced: Option<Traced>,
}

/// Refuses a plan that cannot be measured here, for the first reason found.
pub fn check(plan: &Plan, source: &OverheadsSource) -> Result<(), ProbeError> {
    let machine = timer::machine(&Surroundings::default())?;
    if plan.threads.is_empty() || set_of(&source.cpus).is_none() {
        return Err(PlanError::NoThreads.into());
    }
    source.cpus.iter().try_for_each(|cpu| plan_check::check_cpu(*cpu, &machine))?;
    plan_check::check_length(plan)?;
    Ok(plan_check::check_policy(plan)?)
}

/// Runs the tasks of the plan, traces them where that is asked, and hands on what was found.
pub fn measure(
    plan: &Plan,
    source: &OverheadsSource,
    root: &Root,
    outlets: Outlets<'_>,
) -> Result<Outcome, ProbeError> {
    let usable = timer::machine(&Surroundings::default())?.usable;
    let settings = ProcessSettings::apply(plan, &usable, &Surroundings::default())?;
    let idle_not_held = settings.idle_not_held.clone();
    let housekeeping_cpu = settings.housekeeping.number();
    let mut tracing = Tracing::begin(plan, source, root);
    let ran = run_tasks(plan, source, outlets.stop, &mut tracing);
    let tunables = settings.put_back();
    let ran = ran?;
    let found = tracing.end();
    let traced = hand_on(plan, source, &ran, &found, outlets.sink)?;
    let elapsed = Duration::from_ns(ran.span.end_ns - ran.span.start_ns);
    let caveats = caveats(&traced, &found, idle_not_held.as_deref());
    Ok(Outcome {
        measured: Measured {
            ending: if outlets.stop.is_set() { Ending::Interrupted } else { Ending::Complete },
            start: Instant::from_ns(ran.span.start_ns),
            elapsed,
            housekeeping_cpu,
            recorder_delay_max: Duration::ZERO,
            caveats,
            tunables,
            series: Vec::new(),
            self_checks: Vec::new(),
        },
        traced: source.traced.then_some(traced),
    })
}

fn length_ns(plan: &Plan) -> u64 {
    match plan.length {
        Length::Duration { length } => length.as_ns(),
        Length::Activations { count } => {
            plan.threads.iter().map(|thread| thread.period.as_ns().saturating_mul(count)).max().unwrap_or(0)
        }
    }
}

fn run_tasks(
    plan: &Plan,
    source: &OverheadsSource,
    stop: &StopFlag,
    tracing: &mut Tracing<'_>,
) -> Result<Ran, ProbeError> {
    let orders = team::orders(plan, source);
    // Refused, a page may be fetched while measuring; a deadline task's policy would be refused by the same limits first.
    let _ = memory::lock_current();
    team::run(&orders, length_ns(plan), stop, || tracing.baseline())
}

/// The tracing of one run, or why there is none.
struct Tracing<'a> {
    trace: Result<Trace<'a>, String>,
    ways: BTreeMap<Kind, Way>,
    before: Vec<Counts>,
}

/// What it found.
struct Found {
    stretches: Vec<Stretch>,
    ways: BTreeMap<Kind, Way>,
    before: Vec<Counts>,
    why: String,
    instructions: u32,
}

impl<'a> Tracing<'a> {
    fn begin(plan: &Plan, source: &'a OverheadsSource, root: &'a Root) -> Self {
        if !source.traced {
            let why = Err("it was not asked for".to_owned());
            return Self { trace: why, ways: BTreeMap::new(), before: Vec::new() };
        }
        let asked = Asked { cpus: &source.cpus, room: room(plan) };
        let trace = Trace::load(root, asked).map_err(|why: NoSplit| why.to_string());
        let mut tracing = Self { trace, ways: BTreeMap::new(), before: Vec::new() };
        tracing.attach();
        tracing
    }

    /// Stamps are compared first, alone, so that nothing of it is in any other pair.
    fn attach(&mut self) {
        let Ok(trace) = &mut self.trace else { return };
        let stamp = trace.attach_stamp();
        if stamp.is_ok() {
            for _ in 0..NAPS.0 {
                // A nap that a signal cuts short has its two switches all the same.
                let _ = clock::sleep_for(NAPS.1);
            }
        }
        trace.detach_stamp();
        self.ways = trace.attach(&Kind::ALL[..6]);
        self.ways.insert(Kind::Stamp, stamp);
    }

    /// What was counted before the tasks started is theirs in nothing.
    fn baseline(&mut self) {
        if let Ok(trace) = &self.trace {
            self.before = trace.stretches().iter().map(|stretch| stretch.counts).collect();
        }
    }

    fn end(self) -> Found {
        let (stretches, instructions, why) = match &self.trace {
            Ok(trace) => (trace.stretches(), trace.instructions().values().sum(), String::new()),
            Err(why) => (Vec::new(), 0, why.clone()),
        };
        Found { stretches, instructions, why, ways: self.ways, before: self.before }
    }
}

/// Room for every pair that the plan can bring on one processor.
fn room(plan: &Plan) -> u32 {
    let length_ns = length_ns(plan);
    let jobs: u64 = plan.threads.iter().map(|thread| length_ns / thread.period.as_ns().max(1) + 1).sum();
    let others = (length_ns / 1_000_000_000 + 1) * OTHER_PAIRS;
    (jobs * PAIRS_OF_A_JOB + others).min(ROOM_MAX) as u32
}

fn hand_on(
    plan: &Plan,
    source: &OverheadsSource,
    ran: &Ran,
    found: &Found,
    sink: &mut dyn crate::timer::Sink,
) -> Result<Traced, ProbeError> {
    let mut kinds = kinds::traced(&found.ways, &found.why);
    let mut sorter = Sorter::new(plan, ran.span);
    let mut jobs: Vec<_> = ran.served.iter().flat_map(|served| &served.samples).copied().collect();
    jobs.sort_by_key(|sample| sample.due_ns);
    jobs.into_iter().for_each(|sample| sorter.job(sample));
    for (place, stretch) in found.stretches.iter().enumerate() {
        sorter.stretch(place, stretch, &mut kinds);
        let before = found.before.get(place).copied().unwrap_or_default();
        count_incomplete(place, &stretch.counts, &before, &mut sorter, &mut kinds);
    }
    let stamp_ns = stamp_ns(&found.stretches);
    for kind in kinds.iter_mut().filter(|kind| kind.untraced.is_none() && kind.quantity != Quantity::StampCost) {
        kind.stamp_ns = stamp_ns;
    }
    sorter.batches().try_for_each(|batch| sink.second(&batch)).map_err(ProbeError::Sink)?;
    let (due, served) =
        ran.served.iter().fold((0, 0), |(due, served), one| (due + one.due, served + one.samples.len() as u64));
    let tasks = plan.threads.len() as u32;
    debug_assert!(source.cpus.len() >= found.stretches.len());
    Ok(Traced { tasks, jobs_due: due, jobs_served: served, tick_period_ns: clock::tick_period_ns(), kinds })
}

fn count_incomplete(place: usize, now: &Counts, before: &Counts, sorter: &mut Sorter, kinds: &mut [TracedKind]) {
    for (number, (_, kind)) in QUANTITIES.iter().enumerate() {
        let at = kind.number();
        let count = u64::from(now.incomplete[at].saturating_sub(before.incomplete[at]));
        sorter.incomplete(place, number, count);
        kinds[number].mark(Mark::Incomplete, count, None);
    }
}

/// The median of all stamps with nothing between; the upper one of two.
fn stamp_ns(stretches: &[Stretch]) -> Option<u64> {
    let records = stretches.iter().flat_map(|stretch| &stretch.records);
    let mut stamps: Vec<u32> =
        records.filter(|record| record.kind == Kind::Stamp).map(|record| record.cost_ns).collect();
    stamps.sort_unstable();
    stamps.get(stamps.len() / 2).map(|ns| u64::from(*ns))
}

fn caveats(traced: &Traced, found: &Found, idle_not_held: Option<&str>) -> Vec<Caveat> {
    let lost: u64 = found.stretches.iter().map(|stretch| stretch.lost).sum();
    [untraced(traced), lost_pairs(lost), late(traced), idle(idle_not_held), cost(found)].into_iter().flatten().collect()
}

fn untraced(traced: &Traced) -> Option<Caveat> {
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for kind in &traced.kinds {
        if let Some(reason) = &kind.untraced {
            by_reason.entry(reason).or_default().push(kind.quantity.word());
        }
    }
    let reasons: Vec<String> =
        by_reason.iter().map(|(reason, kinds)| format!("{} ({reason})", kinds.join(", "))).collect();
    let what = format!("this kernel does not let these be traced: {}", reasons.join("; "));
    (!reasons.is_empty()).then(|| {
        let remedy = "measure as root on a kernel with CONFIG_DEBUG_INFO_BTF; the other kinds stand without them";
        Caveat::new("not-traced", Severity::Medium, what, remedy)
    })
}

fn lost_pairs(lost: u64) -> Option<Caveat> {
    let what = format!("{lost} pairs of stamps found no room, of whatever kind");
    (lost > 0).then(|| Caveat::new("pairs-lost", Severity::High, what, "give a shorter --duration"))
}

fn late(traced: &Traced) -> Option<Caveat> {
    let missing = traced.jobs_due - traced.jobs_served;
    let what = format!("{missing} of {} jobs never ran: the tasks ask for more than there is", traced.jobs_due);
    (missing > 0).then(|| Caveat::new("tasks-overloaded", Severity::High, what, "give fewer --tasks"))
}

fn idle(why: Option<&str>) -> Option<Caveat> {
    let what = format!("idle states could not be held off ({})", why?);
    let remedy = "run as root, or boot with processor.max_cstate=1";
    Some(Caveat::new("no-dma-latency", Severity::Medium, what, remedy))
}

fn cost(found: &Found) -> Option<Caveat> {
    let what = format!(
        "every pair includes what a stamp costs (stamp_ns); the programs are {} BPF instructions together, helpers apart",
        found.instructions
    );
    let remedy = "docs/linux-edf.md says what that adds, counted in instructions";
    (found.instructions > 0).then(|| Caveat::new("tracing-cost", Severity::Info, what, remedy))
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
            shape: prazo_run::source::Shape::Global,
            length,
            warm_up: Duration::ZERO,
            traced: true,
            seed: 1,
        };
        let room = u64::from(room(&draw.plan()));
        assert!((500_000..ROOM_MAX).contains(&room), "{room}");
    }
}
