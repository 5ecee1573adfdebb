//! Each kind is held, not held and left open by the curves that should do so.

use super::*;
use crate::schedulability::result::PointResult;

/// A curve that accepts so many of 1,000 sets at 1.0, 1.1, 1.2, ...
fn curve(id: &str, accepted: &[u64]) -> CurveResult {
    curve_of(id, 1_000, accepted)
}

fn curve_of(id: &str, sets: u64, accepted: &[u64]) -> CurveResult {
    let point = |(at, accepted): (usize, &u64)| PointResult {
        utilization: format!("{}.{}", 1 + at / 10, at % 10),
        tasks_mean: None,
        sets,
        accepted: *accepted,
        disproven: 0,
        unknown: sets - accepted,
        budget_spent: 0,
        share: None,
        share_min: None,
        share_max: None,
        decided: BTreeMap::new(),
        work: 0,
    };
    CurveResult {
        id: id.into(),
        family: String::new(),
        method: String::new(),
        scheduler: String::new(),
        platform: String::new(),
        weighted_acceptance: None,
        points: accepted.iter().enumerate().map(point).collect(),
    }
}

fn outcome(check: &str, curves: &[CurveResult]) -> (ClaimOutcome, String) {
    judged(check, &Evidence::new(curves, true))
}

fn judged(check: &str, evidence: &Evidence) -> (ClaimOutcome, String) {
    let claim: Claim = toml::from_str(&format!("id = 'x'\ntext = 'y'\ncheck.{check}")).unwrap();
    let result = claim.result(evidence);
    (result.outcome, result.evidence)
}

const ABOVE: &str = "above = { upper = ['a'], lower = ['b'], by = 0.05 }";

#[test]
fn a_curve_that_falls_later_is_above() {
    let curves = [curve("a", &[1_000, 1_000, 1_000, 500, 0]), curve("b", &[1_000, 900, 300, 0, 0])];
    let (found, evidence) = outcome(ABOVE, &curves);
    // Areas by trapezoids: 0.1 (1 + 1 + 0.75 + 0.25) = 0.30 and 0.1 (0.95 + 0.6 + 0.15) = 0.17.
    assert_eq!(found, ClaimOutcome::Held, "{evidence}");
    assert!(evidence.starts_with("a over b: 0.13 (0.12 to 0.14) on average"), "{evidence}");
}

#[test]
fn curves_that_coincide_are_not_above_each_other() {
    let curves = [curve("a", &[1_000, 1_000, 500, 0]), curve("b", &[1_000, 1_000, 501, 0])];
    assert_eq!(outcome(ABOVE, &curves).0, ClaimOutcome::NotHeld);
}

#[test]
fn curves_that_cross_are_not_above_each_other() {
    let curves = [curve("a", &[1_000, 1_000, 1_000, 500, 0]), curve("b", &[1_000, 300, 0, 0, 200])];
    let (found, evidence) = outcome(ABOVE, &curves);
    assert_eq!(found, ClaimOutcome::NotHeld);
    assert!(evidence.ends_with("but at 1.4 it accepts 0 of 1,000 against 200 of 1,000"), "{evidence}");
}

#[test]
fn few_sets_leave_a_claim_open() {
    let curves = [curve_of("a", 10, &[10, 10, 8, 0]), curve_of("b", 10, &[10, 9, 3, 0])];
    let (found, evidence) = outcome(ABOVE, &curves);
    assert_eq!(found, ClaimOutcome::Undecidable);
    assert!(evidence.ends_with("on both sides of 0.05"), "{evidence}");
}

#[test]
fn one_pair_that_fails_decides_for_all() {
    let later = curve("a", &[1_000, 1_000, 1_000, 500, 0]);
    let curves = [later, curve("b", &[1_000, 900, 300, 0, 0]), curve("c", &[1_000, 1_000, 1_000, 900, 300])];
    let (found, evidence) = outcome("above = { upper = ['a'], lower = ['b', 'c'], by = 0.05 }", &curves);
    assert_eq!(found, ClaimOutcome::NotHeld);
    assert!(evidence.starts_with("a over c") && !evidence.contains("over b"), "{evidence}");
}

#[test]
fn about_asks_for_the_distance_in_both_directions() {
    let early = curve("a", &[1_000, 900, 300, 0, 0]);
    let late = curve("b", &[1_000, 1_000, 1_000, 500, 0]);
    let about = |within: &str| {
        outcome(&format!("about = {{ curve = 'a', other = 'b', within = {within} }}"), &[early.clone(), late.clone()]).0
    };
    assert_eq!(about("0.3"), ClaimOutcome::Held);
    assert_eq!(about("0.05"), ClaimOutcome::NotHeld);
    assert_eq!(about("0.13"), ClaimOutcome::Undecidable);
}

#[test]
fn a_share_is_inside_outside_or_on_the_edge() {
    let curves = [curve("a", &[1_000, 500])];
    let share = |range: &str| outcome(&format!("share-at = {{ curve = 'a', utilization = 1.1, {range} }}"), &curves).0;
    assert_eq!(share("at_least = 0.4"), ClaimOutcome::Held);
    assert_eq!(share("at_most = 0.4"), ClaimOutcome::NotHeld);
    assert_eq!(share("at_least = 0.5"), ClaimOutcome::Undecidable);
    let (found, evidence) = outcome("share-at = { curve = 'a', utilization = 7 }", &curves);
    assert_eq!((found, evidence.as_str()), (ClaimOutcome::Undecidable, "a has no point at 7"));
}

#[test]
fn what_no_curve_can_tell_stays_open_with_its_reason() {
    let (found, evidence) = outcome("not-in-data = { why = 'curves only' }", &[]);
    assert_eq!((found, evidence.as_str()), (ClaimOutcome::Undecidable, "curves only"));
}

#[test]
fn an_experiment_that_is_not_complete_decides_nothing() {
    let curves = [curve("a", &[1_000, 1_000]), curve("b", &[0, 0])];
    let (found, evidence) = judged(ABOVE, &Evidence::new(&curves, false));
    assert_eq!(found, ClaimOutcome::Undecidable);
    assert!(evidence.contains("not complete"), "{evidence}");
}

#[test]
fn curves_of_other_utilizations_cannot_be_compared() {
    let mut apart = curve("b", &[0, 0]);
    apart.points.iter_mut().for_each(|point| point.utilization.insert(0, '2'));
    let (found, evidence) = outcome(ABOVE, &[curve("a", &[1_000, 1_000]), apart]);
    assert_eq!(found, ClaimOutcome::Undecidable);
    assert!(evidence.contains("too few utilizations in common"), "{evidence}");
}

/// A line `f.NAME` with these largest samples and medians at 5, 25 and 125 threads.
fn cost_line(name: &str, amounts: [(f64, f64); 3]) -> crate::schedulability::cost::Line {
    let point = |(threads, (max, median)): (u64, (f64, f64))| CostPoint {
        threads,
        amount_us: max,
        count: Some(9),
        mean_us: None,
        median_us: Some(median),
        max_less_8_us: None,
        max_less_1_percent_us: None,
    };
    let points = [5, 25, 125].into_iter().zip(amounts).map(point).collect();
    crate::schedulability::cost::Line {
        id: name.into(),
        scheduler: name.into(),
        measured: true,
        source: String::new(),
        points,
    }
}

fn cost_outcome(check: &str) -> (ClaimOutcome, String) {
    let lines = vec![
        cost_line("level", [(1.0, 0.5), (1.05, 0.5), (1.1, 0.5)]),
        cost_line("rising", [(1.5, 0.5), (2.0, 0.6), (4.0, 0.7)]),
    ];
    let figure = FigureResult { id: "f".into(), title: String::new(), text: String::new(), lines };
    // Such claims do not wait for an experiment to be complete: their figures are.
    judged(check, &Evidence::new(&[], false).with_figures(&[figure]))
}

#[test]
fn claims_about_costs_are_decided_by_the_figures() {
    use ClaimOutcome::{Held, NotHeld, Undecidable};
    for (check, outcome, evidence) in [
        ("cost-flat = { line = 'f.level', within = 1.1001 }", Held, "1.000 us at 5 threads to 1.100 us at 125"),
        ("cost-flat = { line = 'f.rising', within = 2.0 }", NotHeld, "1.500 us at 5 threads to 4.000 us at 125"),
        ("cost-flat = { line = 'f.rising', within = 1.5, of = 'median' }", Held, "median: from 0.500 us"),
        ("cost-flat = { line = 'f.level', within = 2.0, of = 'max-less-1-percent' }", Undecidable, "has no maximum"),
        ("cost-grows = { line = 'f.rising', from = 25, by = 2.0 }", Held, "2.000 us at 25 threads, 4.000 us at 125"),
        ("cost-grows = { line = 'f.level', from = 5, by = 1.2 }", NotHeld, "1.000 us at 5 threads, 1.100 us"),
        ("cost-grows = { line = 'f.level', from = 6, by = 1.2 }", Undecidable, "no point at 6 threads"),
        (
            "cost-below = { lower = ['f.level'], upper = ['f.rising'] }",
            Held,
            "closest at 5 threads, 1.000 us and 1.500",
        ),
        ("cost-below = { lower = ['f.rising'], upper = ['f.level'] }", NotHeld, "closest at 125 threads, 4.000 us"),
        ("cost-alike = { lines = ['f.level', 'f.rising'], within = 4.0 }", Held, "furthest apart at 125 threads"),
        ("cost-alike = { lines = ['f.level', 'f.rising'], within = 3.0 }", NotHeld, "1.100 us and 4.000 us"),
    ] {
        let (found, said) = cost_outcome(check);
        assert_eq!(found, outcome, "{check}: {said}");
        assert!(said.contains(evidence), "{check}: {said}");
    }
}
