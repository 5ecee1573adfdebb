//! What verdicts promise: what makes one inconclusive, and that worse evidence never improves one.

use super::*;
use crate::{Kind, PlatformClass};
use prazo_core::time::Duration;
use prazo_run::plan::{Length, Plan, Policy};
use prazo_run::run::{Ending, LoadRecord, Quantity, Second};
use prazo_run::source::Source;
use prazo_run::{Caveat, Series};
use prazo_stats::summarise;
use proptest::prelude::*;

fn plan() -> Plan {
    let length = Length::Duration { length: Duration::from_s(60) };
    Plan { histogram_bound: Duration::ZERO, ..Plan::new(Source::Timer, Policy::Fifo { priority: 90 }, vec![], length) }
}

fn load() -> LoadRecord {
    LoadRecord {
        name: "disk-read".into(),
        generator: "dd".into(),
        unit: "MB/s".into(),
        asked: None,
        reached: Some(90.0),
        note: String::new(),
        on_s: vec![(0.0, 60.0)],
        contained: "namespaces".into(),
    }
}

/// A loaded run at 1 kHz: sixty equal seconds of 10 us, and what is given as (second, latency in ns, how often).
fn run(due: u64, late: &[(usize, i64, u64)]) -> Run {
    let mut series =
        Series { period: Some(Duration::from_ms(1)), resolution: Duration::from_ns(1), ..Series::default() };
    series.activations.skipped = Some(0);
    series.histogram.add(10_000, due);
    series.timeline = (0..60)
        .map(|at_s| Second { at_s, count: due / 60, min_ns: Some(10_000), max_ns: Some(10_000), ..Second::default() })
        .collect();
    for (at, latency, times) in late {
        series.histogram.add(*latency, *times);
        series.timeline[*at].count += times;
        series.timeline[*at].max_ns = series.timeline[*at].max_ns.max(Some(*latency));
    }
    series.activations.served = series.histogram.total();
    Run { name: "r".into(), plan: Some(plan()), series: vec![series], loads: vec![load()], ..Run::default() }
}

fn judged(run: &Run, requirement: Requirement) -> Verdict {
    with_findings(run, requirement, &[])
}

fn with_findings(run: &Run, requirement: Requirement, findings: &[ReadinessFinding]) -> Verdict {
    judge(&Evidence { runs: &[(run, &summarise(run))], findings, requirement })
}

fn asks(kind: Kind, deadline: Duration) -> Requirement {
    Requirement::new(deadline, kind, None).unwrap()
}

const DEADLINE: Duration = Duration::from_us(200);

fn ids(verdict: &Verdict) -> Vec<&str> {
    verdict.reasons.iter().map(|reason| reason.id.as_str()).collect()
}

#[test]
fn hard_passes_as_none_observed_in_a_million_under_load() {
    let verdict = judged(&run(1_200_000, &[]), asks(Kind::Hard, DEADLINE));
    assert_eq!(verdict.outcome, Outcome::Pass);
    let wanted = "Passes (200 µs hard, 100 %): no miss of the deadline of 200 µs was observed in 1,200,000 due \
                  activations under load.";
    assert_eq!(verdict.sentence, wanted);
    assert_eq!(verdict.class, PlatformClass::Soft);
}

#[test]
fn only_what_was_due_under_load_counts_for_a_hard_pass() {
    let mut resting = run(1_200_000, &[]);
    resting.loads[0].on_s = vec![(0.0, 30.0)];
    let verdict = judged(&resting, asks(Kind::Hard, DEADLINE));
    assert_eq!((verdict.outcome, ids(&verdict)[0]), (Outcome::Inconclusive, "too-few-activations"));
    assert!(verdict.sentence.contains("600,000 due activations under load"), "{}", verdict.sentence);
    let firm = judged(&resting, asks(Kind::Firm, DEADLINE));
    assert!(firm.sentence.contains("1,200,000 due activations (600,000 of them under load)"), "{}", firm.sentence);
}

#[test]
fn an_application_that_does_nothing_is_no_load() {
    let mut beside = run(1_200_000, &[]);
    beside.plan.as_mut().unwrap().beside_pid = Some(7);
    beside.loads[0].reached = Some(0.0);
    let verdict = judged(&beside, asks(Kind::Hard, DEADLINE));
    assert_eq!((verdict.outcome, ids(&verdict)[0]), (Outcome::Inconclusive, "no-load"));
}

#[test]
fn hard_fails_at_the_first_miss() {
    let verdict = judged(&run(1_200_000, &[(3, 200_001, 1)]), asks(Kind::Hard, DEADLINE));
    assert_eq!(verdict.outcome, Outcome::Fail);
    assert_eq!(ids(&verdict)[0], "miss-observed");
    assert!(
        verdict.sentence.contains("1 of 1,200,001 due activations missed the deadline of 200 µs"),
        "{}",
        verdict.sentence
    );
    assert_eq!(judged(&run(1_200_000, &[(3, 200_000, 1)]), asks(Kind::Hard, DEADLINE)).outcome, Outcome::Pass);
}

#[test]
fn hard_is_inconclusive_below_a_million_or_without_load() {
    let few = judged(&run(999_960, &[]), asks(Kind::Hard, DEADLINE));
    assert_eq!(few.outcome, Outcome::Inconclusive);
    assert_eq!(ids(&few)[0], "too-few-activations");
    let idle = judged(&Run { loads: vec![], ..run(1_200_000, &[]) }, asks(Kind::Hard, DEADLINE));
    assert_eq!((idle.outcome, ids(&idle)[0]), (Outcome::Inconclusive, "no-load"));
}

#[test]
fn a_load_that_did_not_load_does_not_count() {
    let unloaded = Run { loads: vec![LoadRecord { reached: Some(0.0), ..load() }], ..run(1_200_000, &[]) };
    assert_eq!(judged(&unloaded, asks(Kind::Hard, DEADLINE)).outcome, Outcome::Inconclusive);
    let before = Run { loads: vec![LoadRecord { on_s: vec![(-5.0, -1.0)], ..load() }], ..run(1_200_000, &[]) };
    assert_eq!(judged(&before, asks(Kind::Hard, DEADLINE)).outcome, Outcome::Inconclusive);
}

#[test]
fn hard_does_not_pass_over_a_high_caveat_or_finding_and_firm_remarks_it() {
    let mut shaky = run(1_200_000, &[]);
    shaky.caveats.push(Caveat::new("steal", Severity::High, "the hypervisor took 2.1 s", "use bare metal"));
    let hard = judged(&shaky, asks(Kind::Hard, DEADLINE));
    assert_eq!((hard.outcome, ids(&hard)[0]), (Outcome::Inconclusive, "high-caveat"));
    let firm = judged(&shaky, asks(Kind::Firm, DEADLINE));
    assert_eq!(firm.outcome, Outcome::Pass);
    assert!(ids(&firm).contains(&"high-caveat"));
    let finding = ReadinessFinding {
        id: "preempt-rt".into(),
        severity: Severity::Fatal,
        text: "this kernel is not PREEMPT_RT".into(),
    };
    let found = with_findings(&run(1_200_000, &[]), asks(Kind::Hard, DEADLINE), std::slice::from_ref(&finding));
    assert_eq!((found.outcome, ids(&found)[0]), (Outcome::Inconclusive, "fatal-finding"));
    let soft = with_findings(&run(1_200_000, &[]), asks(Kind::Soft, DEADLINE), &[finding]);
    assert_eq!((soft.outcome, ids(&soft).contains(&"fatal-finding")), (Outcome::Pass, true));
}

#[test]
fn an_invalid_run_never_passes_whatever_it_shows() {
    let good = run(1_200_000, &[]);
    let mut other = good.clone();
    other.plan.as_mut().unwrap().policy = Policy::Other;
    let died = Run { ending: Ending::Died, ..good.clone() };
    let mut fatal = good.clone();
    fatal.caveats.push(Caveat::new("no-privileges", Severity::Fatal, "fifo was refused (EPERM)", "run as root"));
    for (invalid, id) in [(other, "not-real-time"), (died, "run-died"), (fatal, "fatal-caveat")] {
        for kind in [Kind::Hard, Kind::Firm, Kind::Soft] {
            let verdict = judged(&invalid, asks(kind, DEADLINE));
            assert_eq!((verdict.outcome, ids(&verdict)[0]), (Outcome::Inconclusive, id));
        }
    }
}

#[test]
fn an_unknown_policy_stands_in_the_way_only_where_every_miss_counts() {
    let unknown = Run { plan: None, ..run(1_200_000, &[]) };
    let cases = [
        (Kind::Hard, None, Outcome::Inconclusive),
        (Kind::Firm, Some(1.0), Outcome::Inconclusive),
        (Kind::Firm, None, Outcome::Pass),
        (Kind::Soft, None, Outcome::Pass),
    ];
    for (kind, quantile, outcome) in cases {
        let verdict = judged(&unknown, Requirement::new(DEADLINE, kind, quantile).unwrap());
        let reason = verdict.reasons.iter().find(|reason| reason.id == "policy-unknown").unwrap();
        assert_eq!((verdict.outcome, reason.is_remark), (outcome, outcome == Outcome::Pass), "{kind} {quantile:?}");
    }
}

#[test]
fn firm_is_decided_by_the_interval_of_the_share() {
    let outcome = |late: &[(usize, i64, u64)]| judged(&run(600_000, late), asks(Kind::Firm, DEADLINE)).outcome;
    let everywhere = |times| (0..60).map(|at| (at, 300_000, times)).collect::<Vec<_>>();
    assert_eq!(outcome(&[]), Outcome::Pass);
    assert_eq!(outcome(&[(3, 300_000, 40)]), Outcome::Pass, "one burst of forty is far below 0.1 %");
    assert_eq!(outcome(&everywhere(9)), Outcome::Inconclusive, "540 of 600,540 are 0.09 %, too near to 0.1 %");
    assert_eq!(outcome(&everywhere(100)), Outcome::Fail, "1 % in every second");
    assert_eq!(outcome(&[(3, 300_000, 1_200)]), Outcome::Inconclusive, "0.2 %, all in one second");
}

#[test]
fn a_short_run_without_a_miss_says_how_much_more_it_takes() {
    let verdict = judged(&run(6_000, &[]), asks(Kind::Firm, DEADLINE));
    assert_eq!((verdict.outcome, ids(&verdict)[0]), (Outcome::Inconclusive, "miss-share-uncertain"));
    assert!(
        verdict.sentence.contains("about 74,000 due activations may be enough to decide the verdict"),
        "{}",
        verdict.sentence
    );
    assert_eq!(judged(&run(78_000, &[]), asks(Kind::Firm, DEADLINE)).outcome, Outcome::Pass);
}

#[test]
fn firm_without_load_says_so() {
    let verdict = judged(&Run { loads: vec![], ..run(600_000, &[]) }, asks(Kind::Firm, DEADLINE));
    assert_eq!(verdict.outcome, Outcome::Pass);
    assert!(
        verdict.sentence.contains("without load") && ids(&verdict).contains(&"without-load"),
        "{}",
        verdict.sentence
    );
}

#[test]
fn beside_a_run_under_load_an_idle_one_can_only_fail() {
    let (idle, loaded) = (Run { loads: vec![], name: "idle".into(), ..run(6_000, &[]) }, run(600_000, &[]));
    let summaries = (summarise(&idle), summarise(&loaded));
    let requirement = asks(Kind::Firm, DEADLINE);
    let both = judge(&Evidence { runs: &[(&idle, &summaries.0), (&loaded, &summaries.1)], findings: &[], requirement });
    assert_eq!(both.outcome, Outcome::Pass, "the idle run is short, and need not be long");
    let bad = Run { loads: vec![], ..run(6_000, &(0..60).map(|at| (at, 300_000, 9)).collect::<Vec<_>>()) };
    let summary = summarise(&bad);
    let both = judge(&Evidence { runs: &[(&bad, &summary), (&loaded, &summaries.1)], findings: &[], requirement });
    assert_eq!(both.outcome, Outcome::Fail);
}

#[test]
fn a_deadline_below_the_minimum_fails_with_its_own_reason() {
    for kind in [Kind::Hard, Kind::Firm, Kind::Soft] {
        let verdict = judged(&run(6_000, &[]), asks(kind, Duration::from_us(9)));
        assert_eq!((verdict.outcome, ids(&verdict)[0]), (Outcome::Fail, "deadline-below-minimum"));
        assert!(verdict.sentence.contains("10 µs in 6,000 due activations"), "{}", verdict.sentence);
    }
}

#[test]
fn a_deadline_finer_than_the_samples_is_inconclusive() {
    let mut coarse = run(1_200_000, &[]);
    coarse.series[0].resolution = Duration::from_us(50);
    for kind in [Kind::Hard, Kind::Soft] {
        for deadline_ns in [40_000, 49_999] {
            let verdict = judged(&coarse, asks(kind, Duration::from_ns(deadline_ns)));
            assert_eq!((verdict.outcome, ids(&verdict)[0]), (Outcome::Inconclusive, "deadline-below-resolution"));
        }
        for deadline_ns in [50_000, 50_001] {
            let verdict = judged(&coarse, asks(kind, Duration::from_ns(deadline_ns)));
            assert!(!ids(&verdict).contains(&"deadline-below-resolution"), "{deadline_ns}: {:?}", ids(&verdict));
        }
    }
}

#[test]
fn lost_samples_keep_hard_from_passing() {
    let mut lossy = run(1_200_000, &[]);
    lossy.series[0].activations.served += 1;
    let verdict = judged(&lossy, asks(Kind::Hard, DEADLINE));
    assert_eq!((verdict.outcome, ids(&verdict)[0]), (Outcome::Inconclusive, "undecided-activations"));
    assert!(verdict.sentence.contains("1 activation without a sample may hide misses"), "{}", verdict.sentence);
}

#[test]
fn a_part_of_the_response_cannot_show_that_a_deadline_is_met() {
    let mut part = run(1_200_000, &[]);
    part.series[0].quantity = Quantity::InterruptLatency;
    assert_eq!(judged(&part, asks(Kind::Soft, DEADLINE)).outcome, Outcome::Inconclusive);
    part.series[0].histogram.add(300_000, 1);
    assert_eq!(judged(&part, asks(Kind::Hard, DEADLINE)).outcome, Outcome::Fail, "but it can show that it is not");
}

#[test]
fn gaps_fail_a_hard_deadline_that_one_exceeds_and_pass_none() {
    let mut gaps = run(1_200_000, &[]);
    gaps.series[0].quantity = Quantity::Noise;
    for kind in [Kind::Hard, Kind::Firm, Kind::Soft] {
        let verdict = judged(&gaps, asks(kind, DEADLINE));
        assert_eq!((verdict.outcome, ids(&verdict)[0]), (Outcome::Inconclusive, "only-noise"));
        assert!(verdict.sentence.contains("there was no gap longer than 200 µs, but"), "{}", verdict.sentence);
    }
    // Every tenth gap is longer: no share of activations follows from that.
    gaps.series[0].histogram.add(300_000, 120_000);
    gaps.series[0].activations.served += 120_000;
    let hard = judged(&gaps, asks(Kind::Hard, DEADLINE));
    assert_eq!((hard.outcome, ids(&hard)[0]), (Outcome::Fail, "gap-too-long"));
    assert!(
        hard.sentence.contains("120,000 of 1,320,000 gaps were longer than the deadline of 200 µs"),
        "{}",
        hard.sentence
    );
    let firm = judged(&gaps, asks(Kind::Firm, DEADLINE));
    assert_eq!(firm.outcome, Outcome::Inconclusive);
    assert!(firm.sentence.contains("depends on when they are due"), "{}", firm.sentence);
    // No deadline is below the smallest latency where there is no latency.
    assert!(!ids(&judged(&gaps, asks(Kind::Firm, Duration::from_us(5)))).contains(&"deadline-below-minimum"));
    // A response beside it is judged as ever.
    let both = [(&gaps, &summarise(&gaps)), (&run(1_200_000, &[]), &summarise(&run(1_200_000, &[])))];
    let verdict = judge(&Evidence { runs: &both, findings: &[], requirement: asks(Kind::Firm, DEADLINE) });
    assert!(ids(&verdict).contains(&"miss-share-small"), "{:?}", ids(&verdict));
}

#[test]
fn no_evidence_is_inconclusive_for_every_kind() {
    for kind in [Kind::Hard, Kind::Firm, Kind::Soft] {
        let nothing = judge(&Evidence { runs: &[], findings: &[], requirement: asks(kind, DEADLINE) });
        assert_eq!((nothing.outcome, nothing.class), (Outcome::Inconclusive, PlatformClass::Soft));
        assert_eq!(judged(&Run::default(), asks(kind, DEADLINE)).outcome, Outcome::Inconclusive);
    }
}

#[test]
fn reasons_stand_most_decisive_first() {
    let mut bad = run(600_000, &(0..60).map(|at| (at, 300_000, 100)).collect::<Vec<_>>());
    bad.caveats.push(Caveat::new("suspend", Severity::Fatal, "the machine slept 3 s", "keep it awake"));
    let verdict = judged(&bad, asks(Kind::Firm, DEADLINE));
    assert_eq!(ids(&verdict), ["miss-share-too-large", "fatal-caveat", "length"]);
}

/// Fail, Inconclusive, Pass as 0, 1, 2: larger is better.
fn goodness(verdict: &Verdict) -> u8 {
    match verdict.outcome {
        Outcome::Fail => 0,
        Outcome::Inconclusive => 1,
        Outcome::Pass => 2,
    }
}

fn some_run() -> impl Strategy<Value = Run> {
    let due = prop_oneof![60u64..600, 60_000u64..600_000, Just(1_200_000u64)];
    let late = prop::collection::vec((0usize..60, 100_000i64..400_000, 1u64..200), 0..12);
    (due, late, any::<bool>()).prop_map(|(due, late, loaded)| {
        let mut run = run(due, &late);
        run.loads.truncate(usize::from(loaded));
        run
    })
}

fn some_requirement() -> impl Strategy<Value = Requirement> {
    (prop_oneof![Just(Kind::Hard), Just(Kind::Firm), Just(Kind::Soft)], 1u64..500)
        .prop_map(|(kind, us)| asks(kind, Duration::from_us(us)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn one_more_miss_never_improves_a_verdict(run in some_run(), requirement in some_requirement(), at in 0usize..60) {
        let mut worse = run.clone();
        let late = requirement.deadline.as_ns() as i64 + 1;
        worse.series[0].histogram.add(late, 1);
        worse.series[0].activations.served += 1;
        let second = &mut worse.series[0].timeline[at];
        second.count += 1;
        second.max_ns = second.max_ns.max(Some(late));
        prop_assert!(goodness(&judged(&worse, requirement)) <= goodness(&judged(&run, requirement)));
    }

    #[test]
    fn one_more_caveat_never_improves_a_verdict(run in some_run(), requirement in some_requirement(), severity in 0usize..4) {
        let severity = [Severity::Info, Severity::Medium, Severity::High, Severity::Fatal][severity];
        let mut worse = run.clone();
        worse.caveats.push(Caveat::new("made-up", severity, "something was wrong", "make it right"));
        prop_assert!(goodness(&judged(&worse, requirement)) <= goodness(&judged(&run, requirement)));
        let finding = ReadinessFinding { id: "made-up".into(), severity, text: "something is wrong".into() };
        prop_assert!(goodness(&with_findings(&run, requirement, &[finding])) <= goodness(&judged(&run, requirement)));
    }

    #[test]
    fn a_later_deadline_never_worsens_a_verdict(run in some_run(), requirement in some_requirement(), more_us in 0u64..200) {
        let later = Requirement { deadline: requirement.deadline + Duration::from_us(more_us), ..requirement };
        prop_assert!(goodness(&judged(&run, requirement)) <= goodness(&judged(&run, later)));
    }
}
