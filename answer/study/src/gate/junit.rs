//! The gate's answer as JUnit XML: one test case for each figure, failed where a movement counts.
//!
//! A figure that is not decidable is an error, because the gate then has no answer; one that neither side has is skipped. What
//! `--explain` found is the output of the test suite.

use super::case::{CaseOutcome, TestCase};
use super::result::GateResult;
use prazo_run::export::xml::escaped;
use std::fmt::Write;

/// The whole document.
pub fn junit(study: &str, answer: &GateResult) -> String {
    let cases: Vec<TestCase<'_>> = answer.cases().collect();
    let count = |of: &[CaseOutcome]| cases.iter().filter(|case| of.contains(&case.outcome)).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites><testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" \
         errors=\"{}\" skipped=\"{}\">\n",
        escaped(study),
        cases.len(),
        count(&[CaseOutcome::Moved]),
        count(&[CaseOutcome::Open, CaseOutcome::NotCompared]),
        count(&[CaseOutcome::Absent]),
    );
    for case in &cases {
        let (class, name, what) = (escaped(case.cell), escaped(&case.name), escaped(&case.what));
        let body = match case.outcome {
            CaseOutcome::Passed => format!("<system-out>{what}</system-out>"),
            CaseOutcome::Moved => format!("<failure type=\"moved\" message=\"{what}\"/>"),
            CaseOutcome::Open => format!("<error type=\"undecidable\" message=\"{what}\"/>"),
            CaseOutcome::Absent => format!("<skipped message=\"{what}\"/>"),
            CaseOutcome::NotCompared => format!("<error type=\"not-compared\" message=\"{what}\"/>"),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  <testcase classname=\"{class}\" name=\"{name}\">{body}</testcase>");
    }
    let explanation = answer.explanation_lines();
    if !explanation.is_empty() {
        let _ = writeln!(text, "  <system-out>{}</system-out>", escaped(&explanation.join("\n")));
    }
    text + "</testsuite></testsuites>\n"
}

#[cfg(test)]
mod tests {
    use super::super::testing::{compared, of};
    use super::super::{GateOutcome, Left, Movement};
    use super::*;

    #[test]
    fn a_movement_fails_an_open_figure_errs_and_texts_are_escaped() {
        let mut answer = of(
            GateOutcome::Moved,
            vec![
                compared("rt.idle.fifo", "median", 0.0, 300.0, Movement::None),
                compared("rt.idle.fifo", "maximum", 5_960.0, 1_000.0, Movement::Worse),
                compared("rt.idle.fifo", "99 %", 0.0, 1_000.0, Movement::Undecidable),
            ],
        );
        answer.left = vec![Left { cell: "rt.loaded.fifo".into(), reason: "a & b".into() }];
        let text = junit("gate", &answer);
        assert!(text.contains("name=\"gate\" tests=\"4\" failures=\"1\" errors=\"2\" skipped=\"0\""), "{text}");
        assert!(
            text.contains(
                "name=\"maximum of response-latency\"><failure type=\"moved\" message=\"rt.idle.fifo, maximum"
            ),
            "{text}"
        );
        assert!(text.contains("too few &lt;seeds&gt;") && text.contains("a &amp; b"), "{text}");
        assert!(!text.contains("\n  <system-out>"), "{text}");
        answer.not_explained = Some("no <trace>".into());
        let text = junit("gate", &answer);
        assert!(text.contains("\n  <system-out>not explained: no &lt;trace&gt;</system-out>\n</testsuite>"), "{text}");
    }
}
