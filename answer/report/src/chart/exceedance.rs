//! Exceedance curves: how many samples reach a latency, per served wake-up and per due activation.
//!
//! At a grid point x the count is that of all samples at or above x, exactly: thinning takes points away, it never shifts
//! one. A curve ends at its last known value; samples beyond it hold it up to there.

use super::axis::LatencyAxis;
use super::bins;
use super::distribution::Distribution;
use super::histogram::coarsest;
use super::line::Line;

/// The curves over common grid points.
#[derive(Clone, Debug, PartialEq)]
pub struct Exceedances {
    /// The grid points.
    pub x_ns: Vec<i64>,
    /// One for each line.
    pub lines: Vec<ExceedanceLine>,
}

/// The curves of one line.
#[derive(Clone, Debug, PartialEq)]
pub struct ExceedanceLine {
    /// What the legend says.
    pub label: String,
    /// Which colour it has; the same in all charts.
    pub colour: usize,
    /// Per served wake-up, or what [`Self::is_due`] says.
    pub served: Curve,
    /// True where `served` is per due activation, and no other curve is shown.
    pub is_due: bool,
    /// Per due activation, where that differs.
    pub due: Option<Curve>,
    /// What the curve per due activation leaves out.
    pub due_note: Option<String>,
}

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What the shares are shares of.
    pub total: u64,
    /// Samples beyond the curve's end, whose values are unknown.
    pub beyond: u64,
    /// Samples at or above each grid point; 0 where the curve has ended.
    pub reaching: Vec<u64>,
}

/// The exceedance curves of `lines` on `axis`.
pub fn exceedances(lines: &[Line], axis: &LatencyAxis) -> Exceedances {
    let x_ns = bins::edges(axis, bins::EXCEEDANCE_POINTS, coarsest(lines));
    let lines = lines.iter().map(|line| exceedance(line, &x_ns)).collect();
    Exceedances { x_ns, lines }
}

fn exceedance(line: &Line, x_ns: &[i64]) -> ExceedanceLine {
    let due = line.due.as_ref().map(|due| curve(due, x_ns));
    ExceedanceLine {
        label: line.label.clone(),
        colour: line.colour,
        served: curve(&line.served, x_ns),
        is_due: line.is_due,
        due,
        due_note: line.due_note.clone(),
    }
}

fn curve(distribution: &Distribution, x_ns: &[i64]) -> Curve {
    let last = distribution.span().map_or(i64::MIN, |(_, last)| last);
    let mut reaching: Vec<u64> = Vec::with_capacity(x_ns.len());
    let (mut above, mut cells) = (distribution.total(), distribution.cells.iter().peekable());
    for x in x_ns {
        while let Some((_, count)) = cells.next_if(|(value, _)| value < x) {
            above -= count;
        }
        reaching.push(if *x > last { 0 } else { above });
    }
    Curve { total: distribution.total(), beyond: distribution.beyond, reaching }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slow_reaching(distribution: &Distribution, x: i64) -> u64 {
        let last = distribution.cells.last().unwrap().0;
        let known: u64 = distribution.cells.iter().filter(|(value, _)| *value >= x).map(|(_, count)| count).sum();
        if x > last { 0 } else { known + distribution.beyond }
    }

    proptest! {
        #[test]
        fn a_curve_counts_exactly_what_reaches_each_point(
            cells in prop::collection::btree_map(-100i64..10_000, 1u64..1_000, 1..100),
            beyond in 0u64..10,
            x_ns in prop::collection::btree_set(-200i64..12_000, 1..50),
        ) {
            let distribution = Distribution { cells: cells.into_iter().collect(), beyond };
            let x_ns: Vec<i64> = x_ns.into_iter().collect();
            let curve = curve(&distribution, &x_ns);
            prop_assert!(curve.reaching.windows(2).all(|pair| pair[0] >= pair[1]), "it never rises");
            for (x, reaching) in x_ns.iter().zip(&curve.reaching) {
                prop_assert_eq!(*reaching, slow_reaching(&distribution, *x));
            }
        }
    }
}
