//! What all pictures share: their size, colours, dashes and legend, and the element around what is drawn.
//!
//! Colours are after Okabe and Ito, which stay apart for colour-blind readers, darkened where a thin line would be too pale; they come from the page's style where
//! there is one, else from the picture's own.

use prazo_core::text::printable;

/// The size of a chart's usual font.
pub(super) const FONT: f64 = 13.0;
pub(super) const WIDTH: f64 = 960.0;
pub(super) const LEFT: f64 = 64.0;
pub(super) const RIGHT: f64 = 20.0;
pub(super) const TOP: f64 = 22.0;
pub(super) const PLOT_HEIGHT: f64 = 270.0;
const AXIS_HEIGHT: f64 = 46.0;
const LEGEND_ROW: f64 = 20.0;
const LEGEND_COLUMNS: usize = 2;
pub(super) const KEY_WIDTH: f64 = 22.0;
/// How many colours there are before they repeat (then with another dash).
pub const COLOURS: usize = 6;
/// Legend entries longer than this are cut, with an ellipsis.
const LABEL_MAX: usize = 42;

/// The style of a picture that stands alone; a page brings its own.
const STYLE: &str = "<style>.prazo-chart{background:#fff;color:#1f2328;font:13px system-ui,sans-serif}\
.prazo-chart text{fill:currentColor}.prazo-chart .grid{stroke:currentColor;stroke-opacity:.13}\
.prazo-chart path{fill:none;stroke-width:1.8}.prazo-chart .deadline{stroke:#d55e00;stroke-width:1.5;stroke-dasharray:6 4}\
.prazo-chart .void{fill:currentColor;fill-opacity:.06;stroke:none}.prazo-chart .warm-up{stroke:currentColor;stroke-opacity:.3;stroke-width:1}\
.c0{--c:#0072b2}.c1{--c:#d55e00}.c2{--c:#008a65}.c3{--c:#9a6f00}.c4{--c:#b0508a}.c5{--c:#5f6670}\
.prazo-chart .line{stroke:var(--c)}.prazo-chart .band{fill:var(--c);fill-opacity:.3;stroke:none}.prazo-chart .quiet{stroke-opacity:.45}.prazo-chart .late{stroke:#d55e00}.prazo-chart .key{stroke:var(--c);stroke-width:3}\
.prazo-chart .filled{fill:var(--c)}.prazo-chart .outside{fill:currentColor}.prazo-chart .faint{fill-opacity:.75}.prazo-chart .open{fill:#fff;stroke:var(--c);stroke-width:2}\
.prazo-chart .leader{stroke:currentColor;stroke-opacity:.4;stroke-width:1}.prazo-chart .end-name{paint-order:stroke;stroke:#fff;stroke-width:4px}.prazo-chart .over{fill:#d55e00}\
@media(prefers-color-scheme:dark){.prazo-chart{background:#14171a;color:#e6e6e6}.prazo-chart .open{fill:#14171a}.prazo-chart .end-name{stroke:#14171a}.c0{--c:#4aa8e0}.c1{--c:#f0803c}.c2{--c:#2cc49a}}\
</style>";

/// Whether a picture carries its own style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// A file of its own.
    Alone,
    /// Inside a page whose style knows the classes, and whose script reads what [`super::live`] adds.
    InPage,
}

/// A name that fits into a legend.
pub(super) fn cut(label: &str) -> String {
    cut_to(label, LABEL_MAX)
}

/// At most `most` letters, the last of them an ellipsis where some are left out.
pub(super) fn cut_to(label: &str, most: usize) -> String {
    match label.chars().count() > most {
        true => label.chars().take(most - 1).chain(['…']).collect(),
        false => label.to_owned(),
    }
}

/// How a legend shows the one at a place in the order of colours: at this place of the picture.
type Key = fn(usize, (f64, f64)) -> String;

/// The whole picture around what is drawn, with a legend below the axis: each line's place in the order of colours, and its name. Without
/// keys there is none.
pub(super) fn picture_with_legend(
    title: &str,
    setting: Setting,
    mut body: String,
    keys: &[(usize, String)],
    key: Key,
) -> String {
    let (legend, height) = legend_below(TOP + PLOT_HEIGHT + AXIS_HEIGHT, keys, key);
    body.push_str(&legend);
    picture(title, height, setting, &body)
}

/// A legend that begins at `top`, and where it ends.
pub(super) fn legend_below(top: f64, keys: &[(usize, String)], key: Key) -> (String, f64) {
    let rows = keys.len().div_ceil(LEGEND_COLUMNS) as f64;
    let entries = keys.iter().enumerate().map(|(place, (at, text))| {
        let (x, y) = legend_place(top, place);
        format!("{}<text x=\"{}\" y=\"{}\">{}</text>", key(*at, (x, y)), x + KEY_WIDTH + 6.0, y + 4.0, escaped(text))
    });
    let entries: String = entries.collect();
    (format!("<g class=\"names\" data-top=\"{top}\">{entries}</g>"), top + rows * LEGEND_ROW + 6.0)
}

/// Where the entry at `place` of a legend that begins at `top` stands.
fn legend_place(top: f64, place: usize) -> (f64, f64) {
    let column = (WIDTH - LEFT) / LEGEND_COLUMNS as f64;
    (LEFT + column * (place % LEGEND_COLUMNS) as f64, top + LEGEND_ROW * (place / LEGEND_COLUMNS) as f64 + 10.0)
}

/// A stretch of the line.
pub(super) fn line_key(at: usize, (x, y): (f64, f64)) -> String {
    let (end, colour, dash) = (x + KEY_WIDTH, at % COLOURS, dash(at, false));
    format!("<line class=\"key c{colour}\" x1=\"{x}\" x2=\"{end}\" y1=\"{y}\" y2=\"{y}\"{dash}/>")
}

/// What a picture is drawn for. One that the page's script cannot fit to the window is drawn for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Screen {
    /// A file, paper, or a screen of usual width.
    Wide,
    /// A telephone.
    Narrow,
}

impl Screen {
    /// The picture's width.
    pub(super) fn width(self) -> f64 {
        match self {
            Self::Wide => WIDTH,
            Self::Narrow => 360.0,
        }
    }
}

/// The picture for a wide screen, and inside a page also that for a narrow one: the page's style shows one of them.
pub(super) fn for_each_screen(setting: Setting, draw: impl Fn(Screen) -> (f64, String), title: &str) -> String {
    let on = |screen: Screen, class: &str| {
        let (height, body) = draw(screen);
        framed(title, (screen.width(), height), setting, class, &body)
    };
    match setting {
        Setting::Alone => on(Screen::Wide, "prazo-chart"),
        Setting::InPage => on(Screen::Wide, "prazo-chart wide") + &on(Screen::Narrow, "prazo-chart narrow"),
    }
}

/// The whole picture around what is drawn.
pub(super) fn picture(title: &str, height: f64, setting: Setting, body: &str) -> String {
    framed(title, (WIDTH, height), setting, "prazo-chart", body)
}

fn framed(title: &str, (width, height): (f64, f64), setting: Setting, class: &str, body: &str) -> String {
    let style = if setting == Setting::Alone { STYLE } else { "" };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{class}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"{title}\"><title>{title}</title>{style}{body}</svg>"
    )
}

/// The attribute for the dash of the line at place `at` in the order of colours. No two places have the same colour and dash;
/// the second, dashed line of a place has a dash of its own.
pub(super) fn dash(at: usize, dashed: bool) -> String {
    let lengths = match (dashed, at / COLOURS) {
        (true, 0) => "5 4".to_owned(),
        (true, family) => format!("5 4 1 {}", 3 + family),
        (false, 0) => return String::new(),
        (false, 1) => "9 3 2 3".to_owned(),
        (false, 2) => "2 3".to_owned(),
        (false, 3) => "14 4".to_owned(),
        (false, 4) => "12 3 2 3 2 3".to_owned(),
        (false, 5) => "5 5".to_owned(),
        (false, family) => format!("3 {}", 1 + family),
    };
    format!(" stroke-dasharray=\"{lengths}\"")
}

/// Text that is safe inside an element, without control characters, which XML forbids.
pub(super) fn escaped(text: &str) -> String {
    printable(text).to_string().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn at_most_six_lines_share_a_dash_however_many_there_are() {
        let looks = |dashed| (0..72).map(move |at| (at % COLOURS, dash(at, dashed)));
        assert_eq!(looks(false).chain(looks(true)).collect::<BTreeSet<_>>().len(), 144);
    }
}
