//! Bars against a limit that all of them share: each row's own limit is 100 %, so that rows of very different sizes are read alike.

use super::frame::{Setting, cut_to, escaped, picture};
use crate::words;
use std::fmt::Write;

const LEFT: f64 = 200.0;
const RIGHT: f64 = 700.0;
const TOP: f64 = 30.0;
const ROW: f64 = 26.0;
const BAR: f64 = 15.0;
const AXIS: f64 = 44.0;
/// More letters of a name are cut.
const LETTERS_MAX: usize = 25;
/// The axis ends here at the latest; longer bars end in an arrow.
const SHARE_MAX: f64 = 2.0;

/// Bars with one limit.
#[derive(Clone, Debug, Default)]
pub struct Bars {
    /// What they show.
    pub title: String,
    /// What the limit is: `deadline`.
    pub limit: String,
    /// What the axis is: `Response bound, as a share of the deadline`.
    pub axis: String,
    /// The bars, from above.
    pub rows: Vec<Bar>,
}

/// One bar.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    /// Its name.
    pub name: String,
    /// How long it is, where the limit is 1; `None` where it is longer, by how much is unknown.
    pub share: Option<f64>,
    /// The same in figures.
    pub text: String,
    /// True where it is not within its limit, or not known to be.
    pub is_over: bool,
}

/// The picture.
pub fn bars(bars: &Bars, setting: Setting) -> String {
    let longest = bars.rows.iter().map(|row| row.share.unwrap_or(1.2)).fold(1.1, f64::max);
    let place = Place { end: (longest * 1.04).min(SHARE_MAX), bottom: TOP + ROW * bars.rows.len() as f64 };
    let mut body = place.axis(bars);
    bars.rows.iter().enumerate().for_each(|(at, row)| body.push_str(&place.row(at, row)));
    body.push_str(&place.limit(&bars.limit));
    picture(&escaped(&bars.title), place.bottom + AXIS, setting, &body)
}

struct Place {
    /// The share at the axis' end.
    end: f64,
    bottom: f64,
}

impl Place {
    fn x(&self, share: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * (share / self.end).clamp(0.0, 1.0)
    }

    fn axis(&self, bars: &Bars) -> String {
        let mut text = String::new();
        let ticks = (0..).map(|at| f64::from(at) * 0.25).take_while(|share| *share <= self.end);
        for share in ticks {
            let (x, percent, below) = (self.x(share), words::decimals(share * 100.0, 0), self.bottom + 16.0);
            let _ = write!(
                text,
                "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{}\"/>\
                 <text x=\"{x:.1}\" y=\"{below}\" text-anchor=\"middle\">{percent} %</text>",
                self.bottom
            );
        }
        let (middle, below) = (f64::midpoint(LEFT, RIGHT), self.bottom + 36.0);
        text + &format!("<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">{}</text>", escaped(&bars.axis))
    }

    fn limit(&self, name: &str) -> String {
        let (x, above, bottom) = (self.x(1.0), TOP - 8.0, self.bottom);
        format!(
            "<line class=\"deadline\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>\
             <text class=\"on-lines\" x=\"{x:.1}\" y=\"{above}\" text-anchor=\"middle\">{}</text>",
            escaped(name)
        )
    }

    fn row(&self, at: usize, row: &Bar) -> String {
        let top = TOP + ROW * at as f64 + (ROW - BAR) / 2.0;
        let (below, middle) = (top + BAR - 3.0, top + BAR / 2.0);
        let (name, short, text) = (escaped(&row.name), escaped(&cut_to(&row.name, LETTERS_MAX)), escaped(&row.text));
        let class = if row.is_over { "over" } else { "filled c0" };
        let is_longer = row.share.is_none_or(|share| share > self.end);
        let end = self.x(row.share.unwrap_or(self.end));
        let width = (end - LEFT).max(1.0) - if is_longer { 8.0 } else { 0.0 };
        let mut bar =
            format!("<rect class=\"{class}\" x=\"{LEFT}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{BAR}\"/>");
        if is_longer {
            let (x, bottom) = (LEFT + width, top + BAR);
            let _ =
                write!(bar, "<path class=\"{class}\" d=\"M{x:.1} {top:.1}L{RIGHT} {middle:.1}L{x:.1} {bottom:.1}Z\"/>");
        }
        format!(
            "<g><title>{name}: {text}</title><text x=\"{}\" y=\"{below:.1}\" text-anchor=\"end\">{short}</text>{bar}\
             <text x=\"{}\" y=\"{below:.1}\">{text}</text></g>",
            LEFT - 8.0,
            RIGHT + 12.0
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(share: Option<f64>) -> String {
        let row = Bar { name: "a<b".into(), share, text: "3ms of 4ms".into(), is_over: share.is_none() };
        bars(&Bars { limit: "deadline".into(), rows: vec![row], ..Bars::default() }, Setting::Alone)
    }

    #[test]
    fn a_bar_is_as_long_as_its_share_of_the_limit() {
        let width = |picture: &str| -> f64 {
            let rect = picture.split("<rect class=\"filled c0\"").nth(1).unwrap();
            rect.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        let (half, whole) = (width(&drawn(Some(0.5))), width(&drawn(Some(1.0))));
        assert!((whole - 2.0 * half).abs() < 0.2, "{half} is not half of {whole}");
        assert!(whole < RIGHT - LEFT - 10.0, "there is room beyond the limit");
    }

    #[test]
    fn what_has_no_bound_ends_in_an_arrow_and_names_are_escaped() {
        let picture = drawn(None);
        assert!(picture.contains("<path class=\"over\"") && !drawn(Some(0.5)).contains("<path class="));
        assert!(picture.contains("a&lt;b") && !picture.contains("a<b"));
        assert!(!picture.contains("NaN") && picture.contains(">deadline</text>"));
    }
}
