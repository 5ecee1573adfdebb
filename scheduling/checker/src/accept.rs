//! The whole certificate: every task in one bin, every bin's tasks charged, every bin's test satisfied; or a disproof.

use crate::behaviour::{Behaviours, Member, Served};
use crate::certificate::{Bin, Certificate, Charged, Claim, Disproof, JobRanking, Priorities, Proof, Table, listed};
use crate::charge;
use crate::digest::Digest;
use crate::disproof;
use crate::locks;
use crate::pieces;
use crate::proof::{self, Behaved, Queue};
use crate::rejected::{Rejected, applies, consistent};
use prazo_core::behaviour::{CriticalityMode, Locking, Phase, Supply};
use prazo_core::task::{DeadlineKind, Task};
use prazo_core::text::counted;
use prazo_core::time_model::TimeModel;
use std::fmt;

/// What an accepted certificate shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every job of every legal arrival sequence meets its deadline.
    Proven,
    /// For some legal arrival sequence a job misses its deadline.
    Disproven,
}

/// What was shown, and under which assumptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The verdict.
    pub verdict: Verdict,
    /// The mode in which a disproof has a job miss, if the tasks have two criticalities.
    pub mode: Option<CriticalityMode>,
    /// The tasks it speaks of, as their author wrote them.
    pub tasks: Vec<Task>,
    /// Processors of each ready queue; one number for global scheduling.
    pub queues: Vec<u32>,
    /// Whose jobs run first.
    pub policy: &'static str,
    /// The same as the certificate writes it.
    pub ranking: JobRanking,
    /// Ready queue of each task; empty where none is claimed, as in a disproof.
    pub assignment: Vec<u32>,
    /// The tasks whose jobs run on several queues, one after the other; `assignment` has the last of them.
    pub split: Vec<usize>,
    /// What the tasks do beyond being sporadic, independent and preemptable; `None` if nothing.
    pub behaviours: Option<Behaviours>,
    /// Where all tasks are periodic on one clock, one for each; empty if they arrive whenever they may.
    pub phases: Vec<Phase>,
    /// What was charged; `None` if nothing was.
    pub overheads: Option<Table>,
    /// The digest of tasks, processors, policy and overheads.
    pub digest: Digest,
    /// The arrivals that a proof holds for. A disproof whose jobs arrive at whole ticks holds for both models.
    pub time: TimeModel,
    /// What a system must do for the verdict to hold there.
    pub relied_on: Vec<&'static str>,
}

/// `proven: edf, 3 tasks, processors of each ready queue: 2`, then one line for each assumption. A proof in discrete
/// time says so in its first words, a disproof of one mode names the mode.
impl fmt::Display for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match (self.verdict, self.time) {
            (Verdict::Proven, TimeModel::Continuous) => "proven",
            (Verdict::Proven, TimeModel::Discrete) => "proven for arrivals at whole ticks only",
            (Verdict::Disproven, _) => "disproven",
        };
        let mode = self.mode.map_or(String::new(), |mode| format!(" in {mode} mode"));
        let tasks = counted(self.tasks.len() as u64, "task");
        let queues = listed(&self.queues);
        write!(f, "{verdict}{mode}: {}, {tasks}, processors of each ready queue: {queues}", self.policy)?;
        self.relied_on.iter().try_for_each(|assumption| write!(f, "\n  assuming: {assumption}"))
    }
}

/// Checks a certificate that was read.
pub(crate) fn certificate(certificate: &Certificate) -> Result<Accepted, Rejected> {
    if let JobRanking::FixedPriority(Priorities::Given(ranks)) = &certificate.policy {
        consistent(ranks.len() == certificate.tasks.len(), || {
            "with given priorities, each task needs exactly one rank".into()
        })?;
    }
    let (verdict, extrapolated) = match &certificate.claim {
        Claim::Proven(bins) => (Verdict::Proven, check_bins(certificate, bins)?),
        Claim::Disproven(mode, reason) => {
            disproof::check(certificate, *mode, reason)?;
            (Verdict::Disproven, false)
        }
    };
    Ok(Accepted {
        verdict,
        mode: certificate.claim.mode(),
        tasks: certificate.tasks.clone(),
        queues: certificate.shape.sizes().to_vec(),
        policy: policy_name(&certificate.policy, &certificate.claim),
        ranking: certificate.policy.clone(),
        assignment: assignment(certificate),
        split: match &certificate.claim {
            Claim::Proven(bins) => pieces::split_tasks(bins),
            Claim::Disproven(..) => Vec::new(),
        },
        behaviours: certificate.behaviours.clone(),
        phases: certificate.phases.clone(),
        overheads: certificate.overheads.clone(),
        digest: certificate.digest,
        time: certificate.time,
        relied_on: relied_on(certificate, extrapolated),
    })
}

/// The bin of each task, once every task is known to stand in exactly one.
fn assignment(certificate: &Certificate) -> Vec<u32> {
    let Claim::Proven(bins) = &certificate.claim else { return Vec::new() };
    let mut assignment = vec![0; certificate.tasks.len()];
    for (number, bin) in bins.iter().enumerate() {
        bin.members.iter().for_each(|&member| assignment[member] = number as u32);
    }
    assignment
}

fn policy_name(policy: &JobRanking, claim: &Claim) -> &'static str {
    match policy {
        JobRanking::Edf => "edf",
        JobRanking::FixedPriority(Priorities::RateMonotonic) => "rate-monotonic priorities",
        JobRanking::FixedPriority(Priorities::DeadlineMonotonic) => "deadline-monotonic priorities",
        // Only a proof states an order; a disproof holds for every one.
        JobRanking::FixedPriority(Priorities::AnyOrder) => match claim {
            Claim::Proven(_) => "fixed priorities in the certificate's order",
            Claim::Disproven(..) => "fixed priorities in any order",
        },
        JobRanking::FixedPriority(Priorities::Given(_)) => "given fixed priorities",
    }
}

fn relied_on(certificate: &Certificate, extrapolated: bool) -> Vec<&'static str> {
    let proven = matches!(certificate.claim, Claim::Proven(_));
    let missed = matches!(
        certificate.claim,
        Claim::Disproven(_, Disproof::Missed { .. } | Disproof::MissedIn { .. } | Disproof::Executed { .. })
    );
    let by_index = matches!(&certificate.claim, Claim::Proven(bins) if bins.iter().any(|bin| bin.proof.as_ref().is_some_and(Proof::needs_ties_by_index)));
    let by_clock = match &certificate.claim {
        Claim::Proven(bins) => bins.iter().any(|bin| matches!(bin.proof, Some(Proof::Graph(..)))),
        Claim::Disproven(_, disproof) => matches!(disproof, Disproof::Executed { .. }),
    };
    let whole_ticks = proven && certificate.time == TimeModel::Discrete;
    let late = DeadlineKind::of(&certificate.tasks) == DeadlineKind::Arbitrary;
    let edf = certificate.policy == JobRanking::Edf;
    let plain = certificate.behaviours.is_none();
    let sections = certificate.behaviours.as_ref().is_some_and(Behaviours::has_sections);
    let bursts = certificate
        .behaviours
        .iter()
        .any(|all| all.of_tasks.iter().any(|behaviour| behaviour.burst.is_some() || behaviour.curve.is_some()));
    let supply = certificate.behaviours.as_ref().and_then(|all| all.supply);
    let reserved = matches!(supply, Some(Supply::Periodic { .. }));
    let delayed = matches!(supply, Some(Supply::BoundedDelay { .. }));
    let suspends = certificate.behaviours.as_ref().is_some_and(Behaviours::suspends);
    // A demand of one mode disproves whatever else the tasks do, and then the sentences about that belong here, too.
    let mixed = certificate.behaviours.as_ref().is_some_and(|all| all.is_mixed() && all.has_criticality_only());
    let mode = certificate.claim.mode();
    let crosses = certificate.behaviours.as_ref().is_some_and(Behaviours::crosses_processors);
    let split = matches!(&certificate.claim, Claim::Proven(bins) if bins.iter().any(|bin| !bin.pieces.is_empty()));
    let srp = sections && certificate.behaviours.as_ref().is_some_and(|all| all.locking == Locking::Srp);
    let assumptions = [
        (whole_ticks, "time passes in whole ticks: arrivals and costs are whole numbers of ticks"),
        (plain || mixed, "jobs are preempted immediately and do not suspend themselves or wait for resources"),
        (
            !plain && !suspends && !mixed,
            "jobs are preempted immediately except in the non-preemptive parts that the certificate lists, and do not suspend themselves",
        ),
        (
            proven && suspends,
            "jobs are preempted immediately; each job suspends itself for at most the listed time in total, at any instants",
        ),
        (
            !proven && suspends,
            "jobs are preempted immediately; each job may suspend itself for all of the listed time, at any instants",
        ),
        (
            reserved,
            "in each period, the supply grants its budget at any instants, and no tasks outside the set use this \
             budget",
        ),
        (
            crosses,
            "a job requests each resource at most the listed number of times, never holds two at once, and waits as the \
             listed protocol says",
        ),
        (
            sections && !crosses,
            "resources are used for at most the listed times, by tasks of this processor only, under the listed protocol",
        ),
        (
            split,
            "a split job runs its pieces in the order of their offsets, each on its own processor; each piece is released at its offset after the job's release, ranked by its own deadline, and stopped after its cost",
        ),
        (srp && edf, "a job that has started is not preempted by a job of equal deadline"),
        (
            by_clock,
            "the first job of each task arrives at the task's offset, and each later job exactly one period after the previous job, on one common clock; a release is at most J after its arrival, and a job needs at least its best case and at most C",
        ),
        (
            proven && !bursts && !by_clock && !mixed,
            "arrivals of a task are at least T apart, a release is at most J after its arrival, and a job needs at \
             most C",
        ),
        (
            proven && mixed,
            "arrivals of a task are at least T apart, and a job is released when it arrives; a job of low criticality runs for at most C, and a job of high criticality needs at most its cost in high mode",
        ),
        (
            proven && mixed,
            "when a job has run for C and has not ended, the scheduler begins high mode at once. In high mode it drops every pending job of low criticality and every one that arrives. High mode ends when no job is pending. A dropped job is not proven to be in time",
        ),
        (
            proven && mixed && edf,
            "in low mode, a job of high criticality is ranked by its arrival plus the listed factor times D, exactly; other jobs, and all jobs in high mode, are ranked by arrival + D",
        ),
        (
            proven && bursts,
            "arrivals of a task are at least T apart, or no denser than its burst or steps; a release is at most J after \
             its arrival, and a job needs at most C",
        ),
        (
            !proven && !by_clock && mode != Some(CriticalityMode::High),
            "arrivals of a task may be T apart, and a job may need all of C",
        ),
        (
            !proven && mode == Some(CriticalityMode::High),
            "arrivals of a task may be T apart, a job of high criticality may need all of its cost in high mode, and jobs of low criticality need not arrive",
        ),
        (
            !proven && !plain && !by_clock && !mixed,
            "non-preemptive parts, sections and bursts may be as long and as dense as listed, and sections may be \
             shorter",
        ),
        (
            delayed,
            "in each interval, the supply grants at least its rate times (interval length - delay), and no tasks outside the \
             set use this time",
        ),
        (
            !proven && delayed,
            "the supply may grant no more than its guaranteed minimum, in slices as short as necessary, and unused time is lost",
        ),
        (
            !proven && reserved,
            "the supply may be early in one period and late in the next, and an unused part of its budget is lost",
        ),
        (
            proven && edf && !mixed,
            "jobs are dispatched in ascending order of arrival + D, where D is adjusted for any charged overheads",
        ),
        (
            missed || by_index,
            "ties are broken by task index, the lower first, and a tie does not preempt a running job",
        ),
        (late, "jobs of a task run one after the other, in the order of their arrival"),
        (proven && certificate.overheads.is_some(), "each overhead is at most the amount in the overhead table"),
        (extrapolated, "beyond the last point of an overhead table, overheads continue with its last amount or slope"),
    ];
    assumptions.iter().filter(|(holds, _)| *holds).map(|(_, text)| *text).collect()
}

/// Shows every bin; true if an overhead was taken from beyond its table.
fn check_bins(certificate: &Certificate, bins: &[Bin]) -> Result<bool, Rejected> {
    check_assignment(certificate, bins)?;
    pieces::check(certificate, bins)?;
    if let Some(behaviours) = &certificate.behaviours {
        applies(
            certificate.overheads.is_none(),
            "no test covers blocking, bursts, suspension, mixed criticality or a supply together with overheads",
        )?;
        let together = !behaviours.has_sections() || bins.len() == 1 || behaviours.crosses_processors();
        applies(together, "no test covers critical sections on more than one processor under srp, pcp or pip")?;
        let single = behaviours.supply.is_none() || certificate.shape.processors() == 1;
        applies(single, "no test covers a supply on more than one processor")?;
        let alone = !behaviours.is_mixed() || certificate.shape.processors() == 1;
        applies(alone, "no test covers mixed criticality on more than one processor")?;
        behaviours.check()?;
    }
    let seen = match &certificate.behaviours {
        Some(behaviours) => locks::seen(certificate, behaviours, bins)?,
        None => None,
    };
    let (all, behaviours) = match &seen {
        Some((tasks, behaviours)) => (tasks, Some(behaviours)),
        None => (&certificate.tasks, certificate.behaviours.as_ref()),
    };
    let mut extrapolated = false;
    for bin in bins.iter().filter(|bin| !bin.members.is_empty()) {
        let tasks: Vec<Task> = pieces::seen(bin, all);
        let charged = match (&certificate.overheads, &bin.charged) {
            (None, None) => Charged { interrupts: Vec::new(), tasks },
            (Some(table), Some(charged)) => {
                extrapolated |= charge::check(table, &tasks, bin, charged, &certificate.policy)?;
                charged.clone()
            }
            _ => {
                return Err(Rejected::Inconsistent(
                    "each bin with tasks must have `charged` lines if the certificate states overheads, and none otherwise".into(),
                ));
            }
        };
        check_bin(certificate, bin, &charged, behaviours)?;
    }
    Ok(extrapolated)
}

fn check_bin(
    certificate: &Certificate,
    bin: &Bin,
    charged: &Charged,
    behaviours: Option<&Behaviours>,
) -> Result<(), Rejected> {
    let proof = bin.proof.as_ref().ok_or_else(|| Rejected::NotShown("a bin has tasks but names no test".into()))?;
    // Where the latencies of events differ, jobs are ranked by other deadlines than those of the states.
    let mut pairs = bin.members.iter().zip(&charged.tasks);
    let in_time = pairs.all(|(&member, charged)| certificate.tasks[member].deadline == charged.deadline);
    let ranks_by_states = !matches!(proof, Proof::States(..)) || certificate.policy != JobRanking::Edf || in_time;
    applies(ranks_by_states, "under EDF, the state search does not cover event latency")?;
    let counted: Option<Vec<Task>> = behaviours.filter(|_| !proof.knows_suspension()).map(|all| {
        let pairs = bin.members.iter().zip(&charged.tasks);
        pairs.map(|(&member, task)| Member { task, behaviour: &all.of_tasks[member] }.counted()).collect()
    });
    let phases: Vec<Phase> = bin.members.iter().filter_map(|&member| certificate.phases.get(member)).copied().collect();
    let queue = Queue {
        processors: bin.processors,
        // With behaviours nothing is charged.
        tasks: counted.as_ref().unwrap_or(&charged.tasks),
        names: &bin.members,
        interrupts: &charged.interrupts,
        order: order_of(certificate, bin)?,
        behaviours: behaviours.map(|all| Behaved {
            of_tasks: bin.members.iter().map(|&member| &all.of_tasks[member]).collect(),
            locking: all.locking,
            served: Served(all.supply),
        }),
        phases: &phases,
        time: certificate.time,
    };
    proof::check(proof, &queue)
}

/// The bins are the shape's, and every task stands in exactly one.
fn check_assignment(certificate: &Certificate, bins: &[Bin]) -> Result<(), Rejected> {
    let sizes = bins.iter().map(|bin| &bin.processors);
    consistent(sizes.eq(certificate.shape.sizes()), || {
        "the bins do not have the numbers of processors that the shape states".into()
    })?;
    let mut placed = vec![0usize; certificate.tasks.len()];
    for &member in bins.iter().flat_map(|bin| &bin.members) {
        let count = placed.get_mut(member).ok_or_else(|| {
            Rejected::Inconsistent(format!("a bin names task {member}, which the certificate does not have"))
        })?;
        *count += 1;
    }
    let split = pieces::split_tasks(bins);
    let misplaced = placed.iter().enumerate().position(|(task, &count)| {
        let is_split = split.binary_search(&task).is_ok();
        count != 1 && !is_split
    });
    consistent(misplaced.is_none(), || format!("task {} is not in exactly one bin", misplaced.unwrap_or_default()))?;
    let unknown = split.last().copied().filter(|&task| task >= placed.len());
    consistent(unknown.is_none(), || {
        format!("a piece names task {}, which the certificate does not have", unknown.unwrap_or_default())
    })?;
    let ascending = bins.iter().all(|bin| bin.members.is_sorted());
    consistent(ascending, || "the tasks of a bin are not in ascending order".into())
}

/// Positions in the bin by urgency, checked against the policy; `None` under EDF.
fn order_of(certificate: &Certificate, bin: &Bin) -> Result<Option<Vec<usize>>, Rejected> {
    let JobRanking::FixedPriority(priorities) = &certificate.policy else {
        consistent(bin.order.is_empty(), || "a bin under EDF must not state an order of priorities".into())?;
        return Ok(None);
    };
    let mut sorted = bin.order.clone();
    sorted.sort_unstable();
    consistent(sorted == bin.members, || "the order of priorities must name each task of the bin exactly once".into())?;
    if let Some(expected) = priorities.order(&certificate.tasks, &bin.members) {
        consistent(bin.order == expected, || {
            "the order of priorities in a bin differs from that of the policy".into()
        })?;
    }
    let position = |task: &usize| bin.members.binary_search(task).ok();
    Ok(bin.order.iter().map(position).collect())
}
