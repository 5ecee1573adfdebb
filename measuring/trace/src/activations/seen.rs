//! What was seen of one followed thread.

use super::account::{Account, Exact, Limits, Maxima};
use super::around::Around;
use super::culprit::{CauseKind, Culprit};
use super::parts::LatencyParts;
use super::rules::Tally;
use super::section::SectionAccount;
use super::taken::Taken;
use super::thread::{Late, Part, Thread};
use super::wait::{Clock, Rule};
use prazo_run::Histogram;
use prazo_run::watched::{MissCauses, TimeTaken};
use std::sync::Arc;

/// One followed thread, and its own wait.
#[derive(Clone, Debug)]
pub struct SeenThread {
    /// Tells it from every other thread of this watch, also from one of the same number.
    pub serial: u64,
    /// The thread.
    pub thread_id: u32,
    /// Its process.
    pub process_id: u32,
    /// Its name.
    pub name: String,
    /// True once it has ended.
    pub is_over: bool,
    /// Its kernel priority when it last waited: below 100 is real-time, and -1 a deadline's; `None` where it never did.
    pub priority: Option<i16>,
    /// Stretches off a processor whose records were lost.
    pub lost_stretches: u64,
    /// What it waits for; `None` where no wait came often enough to be a period.
    pub wait: Option<SeenWait>,
    /// The sections that it reached.
    pub sections: Vec<SeenSection>,
    /// Places that it reached and whose records were lost.
    pub lost_places: u64,
}

/// A section of the program as one thread passed it.
#[derive(Clone, Debug)]
pub struct SeenSection {
    /// Its place among the sections of the watch.
    pub number: usize,
    /// Begun again before it had ended.
    pub restarted: u64,
    /// Ended without having begun.
    pub unbegun: u64,
    /// The section as a wait that is due when it begins and is over when it ends: `response` is how long it took.
    pub passes: SeenWait,
    /// Of each rule about it, beginnings of which it is not known whether the end followed.
    pub unseen_of_rules: Vec<u64>,
}

/// The wait of a thread that is its period.
#[derive(Clone, Debug)]
pub struct SeenWait {
    /// Which of the thread's waits it is: the first that was seen is 0.
    pub number: usize,
    /// The last activation has begun and not ended.
    pub is_open: bool,
    /// The system call, as in `clock_nanosleep` or `epoll_wait(timerfd)`.
    pub call: String,
    /// How its due instants are found.
    pub rule: Rule,
    /// Their clock.
    pub clock: Clock,
    /// The given or found period; of a wait without due instants the usual distance.
    pub period_ns: Option<u64>,
    /// The deadline that is counted against; `None` where there is none.
    pub deadline_ns: Option<u64>,
    /// True where the deadline is the found period, which is a few ns off the program's own.
    pub is_deadline_found: bool,
    /// Activations that began.
    pub served: u64,
    /// Periods that the thread let pass.
    pub skipped: u64,
    /// Activations that ended behind their deadline; `None` without one.
    pub missed: Option<u64>,
    /// Activations of which it is not known when they began or ended.
    pub unseen: u64,
    /// 1 where an activation was under way, or its wait, when the watch began. It belongs to the time before the watch: it is
    /// neither served nor unseen. Where the thread was found later, or that wait ended more than a period after the watch
    /// began, it is unseen: it was due while prazo watched.
    pub under_way_at_start: u64,
    /// Activations that computed more than the budget.
    pub overruns: u64,
    /// From due to running.
    pub latency: Histogram,
    /// From due to the next wait.
    pub response: Histogram,
    /// Computing within one activation.
    pub own: Histogram,
    /// The largest of each, to the nanosecond; the histograms keep 16 significant bits.
    pub max: Maxima,
    /// The smallest and the sum of each, to the nanosecond.
    pub exact: Exact,
    /// It could have run and did not: how often, and for how long in all.
    pub preempted: (u64, u64),
    /// Blocked within activations, in all.
    pub blocked_ns: u64,
    /// It came to another processor.
    pub migrations: u64,
    /// Page faults that read nothing, and that read a file or swap.
    pub faults: (u64, u64),
    /// How each rule of the watch was kept, in its order.
    pub tallies: Vec<Tally>,
    /// Where the time of each latency went.
    pub parts: LatencyParts,
    /// Causes of the missed activations; `None` without a deadline.
    pub causes: Option<MissCauses>,
    /// What ran while the thread could have run, and what interrupted it.
    pub preempted_by: TimeTaken,
    /// What the thread was blocked in.
    pub blocked_in: TimeTaken,
    /// Activations for which the processors' events were read.
    pub with_events: u64,
    /// The worst activations, worst first.
    pub worst: Vec<WorstActivation>,
}

/// One of the worst activations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorstActivation {
    /// Its number among the served, from 0.
    pub number: u64,
    /// When it was due, on the wait's own clock.
    pub due_ns: i64,
    /// From due to running.
    pub latency_ns: u64,
    /// From due to the next wait, or to the end of the watch where it had not ended.
    pub response_ns: u64,
    /// True where it had not ended.
    pub is_unfinished: bool,
    /// True where it is known to have missed a deadline.
    pub is_late: bool,
    /// Who made it late.
    pub culprit: Culprit,
    /// What happened around it; only where that was asked for.
    pub around: Option<Arc<Around>>,
}

impl WorstActivation {
    pub(super) fn new(late: &Late, culprit: Culprit) -> Self {
        let activation = &late.activation;
        Self {
            number: activation.number,
            due_ns: activation.due_own_ns.unwrap_or_default(),
            latency_ns: activation.latency_ns(),
            response_ns: activation.response_ns(),
            is_unfinished: late.is_unfinished,
            is_late: late.is_late,
            culprit,
            around: None,
        }
    }
}

/// What was found out about what a thread does again and again.
#[derive(Clone, Copy, Default)]
pub(super) struct Found<'a> {
    pub worst: &'a [WorstActivation],
    /// `None` before an activation ended.
    pub taken: Option<&'a Taken>,
}

impl SeenThread {
    pub(super) fn of<'a>(thread: &Thread, limits: &Limits, found: &dyn Fn(Part) -> Found<'a>) -> Self {
        let section = |(number, section): (&usize, &SectionAccount)| SeenSection {
            number: *number,
            restarted: section.restarted,
            unbegun: section.unbegun,
            passes: SeenWait {
                number: *number,
                is_open: section.account.open.is_some(),
                ..wait(&section.account, 0, limits, found(Part::Section(*number)), &thread.name)
            },
            unseen_of_rules: (0..limits.rules.len()).map(|rule| thread.unseen_of_rule(rule)).collect(),
        };
        Self {
            serial: thread.serial,
            thread_id: thread.id,
            process_id: thread.process,
            name: thread.name.clone(),
            is_over: thread.is_over,
            priority: thread.priority,
            lost_stretches: thread.lost_offs,
            wait: thread.own().map(|place| {
                let account = &thread.accounts[place];
                let under_way_at_start = u64::from(is_of_before(thread, account.period_ns(limits)));
                let missing = u64::from(thread.first_return_ns.is_some()) - under_way_at_start;
                SeenWait {
                    number: place,
                    is_open: thread.is_over || account.open.is_some(),
                    under_way_at_start,
                    ..wait(account, missing, limits, found(Part::Wait(place)), &thread.name)
                }
            }),
            sections: thread.sections.iter().map(section).collect(),
            lost_places: thread.lost_places,
        }
    }
}

/// Whether what was under way when the thread began to be followed was due before the watch, as far as its period tells.
fn is_of_before(thread: &Thread, period_ns: Option<u64>) -> bool {
    let ends = thread.from_start_ns.zip(thread.first_return_ns);
    ends.is_some_and(|(from_ns, returned_ns)| {
        period_ns.is_none_or(|period| returned_ns <= from_ns.saturating_add(period))
    })
}

/// A program that is its own culprit has the name that it has now: many are named after they were started.
fn named(worst: &[WorstActivation], name: &str) -> Vec<WorstActivation> {
    let mut worst = worst.to_vec();
    let own = worst.iter_mut().filter(|one| one.culprit.cause == CauseKind::Program);
    own.for_each(|one| one.culprit.who = Some(name.to_owned()));
    worst
}

/// What its activations are counted against: nothing says when the next event is due, unless somebody does.
pub(super) fn deadline_ns(account: &Account, limits: &Limits) -> Option<u64> {
    match account.source.rule {
        Rule::Absolute | Rule::Timer => account.deadline_ns(limits),
        Rule::Event => limits.deadline_ns.or(limits.period_ns),
        Rule::Relative => None,
    }
}

fn wait(account: &Account, missing: u64, limits: &Limits, found: Found<'_>, name: &str) -> SeenWait {
    let has_grid = matches!(account.source.rule, Rule::Absolute | Rule::Timer);
    let period_ns = account.period_ns(limits);
    let deadline_ns = deadline_ns(account, limits);
    let on_grid = period_ns.filter(|_| has_grid);
    let missed = deadline_ns.and_then(|_| account.missed(limits));
    let nothing = Taken::default();
    let taken = found.taken.unwrap_or(&nothing);
    SeenWait {
        number: 0,
        is_open: false,
        call: account.source.wait.clone(),
        rule: account.source.rule,
        clock: account.source.clock,
        period_ns,
        deadline_ns,
        is_deadline_found: deadline_ns.is_some() && account.fixed_deadline_ns(limits).is_none(),
        served: account.served,
        skipped: on_grid.map_or(0, |period| account.grid.skipped(period)),
        missed,
        under_way_at_start: 0,
        unseen: missing
            + account.unseen
            + u64::from(account.is_gap)
            + on_grid.map_or(0, |period| account.grid.unseen(period)),
        overruns: account.overruns,
        latency: account.latency.clone(),
        response: account.response.clone(),
        own: account.own.clone(),
        max: account.max,
        exact: account.exact,
        preempted: (account.body.preemptions, account.body.preempted_ns),
        blocked_ns: account.body.blocked_ns,
        migrations: account.body.migrations,
        faults: account.faults,
        tallies: account.tallies.clone(),
        parts: account.parts.clone(),
        causes: missed
            .filter(|_| account.is_of_activations())
            .map(|missed| taken.causes(missed, account.recounted_ns(limits), name)),
        preempted_by: taken.preempted_by(),
        blocked_in: taken.blocked_in(),
        with_events: taken.with_events,
        worst: named(found.worst, name),
    }
}
