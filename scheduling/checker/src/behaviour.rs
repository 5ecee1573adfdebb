//! What tasks do beyond being sporadic, independent and preemptable, as a certificate says it, and what follows for one processor.
//!
//! Arrivals in bursts are counted from the definition: at most `jobs` in any half-open interval of length `within`, any two at
//! least `distance` apart. Counting is in whole ticks, since all arrivals of the worst case are. Blocking is that of docs/certificates.md.

use crate::curve::Curve;
use crate::fraction::Fraction;
use crate::rejected::{Rejected, applies, consistent};
use prazo_core::behaviour::{Locking, Supply};
use prazo_core::task::{TICKS_MAX, Task, Ticks};

/// The behaviours of all tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behaviours {
    /// The protocol of all resources.
    pub locking: Locking,
    /// What the tasks have of their processor; `None` if all of it.
    pub supply: Option<Supply>,
    /// One for each task.
    pub of_tasks: Vec<Behaviour>,
}

/// The behaviour of one task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Behaviour {
    /// Longest part that is not preempted.
    pub longest: Ticks,
    /// The part that ends a job without preemption.
    pub last: Ticks,
    /// Jobs, interval, distance.
    pub burst: Option<(u64, Ticks, Ticks)>,
    /// Jobs in intervals of several lengths.
    pub curve: Option<Curve>,
    /// How long a job suspends itself in all, at most.
    pub suspension: Ticks,
    /// What a job needs at most in high mode, if the task is of high criticality.
    pub cost_high: Option<Ticks>,
    /// Resource, longest section of it, and how often a job requests it.
    pub sections: Vec<(u32, Ticks, u32)>,
}

impl Behaviour {
    /// True if the jobs of `task` are not preempted, and it is sporadic and independent else.
    pub(crate) fn only_runs_to_end(&self, task: &Task) -> bool {
        let comes_apart = self.burst.is_none() && self.curve.is_none();
        self.last >= task.cost
            && comes_apart
            && self.sections.is_empty()
            && self.suspension == 0
            && self.cost_high.is_none()
    }

    /// True if the task has two execution times at most, and is sporadic, independent and preemptable else.
    fn is_plain_or_critical(&self) -> bool {
        Self { cost_high: None, ..self.clone() } == Self::default()
    }

    fn uses(&self, resource: u32) -> bool {
        self.sections.iter().any(|(used, ..)| *used == resource)
    }
}

/// A task with its behaviour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member<'a> {
    /// The task.
    pub task: &'a Task,
    /// What it does.
    pub behaviour: &'a Behaviour,
}

impl Member<'_> {
    /// Refuses numbers that contradict each other.
    pub(crate) fn check(&self, index: usize) -> Result<(), Rejected> {
        let Behaviour { longest, last, burst, curve, suspension, cost_high, sections } = self.behaviour;
        let lengths = last <= longest && *longest <= self.task.cost;
        consistent(lengths, || {
            format!("a non-preemptive part of task {index} exceeds the task's cost, or `last` exceeds `longest`")
        })?;
        let within_cost = sections.iter().all(|(_, length, times)| (1..=self.task.cost).contains(length) && *times > 0);
        consistent(within_cost, || {
            format!("a critical section of task {index} has length 0, or exceeds the task's cost")
        })?;
        let grows = cost_high.is_none_or(|high| (self.task.cost..=TICKS_MAX).contains(&high));
        consistent(grows, || format!("the cost of task {index} in high mode is below its cost, or above 2^48 ticks"))?;
        let counted = u128::from(self.task.cost) + u128::from(*suspension);
        consistent(counted <= TICKS_MAX.into(), || format!("cost and suspension of task {index} exceed 2^48 ticks"))?;
        if let Some(curve) = curve {
            consistent(burst.is_none(), || {
                format!("task {index} has both a burst and steps; only one of them is allowed")
            })?;
            let fits = curve.work(counted) <= TICKS_MAX.into();
            consistent(fits, || format!("a step of task {index} has more than 2^48 ticks of work"))?;
            let (jobs, within) = curve.rate();
            let even = within.div_ceil(jobs) == self.task.period;
            return consistent(even, || {
                format!("the period of task {index} must be the largest interval per job among its steps, rounded up")
            });
        }
        let Some((jobs, within, distance)) = *burst else { return Ok(()) };
        let bounded = (1..=TICKS_MAX).contains(&jobs) && (1..=TICKS_MAX).contains(&within);
        let wide = |factor: Ticks| u128::from(jobs) * u128::from(factor);
        let fits = bounded && wide(distance) <= within.into() && u128::from(jobs) * counted <= TICKS_MAX.into();
        consistent(fits, || {
            format!("the burst of task {index} does not fit into its interval, or exceeds 2^48 ticks of work")
        })?;
        let even = within.div_ceil(jobs) == self.task.period;
        consistent(even, || {
            format!(
                "the period of task {index} must be the interval of its burst divided by the burst's jobs, rounded up"
            )
        })
    }

    /// The task where it executes for as long as it may suspend itself.
    pub(crate) fn counted(&self) -> Task {
        Task { cost: self.task.cost + self.behaviour.suspension, ..*self.task }
    }

    /// Jobs, interval, distance; a period is one job in an interval of its length.
    ///
    /// With steps, jobs and interval of the one that decides in the long run.
    pub(crate) fn arrivals(&self) -> (u64, Ticks, Ticks) {
        if let Some(curve) = &self.behaviour.curve {
            let (jobs, within) = curve.rate();
            return (jobs, within, 0);
        }
        self.behaviour.burst.unwrap_or((1, self.task.period, self.task.period))
    }

    /// The earliest arrival of job `job` after job 0.
    pub(crate) fn arrival(&self, job: u64) -> u128 {
        if let Some(curve) = &self.behaviour.curve {
            return curve.arrival(job);
        }
        let (jobs, within, distance) = self.arrivals();
        u128::from(job / jobs) * u128::from(within) + u128::from(job % jobs) * u128::from(distance)
    }

    /// Jobs that can arrive from an instant up to and with `length` later.
    fn arrived(&self, length: u128) -> u128 {
        if let Some(curve) = &self.behaviour.curve {
            return curve.arrived(length);
        }
        let (jobs, within, distance) = self.arrivals();
        let (whole, rest) = (length / u128::from(within), length % u128::from(within));
        let begun = if distance == 0 { jobs.into() } else { (rest / u128::from(distance) + 1).min(jobs.into()) };
        whole * u128::from(jobs) + begun
    }

    /// Jobs that can arrive in an open interval of `length`.
    pub(crate) fn arrived_within(&self, length: u128) -> u128 {
        if length == 0 { 0 } else { self.arrived(length - 1) }
    }

    /// From this length of an interval on, arrivals repeat.
    pub(crate) fn settled(&self) -> u128 {
        self.behaviour.curve.as_ref().map_or(0, Curve::settled)
    }

    /// Jobs released in [0, `instant`), the first at 0 and as late as it may be.
    pub(crate) fn released_before(&self, instant: u128) -> u128 {
        if instant == 0 { 0 } else { self.arrived(instant + u128::from(self.task.jitter) - 1) }
    }

    /// Jobs released in [0, `instant`].
    pub(crate) fn released_through(&self, instant: u128) -> u128 {
        self.arrived(instant + u128::from(self.task.jitter))
    }

    /// Work of jobs that are released and due within an interval of `length`.
    pub(crate) fn due_within(&self, length: u128) -> u128 {
        match (length + u128::from(self.task.jitter)).checked_sub(self.task.deadline.into()) {
            Some(since) => self.arrived(since) * u128::from(self.task.cost),
            None => 0,
        }
    }
}

impl Behaviours {
    /// Refuses what no formula covers: of blocking, a supply and self-suspension more than one, and anything beside two criticalities.
    pub(crate) fn check(&self) -> Result<(), Rejected> {
        let blocks = |behaviour: &Behaviour| behaviour.longest > 0 || !behaviour.sections.is_empty();
        let blocked = self.of_tasks.iter().any(blocks);
        let covered = self.supply.is_none() || !blocked;
        applies(covered, "no test covers a supply together with non-preemptive parts or critical sections")?;
        let apart = !self.is_mixed() || self.has_criticality_only();
        applies(
            apart,
            "no test covers mixed criticality together with non-preemptive parts, critical sections, bursts, suspension or a supply",
        )?;
        let alone = !self.suspends() || self.supply.is_none() && !blocked;
        applies(
            alone,
            "no test covers self-suspension together with non-preemptive parts, critical sections or a supply",
        )
    }

    /// True if nothing departs from sporadic, independent and preemptable but criticality.
    pub(crate) fn has_criticality_only(&self) -> bool {
        self.supply.is_none() && self.of_tasks.iter().all(Behaviour::is_plain_or_critical)
    }

    /// True if some task is of high criticality.
    pub(crate) fn is_mixed(&self) -> bool {
        self.of_tasks.iter().any(|behaviour| behaviour.cost_high.is_some())
    }

    /// True if some task suspends itself.
    pub(crate) fn suspends(&self) -> bool {
        self.of_tasks.iter().any(|behaviour| behaviour.suspension > 0)
    }

    /// True if tasks lock resources under a protocol for several processors.
    pub(crate) fn crosses_processors(&self) -> bool {
        self.locking.crosses_processors() && self.has_sections()
    }

    /// True if some task has a critical section.
    pub(crate) fn has_sections(&self) -> bool {
        self.of_tasks.iter().any(|behaviour| !behaviour.sections.is_empty())
    }
}

/// How long the last of `level`, most urgent first, is blocked by those of `below` under fixed priorities.
pub(crate) fn blocked(level: &[Member<'_>], below: &[Member<'_>], locking: Locking) -> u128 {
    let reaches = |resource: u32| level.iter().any(|member| member.behaviour.uses(resource));
    let of = |member: &Member<'_>| {
        let sections = member.behaviour.sections.iter().filter(|(resource, ..)| reaches(*resource));
        sections.map(|(_, length, _)| u128::from(*length)).max().unwrap_or(0)
    };
    let part = below.iter().map(|member| u128::from(member.behaviour.longest)).max().unwrap_or(0);
    match locking {
        // Of protocols for several processors, only resources of one processor are left here, under SRP.
        Locking::Srp | Locking::Pcp | Locking::Msrp | Locking::Fmlp | Locking::Mpcp => {
            below.iter().map(of).max().unwrap_or(0).max(part)
        }
        Locking::Pip => {
            let by_task: u128 = below.iter().map(of).sum();
            let all = below.iter().flat_map(|member| &member.behaviour.sections);
            let mut sections: Vec<(u32, Ticks)> = all.map(|&(resource, length, _)| (resource, length)).collect();
            sections.retain(|(resource, _)| reaches(*resource));
            // Longest first within a resource, and of each the first.
            sections.sort_unstable_by(|a, b| (a.0, b.1).cmp(&(b.0, a.1)));
            sections.dedup_by_key(|(resource, _)| *resource);
            let by_resource: u128 = sections.iter().map(|(_, length)| u128::from(*length)).sum();
            by_task.min(by_resource) + part
        }
    }
}

/// What may have to be done within an interval of `length` under EDF with SRP; 0 where nothing is due.
pub(crate) fn demand(members: &[Member<'_>], length: u128) -> u128 {
    let all: u128 = members.iter().map(|member| member.due_within(length)).sum();
    let blocks = |blocker: &Member<'_>| {
        let others = all - blocker.due_within(length);
        let part = part_within(members, blocker, length);
        if u128::from(blocker.task.deadline) > length && part > 0 && others > 0 { others + part } else { 0 }
    };
    members.iter().map(blocks).max().unwrap_or(0).max(all)
}

fn part_within(members: &[Member<'_>], blocker: &Member<'_>, length: u128) -> u128 {
    let is_used = |resource: u32| {
        members.iter().any(|member| u128::from(member.task.deadline) <= length && member.behaviour.uses(resource))
    };
    let sections = blocker.behaviour.sections.iter().filter(|(resource, ..)| is_used(*resource));
    sections.map(|(_, length, _)| *length).max().unwrap_or(0).max(blocker.behaviour.longest).into()
}

/// The longest part or section of anybody.
pub(crate) fn longest(members: &[Member<'_>]) -> u128 {
    let of = |member: &Member<'_>| {
        let sections = member.behaviour.sections.iter().map(|(_, length, _)| *length);
        sections.max().unwrap_or(0).max(member.behaviour.longest)
    };
    members.iter().map(of).max().unwrap_or(0).into()
}

/// What is served in an interval at least: all of it, or with a supply what is left where a budget has just ended that was served
/// first in its period, and all that follow are served last in theirs. With bounded delay: the rate of what is left after the delay, in whole ticks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Served(pub Option<Supply>);

impl Served {
    /// The least in an interval of `length`.
    pub(crate) fn within(self, length: u128) -> u128 {
        match self.0 {
            None => length,
            Some(Supply::Periodic { budget, period }) => {
                let (budget, period) = (u128::from(budget), u128::from(period));
                // The rest of the first period is empty; then the last `budget` of each period is served.
                let rest = length.saturating_sub(period - budget);
                rest / period * budget + (rest % period).saturating_sub(period - budget)
            }
            Some(Supply::BoundedDelay { rate, delay }) => {
                let (rest, of) = (length.saturating_sub(delay.into()), rate.denominator());
                rest / of * rate.numerator() + rest % of * rate.numerator() / of
            }
        }
    }

    /// The least length in which `work` is served.
    pub(crate) fn by(self, work: u128) -> u128 {
        // What is served never falls as the length grows, and so much is enough for any work.
        let (all, delay) = match self.0 {
            None => (1, 0),
            Some(Supply::Periodic { period, .. }) => (u128::from(period), 0),
            Some(Supply::BoundedDelay { rate, delay }) => (rate.denominator(), u128::from(delay)),
        };
        let (mut below, mut enough) = (0, work.saturating_add(2).saturating_mul(all).saturating_add(delay));
        while below < enough {
            let middle = below + (enough - below) / 2;
            (below, enough) = if self.within(middle) < work { (middle + 1, enough) } else { (below, middle) };
        }
        enough
    }

    /// What is served in the long run.
    pub(crate) fn rate(self) -> Fraction {
        self.0.map_or(Fraction::whole(1u64), |supply| supply.rate().into())
    }

    /// After how long it repeats; with bounded delay it grows alike from any instant beyond the delay.
    pub(crate) fn period(self) -> u128 {
        match self.0 {
            Some(Supply::Periodic { period, .. }) => period.into(),
            None | Some(Supply::BoundedDelay { .. }) => 1,
        }
    }

    /// From this length of an interval on.
    pub(crate) fn settled(self) -> u128 {
        match self.0 {
            Some(Supply::BoundedDelay { delay, .. }) => delay.into(),
            None | Some(Supply::Periodic { .. }) => self.period(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::ratio::Ratio;

    #[test]
    fn what_is_served_is_counted_tick_by_tick() {
        for (budget, period) in (1..7).flat_map(|period| (1..=period).map(move |budget| (budget, period))) {
            let served = Served(Some(Supply::Periodic { budget, period }));
            // The first period has had its budget already; each later one has it last.
            let is_served =
                |tick: u64| tick >= period - budget && (tick - (period - budget)) % period >= period - budget;
            for length in 0..40 {
                let counted = (0..length).filter(|tick| is_served(*tick)).count() as u128;
                assert_eq!(served.within(length.into()), counted, "{budget}/{period} {length}");
                let first = (0..).find(|end| (0..*end).filter(|tick| is_served(*tick)).count() as u64 >= length);
                assert_eq!(Some(served.by(length.into())), first.map(u128::from), "{budget}/{period} {length}");
            }
        }
        assert_eq!((Served(None).within(9), Served(None).by(9)), (9, 9));
    }

    #[test]
    fn a_share_is_counted_in_parts_of_a_tick() {
        for (numerator, denominator) in (1..6u64).flat_map(|below| (1..=below).map(move |above| (above, below))) {
            let rate = Ratio::new(numerator.into(), denominator.into()).unwrap();
            for delay in 0..4 {
                let served = Served(Some(Supply::BoundedDelay { rate, delay }));
                // In each tick behind the delay, `numerator` parts are served of which `denominator` make a tick of work.
                let parts = |length: u64| length.saturating_sub(delay) * numerator;
                for length in 0..40 {
                    assert_eq!(served.within(length.into()), u128::from(parts(length) / denominator));
                    let first = (0..).find(|end| parts(*end) >= length * denominator);
                    assert_eq!(Some(served.by(length.into())), first.map(u128::from), "{rate} {delay} {length}");
                }
            }
        }
    }
}
