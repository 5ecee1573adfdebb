//! Each kind is held, not held and left open by the curves that should do so.

use super::*;
use crate::result::PointResult;
use prazo_verdict::claim::ClaimOutcome;

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
    let result = claim.result(claim.check.judge(evidence));
    (result.outcome, result.evidence)
}

const ABOVE: &str = "above = { upper = ['a'], lower = ['b'], by = 0.05 }";

#[test]
fn a_curve_that_falls_later_is_above() {
    let curves = [curve("a", &[1_000, 1_000, 1_000, 500, 0]), curve("b", &[1_000, 900, 300, 0, 0])];
    let (found, evidence) = outcome(ABOVE, &curves);
    // Areas by trapezoids: 0.1 (1 + 1 + 0.75 + 0.25) = 0.30 and 0.1 (0.95 + 0.6 + 0.15) = 0.17.
    assert_eq!(found, ClaimOutcome::Held, "{evidence}");
    assert!(evidence.starts_with("curve a minus curve b: 0.13 (0.12 to 0.14) in utilization on average"), "{evidence}");
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
    assert!(
        evidence.ends_with("but at utilization 1.4, a accepts 0 of 1,000 task sets and b accepts 200 of 1,000"),
        "{evidence}"
    );
}

#[test]
fn few_sets_leave_a_claim_open() {
    let curves = [curve_of("a", 10, &[10, 10, 8, 0]), curve_of("b", 10, &[10, 9, 3, 0])];
    let (found, evidence) = outcome(ABOVE, &curves);
    assert_eq!(found, ClaimOutcome::Undecidable);
    assert!(evidence.ends_with("the confidence interval contains the claim's limit 0.05"), "{evidence}");
}

#[test]
fn one_pair_that_fails_decides_for_all() {
    let later = curve("a", &[1_000, 1_000, 1_000, 500, 0]);
    let curves = [later, curve("b", &[1_000, 900, 300, 0, 0]), curve("c", &[1_000, 1_000, 1_000, 900, 300])];
    let (found, evidence) = outcome("above = { upper = ['a'], lower = ['b', 'c'], by = 0.05 }", &curves);
    assert_eq!(found, ClaimOutcome::NotHeld);
    assert!(evidence.starts_with("curve a minus curve c") && !evidence.contains("minus curve b"), "{evidence}");
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
    assert_eq!((found, evidence.as_str()), (ClaimOutcome::Undecidable, "a has no point at utilization 7"));
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
    assert!(evidence.contains("fewer than two utilizations in common"), "{evidence}");
}
