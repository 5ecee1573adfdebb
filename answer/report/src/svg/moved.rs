//! Both sides of one cell of the gate, over one latency axis: which share of the activations comes later than each figure.
//!
//! Known are a few figures of each seed and no samples, since a saved baseline keeps no more. A dot stands in the middle of
//! the seeds' figures; the band reaches from the smallest to the largest of them, and straight lines join the dots.

use super::frame::{COLOURS, PLOT_HEIGHT, Setting, TOP, escaped, line_key, picture_with_legend};
use super::latency::{Vertical, decades};
use super::plot::{Plot, Series, Words, short};
use crate::chart::LatencyAxis;
use crate::words;
use prazo_core::text::counted;
use prazo_stats::observed_range::Ends;
use prazo_study::gate::{Compared, Movement};

/// Where no activation comes later: the row of the maximum.
const NONE_LATER: f64 = 1e-4;
/// Where a text at the right of a point would leave the picture.
const LAST_FIFTH: f64 = 0.8;
/// A side: its place in the order of colours, its name, and how a figure's ends are read.
type Side = (usize, &'static str, fn(&Compared) -> Option<Ends>);

/// Both sides.
const SIDES: [Side; 2] = [(5, "baseline", |one| one.baseline), (0, "this run", |one| one.found)];

/// The picture of the figures of one cell and quantity, on an axis that others share.
pub fn moved(title: &str, compared: &[&Compared], axis: &LatencyAxis, setting: Setting) -> String {
    let y = Vertical { low: NONE_LATER.log10() - 0.25, high: 0.0 };
    let mut plot = Plot::new(decades(axis), (TOP, PLOT_HEIGHT), setting);
    for (share, name) in [(0.5, "50 %"), (0.01, "1 %"), (0.001, "0.1 %"), (NONE_LATER, "none")] {
        plot.row(y.place(share), name);
    }
    plot.names("Latency", "Share above a latency");
    let mut points: Vec<(&Compared, f64)> =
        compared.iter().filter_map(|one| Some((*one, one.share_later()?.max(NONE_LATER)))).collect();
    points.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    for (side, (colour, name, of)) in SIDES.into_iter().enumerate() {
        let known: Vec<(Ends, f64)> = points.iter().filter_map(|(one, share)| Some((of(one)?, *share))).collect();
        let values = points.iter().map(|(one, _)| of(one).map_or_else(|| words::ABSENT.into(), range)).collect();
        let shapes = shapes(&known, colour, |ns| plot.axis.x(axis.decades(ns)), |share| y.place(share));
        plot.series(&Series { label: name, note: seeds(compared, side), values }, &shapes);
    }
    points.iter().for_each(|(one, share)| shift(&mut plot, one, axis, y.place(*share)));
    let place = |one: &Compared| one.found.or(one.baseline).map_or(0.0, middle);
    let words = Words {
        x: points.iter().map(|(one, _)| short(axis.decades(place(one)))).collect(),
        at: points.iter().map(|(one, _)| format!("{}: {}", one.figure, one.movement)).collect(),
        bins: false,
    };
    let keys = SIDES.map(|(at, name, _)| (at, name.to_owned()));
    picture_with_legend(&escaped(title), setting, plot.finish(&words), &keys, line_key)
}

fn middle(ends: Ends) -> f64 {
    f64::midpoint(ends.low_ns, ends.high_ns)
}

/// `10 to 10.5 µs`, in whatever unit suits.
fn range(ends: Ends) -> String {
    match ends.width() > 0.0 {
        true => format!("{} to {}", words::latency_f64(ends.low_ns), words::latency_f64(ends.high_ns)),
        false => words::latency_f64(ends.low_ns),
    }
}

fn seeds(compared: &[&Compared], side: usize) -> String {
    counted(compared.first().map_or(0, |one| one.seeds[side]) as u64, "seed").to_string()
}

/// The band of a side, its line, and a dot at each figure.
fn shapes(known: &[(Ends, f64)], colour: usize, x: impl Fn(f64) -> f64, y: impl Fn(f64) -> f64) -> String {
    let colour = colour % COLOURS;
    let path = |points: Vec<(f64, f64)>| -> String {
        let points = points.into_iter().map(|(ns, share)| format!("{:.1} {:.1}", x(ns), y(share)));
        points.collect::<Vec<_>>().join("L")
    };
    if known.is_empty() {
        return String::new();
    }
    let low = known.iter().map(|(ends, share)| (ends.low_ns, *share));
    let high = known.iter().rev().map(|(ends, share)| (ends.high_ns, *share));
    let line: Vec<(f64, f64)> = known.iter().map(|(ends, share)| (middle(*ends), *share)).collect();
    let dots: String = line.iter().map(|(ns, share)| format!("M{:.1} {:.1}h0", x(*ns), y(*share))).collect();
    format!(
        "<path class=\"band c{colour}\" d=\"M{}Z\"/><path class=\"line c{colour}\" d=\"M{}\"/>\
         <path class=\"line c{colour}\" d=\"{dots}\" stroke-linecap=\"round\" style=\"stroke-width:7\"/>",
        path(low.chain(high).collect()),
        path(line)
    )
}

/// How far a figure moved, beside it.
fn shift(plot: &mut Plot, one: &Compared, axis: &LatencyAxis, y: f64) {
    let (Some(gap_ns), Some(found)) = (one.gap_ns, one.found) else { return };
    if !matches!(one.movement, Movement::Worse | Movement::Better) {
        return;
    }
    let sign = if gap_ns > 0.0 { "+" } else { "" };
    // The line arrives from the upper left and goes on to the lower right: above it there is room at the right, below it at the left.
    let (place, y) = match axis.fraction(found.high_ns) > LAST_FIFTH {
        true => ("x=\"-8\" text-anchor=\"end\"", y + 16.0),
        false => ("x=\"6\"", y - 8.0),
    };
    let text = words::latency_in_short(gap_ns);
    plot.pin(
        axis.decades(found.high_ns),
        None,
        format_args!("<text class=\"on-lines\" {place} y=\"{y:.1}\">{sign}{text}</text>"),
    );
}
