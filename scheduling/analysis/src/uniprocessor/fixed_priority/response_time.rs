//! Response times under fixed priorities: exact for any deadlines, with release jitter.
//!
//! The longest response of task i belongs to a busy window that starts when it and all tasks above it are released
//! together, as late as they may. Its job q, from 0, ends within the window at the least
//!
//! ```text
//! w(q) = (q + 1) C_i + sum over j above i of ceil((w(q) + J_j)/T_j) C_j        R_i = max over q of w(q) + J_i - q T_i
//! ```
//!
//! and the window goes on as long as w(q) + J_i > (q + 1) T_i. Joseph, Pandya, Computer Journal 29(5), 1986; Audsley et
//! al., Software Engineering Journal 8(5), 1993 (jitter); Lehoczky, RTSS 1990, and Tindell, Burns, Wellings, Real-Time
//! Systems 6, 1994 (deadlines beyond the period). What must not exceed D is R = w + J, not w.

use crate::answer::{MissedJob, Reason, Response};
use crate::budget::Spent;
use crate::exact::compare_sum;
use crate::hyperperiod::hyperperiod;
use crate::uniprocessor::priority::PriorityOrder;
use crate::{Budget, Finding, Margin, Quantity, TaskSet, Verdict};
use prazo_core::ratio::Ratio;
use prazo_core::task::{Task, Ticks};

const NAME: &str = "response time";

/// Proven or Disproven for `tasks` under `order`, unless the budget ends first.
///
/// The margin is that of the task whose response comes closest to its deadline, in proportion. A disproof names the job;
/// with jitter its instants count from the first arrival of its task, released J later together with the tasks above.
pub fn test(tasks: TaskSet<'_>, order: &PriorityOrder, budget: &mut Budget) -> Finding {
    let before = budget.spent();
    let mut finding = decide(tasks, order, budget, |_| {}).unwrap_or_else(|Spent| Finding::budget_spent(NAME, 0));
    finding.work = budget.spent() - before;
    finding
}

/// The same, and where it is Proven also R of each task in that order, as [`response_times`] would find them.
pub(crate) fn test_with_responses(
    tasks: TaskSet<'_>,
    order: &PriorityOrder,
    budget: &mut Budget,
) -> (Finding, Option<Vec<Option<Ticks>>>) {
    let before = budget.spent();
    let mut responses = Vec::with_capacity(tasks.len());
    let found = decide(tasks, order, budget, |time| responses.push(Some(time)));
    let mut finding = found.unwrap_or_else(|Spent| Finding::budget_spent(NAME, 0));
    finding.work = budget.spent() - before;
    let responses = finding.is_proven().then_some(responses);
    (finding, responses)
}

fn decide(
    tasks: TaskSet<'_>,
    order: &PriorityOrder,
    budget: &mut Budget,
    mut note: impl FnMut(Ticks),
) -> Result<Finding, Spent> {
    let arranged = order.arrange(&tasks);
    let mut closest: Option<(usize, Ticks)> = None;
    let mut earliest = 0;
    for (place, index) in order.indices().iter().enumerate() {
        match response_after(&arranged[place], &arranged[..place], &mut earliest, budget)? {
            Response::Within(time) => {
                note(time);
                if closest.is_none_or(|other| is_closer(&tasks, (*index, time), other)) {
                    closest = Some((*index, time));
                }
            }
            Response::Beyond { job, at_least } => return Ok(missed(&tasks[*index], *index, job, at_least)),
        }
    }
    let margin = closest.map(|(index, time)| margin(&tasks[index], u128::from(time)));
    Ok(Finding::proven(NAME, closest.map(|(index, _)| index), margin, 0))
}

/// True if the first task's response takes more of its deadline than the second's.
fn is_closer(tasks: &[Task], (a, of_a): (usize, Ticks), (b, of_b): (usize, Ticks)) -> bool {
    u128::from(of_a) * u128::from(tasks[b].deadline) > u128::from(of_b) * u128::from(tasks[a].deadline)
}

fn margin(task: &Task, response: u128) -> Margin {
    Margin { demand: response as f64, capacity: task.deadline as f64, of: Quantity::ResponseTime }
}

fn missed(task: &Task, index: usize, job: u64, at_least: u128) -> Finding {
    // `response` has seen that this deadline fits.
    let arrival = job * task.period;
    let reason = Reason::Missed(MissedJob { task: index, job, arrival, deadline: arrival + task.deadline });
    let margin = Some(margin(task, at_least));
    Finding { test: NAME, verdict: Verdict::Disproven, task: Some(index), margin, reason, mode: None, work: 0 }
}

/// R of each task, given in the order of their priorities; `None` where it exceeds the deadline.
pub fn response_times(in_priority_order: TaskSet<'_>, budget: &mut Budget) -> Result<Vec<Option<Ticks>>, Spent> {
    let tasks = in_priority_order.tasks();
    let mut earliest = 0;
    let within = |place: usize| match response_after(&tasks[place], &tasks[..place], &mut earliest, budget)? {
        Response::Within(time) => Ok(Some(time)),
        Response::Beyond { .. } => Ok(None),
    };
    (0..tasks.len()).map(within).collect()
}

/// How long a job of `task` can take below `higher`, whose order does not matter.
pub(crate) fn response(task: &Task, higher: &[Task], budget: &mut Budget) -> Result<Response, Spent> {
    response_after(task, higher, &mut 0, budget)
}

/// The same where the first job of the last of `higher` ends at `earliest` at the earliest, in its own busy window; afterwards that is said
/// of this task.
///
/// With w = w(0) of this task and C its cost, w - C is at least what the equation of the task before asks of w - C, because that task
/// has a job in the window and nothing falls as the window grows. A number that is at least what an equation asks of it is not below
/// the least solution. So w(0) is at least C more than that of the task before, and the search starts there.
fn response_after(task: &Task, higher: &[Task], earliest: &mut u128, budget: &mut Budget) -> Result<Response, Spent> {
    let (mut longest, mut window, mut last) = (0, *earliest, u64::MAX);
    for job in 0.. {
        let arrival = u128::from(job) * u128::from(task.period);
        // The window starts J after the first arrival; a job may be due before it is released.
        let due = (arrival + u128::from(task.deadline)).saturating_sub(u128::from(task.jitter));
        Ticks::try_from(arrival + u128::from(task.deadline)).map_err(|_| Spent)?;
        let from = window;
        window = completion(task, higher, Completion { job, from, due }, budget)?;
        if window > due && job == 0 && from > 0 {
            // How late it is said to be must not depend on where the search started.
            window = completion(task, higher, Completion { job, from: 0, due }, budget)?;
        }
        if job == 0 {
            // Where the search ended early, this is what it has shown.
            *earliest = window;
        }
        let time = window + u128::from(task.jitter) - arrival;
        if time > u128::from(task.deadline) {
            return Ok(Response::Beyond { job, at_least: time });
        }
        longest = longest.max(time as Ticks);
        if job == 1 {
            last = last_job(task, higher, budget)?;
        }
        if time <= u128::from(task.period) || job == last {
            break;
        }
    }
    Ok(Response::Within(longest))
}

/// When does job `job` of a busy window end? Not before `from`, where the job before it ends; beyond `due` it does not
/// matter.
struct Completion {
    job: u64,
    from: u128,
    due: u128,
}

/// w(q), or a time beyond `due` that it does not come before.
fn completion(task: &Task, higher: &[Task], wanted: Completion, budget: &mut Budget) -> Result<u128, Spent> {
    let own = (u128::from(wanted.job) + 1) * u128::from(task.cost);
    let mut window = own.max(wanted.from + u128::from(task.cost));
    while window <= wanted.due {
        budget.spend(higher.len() as u64 + 1)?;
        let now = window as Ticks; // `due` is the time of a deadline, which the caller has seen to fit
        window = own + higher.iter().map(|other| requested(other, now)).sum::<u128>();
        if window == u128::from(now) {
            break;
        }
    }
    Ok(window)
}

/// ceil((w + J)/T) C: work released in the first `window` ticks of a busy window.
fn requested(task: &Task, window: Ticks) -> u128 {
    let count = match window.checked_add(task.jitter) {
        Some(length) => u128::from(length.div_ceil(task.period)),
        None => (u128::from(window) + u128::from(task.jitter)).div_ceil(u128::from(task.period)),
    };
    count * u128::from(task.cost)
}

/// The last job that can respond worse than those before it, where the busy window alone might never end.
///
/// With U = 1 and jitter it never does. But if U <= 1, then w(q + H/T) <= w(q) + H for the hyperperiod H, so that H/T
/// jobs suffice; and if U > 1, some job exceeds the deadline.
fn last_job(task: &Task, higher: &[Task], budget: &mut Budget) -> Result<u64, Spent> {
    budget.spend(higher.len() as u64 + 1)?;
    let level: Vec<Task> = higher.iter().chain([task]).copied().collect();
    let at_most_one = compare_sum(level.iter().map(|task| (task.cost, task.period)), Ratio::ONE).is_le();
    Ok(hyperperiod(&level).filter(|_| at_most_one).map_or(u64::MAX, |multiple| multiple / task.period))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One after the other from where the one before ended, against each from its own cost.
    #[test]
    fn where_the_search_starts_changes_no_response() {
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut within, mut beyond) = (0, 0);
        for _ in 0..20_000 {
            let longest = [4, 30, 1_000, 1 << 48][random.usize(0..4)];
            let share = random.u64(1..8);
            let (is_late, has_jitter) = (random.bool(), random.bool());
            let mut task = |_| {
                let period = random.u64(1..=longest);
                let cost = random.u64(1..=(period / share).max(1));
                let deadline = random.u64(1..=if is_late { (2 * period).min(1 << 48) } else { period });
                let jitter = if has_jitter { random.u64(0..=period / 4) } else { 0 };
                Task { jitter, ..Task::new(cost, period, deadline) }
            };
            let tasks: Vec<Task> = (0..6).map(&mut task).collect();
            let budget = || Budget::new(20_000);
            let mut earliest = 0;
            for place in 0..tasks.len() {
                let (of, higher) = (&tasks[place], &tasks[..place]);
                let Ok(plainly) = response(of, higher, &mut budget()) else { break };
                let after = response_after(of, higher, &mut earliest, &mut budget());
                assert_eq!(after, Ok(plainly), "{tasks:?} at {place}");
                match plainly {
                    Response::Within(_) => within += 1,
                    Response::Beyond { .. } => beyond += 1,
                }
            }
        }
        assert!(within > 10_000 && beyond > 1_000, "{within} within, {beyond} beyond");
    }

    #[test]
    fn the_test_gives_the_response_times_that_are_asked_for_alone() {
        let tasks = [Task::implicit(1, 4), Task::implicit(2, 6), Task::new(3, 20, 30)];
        let (set, order) = (TaskSet::new(&tasks).unwrap(), PriorityOrder::as_given(3));
        let (finding, responses) = test_with_responses(set, &order, &mut Budget::unlimited());
        assert_eq!(finding, test(set, &order, &mut Budget::unlimited()));
        assert_eq!(responses, Some(response_times(set, &mut Budget::unlimited()).unwrap()));
        let late = [Task::implicit(3, 4), Task::implicit(3, 6)];
        let (set, order) = (TaskSet::new(&late).unwrap(), PriorityOrder::as_given(2));
        assert_eq!(test_with_responses(set, &order, &mut Budget::unlimited()).1, None);
    }
}
