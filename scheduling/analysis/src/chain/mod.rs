//! Chains of cause and effect: how long it takes at most until an output reacts to an event, and how old an output is at most.
//!
//! Stage i of n is a task that arrives at most G apart (its period, or its `max_inter_arrival`) and whose jobs end within R after they
//! arrive, W = R; under logical execution times (LET) a job reads when it arrives and writes at its deadline, W = D. What it writes is there
//! for the next stage after a hop of at most H, in the order in which it was written.
//!
//! - **Reaction time**: from an event, just after some job of the first stage has read its input, to the first output that is made
//!   from an input read at the event or later ("first to first").
//! - **Data age**: of an output, from when the first stage read the input that it is made from ("last to last"). Every output counts,
//!   also when it is made from the same input as the one before.
//!
//! ```text
//! reaction <= G_1 + sum over i < n of min(W_i + H_i+1, [J_i]) + G_i+1 + W_n
//! age      <=       sum over i < n of min(W_i + H_i+1, [J_i]) + G_i   + W_n
//! ```
//!
//! Without the terms in brackets that is Davare and others, DAC 2007, and with W = D Hamann and others, ECRTS 2017. An event is read by the first
//! job that arrives after it, within G; it writes within W; the next stage reads it at the latest in the first job that arrives when the
//! datum is there. Ages go backwards: of the jobs whose output is there when stage i + 1 reads, the last one arrived less than G + W + H before.
//!
//! The bracket counts where stage i goes before stage i + 1 on the same processor: no job of stage i + 1 that arrives more than J_i after one of
//! stage i starts before that one ends, J_i being the jitter of stage i. So the first job that arrives later than that reads its output (Dürr and
//! others, CASES 2019, have max(R_i, G_i+1) there: the job need not wait for W_i and for the next arrival, and the second alone is enough). Arrivals
//! of stage i + 1 are at most G_i+1 apart: one of them is later than an instant by G_i+1 at most, also where the one before is just then and may
//! read too early. The same holds backwards, of the last arrival before an instant.
//!
//! - **Fixed priorities**: a job of stage i that arrives at a is released by a + J_i, and goes first from then on.
//! - **EDF with D_i <= D_i+1**: a job of stage i + 1 that arrives at b > a + J_i is due at b + D_i+1 > a + D_i. So it goes behind that of stage i,
//!   and behind all of stage i before it, whatever the rule for equal deadlines is.
//! - **On one clock** ([`synchronized`]) an arrival exactly at a + J_i counts as one that reads the output. Under EDF that takes D_i < D_i+1: with equal
//!   deadlines and J_i = 0 both jobs are due at once, and a rule for equal deadlines may let stage i + 1 go first.
//!
//! Parts that are not preempted change nothing: a job that has not begun waits for its turn. With suspensions and critical sections there is no
//! bracket, for then the less urgent job may start meanwhile.
//!
//! **Activated stages.** A job that is activated by the end of the stage before belongs to the same arrival: its release jitter is the response of
//! that stage and the hop, its own response counts from that arrival (Tindell, Clark, Microprocessing and Microprogramming 40, 1994). So a stage with
//! all that follow it in this way is one stage with the G of the first and the R of the last. In a first stage that is activated by the
//! event itself there is no G to wait for.
//!
//! **What is disproven.** `at_least` is a time that is approached by legal arrivals: all other jobs are as short as one likes, and tasks may begin at any
//! instant. Then a job of the next stage can read just before the output comes, wherever it can run then: on another processor, or if it is more
//! urgent. Under LET this is the bound itself, since a read at an arrival waits for nobody. Tasks on one clock (`synchronized`) are followed
//! arrival by arrival instead, in [`synchronized`]: exactly under LET.
//!
//! **Traps.** A sporadic task without a longest distance of arrivals bounds nothing. The age at an output is no bound on the reaction: it lacks
//! the wait for the next input. But until the next output, an output grows as old as the longest reaction, and no older (Günzel and others, ECRTS
//! 2023): whoever keeps using an old output asks for `max_reaction`. Events count from when all
//! tasks of the chain have had their first arrival, and outputs from when a datum has passed through the whole chain.

pub mod activation;
mod bound;
pub mod members;
mod stage;
pub mod synchronized;

pub use bound::{Bound, NoBound};
pub use members::{Member, members};

use crate::{Budget, Ticks};
use prazo_scenario::{Chain, Communication};
use stage::{MergedStage, Pair, merged, until_read};

/// What is known of one chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainBounds {
    /// From an event to the first output that it has influenced.
    pub reaction: Bound,
    /// Of each output, from when the input was read that it is made from.
    pub age: Bound,
}

/// The bounds of `chain`, whose stages are `members`, in their order.
pub fn bounds(chain: &Chain, members: &[Member], budget: &mut Budget) -> ChainBounds {
    let stages = merged(chain, members);
    let is_let = chain.communication == Communication::Let;
    let found = Pair { reaction: reaction(&stages), age: age(&stages) };
    let least = match is_let {
        // Every wait of a reader that waits for nobody can be as long as it may.
        true => Pair { reaction: found.reaction.unwrap_or(0), age: found.age.unwrap_or(0) },
        false => Pair { reaction: least_reaction(&stages), age: least_age(&stages) },
    };
    let (found, least) = match synchronized::bounds(chain, members, &stages, budget) {
        Some(exact) if is_let => (Pair { reaction: Ok(exact.reaction), age: Ok(exact.age) }, exact),
        Some(walked) => {
            let lesser =
                |found: Result<u128, NoBound>, walked: u128| found.map(|found| found.min(walked)).or(Ok(walked));
            let reaction = lesser(found.reaction, walked.reaction);
            (Pair { reaction, age: lesser(found.age, walked.age) }, Pair { reaction: 0, age: 0 })
        }
        None if !members.iter().all(|member| member.is_free) => (found, Pair { reaction: 0, age: 0 }),
        None => (found, least),
    };
    let bound = |at_most: Result<u128, NoBound>, at_least: u128, required: Option<Ticks>| Bound {
        at_most: at_most.and_then(|time| Ticks::try_from(time).map_err(|_| NoBound::TooLong)),
        at_least: Ticks::try_from(at_least).unwrap_or(Ticks::MAX),
        required,
    };
    ChainBounds {
        reaction: bound(found.reaction, least.reaction, chain.max_reaction),
        age: bound(found.age, least.age, chain.max_age),
    }
}

fn reaction(stages: &[MergedStage]) -> Result<u128, NoBound> {
    let mut sum = if stages[0].is_event { 0 } else { stages[0].gap? };
    for pair in stages.windows(2) {
        sum += until_read(&pair[0], &pair[1])? + pair[1].gap?;
    }
    Ok(sum + stages[stages.len() - 1].written?)
}

fn age(stages: &[MergedStage]) -> Result<u128, NoBound> {
    let mut sum = stages[stages.len() - 1].written?;
    for pair in stages.windows(2) {
        sum += until_read(&pair[0], &pair[1])? + pair[0].gap?;
    }
    Ok(sum)
}

/// A reaction that is approached: the event just after a read on an idle processor, and then each reader as early as it can be.
fn least_reaction(stages: &[MergedStage]) -> u128 {
    let Some(gaps) = known_gaps(stages) else { return 0 };
    // When the stage at hand reads at the earliest, and whether it does so at its arrival, all jobs before it done.
    let (mut read, mut is_alone) = (if stages[0].is_event { 0 } else { gaps[0] }, true);
    for (pair, gap) in stages.windows(2).zip(&gaps[1..]) {
        let there = read + pair[0].work + pair[1].hop;
        let after_arrival = if is_alone { read + gap } else { 0 };
        (read, is_alone) = match pair[1].interrupts {
            true => (there + gap, true),
            false => (there.max(after_arrival), after_arrival >= there),
        };
    }
    read + stages[stages.len() - 1].work
}

/// An age that is approached: each stage reads just before the next output of the one before is there.
fn least_age(stages: &[MergedStage]) -> u128 {
    let Some(gaps) = known_gaps(stages) else { return 0 };
    let step = |(pair, gap): (&[MergedStage], &u128)| match pair[1].interrupts {
        true => gap + pair[0].work + pair[1].hop,
        false => *gap,
    };
    stages.windows(2).zip(&gaps).map(step).sum::<u128>() + stages[stages.len() - 1].work
}

/// G of each stage; of those that are activated from outside, 0 where it is not known. `None` where nothing may be counted with.
fn known_gaps(stages: &[MergedStage]) -> Option<Vec<u128>> {
    let gap = |stage: &MergedStage| match stage.gap {
        _ if !stage.is_plain => None,
        Err(_) if stage.is_event => Some(0),
        gap => gap.ok(),
    };
    stages.iter().map(gap).collect()
}
