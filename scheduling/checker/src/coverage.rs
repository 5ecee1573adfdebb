//! Finitely many points that speak for every instant.
//!
//! Demand never falls as t grows, and neither does capacity. So if the demand at t is at most the capacity at some
//! earlier t', then for every instant between them: demand there <= demand at t <= capacity at t' <= capacity there. A
//! point t covers [t', t]. Points whose stretches touch, from a bound that the checker justifies down to 0, cover all
//! whole instants; between whole instants nothing changes, or changes so that the whole ones are the worst (see each
//! test).

use crate::certificate::Point;
use crate::rejected::{Rejected, consistent, show};
use prazo_core::ratio::Ratio;
use prazo_core::task::Ticks;

/// What the checker itself finds at a point.
pub(crate) struct DemandPoint {
    /// The demand there.
    pub demand: Ratio,
    /// The earliest instant whose capacity is as large as that demand.
    pub served_from: u128,
}

/// Shows that `points`, descending, cover every whole instant from the first one to 0.
pub(crate) fn show_covered(
    points: &[Point],
    mut look: impl FnMut(Ticks) -> Result<DemandPoint, Rejected>,
) -> Result<(), Rejected> {
    let mut open_below = None;
    for point in points {
        let reached = open_below.is_none_or(|below| u128::from(point.at) + 1 >= below);
        show(reached, || format!("no point of the certificate covers the instants just above {}", point.at))?;
        let found = look(point.at)?;
        consistent(found.demand == point.demand, || {
            format!(
                "the demand at instant {} is {}, not {} as in the certificate",
                point.at, found.demand, point.demand
            )
        })?;
        show(found.served_from <= point.at.into(), || {
            format!("the demand of {} exceeds the capacity at instant {}", found.demand, point.at)
        })?;
        open_below = Some(found.served_from);
    }
    show(open_below == Some(0), || "the points of the certificate do not cover the instants down to 0".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(list: &[(Ticks, u64)]) -> Vec<Point> {
        list.iter().map(|&(at, demand)| Point { at, demand: Ratio::whole(demand) }).collect()
    }

    /// Demand 3 from 5 on, 0 before; capacity t.
    fn steps(t: Ticks) -> Result<DemandPoint, Rejected> {
        let demand = if t >= 5 { 3 } else { 0 };
        Ok(DemandPoint { demand: Ratio::whole(demand), served_from: demand.into() })
    }

    #[test]
    fn stretches_that_touch_cover_everything() {
        assert_eq!(show_covered(&points(&[(9, 3), (2, 0)]), steps), Ok(()));
    }

    #[test]
    fn a_gap_a_wrong_demand_or_an_open_end_is_rejected() {
        for list in [&[(9, 3), (1, 0)][..], &[(9, 4), (2, 0)], &[(9, 3)], &[], &[(9, 3), (2, 3)]] {
            assert!(show_covered(&points(list), steps).is_err(), "{list:?}");
        }
    }
}
