//! Made-up evidence as a report: `cargo run -p prazo-report --example demo -- OUT.html [CASE] [FILE...]`.
//!
//! CASE is one of pass, fail, inconclusive, hostile, empty, negative, long, study, cost, compare, import, acceptance, test, queues, simulate, gate, history;
//! `import` reads cyclictest histograms given as FILEs.
//! The ending of OUT chooses the sink: .html, .md, .json, .txt or .svg.

#[path = "../tests/common/acceptance.rs"]
mod experiment;

#[path = "../tests/common/mod.rs"]
mod common;

#[path = "../tests/common/documents.rs"]
mod documents;

use prazo_report::chart::Charts;
use prazo_report::view::Document;
use prazo_report::{ReportContent, acceptance, html, json, markdown, svg, terminal};
use std::path::{Path, PathBuf};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let out = PathBuf::from(arguments.next().unwrap_or_else(|| "report.html".into()));
    let case = arguments.next().unwrap_or_else(|| "pass".into());
    let files: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    let text = match documents::case(&case) {
        Some(document) => page(&document, &out),
        None if case == "acceptance" => curves(&out),
        None => latencies(&case, &files, &out),
    };
    std::fs::write(&out, text).unwrap_or_else(|error| panic!("{} could not be written: {error}", out.display()));
}

fn page(document: &Document, out: &Path) -> String {
    match out.extension().and_then(|ending| ending.to_str()) {
        Some("md") => markdown::document(document),
        _ => html::document(document),
    }
}

fn curves(out: &Path) -> String {
    let figure = experiment::figure();
    match out.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => svg::acceptance(&figure.panels[0], svg::Setting::Alone),
        _ => acceptance::render(&figure),
    }
}

fn latencies(case: &str, files: &[PathBuf], out: &Path) -> String {
    let evidence =
        common::case(case, files).unwrap_or_else(|| panic!("no case '{case}'; see the first lines of this example"));
    text(&evidence, out)
}

fn text(content: &ReportContent, out: &Path) -> String {
    match out.extension().and_then(|ending| ending.to_str()) {
        Some("md") => markdown::render(content),
        Some("json") => json::render_pretty(content),
        Some("txt") => terminal::render(content, &terminal::Style { details: true, ..Default::default() }),
        Some("svg") => svg::histogram(
            &Charts::of(content).expect("this case has samples"),
            svg::Heights::Counts,
            svg::Setting::Alone,
        ),
        _ => html::render(content),
    }
}
