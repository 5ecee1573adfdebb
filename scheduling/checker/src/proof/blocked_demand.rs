//! EDF on one processor with blocking and bursts: everything that may have to be done in an interval of t fits into it.
//!
//! What may have to be done is [`demand`](crate::behaviour::demand). From one relative deadline to the next it only grows with t,
//! and in between two whole ticks it does not change; so a point speaks for the intervals from its demand up to it, but for
//! none shorter than the longest relative deadline that is no longer than it. Beyond the highest point L nothing can go wrong
//! for one of two reasons:
//! - longest part + sum N(L) C <= what is served in L at least: what is released before L and what blocks is done by then, so that an interval of L + x has
//!   no more to do than L and one of x; or
//! - U is at most what is served in the long run, and L is at least a hyperperiod, the supply's period included, beyond the
//!   longest deadline, with what steps take to repeat, and the supply's period: demand and supply repeat there, and nothing blocks.
//!   With bounded delay, the supply counts with its delay only: beyond that it grows by its rate in any interval.
//!
//! Without a supply all of an interval is served, and a demand is served in an interval of its own length. With one, what is
//! served in L and then in x is no more than what is served in L + x (Shin, Lee, RTSS 2003).
//!
//! Jeffay, Stanat, Martel, RTSS 1991; George, Rivierre, Spuri, INRIA 2966, 1996; Baruah, ECRTS 2005 and RTSS 2006.

use super::Queue;
use crate::behaviour::{self, Member, Served};
use crate::certificate::Point;
use crate::coverage::{DemandPoint, show_covered};
use crate::fraction::Fraction;
use crate::rejected::{Rejected, applies, show};
use prazo_core::behaviour::Locking;
use prazo_core::ratio::Ratio;

pub(super) fn check(queue: &Queue<'_>, points: &[Point]) -> Result<(), Rejected> {
    queue.applies_to_one_processor()?;
    let (members, locking, served) = queue.behaved()?;
    let has_sections = members.iter().any(|member| !member.behaviour.sections.is_empty());
    applies(!has_sections || locking == Locking::Srp, "under EDF, the test covers SRP only")?;
    let punctual = members.iter().all(|member| member.task.jitter == 0);
    applies(!has_sections || punctual, "under SRP, the test does not cover release jitter")?;
    let highest = points.first().map_or(0, |point| u128::from(point.at));
    show(is_idle_by(&members, served, highest) || repeats_by(&members, served, highest), || {
        format!("the demand in intervals longer than {highest} ticks is not bounded")
    })?;
    show_covered(points, |t| {
        let (t, demand) = (u128::from(t), behaviour::demand(&members, t.into()));
        let deadlines = members.iter().map(|member| u128::from(member.task.deadline));
        let step = deadlines.filter(|deadline| *deadline <= t).max().unwrap_or(0);
        let ratio = Ratio::new(demand, 1).unwrap_or_default();
        // Where the demand is served after t only, it is that which shows; else the point speaks no further down than its step.
        let done = served.by(demand);
        let served_from = if done > t { done } else { done.max(step) };
        Ok(DemandPoint { demand: ratio, served_from: if demand == 0 { 0 } else { served_from } })
    })
}

fn is_idle_by(members: &[Member<'_>], served: Served, instant: u128) -> bool {
    let work = |member: &Member<'_>| member.released_before(instant) * u128::from(member.task.cost);
    instant > 0 && behaviour::longest(members) + members.iter().map(work).sum::<u128>() <= served.within(instant)
}

fn repeats_by(members: &[Member<'_>], served: Served, instant: u128) -> bool {
    let deadline = members.iter().map(|member| u128::from(member.task.deadline)).max().unwrap_or(0);
    let settled = members.iter().map(Member::settled).max().unwrap_or(0);
    let room = instant.saturating_sub((deadline + settled).max(served.settled()));
    let multiple = members
        .iter()
        .try_fold(served.period(), |multiple, member| least_multiple(multiple, member.arrivals().1.into(), room));
    multiple.is_some_and(|multiple| multiple <= room) && utilization(members) <= served.rate()
}

/// The least common multiple, if it is at most `most`.
fn least_multiple(a: u128, b: u128, most: u128) -> Option<u128> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b).filter(|multiple| *multiple <= most)
}

/// Sum of b C / W.
pub(crate) fn utilization(members: &[Member<'_>]) -> Fraction {
    let rate = |member: &Member<'_>| {
        let (jobs, within, _) = member.arrivals();
        Fraction::new(u128::from(jobs) * u128::from(member.task.cost), within)
    };
    Fraction::sum(&members.iter().map(rate).collect::<Vec<_>>())
}
