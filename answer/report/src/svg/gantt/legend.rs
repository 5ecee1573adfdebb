//! What the signs mean: those that every chart has, and those that this one needs.

use super::{AXIS, COLOURS, LEFT, Place, arrow, diamond};
use prazo_core::text::counted;

impl Place<'_> {
    pub(super) fn legend(&self) -> String {
        let y = self.axis_top() + AXIS + 12.0;
        let mut at = Row { x: LEFT + 6.0, y, text: String::new() };
        at.sign(&arrow("arrow", LEFT + 6.0, y + 3.0, y - 14.0), 10.0, "arrival");
        at.sign(&arrow("due", at.x, y - 14.0, y + 3.0), 10.0, "deadline");
        let wait = at.block("wait c6");
        at.sign(&wait, 28.0, "waits");
        if !self.gantt.late().is_empty() {
            at.sign(&arrow("missed", at.x, y - 14.0, y + 3.0), 10.0, "deadline missed");
            let bar = at.block("late-bar");
            at.sign(&bar, 28.0, "runs after its deadline");
        }
        if let Some(served) = self.lanes.iter().find(|task| !self.gantt.postponements(**task).is_empty()) {
            let class = format!("used-up c{}", served % COLOURS);
            at.sign(
                &format!("<path class=\"{class}\" d=\"{}\"/>", diamond(at.x + 4.0, y - 4.0)),
                14.0,
                "budget used up",
            );
        }
        let left_out = self.gantt.tasks.len() - self.lanes.len();
        if left_out > 0 {
            at.sign("", 0.0, &format!("{} more without a row", counted(left_out as u64, "task")));
        }
        at.text
    }
}

/// Signs with their words, one behind the other.
struct Row {
    x: f64,
    y: f64,
    text: String,
}

impl Row {
    /// A sign of this width, then its words.
    fn sign(&mut self, sign: &str, width: f64, words: &str) {
        let x = self.x + width;
        self.text += &format!("{sign}<text x=\"{x:.1}\" y=\"{}\" font-size=\"12\">{words}</text>", self.y);
        self.x = x + 6.6 * words.len() as f64 + 24.0;
    }

    fn block(&self, class: &str) -> String {
        let (x, y) = (self.x, self.y - 10.0);
        format!("<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"22\" height=\"12\" rx=\"2\"/>")
    }
}
