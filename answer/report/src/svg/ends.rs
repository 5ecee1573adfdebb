//! The names of lines at their ends, for charts with more lines than a legend can be matched to. No name covers another.
//!
//! Each name has a piece of its line before it, since it may have to stand away from the end; a thin line leads there.
//! On a page the script places them by the same rule, at whatever width and zoom there is.

use super::frame::{COLOURS, WIDTH, cut_to, dash, escaped};
use super::plot::Plot;

/// More letters of a name are cut.
const LETTERS_MAX: usize = 28;
/// About the width of a letter.
const LETTER: f64 = 7.2;
/// The piece of a line before its name.
const KEY: f64 = 16.0;
/// The height of a name.
const ROW: f64 = 14.0;
/// From a line's end to its name.
const GAP: f64 = 8.0;
/// Names are looked for a place in at most so many columns on either side.
const COLUMNS_MAX: i32 = 6;

/// A line's end with what is written there.
#[derive(Clone, Debug)]
pub(super) struct End {
    /// The line's place in the order of colours.
    pub(super) line: usize,
    /// Its name.
    pub(super) label: String,
    /// Where it ends.
    pub(super) at: (f64, f64),
}

/// A name that has its place: the left end of the piece of line before it, and its middle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    left: f64,
    middle: f64,
    width: f64,
}

impl Place {
    fn meets(&self, other: &Self) -> bool {
        let overlaps = self.left < other.left + other.width + GAP && other.left < self.left + self.width + GAP;
        overlaps && (self.middle - other.middle).abs() < ROW
    }
}

/// True where there are more lines than a reader can tell apart by a legend.
pub(super) fn are_many(lines: usize) -> bool {
    lines > COLOURS
}

/// Draws the names into a picture that does not move, between these heights.
pub(super) fn drawn(ends: &[End], (top, bottom): (f64, f64)) -> String {
    ends.iter().zip(placed(ends, (top, bottom))).map(|(end, place)| name(end, (0.0, 0.0), place)).collect()
}

/// Pins the names to where the lines end on the axis of a plot; `values` are the ends along it.
pub(super) fn pinned(plot: &mut Plot, ends: &[End], values: &[f64]) {
    let places = placed(ends, (plot.top, plot.bottom()));
    for ((end, value), place) in ends.iter().zip(values).zip(places) {
        plot.end(*value, (&end.label, end.at.1), &name(end, (end.at.0, 0.0), place));
    }
}

fn name(end: &End, from: (f64, f64), place: Place) -> String {
    let (left, middle) = (place.left - from.0, place.middle - from.1);
    let ((x, y), colour, dash) = ((end.at.0 - from.0, end.at.1 - from.1), end.line % COLOURS, dash(end.line, false));
    let near = if place.left > end.at.0 { left } else { left + place.width };
    format!(
        "<path class=\"leader\" d=\"M{x:.1} {y:.1}L{near:.1} {middle:.1}\"/><g class=\"at\" transform=\"translate({left:.1} \
         {middle:.1})\"><line class=\"key c{colour}\" x1=\"0\" x2=\"{KEY}\" y1=\"0\" y2=\"0\"{dash}/><text class=\"end-name\" \
         x=\"{}\" y=\"4\">{}</text></g>",
        KEY + 4.0,
        escaped(&cut_to(&end.label, LETTERS_MAX))
    )
}

/// A place for each name: beside its line's end if that is free, else as near to it as there is room.
fn placed(ends: &[End], (top, bottom): (f64, f64)) -> Vec<Place> {
    let mut taken: Vec<Place> = Vec::new();
    for end in ends {
        let width = KEY + 4.0 + LETTER * cut_to(&end.label, LETTERS_MAX).chars().count() as f64;
        let found = candidates(end.at, width, (top, bottom)).find(|one| !taken.iter().any(|other| one.meets(other)));
        let crowded = Place { left: end.at.0, middle: end.at.1, width };
        taken.push(found.unwrap_or(crowded));
    }
    taken
}

/// Right of the end and left of it, nearest rows first; where all of them are taken, a column further away on both sides.
fn candidates((x, y): (f64, f64), width: f64, (top, bottom): (f64, f64)) -> impl Iterator<Item = Place> {
    let (first, last) = (top + ROW / 2.0, bottom - ROW / 2.0);
    let (y, rows) = (y.clamp(first, last), ((last - first) / ROW) as i32);
    let row = move |row: i32| [y - ROW * f64::from(row), y + ROW * f64::from(row)];
    let column = move |column: i32| {
        let further = f64::from(column) * (width + 2.0 * GAP);
        [x + GAP + further, x - GAP - width - further]
    };
    let at = move |left: f64, middle: f64| Place { left, middle, width };
    let of_row = move |lefts: [f64; 2], middle: f64| lefts.map(|left| at(left, middle));
    let in_column = move |lefts: [f64; 2]| (0..=rows).flat_map(row).flat_map(move |middle| of_row(lefts, middle));
    let is_inside = move |place: &Place| {
        (first..=last).contains(&place.middle) && place.left >= 0.0 && place.left + place.width <= WIDTH
    };
    (0..COLUMNS_MAX).map(column).flat_map(in_column).filter(is_inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ends(at: &[(f64, f64)]) -> Vec<End> {
        let end = |(line, at): (usize, &(f64, f64))| End { line, label: format!("kernel-{line}.fifo"), at: *at };
        at.iter().enumerate().map(end).collect()
    }

    proptest! {
        #[test]
        fn no_name_covers_another_wherever_lines_end(at in prop::collection::vec((64.0f64..940.0, 22.0f64..292.0), 7..24)) {
            let places = placed(&ends(&at), (22.0, 292.0));
            for (at, one) in places.iter().enumerate() {
                prop_assert!(one.left >= 0.0 && one.left + one.width <= WIDTH, "{one:?}");
                prop_assert!((22.0..=292.0).contains(&one.middle), "{one:?}");
                prop_assert!(!places[..at].iter().any(|other| one.meets(other)), "{one:?} of {places:?}");
            }
        }
    }

    #[test]
    fn a_name_stands_right_of_its_end_where_there_is_room() {
        let place = placed(&ends(&[(300.0, 100.0)]), (22.0, 292.0))[0];
        assert_eq!((place.left, place.middle), (300.0 + GAP, 100.0));
    }
}
