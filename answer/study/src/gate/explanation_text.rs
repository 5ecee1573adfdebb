//! The explanation of a movement as lines of text and as Markdown.

use super::line::{signed_us, us};
use super::result::GateResult;
use crate::function_difference::{FunctionDifference, Times};
use prazo_core::text::in_markdown;

impl GateResult {
    /// What moved, explained, or why that is missing: lines of text; none without `--explain`.
    pub(super) fn explanation_lines(&self) -> Vec<String> {
        let missing = self.not_explained.iter().map(|reason| format!("not explained: {reason}"));
        let explained = self.explained.iter().flat_map(|explained| {
            let head = format!("explained: {}", explained.sentence_of_cell());
            let functions = explained.functions.iter().map(function);
            let rest = explained.omitted().into_iter().chain(explained.activations()).map(|line| format!("  {line}"));
            std::iter::once(head).chain(functions).chain(rest)
        });
        missing.chain(explained).collect()
    }

    /// The same as Markdown, with a blank line before it.
    pub(super) fn explanation_markdown(&self) -> String {
        let missing = self.not_explained.iter().map(|reason| format!("\nNot explained: {}\n", in_markdown(reason)));
        let explained = self.explained.iter().map(|explained| {
            let rows: String = explained.functions.iter().map(row).collect();
            let rest = explained.omitted().into_iter().chain(explained.activations());
            let rest: String = rest.map(|line| format!("- {}\n", in_markdown(&line))).collect();
            let sentence = explained.sentence_of_cell();
            let head = "| function, own time | baseline | this run | difference |\n|---|---|---|---|\n";
            format!("\n{}\n\n{head}{rows}\n{rest}", in_markdown(&sentence))
        });
        missing.chain(explained).collect()
    }
}

/// `  +542.10 µs in release_pages: 0.00 µs became 542.10 µs`.
fn function(one: &FunctionDifference) -> String {
    let [difference, against, run] = times(one.times);
    format!("  {difference} in {}: {against} became {run}", one.name)
}

fn row(one: &FunctionDifference) -> String {
    let [difference, against, run] = times(one.times);
    format!("| {} | {against} | {run} | {difference} |\n", in_markdown(&one.name))
}

/// The difference, the baseline and this run.
fn times(times: Times) -> [String; 3] {
    [signed_us(times.difference_ns as f64), us(times.against_ns as f64), us(times.run_ns as f64)]
}

#[cfg(test)]
mod tests {
    use super::super::testing::{compared, of};
    use super::super::{ExplainedActivation, GateExplanation, GateOutcome, Movement, markdown};
    use super::*;

    fn explained(count: i64) -> GateExplanation {
        let function = |at: i64| {
            let times = Times::of([(count - at) * 10_000, 0]);
            FunctionDifference { name: format!("free|{at}"), times }
        };
        let activation = |file: &str, latency_ns: i64| ExplainedActivation {
            file: file.to_owned(),
            activation: 7,
            latency_ns,
            sentence: "in `free`, called from `exit`.".to_owned(),
        };
        let runs = [activation("new/a.prazo", 15_960), activation("good/a.prazo", 10_000)];
        let sentence = "The worst activation of this run took 5.96 µs more than that of the baseline.".to_owned();
        GateExplanation::new("a".into(), runs, sentence, (0..=count).map(function).collect())
    }

    fn moved() -> GateResult {
        of(GateOutcome::Moved, vec![compared("a", "maximum", 5_960.0, 1_000.0, Movement::Worse)])
    }

    #[test]
    fn ten_functions_are_listed_and_none_without_a_difference() {
        let [few, many] = [explained(3), explained(12)];
        assert_eq!((few.functions.len(), few.functions_omitted), (3, 0));
        assert_eq!((many.functions.len(), many.functions_omitted), (10, 2));
    }

    #[test]
    fn the_text_names_the_cell_the_functions_and_both_runs() {
        let mut answer = moved();
        assert!(!answer.to_string().contains("explained"));
        answer.explained = Some(explained(11));
        let text = answer.to_string();
        for line in [
            "  explained: a: The worst activation of this run took 5.96 µs more than that of the baseline.",
            "    +110.00 µs in free|0: 0.00 µs became 110.00 µs",
            "    and 1 more function with smaller differences",
            "    This run (new/a.prazo, activation 7): in `free`, called from `exit`.",
            "    Baseline (good/a.prazo, activation 7): in `free`, called from `exit`.",
        ] {
            assert!(text.lines().any(|one| one == line), "{line}\n{text}");
        }
    }

    #[test]
    fn the_markdown_has_a_table_of_functions_behind_the_figures() {
        let mut answer = moved();
        answer.explained = Some(explained(2));
        let text = markdown(&answer);
        let (_, table) =
            text.split_once("\na: The worst activation of this run took 5.96 µs more").expect("the sentence");
        assert!(table.contains("\n| free\\|0 | 0.00 µs | 20.00 µs | +20.00 µs |\n"), "{text}");
        assert!(table.contains("\n- This run (new/a.prazo, activation 7): in "), "{text}");
    }

    #[test]
    fn a_missing_explanation_has_its_reason_in_text_and_markdown() {
        let mut answer = moved();
        answer.not_explained = Some("no <compiler>".into());
        assert!(answer.to_string().contains("\n  not explained: no <compiler>\n"), "{answer}");
        assert!(markdown(&answer).contains("\nNot explained: no "), "{}", markdown(&answer));
        assert_eq!(answer.outcome, GateOutcome::Moved);
    }

    #[test]
    fn an_answer_without_an_explanation_can_be_read() {
        let mut json = serde_json::to_value(moved()).unwrap();
        assert!(json["explained"].is_null() && json["not_explained"].is_null());
        let fields = json.as_object_mut().unwrap();
        fields.retain(|name, _| !name.contains("explained"));
        assert_eq!(serde_json::from_value::<GateResult>(json).unwrap(), moved());
    }
}
