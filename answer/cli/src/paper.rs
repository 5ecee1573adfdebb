//! Evidence written down: as a page, Markdown, text or JSON, to a file or to standard output.

use crate::exit::Failure;
use crate::{out, output};
use clap::ValueEnum;
use prazo_report::schedulability::Dossier;
use prazo_report::{Evidence, html, json, markdown, svg, terminal, words};
use prazo_run::run::Quantity;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::Path;

/// The forms of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
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
    /// The form that a file's ending asks for.
    pub(crate) fn of_file(file: &Path) -> Option<Self> {
        match file.extension()?.to_str()? {
            "html" | "htm" => Some(Self::Html),
            "md" | "markdown" => Some(Self::Markdown),
            "txt" => Some(Self::Text),
            "json" => Some(Self::Json),
            "svg" => Some(Self::Svg),
            _ => None,
        }
    }
}

/// The report in this form; a picture needs at least one sample.
pub(crate) fn render(evidence: &Evidence, form: Form) -> Result<String, Failure> {
    Ok(match form {
        Form::Html => html::render(evidence),
        Form::Markdown => markdown::render(evidence, &markdown::Pictures::default()),
        Form::Text => terminal::render(evidence, &terminal::Style { details: true, ..terminal::Style::default() }),
        Form::Json => json::render_pretty(evidence),
        Form::Svg => {
            let charts = prazo_report::chart::Charts::of(evidence);
            let charts =
                charts.ok_or_else(|| Failure::usage("no run here has a sample, so there is nothing to draw"))?;
            svg::histogram(&charts, svg::Heights::Counts, svg::Setting::Alone)
        }
    })
}

/// Writes a report to the file of the user's choice.
pub(crate) fn write(evidence: &Evidence, form: Form, file: &Path) -> Result<(), Failure> {
    Ok(output::write(file, render(evidence, form)?)?)
}

/// Writes the page of a results folder, which a resumed command writes again.
pub(crate) fn write_own(evidence: &Evidence, file: &Path) -> Result<(), Failure> {
    Ok(output::replace(file, render(evidence, Form::Html)?)?)
}

/// Draws into a folder what stands alone: samples over time, one picture a quantity, and what platforms cost programs.
/// That there is nothing of either is said.
pub(crate) fn write_figures(evidence: &Evidence, folder: &Path) -> Result<(), Failure> {
    let pictures: Vec<(String, String)> = moments(evidence).chain(costs(evidence)).collect();
    if pictures.is_empty() {
        return Err(Failure::world(
            "no run here kept the samples of an interrupt's latency or costed programs, so there is nothing to draw",
        ));
    }
    std::fs::create_dir_all(folder).map_err(Failure::world)?;
    for (name, picture) in pictures {
        let file = folder.join(name).with_extension("svg");
        output::write(&file, picture)?;
        out::note(format_args!("picture: {}", file.display()));
    }
    Ok(())
}

/// Latency against penalty, and what goes together with penalties, for each way of measuring that has them.
fn costs(evidence: &Evidence) -> impl Iterator<Item = (String, String)> {
    let both = evidence.costs.iter().flat_map(|costs| {
        let decision = (format!("{}-decision", costs.id), svg::decision(costs, svg::Setting::Alone));
        [decision, (format!("{}-scatter", costs.id), svg::scatters(costs, svg::Setting::Alone))]
    });
    both.filter(|(_, picture)| !picture.is_empty())
}

fn moments(evidence: &Evidence) -> impl Iterator<Item = (String, String)> {
    let quantities: BTreeSet<Quantity> = evidence.moments.iter().map(|graph| graph.figures.quantity).collect();
    quantities.into_iter().map(|quantity| {
        let graphs: Vec<_> = evidence.moments.iter().filter(|graph| graph.figures.quantity == quantity).collect();
        (words::quantity(quantity).replace(' ', "-"), svg::moments(&graphs, svg::Setting::Alone))
    })
}

/// Prints a report on standard output, with colours where that is a terminal and NO_COLOR is not set.
pub(crate) fn print(evidence: &Evidence) -> Result<(), Failure> {
    out::rendered(&terminal::render(evidence, &style()))
}

/// Prints the answer about a task set.
pub(crate) fn print_schedulability(dossier: &Dossier<'_>) -> Result<(), Failure> {
    out::rendered(&terminal::schedulability::render(dossier, &style()))
}

/// As wide as the terminal, or as COLUMNS says.
fn style() -> terminal::Style {
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let width = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).or_else(terminal_width).unwrap_or(100);
    terminal::Style { width, colour, details: false }
}

fn terminal_width() -> Option<usize> {
    let is_terminal = std::io::stdout().is_terminal();
    let size = ratatui::crossterm::terminal::size().ok().filter(|_| is_terminal)?;
    Some(usize::from(size.0))
}
