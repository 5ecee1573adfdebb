//! One HTML file that needs nothing else: no network, no other file, no script to be read.
//!
//! Every text passes the template's escaping or that of the pictures, so that a hostile run name can end no element. A content security policy forbids every request, and every script but ours.

use crate::chart::line::run_colours;
use crate::chart::{CURVES_MAX, Charts};
use crate::content::ReportContent;
use crate::cost;
use crate::svg::{self, COLOURS, Heights, Setting};
use crate::view::figures::{self, Figure};
use crate::view::{self, Document, headline};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, context};
use prazo_run::run::Quantity;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");

/// Lets a reader point, zoom and choose in the pictures; the page is complete without it.
const SCRIPT: &str = include_str!("page/charts.js");

/// The whole page of a report on runs.
pub fn render(content: &ReportContent) -> String {
    let content = &content.with_short_names();
    let charts = Charts::of(content);
    document(&Document {
        title: if content.title.is_empty() { "Latency report".into() } else { content.title.clone() },
        made_at: content.made_at.clone(),
        headline: headline::headline(content),
        opening: view::opening(content),
        answer: answer(content),
        figures: drawn(content, charts.as_ref()),
        body: view::body(content),
        colours: run_colours(content).map(|(run, colour)| (run.to_owned(), colour % COLOURS)).collect(),
    })
}

/// The whole page of a document.
pub fn document(page: &Document) -> String {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_syntax(syntax());
    environment.add_template("page", TEMPLATE).expect("the page's template is part of the program and parses");
    let template = environment.get_template("page").expect("it was added above");
    template
        .render(context! {
            page => Value::from(Serde(page)), colours => Value::from(Serde(&page.colours)), style => STYLE, script => SCRIPT, script_hash => script_hash(),
            version => env!("CARGO_PKG_VERSION"),
        })
        .expect("the page's template uses only what it is given")
}

/// Block tags leave no empty lines behind.
fn syntax() -> SyntaxConfig {
    SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().expect("the usual delimiters are valid")
}

/// The hash by which the content security policy allows our script and no other.
fn script_hash() -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(SCRIPT)))
}

/// How many activations of the judged runs come later than a latency, up to the deadline and beyond.
fn answer(content: &ReportContent) -> Option<Figure> {
    if view::is_answered_by_claims(content) {
        return None;
    }
    let charts = Charts::of_answer(content)?;
    let (drawn, all) = (charts.exceedances.lines.len(), content.judged().count());
    let left_out = (drawn < all && drawn == CURVES_MAX)
        .then(|| format!("Of {all} runs, only the {drawn} with the largest latencies are drawn."));
    Some(Figure {
        id: "later-than".into(),
        title: figures::ANSWER.into(),
        caption: "A curve crosses 10⁻³ at the latency that 1 of 1,000 activations reaches or exceeds. Both axes are logarithmic."
            .into(),
        notes: left_out.into_iter().collect(),
        picture: svg::exceedance(&charts, Setting::InPage),
        table: figures::exceedance(figures::ANSWER, &charts),
    })
}

/// What decides first: what is paid for which latency, then the latencies.
fn drawn(content: &ReportContent, charts: Option<&Charts>) -> Vec<Figure> {
    let latencies = charts.map(figures_of).into_iter().flatten();
    cost::figures(content).chain(latencies).chain(moments(content)).collect()
}

fn figures_of(charts: &Charts) -> Vec<Figure> {
    let mut figures = vec![histogram(charts), exceedance(charts)];
    if !charts.timelines.panels.is_empty() {
        figures.push(timeline(charts));
    }
    figures
}

fn histogram(charts: &Charts) -> Figure {
    let resolution = crate::words::latency(charts.resolution_ns);
    Figure {
        id: "histogram".into(),
        title: "How often each latency occurred".into(),
        caption: format!(
            "Both axes are logarithmic, so a single late wake-up among millions is visible{}. All runs share the same bins: up to 40 per decade, at least {resolution} wide, the resolution of the coarsest source.",
            around_zero(charts)
        ),
        notes: few(charts.histograms.lines.iter().filter_map(figures::beyond).collect()),
        picture: measures(charts),
        table: figures::histogram(charts),
    }
}

/// The histograms twice: the script shows the one or the other, without it there are the counts.
fn measures(charts: &Charts) -> String {
    let measure = |name: &str, heights: Heights, hidden: &str| {
        let picture = svg::histogram(charts, heights, Setting::InPage);
        format!("<div data-measure=\"{name}\"{hidden}>{picture}</div>")
    };
    measure("Counts", Heights::Counts, "") + &measure("Shares of each run", Heights::Shares, " hidden")
}

/// Says that the axis is linear where a logarithm has no place.
fn around_zero(charts: &Charts) -> String {
    let linear = crate::words::latency(charts.axis.linear_ns);
    if charts.axis.low_ns > 0 {
        String::new()
    } else {
        format!(" (the latency axis is linear between -{linear} and {linear})")
    }
}

/// More notes than this are left to the table below a figure.
const NOTES_MAX: usize = 3;

/// A few notes as they are; of many, their number, since the table has them all.
fn few(notes: Vec<String>) -> Vec<String> {
    match notes.len() {
        0..=NOTES_MAX => notes,
        many => {
            vec![format!(
                "{many} histograms have samples of unknown value beyond their bound; the table lists these histograms."
            )]
        }
    }
}

fn exceedance(charts: &Charts) -> Figure {
    let due = charts.exceedances.lines.iter().any(|line| line.due.is_some());
    let (title, due) = match due {
        true => (figures::SERVED_AND_DUE, "Solid: per served wake-up; dashed: per due activation."),
        false => (figures::SAMPLES, "Per sample."),
    };
    let deadline = match charts.deadline_ns {
        Some(_) => "A curve's height at the deadline's line is the share of latencies at or above the deadline.",
        None => "At each latency, the height of a curve is the share of samples at or above that latency.",
    };
    Figure {
        id: "exceedance".into(),
        title: title.into(),
        caption: format!("{deadline} Shaded: shares smaller than one sample, for which there is no evidence. {due}"),
        notes: charts.exceedances.lines.iter().filter_map(|line| line.due_note.clone()).take(NOTES_MAX).collect(),
        picture: svg::exceedance(charts, Setting::InPage),
        table: figures::exceedance(title, charts),
    }
}

fn timeline(charts: &Charts) -> Figure {
    let widest = charts.timelines.panels.iter().map(|panel| panel.point_s).max().unwrap_or(1);
    let thinned = match widest {
        1 => "One point per second".to_owned(),
        seconds => format!("Each point covers up to {seconds} seconds"),
    };
    let gaps = charts.timelines.panels.iter().flat_map(|panel| &panel.loads).any(|load| load.gaps_closed);
    let gaps = gaps
        .then(|| "Loads were switched on and off within the time of one point; their pauses are not drawn.".to_owned());
    Figure {
        id: "timeline".into(),
        title: "When the latencies occurred".into(),
        caption: format!(
            "{thinned}. Line: largest latency; band: smallest to mean. All panels share one vertical scale and one time axis; a dark \
             mark on an edge is a value outside the scale. Shaded: a load was on. Red marks on the lower edge: missed or skipped \
             activations. Striped: warm-up."
        ),
        notes: gaps.into_iter().collect(),
        picture: svg::timeline(charts, Setting::InPage),
        table: figures::timeline(charts),
    }
}

/// A figure for each quantity whose samples were kept.
fn moments(content: &ReportContent) -> impl Iterator<Item = Figure> {
    let quantities: BTreeSet<Quantity> = content.moments.iter().map(|graph| graph.figures.quantity).collect();
    quantities.into_iter().map(|quantity| {
        let graphs: Vec<_> = content.moments.iter().filter(|graph| graph.figures.quantity == quantity).collect();
        let name = crate::words::quantity(quantity);
        Figure {
            id: name.replace(' ', "-"),
            title: format!("Each {name} over time"),
            caption: "Each point is a sample at the time of its trigger. All graphs share one scale; a triangle marks a sample above it. M, SD, Mn, Mx: mean, standard deviation, minimum and maximum of the plotted samples."
                .into(),
            notes: Vec::new(),
            picture: svg::moments(&graphs, Setting::InPage),
            table: figures::moments(&graphs),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_report_is_a_whole_page() {
        let page = render(&ReportContent::default());
        assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
        assert!(page.contains("There are no runs to judge."));
    }
}
