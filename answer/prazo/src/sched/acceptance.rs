//! From an experiment and its result to what a report shows of them.

use crate::dates::made_at;
use prazo_experiment::overhead_figures::{FigureLine, FigureResult};
use prazo_experiment::result::{CurveResult, PointResult};
use prazo_experiment::{Experiment, ExperimentResult};
use prazo_report::acceptance::{CostLine, CostPanel, Curve, Figure, OverheadRow, Panel, Point};

/// The report's figure: a panel for each family and method, a hue for each scheduler, a dash for each platform.
pub(crate) fn figure(experiment: &Experiment, result: &ExperimentResult, command: &str) -> Figure {
    Figure {
        title: result.title.clone(),
        question: result.question.clone(),
        panels: panels(experiment, result),
        costs: result.figures.iter().map(|figure| cost_panel(experiment, figure)).collect(),
        claims: result.claims.clone(),
        overheads: overheads(experiment),
        facts: facts(result),
        is_complete: result.complete,
        confidence: result.confidence,
        command: command.to_owned(),
        made_at: made_at(),
    }
}

fn panels(experiment: &Experiment, result: &ExperimentResult) -> Vec<Panel> {
    let families = experiment.families.iter().enumerate();
    let pairs = families
        .flat_map(|(at, family)| experiment.methods_of(at).map(move |method| (family, &experiment.methods[method])));
    pairs
        .map(|(family, method)| {
            let (family_id, method_id) = (family.id.get_ref(), method.id.get_ref());
            let of_panel = |curve: &&CurveResult| curve.family == *family_id && curve.method == *method_id;
            Panel {
                id: format!("{family_id}-{method_id}"),
                title: format!("Task sets '{family_id}', judged by method '{method_id}'"),
                caption: [&family.text, &method.text].map(|text| sentence(text)).concat(),
                curves: result.curves.iter().filter(of_panel).map(|one| curve(experiment, one)).collect(),
            }
        })
        .collect()
}

/// `text` as a sentence, with a space behind it where it says anything.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => format!("{}{}. ", first.to_uppercase(), letters.as_str().trim_end_matches('.')),
        None => String::new(),
    }
}

fn curve(experiment: &Experiment, curve: &CurveResult) -> Curve {
    let hue = experiment.schedulers.iter().position(|one| *one.id.get_ref() == curve.scheduler);
    let dash = experiment.platforms.iter().position(|one| *one.id.get_ref() == curve.platform);
    Curve {
        label: format!("{}.{}", curve.scheduler, curve.platform),
        hue: hue.unwrap_or_default(),
        dash: dash.unwrap_or_default(),
        weighted_acceptance: curve.weighted_acceptance,
        points: curve.points.iter().map(point).collect(),
        decided: curve.decided(),
    }
}

fn point(point: &PointResult) -> Point {
    Point {
        utilization: point.utilization_f64(),
        sets: point.sets,
        accepted: point.accepted,
        budget_spent: point.budget_spent,
        share_interval: point.share_min.zip(point.share_max),
    }
}

/// The hues of the other panels, others behind them; a dash for each platform or quantity.
fn cost_panel(experiment: &Experiment, figure: &FigureResult) -> CostPanel {
    let schedulers = experiment.schedulers.iter().map(|one| one.id.get_ref().as_str());
    let hues = distinct(schedulers.chain(figure.lines.iter().map(|line| line.scheduler.as_str())));
    let dashes = distinct(figure.lines.iter().map(kind));
    let place = |all: &[&str], one: &str| all.iter().position(|name| *name == one).unwrap_or_default();
    let lines = figure.lines.iter().map(|line| CostLine {
        label: line.id.clone(),
        hue: place(&hues, &line.scheduler),
        dash: place(&dashes, kind(line)),
        source: line.source.clone(),
        points: line.points.clone(),
    });
    CostPanel {
        id: figure.id.clone(),
        title: figure.title.clone(),
        caption: sentence(&figure.text).trim_end().to_owned(),
        lines: lines.collect(),
    }
}

/// The platform or quantity of a line: what stands behind its scheduler.
fn kind(line: &FigureLine) -> &str {
    line.id.get(line.scheduler.len()..).unwrap_or_default()
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut all = Vec::new();
    names.for_each(|name| {
        if !all.contains(&name) {
            all.push(name);
        }
    });
    all
}

fn overheads(experiment: &Experiment) -> Vec<OverheadRow> {
    let tables = experiment.platforms.iter().flat_map(|platform| {
        platform.overheads.iter().map(move |(scheduler, table)| (platform.id.get_ref(), scheduler, table))
    });
    let rows = tables.flat_map(|(platform, scheduler, table)| {
        table.described().map(move |(overhead, amount, source)| OverheadRow {
            platform: platform.clone(),
            scheduler: scheduler.clone(),
            overhead,
            amount,
            source: source.to_owned(),
        })
    });
    rows.collect()
}

fn facts(result: &ExperimentResult) -> Vec<(String, String)> {
    let facts = [
        ("paper", result.paper.clone().unwrap_or_default()),
        ("source of the parameters", result.origin.clone()),
        ("processors", result.processors.to_string()),
        ("sets at each point", result.sets_per_point.to_string()),
        ("seed", result.seed.to_string()),
        ("limit of work per test, in evaluated terms", result.budget.to_string()),
        ("digest of the inputs", result.fingerprint.clone()),
    ];
    facts.into_iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| (name.to_owned(), value)).collect()
}
