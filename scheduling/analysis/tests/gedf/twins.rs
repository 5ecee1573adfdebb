//! The formulas as they are printed, one line each, with fractions and without any haste; and for BCLI and RTA the same in
//! continuous time.

use super::fraction::{Fraction, max, min};
use prazo_analysis::gedf::Test;
use prazo_analysis::{Task, TimeModel};

/// What the formula of `test` says of `tasks` on `m` processors.
pub(crate) fn accepts(test: Test, tasks: &[Task], m: u32, time: TimeModel) -> bool {
    let in_reach = test == Test::Bak || tasks.iter().all(|task| task.deadline <= task.period);
    let possible = tasks.iter().all(|task| task.cost <= task.window());
    if !in_reach || !possible || utilization(tasks) > u64::from(m).into() {
        return false;
    }
    match test {
        Test::Gfb => gfb(tasks, m),
        Test::Bak => (0..tasks.len()).all(|k| bak(tasks, k, m)),
        Test::Bcl => (0..tasks.len()).all(|k| bcl(tasks, k, m)),
        Test::Bcli => rounds(tasks, usize::MAX, |k, slacks| bcli(tasks, k, slacks, Machine { m, time })),
        Test::Rta => rounds(tasks, 25, |k, slacks| rta(tasks, k, slacks, Machine { m, time })),
        _ => unreachable!("no twin here"),
    }
}

fn fraction(over: u64, under: u64) -> Fraction {
    Fraction::from(over) / under.into()
}

fn utilization(tasks: &[Task]) -> Fraction {
    tasks.iter().map(|task| fraction(task.cost, task.period)).sum()
}

/// m - (m - 1) part.
fn all_but(m: u32, part: Fraction) -> Fraction {
    Fraction::from(u64::from(m)) - Fraction::from(u64::from(m - 1)) * part
}

fn gfb(tasks: &[Task], m: u32) -> bool {
    let densities = || tasks.iter().map(|task| fraction(task.cost, task.window()));
    densities().sum::<Fraction>() <= all_but(m, densities().fold(0.into(), max))
}

fn bak(tasks: &[Task], k: usize, m: u32) -> bool {
    let (deadline, lambda) = (tasks[k].deadline, fraction(tasks[k].cost, tasks[k].window()));
    let beta = |task: &Task| {
        let share = fraction(task.cost, task.period);
        let before = fraction(task.period.saturating_sub(task.deadline), deadline);
        let carried = share.clone() * (Fraction::from(1) + before);
        if lambda < share {
            carried + (Fraction::from(task.cost) - lambda.clone() * task.period.into()) / deadline.into()
        } else {
            carried
        }
    };
    let sum: Fraction = tasks.iter().map(|task| min(1.into(), beta(task))).sum();
    sum <= all_but(m, lambda)
}

fn bcl(tasks: &[Task], k: usize, m: u32) -> bool {
    let spare = Fraction::from(1) - fraction(tasks[k].cost, tasks[k].deadline);
    let beta = |task: &Task| {
        let room = i128::from(tasks[k].deadline) - i128::from(task.deadline);
        let jobs = (room.div_euclid(task.period.into()) + 1).max(0) as u64;
        let rest = tasks[k].deadline.saturating_sub(jobs * task.period);
        fraction(jobs * task.cost + task.cost.min(rest), tasks[k].deadline)
    };
    let betas: Vec<Fraction> = others(tasks, k).map(|(_, task)| beta(task)).collect();
    let sum: Fraction = betas.iter().map(|beta| min(beta.clone(), spare.clone())).sum();
    let capacity = Fraction::from(u64::from(m)) * spare.clone();
    sum < capacity || sum == capacity && betas.iter().any(|beta| *beta > 0.into() && *beta <= spare)
}

fn others(tasks: &[Task], k: usize) -> impl Iterator<Item = (usize, &Task)> {
    tasks.iter().enumerate().filter(move |(index, _)| *index != k)
}

/// Raises slacks in place, task by task, until all values are at least 0, nothing grows, or the rounds are over.
fn rounds(tasks: &[Task], rounds: usize, value: impl Fn(usize, &[i128]) -> i128) -> bool {
    let mut slacks = vec![0; tasks.len()];
    for _ in 0..rounds {
        let (before, mut all) = (slacks.clone(), true);
        for k in 0..tasks.len() {
            let new = value(k, &slacks);
            all &= new >= 0;
            slacks[k] = slacks[k].max(new);
        }
        if all || before == slacks {
            return all;
        }
    }
    false
}

/// w_i of BCLI and RTA.
fn in_window(task: &Task, window: i128, slack: i128) -> i128 {
    let (cost, period) = (i128::from(task.cost), i128::from(task.period));
    window / period * cost + cost.min(0.max(window % period - slack))
}

/// What the tasks run on, and at which instants they may arrive.
#[derive(Clone, Copy)]
struct Machine {
    m: u32,
    time: TimeModel,
}

/// For how long a job is delayed at most by tasks with so much `work`, in a window that leaves them `laxity`.
fn delay(work: &[i128], laxity: i128, Machine { m, time }: Machine) -> i128 {
    let m = i128::from(m);
    let capped = |cap: i128| work.iter().map(|work| *work.min(&cap)).sum::<i128>();
    match time {
        TimeModel::Discrete => capped(laxity + 1) / m,
        TimeModel::Continuous => {
            let above = work.iter().filter(|work| **work > laxity).count() as i128;
            let waits = (capped(laxity) + m - 1) / m;
            if above < m { waits } else { waits.max(laxity + 1) }
        }
    }
}

fn bcli(tasks: &[Task], k: usize, slacks: &[i128], machine: Machine) -> i128 {
    let (cost, deadline) = (i128::from(tasks[k].cost), i128::from(tasks[k].deadline));
    let work: Vec<i128> = others(tasks, k).map(|(i, task)| in_window(task, deadline, slacks[i])).collect();
    let waits = delay(&work, deadline - cost, machine);
    deadline - cost - waits
}

fn rta(tasks: &[Task], k: usize, slacks: &[i128], machine: Machine) -> i128 {
    let (cost, deadline) = (i128::from(tasks[k].cost), i128::from(tasks[k].deadline));
    let mut response = cost;
    loop {
        let within = |(i, task): (usize, &Task)| {
            with_carry_in(task, response, slacks[i]).min(in_window(task, deadline, slacks[i]))
        };
        let work: Vec<i128> = others(tasks, k).map(within).collect();
        let next = cost + delay(&work, response - cost, machine);
        if next <= response || next > deadline {
            return deadline - next;
        }
        response = next;
    }
}

/// W_i(L) of RTA.
fn with_carry_in(task: &Task, length: i128, slack: i128) -> i128 {
    let (cost, period) = (i128::from(task.cost), i128::from(task.period));
    let x = length + i128::from(task.deadline) - cost - slack;
    x / period * cost + cost.min(x % period)
}
