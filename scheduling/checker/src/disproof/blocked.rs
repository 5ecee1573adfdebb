//! A job misses where it is blocked for as long as it can be: on one processor, for tasks that block each other or come in bursts.
//!
//! A less urgent job begins its longest part, which may be its longest section, an instant before all others are released
//! together, each as late as it may be. It is as short an instant as one likes; what is late by a whole tick then is late. With
//! self-suspension nothing blocks, and one job is away whenever nobody else keeps it from running. With
//! a supply nothing blocks; its longest gap begins as they are released, and it serves no more than it must from there on.

use crate::behaviour::{Behaviours, Member, Served, blocked, demand};
use crate::certificate::{Certificate, JobRanking, Point, Shape};
use crate::proof::blocked_demand::utilization;
use crate::proof::blocked_responses::Level;
use crate::rejected::{Rejected, applies, consistent, show};
use prazo_core::behaviour::Locking;
use prazo_core::ratio::Ratio;

/// Rounds that the checker is willing to compute.
const ROUNDS_MAX: u64 = 20_000_000;

/// All tasks on one processor, without overheads.
fn members<'a>(certificate: &'a Certificate) -> Result<(Vec<Member<'a>>, &'a Behaviours), Rejected> {
    let behaviours = certificate.behaviours.as_ref();
    let behaviours = behaviours.ok_or_else(|| {
        Rejected::NotApplicable(
            "this disproof needs tasks with blocking, bursts, suspension or a supply; the certificate has none".into(),
        )
    })?;
    let single = certificate.shape.processors() == 1 && matches!(certificate.shape.sizes(), [1]);
    applies(
        single && matches!(certificate.shape, Shape::Global(_) | Shape::Clusters(_)),
        "this disproof covers one processor only",
    )?;
    applies(!behaviours.is_mixed(), "this disproof does not cover mixed criticality")?;
    applies(!behaviours.crosses_processors(), "no disproof covers locks across processors")?;
    behaviours.check()?;
    let pairs = certificate.tasks.iter().zip(&behaviours.of_tasks);
    Ok((pairs.map(|(task, behaviour)| Member { task, behaviour }).collect(), behaviours))
}

/// Sum of b C / W above the rate of the supply.
pub(super) fn check_rates(certificate: &Certificate) -> Result<(), Rejected> {
    let (members, behaviours) = members(certificate)?;
    show(utilization(&members) > Served(behaviours.supply).rate(), || {
        "the utilization does not exceed the rate of the supply, which is 1 for a whole processor".into()
    })
}

/// More is due in an interval, with what blocks, than it can hold.
pub(super) fn check_window(certificate: &Certificate, point: Point) -> Result<(), Rejected> {
    let (members, behaviours) = members(certificate)?;
    applies(certificate.policy == JobRanking::Edf, "this disproof covers EDF only")?;
    if behaviours.has_sections() {
        applies(behaviours.locking == Locking::Srp, "under EDF, this disproof covers SRP only")?;
        applies(
            members.iter().all(|member| member.task.jitter == 0),
            "under SRP, this disproof does not cover release jitter",
        )?;
    }
    // One job that is due at the end of the interval may suspend itself whenever no other that is due in it runs.
    let due = members.iter().filter(|member| member.due_within(point.at.into()) > 0);
    let suspended = due.map(|member| member.behaviour.suspension).max().unwrap_or(0);
    let found = demand(&members, point.at.into()) + u128::from(suspended);
    consistent(Ratio::new(found, 1) == Some(point.demand), || {
        format!("the demand at instant {} is {found}, not {} as in the certificate", point.at, point.demand)
    })?;
    let served = Served(behaviours.supply).within(point.at.into());
    show(found > served, || {
        format!("the demand of {found} at instant {} is no more than the processor can serve", point.at)
    })
}

/// Job `job` of `task` ends after its deadline; `order` has all tasks, the most urgent first.
pub(super) fn check_late(certificate: &Certificate, order: &[usize], task: usize, job: u64) -> Result<(), Rejected> {
    let (members, behaviours) = members(certificate)?;
    let known = !(behaviours.locking == Locking::Pip && behaviours.has_sections());
    applies(known, "under PIP, the longest blocking may never happen")?;
    let place = order.iter().position(|other| *other == task);
    let place = place.ok_or_else(|| Rejected::Inconsistent(format!("there is no task {task}")))?;
    let mut ranked: Vec<Member<'_>> = order.iter().map(|&task| members[task]).collect();
    // It may suspend itself whenever it would run, as those above need not.
    let counted = ranked[place].counted();
    ranked[place].task = &counted;
    let (level, below) = ranked.split_at(place + 1);
    let of = Level { level, blocked: blocked(level, below, behaviours.locking), served: Served(behaviours.supply) };
    let own = &ranked[place];
    let due = own.arrival(job) + u128::from(own.task.deadline);
    let latest = due.checked_sub(u128::from(own.task.jitter) + u128::from(own.behaviour.last));
    let Some(latest) = latest else { return Ok(()) };
    // From below: no instant up to the one that is reached is late enough.
    let mut start = 0;
    for _ in 0..ROUNDS_MAX {
        let next = of.served.by(of.before(job, start));
        if next > latest {
            return Ok(());
        }
        show(next > start, || format!("job {job} of task {task} completes by its deadline"))?;
        start = next;
    }
    Err(Rejected::TooLarge("the busy interval has too many steps to compute again".into()))
}
