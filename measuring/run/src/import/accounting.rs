//! What became of the activations of an imported run: due, served, skipped, as far as a file can tell.
//!
//! cyclictest moves its next target past "now" after a late wake-up and never counts what it jumped over (source of
//! rt-tests 0.84 and 2.1); only the run's length over its period shows how many. A relative sleep has no due grid.

use super::caveats;
use super::context::noted;
use crate::{Caveat, Run, Series};
use prazo_core::time::Duration;

/// How long a run lasted, as far as its source tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// By its own command line or by the caller.
    Known(Duration),
    /// By a clock of whole seconds.
    Between {
        /// Not less than this.
        at_least: Duration,
        /// Not more than this.
        at_most: Duration,
    },
    /// It does not say.
    Unknown,
}

/// [`account_for`] a length that the caller knows or nobody.
pub(super) fn account(run: &mut Run, length: Option<Duration>) {
    account_for(run, length.map_or(Length::Unknown, Length::Known));
}

/// Fills due and skipped of every series where the length is known, and says what is missing in one caveat.
pub(super) fn account_for(run: &mut Run, length: Length) {
    let relative =
        noted(run, "import.method").is_some_and(|method| method == "nanosleep" || method.ends_with("-relative"));
    for series in &mut run.series {
        let due = match length {
            _ if relative => Some(series.activations.served),
            Length::Known(length) => due(series, length),
            _ => None,
        };
        series.activations.due = due;
        series.activations.skipped = due.map(|due| due - series.activations.served);
    }
    run.caveats.extend(if relative { Some(drift(run, length)) } else { skips(run, length) });
}

/// What the length holds, or what was served where that is more.
fn due(series: &Series, length: Duration) -> Option<u64> {
    Some(length.div_floor(series.period?)?.max(series.activations.served))
}

/// What is missing from the length, over all processors; two quantities of one activation count once.
fn missing(run: &Run, length: Duration) -> Option<u64> {
    let quantity = run.series.first()?.quantity;
    let missing = |series: &Series| Some(due(series, length)? - series.activations.served);
    let of_one_quantity = run.series.iter().filter(|series| series.quantity == quantity);
    of_one_quantity.map(missing).try_fold(0u64, |sum, missing| Some(sum.saturating_add(missing?)))
}

fn drift(run: &Run, length: Length) -> Caveat {
    caveats::relative_sleep_drifts(if let Length::Known(length) = length { missing(run, length) } else { None })
}

fn skips(run: &Run, length: Length) -> Option<Caveat> {
    let untold = || {
        let why = "the number is unknown, because the file does not state the period or the duration of the run";
        Some(caveats::skipped_not_counted(None, why))
    };
    match length {
        Length::Known(length) => match missing(run, length) {
            Some(0) => None,
            Some(missing) => Some(caveats::skipped_not_counted(Some(missing), &span(run, length))),
            None => untold(),
        },
        Length::Between { at_least, at_most } => match missing(run, at_least).zip(missing(run, at_most)) {
            Some((_, 0)) => None,
            Some((low, high)) => Some(caveats::skipped_not_counted(
                None,
                &format!(
                    "here {low} to {high} activations, estimated from the tool's clock, which counts whole seconds"
                ),
            )),
            None => untold(),
        },
        Length::Unknown => untold(),
    }
}

fn span(run: &Run, length: Duration) -> String {
    let period = run.series.iter().find_map(|series| series.period).unwrap_or_default();
    format!("in a run of {length} at a period of {period}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Activations;

    fn run(served: u64, period: Option<Duration>) -> Run {
        let activations = Activations { served, ..Activations::default() };
        Run { series: vec![Series { period, activations, ..Series::default() }], ..Run::default() }
    }

    #[test]
    fn what_the_length_holds_and_nobody_served_was_skipped() {
        let mut run = run(24_983, Some(Duration::from_us(200)));
        account(&mut run, Some(Duration::from_s(5)));
        assert_eq!((run.series[0].activations.due, run.series[0].activations.skipped), (Some(25_000), Some(17)));
        assert!(run.caveats[0].what.contains("skipped 17 activations ("), "{:?}", run.caveats);
    }

    #[test]
    fn a_grid_that_was_served_in_full_needs_no_caveat() {
        let mut run = run(25_001, Some(Duration::from_us(200)));
        account(&mut run, Some(Duration::from_s(5)));
        assert_eq!((run.series[0].activations.due, run.series[0].activations.skipped), (Some(25_001), Some(0)));
        assert!(run.caveats.is_empty());
    }

    #[test]
    fn without_period_or_length_due_is_unknown_and_said_so() {
        for (period, length) in [(None, Some(Duration::from_s(5))), (Some(Duration::from_us(200)), None)] {
            let mut run = run(7, period);
            account(&mut run, length);
            assert_eq!(run.series[0].activations.due, None);
            assert!(run.has_caveat("skipped-not-counted"));
        }
    }

    #[test]
    fn a_clock_of_whole_seconds_gives_a_range() {
        let mut run = run(100_000, Some(Duration::from_us(200)));
        account_for(&mut run, Length::Between { at_least: Duration::from_s(20), at_most: Duration::from_s(23) });
        assert_eq!(run.series[0].activations.skipped, None);
        assert!(
            run.caveats[0].what.contains("0 to 15000 activations, estimated from the tool's clock"),
            "{:?}",
            run.caveats
        );
    }

    #[test]
    fn a_relative_sleep_has_no_due_grid_and_drifts() {
        let mut run = run(6_846_166, Some(Duration::from_ms(1)));
        super::super::context::note(&mut run, "import.method", "nanosleep", "test");
        account(&mut run, Some(Duration::from_s(7_200)));
        assert_eq!((run.series[0].activations.due, run.series[0].activations.skipped), (Some(6_846_166), Some(0)));
        assert!(run.caveats[0].what.contains("353,834"), "{:?}", run.caveats);
    }
}
