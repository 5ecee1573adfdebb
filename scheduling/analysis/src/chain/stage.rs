//! The stages of a chain as its bounds add them up, each with the activated ones behind it.

use super::bound::NoBound;
use super::members::Member;
use prazo_core::task::Task;
use prazo_scenario::{Chain, Communication};

/// One value for each of both times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<T> {
    pub reaction: T,
    pub age: T,
}

/// A task of the chain with the activated ones behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct MergedStage {
    /// The first task of it.
    pub head: Task,
    /// G.
    pub gap: Result<u128, NoBound>,
    /// W: from the arrival to the last of its writes.
    pub written: Result<u128, NoBound>,
    /// J of its last task: from the arrival to that one's release.
    pub released: u128,
    /// What its tasks need at most when they run alone, with their hops.
    pub work: u128,
    /// H: how long it takes at most from the stage before.
    pub hop: u128,
    /// True if no job of it that arrives when one of the stage before has been released starts before that one ends.
    pub waits: bool,
    /// True if a job of it can start just before one of the stage before ends.
    pub interrupts: bool,
    /// True if an event outside activates it.
    pub is_event: bool,
    /// True if the least times may be counted with.
    pub is_plain: bool,
}

/// The stages, each with the activated ones behind it.
pub(super) fn merged(chain: &Chain, members: &[Member]) -> Vec<MergedStage> {
    let is_let = chain.communication == Communication::Let;
    let mut stages: Vec<MergedStage> = Vec::new();
    for (stage, member) in chain.stages.iter().zip(members) {
        let written = match (member.response, is_let) {
            (Some(response), true) if response <= member.task.deadline => Ok(member.task.deadline.into()),
            (Some(response), false) => Ok(response.into()),
            (_, _) if member.is_mixed => Err(NoBound::Dropped),
            (_, _) => Err(NoBound::Response(stage.task)),
        };
        let (released, hop) = (u128::from(member.task.jitter), u128::from(stage.hop));
        let work = u128::from(if is_let { member.task.deadline } else { member.task.cost });
        match stages.last_mut() {
            Some(whole) if stage.activated => {
                *whole = MergedStage {
                    written,
                    released,
                    work: whole.work + hop + work,
                    is_plain: whole.is_plain && member.is_plain,
                    ..*whole
                };
            }
            _ => stages.push(MergedStage {
                head: member.task,
                gap: member.max_inter_arrival.map(u128::from).ok_or(NoBound::Sporadic(stage.task)),
                written,
                released,
                work,
                hop,
                waits: member.waits && !is_let && hop == 0,
                interrupts: member.interrupts,
                is_event: stage.activated,
                is_plain: member.is_plain,
            }),
        }
    }
    stages
}

/// The lesser of those two that are known.
fn lesser(one: Result<u128, NoBound>, other: Option<u128>) -> Result<u128, NoBound> {
    match (one, other) {
        (Ok(one), Some(other)) => Ok(one.min(other)),
        (Err(_), Some(other)) => Ok(other),
        (one, None) => one,
    }
}

/// From an arrival of `before` to the instant from which on a job of `after` that arrives reads what it wrote.
pub(super) fn until_read(before: &MergedStage, after: &MergedStage) -> Result<u128, NoBound> {
    let written = before.written.map(|written| written + after.hop);
    lesser(written, after.waits.then_some(before.released))
}
