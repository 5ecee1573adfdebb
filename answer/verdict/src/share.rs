//! A requirement that allows a share of misses: the interval of the observed share decides.
//!
//! Runs under load speak for a pass; where there is none, the others do and the verdict says so. Any run can fail.

use crate::evidence;
use crate::look::{Look, activations, percent};
use crate::requirement::{NONE_OBSERVED, Requirement};
use crate::weight::Weighed;
use prazo_core::text::grouped;
use prazo_core::time::Exact;

/// The reasons from the shares of misses.
pub(crate) fn reasons(looks: &[Look<'_>], requirement: &Requirement) -> Vec<Weighed> {
    let under_load = looks.iter().any(|look| look.is_loaded);
    // A share of gaps is no share of activations.
    let due = || looks.iter().filter(|look| !evidence::is_noise(look.run));
    let mut reasons: Vec<Weighed> =
        due().filter_map(|look| of_share(look, requirement, look.is_loaded || !under_load)).collect();
    if !under_load && due().next().is_some() {
        reasons.push(Weighed::remark(
            "without-load",
            "no run records a load that took effect, so the result holds for an idle platform only".into(),
        ));
    }
    reasons
}

/// What the share of one run says; `counts` where it may speak for a pass.
fn of_share(look: &Look<'_>, requirement: &Requirement, counts: bool) -> Option<Weighed> {
    let (low, high) = look.misses.share_interval?;
    let allowed = requirement.miss_share_allowed();
    let text = text(look, requirement, (low, high));
    if low > allowed {
        Some(Weighed::fails("miss-share-too-large", text))
    } else if !counts {
        Some(Weighed::remark("miss-share-without-load", text))
    } else if high <= allowed {
        Some(Weighed::supports("miss-share-small", text))
    } else {
        Some(Weighed::blocks("miss-share-uncertain", format!("{text}{}", what_to_do(look, allowed))))
    }
}

fn text(look: &Look<'_>, requirement: &Requirement, (low, high): (f64, f64)) -> String {
    let misses = &look.misses;
    let undecided = match misses.undecided {
        0 => String::new(),
        undecided => format!(", and {} more may have", grouped(undecided)),
    };
    format!(
        "{}: {} of {}{} missed the deadline of {}{undecided}; the share of misses is {} % to {} % (95 % CI; effective sample size n/{:.0}), and {} % is allowed",
        look.run.name,
        grouped(misses.missed),
        activations(misses.due),
        under_load(look),
        Exact(requirement.deadline),
        significant(low * 100.0),
        significant(high * 100.0),
        misses.dependence,
        percent(requirement.miss_share_allowed()),
    )
}

/// Loads pause in their rhythm, so that mostly a part of a run is under load.
fn under_load(look: &Look<'_>) -> String {
    match look.due_loaded {
        0 if !look.is_loaded => " without load".into(),
        part if part < look.misses.due => format!(" ({} of them under load)", grouped(part)),
        _ => " under load".into(),
    }
}

/// How long it would take, were the share to stay as it is and not too large.
fn what_to_do(look: &Look<'_>, allowed: f64) -> String {
    match look.misses.rate {
        Some(rate) if rate < allowed => {
            // With some misses, the interval narrows with the root of the count.
            let needed = NONE_OBSERVED * look.misses.dependence / (allowed - rate);
            let needed = needed.max(look.misses.due as f64 * 2.0);
            more(needed)
        }
        _ => String::new(),
    }
}

/// What no run can collect: at 1 kHz, 30 years.
const BEYOND: f64 = 1e12;

fn more(needed: f64) -> String {
    if needed < BEYOND {
        return format!(
            "; about {} due activations may be enough to decide the verdict",
            grouped(two_digits_up(needed))
        );
    }
    "; no run that ends in reasonable time can decide the verdict".into()
}

/// The next number of two digits and zeros: 73,741 is 74,000.
fn two_digits_up(value: f64) -> u64 {
    let unit = 10f64.powf((value.log10().floor() - 1.0).max(0.0));
    ((value / unit).ceil() * unit) as u64
}

/// Two significant digits, in plain notation where that is short.
fn significant(value: f64) -> String {
    // No run could tell it from 0.
    if value < 1e-12 {
        return "0".into();
    }
    let digits = 1 - value.abs().log10().floor() as i32;
    if digits > 6 { format!("{value:.1e}") } else { format!("{value:.*}", digits.max(0) as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use prazo_core::time::Duration;
    use prazo_run::Run;
    use prazo_stats::{MissRate, miss_rate};

    #[test]
    fn an_interval_that_touches_the_allowed_share_lies_within_it() {
        let (run, deadline) = (Run::default(), Duration::from_us(200));
        let requirement = Requirement::new(deadline, Kind::Soft, None).unwrap();
        let allowed = requirement.miss_share_allowed();
        let beyond = allowed.next_up();
        let cases = [
            (Some((0.0, allowed)), true, Some("miss-share-small")),
            (Some((allowed, allowed)), true, Some("miss-share-small")),
            (Some((0.0, beyond)), true, Some("miss-share-uncertain")),
            (Some((allowed, beyond)), true, Some("miss-share-uncertain")),
            (Some((beyond, beyond)), true, Some("miss-share-too-large")),
            (Some((allowed, allowed)), false, Some("miss-share-without-load")),
            (Some((beyond, beyond)), false, Some("miss-share-too-large")),
            (None, true, None),
        ];
        for (share_interval, counts, wanted) in cases {
            let misses = MissRate { share_interval, ..miss_rate(&run, deadline) };
            let look = Look { run: &run, misses, is_loaded: true, due_loaded: 0, min_ns: None, max_ns: None };
            let id = of_share(&look, &requirement, counts).map(|reason| reason.id);
            assert_eq!(id, wanted, "{share_interval:?} {counts}");
        }
    }

    #[test]
    fn two_digits_are_shown() {
        assert_eq!(
            [0.0, 0.05, 1.234, 56.7, 74_000.4, 3.2e-8].map(significant),
            ["0", "0.050", "1.2", "57", "74000", "3.2e-8"]
        );
        assert_eq!([73_741.0, 240_080.0, 7.2].map(two_digits_up), [74_000, 250_000, 8]);
    }

    #[test]
    fn a_number_that_nobody_can_measure_is_not_asked_for() {
        assert_eq!(more(73_741.0), "; about 74,000 due activations may be enough to decide the verdict");
        assert!([1e12, f64::INFINITY, f64::NAN].map(more).iter().all(|text| text.contains("no run")));
    }
}
