//! What the page says around its charts: the tally above them; the claims, each curve in figures, what was charged, behind.

use super::{CostLine, CostPanel, Curve, Figure, Panel};
use crate::content::ReportContent;
use crate::view::{Cell, Headline, Section, Table, Tone, claims, with_content};
use crate::words;
use prazo_core::text::counted;
use prazo_experiment::overhead_figures;
use prazo_verdict::claim::Tally;

/// The claims in one line, or that there is none.
pub(super) fn headline(figure: &Figure) -> Headline {
    let Tally { held, not_held: not, undecidable: open } = Tally::of(&figure.claims);
    let (mark, tone) = match (held, not + open) {
        (0, 0) => ("↔", Tone::Quiet),
        (_, 0) => ("✓", Tone::Good),
        _ => ("≠", Tone::Unsure),
    };
    let all = figure.claims.len();
    let outcome =
        if all == 0 { "Acceptance".into() } else { format!("{held} of {} held", counted(all as u64, "claim")) };
    let sets: u64 = figure.panels.iter().filter_map(|panel| panel.curves.first()).map(sets).sum();
    let judged = format!("{}, each tested for every curve of its panel", counted(sets, "task set"));
    let claims = format!("; of the claims, the curves support {held}, contradict {not} and cannot decide {open}");
    let sentence = format!("{judged}{}.", if all == 0 { String::new() } else { claims });
    let missing = "The experiment is not complete, so no claim is decided yet.".to_owned();
    Headline {
        outcome,
        mark,
        tone,
        asked: figure.question.trim_end_matches(['?', '.']).to_owned(),
        sentence,
        warnings: if figure.is_complete { vec![] } else { vec![missing] },
        reasons: vec![],
        others: vec![],
    }
}

fn sets(curve: &Curve) -> u64 {
    curve.points.iter().map(|point| point.sets).sum()
}

/// Behind the charts: what became of the claims first.
pub(super) fn body(figure: &Figure) -> Vec<Section> {
    let evidence = ReportContent { claims: figure.claims.clone(), ..ReportContent::default() };
    with_content(vec![claims::section(&evidence), curves(figure), overheads(figure), facts(figure)])
}

fn curves(figure: &Figure) -> Section {
    let names = ["Curve", "#Weighted acceptance", "#Sets", "#Accepted", "#At work limit", "Proven by"];
    let tables = figure.panels.iter().map(|panel| Table::new(&panel.title, &names).with(panel.curves.iter().map(row)));
    let said = "Weighted acceptance is the sum of utilization times the share accepted, divided by the sum of utilization. Near 1, task sets are accepted up to nearly full utilization. A set is at the work limit if a test stopped at its limit of evaluated terms without a decision; it counts as not accepted.";
    tables.fold(Section::new("curves", "Curves as numbers").say(said), Section::show)
}

fn row(curve: &Curve) -> Vec<Cell> {
    let count = |of: fn(&super::Point) -> u64| Cell::count(Some(curve.points.iter().map(of).sum()));
    let weighted = curve.weighted_acceptance.map_or_else(Cell::absent, |share| words::decimals(share, 4).into());
    let decided = curve.decided.iter().map(|(by, count)| format!("{by} {}", words::count(*count)));
    vec![
        curve.label.as_str().into(),
        weighted,
        count(|point| point.sets),
        count(|point| point.accepted),
        count(|point| point.budget_spent),
        decided.collect::<Vec<_>>().join("; ").into(),
    ]
}

fn overheads(figure: &Figure) -> Section {
    let table = Table::new("Overheads charged", &["Platform", "Scheduler", "Overhead", "Amount", "Source"]);
    let rows = figure.overheads.iter().map(|row| {
        [&row.platform, &row.scheduler, &row.overhead, &row.amount, &row.source].map(|text| text.as_str().into()).into()
    });
    Section::new("overheads", "Assumed overheads of the operating system").show(table.with(rows))
}

fn facts(figure: &Figure) -> Section {
    let facts = figure.facts.iter().map(|(name, value)| vec![name.as_str().into(), value.as_str().into()]);
    let command = (!figure.command.is_empty()).then(|| vec!["command".into(), Cell::code(&figure.command)]);
    let table = Table::new("Facts", &["What", "Value"]).with(facts.chain(command));
    Section::new("repeat", "How to repeat this").show(table)
}

/// A panel's shares, one row a utilization.
pub(super) fn shares(panel: &Panel) -> Table {
    let names: Vec<String> = std::iter::once("#Utilization".to_owned())
        .chain(panel.curves.iter().map(|curve| format!("#{}", curve.label)))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let points = panel.curves.first().map_or(0, |curve| curve.points.len());
    let rows = (0..points).map(|at| {
        let utilization = words::decimals(panel.curves[0].points[at].utilization, 3).into();
        let shares = panel.curves.iter().map(|curve| Cell::share(curve.points.get(at).and_then(super::Point::share)));
        std::iter::once(utilization).chain(shares).collect()
    });
    Table::new(format!("Share accepted: {}", panel.title), &names).with(rows).folded()
}

/// A panel's overheads, one row a line and number of threads.
pub(super) fn costs(panel: &CostPanel) -> Table {
    let names = [
        "Line",
        "#Threads",
        "#Samples",
        "#Maximum, or value in the overhead table",
        "#Maximum without the 8 largest",
        "#Maximum without the largest 1 %",
        "#Mean",
        "#Median",
        "Source",
    ];
    let rows = panel.lines.iter().flat_map(|line| line.points.iter().map(move |point| cost_row(line, point)));
    Table::new(format!("Overheads: {}", panel.title), &names).with(rows).folded()
}

fn cost_row(line: &CostLine, point: &overhead_figures::FigurePoint) -> Vec<Cell> {
    let us = |us: Option<f64>| us.map_or_else(Cell::absent, |us| format!("{} µs", words::decimals(us, 3)).into());
    vec![
        line.label.as_str().into(),
        words::count(point.threads).into(),
        Cell::count(point.count),
        us(Some(point.amount_us)),
        us(point.max_less_8_us),
        us(point.max_less_1_percent_us),
        us(point.mean_us),
        us(point.median_us),
        line.source.as_str().into(),
    ]
}
