//! The gate's answer in one line: passed or failed, and the figure that moved the furthest, with what it had to exceed.

use super::result::{Compared, Direction, GateOutcome, GateResult, SKIPPED};
use crate::statistic::quantity_name;
use prazo_core::text::counted;
use prazo_run::run::Quantity;

impl GateResult {
    /// `gate: failed: 2 of 32 figures moved; furthest: rt.loaded.fifo, 99.9 % of response latency, shift +5.96 µs, ...`.
    pub fn line(&self) -> String {
        let (word, details) = (self.word(), self.details());
        if details.is_empty() { format!("gate: {word}") } else { format!("gate: {word}: {details}") }
    }

    /// The answer in one word.
    pub fn word(&self) -> &'static str {
        match self.outcome {
            GateOutcome::Unmoved => "passed",
            GateOutcome::Moved => "failed",
            GateOutcome::Undecidable => "inconclusive",
        }
    }

    /// What moved the furthest, or what keeps the answer open.
    pub fn details(&self) -> String {
        let figures = counted(self.compared.len() as u64, "figure");
        match self.outcome {
            GateOutcome::Unmoved => {
                let direction = match self.direction {
                    Direction::Either => "",
                    Direction::Worse => " to larger values",
                    Direction::Better => " to smaller values",
                };
                format!("none of {figures} moved{direction} beyond the spread of the seeds")
            }
            GateOutcome::Moved => {
                let furthest = self.furthest().map(|one| format!("; furthest: {}", one.shift())).unwrap_or_default();
                format!("{} of {figures} moved{furthest}", self.moved().count())
            }
            GateOutcome::Undecidable => {
                let open = self.left_open();
                let first = open.first().cloned().unwrap_or_default();
                let more = open.len().checked_sub(1).filter(|more| *more > 0);
                format!("{first}{}", more.map_or_else(String::new, |more| format!("; and {more} more")))
            }
        }
    }

    /// The figures, those that moved first.
    pub fn moved_first(&self) -> impl Iterator<Item = &Compared> {
        self.moved().chain(self.compared.iter().filter(|one| !self.direction.counts(one.movement)))
    }

    /// The movement that exceeds its threshold by the largest factor.
    pub fn furthest(&self) -> Option<&Compared> {
        self.moved_furthest_first().into_iter().next()
    }

    /// The cells with movements, the one with the furthest movement first.
    pub fn furthest_cells(&self) -> Vec<&str> {
        let mut cells: Vec<&str> = Vec::new();
        for one in self.moved_furthest_first() {
            if !cells.contains(&one.cell.as_str()) {
                cells.push(&one.cell);
            }
        }
        cells
    }

    /// Of equal movements the last one is the furthest.
    fn moved_furthest_first(&self) -> Vec<&Compared> {
        let mut moved: Vec<&Compared> = self.moved().collect();
        moved.reverse();
        moved.sort_by(|a, b| b.factor().total_cmp(&a.factor()));
        moved
    }
}

impl Compared {
    /// By which factor the movement exceeds its threshold.
    fn factor(&self) -> f64 {
        self.gap_ns.zip(self.needed_ns).map_or(0.0, |(gap, needed)| gap.abs() / needed)
    }

    /// What was compared: `rt.loaded.fifo, 99.9 % of response latency`.
    pub fn subject(&self) -> String {
        format!("{}, {}", self.cell, self.figure_of_quantity())
    }

    /// `99.9 % of response latency`; of the time skipped, which is no latency, its name alone.
    pub(super) fn figure_of_quantity(&self) -> String {
        figure_of_quantity(&self.figure, self.quantity)
    }

    /// By how much it moved, and how much the seeds' spread explains.
    pub(super) fn shift(&self) -> String {
        let (gap, needed) = (self.gap_ns.unwrap_or(0.0), self.needed_ns.unwrap_or(0.0));
        format!("{}, shift {}, threshold {}", self.subject(), signed_us(gap), us(needed))
    }
}

/// `99.9 % of response latency`; of the time skipped, which is no latency, its name alone.
pub(super) fn figure_of_quantity(figure: &str, quantity: Quantity) -> String {
    match figure {
        SKIPPED => SKIPPED.to_owned(),
        figure => format!("{figure} of {}", quantity_name(quantity)),
    }
}

/// `5.96 µs`.
pub(super) fn us(ns: f64) -> String {
    format!("{:.2} µs", ns / 1e3)
}

/// `+5.96 µs`.
pub(super) fn signed_us(ns: f64) -> String {
    // Not -0.00: what rounds to zero has no sign.
    format!("{:+.2} µs", (ns / 10.0).round() / 100.0 + 0.0)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{compared, of};
    use super::super::{Direction, GateOutcome, Left, Movement};

    #[test]
    fn the_line_names_the_figure_that_moved_furthest_with_its_threshold() {
        let answer = of(
            GateOutcome::Moved,
            vec![
                compared("rt.idle.fifo", "median", 900.0, 300.0, Movement::Worse),
                compared("rt.loaded.fifo", "maximum", 5_960.0, 1_000.0, Movement::Worse),
                compared("rt.loaded.fifo", "median", 0.0, 1_000.0, Movement::None),
            ],
        );
        assert_eq!(
            answer.line(),
            "gate: failed: 2 of 3 figures moved; furthest: rt.loaded.fifo, maximum of response latency, shift +5.96 µs, \
             threshold 1.00 µs"
        );
    }

    #[test]
    fn cells_are_ordered_by_their_furthest_movement() {
        let mut answer = of(
            GateOutcome::Moved,
            vec![
                compared("near", "median", 900.0, 300.0, Movement::Worse),
                compared("far", "median", 400.0, 300.0, Movement::Worse),
                compared("far", "maximum", 5_960.0, 1_000.0, Movement::Worse),
                compared("better", "maximum", -9_000.0, 1_000.0, Movement::Better),
                compared("still", "median", 0.0, 1_000.0, Movement::None),
            ],
        );
        assert_eq!(answer.furthest_cells(), ["better", "far", "near"]);
        answer.direction = Direction::Worse;
        assert_eq!(answer.furthest_cells(), ["far", "near"]);
        assert_eq!(answer.furthest().map(|one| one.cell.as_str()), Some("far"));
    }

    #[test]
    fn the_line_says_what_kept_the_answer_open() {
        let mut answer = of(GateOutcome::Undecidable, vec![]);
        answer.left = vec![Left { cell: "rt.idle.fifo".into(), reason: "no run".into() }];
        assert_eq!(answer.line(), "gate: inconclusive: not completely compared: rt.idle.fifo: no run");
        let stalled = compared("a", "time skipped", 900.0, 300.0, Movement::Worse);
        assert_eq!(stalled.subject(), "a, time skipped");
        let passed = of(GateOutcome::Unmoved, vec![compared("a", "median", 0.0, 1.0, Movement::None)]);
        assert_eq!(passed.line(), "gate: passed: none of 1 figure moved beyond the spread of the seeds");
    }
}
