//! Runs as a report: the evidence on them, rendered in a form, in a file or as text.

use crate::error::Error;
use crate::files::open_all;
use crate::output::{self, make_folder};
use crate::progress::{FileKind, Progress, Remark};
use crate::report_content;
use prazo_report::chart::Charts;
use prazo_report::cost::ProgramCosts;
use prazo_report::view::Document;
use prazo_report::{ReportContent, html, json, markdown, svg, terminal, words};
use prazo_run::Run;
use prazo_run::run::Quantity;
use prazo_stats::{Comparison, compare_all};
use prazo_verdict::Requirement;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The forms of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One self-contained page.
    Html,
    /// Markdown.
    Markdown,
    /// Text for a terminal.
    Text,
    /// JSON.
    Json,
    /// The overlaid histograms as a picture.
    Svg,
}

impl Form {
    /// Each form with its name and what it is.
    pub const ALL: &[(&str, &str, Self)] = &[
        ("html", "One self-contained page", Self::Html),
        ("markdown", "Markdown", Self::Markdown),
        ("text", "Text for a terminal", Self::Text),
        ("json", "JSON", Self::Json),
        ("svg", "Picture of the overlaid histograms", Self::Svg),
    ];
    /// The usual endings of their files, in a sentence.
    pub const ENDINGS: &str = ".html, .md, .txt, .svg or .json";

    /// The form that a file's ending asks for.
    fn of_file(file: &Path) -> Option<Self> {
        match file.extension()?.to_str()? {
            "html" | "htm" => Some(Self::Html),
            "md" | "markdown" => Some(Self::Markdown),
            "txt" => Some(Self::Text),
            "json" => Some(Self::Json),
            "svg" => Some(Self::Svg),
            _ => None,
        }
    }

    /// The form that was named; or else that of the file's ending, and text without a file.
    ///
    /// # Errors
    /// Neither names one.
    pub fn chosen(form: Option<Self>, file: Option<&Path>) -> Result<Self, Error> {
        let of_ending = |file| {
            Self::of_file(file).ok_or_else(|| no_form("output", file, &format!("{}, or give --format", Self::ENDINGS)))
        };
        form.map_or_else(|| file.map_or(Ok(Self::Text), of_ending), Ok)
    }

    /// The form of a report that is written beside an answer, into a file that must be free; for what works long before it
    /// writes.
    ///
    /// # Errors
    /// The file's ending names none, or the file is there already.
    pub fn beside(file: &Path) -> Result<Self, Error> {
        let form = Self::of_file(file).ok_or_else(|| no_form("report", file, Self::ENDINGS))?;
        output::free(file)?;
        Ok(form)
    }
}

/// A chart of latencies that stands alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chart {
    /// The share of activations at or above a latency: one curve a run, per due activation where that is known.
    LaterThan,
    /// The overlaid histograms.
    Histogram,
    /// The share at or above a latency, per served wake-up and per due activation.
    Exceedance,
    /// The latencies of each second.
    Timeline,
}

prazo_core::words!(Chart: LaterThan => "later-than", Histogram => "histogram", Exceedance => "exceedance", Timeline => "timeline");

/// A picture of these runs together, with a line at the deadline where one is given. A run that a report only compares with is
/// drawn as well.
///
/// # Errors
/// The runs have no sample that this chart can show.
pub fn chart(title: &str, runs: Vec<Run>, chart: Chart, requirement: Option<Requirement>) -> Result<String, Error> {
    let mut content = report_content::of_runs(title, runs, requirement, "");
    content.runs.iter_mut().for_each(|run| run.is_control = false);
    let charts = match chart {
        Chart::LaterThan => Charts::of_answer(&content),
        _ => Charts::of(&content),
    };
    let charts = charts.ok_or_else(|| Error::refused("no run here has a sample, so there is nothing to draw"))?;
    if chart == Chart::Timeline && charts.timelines.panels.is_empty() {
        let remedy = "choose another chart, or give runs that prazo measured";
        return Err(Error::field("chart", "these runs do not say when a latency occurred").with_remedy(remedy));
    }
    Ok(match chart {
        Chart::LaterThan | Chart::Exceedance => svg::exceedance(&charts, svg::Setting::Alone),
        Chart::Histogram => svg::histogram(&charts, svg::Heights::Counts, svg::Setting::Alone),
        Chart::Timeline => svg::timeline(&charts, svg::Setting::Alone),
    })
}

fn no_form(field: &'static str, file: &Path, endings: &str) -> Error {
    Error::field(field, "unknown file name extension").with_value(file.display()).with_remedy(format!("use {endings}"))
}

/// The evidence on stored runs; a requirement adds misses and the verdict over all of them.
///
/// # Errors
/// A run file cannot be opened.
pub fn of_files(
    title: &str,
    files: &[PathBuf],
    requirement: Option<Requirement>,
    command: &str,
) -> Result<ReportContent, Error> {
    Ok(report_content::of_runs(title, open_all(files)?, requirement, command))
}

/// Each other run compared with the first; or, where there are `others`, the repeats on one side with those on the other. The
/// evidence holds all runs in the order given, and the comparisons.
///
/// # Errors
/// Fewer than two runs are named, or one cannot be opened.
pub fn compare(reference: &[PathBuf], others: &[PathBuf], command: &str) -> Result<ReportContent, Error> {
    if reference.len() + others.len() < 2 {
        return Err(Error::refused("a comparison needs two runs").with_remedy("name a second run"));
    }
    let (reference, others) = (open_all(reference)?, open_all(others)?);
    let comparisons = comparisons(&reference, &others);
    let runs = reference.into_iter().chain(others).map(|run| report_content::of_run(run, None)).collect();
    let (title, command) = ("comparison".to_owned(), command.to_owned());
    Ok(ReportContent { title, runs, comparisons, command, is_comparison: true, ..ReportContent::default() })
}

fn comparisons(reference: &[Run], others: &[Run]) -> Vec<Comparison> {
    let reference: Vec<&Run> = reference.iter().collect();
    match others.is_empty() {
        true => compare_all(&reference),
        false => prazo_stats::compare(&reference, &others.iter().collect::<Vec<_>>()).into_iter().collect(),
    }
}

/// The report in this form.
///
/// # Errors
/// A picture needs at least one sample.
pub fn render(content: &ReportContent, form: Form) -> Result<String, Error> {
    Ok(match form {
        Form::Html => html::render(content),
        Form::Markdown => markdown::render(content),
        Form::Text => terminal::render(content, &terminal::Style { details: true, ..terminal::Style::default() }),
        Form::Json => json::render_pretty(content),
        Form::Svg => {
            let charts = Charts::of(content);
            let charts =
                charts.ok_or_else(|| Error::refused("no run here has a sample, so there is nothing to draw"))?;
            svg::histogram(&charts, svg::Heights::Counts, svg::Setting::Alone)
        }
    })
}

/// Writes a report to the file of the caller's choice.
///
/// # Errors
/// The file is there already, or cannot be written.
pub fn write(content: &ReportContent, form: Form, file: &Path, progress: &mut dyn Progress) -> Result<(), Error> {
    output::write(file, render(content, form)?)?;
    progress.remark(&Remark::Written { what: FileKind::Report, file: file.to_owned() });
    Ok(())
}

/// Refuses a file that cannot take a document; for what works long before it writes.
///
/// # Errors
/// Its ending is neither that of a page nor that of Markdown, or it is there already.
pub fn check_document(file: &Path) -> Result<(), Error> {
    document_sink(file)?;
    output::free(file)
}

/// Writes a document to the file of the caller's choice: as a page, or as Markdown for a review.
///
/// # Errors
/// Its ending is neither that of a page nor that of Markdown, it is there already, or it cannot be written.
pub fn write_document(document: &Document, file: &Path, progress: &mut dyn Progress) -> Result<(), Error> {
    output::write(file, document_sink(file)?(document))?;
    progress.remark(&Remark::Written { what: FileKind::Report, file: file.to_owned() });
    Ok(())
}

fn document_sink(file: &Path) -> Result<fn(&Document) -> String, Error> {
    match Form::of_file(file) {
        Some(Form::Html) => Ok(html::document),
        Some(Form::Markdown) => Ok(markdown::document),
        _ => Err(no_form("report", file, ".html or .md")),
    }
}

/// Refuses a folder that cannot take what [`write_figures`] draws; for what works long before it draws.
///
/// # Errors
/// It is no folder, or has a picture that would be drawn.
pub fn check_figures(folder: &Path) -> Result<(), Error> {
    if folder.exists() && !folder.is_dir() {
        let no_folder = Error::field("figures", "this is not a folder");
        return Err(no_folder.with_value(folder.display()).with_remedy("name a folder"));
    }
    let drawn = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let of_costs = COST_PICTURES.iter().any(|(ending, _)| name.ends_with(&format!("{ending}.svg")));
        of_costs || Quantity::VALUES.iter().any(|quantity| name == format!("{}.svg", picture_of(*quantity)))
    };
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(drawn).try_for_each(|file| output::free(&file))
}

/// Draws into a folder what stands alone: samples over time, one picture a quantity, and what platforms cost programs.
///
/// # Errors
/// There is nothing to draw, or a picture cannot be written.
pub fn write_figures(content: &ReportContent, folder: &Path, progress: &mut dyn Progress) -> Result<(), Error> {
    let pictures: Vec<(String, String)> = moments(content).chain(costs(content)).collect();
    if pictures.is_empty() {
        return Err(Error::failed(
            "no run here has samples of an interrupt's latency or costs of programs, so there is nothing to draw",
        ));
    }
    make_folder(folder)?;
    for (name, picture) in pictures {
        let file = folder.join(name).with_extension("svg");
        output::write(&file, picture)?;
        progress.remark(&Remark::Written { what: FileKind::Picture, file });
    }
    Ok(())
}

/// Draws a picture of costs.
type Drawn = fn(&ProgramCosts, svg::Setting) -> String;

/// Latency against penalty, and what goes together with penalties, by the ending of the picture's name.
const COST_PICTURES: [(&str, Drawn); 2] = [("-decision", svg::decision), ("-scatter", svg::scatters)];

/// For each way of measuring costs that has them.
fn costs(content: &ReportContent) -> impl Iterator<Item = (String, String)> {
    let each = content.costs.iter().flat_map(|costs| {
        COST_PICTURES.map(|(ending, draw)| (format!("{}{ending}", costs.id), draw(costs, svg::Setting::Alone)))
    });
    each.filter(|(_, picture)| !picture.is_empty())
}

fn moments(content: &ReportContent) -> impl Iterator<Item = (String, String)> {
    let quantities: BTreeSet<Quantity> = content.moments.iter().map(|graph| graph.figures.quantity).collect();
    quantities.into_iter().map(|quantity| {
        let graphs: Vec<_> = content.moments.iter().filter(|graph| graph.figures.quantity == quantity).collect();
        (picture_of(quantity), svg::moments(&graphs, svg::Setting::Alone))
    })
}

fn picture_of(quantity: Quantity) -> String {
    words::quantity(quantity).replace(' ', "-")
}
