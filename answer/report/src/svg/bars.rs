//! Bars against a limit that all of them share: each row's own limit is 100 %, so that rows of very different sizes are read alike.

use super::frame::{Screen, Setting, cut_to, escaped, for_each_screen};
use crate::words;
use std::fmt::Write;

const TOP: f64 = 30.0;
const BAR: f64 = 15.0;
const AXIS: f64 = 44.0;
/// Beside bars on a wide screen, more letters of a name are cut.
const LETTERS_MAX: usize = 25;
/// The width of a letter, about.
const LETTER: f64 = 7.4;
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
    let draw = |screen| {
        let mut place = Place::new(screen);
        (place.end, place.bottom) = ((longest * 1.04).min(SHARE_MAX), TOP + place.row * bars.rows.len() as f64);
        let mut body = place.axis(bars);
        bars.rows.iter().enumerate().for_each(|(at, row)| body.push_str(&place.row(at, row)));
        body.push_str(&place.limit(&bars.limit));
        // On a narrow screen they stand on the limit's line.
        bars.rows.iter().enumerate().for_each(|(at, row)| body.push_str(&place.words(at, row)));
        (place.bottom + AXIS, body)
    };
    for_each_screen(setting, draw, &escaped(&bars.title))
}

struct Place {
    screen: Screen,
    /// Where bars begin and end.
    left: f64,
    right: f64,
    /// The height of a row.
    row: f64,
    /// The share at the axis' end.
    end: f64,
    bottom: f64,
}

impl Place {
    /// Names and figures stand beside the bars, or above them where there is no room.
    fn new(screen: Screen) -> Self {
        let (left, right, row) = match screen {
            Screen::Wide => (200.0, 700.0, 26.0),
            Screen::Narrow => (18.0, screen.width() - 18.0, 42.0),
        };
        Self { screen, left, right, row, end: 0.0, bottom: 0.0 }
    }

    fn x(&self, share: f64) -> f64 {
        self.left + (self.right - self.left) * (share / self.end).clamp(0.0, 1.0)
    }

    fn axis(&self, bars: &Bars) -> String {
        let mut text = String::new();
        let step = if self.screen == Screen::Wide { 0.25 } else { 0.5 };
        let ticks = (0..).map(|at| f64::from(at) * step).take_while(|share| *share <= self.end);
        for share in ticks {
            let (x, percent, below) = (self.x(share), words::decimals(share * 100.0, 0), self.bottom + 16.0);
            let _ = write!(
                text,
                "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{}\"/>\
                 <text x=\"{x:.1}\" y=\"{below}\" text-anchor=\"middle\">{percent} %</text>",
                self.bottom
            );
        }
        let (middle, below) = (f64::midpoint(self.left, self.right), self.bottom + 36.0);
        let size = if self.screen == Screen::Wide { "" } else { " font-size=\"11\"" };
        text + &format!(
            "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\"{size}>{}</text>",
            escaped(&bars.axis)
        )
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
        let top = self.top(at);
        let (name, text) = (escaped(&row.name), escaped(&row.text));
        let class = if row.is_over { "over" } else { "filled c0" };
        let is_longer = row.share.is_none_or(|share| share > self.end);
        let (left, right) = (self.left, self.right);
        let width = (self.x(row.share.unwrap_or(self.end)) - left).max(1.0) - if is_longer { 8.0 } else { 0.0 };
        let mut bar =
            format!("<rect class=\"{class}\" x=\"{left}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{BAR}\"/>");
        if is_longer {
            let (x, middle, bottom) = (left + width, top + BAR / 2.0, top + BAR);
            let _ =
                write!(bar, "<path class=\"{class}\" d=\"M{x:.1} {top:.1}L{right} {middle:.1}L{x:.1} {bottom:.1}Z\"/>");
        }
        format!("<g><title>{name}: {text}</title>{bar}</g>")
    }

    /// Where a row's bar begins.
    fn top(&self, at: usize) -> f64 {
        let bottom = TOP + self.row * (at + 1) as f64;
        match self.screen {
            Screen::Wide => bottom - f64::midpoint(self.row, BAR),
            Screen::Narrow => bottom - BAR - 4.0,
        }
    }

    /// The name and the figures of a row.
    fn words(&self, at: usize, row: &Bar) -> String {
        let top = self.top(at);
        let (anchors, places, y, letters) = match self.screen {
            Screen::Wide => (["end", "start"], [self.left - 8.0, self.right + 12.0], top + BAR - 3.0, LETTERS_MAX),
            Screen::Narrow => {
                // Figures are never cut, so that the name takes what is left.
                let room = (self.right - self.left) / LETTER - row.text.chars().count() as f64;
                (["start", "end"], [self.left, self.right], top - 5.0, room.max(4.0) as usize - 1)
            }
        };
        let texts = [cut_to(&row.name, letters), row.text.clone()];
        let word = |at: usize| {
            let (anchor, x, text) = (anchors[at], places[at], escaped(&texts[at]));
            format!("<text class=\"end-name\" x=\"{x}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>")
        };
        word(0) + &word(1)
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
        let place = Place::new(Screen::Wide);
        let (half, whole) = (width(&drawn(Some(0.5))), width(&drawn(Some(1.0))));
        assert!((whole - 2.0 * half).abs() < 0.2, "{half} is not half of {whole}");
        assert!(whole < place.right - place.left - 10.0, "there is room beyond the limit");
    }

    #[test]
    fn a_narrow_screen_has_figures_above_the_bars_and_cuts_only_the_name() {
        let name = "a task with a name that is much too long for this".to_owned();
        let row = Bar { name, share: Some(0.5), text: "123,456.789 of 200,000 µs".into(), is_over: false };
        let page = bars(&Bars { rows: vec![row], ..Bars::default() }, Setting::InPage);
        let (_, narrow) = page.split_once("prazo-chart narrow").unwrap();
        assert!(narrow.contains("viewBox=\"0 0 360 "), "{narrow}");
        assert!(
            narrow.contains(">123,456.789 of 200,000 µs</text>") && narrow.contains(">a task with a na…</text>"),
            "{narrow}"
        );
    }

    #[test]
    fn what_has_no_bound_ends_in_an_arrow_and_names_are_escaped() {
        let picture = drawn(None);
        assert!(picture.contains("<path class=\"over\"") && !drawn(Some(0.5)).contains("<path class="));
        assert!(picture.contains("a&lt;b") && !picture.contains("a<b"));
        assert!(!picture.contains("NaN") && picture.contains(">deadline</text>"));
    }
}
