//! Reads the text of a certificate, line by line and word by word, and refuses every word that it does not expect.
//!
//! Nothing is skipped: no comments, no empty lines, no leading zeros, so that two texts with the same meaning are the
//! same text and nothing unchecked can hide in one.

mod behaviours;
mod evidence;
mod lines;
mod overheads;

use crate::certificate::{Certificate, Claim, JobRanking, Priorities, Shape};
use crate::digest::{self, Digest};
use crate::rejected::{Rejected, consistent};
use lines::{Lines, Words};
use prazo_core::behaviour::{CriticalityMode, Phase};
use prazo_core::task::{TICKS_MAX, Task, Ticks};
use prazo_core::time_model::TimeModel;

/// The longest text that is read.
const BYTES_MAX: usize = 64 << 20;
/// The most tasks of a certificate; exact sums of so many fractions still take seconds, not hours.
const TASKS_MAX: usize = 1 << 12;
/// The latest first arrival.
const OFFSET_MAX: Ticks = 1 << 56;
/// The most processors of a shape, and the most ready queues.
const PROCESSORS_MAX: u32 = 1 << 16;

/// Reads a whole certificate.
pub(crate) fn certificate(text: &str) -> Result<Certificate, Rejected> {
    if text.len() > BYTES_MAX {
        return Err(Rejected::TooLarge(format!("{} bytes exceed the limit of {BYTES_MAX}", text.len())));
    }
    let mut lines = Lines::of(text);
    let mut first = lines.expect("prazo-certificate")?;
    let version: u32 = first.number("a version")?;
    if version != crate::FORMAT_VERSION {
        return Err(first.unreadable(format!("expected version {}, found {version}", crate::FORMAT_VERSION)));
    }
    first.end()?;
    let time = time(&mut lines)?;
    let policy = policy(&mut lines)?;
    let shape = shape(&mut lines)?;
    let tasks = tasks(&mut lines)?;
    let behaviours = behaviours::read(&mut lines, &tasks)?;
    let phases = phases(&mut lines, &tasks)?;
    let overheads = overheads::table(&mut lines)?;
    let digest = digest(&mut lines, text)?;
    let claim = claim(&mut lines)?;
    lines.expect("end")?.end()?;
    lines.nothing_more()?;
    Ok(Certificate { time, policy, shape, tasks, behaviours, phases, overheads, digest, claim })
}

fn time(lines: &mut Lines<'_>) -> Result<TimeModel, Rejected> {
    let mut words = lines.expect("time")?;
    let word = words.word("`continuous` or `discrete`")?;
    let time: TimeModel =
        word.parse().map_err(|_| words.unreadable(format!("expected continuous or discrete, found `{word}`")))?;
    words.end()?;
    Ok(time)
}

/// `digest sha256 HEX`, of the lines between the first and this one.
fn digest(lines: &mut Lines<'_>, text: &str) -> Result<Digest, Rejected> {
    let mut words = lines.expect("digest")?;
    words.literal("sha256")?;
    let stated = words.word("a digest")?;
    words.end()?;
    let unread = || words.unreadable("a digest must be written `digest sha256 HEX`");
    let computed = digest::of_scenario(text).ok_or_else(unread)?;
    consistent(stated == computed.to_string(), || "the digest does not match the lines above it".into())?;
    Ok(computed)
}

fn policy(lines: &mut Lines<'_>) -> Result<JobRanking, Rejected> {
    let mut words = lines.expect("policy")?;
    let policy = match words.word("`edf` or `fixed-priority`")? {
        "edf" => JobRanking::Edf,
        "fixed-priority" => JobRanking::FixedPriority(priorities(&mut words)?),
        other => return Err(words.unreadable(format!("expected edf or fixed-priority, found `{other}`"))),
    };
    words.end()?;
    Ok(policy)
}

fn priorities(words: &mut Words<'_>) -> Result<Priorities, Rejected> {
    Ok(match words.word("an order of priorities")? {
        "rate-monotonic" => Priorities::RateMonotonic,
        "deadline-monotonic" => Priorities::DeadlineMonotonic,
        "any-order" => Priorities::AnyOrder,
        "given" => Priorities::Given(words.numbers("a rank")?),
        other => return Err(words.unreadable(format!("unknown order of priorities `{other}`"))),
    })
}

fn shape(lines: &mut Lines<'_>) -> Result<Shape, Rejected> {
    let mut words = lines.expect("shape")?;
    let kind = words.word("`global` or `clusters`")?;
    let sizes: Vec<u32> = words.numbers("a number of processors")?;
    let total: u64 = sizes.iter().copied().map(u64::from).sum();
    if sizes.contains(&0) || sizes.is_empty() || total > PROCESSORS_MAX.into() {
        return Err(words.unreadable(format!(
            "the number of processors must be 1 to {PROCESSORS_MAX}, and every queue must have at least one"
        )));
    }
    match (kind, &sizes[..]) {
        ("global", [processors]) => Ok(Shape::Global(*processors)),
        ("clusters", _) => Ok(Shape::Clusters(sizes)),
        _ => Err(words.unreadable("a shape must be `global M` or `clusters M M ...`")),
    }
}

fn tasks(lines: &mut Lines<'_>) -> Result<Vec<Task>, Rejected> {
    let mut tasks = Vec::new();
    while let Some(mut words) = lines.next_if("task") {
        words.index("task", tasks.len(), TASKS_MAX)?;
        let times = times(&mut words)?;
        words.literal("working-set")?;
        let working_set_kib = words.number("a working set in KiB")?;
        words.end()?;
        tasks.push(Task { working_set_kib, ..times });
    }
    if tasks.is_empty() { Err(lines.missing("a task")) } else { Ok(tasks) }
}

/// `phase I offset O best-case B`, for each task or for none.
fn phases(lines: &mut Lines<'_>, tasks: &[Task]) -> Result<Vec<Phase>, Rejected> {
    let mut phases = Vec::new();
    while let Some(mut words) = lines.next_if("phase") {
        if phases.len() == tasks.len() {
            return Err(words.unreadable("there are more phases than tasks"));
        }
        words.index("task", phases.len(), tasks.len())?;
        words.literal("offset")?;
        let offset = words.number("an offset")?;
        words.literal("best-case")?;
        let best_case = words.number("a best case")?;
        words.end()?;
        if offset > OFFSET_MAX || best_case > tasks[phases.len()].cost {
            return Err(words.unreadable("an offset must be at most 2^56 ticks, and a best case at most the cost"));
        }
        phases.push(Phase { offset, best_case });
    }
    if phases.is_empty() || phases.len() == tasks.len() { Ok(phases) } else { Err(lines.missing("a task's phase")) }
}

/// `cost C period T deadline D jitter J`.
fn times(words: &mut Words<'_>) -> Result<Task, Rejected> {
    let mut time = |name, least: Ticks| {
        words.literal(name)?;
        let value = words.number::<Ticks>(name)?;
        let allowed = (least..=TICKS_MAX).contains(&value);
        if allowed { Ok(value) } else { Err(words.unreadable(format!("`{name}` must be {least} to 2^48 ticks"))) }
    };
    let (cost, period, deadline) = (time("cost", 1)?, time("period", 1)?, time("deadline", 1)?);
    Ok(Task { jitter: time("jitter", 0)?, ..Task::new(cost, period, deadline) })
}

/// `mode low` or `mode high`; a certificate of one criticality has no such line.
fn mode(lines: &mut Lines<'_>) -> Result<Option<CriticalityMode>, Rejected> {
    let Some(mut words) = lines.next_if("mode") else { return Ok(None) };
    let word = words.word("`low` or `high`")?;
    let mode = word.parse().map_err(|_| words.unreadable(format!("expected low or high, found `{word}`")))?;
    words.end()?;
    Ok(Some(mode))
}

fn claim(lines: &mut Lines<'_>) -> Result<Claim, Rejected> {
    let mut words = lines.expect("verdict")?;
    let verdict = words.word("`proven` or `disproven`")?;
    words.end()?;
    match verdict {
        "proven" => Ok(Claim::Proven(evidence::bins(lines)?)),
        "disproven" => Ok(Claim::Disproven(mode(lines)?, evidence::disproof(lines)?)),
        other => Err(words.unreadable(format!("expected proven or disproven, found `{other}`"))),
    }
}
