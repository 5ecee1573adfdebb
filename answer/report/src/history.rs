//! The history of a gate as a page: the changes, and each figure over the baselines.

use crate::svg::{self, Setting};
use crate::view::figures::Figure;
use crate::view::headline::Reason;
use crate::view::{Cell, Document, Headline, Section, Table, Tone, document, with_content};
use crate::words;
use prazo_run::run::Quantity;
use prazo_stats::repeats::Spread;
use prazo_study::gate::history::{FigureHistory, HistoryChange, HistoryPoint, HistoryResult};
use std::collections::BTreeMap;

/// The page; `command` makes it again.
pub fn page(history: &HistoryResult, command: &str, made_at: &str) -> Document {
    let mut figures: Vec<Figure> = panels(history).iter().enumerate().map(|(at, panel)| figure(at, panel)).collect();
    let answer = (!figures.is_empty()).then(|| figures.remove(0));
    Document {
        title: format!("History: {}", history.study),
        made_at: made_at.to_owned(),
        headline: headline(history),
        opening: vec![at_a_glance(history)],
        answer,
        figures,
        body: with_content(vec![tests(history), remarks(history), document::repeat(command)]),
        ..Document::default()
    }
}

/// The figures that one chart shows: those of one quantity, in one part of a cell's history. What changed most stands first.
pub fn panels(history: &HistoryResult) -> Vec<Vec<&FigureHistory>> {
    let mut all: BTreeMap<(&str, usize, Quantity), Vec<&FigureHistory>> = BTreeMap::new();
    let has_values = |one: &FigureHistory| one.points.iter().any(|point| point.reason.is_none());
    let drawn = history.histories.iter().filter(|one| one.is_latency() && has_values(one));
    drawn.for_each(|one| all.entry((&one.cell, one.part, one.quantity)).or_default().push(one));
    let mut panels: Vec<_> = all.into_values().collect();
    let changes = |panel: &Vec<&FigureHistory>| panel.iter().map(|one| one.changes.len()).sum::<usize>();
    panels.sort_by_key(|panel| std::cmp::Reverse(changes(panel)));
    panels
}

fn headline(history: &HistoryResult) -> Headline {
    let changed = history.histories.iter().filter(|one| !one.changes.is_empty()).count();
    let (outcome, mark, tone) = match changed {
        _ if !history.decided => ("Inconclusive", "?", Tone::Unsure),
        0 => ("No change found", "–", Tone::Plain),
        _ => ("Changes", "!", Tone::Unsure),
    };
    let reason = |role: &'static str, tone: Tone| move |text: String| Reason { role, tone, text };
    Headline {
        outcome: outcome.into(),
        mark,
        tone,
        sentence: format!("{}.", history.sentence()),
        reasons: history.remarks().into_iter().map(reason("To know", Tone::Unsure)).collect(),
        others: vec![reason("Method", Tone::Quiet)(history.basis())],
        ..Headline::default()
    }
}

/// The changes; without one, what stands in the first chart.
fn at_a_glance(history: &HistoryResult) -> Section {
    let first = panels(history).into_iter().next();
    match first.filter(|_| history.changes().is_empty()) {
        Some(panel) => Section::new("answer", "Figures at a glance").show(points(&title(&panel), &panel)),
        None => Section::new("answer", "Changes at a glance").show(changes(history)),
    }
}

/// Every change.
pub fn changes(history: &HistoryResult) -> Table {
    let columns =
        ["Figure", "Last before", "First after", "#Before", "#After", "#Shift", "#p", "Significant over all figures"];
    let row = |(figure, change): (&FigureHistory, &HistoryChange)| {
        let level = |ns: f64| Cell::mean(Some(ns));
        let tone = if change.shift_ns > 0.0 { Tone::Bad } else { Tone::Good };
        vec![
            figure.subject().into(),
            change.before.as_str().into(),
            change.first.as_str().into(),
            level(change.before_ns),
            level(change.after_ns),
            Cell { tone, ..level(change.shift_ns) },
            change.probability_text().into(),
            if change.holds_over_all { "yes" } else { "no" }.into(),
        ]
    };
    Table::new("Changes of a level, smallest p first", &columns)
        .with(history.changes().into_iter().map(row))
        .note("Before and after: medians of all values between two changes. p: probability of a split as clear if the baselines could have come in any order.")
}

/// The points of some figures, one row for each; a value that begins a new level is marked.
pub fn points(title: &str, panel: &[&FigureHistory]) -> Table {
    let mut columns = vec!["Baseline".to_owned(), "#Seeds".to_owned()];
    columns.extend(panel.iter().map(|one| format!("#{}", capital(&one.figure))));
    columns.push("New level of".to_owned());
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    let all = panel.first().map_or(&[][..], |one| &one.points);
    let row = |(at, point): (usize, &HistoryPoint)| {
        let seeds = panel.iter().map(|one| one.points[at].values_ns.len()).max().unwrap_or(0);
        let mut row = vec![point.label.as_str().into(), Cell::count(Some(seeds as u64))];
        row.extend(panel.iter().map(|one| cell(&one.points[at])));
        row.push(new_levels(panel, &point.label).into());
        row
    };
    Table::new(title, &names).with(all.iter().enumerate().map(row)).in_one_unit()
}

fn cell(point: &HistoryPoint) -> Cell {
    Cell::range(Spread::of(&point.values_ns).map(|of| (of.low, of.high)))
}

/// The figures whose new level begins with a point.
fn new_levels(panel: &[&FigureHistory], label: &str) -> String {
    let begins = |one: &&&FigureHistory| one.changes.iter().any(|change| change.first == label);
    panel.iter().filter(begins).map(|one| one.figure.as_str()).collect::<Vec<_>>().join(", ")
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// What a panel shows.
pub fn title(panel: &[&FigureHistory]) -> String {
    panel.first().map_or_else(String::new, |one| {
        format!("{}: {} by {}", one.place(), words::quantity(one.quantity), one.ordered_by.name())
    })
}

fn figure(at: usize, panel: &[&FigureHistory]) -> Figure {
    let title = title(panel);
    Figure {
        id: format!("history-{at}"),
        picture: svg::history(&title, panel, Setting::InPage),
        caption: "Each figure over the baselines: the line joins the medians of the seeds, the band is their range. Dashed: a new level begins.".into(),
        notes: Vec::new(),
        table: points(&title, panel).folded(),
        title,
    }
}

fn tests(history: &HistoryResult) -> Section {
    let columns = ["Figure", "Ordered by", "#Baselines", "#Changes", "#p", "Why not tested"];
    let row = |one: &FigureHistory| {
        let known = one.points.iter().filter(|point| point.reason.is_none()).count();
        vec![
            one.subject().into(),
            one.ordered_by.name().into(),
            Cell::count(Some(known as u64)),
            Cell::count(Some(one.changes.len() as u64)),
            one.probability.map_or_else(Cell::absent, |p| format!("{p:.4}").into()),
            one.reason.as_deref().unwrap_or_default().into(),
        ]
    };
    let table = Table::new("Every figure", &columns).with(history.histories.iter().map(row)).note(
        "p: probability of the clearest split of the whole history if the baselines could have come in any order.",
    );
    Section::new("tests", "Every figure that was tested").say(format!("{}.", history.basis())).show(table)
}

fn remarks(history: &HistoryResult) -> Section {
    let rows = history.remarks().into_iter().map(|text| vec![text.into()]);
    Section::new("left-out", "What is not in the history, or was not tested")
        .show(Table::new("Remarks", &["Remark"]).with(rows))
}
