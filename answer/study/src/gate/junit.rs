//! The gate's answer as JUnit XML: one test case for each figure, failed where a movement counts.
//!
//! A figure that is not decidable is an error, because the gate then has no answer; one that neither side has is skipped.

use super::result::{Compared, GateResult};
use prazo_run::export::xml::escaped;
use std::fmt::Write;

/// The whole document.
pub fn junit(study: &str, answer: &GateResult) -> String {
    let failures = answer.moved().count();
    let errors = answer.compared.iter().filter(|one| one.is_open()).count() + answer.left.len();
    let skipped = answer.compared.iter().filter(|one| is_absent(one)).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites><testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" \
         errors=\"{errors}\" skipped=\"{skipped}\">\n",
        escaped(study),
        answer.compared.len() + answer.left.len()
    );
    for one in &answer.compared {
        case(&mut text, &one.cell, &format!("{} of {}", one.figure, one.quantity), &body(answer, one));
    }
    for left in &answer.left {
        let error = format!("<error type=\"not-compared\" message=\"{}\"/>", escaped(&left.reason));
        case(&mut text, &left.cell, "all figures", &error);
    }
    text + "</testsuite></testsuites>\n"
}

fn case(text: &mut String, class: &str, name: &str, body: &str) {
    let (class, name) = (escaped(class), escaped(name));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "  <testcase classname=\"{class}\" name=\"{name}\">{body}</testcase>");
}

fn body(answer: &GateResult, one: &Compared) -> String {
    let reason = escaped(one.reason.as_deref().unwrap_or_default());
    match one {
        one if answer.direction.counts(one.movement) => {
            format!("<failure type=\"moved\" message=\"{}\"/>", escaped(&one.shift()))
        }
        one if one.is_open() => format!("<error type=\"undecidable\" message=\"{reason}\"/>"),
        one if is_absent(one) => format!("<skipped message=\"{reason}\"/>"),
        one => format!("<system-out>{}</system-out>", escaped(&one.shift())),
    }
}

/// True for a figure that neither side's samples support.
fn is_absent(one: &Compared) -> bool {
    one.movement == super::Movement::Undecidable && !one.is_open()
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
    }
}
