//! Tasks that are split over processors: their pieces, one processor after the other.
//!
//! A job of a split task runs its pieces in the order of their offsets. A piece is released when the previous piece is due, so if all pieces meet
//! their deadlines no two of them run at once, and the last one ends in time. Releases of a piece are as far apart as the job's. So a processor
//! is shown to be in time where the pieces are tasks like any other (Burns, Davis, Wang, Zhang, Real-Time Systems 48(1), 2012).

use crate::certificate::{Bin, Certificate, JobRanking, Piece, Proof};
use crate::rejected::{Rejected, applies, consistent};
use prazo_core::task::{Task, Ticks};

/// The tasks of a bin as its processor sees them; `all` are those of the certificate.
pub(crate) fn seen(bin: &Bin, all: &[Task]) -> Vec<Task> {
    let seen = |&member: &usize| match bin.pieces.iter().find(|piece| piece.task == member) {
        Some(piece) => Task { cost: piece.cost, deadline: piece.deadline, ..all[member] },
        None => all[member],
    };
    bin.members.iter().map(seen).collect()
}

/// The tasks that are split, each once, ascending.
pub(crate) fn split_tasks(bins: &[Bin]) -> Vec<usize> {
    let mut tasks: Vec<usize> = bins.iter().flat_map(|bin| &bin.pieces).map(|piece| piece.task).collect();
    tasks.sort_unstable();
    tasks.dedup();
    tasks
}

/// The pieces make up their tasks, and nothing else of the certificate forbids to split them. Members are known to exist.
pub(crate) fn check(certificate: &Certificate, bins: &[Bin]) -> Result<(), Rejected> {
    let split = split_tasks(bins);
    if split.is_empty() {
        return Ok(());
    }
    applies(certificate.policy == JobRanking::Edf, "tasks are split under EDF only")?;
    applies(certificate.overheads.is_none(), "no test covers split tasks together with overheads")?;
    applies(
        certificate.behaviours.is_none(),
        "no test covers split tasks together with blocking, bursts, suspension or a supply",
    )?;
    for bin in bins {
        let own: Vec<usize> = bin.pieces.iter().map(|piece| piece.task).collect();
        let ascending = own.is_sorted_by(|one, next| one < next);
        consistent(ascending, || {
            "the pieces of a bin are not in ascending order of their tasks, or a task has two of them".into()
        })?;
        let here: Vec<usize> =
            bin.members.iter().copied().filter(|member| split.binary_search(member).is_ok()).collect();
        consistent(own == here, || {
            "a bin must have exactly one piece of each split task in it, and no other piece".into()
        })?;
        if !own.is_empty() {
            applies(bin.processors == 1, "a bin with pieces must have exactly one processor")?;
            let exact = matches!(bin.proof, Some(Proof::Utilization | Proof::Qpa(_)));
            applies(exact, "pieces are proven by the utilization test or QPA only")?;
        }
    }
    split.into_iter().try_for_each(|task| one_after_the_other(task, &certificate.tasks[task], bins))
}

fn one_after_the_other(task: usize, whole: &Task, bins: &[Bin]) -> Result<(), Rejected> {
    applies(whole.jitter == 0, "a task with release jitter cannot be split")?;
    let mut pieces: Vec<&Piece> = bins.iter().flat_map(|bin| &bin.pieces).filter(|piece| piece.task == task).collect();
    pieces.sort_by_key(|piece| piece.offset);
    let mut due: Ticks = 0;
    for piece in &pieces {
        consistent(piece.offset == due, || {
            format!("a piece of task {task} is not released when the previous piece is due")
        })?;
        // Both are at most 2^48.
        due += piece.deadline;
    }
    let cost: u128 = pieces.iter().map(|piece| u128::from(piece.cost)).sum();
    consistent(cost == u128::from(whole.cost), || format!("the pieces of task {task} do not add up to its cost"))?;
    consistent(due <= whole.deadline.min(whole.period), || {
        format!("the last piece of task {task} is due after the task's deadline or its next release")
    })
}
