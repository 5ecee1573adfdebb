//! Fixed priorities on one processor where jobs suspend themselves, at any instants, for at most S each in all.
//!
//! With D <= T and tasks 1, 2, ... by urgency, the response of task k is at most R_k = J_k + w for any w > 0 with
//!
//! C_k + S_k + sum over i < k of ceil((w + V_i)/T_i) C_i <= w
//!
//! V_i is Q_i + J_i for the tasks that the certificate counts for k, and for those that never suspend themselves; for all others it is Q_i +
//! R_i - C_i. Q_i is the sum of S_j over counted tasks j of i, ..., k - 1. Each R_i of a more urgent task has been shown before.
//! The left side is a step function of w that w overtakes for good at no instant before the completion, so any such w will do.
//!
//! Chen, Nelissen, Huang, ECRTS 2016, theorem 1; with release jitter as docs/blocking.md says.

use super::Queue;
use crate::behaviour::Member;
use crate::certificate::SuspendedResponse;
use crate::rejected::{Rejected, applies, consistent, show};
use prazo_core::task::Ticks;

pub(super) fn check(queue: &Queue<'_>, order: &[usize], responses: &[SuspendedResponse]) -> Result<(), Rejected> {
    queue.applies_to_one_processor()?;
    let (members, ..) = queue.behaved()?;
    let constrained = members.iter().all(|member| member.task.deadline <= member.task.period);
    applies(constrained, "with self-suspension, the test covers D <= T only")?;
    let bursts = members.iter().any(|member| member.behaviour.burst.is_some() || member.behaviour.curve.is_some());
    applies(!bursts, "with self-suspension, the test does not cover bursts")?;
    let ranked: Vec<(usize, &Member<'_>)> =
        order.iter().map(|&position| (queue.names[position], &members[position])).collect();
    consistent(responses.iter().map(|of| of.task).eq(ranked.iter().map(|(name, _)| *name)), || {
        "a response must be given for each task, the most urgent first".into()
    })?;
    let mut shown: Vec<(usize, &Member<'_>, Ticks)> = Vec::new();
    for (of, (name, member)) in responses.iter().zip(ranked) {
        show_in_time(of, member, &shown)?;
        shown.push((name, member, of.bound));
    }
    Ok(())
}

fn show_in_time(
    of: &SuspendedResponse,
    own: &Member<'_>,
    above: &[(usize, &Member<'_>, Ticks)],
) -> Result<(), Rejected> {
    let suspends = |task: &usize| above.iter().any(|(name, member, _)| name == task && member.behaviour.suspension > 0);
    let named = of.counted.iter().all(suspends);
    consistent(named, || {
        format!(
            "task {} counts the suspension of a task that is not more urgent, or that never suspends itself",
            of.task
        )
    })?;
    let in_time = of.bound <= own.task.deadline;
    show(in_time, || format!("the response of task {} exceeds its deadline", of.task))?;
    let w = u128::from(of.bound.saturating_sub(own.task.jitter));
    let (mut needed, mut later) = (u128::from(own.counted().cost), 0);
    for (name, member, response) in above.iter().rev() {
        let is_counted = of.counted.contains(name);
        later += if is_counted { u128::from(member.behaviour.suspension) } else { 0 };
        let punctual = is_counted || member.behaviour.suspension == 0;
        // A response was shown to be at least the cost.
        let shift = if punctual { member.task.jitter } else { response - member.task.cost };
        needed += (w + later + u128::from(shift)).div_ceil(member.task.period.into()) * u128::from(member.task.cost);
    }
    show(w > 0 && needed <= w, || {
        format!("up to {needed} ticks of work may be needed within {w} ticks after a release of task {}", of.task)
    })
}
