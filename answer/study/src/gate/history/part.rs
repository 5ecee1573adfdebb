//! The parts of a cell's history: points under equal conditions, in the order of kernels or of time.

use super::super::baseline::{Baseline, Trajectory};
use super::super::conditions::{self, Condition, Different};
use super::release_order::{compare, version};
use super::result::{LeftOut, OrderedBy};
use prazo_run::calendar::Date;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::slice::from_ref;

/// Points of one cell under equal conditions.
pub(super) struct Part<'a> {
    pub(super) ordered_by: OrderedBy,
    pub(super) points: Vec<Point<'a>>,
}

/// A cell of one baseline, or of several where they measured the same kernel.
pub(super) struct Point<'a> {
    pub(super) label: String,
    pub(super) files: Vec<&'a str>,
    pub(super) runs: Vec<&'a Trajectory>,
}

/// The parts of a cell, and the baselines that have none of it to show.
pub(super) fn parts<'a>(
    cell: &str,
    baselines: &'a BTreeMap<String, Baseline>,
    may_differ: &[Condition],
) -> (Vec<Part<'a>>, Vec<LeftOut>) {
    let mut left = Vec::new();
    let mut alike: Vec<Vec<Point<'a>>> = Vec::new();
    for (file, baseline) in baselines {
        let runs = baseline.cells.get(cell).map_or(&[][..], Vec::as_slice);
        match unusable(runs) {
            Some(reason) => left.push(LeftOut { file: file.clone(), cell: cell.to_owned(), reason }),
            None => {
                let point = Point { label: String::new(), files: vec![file], runs: runs.iter().collect() };
                let same =
                    |part: &&mut Vec<Point<'_>>| differing(cell, &part[..1], from_ref(&point), may_differ).is_empty();
                match alike.iter_mut().find(same) {
                    Some(part) => part.push(point),
                    None => alike.push(vec![point]),
                }
            }
        }
    }
    let mut parts: Vec<Part<'a>> = alike.into_iter().map(|part| Part::of(cell, part, &mut left)).collect();
    parts.sort_by(|one, other| one.points[0].order(&other.points[0]));
    (parts, left)
}

/// Why a cell of a baseline is no point.
fn unusable(runs: &[Trajectory]) -> Option<String> {
    if runs.is_empty() {
        return Some("the baseline has no run of this cell".into());
    }
    if let Some((run, why)) = runs.iter().find_map(|run| Some((run, run.fatal.as_ref()?))) {
        return Some(format!("the run of seed {} is not valid ({why})", run.seed));
    }
    let mixed = conditions::mixed(runs.iter().map(|run| &run.conditions));
    let names: Vec<&str> = mixed.into_iter().map(Condition::name).collect();
    (!names.is_empty()).then(|| format!("its runs have different conditions ({})", names.join(", ")))
}

/// By which conditions, but for those that may differ, points differ from others.
fn differing(cell: &str, from: &[Point<'_>], to: &[Point<'_>], may_differ: &[Condition]) -> Vec<Different> {
    let [from, to] = [from, to].map(|points| points.iter().flat_map(|point| &point.runs).map(|run| &run.conditions));
    let all = conditions::differences(cell, from, to).into_iter();
    all.filter(|one| !may_differ.contains(&one.condition)).collect()
}

impl<'a> Part<'a> {
    fn of(cell: &str, mut all: Vec<Point<'a>>, left: &mut Vec<LeftOut>) -> Self {
        // A file of an earlier prazo among others cannot be put into their order.
        let is_dated = |one: &Point<'_>| one.release().is_some() || one.started().is_some();
        if all.iter().any(is_dated) {
            let (dated, undated) = all.into_iter().partition(is_dated);
            all = dated;
            left.extend(undated.into_iter().map(|one: Point<'_>| LeftOut {
                file: one.files[0].to_owned(),
                cell: cell.to_owned(),
                reason: "it states neither the kernel's release nor the time of measurement: save it again with this prazo".into(),
            }));
        }
        let ordered_by = order_of(&all);
        all.sort_by(|one, other| {
            let by_release = compare(one.release().unwrap_or_default(), other.release().unwrap_or_default());
            let by_time = one.started().cmp(&other.started());
            let by_name = compare(one.files[0], other.files[0]);
            match ordered_by {
                OrderedBy::KernelRelease => by_release.then(by_time).then(by_name),
                OrderedBy::TimeOfMeasurement => by_time.then(by_name),
                OrderedBy::FileName => by_name,
            }
        });
        let mut points: Vec<Point<'a>> = Vec::new();
        for one in all {
            let repeats = |point: &&Point<'_>| is_in(&one.runs, &point.runs);
            if let Some(point) = points.iter().find(repeats) {
                let reason = format!("its runs are those of {}", point.files.join(", "));
                left.push(LeftOut { file: one.files[0].to_owned(), cell: cell.to_owned(), reason });
                continue;
            }
            let is_joined =
                |point: &&mut Point<'_>| ordered_by == OrderedBy::KernelRelease && point.kernel() == one.kernel();
            match points.iter_mut().find(is_joined) {
                Some(point) => point.join(one),
                None => points.push(one),
            }
        }
        let mut part = Self { ordered_by, points };
        part.name_points();
        part
    }

    /// By which conditions this part differs from another.
    pub(super) fn differs(&self, cell: &str, from: &Self, may_differ: &[Condition]) -> Vec<Different> {
        differing(cell, &from.points, &self.points, may_differ)
    }

    /// Gives each point a name of its own.
    fn name_points(&mut self) {
        let is_unique = |names: &[String]| names.iter().collect::<BTreeSet<_>>().len() == names.len();
        let of = |name: &dyn Fn(&Point<'_>) -> String| self.points.iter().map(name).collect::<Vec<_>>();
        let file = |point: &Point<'_>| point.files[0].trim_end_matches(".json").to_owned();
        let names = match self.ordered_by {
            OrderedBy::KernelRelease => {
                let short = of(&|point| version(point.release().unwrap_or_default()).to_owned());
                let whole = of(&|point| point.release().unwrap_or_default().to_owned());
                [short, whole].into_iter().find(|names| is_unique(names))
            }
            OrderedBy::TimeOfMeasurement => {
                Some(of(&|point| point.started().map(moment).unwrap_or_default())).filter(|names| is_unique(names))
            }
            OrderedBy::FileName => None,
        };
        let names = names.unwrap_or_else(|| of(&file));
        self.points.iter_mut().zip(names).for_each(|(point, name)| point.label = name);
    }
}

/// Releases order kernels if their versions differ; baselines of one version are ordered by time.
fn order_of(all: &[Point<'_>]) -> OrderedBy {
    let versions: Option<BTreeSet<&str>> = all.iter().map(|one| one.release().map(version)).collect();
    let have_times = all.iter().all(|one| one.started().is_some());
    match versions {
        Some(versions) if versions.len() > 1 && !versions.contains("") => OrderedBy::KernelRelease,
        _ if have_times => OrderedBy::TimeOfMeasurement,
        _ => OrderedBy::FileName,
    }
}

/// True where each of these runs is already in a point: another copy shows nothing more.
fn is_in(runs: &[&Trajectory], of: &[&Trajectory]) -> bool {
    let same = |one: &Trajectory, other: &Trajectory| {
        (one.seed, &one.figures, &one.conditions) == (other.seed, &other.figures, &other.conditions)
    };
    runs.iter().all(|run| of.iter().any(|other| same(run, other)))
}

impl<'a> Point<'a> {
    /// More seeds of the same kernel; a seed that is there already shows nothing more.
    fn join(&mut self, other: Self) {
        self.files.extend(other.files);
        for run in other.runs {
            if !is_in(&[run], &self.runs) {
                self.runs.push(run);
            }
        }
    }

    /// Which part begins with the older kernel, or was measured first.
    fn order(&self, other: &Self) -> Ordering {
        let by_release = compare(self.release().unwrap_or_default(), other.release().unwrap_or_default());
        by_release.then(self.started().cmp(&other.started())).then(compare(self.files[0], other.files[0]))
    }

    /// The kernel's release.
    pub(super) fn release(&self) -> Option<&'a str> {
        self.runs[0].kernel_release.as_deref()
    }

    /// Its kernel and modules, by their digests.
    fn kernel(&self) -> Option<&'a String> {
        self.runs[0].conditions.get(&Condition::Kernel)
    }

    /// When its first run began.
    pub(super) fn started(&self) -> Option<i64> {
        self.runs.iter().filter_map(|run| run.started_at_unix_ns).min()
    }
}

/// `2026-11-30 06:30`, in universal time.
fn moment(unix_ns: i64) -> String {
    let minutes = unix_ns.div_euclid(60_000_000_000);
    let Date { year, month, day } = Date::of_days(minutes.div_euclid(1_440));
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", minutes.rem_euclid(1_440) / 60, minutes.rem_euclid(60))
}
