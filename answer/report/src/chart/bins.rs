//! Common bins for several distributions: equal in ratio, never finer than the coarsest source.
//!
//! Bins finer than a source's resolution would draw a comb that is not in the data, and unequal bins would compare counts
//! that cannot be compared; so all lines of one chart share these edges. Bins are `[edge, next edge)`, in nanoseconds.

use super::axis::LatencyAxis;

/// Bins for each decade in the overlaid histograms: fine enough for shape, coarse enough for a count to mean something.
pub const HISTOGRAM_BINS: u32 = 40;
/// Points for each decade of the exceedance curves.
pub const EXCEEDANCE_POINTS: u32 = 128;

/// Edges that cover the whole of `axis`, with up to `per_decade` bins a decade, all multiples of `resolution_ns`, ascending.
pub fn edges(axis: &LatencyAxis, per_decade: u32, resolution_ns: i64) -> Vec<i64> {
    let positive = one_side(axis, per_decade, resolution_ns.max(1));
    let mirrored = positive.iter().map(|edge| -edge);
    let all = positive.iter().copied().chain(mirrored).chain([0]).filter(|edge| inside(axis, *edge));
    let mut edges: Vec<i64> = all.chain([axis.low_ns, axis.high_ns]).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

fn inside(axis: &LatencyAxis, edge: i64) -> bool {
    axis.low_ns < edge && edge < axis.high_ns
}

/// The positive edges. Widths never shrink: alternating widths of one and two resolutions would draw a comb.
fn one_side(axis: &LatencyAxis, per_decade: u32, resolution_ns: i64) -> Vec<i64> {
    let reach = axis.high_ns.max(axis.low_ns.saturating_neg());
    let growth = 10f64.powf(1.0 / f64::from(per_decade)) - 1.0;
    let (mut edges, mut edge, mut width) = (Vec::new(), 0i64, resolution_ns.max(axis.linear_ns / 10));
    while edge < reach {
        edge = edge.saturating_add(width);
        edges.push(edge);
        if edge >= axis.linear_ns {
            width = width.max(rounded(edge as f64 * growth, resolution_ns));
        }
    }
    edges
}

fn rounded(width: f64, resolution_ns: i64) -> i64 {
    (width / resolution_ns as f64).round() as i64 * resolution_ns
}

/// How many samples lie in each bin; `cells` ascending by value. What lies outside the edges is counted in the outermost
/// bins, so that the counts always add up.
pub fn counts(edges: &[i64], cells: &[(i64, u64)]) -> Vec<u64> {
    let mut counts = vec![0; edges.len().saturating_sub(1)];
    let Some(last) = counts.len().checked_sub(1) else { return counts };
    let mut bin = 0;
    for (value, count) in cells {
        while bin < last && *value >= edges[bin + 1] {
            bin += 1;
        }
        counts[bin] += count;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn slow_counts(edges: &[i64], cells: &[(i64, u64)]) -> Vec<u64> {
        let within = |at: usize| {
            let holds = move |value: i64| edges[at] <= value && value < edges[at + 1];
            cells.iter().filter(move |(value, _)| holds(*value)).map(|(_, count)| count).sum()
        };
        (0..edges.len() - 1).map(within).collect()
    }

    proptest! {
        #[test]
        fn bins_lose_no_sample_and_agree_with_the_slow_way(
            cells in prop::collection::btree_map(-5_000i64..50_000_000, 1u64..1_000_000, 1..200),
            resolution in prop::sample::select(vec![1i64, 100, 1_000]),
            per_decade in 1u32..256,
        ) {
            let cells: BTreeMap<i64, u64> = cells.into_iter().map(|(v, c)| (v.div_euclid(resolution) * resolution, c)).collect();
            let cells: Vec<(i64, u64)> = cells.into_iter().collect();
            let axis = LatencyAxis::spanning(cells[0].0, cells[cells.len() - 1].0, resolution);
            let edges = edges(&axis, per_decade, resolution);
            prop_assert!(edges.is_sorted() && edges.windows(2).all(|pair| pair[0] < pair[1]));
            let counts = counts(&edges, &cells);
            prop_assert_eq!(counts.iter().sum::<u64>(), cells.iter().map(|(_, count)| count).sum::<u64>());
            prop_assert_eq!(counts, slow_counts(&edges, &cells));
        }
    }

    #[test]
    fn bins_are_no_finer_than_the_source() {
        let axis = LatencyAxis::spanning(14_000, 110_000, 1_000);
        let edges = edges(&axis, 256, 1_000);
        assert!(edges.windows(2).all(|pair| pair[1] - pair[0] >= 1_000), "{edges:?}");
    }

    #[test]
    fn ten_decades_stay_below_a_few_thousand_edges() {
        let axis = LatencyAxis::spanning(1, 10_000_000_000, 1);
        assert!(edges(&axis, EXCEEDANCE_POINTS, 1).len() < 1_400);
    }
}
