//! The rows of an icicle chart: their sizes, the name on a bar, the title above them.

use crate::svg::frame::{cut_to, escaped};

pub(super) const LEFT: f64 = 24.0;
pub(super) const RIGHT: f64 = 24.0;
pub(super) const HEAD: f64 = 44.0;
pub(super) const ROW: f64 = 19.0;
pub(super) const LEGEND: f64 = 26.0;
/// Narrower bars are not drawn.
pub(super) const NARROWEST: f64 = 0.4;
/// About the width of a letter.
const LETTER: f64 = 6.4;

/// The name on a bar whose upper left corner is given, as far as the bar is wide; nothing where it is too narrow for a name.
pub(super) fn name_on(name: &str, class: &str, [x, y]: [f64; 2], width: f64) -> String {
    let letters = ((width - 6.0) / LETTER) as usize;
    if letters < 4 {
        return String::new();
    }
    let name = escaped(&cut_to(name, letters));
    format!("<text class=\"{class}\" x=\"{:.2}\" y=\"{}\">{name}</text>", x + 3.0, y + ROW - 6.0)
}

/// The title of a chart that begins at `top`.
pub(super) fn title(text: &str, top: f64) -> String {
    format!("<text class=\"title\" x=\"{LEFT}\" y=\"{}\">{}</text>", top + 24.0, escaped(text))
}
