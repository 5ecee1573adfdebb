//! Figures of overheads by number of threads: kernels that were measured, beside what the platforms' tables say.
//!
//! Vitor 2013 shows such figures (3 to 6) before it charges the overheads in figure 7. A measured line has its counts and
//! several statistics; a table's line has one amount, as its source gives it.

use super::experiment::Experiment;
use super::overheads::Files;
use prazo_core::overheads::Function;
use prazo_run::run::Quantity;
use prazo_scenario::overheads::Overhead;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

/// One `[[figure]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverheadFigure {
    /// Its name in claims.
    pub id: toml::Spanned<String>,
    /// Its heading.
    pub title: String,
    /// What the paper says of it, and what is to be known of our lines.
    #[serde(default)]
    pub text: String,
    /// The overhead by the name that tables have for it: `context_switch`.
    pub overhead: String,
    /// The measured quantities that it shows.
    pub quantities: Vec<Quantity>,
}

/// `[measured]`: the files that `cargo xtask kernel overheads` and `prazo measure overheads` write, and what the figures call
/// their shapes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredFiles {
    /// The file, by its path beside the experiment.
    pub file: toml::Spanned<String>,
    /// More such files.
    #[serde(default)]
    pub further: Vec<String>,
    /// A scheduler's id, or another name, for each shape that is shown; others are left out.
    pub shapes: BTreeMap<String, String>,
    #[serde(skip)]
    series: Vec<Series>,
}

/// One `[[measured]]` of that file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Series {
    shape: String,
    quantity: Quantity,
    source: String,
    points: Vec<Sampled>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sampled {
    threads: u64,
    count: u64,
    max_ns: u64,
    mean_ns: f64,
    median_ns: u64,
    max_less_8_ns: u64,
    max_less_1_percent_ns: u64,
}

impl MeasuredFiles {
    /// Reads its files.
    pub fn load(&mut self, files: &Files<'_>) -> Result<(), String> {
        #[derive(Deserialize)]
        struct Written {
            measured: Vec<Series>,
        }
        for file in std::iter::once(self.file.get_ref()).chain(&self.further) {
            let text = files(file).map_err(|error| format!("{file} cannot be read: {error}"))?;
            let written: Written = toml::from_str(&text).map_err(|error| format!("{file}: {}", error.message()))?;
            self.series.extend(written.measured);
        }
        Ok(())
    }
}

/// A figure of overheads by number of threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureResult {
    /// Name of the figure.
    pub id: String,
    /// Heading of the figure.
    pub title: String,
    /// Statement of the paper about the overhead in this figure, and notes on the lines.
    pub text: String,
    /// Lines of the figure.
    pub lines: Vec<FigureLine>,
}

/// One line of a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureLine {
    /// Scheduler, and platform or measured quantity, separated by a dot.
    pub id: String,
    /// Scheduler that the line is about.
    pub scheduler: String,
    /// True if the line's amounts were measured; false if they are from a platform's table of overheads.
    pub measured: bool,
    /// Origin of the amounts, such as a run or a paper.
    pub source: String,
    /// Points of the line, by ascending number of threads.
    pub points: Vec<FigurePoint>,
}

/// One point of a line. Statistics that a table does not state are null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigurePoint {
    /// Number of threads.
    pub threads: u64,
    /// Largest sample in µs, or the amount that the table states.
    pub amount_us: f64,
    /// Number of samples; null for a table.
    pub count: Option<u64>,
    /// Mean of the samples in µs; null for a table.
    pub mean_us: Option<f64>,
    /// Median of the samples in µs; null for a table.
    pub median_us: Option<f64>,
    /// Maximum in µs without the eight largest samples (Vitor 2013 dropped 2 to 8); null for a table.
    pub max_less_8_us: Option<f64>,
    /// Maximum in µs without the largest 1 % of the samples (as the predecessors of Vitor 2013 did); null for a table.
    pub max_less_1_percent_us: Option<f64>,
}

/// Which figure of a point a claim speaks of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Statistic {
    /// The largest sample, or a table's amount.
    #[default]
    Max,
    /// The median.
    Median,
    /// The largest but for one in a hundred.
    #[serde(rename = "max-less-1-percent")]
    MaxLess1Percent,
}

impl Statistic {
    /// It, in microseconds.
    pub fn of(self, point: &FigurePoint) -> Option<f64> {
        match self {
            Self::Max => Some(point.amount_us),
            Self::Median => point.median_us,
            Self::MaxLess1Percent => point.max_less_1_percent_us,
        }
    }
}

impl Display for Statistic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Max => "maximum",
            Self::Median => "median",
            Self::MaxLess1Percent => "maximum without the largest 1 % of the samples",
        })
    }
}

/// All figures of an experiment.
pub fn results(of: &Experiment) -> Vec<FigureResult> {
    let result = |figure: &OverheadFigure| FigureResult {
        id: figure.id.get_ref().clone(),
        title: figure.title.clone(),
        text: figure.text.clone(),
        lines: measured_lines(of, figure).into_iter().chain(written_lines(of, figure)).collect(),
    };
    of.figures.iter().map(result).collect()
}

fn measured_lines(of: &Experiment, figure: &OverheadFigure) -> Vec<FigureLine> {
    let Some(measured) = &of.measured else { return vec![] };
    let of_quantity = |quantity: &Quantity| {
        let quantity = *quantity;
        measured.series.iter().filter(move |series| series.quantity == quantity).filter_map(|series| {
            let scheduler = measured.shapes.get(&series.shape)?.clone();
            let id = format!("{scheduler}.{}", series.quantity);
            let points = series.points.iter().map(FigurePoint::measured).collect();
            Some(FigureLine { id, scheduler, measured: true, source: series.source.clone(), points })
        })
    };
    figure.quantities.iter().flat_map(of_quantity).collect()
}

/// The tables that the experiment itself holds; one in a file is drawn as it was measured.
fn written_lines(of: &Experiment, figure: &OverheadFigure) -> Vec<FigureLine> {
    let threads = threads(of);
    let tables = of.platforms.iter().flat_map(|platform| {
        let written = platform.overheads.iter().filter(|(_, table)| !table.is_from_file());
        written.map(move |(scheduler, table)| (platform.id.get_ref(), scheduler, table))
    });
    let line = |(platform, scheduler, table): (&String, &String, &super::overheads::Table)| {
        let overhead = table.overhead(&figure.overhead)?;
        let points = threads.iter().filter_map(|threads| FigurePoint::written(*threads, overhead)).collect();
        let source = overhead.provenance.source.clone();
        Some(FigureLine {
            id: format!("{scheduler}.{platform}"),
            scheduler: scheduler.clone(),
            measured: false,
            source,
            points,
        })
    };
    tables.filter_map(line).collect()
}

/// The numbers of threads that were measured, or else those of Vitor 2013.
fn threads(of: &Experiment) -> Vec<u64> {
    let longest = of.measured.iter().flat_map(|measured| &measured.series).max_by_key(|series| series.points.len());
    let measured = longest.map(|series| series.points.iter().map(|point| point.threads).collect());
    measured.unwrap_or_else(|| vec![5, 15, 25, 50, 75, 100, 125])
}

impl FigurePoint {
    fn measured(of: &Sampled) -> Self {
        let us = |ns: u64| ns as f64 / 1_000.0;
        Self {
            threads: of.threads,
            amount_us: us(of.max_ns),
            count: Some(of.count),
            mean_us: Some(of.mean_ns / 1_000.0),
            median_us: Some(us(of.median_ns)),
            max_less_8_us: Some(us(of.max_less_8_ns)),
            max_less_1_percent_us: Some(us(of.max_less_1_percent_ns)),
        }
    }

    /// What a table in microseconds says.
    fn written(threads: u64, overhead: &Overhead) -> Option<Self> {
        let amount: Function<'_> = overhead.amount.borrow();
        let amount_us = amount.at(threads)?.value.to_f64();
        let nothing = None;
        Some(Self {
            threads,
            amount_us,
            count: None,
            mean_us: nothing,
            median_us: nothing,
            max_less_8_us: nothing,
            max_less_1_percent_us: nothing,
        })
    }
}

impl FigureResult {
    /// Its lines by the names that claims have for them: `figure-3.P-EDF.linux`.
    pub fn line_ids(&self) -> impl Iterator<Item = String> + '_ {
        self.lines.iter().map(|line| format!("{}.{}", self.id, line.id))
    }
}

impl Display for FigureResult {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}, in µs by number of threads", self.id, self.title)?;
        let width = self.lines.iter().map(|line| line.id.len()).max().unwrap_or(0);
        for line in &self.lines {
            let amounts: Vec<String> =
                line.points.iter().map(|point| format!("{}: {:.3}", point.threads, point.amount_us)).collect();
            writeln!(f, "  {:<width$}  {}", line.id, amounts.join("  "))?;
        }
        Ok(())
    }
}
