//! The charts as tables, for readers without a script, without eyes for it, or in want of the figures.

use super::{Cell, Table};
use crate::chart::Charts;
use crate::chart::histogram::HistogramLine;
use crate::chart::timeline::Panel;
use crate::content::Moments;
use crate::words;
use prazo_core::text::counted;
use serde::Serialize;

/// A figure of a page: a picture, what is to be known of it, and the same as a table.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Figure {
    /// A name for links.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// How it is read.
    pub caption: String,
    /// What it leaves out.
    pub notes: Vec<String>,
    /// SVG.
    pub picture: String,
    /// The same in figures.
    pub table: Table,
}

/// Every n-th edge of the histogram is an edge of its table.
const HISTOGRAM_STEP: usize = 8;

/// The histograms, in wider bins than drawn.
pub fn histogram(charts: &Charts) -> Table {
    let edges = &charts.histograms.edges_ns;
    let mut columns = vec!["#From".to_owned(), "#Below".to_owned()];
    columns.extend(charts.histograms.lines.iter().map(|line| format!("#{}", line.label)));
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    let starts = (0..edges.len() - 1).step_by(HISTOGRAM_STEP);
    let rows = starts.map(|start| {
        let end = (start + HISTOGRAM_STEP).min(edges.len() - 1);
        let counts = charts.histograms.lines.iter().map(|line| Cell::count(Some(line.counts[start..end].iter().sum())));
        [Cell::latency(Some(edges[start])), Cell::latency(Some(edges[end]))].into_iter().chain(counts).collect()
    });
    let table = Table::new("Samples by latency", &names).with(rows);
    table.notes(charts.histograms.lines.iter().filter_map(beyond)).folded()
}

/// What stands below each graph of samples over time.
pub fn moments(graphs: &[&Moments]) -> Table {
    let row = |graph: &&Moments| {
        let of = &graph.figures;
        let figures = [of.mean_ns, of.deviation_ns, of.min_ns, of.max_ns].map(Cell::mean);
        [graph.label.as_str().into(), Cell::count(of.count)].into_iter().chain(figures).collect()
    };
    let columns = ["Cell", "#Samples", "#Mean", "#Deviation", "#Min", "#Max observed"];
    Table::new("Statistics of the plotted samples", &columns).with(graphs.iter().map(row)).folded()
}

/// What lies beyond a line's histogram, in words.
pub fn beyond(line: &HistogramLine) -> Option<String> {
    let largest =
        line.max_ns.map_or_else(String::new, |ns| format!("; the largest known sample is {}", words::latency(ns)));
    let samples = counted(line.beyond, "sample");
    (line.beyond > 0).then(|| format!("{}: {samples} beyond the histogram, of unknown value{largest}.", line.label))
}

/// What the curves that answer the question show: of each run one, per due activation where that is known.
pub const ANSWER: &str = "Share of activations at or above a latency";
/// What the curves of all runs show where activations were skipped.
pub const SERVED_AND_DUE: &str = "Share at or above a latency, per served wake-up and per due activation";
/// What they show where none were.
pub const SAMPLES: &str = "Share of samples at or above a latency";

/// Shares at or above round latencies, under the name of the chart that it repeats.
pub fn exceedance(title: &str, charts: &Charts) -> Table {
    let exceedances = &charts.exceedances;
    let mut columns = vec!["#Latency at least".to_owned()];
    for line in &exceedances.lines {
        let served = match (line.is_due, line.due.is_some()) {
            (true, _) => ", per due activation",
            (false, true) => ", per served wake-up",
            (false, false) => "",
        };
        columns.push(format!("#{}{served}", line.label));
        columns.extend(line.due.as_ref().map(|_| format!("#{}, per due activation", line.label)));
    }
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    let rows = round_points(&exceedances.x_ns).into_iter().map(|at| {
        let curves = exceedances.lines.iter().flat_map(|line| [Some(&line.served), line.due.as_ref()]).flatten();
        let shares = curves.map(|curve| Cell::share(Some(curve.reaching[at] as f64 / curve.total.max(1) as f64)));
        [Cell::latency(Some(exceedances.x_ns[at]))].into_iter().chain(shares).collect()
    });
    let notes = exceedances.lines.iter().filter_map(|line| line.due_note.clone());
    Table::new(title, &names).with(rows).notes(notes).folded()
}

/// Indices of the points closest below 1, 2 and 5 times the powers of ten, and of the first.
fn round_points(x_ns: &[i64]) -> Vec<usize> {
    let round = (0..18).flat_map(|power| [1, 2, 5].map(|digit| digit * 10i64.pow(power)));
    let inside = round.filter(|ns| x_ns.first() <= Some(ns) && Some(ns) <= x_ns.last());
    let mut points: Vec<usize> = inside.map(|ns| x_ns.partition_point(|x| *x <= ns) - 1).chain([0]).collect();
    points.sort_unstable();
    points.dedup();
    points
}

/// How many points of each timeline its table shows.
const TIMELINE_ROWS: usize = 10;

/// The worst points of each timeline.
pub fn timeline(charts: &Charts) -> Table {
    let columns = ["Run", "#At", "#Min", "#Mean", "#Max", "#Missed", "#Skipped", "#Lost"];
    let rows = charts.timelines.panels.iter().flat_map(worst_points);
    Table::new(format!("The {TIMELINE_ROWS} worst points of each timeline"), &columns).with(rows).folded()
}

fn worst_points(panel: &Panel) -> Vec<Vec<Cell>> {
    let mut order: Vec<usize> = (0..panel.at_s.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse((panel.missed[*at], panel.max_ns[*at])));
    order.into_iter().take(TIMELINE_ROWS).map(|at| point(panel, at)).collect()
}

fn point(panel: &Panel, at: usize) -> Vec<Cell> {
    vec![
        panel.label.as_str().into(),
        format!("{} s", words::count(panel.at_s[at].into())).into(),
        Cell::latency(panel.min_ns[at]),
        Cell::latency(panel.mean_ns[at]),
        Cell::latency(panel.max_ns[at]),
        Cell::count(Some(panel.missed[at])),
        Cell::count(Some(panel.skipped[at])),
        Cell::count(Some(panel.lost[at])),
    ]
}
