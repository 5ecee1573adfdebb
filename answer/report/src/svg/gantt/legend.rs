//! What the signs mean: those that every chart has, and those that this one needs.

use super::super::frame::COLOURS;
use crate::gantt::Gantt;
use prazo_core::text::counted;

/// The height of a legend with one row.
const HEIGHT: f64 = 30.0;

/// What the legend is about, and its place.
pub(super) struct Legend<'a> {
    pub(super) gantt: &'a Gantt<'a>,
    /// The tasks that have a lane.
    pub(super) lanes: &'a [usize],
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
}

impl Legend<'_> {
    /// The legend, and where it ends.
    pub(super) fn drawn(&self) -> (String, f64) {
        let (left, y) = (self.left, self.top + 12.0);
        let mut at = Rows { left, right: self.right, x: left, y, text: String::new() };
        at.sign(10.0, "arrival", |x, y| arrow("arrow", x, y + 3.0, y - 14.0));
        at.sign(10.0, "deadline", |x, y| arrow("due", x, y - 14.0, y + 3.0));
        at.sign(28.0, "waits", block("wait c6"));
        if !self.gantt.late().is_empty() {
            at.sign(10.0, "deadline missed", |x, y| arrow("missed", x, y - 14.0, y + 3.0));
            at.sign(28.0, "runs after its deadline", block("late-bar"));
        }
        if let Some(away) = self.lanes.iter().find(|task| !self.gantt.suspended(**task).is_empty()) {
            at.sign(28.0, "suspended", block(&format!("away c{}", away % COLOURS)));
        }
        if !self.gantt.unserved.is_empty() {
            at.sign(28.0, "no supply", block("gone"));
        }
        if let Some(served) = self.lanes.iter().find(|task| !self.gantt.postponements(**task).is_empty()) {
            let class = format!("used-up c{}", served % COLOURS);
            at.sign(14.0, "budget used up", |x, y| {
                format!("<path class=\"{class}\" d=\"{}\"/>", diamond(x + 4.0, y - 4.0))
            });
        }
        let left_out = self.gantt.tasks.len() - self.lanes.len();
        if left_out > 0 {
            at.sign(0.0, &format!("{} more, not drawn", counted(left_out as u64, "task")), |_, _| String::new());
        }
        (at.text, at.y + HEIGHT - 12.0)
    }
}

pub(super) fn diamond(x: f64, y: f64) -> String {
    format!("M{:.1} {y:.1}L{x:.1} {:.1}L{:.1} {y:.1}L{x:.1} {:.1}Z", x - 4.5, y - 4.5, x + 4.5, y + 4.5)
}

/// A line from `tail` to `tip` with a head.
pub(super) fn arrow(class: &str, x: f64, tail: f64, tip: f64) -> String {
    let back = if tip < tail { tip + 6.0 } else { tip - 6.0 };
    format!(
        "<path class=\"{class}\" d=\"M{x:.1} {tail:.1}V{tip:.1}M{:.1} {back:.1}L{x:.1} {tip:.1}L{:.1} {back:.1}\"/>",
        x - 3.6,
        x + 3.6
    )
}

fn block(class: &str) -> impl Fn(f64, f64) -> String {
    move |x, y| {
        let y = y - 10.0;
        format!("<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"22\" height=\"12\" rx=\"2\"/>")
    }
}

/// Signs with their words, one behind the other, and a new row where they would leave the picture.
struct Rows {
    left: f64,
    right: f64,
    x: f64,
    y: f64,
    text: String,
}

/// The height of a row.
const ROW: f64 = 22.0;

impl Rows {
    /// A sign of this width at its place, then its words.
    fn sign(&mut self, width: f64, words: &str, sign: impl Fn(f64, f64) -> String) {
        let length = width + 6.6 * words.len() as f64;
        if self.x > self.left && self.x + length > self.right {
            (self.x, self.y) = (self.left, self.y + ROW);
        }
        let (x, y) = (self.x + width, self.y);
        self.text += &format!("{}<text x=\"{x:.1}\" y=\"{y}\" font-size=\"12\">{words}</text>", sign(self.x, y));
        self.x += length + 24.0;
    }
}
