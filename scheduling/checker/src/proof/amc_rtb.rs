//! Fixed priorities on one processor, two criticalities: AMC-rtb of Baruah, Burns, Davis, RTSS 2011.
//!
//! With D <= T and tasks by urgency, the response of task k in low mode is at most any L > 0 with
//!
//! C_k + sum over i < k of ceil(L/T_i) C_i <= L
//!
//! and, if it is of high criticality, in any mode at most any H > 0 with
//!
//! C_k(HI) + sum over i < k of high criticality of ceil(H/T_i) C_i(HI) + sum over i < k of low criticality of ceil(L/T_i) C_i <= H
//!
//! Any L and H that satisfy the inequalities are at least the least fixed points, so they are bounds.

use super::Queue;
use crate::behaviour::Member;
use crate::certificate::ModeResponses;
use crate::rejected::{Rejected, applies, consistent, show};
use prazo_core::task::Ticks;

pub(super) fn check(queue: &Queue<'_>, order: &[usize], responses: &[ModeResponses]) -> Result<(), Rejected> {
    queue.applies_to_one_processor()?;
    let (members, ..) = queue.behaved()?;
    let covered = members.iter().all(|member| member.task.deadline <= member.task.period && member.task.jitter == 0);
    applies(covered, "with mixed criticality, the test covers D <= T without release jitter only")?;
    let names = order.iter().map(|&position| queue.names[position]);
    consistent(responses.iter().map(|of| of.task).eq(names), || {
        "the responses of each task must be given, the most urgent first".into()
    })?;
    let ranked: Vec<&Member<'_>> = order.iter().map(|&position| &members[position]).collect();
    for (place, of) in responses.iter().enumerate() {
        show_in_time(of, ranked[place], &ranked[..place])?;
    }
    Ok(())
}

fn show_in_time(of: &ModeResponses, own: &Member<'_>, above: &[&Member<'_>]) -> Result<(), Rejected> {
    let jobs = |member: &Member<'_>, length: Ticks| u128::from(length.div_ceil(member.task.period));
    let in_low = |member: &Member<'_>, length: Ticks| jobs(member, length) * u128::from(member.task.cost);
    let fits = |needed: u128, bound: Ticks, mode: &str| {
        let in_time = bound <= own.task.deadline;
        show(in_time, || format!("the response of task {} in {mode} mode exceeds its deadline", of.task))?;
        show(bound > 0 && needed <= bound.into(), || {
            format!("task {} may need {needed} ticks in {mode} mode, not {bound}", of.task)
        })
    };
    let low = above.iter().map(|member| in_low(member, of.low)).sum::<u128>() + u128::from(own.task.cost);
    fits(low, of.low, "low")?;
    let (Some(cost), Some(bound)) = (own.behaviour.cost_high, of.high) else {
        return consistent(own.behaviour.cost_high.is_some() == of.high.is_some(), || {
            format!("task {} must have a response in high mode exactly if it is of high criticality", of.task)
        });
    };
    let of_above = |member: &&Member<'_>| match member.behaviour.cost_high {
        Some(cost) => jobs(member, bound) * u128::from(cost),
        None => in_low(member, of.low),
    };
    fits(above.iter().map(of_above).sum::<u128>() + u128::from(cost), bound, "high")
}
