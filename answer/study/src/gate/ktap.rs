//! The gate's answer as KTAP, the kernel's own format for results of tests.
//!
//! A figure that could not be decided is skipped with its reason, because the run and not the kernel is at fault. A cell that was
//! not compared is an error: its kernel may not have booted. What `--explain` found stands in diagnostic lines at the end.

use super::case::{CaseOutcome, TestCase};
use super::result::GateResult;
use prazo_core::text::printable;
use std::fmt::Write;

/// The whole document.
pub fn ktap(answer: &GateResult) -> String {
    let cases: Vec<TestCase<'_>> = answer.cases().collect();
    let mut text = format!("KTAP version 1\n1..{}\n", cases.len());
    for (number, case) in cases.iter().enumerate() {
        // A number sign would begin a directive.
        let plain = |text: &str| printable(text).to_string().replace('#', "-");
        let name = format!("{} {}: {}", number + 1, plain(case.cell), plain(&case.name));
        let what = plain(&case.what);
        let line = match case.outcome {
            CaseOutcome::Passed => format!("# {what}\nok {name}"),
            CaseOutcome::Moved => format!("# {what}\nnot ok {name}"),
            CaseOutcome::Open | CaseOutcome::Absent => format!("ok {name} # SKIP {what}"),
            CaseOutcome::NotCompared => format!("# {what}\nnot ok {name} # ERROR not compared"),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line}");
    }
    for line in answer.explanation_lines() {
        let _ = writeln!(text, "# {}", printable(&line));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::testing::{compared, of};
    use super::super::{GateOutcome, Left, Movement};
    use super::*;

    #[test]
    fn each_figure_has_a_line_and_no_text_becomes_a_directive() {
        let mut answer = of(
            GateOutcome::Moved,
            vec![
                compared("rt.idle", "median", 0.0, 300.0, Movement::None),
                compared("rt.idle", "maximum", 5_960.0, 1_000.0, Movement::Worse),
                compared("rt.idle", "99 %", 0.0, 1_000.0, Movement::Undecidable),
            ],
        );
        answer.left = vec![Left { cell: "a # SKIP b".into(), reason: "the kernel\ndid not boot".into() }];
        let expected = "KTAP version 1\n1..4\n\
            # rt.idle, median of response latency, shift +0.00 µs, threshold 0.30 µs\n\
            ok 1 rt.idle: median of response-latency\n\
            # rt.idle, maximum of response latency, shift +5.96 µs, threshold 1.00 µs\n\
            not ok 2 rt.idle: maximum of response-latency\n\
            ok 3 rt.idle: 99 % of response-latency # SKIP too few <seeds>\n";
        let text = ktap(&answer);
        let rest = text.strip_prefix(expected).unwrap_or_else(|| panic!("{text}"));
        let lines: Vec<&str> = rest.lines().collect();
        assert_eq!(lines.len(), 2, "a line break in a reason begins no line of its own: {rest}");
        assert!(lines[0].starts_with("# the kernel"), "{rest}");
        assert_eq!(lines[1], "not ok 4 a - SKIP b: the comparison as a whole # ERROR not compared");
        answer.not_explained = Some("it has\nno trace".into());
        let explained = ktap(&answer);
        let last = explained.strip_prefix(&text).unwrap_or_else(|| panic!("{explained}"));
        assert!(last.starts_with("# not explained: it has") && last.lines().count() == 1, "{last}");
    }
}
