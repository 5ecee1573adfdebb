//! The answer as Markdown, for a review, an issue or a wiki: verdict and table of the judged runs, all else folded.
//!
//! Text from runs is escaped, so that a hostile name stays text: no element, no link, no table of its own.

use crate::chart::Charts;
use crate::content::ReportContent;
use crate::terminal::bars;
use crate::view::headline::{self, Reason};
use crate::view::{self, Cell, Document, Headline, Section, Table, Tone};
use prazo_core::text::in_markdown;

/// The verdict, the judged runs and the worst culprits; the rest of the report is folded below them.
pub fn render(content: &ReportContent) -> String {
    let content = &content.with_short_names();
    let title = if content.title.is_empty() { "Latency report" } else { &content.title };
    let opening = opened(title, &headline::headline(content), &view::opening(content));
    let rest = figures(content) + &sections(&view::body(content));
    opening + &rest_folded("Charts, caveats, platform and how to repeat the runs", &rest)
}

/// A document: the verdict and the tables of the first screen; each chart as its table and the rest are folded below them.
pub fn document(document: &Document) -> String {
    let opening = opened(&document.title, &document.headline, &document.opening);
    let drawn: String = document.answer.iter().chain(&document.figures).map(|figure| table(&figure.table)).collect();
    opening + &rest_folded("Charts as tables, and how to repeat the report", &(drawn + &sections(&document.body)))
}

/// What a review shows before anything is unfolded.
fn opened(title: &str, headline: &Headline, opening: &[Section]) -> String {
    format!("# {}\n\n{}{}", in_markdown(title), head(headline), sections(opening))
}

fn sections(all: &[Section]) -> String {
    all.iter().map(section).collect()
}

fn rest_folded(title: &str, rest: &str) -> String {
    if rest.is_empty() { String::new() } else { folded(title, rest) }
}

fn head(headline: &Headline) -> String {
    let mut text: String =
        headline.warnings.iter().map(|warning| format!("> ⚠ {}\n>\n", in_markdown(warning))).collect();
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&format!("**{}.** {}\n\n", headline.outcome, in_markdown(&headline.sentence)));
    if !headline.asked.is_empty() {
        text.push_str(&format!("Requirement: {}.\n\n", in_markdown(&headline.asked)));
    }
    text.extend(headline.reasons.iter().map(reason));
    text.push('\n');
    if !headline.others.is_empty() {
        let others: String = headline.others.iter().map(reason).collect();
        text.push_str(&folded(&format!("Other reasons ({})", headline.others.len()), &others));
    }
    text
}

fn reason(reason: &Reason) -> String {
    format!("- {}: {}\n", reason.role, in_markdown(&reason.text))
}

/// A part that a reader opens; empty lines, so that Markdown inside is read as such.
fn folded(title: &str, text: &str) -> String {
    format!("<details><summary>{}</summary>\n\n{text}\n</details>\n\n", in_markdown(title))
}

/// Histograms of characters, which every reader of Markdown shows.
fn figures(content: &ReportContent) -> String {
    let drawn = |charts| format!("## Charts\n\n```text\n{}```\n\n", bars(&charts, 72).replace('`', "'"));
    Charts::of(content).map(drawn).unwrap_or_default()
}

fn section(section: &Section) -> String {
    let mut text = format!("## {}\n\n", section.heading);
    section.sentences.iter().for_each(|sentence| text.push_str(&format!("{}\n\n", in_markdown(sentence))));
    section.tables.iter().for_each(|shown| text.push_str(&table(shown)));
    text
}

fn table(table: &Table) -> String {
    let names: Vec<String> = table.columns.iter().map(|column| in_markdown(&column.name).to_string()).collect();
    let rule: Vec<&str> = table.columns.iter().map(|column| if column.figures { "---:" } else { "---" }).collect();
    let mut text =
        format!("**{}**\n\n| {} |\n| {} |\n", in_markdown(&table.caption), names.join(" | "), rule.join(" | "));
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(cell).collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    text.push('\n');
    table.notes.iter().for_each(|note| text.push_str(&format!("- {}\n", in_markdown(note))));
    if table.notes.is_empty() { text } else { text + "\n" }
}

/// A cell, the sentences behind it folded away.
fn cell(cell: &Cell) -> String {
    let text = styled(&in_markdown(&cell.text).to_string(), cell.tone);
    if cell.more.is_empty() {
        return text;
    }
    let more: Vec<String> = cell.more.iter().map(|line| in_markdown(line).to_string()).collect();
    format!("{text}<details><summary>{} in all</summary>{}</details>", more.len(), more.join("<br>"))
}

fn styled(text: &str, tone: Tone) -> String {
    match tone {
        Tone::Good | Tone::Bad | Tone::Unsure if !text.is_empty() => format!("**{text}**"),
        _ => text.to_owned(),
    }
}
