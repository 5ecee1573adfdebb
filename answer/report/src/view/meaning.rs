//! What the answer means, in sentences for somebody who has never measured a latency.

use super::Section;
use crate::content::ReportContent;
use crate::words;
use prazo_core::text::counted;
use prazo_stats::Per;
use prazo_verdict::{Kind, Outcome, Verdict};

/// The meaning of the verdict and of the largest value.
pub fn section(content: &ReportContent) -> Section {
    let mut section = Section::new("meaning", "What this means");
    section.sentences.extend(content.verdict.iter().flat_map(of_verdict));
    section.sentences.extend(worst(content));
    section.sentences.extend(length(content));
    section
}

fn of_verdict(verdict: &Verdict) -> Vec<String> {
    let deadline = words::length(verdict.requirement.deadline);
    let first = format!(
        "An activation is due when its event happens, such as the instant that a timer was set to. The latency is the time from then until the thread ran. The deadline allows at most {deadline}."
    );
    let class = format!("The result applies to a platform of this class: {}.", verdict.class.describe());
    vec![first, kind(verdict.requirement.kind).into(), outcome(verdict.outcome).into(), class]
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Hard => "The deadline is hard: a single miss invalidates the whole system.",
        Kind::Firm => "The deadline is firm: a late answer is useless, but the system continues.",
        Kind::Soft => "The deadline is soft: a late answer is worth less.",
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => {
            "Pass means that the observations under these loads suffice and meet the requirement. A measurement is evidence, not a guarantee."
        }
        Outcome::Fail => {
            "Fail means that the observations violate the requirement. If every activation must meet the deadline, more measurement cannot change that."
        }
        Outcome::Inconclusive => {
            "Inconclusive means that the evidence supports neither pass nor fail. The reasons above say what is missing."
        }
    }
}

/// The largest value of all runs, with its quantity and its count.
fn worst(content: &ReportContent) -> Option<String> {
    let all = content.judged().filter_map(|run| Some((run, run.overall(Per::ServedWakeUp)?)));
    let (run, summary) = all.max_by_key(|(_, summary)| summary.max_ns)?;
    Some(format!(
        "The largest observed {} was {}, in {} of run '{}'. A later value may be larger: an observed maximum is not a bound.",
        words::quantity(summary.quantity),
        words::latency(summary.max_ns?),
        counted(summary.count, "sample"),
        run.run.name
    ))
}

fn length(content: &ReportContent) -> Option<String> {
    let measured = content.judged().filter(|run| !run.is_cost_alone());
    let longest = measured.max_by_key(|run| run.overall(Per::ServedWakeUp).map(|summary| summary.count))?;
    let sentence = &longest.summary.length_allows;
    (!sentence.is_empty()).then(|| sentence.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::RunEvidence;
    use prazo_run::run::Quantity;
    use prazo_run::{Histogram, Run, Series};

    #[test]
    fn the_largest_value_is_of_the_quantity_that_was_measured() {
        let mut histogram = Histogram::new();
        histogram.add(25_000, 4);
        let series = Series { quantity: Quantity::Noise, histogram, ..Series::default() };
        let run = Run { name: "quiet".into(), series: vec![series], ..Run::default() };
        let evidence = ReportContent { runs: vec![RunEvidence::of(run, None)], ..ReportContent::default() };
        let said = worst(&evidence).expect("there is a maximum");
        assert!(said.starts_with("The largest observed noise was 25 µs, in 4 samples of run 'quiet'. "), "{said}");
    }
}
