//! The verdict's evidence: bins with their tests, or a disproof.

use super::lines::{Lines, Words};
use super::{PROCESSORS_MAX, times};
use crate::certificate::{
    Bin, Charged, Completions, Disproof, GraphState, ModeResponses, Piece, Point, PointsOfTask, Proof, Response,
    Starts, States, SuspendedResponse, Ties,
};
use crate::rejected::Rejected;
use prazo_core::task::{TICKS_MAX, Ticks};

/// The latest instant that a certificate may name; sums of demands up to here stay within 128 bits.
const INSTANT_MAX: Ticks = 1 << 62;

pub(super) fn bins(lines: &mut Lines<'_>) -> Result<Vec<Bin>, Rejected> {
    let mut bins = Vec::new();
    while let Some(mut words) = lines.next_if("bin") {
        words.index("bin", bins.len(), PROCESSORS_MAX as usize)?;
        words.literal("processors")?;
        let processors = words.number("a number of processors")?;
        words.literal("tasks")?;
        let members: Vec<usize> = words.numbers("a task's index")?;
        let pieces = pieces(lines)?;
        let charged = charged(lines, &members)?;
        let order = order(lines)?;
        let proof = proof(lines)?;
        bins.push(Bin { processors, members, pieces, charged, order, proof });
    }
    Ok(bins)
}

/// `piece INDEX cost C deadline D offset O` lines.
fn pieces(lines: &mut Lines<'_>) -> Result<Vec<Piece>, Rejected> {
    let mut pieces = Vec::new();
    while let Some(mut words) = lines.next_if("piece") {
        let task = words.number("a task's index")?;
        let mut time = |name, least: Ticks| {
            words.literal(name)?;
            let value = words.number::<Ticks>(name)?;
            let allowed = (least..=TICKS_MAX).contains(&value);
            if allowed { Ok(value) } else { Err(words.unreadable(format!("`{name}` must be {least} to 2^48 ticks"))) }
        };
        let (cost, deadline, offset) = (time("cost", 1)?, time("deadline", 1)?, time("offset", 0)?);
        words.end()?;
        pieces.push(Piece { task, cost, deadline, offset });
    }
    Ok(pieces)
}

/// `charged interrupt ...` and `charged INDEX ...` lines; `None` if there are none.
fn charged(lines: &mut Lines<'_>, members: &[usize]) -> Result<Option<Charged>, Rejected> {
    let mut charged: Option<Charged> = None;
    while let Some(mut words) = lines.next_if("charged") {
        let charged = charged.get_or_insert_default();
        let expected = members.get(charged.tasks.len()).map(ToString::to_string);
        let word = words.word("`interrupt` or a task's index")?;
        let task = times(&mut words)?;
        words.end()?;
        match word {
            "interrupt" if charged.tasks.is_empty() => charged.interrupts.push(task),
            index if Some(index) == expected.as_deref() => charged.tasks.push(task),
            _ => {
                return Err(words.unreadable(match expected {
                    Some(task) if charged.tasks.is_empty() => format!("expected interrupt or {task}, found `{word}`"),
                    Some(task) => format!("expected {task}, the bin's next task, found `{word}`"),
                    None => format!(
                        "expected no more tasks, because all tasks of the bin are charged above this line; found \
                         `{word}`"
                    ),
                }));
            }
        }
    }
    Ok(charged)
}

fn order(lines: &mut Lines<'_>) -> Result<Vec<usize>, Rejected> {
    lines.next_if("order").map_or(Ok(Vec::new()), |mut words| words.numbers("a task's index"))
}

fn proof(lines: &mut Lines<'_>) -> Result<Option<Proof>, Rejected> {
    let Some(mut words) = lines.next_if("test") else { return Ok(None) };
    let name = words.word("a test's name")?;
    words.end()?;
    Ok(Some(match name {
        "utilization" => Proof::Utilization,
        "QPA" => Proof::Qpa(points(lines)?),
        "response-times" => Proof::ResponseTimes(completions(lines)?),
        "GFB" => Proof::Gfb,
        "BAK" => Proof::Bak,
        "BCL" => Proof::Bcl,
        "BCLI" => Proof::Bcli(responses(lines)?),
        "RTA" => Proof::Rta(responses(lines)?),
        "BAR" => Proof::Bar(points_of_tasks(lines)?),
        "LOAD" => Proof::Load(points(lines)?),
        "FF-DBF" => {
            let mut words = lines.expect("speed")?;
            let speed = words.number("a speed")?;
            words.end()?;
            Proof::FfDbf(speed, points(lines)?)
        }
        "Guan" => Proof::Guan(responses(lines)?),
        "schedule-graph" => Proof::Graph(ties(lines)?, graph_states(lines)?),
        "state-search" => Proof::States(ties(lines)?, states(lines)?),
        "blocked-demand" => Proof::BlockedDemand(points(lines)?),
        "blocked-response-times" => Proof::BlockedResponses(starts(lines)?),
        "suspended-response-times" => Proof::SuspendedResponses(suspended(lines)?),
        "AMC-rtb" => Proof::AmcRtb(modes(lines)?),
        "EDF-VD" => {
            let mut words = lines.expect("factor")?;
            let factor = words.number("a factor")?;
            words.end()?;
            Proof::EdfVd(factor)
        }
        other => return Err(words.unreadable(format!("there is no test `{other}`"))),
    }))
}

fn instant(words: &mut Words<'_>) -> Result<Ticks, Rejected> {
    let value = words.number("an instant")?;
    if value <= INSTANT_MAX { Ok(value) } else { Err(words.unreadable("an instant must be at most 2^62")) }
}

fn points(lines: &mut Lines<'_>) -> Result<Vec<Point>, Rejected> {
    let mut points = Vec::new();
    while let Some(mut words) = lines.next_if("point") {
        points.push(point(&mut words)?);
    }
    Ok(points)
}

/// `T demand X`.
fn point(words: &mut Words<'_>) -> Result<Point, Rejected> {
    let at = instant(words)?;
    words.literal("demand")?;
    let demand = words.number("a demand")?;
    words.end()?;
    Ok(Point { at, demand })
}

fn points_of_tasks(lines: &mut Lines<'_>) -> Result<Vec<PointsOfTask>, Rejected> {
    let mut all = Vec::new();
    while let Some(mut words) = lines.next_if("for") {
        let task = words.number("a task's index")?;
        words.end()?;
        all.push(PointsOfTask { task, points: points(lines)? });
    }
    Ok(all)
}

fn responses(lines: &mut Lines<'_>) -> Result<Vec<Response>, Rejected> {
    let mut responses = Vec::new();
    while let Some(mut words) = lines.next_if("response") {
        responses.push(Response { task: words.number("a task's index")?, bound: instant(&mut words)? });
        words.end()?;
    }
    Ok(responses)
}

fn completions(lines: &mut Lines<'_>) -> Result<Vec<Completions>, Rejected> {
    let mut all = Vec::new();
    while let Some(mut words) = lines.next_if("completions") {
        let task = words.number("a task's index")?;
        let at: Vec<Ticks> = words.numbers("an instant")?;
        if at.iter().any(|&instant| instant > INSTANT_MAX) {
            return Err(words.unreadable("an instant must be at most 2^62"));
        }
        all.push(Completions { task, at });
    }
    Ok(all)
}

/// `starts I until L S S ...`.
fn starts(lines: &mut Lines<'_>) -> Result<Vec<Starts>, Rejected> {
    let mut all = Vec::new();
    while let Some(mut words) = lines.next_if("starts") {
        let task = words.number("a task's index")?;
        words.literal("until")?;
        let until = instant(&mut words)?;
        let at: Vec<Ticks> = words.numbers("an instant")?;
        if at.iter().any(|&instant| instant > INSTANT_MAX) {
            return Err(words.unreadable("an instant must be at most 2^62"));
        }
        all.push(Starts { task, until, at });
    }
    Ok(all)
}

/// `suspended I response R counted I I ...`.
fn suspended(lines: &mut Lines<'_>) -> Result<Vec<SuspendedResponse>, Rejected> {
    let mut all = Vec::new();
    while let Some(mut words) = lines.next_if("suspended") {
        let task = words.number("a task's index")?;
        words.literal("response")?;
        let bound = instant(&mut words)?;
        words.literal("counted")?;
        all.push(SuspendedResponse { task, bound, counted: words.numbers("a task's index")? });
    }
    Ok(all)
}

/// `modes I low R`, and ` high R` for a task of high criticality.
fn modes(lines: &mut Lines<'_>) -> Result<Vec<ModeResponses>, Rejected> {
    let mut all = Vec::new();
    while let Some(mut words) = lines.next_if("modes") {
        let task = words.number("a task's index")?;
        words.literal("low")?;
        let low = instant(&mut words)?;
        let high = if words.is_at_end() {
            None
        } else {
            words.literal("high")?;
            Some(instant(&mut words)?)
        };
        words.end()?;
        all.push(ModeResponses { task, low, high });
    }
    Ok(all)
}

/// `ties any` or `ties by-index`.
fn ties(lines: &mut Lines<'_>) -> Result<Ties, Rejected> {
    let mut words = lines.expect("ties")?;
    let ties = match words.word("a rule for ties")? {
        "any" => Ties::Any,
        "by-index" => Ties::ByIndex,
        other => return Err(words.unreadable(format!("there is no rule `{other}` for ties"))),
    };
    words.end()?;
    Ok(ties)
}

/// `states I I ...`, each followed by its `equal N N ...` and `facet N N ...` lines.
fn states(lines: &mut Lines<'_>) -> Result<Vec<States>, Rejected> {
    let mut all = Vec::new();
    while let Some(mut words) = lines.next_if("states") {
        let pending = words.numbers("a task's index")?;
        let [equal, facets] = ["equal", "facet"].map(|keyword| normals(lines, keyword));
        all.push(States { pending, facets: facets?, equal: equal? });
    }
    Ok(all)
}

fn normals(lines: &mut Lines<'_>, keyword: &str) -> Result<Vec<Vec<i64>>, Rejected> {
    let mut normals = Vec::new();
    while let Some(mut words) = lines.next_if(keyword) {
        normals.push(words.numbers("a number")?);
    }
    Ok(normals)
}

/// `started N N ...`, each followed by `free A B A B ...`.
fn graph_states(lines: &mut Lines<'_>) -> Result<Vec<GraphState>, Rejected> {
    let mut all = Vec::new();
    while let Some(mut words) = lines.next_if("started") {
        let started = words.numbers("a number of jobs")?;
        all.push(GraphState { started, free: lines.expect("free")?.numbers("a cell")? });
    }
    Ok(all)
}

/// `task I job Q`.
fn late(words: &mut Words<'_>) -> Result<Disproof, Rejected> {
    words.literal("task")?;
    let task = words.number("a task's index")?;
    words.literal("job")?;
    let job: u64 = words.number("a job's number")?;
    if job > u64::from(u32::MAX) {
        return Err(words.unreadable("a job number must be below 2^32"));
    }
    Ok(Disproof::Late { task, job })
}

pub(super) fn disproof(lines: &mut Lines<'_>) -> Result<Disproof, Rejected> {
    let mut words = lines.expect("because")?;
    let disproof = match words.word("a reason")? {
        "impossible-task" => Disproof::ImpossibleTask(words.number("a task's index")?),
        "utilization" => Disproof::Utilization,
        "window" => Disproof::Window(point(&mut words)?),
        "forced-window" => Disproof::ForcedWindow(point(&mut words)?),
        "missed" => missed(&mut words)?,
        "missed-in" => return missed_in(words, lines),
        "executed" => return executed(words, lines),
        "rates" => Disproof::Rates,
        "blocked-window" => Disproof::BlockedWindow(point(&mut words)?),
        "late" => late(&mut words)?,
        other => return Err(words.unreadable(format!("unknown reason `{other}`"))),
    };
    words.end()?;
    Ok(disproof)
}

/// `task I job Q arrival A deadline D`.
fn missed(words: &mut Words<'_>) -> Result<Disproof, Rejected> {
    words.literal("task")?;
    let task = words.number("a task's index")?;
    words.literal("job")?;
    let job = words.number("a job's number")?;
    words.literal("arrival")?;
    let arrival = instant(words)?;
    words.literal("deadline")?;
    Ok(Disproof::Missed { task, job, arrival, deadline: instant(words)? })
}

/// `parts P task I job Q`, then one line `arrives I at A` for each arrival.
fn missed_in(mut words: Words<'_>, lines: &mut Lines<'_>) -> Result<Disproof, Rejected> {
    let (parts, task, job) = late_in_parts(&mut words)?;
    let mut arrivals = Vec::new();
    while let Some(mut words) = lines.next_if("arrives") {
        let task = words.number("a task's index")?;
        words.literal("at")?;
        arrivals.push((task, instant(&mut words)?));
        words.end()?;
    }
    Ok(Disproof::MissedIn { parts, arrivals, task, job })
}

/// `parts P task I job Q`, then one line `executes I released R cost C` for each job.
fn executed(mut words: Words<'_>, lines: &mut Lines<'_>) -> Result<Disproof, Rejected> {
    let (parts, task, job) = late_in_parts(&mut words)?;
    let mut jobs = Vec::new();
    while let Some(mut words) = lines.next_if("executes") {
        let task = words.number("a task's index")?;
        words.literal("released")?;
        let released = instant(&mut words)?;
        words.literal("cost")?;
        jobs.push((task, released, instant(&mut words)?));
        words.end()?;
    }
    Ok(Disproof::Executed { parts, jobs, task, job })
}

fn late_in_parts(words: &mut Words<'_>) -> Result<(u64, usize, u64), Rejected> {
    words.literal("parts")?;
    let parts = words.number("the number of parts of a tick")?;
    words.literal("task")?;
    let task = words.number("a task's index")?;
    words.literal("job")?;
    let job = words.number("a job's number")?;
    words.end()?;
    Ok((parts, task, job))
}
