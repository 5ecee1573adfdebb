//! The instants of arrival behind a late job: the way to it walked backwards, then run forwards as a check.
//!
//! A search keeps sets with everything easier than their states, so the late state need not be one of those that are reached, only
//! easier. Backwards, each step finds how long time passed before an event, and a state before it that leads to this one or to
//! a harder one. The times between the arrivals along the way are then a legal pattern, in which all jobs are at least as late. They are
//! fractions; their common denominator says into how many parts a tick is divided.

use super::cone::{COORDINATES, Vector, combined, dot, reduced};
use super::state::{Event, Reached, System, axis};
use crate::answer::{Arrival, LatePattern};
use crate::budget::Unfinished;
use crate::{Budget, MissedJob};
use prazo_core::ratio::gcd;
use std::cmp::Reverse;

/// The most parts of a tick that a pattern may need.
const PARTS_MAX: u128 = 1 << 40;

/// The finest grid that a pattern is rounded to, in parts of a tick.
const GRIDS: u128 = 24;

/// Which of the possible states and times are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// Corners: their fractions are the simplest.
    Corner,
    /// The middle, where no two deadlines or events fall together that need not.
    Middle,
}

/// A late job and the arrivals that make it late; `None` where those found need ties to be broken in another way than by the house's
/// rule.
pub(super) fn of(
    system: &System,
    way: &[(Option<Event>, Reached)],
    late: usize,
    budget: &mut Budget,
) -> Result<Option<LatePattern>, Unfinished> {
    for taken in [Taken::Corner, Taken::Middle] {
        let times = match between_events(system, way, late, taken, budget) {
            Err(Unfinished::BudgetSpent) => return Err(Unfinished::BudgetSpent),
            Err(Unfinished::TooLarge) | Ok(None) => continue,
            Ok(Some(times)) => times,
        };
        let events: Vec<Event> = way.iter().filter_map(|(event, _)| *event).collect();
        let Some((parts, arrivals)) = arrivals(&events, &times) else { continue };
        if let Some(pattern) = simplest_late(system, parts, &arrivals) {
            return Ok(Some(pattern));
        }
    }
    Ok(None)
}

/// Arrivals close to these that make a job late, in the largest part of a tick that shows it.
///
/// Where two events of the pattern fall together, the rule for ties may save the job; so each arrival is also tried a little later, with
/// all that follow it.
fn simplest_late(system: &System, parts: u64, arrivals: &[Arrival]) -> Option<LatePattern> {
    let tried = |parts: u64, arrivals: Vec<Arrival>| {
        let job = first_late(system, parts, &arrivals)?;
        let arrivals = arrivals.into_iter().filter(|arrival| arrival.at < job.deadline).collect();
        Some(LatePattern { parts, arrivals, job })
    };
    let moved = |to: &dyn Fn(usize, u128) -> u128| -> Option<Vec<Arrival>> {
        let at = |(index, arrival): (usize, &Arrival)| {
            Some(Arrival { at: u64::try_from(to(index, arrival.at.into())).ok()?, ..*arrival })
        };
        arrivals.iter().enumerate().map(at).collect()
    };
    let from = u128::from(parts);
    for of in 1..=GRIDS {
        for up in [0, from / 2, from - 1] {
            if let Some(late) = tried(of as u64, moved(&|_, at| (at * of + up) / from)?) {
                return Some(late);
            }
        }
    }
    for of in [8, 64] {
        for first in 1..arrivals.len() {
            let alone = |index: usize, at: u128| at * of + if index >= first { from } else { 0 };
            let all = |index: usize, at: u128| at * of + from * (index.saturating_sub(first - 1)) as u128;
            for way in [&alone as &dyn Fn(usize, u128) -> u128, &all] {
                let parts = u64::try_from(from * of).ok()?;
                if let Some(late) = moved(way).and_then(|arrivals| tried(parts, arrivals)) {
                    return Some(simpler(system, late));
                }
            }
        }
    }
    tried(parts, arrivals.to_vec())
}

/// The same pattern in a coarser grid, if that shows a late job too.
fn simpler(system: &System, late: LatePattern) -> LatePattern {
    let from = u128::from(late.parts);
    for of in 1..=GRIDS {
        for up in [0, from / 2, from - 1] {
            let at = |arrival: &Arrival| Arrival { at: ((u128::from(arrival.at) * of + up) / from) as u64, ..*arrival };
            let arrivals: Vec<Arrival> = late.arrivals.iter().map(at).collect();
            if let Some(job) = first_late(system, of as u64, &arrivals) {
                let arrivals = arrivals.into_iter().filter(|arrival| arrival.at < job.deadline).collect();
                return LatePattern { parts: of as u64, arrivals, job };
            }
        }
    }
    late
}

/// The same pattern without arrivals that it does not need: from the latest instant on that shows a late job, and then without each
/// arrival that may be left out.
pub(super) fn shortest(system: &System, pattern: LatePattern) -> LatePattern {
    let LatePattern { parts, arrivals, job } = pattern;
    let from = |start: u64| -> Vec<Arrival> {
        let later = arrivals.iter().filter(|arrival| arrival.at >= start);
        later.map(|arrival| Arrival { at: arrival.at - start, ..*arrival }).collect()
    };
    let starts = arrivals.iter().rev().map(|arrival| from(arrival.at));
    let shown = |arrivals: Vec<Arrival>| Some((first_late(system, parts, &arrivals)?, arrivals));
    let (mut job, mut arrivals) = starts.filter_map(shown).next().unwrap_or_else(|| (job, arrivals.clone()));
    for index in (0..arrivals.len()).rev() {
        let mut fewer = arrivals.clone();
        fewer.remove(index);
        if let Some(late) = first_late(system, parts, &fewer) {
            (job, arrivals) = (late, fewer);
        }
    }
    let first = arrivals.first().map_or(0, |arrival| arrival.at);
    arrivals.iter_mut().for_each(|arrival| arrival.at -= first);
    let job = MissedJob { arrival: job.arrival - first, deadline: job.deadline - first, ..job };
    arrivals.retain(|arrival| arrival.at < job.deadline);
    LatePattern { parts, arrivals, job }
}

/// A length of time, as a fraction.
type Fraction = (u128, u128);

/// The time from each set of the way to the next.
fn between_events(
    system: &System,
    way: &[(Option<Event>, Reached)],
    late: usize,
    taken: Taken,
    budget: &mut Budget,
) -> Result<Option<Vec<Fraction>>, Unfinished> {
    let mut times = Vec::with_capacity(way.len());
    let (_, last) = way.last().expect("a way begins at the idle state");
    let mut state = late_state(system, last, late, taken, budget)?;
    for step in (0..way.len()).rev() {
        let (event, reached) = &way[step];
        let Some((time, start)) = started(system, reached, &state, taken)? else { return Ok(None) };
        times.push(time);
        let Some(event) = event else { break };
        let Some(before) = before(system, &way[step - 1].1, *event, &start, taken, budget)? else { return Ok(None) };
        state = before;
    }
    times.reverse();
    Ok(Some(times))
}

/// A state in reach from `reached` in which the job of `task` has something to do, and more than time to its deadline.
fn late_state(
    system: &System,
    reached: &Reached,
    task: usize,
    taken: Taken,
    budget: &mut Budget,
) -> Result<Vector, Unfinished> {
    let elapsed = system.elapse(reached, budget)?;
    let corners: Vec<Vector> = elapsed.vertices().copied().collect();
    let left = |state: &Vector| i128::from(state[system.r(task)]);
    let beyond = |state: &Vector| left(state) - i128::from(state[system.t(task)]);
    let worst = corners.iter().filter(|corner| beyond(corner) > 0);
    let worst = *worst.max_by_key(|corner| left(corner) > 0).expect("the search has seen such a corner");
    if taken == Taken::Corner && left(&worst) > 0 {
        return Ok(worst);
    }
    let inner = match taken {
        Taken::Corner => corners.iter().find(|corner| left(corner) > 0).copied(),
        Taken::Middle => middle(&corners)?,
    };
    let inner = inner.expect("the job has something to do in some state");
    // With weights a and b the mixture is late as long as a * late + b * early > 0.
    let (late, early) = (beyond(&worst), beyond(&inner));
    combined([(2 * (1 - early.min(0)), &worst), (late, &inner)])
}

/// Since when, and from which state of `reached`, time has passed up to `state`.
fn started(
    system: &System,
    reached: &Reached,
    state: &Vector,
    taken: Taken,
) -> Result<Option<(Fraction, Vector)>, Unfinished> {
    let flow = system.flow(&reached.pending);
    // In `state - time * flow` each facet bounds the time from one side.
    let (mut least, mut most): ((i128, i128), Option<(i128, i128)>) = ((0, 1), None);
    // Products of four entries of a vector do not fit; such times are of no use either.
    let small = |product: i128| product.unsigned_abs() < 1 << 62;
    let below = |left: (i128, i128), right: (i128, i128)| left.0 * right.1 < right.0 * left.1;
    let equal = reached.facets.lines().iter().flat_map(|line| [*line, line.map(|entry| -entry)]);
    for facet in reached.facets.rays().copied().chain(equal) {
        let (here, rate) = (dot(&facet, state), dot(&facet, &flow));
        let common = gcd(here.unsigned_abs(), rate.unsigned_abs()).max(1) as i128;
        let (here, rate) = (here / common, rate / common);
        if !small(here) || !small(rate) {
            return Err(Unfinished::TooLarge);
        }
        match rate {
            0 if here < 0 => return Ok(None),
            0 => {}
            1.. => {
                let nearer = most.is_none_or(|most| below((here, rate), most));
                most = if nearer { Some((here, rate)) } else { most };
            }
            _ if below(least, (-here, -rate)) => least = (-here, -rate),
            _ => {}
        }
    }
    let most = most.unwrap_or(least);
    if below(most, least) {
        return Ok(None);
    }
    let (time, parts) = match taken {
        Taken::Corner => most,
        Taken::Middle => (least.0 * most.1 + most.0 * least.1, 2 * least.1 * most.1),
    };
    let start = combined([(parts, state), (-time, &flow)])?;
    let parts = parts.unsigned_abs().checked_mul(u128::from(state[0].unsigned_abs())).ok_or(Unfinished::TooLarge)?;
    Ok(Some(((time.unsigned_abs(), parts), start)))
}

/// A state in which `event` is due, in reach from `reached`, and which it turns into `after` or something harder.
fn before(
    system: &System,
    reached: &Reached,
    event: Event,
    after: &Vector,
    taken: Taken,
    budget: &mut Budget,
) -> Result<Option<Vector>, Unfinished> {
    let mut cone = system.elapse(reached, budget)?.cone;
    let mut normals = Vec::new();
    for task in 0..system.tasks.len() {
        match event {
            Event::Ends(of) if task == of => {
                // What is left to the deadline turns into what is left to the next arrival.
                let apart = (system.tasks[task].period - system.tasks[task].deadline) as i64;
                normals.extend([axis(system.r(task), -1), no_more(system.t(task), after, apart)?]);
            }
            Event::Arrives(of) if task == of => normals.push(axis(system.t(task), -1)),
            _ => {
                let no_later = no_more(system.t(task), after, 0)?;
                normals.push(no_later);
                if !system.rises(&reached.pending, task) {
                    normals.push(no_later.map(|entry| -entry));
                }
                if reached.pending.contains(task) {
                    normals.push(no_more(system.r(task), after, 0)?.map(|entry| -entry));
                }
            }
        }
    }
    normals.iter().try_for_each(|normal| cone.insert(normal, budget))?;
    let corners: Vec<Vector> = cone.rays().filter(|ray| ray[0] > 0).copied().collect();
    match taken {
        Taken::Corner => Ok(corners.first().copied()),
        Taken::Middle => middle(&corners),
    }
}

/// The half-space in which a coordinate plus `more` is at most what it is in `after`.
fn no_more(coordinate: usize, after: &Vector, more: i64) -> Result<Vector, Unfinished> {
    let mut normal = [0i128; COORDINATES];
    normal[coordinate] = -i128::from(after[0]);
    normal[0] = i128::from(after[coordinate]) - i128::from(more) * i128::from(after[0]);
    reduced(&normal)
}

/// The mean of some points.
fn middle(corners: &[Vector]) -> Result<Option<Vector>, Unfinished> {
    let Some((first, others)) = corners.split_first() else { return Ok(None) };
    let mut sum = *first;
    for corner in others {
        sum = combined([(corner[0].into(), &sum), (sum[0].into(), corner)])?;
    }
    Ok(Some(sum))
}

/// The arrivals among `events` in parts of a tick, from the first one on; with how many parts a tick has.
fn arrivals(events: &[Event], times: &[Fraction]) -> Option<(u64, Vec<Arrival>)> {
    let mut parts = 1u128;
    for (time, of) in &times[1..] {
        let of = of / gcd(*time, *of).max(1);
        if of > PARTS_MAX {
            return None;
        }
        parts = parts / gcd(parts, of) * of;
        if parts > PARTS_MAX {
            return None;
        }
    }
    let mut now = 0u128;
    let mut arrivals = Vec::new();
    for (index, event) in events.iter().enumerate() {
        if index > 0 {
            let (time, of) = times[index];
            now += time.checked_mul(parts)? / of;
        }
        if let Event::Arrives(task) = event {
            arrivals.push(Arrival { task: *task, at: u64::try_from(now).ok()? });
        }
    }
    Some((u64::try_from(parts).ok()?, arrivals))
}

/// A pending job in the check.
struct Job {
    task: usize,
    number: u64,
    arrival: u64,
    due: u64,
    left: u64,
    is_running: bool,
}

/// The first job to be late when these jobs arrive, in parts of a tick; `None` if none is, or the arrivals are too dense.
///
/// From event to event: the most urgent pending jobs run; of equal deadlines a running job stays, then the lower index goes first.
pub(super) fn first_late(system: &System, parts: u64, arrivals: &[Arrival]) -> Option<MissedJob> {
    let (mut pending, mut numbers, mut next) = (Vec::<Job>::new(), vec![0u64; system.tasks.len()], 0);
    let mut last = vec![None::<u64>; system.tasks.len()];
    // Periods are below 2^21 ticks, so that all instants fit.
    if u128::from(parts) > PARTS_MAX || arrivals.last().is_some_and(|arrival| arrival.at > 1 << 61) {
        return None;
    }
    let mut now = 0;
    loop {
        while let Some(&Arrival { task, at }) = arrivals.get(next).filter(|arrival| arrival.at <= now) {
            let of = &system.tasks[task];
            if last[task].is_some_and(|last| at < last + of.period * parts) {
                return None;
            }
            last[task] = Some(at);
            let due = at + of.deadline * parts;
            pending.push(Job {
                task,
                number: numbers[task],
                arrival: at,
                due,
                left: of.cost * parts,
                is_running: false,
            });
            numbers[task] += 1;
            next += 1;
        }
        let rank = |job: &Job| if system.by_deadline { job.due } else { job.task as u64 };
        pending.sort_by_key(|job| (rank(job), Reverse(job.is_running), job.task));
        let running = pending.len().min(system.processors);
        pending.iter_mut().enumerate().for_each(|(place, job)| job.is_running = place < running);
        let ends = pending[..running].iter().map(|job| now + job.left);
        let arrives = arrivals.get(next).map(|arrival| arrival.at);
        let until = ends.chain(arrives).min()?;
        pending[..running].iter_mut().for_each(|job| job.left -= until - now);
        now = until;
        let late = |job: &&Job| job.due < now || job.due == now && job.left > 0;
        if let Some(job) = pending.iter().filter(late).min_by_key(|job| job.due) {
            return Some(MissedJob { task: job.task, job: job.number, arrival: job.arrival, deadline: job.due });
        }
        pending.retain(|job| job.left > 0);
    }
}
