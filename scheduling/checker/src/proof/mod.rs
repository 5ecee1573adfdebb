//! One file a published test: its condition, computed again from the charged tasks.
//!
//! Every function here answers `Ok` only if the test's theorem applies and its condition holds; what it needed to be
//! told comes from the certificate and is never more than a number to put in.
//!
//! Each condition holds for arrivals at any real instant. BCLI, RTA and Guan's test are published for whole ticks; they are
//! checked in that form only where the certificate says `time discrete`.

mod amc_rtb;
mod bak;
mod bar;
mod bcl;
pub(crate) mod blocked_demand;
pub(crate) mod blocked_responses;
mod completions;
mod edf_vd;
mod ffdbf;
mod gfb;
mod graph;
mod guan;
mod interference;
mod load;
mod qpa;
mod states;
mod suspended_responses;
mod utilization;

use crate::behaviour::{Behaviour, Member, Served};
use crate::certificate::{Proof, Response};
use crate::rejected::{Rejected, applies, consistent};
use prazo_core::behaviour::{Locking, Phase};
use prazo_core::task::{Task, Ticks};
use prazo_core::time_model::TimeModel;

/// One ready queue with the tasks that a test shall speak of.
pub(crate) struct Queue<'a> {
    /// Processors that serve it.
    pub processors: u32,
    /// The tasks as charged, in the order of `names`; see [`Proof::knows_suspension`].
    pub tasks: &'a [Task],
    /// The certificate's indices of these tasks.
    pub names: &'a [usize],
    /// Interrupts above all tasks; none under EDF.
    pub interrupts: &'a [Task],
    /// Positions in `tasks`, most urgent first; `None` under EDF.
    pub order: Option<Vec<usize>>,
    /// What the tasks do, if any of them departs from sporadic, independent and preemptable: one for each of `tasks`.
    pub behaviours: Option<Behaved<'a>>,
    /// Where all tasks are periodic on one clock, one for each of `tasks`; empty if they arrive whenever they may.
    pub phases: &'a [Phase],
    /// The arrivals that a proof must hold for.
    pub time: TimeModel,
}

/// What the tasks of a queue do, one for each of them, and when they are served.
pub(crate) struct Behaved<'a> {
    /// One for each task.
    pub of_tasks: Vec<&'a Behaviour>,
    /// The protocol of their resources.
    pub locking: Locking,
    /// What they have of the processor.
    pub served: Served,
}

/// Checks `proof` for `queue`.
pub(crate) fn check(proof: &Proof, queue: &Queue<'_>) -> Result<(), Rejected> {
    let knows = matches!(
        proof,
        Proof::BlockedDemand(_)
            | Proof::BlockedResponses(_)
            | Proof::SuspendedResponses(_)
            | Proof::Graph(..)
            | Proof::AmcRtb(_)
            | Proof::EdfVd(_)
    );
    applies(
        knows == queue.behaviours.is_some(),
        "the test does not cover the stated behaviours, or it requires behaviours and the certificate states none",
    )?;
    let is_mixed = queue
        .behaviours
        .as_ref()
        .is_some_and(|behaved| behaved.of_tasks.iter().any(|behaviour| behaviour.cost_high.is_some()));
    applies(
        proof.knows_criticality() == is_mixed,
        "the test does not cover mixed criticality, or it requires a task of high criticality and there is none",
    )?;
    match (proof, &queue.order) {
        (Proof::AmcRtb(responses), Some(order)) => amc_rtb::check(queue, order, responses),
        (Proof::EdfVd(factor), None) => edf_vd::check(queue, *factor),
        (Proof::SuspendedResponses(responses), Some(order)) => suspended_responses::check(queue, order, responses),
        (Proof::BlockedResponses(starts), Some(order)) => blocked_responses::check(queue, order, starts),
        (Proof::BlockedDemand(points), None) => blocked_demand::check(queue, points),
        (Proof::ResponseTimes(completions), Some(order)) => completions::check(queue, order, completions),
        (Proof::Guan(responses), Some(order)) => {
            let tasks = queue.released_apart()?;
            let moved = Queue { tasks: &tasks, order: None, behaviours: None, ..*queue };
            guan::check(&moved, order, responses)
        }
        (Proof::States(ties, sets), _) => states::check(queue, *ties, sets),
        (Proof::Graph(ties, states), _) => graph::check(queue, *ties, states),
        (
            Proof::ResponseTimes(_)
            | Proof::Guan(_)
            | Proof::BlockedResponses(_)
            | Proof::SuspendedResponses(_)
            | Proof::AmcRtb(_),
            None,
        ) => Err(Rejected::NotApplicable("the test covers fixed priorities only".into())),
        (_, Some(_)) => {
            Err(Rejected::NotApplicable("the test covers EDF only, and the policy has fixed priorities".into()))
        }
        (proof, None) => check_edf(proof, queue),
    }
}

/// Under EDF. Each test says here whether it sees D - J for D; see [`Queue::without_jitter`] for why it may.
fn check_edf(proof: &Proof, queue: &Queue<'_>) -> Result<(), Rejected> {
    let given = &Queue { order: None, behaviours: None, ..*queue };
    let without_jitter = queue.without_jitter();
    let moved =
        &Queue { tasks: without_jitter.as_deref().unwrap_or(queue.tasks), order: None, behaviours: None, ..*queue };
    match proof {
        Proof::Utilization => utilization::check(given),
        Proof::Qpa(points) => qpa::check(given, points),
        Proof::Gfb => gfb::check(moved),
        Proof::Bak => bak::check(moved),
        Proof::Bcl => bcl::check(moved),
        Proof::Bcli(responses) => interference::check_bcli(moved, responses),
        Proof::Rta(responses) => interference::check_rta(given, responses),
        Proof::Bar(points) => bar::check(moved, points),
        Proof::Load(points) => load::check(moved, points),
        Proof::FfDbf(speed, points) => ffdbf::check(moved, *speed, points),
        Proof::ResponseTimes(_)
        | Proof::Guan(_)
        | Proof::States(..)
        | Proof::Graph(..)
        | Proof::BlockedDemand(_)
        | Proof::BlockedResponses(_)
        | Proof::SuspendedResponses(_)
        | Proof::AmcRtb(_)
        | Proof::EdfVd(_) => Err(Rejected::NotApplicable("the test covers fixed priorities only".into())),
    }
}

impl Queue<'_> {
    /// m as a wide number.
    fn m(&self) -> u128 {
        self.processors.into()
    }

    /// The tasks with what they do, the protocol of their resources, and when they are served.
    fn behaved(&self) -> Result<(Vec<Member<'_>>, Locking, Served), Rejected> {
        let behaved = self.behaviours.as_ref().ok_or_else(|| {
            Rejected::NotApplicable("the certificate states no behaviours, and the test requires them".into())
        })?;
        let pairs = self.tasks.iter().zip(&behaved.of_tasks);
        let members = pairs.map(|(task, &behaviour)| Member { task, behaviour }).collect();
        Ok((members, behaved.locking, behaved.served))
    }

    /// One processor only.
    fn applies_to_one_processor(&self) -> Result<(), Rejected> {
        applies(self.processors == 1, "the test covers one processor only")
    }

    /// The tasks with D - J for D, if some has jitter and all have J < D <= T.
    ///
    /// Then deadlines of a task are T apart, and each of its jobs has at least D - J from its release to its deadline. A test
    /// that uses no more than that may see the task (C, T, D - J): GFB, BAK, BCL, BCLI, LOAD, BAR, FF-DBF. RTA also counts
    /// the arrivals that follow a deadline, which come T - D after it, and may not.
    fn without_jitter(&self) -> Option<Vec<Task>> {
        let fits = |task: &Task| task.jitter < task.deadline && task.deadline <= task.period;
        let moves = self.tasks.iter().any(|task| task.jitter > 0) && self.tasks.iter().all(fits);
        let moved = |task: &Task| Task { deadline: task.deadline - task.jitter, jitter: 0, ..*task };
        moves.then(|| self.tasks.iter().map(moved).collect())
    }

    /// The tasks with T - J for T and D - J for D, which their releases keep; under fixed priorities no arrival ranks a job.
    fn released_apart(&self) -> Result<Vec<Task>, Rejected> {
        let fits = |task: &Task| task.jitter < task.deadline.min(task.period);
        applies(self.tasks.iter().all(fits), "each task's jitter must be less than its period and its deadline")?;
        let moved = |task: &Task| {
            let (period, deadline) = (task.period - task.jitter, task.deadline - task.jitter);
            Task { period, deadline, jitter: 0, ..*task }
        };
        Ok(self.tasks.iter().map(moved).collect())
    }

    /// No release jitter, and C <= min(D, T): what every test for several processors assumes.
    fn applies_globally(&self) -> Result<(), Rejected> {
        applies(self.tasks.iter().all(|task| task.jitter == 0), "some task has release jitter")?;
        applies(self.tasks.iter().all(|task| task.cost <= task.window()), "some task has C > min(D, T)")
    }

    /// The same, and D <= T.
    fn applies_to_constrained_deadlines(&self) -> Result<(), Rejected> {
        self.applies_globally()?;
        applies(self.tasks.iter().all(|task| task.deadline <= task.period), "some task has D > T")
    }

    /// The bounds that `responses` names, one for each task, in the order of the queue's tasks.
    fn bounds(&self, responses: &[Response]) -> Result<Vec<Ticks>, Rejected> {
        let named = responses.iter().map(|response| &response.task);
        consistent(named.eq(self.names), || {
            "a response bound must be given for each task of the bin, in order".into()
        })?;
        Ok(responses.iter().map(|response| response.bound).collect())
    }

    /// True if a job is done after a window that leaves others `laxity`, in which they can do no more than `work`.
    ///
    /// In whole ticks, a job that is not done has waited for `laxity + 1` at least, with all m processors busy: the sum of
    /// min(work, laxity + 1) is m (laxity + 1) or more. In continuous time it has waited for more than `laxity`, and so for
    /// `laxity + e` with every e > 0 that is small enough. Then k tasks have more work than `laxity`, and the sum of all
    /// min(work, laxity + e) is the sum of min(work, laxity) plus k e. It is m (laxity + e) or more for all these e only if
    /// k >= m or the sum of min(work, laxity) is above m laxity.
    fn is_done(&self, work: &[u128], laxity: Ticks) -> bool {
        let capped = |cap: u128| work.iter().map(|work| *work.min(&cap)).sum::<u128>();
        let laxity = u128::from(laxity);
        match self.time {
            TimeModel::Continuous => {
                let above = work.iter().filter(|work| **work > laxity).count() as u128;
                above < self.m() && capped(laxity) <= self.m() * laxity
            }
            TimeModel::Discrete => capped(laxity + 1) < self.m() * (laxity + 1),
        }
    }

    /// The task of largest density C/min(D,T).
    fn densest(&self) -> Option<&Task> {
        let heavier = |a: &&Task, b: &&Task| {
            let cross = |x: &Task, y: &Task| u128::from(x.cost) * u128::from(y.window());
            cross(a, b).cmp(&cross(b, a))
        };
        self.tasks.iter().max_by(heavier)
    }
}
