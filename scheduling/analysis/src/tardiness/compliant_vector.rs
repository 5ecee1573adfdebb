//! Response-time bounds for global schedulers that rank jobs by a fixed distance from their arrival: global EDF, global
//! fair lateness, and any other distance.
//!
//! Each task has a priority point; a job is the more urgent the earlier its arrival plus this distance. With Y_i the
//! distance less the smallest of them and S_i = C_i max(0, 1 - Y_i/T_i), no response time of task i exceeds
//! Y_i + C_i + s - C_i/m, where s solves
//!
//! sum of the K largest (u_i (s - C_i/m) + C_i - S_i), where positive + sum of all S_i = m s, K = ceil(U) - 1
//!
//! Erickson, Devi, Baruah, ECRTS 2010 ("compliant vectors"); Erickson and Anderson, ECRTS 2012 (fair lateness). D need not
//! be T. The left side less m s falls as s grows, since K u < m. All Y are whole, so multiplied by m both sides are sums of
//! C_i z / T_i with whole z; with sigma = m s,
//!
//! sum of the K largest u_i max(0, sigma - C_i + m min(T_i, Y_i)) + sum of u_i m max(0, T_i - Y_i) = m sigma.
//!
//! The theorem is about real time, so the bound holds for arrivals at any real instant. Rounded up to a tick it is still a bound,
//! and that needs sigma only rounded up. A float proposes it; exact comparisons then search around it.

use super::{NoBound, check_bounded};
use crate::exact::{Fraction, compare_sum};
use crate::{Task, TaskSet, Ticks};
use prazo_core::ratio::Ratio;
use std::cmp::Ordering;

/// How far from its arrival a job's priority point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Points {
    /// At the deadline: global EDF.
    Deadline,
    /// (m-1)/m of the cost before the deadline, rounded up to a whole tick: global fair lateness, whose bound on the
    /// largest lateness no other choice of points undercuts.
    FairLateness,
}

impl Points {
    /// The distance for `task` on `processors`. May lie before the arrival.
    fn of(self, task: &Task, processors: u32) -> i128 {
        let (cost, processors) = (i128::from(task.cost), i128::from(processors));
        match self {
            Self::Deadline => task.deadline.into(),
            Self::FairLateness => i128::from(task.deadline) - (processors - 1) * cost / processors,
        }
    }
}

/// A bound on the response time of each task, in ticks from arrival to completion.
pub fn compliant_vector(tasks: TaskSet<'_>, processors: u32, points: Points) -> Result<Vec<Ticks>, NoBound> {
    check_bounded(tasks, processors)?;
    let balance = Balance::new(tasks, processors, points)?;
    let sigma = balance.solve();
    Ok(balance.terms.iter().map(|term| term.response(sigma, processors)).collect())
}

/// What a task adds to both sums.
#[derive(Clone, Copy)]
struct Term {
    cost: u64,
    period: u64,
    /// Y.
    distance: u64,
}

/// The two sides of the equation.
struct Balance {
    terms: Vec<Term>,
    processors: u64,
    /// K.
    carried: usize,
    /// m S of each task, which no sigma changes.
    excess: Vec<Mixed>,
}

/// A number as whole part and a fraction below one.
type Mixed = (u128, Fraction);

/// Up to here a cost times sigma fits into 128 bits.
const SIGMA_MAX: u128 = 1 << 78;

impl Term {
    /// u z as a mixed number.
    fn share(&self, z: u128) -> Mixed {
        let product = u128::from(self.cost) * z;
        let period = u128::from(self.period);
        (product / period, ((product % period) as u64, self.period))
    }

    /// u max(0, sigma - C + m min(T, Y)): what the task carries into the window.
    fn carried(&self, sigma: u128, processors: u64) -> Mixed {
        let base = sigma + u128::from(processors) * u128::from(self.period.min(self.distance));
        self.share(base.saturating_sub(self.cost.into()))
    }

    /// u m max(0, T - Y): m S.
    fn excess(&self, processors: u64) -> Mixed {
        self.share(u128::from(processors) * u128::from(self.period.saturating_sub(self.distance)))
    }

    /// Y + C + ceil((sigma - C) / m); never below zero, for C >= C/m.
    fn response(&self, sigma: u128, processors: u32) -> Ticks {
        let (sigma, cost, processors) = (sigma as i128, i128::from(self.cost), i128::from(processors));
        let late = -(cost - sigma).div_euclid(processors);
        (i128::from(self.distance) + cost + late) as Ticks
    }
}

impl Balance {
    fn new(tasks: TaskSet<'_>, processors: u32, points: Points) -> Result<Self, NoBound> {
        let point = |task: &Task| points.of(task, processors);
        let earliest = tasks.iter().map(point).min().unwrap_or(0);
        let term =
            |task: &Task| Term { cost: task.cost, period: task.period, distance: (point(task) - earliest) as u64 };
        let terms: Vec<Term> = tasks.iter().map(term).collect();
        let excess = terms.iter().map(|term| term.excess(processors.into())).collect();
        let carried = tasks.utilization_ceil() as usize - 1;
        let balance = Self { terms, processors: processors.into(), carried, excess };
        if balance.sigma_limit() > SIGMA_MAX { Err(NoBound::TooLong) } else { Ok(balance) }
    }

    /// A sigma that is surely enough: a task adds at most m C to what does not grow with sigma, and m - K u >= 1.
    fn sigma_limit(&self) -> u128 {
        u128::from(self.processors) * self.terms.iter().map(|term| u128::from(term.cost)).sum::<u128>()
    }

    /// The smallest whole sigma at which the left side is not above the right.
    fn solve(&self) -> u128 {
        let limit = self.sigma_limit();
        let guess = (self.guess() as u128).min(limit);
        let (mut low, mut high, mut step) = (guess, guess, 1);
        while high < limit && !self.is_enough(high) {
            (low, high, step) = (high + 1, (high + step).min(limit), step * 2);
        }
        while low > 0 && self.is_enough(low - 1) {
            (high, low, step) = (low - 1, low.saturating_sub(step), step * 2);
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if self.is_enough(middle) { high = middle } else { low = middle + 1 }
        }
        low
    }

    /// About where the sides meet: the K tasks that carry most at the last guess give a line, and that the next guess.
    fn guess(&self) -> f64 {
        let processors = self.processors as f64;
        let whole: f64 = self.excess.iter().map(|(whole, rest)| *whole as f64 + rest.0 as f64 / rest.1 as f64).sum();
        let line = |term: &Term| {
            let utilization = term.cost as f64 / term.period as f64;
            (utilization, processors * term.period.min(term.distance) as f64 - term.cost as f64)
        };
        let mut lines: Vec<(f64, f64)> = self.terms.iter().map(line).collect();
        let mut sigma = 0.0;
        for _ in 0..8 {
            lines.sort_unstable_by(|a, b| (b.0 * (b.1 + sigma)).total_cmp(&(a.0 * (a.1 + sigma))));
            let carried = || lines.iter().take(self.carried).filter(|line| line.1 + sigma > 0.0);
            let constant: f64 = carried().map(|line| line.0 * line.1).sum::<f64>() + whole;
            let slope: f64 = carried().map(|line| line.0).sum();
            sigma = constant / (processors - slope);
        }
        sigma
    }

    fn is_enough(&self, sigma: u128) -> bool {
        let mut carried: Vec<Mixed> = self.terms.iter().map(|term| term.carried(sigma, self.processors)).collect();
        carried.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| compare_fractions(b.1, a.1)));
        carried.truncate(self.carried);
        let all = || carried.iter().chain(&self.excess);
        let whole: u128 = all().map(|mixed| mixed.0).sum();
        let Some(left) = (u128::from(self.processors) * sigma).checked_sub(whole) else { return false };
        // The fractions sum up to less than one for each term.
        left >= (carried.len() + self.excess.len()) as u128
            || compare_sum(all().map(|mixed| mixed.1), Ratio::whole(left as u64)) != Ordering::Greater
    }
}

fn compare_fractions(a: Fraction, b: Fraction) -> Ordering {
    (u128::from(a.0) * u128::from(b.1)).cmp(&(u128::from(b.0) * u128::from(a.1)))
}
