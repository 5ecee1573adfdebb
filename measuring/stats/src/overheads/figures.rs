//! The figures of each kind of overhead in one run.

use prazo_core::text::counted;
use prazo_run::overheads::{Mark, Marked, TracedKind};
use prazo_run::run::Quantity;
use prazo_run::{Histogram, Run};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// One kind of overhead with one number of tasks, all processors together. A figure that was not measured is null.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct KindFigures {
    /// The kind of overhead.
    pub kind: Quantity,
    /// Number of tasks that ran.
    pub n_tasks: u32,
    /// Number of pairs of stamps that were not excluded and lie within the histogram; each pair is one sample.
    pub count: u64,
    /// The mean of the counted samples; too small where some pairs exceed the histogram.
    pub mean_ns: Option<f64>,
    /// The median of all pairs that were not excluded; of an even number, the higher of the middle two.
    pub median_ns: Option<u64>,
    /// The largest overhead; null where some pairs exceed the histogram.
    pub max_ns: Option<u64>,
    /// The largest overhead without the eight largest samples (Vitor 2013 dropped 2 to 8); null where more exceed the histogram.
    pub max_less_8_ns: Option<u64>,
    /// The largest overhead without the largest 1 % of samples (as the predecessors of Vitor 2013 did); null where more exceed the
    /// histogram.
    pub max_less_1_percent_ns: Option<u64>,
    /// Number of excluded pairs of stamps.
    pub marked: u64,
    /// The excluded pairs of stamps by reason: their number and the longest.
    pub marked_by: BTreeMap<Mark, Marked>,
    /// Cost of a stamp, which every pair contains: the median time between two consecutive stamps.
    pub stamp_ns: Option<u64>,
    /// The two trace points between which the pairs lie; null where the kind of overhead is not traced.
    pub between: Option<String>,
    /// Why the figures, or only the maximum, are missing; null where none is missing.
    pub why_not: Option<String>,
}

/// Every kind of a run, in the order in which it was traced; none where nothing was.
pub fn figures_of(run: &Run) -> Vec<KindFigures> {
    let traced = run.overheads.as_ref();
    traced.map_or(Vec::new(), |traced| traced.kinds.iter().map(|kind| of_kind(run, kind, traced.tasks)).collect())
}

/// Every kind of a run whose overheads prazo did not trace, such as one of a serial line: its series are between `between`, and
/// `n_tasks` ran.
pub fn figures_of_series(run: &Run, n_tasks: u32, between: &str) -> Vec<KindFigures> {
    let kind = |quantity| TracedKind {
        quantity,
        between: between.to_owned(),
        untraced: None,
        marked: BTreeMap::new(),
        stamp_ns: None,
    };
    let has = |quantity: &Quantity| run.of(*quantity).next().is_some();
    let stamp_ns = of_kind(run, &kind(Quantity::StampCost), n_tasks).median_ns;
    let found = Quantity::VALUES.iter().copied().filter(|quantity| quantity.is_overhead()).filter(has);
    let costing = |quantity| TracedKind { stamp_ns, ..kind(quantity) };
    found.map(|quantity| of_kind(run, &costing(quantity), n_tasks)).collect()
}

impl KindFigures {
    /// The figures of both together, if the samples of the two are of one kind and one number of tasks. What cannot be computed
    /// from the figures alone is null.
    #[must_use]
    pub fn joined(self, other: Self) -> Self {
        let (of_self, of_other) = (self.count as f64, other.count as f64);
        let means = self.mean_ns.zip(other.mean_ns);
        let mean_ns = means.map(|(one, another)| (one * of_self + another * of_other) / (of_self + of_other));
        let is_known = |figures: &Self| figures.count == 0 || figures.max_ns.is_some();
        let are_known = is_known(&self) && is_known(&other);
        let mut marked_by = self.marked_by;
        for (mark, more) in other.marked_by {
            let all = marked_by.entry(mark).or_default();
            *all = Marked { count: all.count + more.count, max_ns: all.max_ns.max(more.max_ns) };
        }
        Self {
            kind: self.kind,
            n_tasks: self.n_tasks,
            count: self.count + other.count,
            mean_ns: mean_ns.or(self.mean_ns).or(other.mean_ns),
            median_ns: None,
            max_ns: self.max_ns.max(other.max_ns).filter(|_| are_known),
            max_less_8_ns: None,
            max_less_1_percent_ns: None,
            marked: self.marked + other.marked,
            marked_by,
            stamp_ns: self.stamp_ns.max(other.stamp_ns),
            between: self.between.or(other.between),
            why_not: [(self.count, self.why_not), (other.count, other.why_not)]
                .into_iter()
                .filter(|(count, _)| *count > 0 || of_self + of_other == 0.0)
                .find_map(|(_, why)| why),
        }
    }

    /// The cost of both where each of these is followed by one of `next`, whose samples are of the same kind: maxima and means
    /// add up.
    #[must_use]
    pub fn followed_by(self, next: &Self) -> Self {
        let add = |one: Option<u64>, another: Option<u64>| Some(one? + another?);
        Self {
            count: self.count.min(next.count),
            mean_ns: self.mean_ns.zip(next.mean_ns).map(|(one, another)| one + another),
            median_ns: None,
            max_ns: add(self.max_ns, next.max_ns),
            max_less_8_ns: None,
            max_less_1_percent_ns: None,
            stamp_ns: add(self.stamp_ns, next.stamp_ns),
            between: self.between.zip(next.between.as_ref()).map(|(one, another)| format!("{one}, then {another}")),
            why_not: self.why_not.or_else(|| next.why_not.clone()),
            ..self
        }
    }
}

fn of_kind(run: &Run, kind: &TracedKind, n_tasks: u32) -> KindFigures {
    let mut all = Histogram::new();
    let mut beyond = 0;
    for series in run.of(kind.quantity) {
        beyond += series.histogram.overflow();
        series.histogram.cells().for_each(|(ns, count)| all.add(ns, count));
    }
    let count = all.in_range();
    let total = count + beyond;
    // What lies beyond a histogram has no length.
    let at = |rank: u64| (rank < count).then(|| value_at(&all, rank));
    let largest_but = |dropped: u64| at(total.saturating_sub(1 + dropped));
    KindFigures {
        kind: kind.quantity,
        n_tasks,
        count,
        mean_ns: (count > 0).then(|| mean_ns(&all)),
        median_ns: at(total / 2),
        max_ns: largest_but(0),
        max_less_8_ns: largest_but(8),
        max_less_1_percent_ns: largest_but(total / 100),
        marked: kind.marked_total(),
        marked_by: kind.marked.clone(),
        stamp_ns: kind.stamp_ns,
        between: kind.untraced.is_none().then(|| kind.between.clone()),
        why_not: kind.untraced.clone().or_else(|| (count == 0).then(|| none_came(kind))).or_else(|| {
            (beyond > 0).then(|| {
                format!("the maximum is unknown, because of {} beyond the histogram's bound", counted(beyond, "sample"))
            })
        }),
    }
}

fn none_came(kind: &TracedKind) -> String {
    match kind.marked_total() {
        0 => "this kind of overhead never occurred while the tasks ran".into(),
        1 => "the only pair of stamps was excluded".into(),
        marked => format!("all {marked} pairs of stamps were excluded"),
    }
}

fn mean_ns(of: &Histogram) -> f64 {
    let sum: i128 = of.cells().map(|(ns, count)| i128::from(ns) * i128::from(count)).sum();
    sum as f64 / of.in_range() as f64
}

/// The value of rank `rank`, counted from zero and from the smallest.
fn value_at(of: &Histogram, rank: u64) -> u64 {
    let mut below = 0;
    let reaches = of.cells().find(|(_, count)| {
        below += count;
        below > rank
    });
    reaches.map_or(0, |(ns, _)| ns.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::Series;
    use prazo_run::overheads::Traced;

    const QUANTITY: Quantity = Quantity::ReleaseOverhead;

    fn run(values: &[i64], untraced: Option<&str>) -> Run {
        let quantity = QUANTITY;
        let mut series = [Series { quantity, ..Series::default() }, Series { quantity, ..Series::default() }];
        values.iter().enumerate().for_each(|(number, ns)| series[number % 2].histogram.add(*ns, 1));
        let marked = BTreeMap::from([(Mark::Migrated, Marked { count: 2, max_ns: Some(9) })]);
        let (between, untraced) = ("a to b".to_owned(), untraced.map(str::to_owned));
        let kind = TracedKind { quantity, between, untraced, marked, stamp_ns: Some(3) };
        let traced = Traced {
            tasks: 5,
            jobs_due: 9,
            jobs_served: 9,
            tick_period_ns: 4_000_000,
            kinds: vec![kind],
            cache: Vec::new(),
        };
        Run { series: series.into(), overheads: Some(traced), ..Run::default() }
    }

    #[test]
    fn figures_are_of_all_processors_and_marks_stand_beside_them() {
        let values: Vec<i64> = (1..=200).collect();
        let [figures] = &figures_of(&run(&values, None))[..] else { panic!("one kind") };
        assert_eq!((figures.count, figures.median_ns, figures.max_ns), (200, Some(101), Some(200)));
        assert_eq!((figures.max_less_8_ns, figures.max_less_1_percent_ns), (Some(192), Some(198)));
        assert_eq!((figures.mean_ns, figures.marked, figures.stamp_ns), (Some(100.5), 2, Some(3)));
        assert_eq!((figures.n_tasks, figures.why_not.as_deref()), (5, None));
    }

    #[test]
    fn pairs_beyond_the_histogram_are_among_the_largest() {
        let of = |beyond| {
            let mut run = run(&(1..=200).collect::<Vec<i64>>(), None);
            run.series[0].histogram.add_overflow(beyond);
            let figures = figures_of(&run).remove(0);
            (figures.median_ns, figures.max_ns, figures.max_less_8_ns, figures.max_less_1_percent_ns)
        };
        assert_eq!(of(2), (Some(102), None, Some(194), Some(200)));
        assert_eq!(of(8), (Some(105), None, Some(200), None));
        assert_eq!(of(9), (Some(105), None, None, None));
        assert_eq!(of(300), (None, None, None, None));
    }

    #[test]
    fn series_that_prazo_did_not_trace_have_figures_as_well() {
        let mut run = run(&[10, 20, 60], None);
        run.overheads = None;
        let mut stamp = Series { quantity: Quantity::StampCost, ..Series::default() };
        stamp.histogram.add(4, 3);
        run.series.extend([stamp, Series { quantity: Quantity::ResponseLatency, ..Series::default() }]);
        let [release, stamp] = &figures_of_series(&run, 7, "two stamps")[..] else { panic!("two kinds") };
        assert_eq!((release.kind, release.n_tasks, release.count, release.max_ns), (QUANTITY, 7, 3, Some(60)));
        assert_eq!((release.stamp_ns, release.between.as_deref()), (Some(4), Some("two stamps")));
        assert_eq!((stamp.kind, stamp.max_ns), (Quantity::StampCost, Some(4)));
    }

    #[test]
    fn figures_of_two_runs_join_and_figures_of_two_parts_add_up() {
        let of = |values: &[i64]| figures_of(&run(values, None)).remove(0);
        let (few, many) = (of(&[30]), of(&[5, 5, 20]));
        let joined = few.clone().joined(many.clone());
        assert_eq!((joined.count, joined.max_ns, joined.mean_ns), (4, Some(30), Some(15.0)));
        assert_eq!((joined.marked, joined.marked_by[&Mark::Migrated].count, joined.median_ns), (4, 4, None));
        let none = few.clone().joined(of(&[]));
        assert_eq!((none.count, none.max_ns, none.mean_ns, none.why_not), (1, Some(30), Some(30.0), None));
        assert!(of(&[]).joined(of(&[])).why_not.is_some());
        let beyond = KindFigures { max_ns: None, why_not: Some("beyond".into()), ..few.clone() };
        assert_eq!((beyond.clone().joined(many.clone()).max_ns, many.clone().joined(beyond).max_ns), (None, None));
        let sum = few.followed_by(&many);
        assert_eq!((sum.count, sum.max_ns, sum.mean_ns), (1, Some(50), Some(40.0)));
    }

    #[test]
    fn what_has_no_figure_is_null_with_the_reason() {
        let untraced = &figures_of(&run(&[], Some("no such point")))[0];
        assert_eq!((untraced.max_ns, untraced.mean_ns, untraced.between.clone()), (None, None, None));
        assert_eq!(untraced.why_not.as_deref(), Some("no such point"));
        let excluded = "all 2 pairs of stamps were excluded";
        assert_eq!(figures_of(&run(&[], None))[0].why_not.as_deref(), Some(excluded));
        let mut run = run(&[5], None);
        run.series[0].histogram.add_overflow(1);
        let beyond = "the maximum is unknown, because of 1 sample beyond the histogram's bound";
        assert_eq!(figures_of(&run)[0].why_not.as_deref(), Some(beyond));
        assert_eq!(figures_of(&Run::default()), []);
    }
}
