//! Which activations of a run are explained, and where they are among the readings of the guest's clock.

use super::measured::{clocks_of, is_of_tool, listed, no_latency, series};
use super::readings::{self, Found};
use super::tool;
use crate::error::Error;
use prazo_core::text::grouped;
use prazo_lab::recording::{ClockReading, Recording};
use prazo_run::Run;
use prazo_run::run::{WORST_KEPT, WorstSample};
use std::cmp::Reverse;

/// Which activations are explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    /// These, which the run lists.
    Listed(Vec<WorstSample>),
    /// The worst ones of a run whose tool lists none.
    Worst(usize),
    /// The one with this number, of such a run.
    Number(u64),
}

impl Chosen {
    /// The worst `count` activations.
    pub(super) fn worst(run: &Run, count: usize) -> Result<Self, Error> {
        let listed = listed(run);
        let is_of_tool = is_of_tool(run);
        // As many as other runs list.
        let there = if is_of_tool { tool_activations(run)?.min(WORST_KEPT) } else { listed.len() };
        match count {
            _ if there == 0 => Err(no_latency(
                run,
                "use a run of `prazo measure timer --platform lab:NAME` or of `prazo measure interrupt --platform lab:NAME`",
            )),
            0 => Err(Error::field("worst", "no activation would be explained").with_remedy("give 1 or more")),
            count if count > there => Err(Error::field("worst", "so many activations of this run cannot be explained")
                .with_value(count)
                .with_remedy(format!("give at most {}", grouped(there as u64)))),
            count if is_of_tool => Ok(Self::Worst(count)),
            count => Ok(Self::Listed(listed[..count].to_vec())),
        }
    }

    /// The activation with this number, which a run that lists activations must list.
    pub(super) fn numbered(run: &Run, number: u64) -> Result<Self, Error> {
        let refused =
            |why: &str, remedy: String| Err(Error::field("debug", why).with_value(number).with_remedy(remedy));
        if is_of_tool(run) {
            let last = (tool_activations(run)? as u64).saturating_sub(1);
            return match number {
                number if number <= last => Ok(Self::Number(number)),
                _ => refused("the run has no such activation", format!("give a number from 0 to {last}")),
            };
        }
        let listed = listed(run);
        if let Some(sample) = listed.iter().find(|sample| sample.activation == number) {
            return Ok(Self::Listed(vec![*sample]));
        }
        const SHOWN: usize = 10;
        let known: Vec<_> = listed.iter().take(SHOWN).map(|sample| sample.activation.to_string()).collect();
        let more = if listed.len() > SHOWN { format!(" and {} more", listed.len() - SHOWN) } else { String::new() };
        refused(
            "the run does not list this activation among its worst",
            format!("give one of {}{more}, which are ordered from the worst on", known.join(", ")),
        )
    }

    /// Where they are, in the counter's time and in instructions. All activations that the run lists help to find them.
    pub(super) fn found(&self, run: &Run, recording: &Recording) -> Result<Vec<Found>, Error> {
        let clocks = clocks_of(run, recording);
        let found = match self {
            Self::Listed(samples) => readings::find(samples, listed(run), &clocks).ok_or_else(|| {
                Error::failed(
                    "the guest's clock readings do not cover the activations of the run, so prazo cannot explain them",
                )
            })?,
            Self::Worst(count) => {
                let mut all = all_of_tool(run, &clocks)?;
                all.sort_by_key(|one| Reverse(one.sample.latency_ns));
                all.truncate(*count);
                all
            }
            Self::Number(number) => {
                let all = all_of_tool(run, &clocks)?;
                all.into_iter().filter(|one| one.sample.activation == *number).collect()
            }
        };
        none_early(run, found)
    }
}

/// All activations of a run that a core's own tool measured, in order.
pub(super) fn all_of_tool(run: &Run, clocks: &[ClockReading]) -> Result<Vec<Found>, Error> {
    series(run).and_then(|series| tool::activations(series, clocks)).ok_or_else(|| {
        Error::failed(
            "the tool's activations were not found: no thread's clock readings match the tool's histogram, minimum and maximum",
        )
        .with_remedy("measure again; report this if it happens again")
    })
}

/// Refuses activations whose task ran before they were due: nothing of them can be recorded.
pub(super) fn none_early(run: &Run, found: Vec<Found>) -> Result<Vec<Found>, Error> {
    match found.iter().find(|one| one.sample.latency_ns <= 0) {
        Some(early) => Err(is_early(run, Some(early.sample.activation))),
        None => Ok(found),
    }
}

/// The error for a run with activations whose task ran before they were due.
pub(super) fn is_early(run: &Run, activation: Option<u64>) -> Error {
    let which = activation.map_or("an activation".to_owned(), |number| format!("activation {number}"));
    Error::refused(format!(
        "in run '{}' the task ran before {which} was due, because the core programs its timer early",
        run.name
    ))
    .with_remedy("explain the worst activations only, without --profile")
}

/// How many activations the tool measured.
fn tool_activations(run: &Run) -> Result<usize, Error> {
    let Some(series) = series(run) else { return Ok(0) };
    match tool::obstacle(series) {
        Some((why, remedy)) => Err(Error::refused(format!("run '{}' {why}", run.name)).with_remedy(remedy)),
        None => Ok(series.histogram.total() as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tool::tests::{LATENCIES, series};
    use super::*;
    use prazo_core::time::Duration;
    use prazo_run::Plan;
    use prazo_run::plan::{Length, Policy};
    use prazo_run::run::Series;
    use prazo_run::source::{Source, XenomaiContext, XenomaiSource};

    fn run(series: Series) -> Run {
        let source = Source::Xenomai(XenomaiSource { tool: None, context: XenomaiContext::User });
        let length = Length::Duration { length: Duration::from_s(3) };
        let plan = Plan::new(source, Policy::Other, Vec::new(), length);
        Run { series: vec![series], plan: Some(plan), ..Run::default() }
    }

    #[test]
    fn of_a_tool_s_run_any_activation_can_be_chosen_but_only_a_thousand_at_once() {
        let run = run(series());
        assert_eq!(Chosen::worst(&run, 1_000).unwrap(), Chosen::Worst(1_000));
        let error = Chosen::worst(&run, 1_001).unwrap_err().to_string();
        assert!(error.contains("1001") && error.contains("at most 1,000"), "{error}");
        assert!(Chosen::worst(&run, 0).is_err());
        let last = LATENCIES - 1;
        assert_eq!(Chosen::numbered(&run, last).unwrap(), Chosen::Number(last));
        let error = Chosen::numbered(&run, last + 1).unwrap_err().to_string();
        assert!(error.contains(&format!("0 to {last}")), "{error}");
    }

    #[test]
    fn an_activation_whose_task_ran_early_is_refused() {
        let found = |latency_ns| {
            let sample = WorstSample { at_ns: 0, latency_ns, activation: 7 };
            vec![Found { sample, counter: 0, instructions: 0, latency: 0 }]
        };
        assert!(none_early(&run(series()), found(1)).is_ok());
        let error = none_early(&run(series()), found(-1_050)).unwrap_err().to_string();
        assert!(error.contains("activation 7") && error.contains("early"), "{error}");
    }
}
