//! What commands cost as people read it: a line a figure, a column a command, sources and gaps below.

use super::document::{Costed, FigureUnit, Repeated, Side as CostSide};
use prazo_core::text::counted;
use prazo_report::terminal::{InWords, Side, Words};
use prazo_report::view::Cell;

impl InWords for Costed {
    fn write(&self, to: &mut Words<'_>) {
        let sides: Vec<&CostSide> =
            std::iter::once(&self.side).chain(self.versus.iter().map(|one| &one.side)).collect();
        head(self, &sides, to);
        figures(&sides, to);
        against_the_first(self, to);
        endings(&sides, to);
        missing(&sides, to);
    }
}

fn figures(sides: &[&CostSide], to: &mut Words<'_>) {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    if sides.len() > 1 {
        let marks = (1..=sides.len()).map(|index| format!("[{index}]").into());
        rows.push(std::iter::once("".into()).chain(marks).chain(["source of [1]".into()]).collect());
    }
    for (row, (name, unit, first)) in sides[0].figures().into_iter().enumerate() {
        let figures = sides
            .iter()
            .map(|side| side.figures().get(row).map_or_else(|| "-".into(), |(.., figure)| cell(unit, figure).into()));
        rows.push(std::iter::once(name.into()).chain(figures).chain([first.source.unwrap_or("").into()]).collect());
    }
    rows.extend(ratios(sides));
    let figures = std::iter::repeat_n(Side::Right, sides.len());
    let columns: Vec<Side> = std::iter::once(Side::Left).chain(figures).chain([Side::Wrapped]).collect();
    to.table(&columns, &[], rows);
}

fn head(costed: &Costed, sides: &[&CostSide], to: &mut Words<'_>) {
    if let Some(workload) = &costed.workload {
        let how = if workload.piloted { ", size found by a pilot run" } else { "" };
        to.line(format_args!("workload {}, {} {}{how}", workload.name, workload.size, workload.unit));
    }
    for (index, side) in sides.iter().enumerate() {
        let mark = if sides.len() > 1 { format!("[{}] ", index + 1) } else { String::new() };
        to.line(format_args!("{mark}{}", side.command.join(" ")));
    }
    if costed.runs > 1 {
        let none = if costed.counted == 1 { "one run has no interval" } else { "no run was valid" };
        let method = costed.side.wall_ns.method.as_deref().unwrap_or(none);
        to.line(format_args!(
            "medians of {} of {}, after {}; {method}",
            costed.counted,
            counted(u64::from(costed.runs), "run"),
            counted(u64::from(costed.warm_up), "warm-up run")
        ));
    }
}

fn cell(unit: FigureUnit, figure: &Repeated) -> String {
    let is_time = unit == FigureUnit::Time;
    let Some(value) = figure.value else { return "-".into() };
    let shown = |value: f64| if is_time { seconds(value) } else { format!("{value:.0}") };
    let interval = figure.interval.map(|interval| format!(" [{}, {}]", shown(interval.low), shown(interval.high)));
    shown(value as f64) + &interval.unwrap_or_default() + if is_time { " s" } else { "" }
}

/// Seconds with microseconds, or milliseconds from a minute on.
fn seconds(ns: f64) -> String {
    if ns < 60e9 { format!("{:.6}", ns / 1e9) } else { format!("{:.3}", ns / 1e9) }
}

fn ratios(sides: &[&CostSide]) -> Vec<Vec<Cell>> {
    let row = |name: &str, value: fn(&CostSide) -> Option<f64>| {
        let cells =
            sides.iter().map(|side| value(side).map_or_else(|| "-".into(), |value| format!("{value:.3}").into()));
        std::iter::once(name.into()).chain(cells).chain(["".into()]).collect()
    };
    let mut rows = vec![
        row("slowdown", |side| side.slowdown.map(|slowdown| slowdown.whole)),
        row("  due to run-queue wait", |side| side.slowdown.map(|slowdown| slowdown.by_scheduler)),
    ];
    rows.extend((sides.len() > 1).then(|| row("penalty", |side| side.penalty)));
    rows
}

fn against_the_first(costed: &Costed, to: &mut Words<'_>) {
    for (index, versus) in costed.versus.iter().enumerate() {
        for (what, ratio) in [("elapsed", &versus.wall_ratio), ("processor", &versus.executed_ratio)] {
            let Some(ratio) = ratio else { continue };
            let interval = ratio.interval.map_or(String::new(), |i| format!(" [{:.4}, {:.4}]", i.low, i.high));
            to.line(format_args!("{what} time of [{}] / [1]: {:.4}{interval}", index + 2, ratio.value));
        }
    }
}

/// What was unusual about how runs ended; nothing if nothing was.
fn endings(sides: &[&CostSide], to: &mut Words<'_>) {
    for ending in sides.iter().flat_map(|side| &side.exit).map(|ended| ended.ending) {
        let remarks = ending.remarks();
        if !remarks.is_empty() {
            to.line(format_args!("! a run {}", remarks.join("; ")));
        }
    }
}

/// Each reason for a gap once, with the figures it costs.
fn missing(sides: &[&CostSide], to: &mut Words<'_>) {
    let figures = sides.iter().flat_map(|side| side.figures());
    let figures = figures.filter_map(|(name, _, figure)| Some((figure.reason.as_deref()?, name)));
    let judgements = sides.iter().flat_map(|side| {
        let names = unjudged(side, sides.len() > 1);
        side.unjudged.as_deref().into_iter().flat_map(move |reason| names.iter().map(move |name| (reason, *name)))
    });
    let mut reasons: Vec<(&str, Vec<&str>)> = vec![];
    for (reason, name) in figures.chain(judgements) {
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) if !names.contains(&name) => names.push(name),
            Some(_) => {}
            None => reasons.push((reason, vec![name])),
        }
    }
    to.lines(reasons.iter().map(|(reason, names)| format!("- {}: {reason}", names.join(", "))));
}

/// What a side lacks of the slowdown and the penalty; a command that is compared with none has no penalty anyway.
fn unjudged(side: &CostSide, is_compared: bool) -> &'static [&'static str] {
    match (side.slowdown, side.penalty) {
        (Some(_), _) => &["penalty"],
        (None, None) if is_compared => &["slowdown", "penalty"],
        (None, _) => &["slowdown"],
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::Made;
    use super::super::series::{Plan, Series};
    use super::*;
    use prazo_report::terminal::Style;

    /// Commands of which no run counted.
    fn costed(commands: &[&str]) -> Costed {
        let made = Made {
            plan: Plan { runs: 3, warm_up: 0, seed: 1 },
            sides: commands.iter().map(|command| vec![(*command).to_owned()]).collect(),
            series: vec![Series::default(); commands.len()],
            workload: None,
        };
        Costed::of(&made, 1)
    }

    #[test]
    fn one_valid_run_of_several_is_not_called_incomplete() {
        let mut costed = costed(&["true"]);
        let none = costed.in_words(&Style::default());
        assert!(none.contains("medians of 0 of 3 runs, after 0 warm-up runs; no run was valid"), "{none}");
        costed.counted = 1;
        let one = costed.in_words(&Style::default());
        assert!(one.contains("medians of 1 of 3 runs, after 0 warm-up runs; one run has no interval"), "{one}");
    }

    #[test]
    fn only_what_is_missing_is_named() {
        let mut alone = costed(&["true"]);
        alone.side.unjudged = Some("no delay accounting".into());
        let text = alone.in_words(&Style::default());
        assert!(text.contains("- slowdown: no delay accounting") && !text.contains("penalty"), "{text}");
        let text = costed(&["true", "false"]).in_words(&Style::default());
        assert!(text.contains("- slowdown, penalty: no valid run, or a run without"), "{text}");
    }
}
