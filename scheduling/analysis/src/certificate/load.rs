//! LOAD's points: dbf(t) <= B t, with B from the largest density (Baker, Baruah, Real-Time Systems 43, 2009).

use super::NoCertificate;
use super::demand_line::DemandLine;
use super::descent::{Look, points};
use crate::Task;
use crate::demand::total_demand_bound;
use crate::gedf::Test;
use prazo_core::ratio::Ratio;

const TEST: Test = Test::Load;

pub(super) fn evidence(tasks: &[Task], processors: u32) -> Result<String, NoCertificate> {
    let missing = NoCertificate::NotFoundAgain(TEST.name());
    let speed = served(tasks, processors).ok_or(missing)?;
    let highest = DemandLine::of(tasks).last_instant(speed).ok_or(missing)?;
    let lines = points(highest, |t| {
        let demand = total_demand_bound(tasks, t);
        let scaled = demand.saturating_mul(speed.denominator());
        Look::whole(demand, scaled.div_ceil(speed.numerator()))
    });
    lines.map(|lines| format!("test {TEST}\n{lines}")).map_err(|stopped| stopped.because(TEST.name()))
}

/// B = max(mu - (ceil(mu)-1) delta, (ceil(mu)-1) - (ceil(mu)-2) delta), mu = m - (m-1) delta, delta = p/q; `None`
/// unless above 0.
fn served(tasks: &[Task], processors: u32) -> Option<Ratio> {
    let densest = super::ffdbf::largest_density(tasks)?;
    let (p, q) = (densest.numerator() as i128, densest.denominator() as i128);
    let m = i128::from(processors);
    let mu = m * q - (m - 1) * p;
    let whole = (mu + q - 1).div_euclid(q) - 1;
    let best = (mu - whole * p).max(whole * q - (whole - 1) * p);
    Ratio::new(u128::try_from(best).ok()?, q.unsigned_abs()).filter(|speed| !speed.is_zero())
}
