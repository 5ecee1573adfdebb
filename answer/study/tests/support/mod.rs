//! What the tests share: shelves without a disk, an engine without a machine, and a reader of the original tables.
#![allow(dead_code, reason = "each test takes what it needs")]

use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_run::plan::Length;
use prazo_run::run::{Activations, Ending, Origin, Series, StatedFigures};
use prazo_run::{Caveat, Histogram, Plan, Run};
use prazo_study::run_storage::Table;
use prazo_study::{Here, Measure, MeasureError, RunStorage, StudyStep};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Two processors, nothing else known.
pub(crate) fn here() -> Here {
    let cpus: CpuSet = "0-1".parse().unwrap();
    Here { platform: None, cpus, housekeeping_cpu: None, deadline: None }
}

/// Run files in memory, shared by a shelf and an engine as a disk would be.
pub(crate) type Disk = Rc<RefCell<BTreeMap<PathBuf, Run>>>;

/// A shelf without a disk; `import` comes from outside.
pub(crate) struct MemoryShelf {
    pub disk: Disk,
    pub aside: Vec<PathBuf>,
    /// Every file is damaged.
    pub unreadable: bool,
    pub import: fn(&Table) -> Result<Run, String>,
}

impl Default for MemoryShelf {
    fn default() -> Self {
        Self {
            disk: Disk::default(),
            aside: vec![],
            unreadable: false,
            import: |table| Err(format!("{table:?} cannot be read")),
        }
    }
}

impl RunStorage for MemoryShelf {
    fn open(&self, path: &Path) -> Result<Run, String> {
        if self.unreadable {
            return Err(format!("{} is not a run file", path.display()));
        }
        self.disk.borrow().get(path).cloned().ok_or_else(|| format!("{} is not there", path.display()))
    }

    fn save(&mut self, run: &Run, path: &Path) -> Result<(), String> {
        assert!(!self.exists(path), "a run is never overwritten");
        self.disk.borrow_mut().insert(path.to_owned(), run.clone());
        Ok(())
    }

    fn import(&self, table: &Table) -> Result<Run, String> {
        (self.import)(table)
    }

    fn exists(&self, path: &Path) -> bool {
        self.disk.borrow().contains_key(path)
    }

    fn set_aside(&mut self, path: &Path) -> Result<PathBuf, String> {
        self.disk.borrow_mut().remove(path).ok_or("it is not there")?;
        self.aside.push(path.to_owned());
        Ok(path.to_owned())
    }
}

/// An engine without a machine, that fails where a test wants it to.
#[derive(Default)]
pub(crate) struct CellMeasurer {
    pub disk: Disk,
    /// Names of the files that it wrote, in order.
    pub measured: Vec<String>,
    /// Their plans.
    pub plans: Vec<Plan>,
    /// Files that are refused.
    pub refuse: Vec<&'static str>,
    /// After so many runs the user stops.
    pub stop_after: Option<usize>,
    /// How each run ends.
    pub ending: Ending,
    /// What each run carries.
    pub caveats: Vec<Caveat>,
}

impl CellMeasurer {
    pub(crate) fn on(shelf: &MemoryShelf) -> Self {
        Self { disk: shelf.disk.clone(), ..Self::default() }
    }
}

impl Measure for CellMeasurer {
    fn measure(&mut self, plan: &Plan, into: &Path, _: &StudyStep) -> Result<Run, MeasureError> {
        let file = into.file_name().unwrap().to_str().unwrap().to_owned();
        if self.stop_after.is_some_and(|most| self.measured.len() >= most) {
            return Err(MeasureError::Interrupted);
        }
        if self.refuse.contains(&file.as_str()) {
            return Err(MeasureError::Refused("EPERM: fifo needs CAP_SYS_NICE".into()));
        }
        let run = Run { ending: self.ending.clone(), caveats: self.caveats.clone(), ..synthetic(plan) };
        self.measured.push(file);
        self.plans.push(plan.clone());
        assert!(self.disk.borrow_mut().insert(into.to_owned(), run.clone()).is_none(), "a run is never overwritten");
        Ok(run)
    }
}

/// A thousand samples for each processor: 10 us under fifo and deadline, 60 us otherwise, doubled under load.
pub(crate) fn synthetic(plan: &Plan) -> Run {
    let base = if matches!(plan.policy.name(), "fifo" | "deadline") { 10_000 } else { 60_000 };
    let base = if plan.loads.is_empty() { base } else { base * 2 };
    let series = plan.threads.iter().map(|thread| {
        let samples = (0..1_000).map(|n| base + n % 100);
        Series { cpu: Some(thread.cpu), period: Some(thread.period), ..series(samples) }
    });
    let elapsed = match plan.length {
        Length::Duration { length } => Some(length),
        Length::Activations { .. } => None,
    };
    Run { origin: Origin::Synthetic, plan: Some(plan.clone()), elapsed, series: series.collect(), ..Run::default() }
}

/// One series of samples without losses.
pub(crate) fn series(samples: impl IntoIterator<Item = i64>) -> Series {
    let mut histogram = Histogram::new();
    samples.into_iter().for_each(|ns| histogram.add(ns, 1));
    let served = histogram.total();
    let activations = Activations { due: Some(served), served, skipped: Some(0), ..Activations::default() };
    Series { resolution: Duration::from_ns(1), activations, histogram, ..Series::default() }
}

/// Reads one of the original cyclictest histograms of Blaess 2014: one thread, microseconds.
pub(crate) fn original(text: &str) -> Run {
    let stated = |key: &str| stated(text, &format!("# {key}:"));
    let lines = ["Total", "Min Latencies", "Avg Latencies", "Max Latencies", "Histogram Overflows"].map(stated);
    histogram(text, ' ', lines)
}

/// Reads one of the sparse tables that the study carries.
pub(crate) fn sparse(text: &str) -> Run {
    let stated = |key: &str| stated(text, &format!("# {key}:"));
    let [in_range, overflow] = ["total", "overflow"].map(stated);
    histogram(text, ',', [in_range, stated("min"), stated("mean"), stated("max"), overflow])
}

fn stated(text: &str, line: &str) -> Option<i64> {
    text.lines().find_map(|found| found.strip_prefix(line)?.trim().parse().ok())
}

/// Total, minimum, mean, maximum and overflow as the file states them, and its rows.
fn histogram(text: &str, separator: char, [total, min, mean, max, overflow]: [Option<i64>; 5]) -> Run {
    let mut histogram = Histogram::new();
    for (us, count) in text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(separator))
    {
        let Ok(us) = us.parse::<i64>() else { continue };
        histogram.add(us * 1_000, count.parse().unwrap());
    }
    histogram.add_overflow(overflow.unwrap() as u64);
    let series = Series {
        resolution: Duration::from_us(1),
        activations: Activations { served: histogram.total(), ..Activations::default() },
        stated: Some(StatedFigures {
            count: total.zip(overflow).map(|(total, overflow)| (total + overflow) as u64),
            min_ns: min.map(|us| us * 1_000),
            mean_ns: mean.map(|us| us as f64 * 1e3),
            max_ns: max.map(|us| us * 1_000),
        }),
        histogram,
        ..Series::default()
    };
    let origin = Origin::Imported { tool: "cyclictest".into(), file: "a test's".into() };
    Run { origin, series: vec![series], ..Run::default() }
}
