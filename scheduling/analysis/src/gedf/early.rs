//! BCLI's condition by straight lines: one pass over the tasks a round, where the condition itself takes one for each task.
//!
//! With a slack of s, the most work of a task in a window D lies below a line, since C <= D - s and D <= T:
//!
//! ```text
//! w(D) = floor(D/T) C + min(C, max(0, (D mod T) - s))  <=  u D + b,    b = C - u (s + C)
//! ```
//!
//! The difference w(D) - u D is largest where D mod T = s + C, and there it is b. So all others together have at most S = D sum u + sum b.
//! If S <= m (D - C), then no m of them exceed D - C, and the response time is at most C + ceil(S/m), in both time models. RTA's is not
//! longer: its terms are at most those of BCLI, so that its least fixed point is not beyond a window in which these are served.
//!
//! So whoever assumes no more slack of the others than a test does, and finds a task served here, finds what the test finds there.
//! The other way round nothing follows.

use super::divisor::Divisor;
use crate::{Task, TaskSet, Ticks};

/// Bits behind the point of a utilization.
const SHIFT: u32 = 32;

/// As many rounds as are tried; fewer than those of RTA. Most sets that are proven here need two or three.
const ROUNDS: usize = 8;

/// A task and the line above its work.
#[derive(Clone, Copy)]
struct Line {
    cost: Ticks,
    laxity: Ticks,
    /// u rounded down, in units of 2^-SHIFT; one more is above u.
    utilization: u64,
    slack: Ticks,
    /// b, rounded up.
    intercept: Ticks,
}

impl Line {
    fn new(task: &Task) -> Self {
        let Task { cost, period, deadline, .. } = *task;
        let utilization = match cost >> (64 - SHIFT) {
            0 => (cost << SHIFT) / period,
            _ => ((u128::from(cost) << SHIFT) / u128::from(period)) as u64,
        };
        let intercept = intercept(cost, utilization, 0);
        Self { cost, laxity: deadline - cost, utilization, slack: 0, intercept }
    }
}

/// C - u (s + C), rounded up; not below zero, since s + C <= D <= T.
#[inline]
fn intercept(cost: Ticks, utilization: u64, slack: Ticks) -> Ticks {
    cost - ((u128::from(utilization) * u128::from(slack + cost)) >> SHIFT) as Ticks
}

/// All tasks, with the sums that each response time needs.
struct Lines {
    lines: Vec<Line>,
    /// Sum of all u, rounded up.
    utilization: u64,
    /// Sum of all b.
    intercepts: u64,
    processors: u32,
    by_processors: Divisor,
}

impl Lines {
    /// Tasks with C <= D <= T, without any slack; `None` if U may exceed m.
    fn new(tasks: TaskSet<'_>, processors: u32) -> Option<Self> {
        let lines: Vec<Line> = tasks.iter().map(Line::new).collect();
        // At most 2^16 tasks, with u <= 1 in units of 2^-32 and b <= C (1 - C/T) + 1 <= 2^46 + 1: neither sum overflows.
        let utilization: u64 = lines.iter().map(|line| line.utilization + 1).sum();
        let intercepts: u64 = lines.iter().map(|line| line.intercept).sum();
        let is_within = utilization <= u64::from(processors) << SHIFT;
        // Not zero then.
        is_within.then(|| Self {
            lines,
            utilization,
            intercepts,
            processors,
            by_processors: Divisor::new(processors.into()),
        })
    }

    /// The slack that a task has at least; `None` where lines do not show that it has any.
    #[inline]
    fn served(&self, index: usize) -> Option<Ticks> {
        let Line { cost, laxity, utilization, intercept, .. } = self.lines[index];
        let slope = u128::from(self.utilization - utilization - 1) * u128::from(laxity + cost);
        let work = (slope >> SHIFT) + 1 + u128::from(self.intercepts - intercept);
        // A long sum is left to the test itself, which keeps the dividend short.
        if work > (u128::from(self.processors) * u128::from(laxity)).min(1 << 62) {
            return None;
        }
        let (delay, rest) = self.by_processors.divide(work as u64);
        Some(laxity - delay - u64::from(rest > 0))
    }

    fn set_slack(&mut self, index: usize, slack: Ticks) {
        let line = &mut self.lines[index];
        self.intercepts -= line.intercept;
        line.slack = slack;
        line.intercept = intercept(line.cost, line.utilization, slack);
        self.intercepts += line.intercept;
    }
}

/// True only if BCLI and RTA both prove `tasks`. Each task must have C <= D <= T. The result also shows that U <= m. It costs one
/// pass over the tasks for each round.
///
/// The rounds are those of [`super::slack::iterate`], and no slack is above the one there: so a round that serves every task here
/// does so there.
pub(super) fn proves(tasks: TaskSet<'_>, processors: u32) -> bool {
    let Some(mut all) = Lines::new(tasks, processors) else { return false };
    for _ in 0..ROUNDS {
        let (mut are_served, mut grew) = (true, false);
        for index in 0..all.lines.len() {
            match all.served(index) {
                Some(slack) if slack > all.lines[index].slack => {
                    all.set_slack(index, slack);
                    grew = true;
                }
                Some(_) => {}
                None => are_served = false,
            }
        }
        if are_served || !grew {
            return are_served;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::slack::Member;
    use super::*;

    /// D <= T, light and heavy, in ticks of every size.
    fn random_task(random: &mut fastrand::Rng) -> Task {
        let longest = [3, 12, 100, 33_000, 1 << 33, 1 << 48][random.usize(0..6)];
        let period = random.u64(1..=longest);
        let most = (period >> random.u32(0..8)).max(1);
        let cost = random.u64(1..=most);
        Task::new(cost, period, random.u64(cost..=period))
    }

    #[test]
    fn no_work_lies_above_its_line() {
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..20_000 {
            let task = random_task(&mut random);
            let member = Member::all(TaskSet::new(&[task]).unwrap())[0];
            let mut line = Line::new(&task);
            line.slack = random.u64(0..=line.laxity);
            let b = intercept(task.cost, line.utilization, line.slack);
            let on_line =
                |window: Ticks| ((u128::from(line.utilization + 1) * u128::from(window)) >> SHIFT) + 1 + u128::from(b);
            let jobs = random.u64(0..4) * task.period;
            for window in [jobs, jobs + line.slack, jobs + line.slack + task.cost, random.u64(0..=1 << 48)] {
                let work = u128::from(member.work_within(window, line.slack));
                assert!(work <= on_line(window), "{task:?} with slack {} in {window}", line.slack);
            }
        }
    }

    #[test]
    fn the_longest_times_there_are_do_not_overflow() {
        let long = 1 << 48;
        for cost in [1, long / 2, long] {
            let tasks = vec![Task::implicit(cost, long); 300];
            assert!(!proves(TaskSet::new(&tasks).unwrap(), 1) || cost == 1);
            let _ = proves(TaskSet::new(&tasks).unwrap(), u32::MAX);
        }
    }
}
