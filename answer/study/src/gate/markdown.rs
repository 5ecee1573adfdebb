//! The gate's answer as Markdown, for a comment in a review: the line, a table of the figures, and what explains them.

use super::line::{signed_us, us};
use super::result::{Compared, GateResult};
use prazo_core::text::in_markdown;
use prazo_stats::observed_range::Ends;

/// The whole text.
pub fn markdown(answer: &GateResult) -> String {
    let head =
        "| cell | figure | baseline | this run | shift | threshold | movement |\n|---|---|---|---|---|---|---|\n";
    // A reviewer looks at what moved.
    let rows: String = answer.moved_first().map(row).collect();
    let left: String = answer.left_open().iter().map(|line| format!("- {}\n", in_markdown(line))).collect();
    let left = if left.is_empty() { left } else { format!("\n{left}") };
    let (line, explanation) = (answer.line(), answer.explanation_markdown());
    format!(
        "**{}** (baseline: {})\n\n{head}{rows}{explanation}{left}",
        in_markdown(&line),
        in_markdown(&answer.baseline)
    )
}

fn row(one: &Compared) -> String {
    let ns = |ns: Option<f64>, shown: fn(f64) -> String| ns.map_or_else(|| "-".to_owned(), shown);
    let cells = [
        one.cell.clone(),
        one.figure_of_quantity(),
        range(one.baseline),
        range(one.found),
        ns(one.gap_ns, signed_us),
        ns(one.needed_ns, us),
        one.movement.to_string(),
    ];
    format!("| {} |\n", cells.map(|cell| in_markdown(&cell).to_string()).join(" | "))
}

/// `10.0 to 10.5 µs`.
fn range(ends: Option<Ends>) -> String {
    ends.map_or_else(|| "-".to_owned(), |ends| format!("{:.2} to {:.2} µs", ends.low_ns / 1e3, ends.high_ns / 1e3))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{compared, of};
    use super::super::{GateOutcome, Movement};
    use super::*;
    use prazo_core::text::acts;

    #[test]
    fn the_table_begins_with_what_moved() {
        let answer = of(
            GateOutcome::Moved,
            vec![
                compared("a", "median", 0.0, 300.0, Movement::None),
                compared("b|c", "maximum", 5_960.0, 1_000.0, Movement::Worse),
            ],
        );
        let text = markdown(&answer);
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ")).collect();
        assert!(text.starts_with("**gate: failed: 1 of 2 figures moved"), "{text}");
        assert_eq!(rows.len(), 3, "{text}");
        assert_eq!(
            rows[1],
            "| b\\|c | maximum of response latency | 10.00 to 10.50 µs | 16.46 to 16.96 µs | +5.96 µs | 1.00 µs | worse |"
        );
    }

    #[test]
    fn a_name_begins_no_markup_and_acts_on_no_terminal() {
        let name = "*a* [b](c) `d`\u{1b}[2J";
        let moved = compared(name, "maximum", 5_960.0, 1_000.0, Movement::Worse);
        let text = markdown(&of(GateOutcome::Moved, vec![moved]));
        assert!(text.contains(r"| \*a\* \[b\](c) \`d\` \[2J | maximum of "), "{text}");
        assert!(!text.contains(|c| c != '\n' && acts(c)), "{text:?}");
    }
}
