//! The figures of one cell over its baselines: a line through the medians of the seeds, a band for their spread, a vertical line at each
//! change.

use super::frame::{COLOURS, FONT, PLOT_HEIGHT, Setting, TOP, dash, escaped, line_key, picture_with_legend};
use super::plot::{Axis, Plot, Series, Words};
use super::scale::Linear;
use crate::words;
use prazo_core::text::counted;
use prazo_stats::repeats::Spread;
use prazo_study::gate::history::{FigureHistory, HistoryPoint};

/// Names on the latency axis.
const ROWS_MAX: usize = 8;
/// Text beside the lines of changes begins this far below the upper edge.
const FIRST_ROW: f64 = 14.0;
/// From one row of such text to the next.
const ROW: f64 = 14.0;

/// The picture of all figures of one part and quantity; they have the same points.
pub fn history(title: &str, histories: &[&FigureHistory], setting: Setting) -> String {
    let points = histories.first().map_or(&[][..], |history| &history.points);
    let mut plot = Plot::new(axis(points), (TOP, PLOT_HEIGHT), setting);
    let values = histories.iter().flat_map(|history| &history.points).flat_map(|point| &point.values_ns);
    let y = Linear::spanning(values.copied(), TOP + PLOT_HEIGHT, TOP);
    for tick in y.ticks(ROWS_MAX) {
        let place = y.place(tick);
        if (TOP..=TOP + PLOT_HEIGHT).contains(&place) {
            plot.row(place, &words::latency(tick.round() as i64));
        }
    }
    plot.names(&below(histories), "Latency");
    for (at, history) in histories.iter().enumerate() {
        let note = counted(history.changes.len() as u64, "change").to_string();
        let values = history.points.iter().map(said).collect();
        let shapes = shapes(history, at, &plot.axis, y);
        plot.series(&Series { label: &history.figure, note, values }, &shapes);
    }
    histories.iter().enumerate().for_each(|(at, history)| changes(&mut plot, history, at));
    let labels = points.iter().map(|point| point.label.clone()).collect();
    let words = Words { x: (0..points.len()).map(|at| at as f64).collect(), at: labels, bins: false };
    let keys: Vec<_> = histories.iter().enumerate().map(|(at, history)| (at, history.figure.clone())).collect();
    picture_with_legend(&escaped(title), setting, plot.finish(&words), &keys, line_key)
}

fn below(histories: &[&FigureHistory]) -> String {
    histories.first().map_or_else(String::new, |history| format!("Baselines by {}", history.ordered_by.name()))
}

/// One place for each point, with half a place at both ends; ticks at every point, every second, and so on.
fn axis(points: &[HistoryPoint]) -> Axis {
    let named = |step: usize| {
        let chosen = points.iter().enumerate().step_by(step);
        chosen.map(|(at, point)| (at as f64, escaped(&point.label))).collect()
    };
    let steps = [50, 20, 10, 5, 2, 1].into_iter().filter(|step| *step == 1 || step * 2 <= points.len());
    Axis { group: "history", span: (-0.5, points.len().max(1) as f64 - 0.5), ticks: steps.map(named).collect() }
}

fn spread(point: &HistoryPoint) -> Option<Spread> {
    Spread::of(&point.values_ns)
}

/// `34.296 µs (34.28 µs to 34.31 µs; 3 seeds)`.
fn said(point: &HistoryPoint) -> String {
    spread(point).map_or_else(
        || words::ABSENT.into(),
        |of| {
            format!(
                "{} ({} to {}; {})",
                words::latency_f64(of.median),
                words::latency_f64(of.low),
                words::latency_f64(of.high),
                counted(of.count as u64, "seed")
            )
        },
    )
}

/// A band, a line and a dot for each point; a point without values leaves a gap.
fn shapes(history: &FigureHistory, at: usize, axis: &Axis, y: Linear) -> String {
    let (colour, dash) = (at % COLOURS, dash(at, false));
    let known: Vec<(f64, Option<Spread>)> =
        history.points.iter().enumerate().map(|(at, point)| (axis.x(at as f64), spread(point))).collect();
    let pieces = known.split(|(_, of)| of.is_none()).filter(|piece| !piece.is_empty());
    let mut text = String::new();
    for piece in pieces {
        let ends = |read: fn(Spread) -> f64| {
            let place = move |(x, of): &(f64, Option<Spread>)| format!("{x:.1} {:.1}", y.place(of.map_or(0.0, read)));
            piece.iter().map(place).collect::<Vec<_>>()
        };
        let (middle, mut low) = (ends(|of| of.median), ends(|of| of.low));
        low.reverse();
        let band = [ends(|of| of.high), low].concat().join("L");
        let dots: String = middle.iter().map(|place| format!("M{place}h0")).collect();
        text += &format!(
            "<path class=\"band c{colour}\" d=\"M{band}Z\"/><path class=\"line c{colour}\" d=\"M{}\"{dash}/>\
             <path class=\"line c{colour}\" d=\"{dots}\" stroke-linecap=\"round\" style=\"stroke-width:6\"/>",
            middle.join("L")
        );
    }
    text
}

/// A line between the last point before a change and the first one after it, with the shift; each figure has a row of its own.
fn changes(plot: &mut Plot, history: &FigureHistory, at: usize) {
    for change in &history.changes {
        let Some(first) = history.points.iter().position(|point| point.label == change.first) else { continue };
        let sign = if change.shift_ns > 0.0 { "+" } else { "" };
        let (shift, figure) = (words::latency_in_short(change.shift_ns), escaped(&history.figure));
        let (top, bottom, row) = (plot.top, plot.bottom(), plot.top + FIRST_ROW + ROW * at as f64);
        let colour = at % COLOURS;
        // Beyond the middle, the text stands to the left of its line.
        let side = if first * 2 > history.points.len() { "x=\"-4\" text-anchor=\"end\"" } else { "x=\"4\"" };
        plot.pin(
            first as f64 - 0.5,
            Some(&history.figure),
            format_args!(
                "<line class=\"key c{colour}\" y1=\"{top}\" y2=\"{bottom}\" style=\"stroke-width:1.5;stroke-dasharray:4 3\"/>\
                 <text class=\"on-lines\" {side} y=\"{row:.1}\" font-size=\"{}\">{figure} {sign}{shift}</text>",
                FONT - 1.0
            ),
        );
    }
}
