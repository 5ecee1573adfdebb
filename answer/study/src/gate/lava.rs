//! The gate's answer as the lines that LAVA reads from a console: a test set of the study's name, one line for each case.
//!
//! A figure that could not be decided is skipped. A cell that was not compared has the result `unknown`: its kernel may not have
//! booted.

use super::case::{CaseOutcome, TestCase};
use super::result::GateResult;
use prazo_core::text::printable;
use std::fmt::Write;

/// The lines. What `--explain` found follows them as plain text, which stays in LAVA's log.
pub fn lava(study: &str, answer: &GateResult) -> String {
    let lines: String = answer.cases().map(|case| line(&case)).collect();
    // An angle bracket could begin a signal.
    let plain = |line: String| format!("{}\n", printable(&line).to_string().replace('<', "("));
    let explanation: String = answer.explanation_lines().into_iter().map(plain).collect();
    format!("<LAVA_SIGNAL_TESTSET START {}>\n{lines}<LAVA_SIGNAL_TESTSET STOP>\n{explanation}", word(study))
}

fn line(case: &TestCase<'_>) -> String {
    let result = match case.outcome {
        CaseOutcome::Passed => "pass",
        CaseOutcome::Moved => "fail",
        CaseOutcome::Open | CaseOutcome::Absent => "skip",
        CaseOutcome::NotCompared => "unknown",
    };
    let mut line =
        format!("<LAVA_SIGNAL_TESTCASE TEST_CASE_ID={}.{} RESULT={result}", word(case.cell), word(&case.name));
    if let Some(ns) = case.found_ns {
        // Writing to a string cannot fail.
        let _ = write!(line, " UNITS=us MEASUREMENT={:.3}", ns / 1e3);
    }
    line + ">\n"
}

/// `text` as one word: a space or a bracket would end the field.
fn word(text: &str) -> String {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let parts: Vec<&str> = text.split(|c| !is_allowed(c)).filter(|part| !part.is_empty()).collect();
    parts.join("-")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{compared, of};
    use super::super::{GateOutcome, Left, Movement};
    use super::*;

    #[test]
    fn each_figure_is_one_signal_with_its_largest_value() {
        let mut answer = of(
            GateOutcome::Moved,
            vec![
                compared("rt.idle", "99.9 %", 5_960.0, 1_000.0, Movement::Worse),
                compared("rt.idle", "99 %", 0.0, 1_000.0, Movement::Undecidable),
                compared("rt.idle", "median", 0.0, 1_000.0, Movement::None),
            ],
        );
        answer.left = vec![Left { cell: "a> b".into(), reason: "no run".into() }];
        assert_eq!(
            lava("my study", &answer),
            "<LAVA_SIGNAL_TESTSET START my-study>\n\
             <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=rt.idle.99.9-of-response-latency RESULT=fail UNITS=us MEASUREMENT=16.960>\n\
             <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=rt.idle.99-of-response-latency RESULT=skip UNITS=us MEASUREMENT=11.000>\n\
             <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=rt.idle.median-of-response-latency RESULT=pass UNITS=us MEASUREMENT=11.000>\n\
             <LAVA_SIGNAL_TESTCASE TEST_CASE_ID=a-b.the-comparison-as-a-whole RESULT=unknown>\n\
             <LAVA_SIGNAL_TESTSET STOP>\n"
        );
        let signals = lava("my study", &answer);
        answer.not_explained = Some("no <LAVA_SIGNAL".into());
        assert_eq!(lava("my study", &answer), signals + "not explained: no (LAVA_SIGNAL\n");
    }
}
