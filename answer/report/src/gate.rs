//! The gate's answer as a page: passed or failed, which figure moved by how much against how much spread, both sides' curves.

use crate::chart::LatencyAxis;
use crate::svg::{self, Setting};
use crate::view::figures::Figure;
use crate::view::headline::Reason;
use crate::view::{Cell, Document, Headline, Section, Table, Tone, document, with_content};
use crate::words;
use prazo_core::text::counted;
use prazo_run::run::Quantity;
use prazo_study::StudyResult;
use prazo_study::function_difference::FunctionDifference;
use prazo_study::gate::{Compared, Direction, GateExplanation, GateOutcome, GateResult, Movement};
use std::collections::BTreeMap;

/// So many figures stand on the first screen; all of them are below the charts.
const ROWS_MAX: usize = 8;

/// The page of a study that was held against a baseline; `None` where it was not. `command` makes it again.
pub fn page(study: &StudyResult, command: &str, made_at: &str) -> Option<Document> {
    let answer = study.gate.as_ref()?;
    let furthest = answer.furthest().or_else(|| answer.moved_first().next()).map(panel_of);
    let (first, others): (Vec<_>, Vec<_>) =
        panels(answer).into_iter().partition(|(panel, _)| furthest.as_ref() == Some(panel));
    Some(Document {
        title: format!("Gate: {}", study.title),
        made_at: made_at.to_owned(),
        headline: headline(answer, study.complete),
        opening: vec![Section::new("answer", "Figures at a glance").show(at_a_glance(answer))],
        answer: first.into_iter().map(|(_, figure)| figure).next(),
        figures: others.into_iter().map(|(_, figure)| figure).collect(),
        body: with_content(vec![explanation(answer), figures(answer), conditions(answer), document::repeat(command)]),
        ..Document::default()
    })
}

fn headline(answer: &GateResult, is_complete: bool) -> Headline {
    let (outcome, mark, tone) = match answer.outcome {
        _ if !is_complete => ("Inconclusive", "?", Tone::Unsure),
        GateOutcome::Unmoved => ("Passed", "✓", Tone::Good),
        GateOutcome::Moved => ("Failed", "✗", Tone::Bad),
        GateOutcome::Undecidable => ("Inconclusive", "?", Tone::Unsure),
    };
    let which = match answer.direction {
        Direction::Either => "no latency moves",
        Direction::Worse => "no latency becomes larger",
        Direction::Better => "no latency becomes smaller",
    };
    let reason = |role: &'static str, tone: Tone| move |text: String| Reason { role, tone, text };
    let open = answer.left_open().into_iter().map(reason("Prevents a pass", Tone::Unsure));
    let explained = answer.explained.as_ref().map(GateExplanation::sentence_of_cell);
    let explained = explained.map(reason("Explanation", Tone::Plain));
    let unexplained = answer.not_explained.clone().map(reason("Not explained", Tone::Quiet));
    let interrupted = "The study was interrupted; run it again to measure the rest.".to_owned();
    Headline {
        outcome: outcome.into(),
        mark,
        tone,
        asked: format!("{which} by more than the spread over the seeds; baseline: {}", answer.baseline),
        sentence: sentence(answer),
        warnings: if is_complete { Vec::new() } else { vec![interrupted] },
        // What moved stands in the table beside the chart.
        reasons: open.chain(explained).collect(),
        others: unexplained.into_iter().chain([reason("Method", Tone::Quiet)(answer.basis())]).collect(),
    }
}

/// The gate's line as a sentence.
fn sentence(answer: &GateResult) -> String {
    let details = answer.details();
    let mut letters = details.chars();
    let capital = letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>());
    capital.map_or_else(|| "The gate could not decide whether any figure moved.".into(), |text| format!("{text}."))
}

/// What was compared, those that moved first: as many as the first screen holds.
fn at_a_glance(answer: &GateResult) -> Table {
    let more = answer.compared.len().saturating_sub(ROWS_MAX);
    let note = format!("{} in the table below.", counted(more as u64, "more figure"));
    let columns = ["Figure", "#Baseline", "#This run", "#Shift", "#Threshold", "Movement"];
    let row = |one: &Compared| {
        let subject = match one.quantity {
            Quantity::ResponseLatency => format!("{}, {}", one.cell, one.figure),
            _ => one.subject(),
        };
        let mut row = vec![subject.into()];
        row.extend(in_figures(one));
        row
    };
    Table::new("Compared figures, moved ones at the top", &columns)
        .with(answer.moved_first().take(ROWS_MAX).map(row))
        .note("Latencies are response latencies unless stated otherwise; a range is from the smallest to the largest value over the seeds. A figure moved if its shift exceeds the threshold.")
        .note(if more > 0 { note } else { String::new() })
}

/// The functions that make the difference; empty without an explanation.
fn explanation(answer: &GateResult) -> Section {
    let section = Section::new("explanation", "What made the difference");
    let Some(explained) = &answer.explained else { return section };
    let row = |one: &FunctionDifference| {
        let times = [one.times.against_ns, one.times.run_ns, one.times.difference_ns];
        std::iter::once(one.name.as_str().into()).chain(times.map(|ns| Cell::latency(Some(ns)))).collect()
    };
    let columns = ["Function", "#Baseline", "#This run", "#Difference"];
    let table = Table::new("Own time of functions in the two activations, the largest difference first", &columns)
        .with(explained.functions.iter().map(row))
        .notes(explained.omitted())
        .in_one_unit();
    let [run, against] = explained.activations();
    section.say(explained.sentence_of_cell()).say(run).say(against).show(table)
}

fn figures(answer: &GateResult) -> Section {
    let columns =
        ["Cell", "Quantity", "Figure", "#Baseline", "#This run", "#Shift", "#Threshold", "Movement", "Why not decided"];
    let row = |one: &Compared| {
        let mut row: Vec<Cell> =
            vec![one.cell.as_str().into(), words::quantity(one.quantity).into(), one.figure.as_str().into()];
        row.extend(in_figures(one));
        row.push(one.reason.as_deref().unwrap_or_default().into());
        row
    };
    let table = Table::new("All compared figures, moved ones at the top", &columns).with(answer.moved_first().map(row));
    Section::new("all-figures", "Every figure that was compared").say(format!("{}.", answer.basis())).show(table)
}

/// Both ranges, the shift, the threshold and what came of it.
fn in_figures(one: &Compared) -> [Cell; 5] {
    let range =
        |ends: Option<prazo_stats::observed_range::Ends>| Cell::range(ends.map(|ends| (ends.low_ns, ends.high_ns)));
    let tone = match one.movement {
        Movement::None => Tone::Plain,
        Movement::Worse => Tone::Bad,
        Movement::Better => Tone::Good,
        Movement::Undecidable => Tone::Unsure,
    };
    let movement = Cell::toned(one.movement.to_string(), tone);
    [range(one.baseline), range(one.found), Cell::mean(one.gap_ns), Cell::mean(one.needed_ns), movement]
}

fn conditions(answer: &GateResult) -> Section {
    let columns = ["Cell", "Condition", "Baseline", "This run"];
    let differs = answer.differs.iter().map(|one| {
        let texts = [&one.cell, &one.baseline, &one.found].map(|text| Cell::from(text.as_str()));
        let [cell, baseline, found] = texts;
        vec![cell, one.condition.name().into(), baseline, found]
    });
    let left = answer.left.iter().map(|left| vec![left.cell.as_str().into(), left.reason.as_str().into()]);
    Section::new("conditions", "Conditions that differ, and cells that were not completely compared")
        .show(Table::new("Conditions that differ, as allowed", &columns).with(differs))
        .show(Table::new("Cells that were not completely compared", &["Cell", "Why"]).with(left))
}

/// Which chart a figure is in.
type Panel = (String, Quantity);

fn panel_of(one: &Compared) -> Panel {
    (one.cell.clone(), one.quantity)
}

/// A chart for each cell and quantity, all over one latency axis.
fn panels(answer: &GateResult) -> Vec<(Panel, Figure)> {
    let mut all: BTreeMap<Panel, Vec<&Compared>> = BTreeMap::new();
    let drawn = answer.compared.iter().filter(|one| one.share_later().is_some());
    drawn.for_each(|one| all.entry(panel_of(one)).or_default().push(one));
    let Some(axis) = axis(answer) else { return Vec::new() };
    all.into_iter()
        .enumerate()
        .map(|(at, (panel, compared))| {
            let figure = figure(at, &panel, &compared, &axis);
            (panel, figure)
        })
        .collect()
}

fn axis(answer: &GateResult) -> Option<LatencyAxis> {
    let drawn = answer.compared.iter().filter(|one| one.share_later().is_some());
    let ends: Vec<_> = drawn.flat_map(|one| [one.baseline, one.found]).flatten().collect();
    let low = ends.iter().map(|ends| ends.low_ns).reduce(f64::min)?;
    let high = ends.iter().map(|ends| ends.high_ns).reduce(f64::max)?;
    Some(LatencyAxis::spanning(low.floor() as i64, high.ceil() as i64, 1))
}

fn figure(at: usize, (cell, quantity): &Panel, compared: &[&Compared], axis: &LatencyAxis) -> Figure {
    let title = format!("{cell}: {}, baseline and this run", words::quantity(*quantity));
    let row = |one: &&Compared| {
        let mut row = vec![one.figure.as_str().into()];
        row.extend(in_figures(one));
        row
    };
    let columns = ["Figure", "#Baseline", "#This run", "#Shift", "#Threshold", "Movement"];
    let table = Table::new(&title, &columns).with(compared.iter().map(row)).in_one_unit().folded();
    Figure {
        id: format!("curves-{at}"),
        picture: svg::moved(&title, compared, axis, Setting::InPage),
        title,
        caption: "Share of activations above a latency, drawn from the figures that a baseline contains: median, 99 %, 99.9 % and maximum. Bands: from the smallest to the largest figure over the seeds."
            .into(),
        notes: Vec::new(),
        table,
    }
}
