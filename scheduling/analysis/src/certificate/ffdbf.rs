//! A speed sigma and points for FF-DBF (Baruah, Bonifaci, Marchetti-Spaccamela, Stiller, ECRTS 2009).
//!
//! For a fixed t the demand less the capacity is convex in sigma. So where it is above 0 at the least speed that is
//! still possible, it is so for all speeds up to where its tangent meets 0: that is the next least. Where the tangent
//! does not fall there is no speed.

use super::NoCertificate;
use super::demand_line::DemandLine;
use super::descent::{Look, Stopped, points};
use crate::gedf::Test;
use crate::{Task, Ticks};
use prazo_core::ratio::Ratio;

const TEST: Test = Test::FfDbf;
/// Speeds tried before the search ends.
const SPEEDS_MAX: usize = 1_000;
/// Speeds are rounded up to a fraction of this.
const GRAIN: u128 = 1 << 40;
/// Denominators that the checker reads.
const UNDER_MAX: u128 = 1 << 48;

pub(super) fn evidence(tasks: &[Task], processors: u32) -> Result<String, NoCertificate> {
    let missing = NoCertificate::NotFoundAgain(TEST.name());
    let (line, mut sigma) = (DemandLine::of(tasks), largest_density(tasks).ok_or(missing)?);
    for _ in 0..SPEEDS_MAX {
        let speed = served(processors, sigma).ok_or(missing)?;
        let highest = line.last_instant(speed).ok_or(missing)?;
        match points(highest, |t| look(tasks, t, sigma, speed)) {
            Ok(lines) => return Ok(format!("test {TEST}\nspeed {sigma}\n{lines}")),
            Err(Stopped::At(t)) => sigma = next_speed(tasks, processors, sigma, t).ok_or(missing)?,
            Err(stopped) => return Err(stopped.because(TEST.name())),
        }
    }
    Err(missing)
}

/// The largest C/min(D,T); `None` without tasks.
pub(super) fn largest_density(tasks: &[Task]) -> Option<Ratio> {
    tasks.iter().filter_map(|task| Ratio::new(task.cost.into(), task.window().into())).max()
}

/// m - (m-1) sigma; `None` if sigma is above 1.
fn served(processors: u32, sigma: Ratio) -> Option<Ratio> {
    let under = sigma.denominator();
    let left = u128::from(processors) * under - u128::from(processors - 1) * sigma.numerator();
    Ratio::new(left, under).filter(|_| sigma <= Ratio::ONE)
}

fn look(tasks: &[Task], t: Ticks, sigma: Ratio, speed: Ratio) -> Look {
    let scaled: u128 = tasks.iter().map(|task| forced_forward(task, t, sigma)).sum();
    let left = speed.numerator() * (sigma.denominator() / speed.denominator());
    Look { demand: Ratio::new(scaled, sigma.denominator()).unwrap_or_default(), served_from: scaled.div_ceil(left) }
}

/// ff(t, sigma) times sigma's denominator: q C + max(0, C - (D - r) sigma), q = floor(t/T), r = t mod T.
fn forced_forward(task: &Task, t: Ticks, sigma: Ratio) -> u128 {
    let cost = u128::from(task.cost) * sigma.denominator();
    let missing = u128::from(task.deadline.saturating_sub(t % task.period)) * sigma.numerator();
    u128::from(t / task.period) * cost + cost.saturating_sub(missing)
}

/// Where the tangent of the excess at `t` meets 0; `None` if it does not fall.
fn next_speed(tasks: &[Task], processors: u32, sigma: Ratio, t: Ticks) -> Option<Ratio> {
    let (over, under) = (sigma.numerator() as i128, sigma.denominator() as i128);
    let demand: u128 = tasks.iter().map(|task| forced_forward(task, t, sigma)).sum();
    let capacity = i128::from(processors) * under - i128::from(processors - 1) * over;
    let excess = i128::try_from(demand).ok()?.checked_sub(capacity.checked_mul(t.into())?)?;
    let ramps = tasks.iter().map(|task| ramp(task, t, sigma)).sum::<i128>();
    let fall = ramps - i128::from(processors - 1) * i128::from(t);
    let step = Ratio::new(excess.try_into().ok()?, u128::try_from(fall).ok()?)?.checked_div(Ratio::whole(1))?;
    let next = sigma.checked_add(Ratio::new(step.numerator(), step.denominator().checked_mul(under as u128)?)?)?;
    if next.denominator() <= UNDER_MAX {
        return Some(next);
    }
    let scaled = next.checked_mul(Ratio::new(GRAIN, 1)?)?;
    Ratio::new(scaled.ceil(), GRAIN)
}

/// How fast a task's forced demand at `t` falls as sigma grows: D - r on its ramp, else 0.
fn ramp(task: &Task, t: Ticks, sigma: Ratio) -> i128 {
    let rest = task.deadline.saturating_sub(t % task.period);
    let on_ramp = u128::from(rest) * sigma.numerator() < u128::from(task.cost) * sigma.denominator();
    if on_ramp { rest.into() } else { 0 }
}
