//! Every kind of claim: held, not held, and open where the data does not say.

mod support;

use prazo_core::time::Duration;
use prazo_run::run::{Block, LoadRecord, Second, Series, StatedFigures};
use prazo_run::{Histogram, Run};
use prazo_study::cell::{Cell, CellSource};
use prazo_study::{Claim, Evidence};
use prazo_verdict::claim::{ClaimOutcome, ClaimResult};
use std::collections::BTreeMap;
use support::series;

/// An imported cell that says nothing beyond its file.
fn cell(id: &str) -> Cell {
    #[derive(serde::Deserialize)]
    struct Holder {
        import: prazo_study::import::Import,
    }
    let text = format!("[import]\nid = \"{id}\"\nfile = \"f\"\norigin = \"a test\"\nperiod = \"1ms\"\n");
    Cell { id: id.to_owned(), source: CellSource::Import(toml::from_str::<Holder>(&text).unwrap().import) }
}

fn evidence(cells: impl IntoIterator<Item = (&'static str, Series)>) -> Evidence {
    let mut evidence = Evidence::default();
    for (id, series) in cells {
        evidence.add(&cell(id), vec![Run { series: vec![series], ..Run::default() }]);
    }
    evidence
}

/// 1,000 samples of 1 us to 1 ms (`fast`), the same 50 us later (`slow`), and `fast` with three beyond its histogram.
fn bench() -> Evidence {
    let mut beyond = series((1..=1_000).map(|n| n * 1_000));
    beyond.histogram.add_overflow(3);
    evidence([
        ("fast", series((1..=1_000).map(|n| n * 1_000))),
        ("slow", series((1..=1_000).map(|n| n * 1_000 + 50_000))),
        ("beyond", beyond),
    ])
}

fn check(evidence: &Evidence, check: &str) -> ClaimResult {
    let claim: Claim = toml::from_str(&format!("id = \"c\"\ntext = \"t\"\ncheck.{check}")).unwrap();
    claim.result(claim.check.judge(evidence))
}

#[track_caller]
fn held(evidence: &Evidence, text: &str, part: &str) {
    expect(evidence, text, ClaimOutcome::Held, part);
}

#[track_caller]
fn not_held(evidence: &Evidence, text: &str, part: &str) {
    expect(evidence, text, ClaimOutcome::NotHeld, part);
}

#[track_caller]
fn open(evidence: &Evidence, text: &str, part: &str) {
    expect(evidence, text, ClaimOutcome::Undecidable, part);
}

#[track_caller]
fn expect(evidence: &Evidence, text: &str, outcome: ClaimOutcome, part: &str) {
    let found = check(evidence, text);
    assert_eq!(found.outcome, outcome, "{}", found.evidence);
    assert!(found.evidence.contains(part), "{}", found.evidence);
}

#[test]
fn maxima_lie_above_or_below() {
    let e = &bench();
    held(e, r#"max-below = { cells = ["fast"], below = "1001us" }"#, "fast: observed maximum 1ms (n = 1,000)");
    not_held(e, r#"max-below = { cells = ["fast", "slow"], below = "1001us" }"#, "slow: observed maximum 1.05ms");
    not_held(e, r#"max-below = { cells = ["fast"], below = "1ms" }"#, "1ms");
    open(e, r#"max-below = { cells = ["beyond"], below = "2ms" }"#, "beyond its histogram: at least 1000.001us");
    not_held(e, r#"max-below = { cells = ["beyond"], below = "1ms" }"#, "at least 1000.001us");
    held(e, r#"max-above = { cells = ["slow"], above = "1ms" }"#, "slow: 50 samples above 1ms, maximum 1.05ms");
    not_held(e, r#"max-above = { cells = ["fast"], above = "1ms" }"#, "0 samples above 1ms");
    held(e, r#"max-above = { cells = ["beyond"], above = "1ms" }"#, "3 samples above 1ms, maximum at least 1000.001us");
    open(e, r#"max-above = { cells = ["beyond"], above = "2ms" }"#, "beyond its histogram");
}

#[test]
fn maxima_are_compared_over_like_counts() {
    let e = &evidence([
        ("high", series([10, 20, 30])),
        ("low", series([1, 2, 3])),
        ("patient", series([10, 20, 30, 30, 30])),
        ("zero", series([0, 0, 0])),
    ]);
    held(e, r#"max-ratio = { a = "high", b = "low", at_least = 10.0 }"#, "ratio 10.0");
    not_held(e, r#"max-ratio = { a = "high", b = "low", at_least = 10.1 }"#, "ratio 10.0");
    open(
        e,
        r#"max-ratio = { a = "patient", b = "low", at_least = 10.0 }"#,
        "patient has 1.67 times as many samples as low, ",
    );
    not_held(e, r#"max-ratio = { a = "patient", b = "low", at_least = 11.0 }"#, "ratio");
    held(e, r#"max-ratio = { a = "low", b = "patient", at_least = 0.1 }"#, "ratio 0.1");
    open(e, r#"max-ratio = { a = "high", b = "zero", at_least = 1.0 }"#, "no ratio");
}

#[test]
fn minima_lie_in_a_range() {
    let e = &bench();
    held(e, r#"min-between = { cells = ["fast"], from = "1us", to = "1us" }"#, "minimum 1us");
    not_held(e, r#"min-between = { cells = ["fast", "slow"], from = "1us", to = "9us" }"#, "slow: minimum 51us");
}

#[test]
fn quantiles_lie_above_or_below() {
    let e = &bench();
    held(e, r#"quantile-below = { cells = ["fast"], q = 0.5, below = "501us" }"#, "quantile 0.5 is 500us (n = 1,000)");
    not_held(e, r#"quantile-below = { cells = ["fast"], q = 0.5, below = "500us" }"#, "500us");
    held(e, r#"quantile-above = { cells = ["fast"], q = 0.5, above = "499us" }"#, "500us");
    not_held(e, r#"quantile-above = { cells = ["fast"], q = 0.5, above = "500us" }"#, "500us");
    open(e, r#"quantile-below = { cells = ["fast"], q = 0.999, below = "2ms" }"#, "needed to report this quantile");
    held(
        e,
        r#"share-below = { cells = ["fast"], below = "990us", at_least = 0.99 }"#,
        "10 samples above 990us, 1.00 %",
    );
    not_held(e, r#"share-below = { cells = ["beyond"], below = "990us", at_least = 0.99 }"#, "13 samples above 990us");
}

#[test]
fn quantiles_are_compared() {
    let e = &bench();
    held(
        e,
        r#"quantile-less = { a = "fast", b = "slow", q = [0.1, 0.5], by = "50us" }"#,
        "quantile 0.5: 500us against 550us",
    );
    not_held(e, r#"quantile-less = { a = "fast", b = "slow", q = [0.5], by = "51us" }"#, "550us");
    not_held(e, r#"quantile-less = { a = "fast", b = "fast", q = [0.5] }"#, "500us against 500us");
    held(
        e,
        r#"quantile-difference = { a = "slow", b = "fast", q = 0.5, from = "50us", to = "50us" }"#,
        "difference 50us",
    );
    not_held(
        e,
        r#"quantile-difference = { a = "fast", b = "slow", q = 0.5, from = "0us", to = "50us" }"#,
        "difference -50us",
    );
    held(e, r#"equivalent = { a = "fast", b = "slow", q = [0.5], within = 0.1 }"#, "500us and 550us");
    not_held(e, r#"equivalent = { a = "fast", b = "slow", q = [0.5, 0.1], within = 0.1 }"#, "100us and 150us");
    held(e, r#"not-worse = { a = "slow", b = ["fast"], q = 0.5, within = 0.1 }"#, "of fast: 500us");
    not_held(e, r#"not-worse = { a = "slow", b = ["slow", "fast"], q = 0.5, within = 0.09 }"#, "of slow: 550us");
    for kind in [
        r#"not-worse = { a = "slow", b = ["fast"], q = 0.999, within = 0.1 }"#,
        r#"quantile-difference = { a = "slow", b = "fast", q = 0.999, from = "50us", to = "50us" }"#,
        r#"quantile-less = { a = "slow", b = "fast", q = [0.999] }"#,
    ] {
        open(e, kind, "slow: quantile 0.999 has 1 of 1,000 samples above it; 10 are needed");
    }
}

#[test]
fn overlapping_intervals_leave_a_comparison_open() {
    let noisy = |shift: i64| {
        let mut whole = series((0..4_000).map(|n| n % 100 + shift));
        for block in 0..20u32 {
            let mut histogram = Histogram::new();
            (0..200).for_each(|n| histogram.add(n % 100 + shift + 5 * i64::from(block % 3), 1));
            whole.blocks.push(Block { from_s: block, length_s: 1, histogram });
        }
        whole
    };
    let e = &evidence([("a", noisy(0)), ("b", noisy(3)), ("far", noisy(500))]);
    open(
        e,
        r#"quantile-less = { a = "a", b = "b", q = [0.5] }"#,
        "the confidence intervals are too wide to decide the claim: a (n = 4,000) against b",
    );
    held(e, r#"quantile-less = { a = "a", b = "far", q = [0.5] }"#, "over 20 blocks");
    not_held(e, r#"quantile-less = { a = "far", b = "a", q = [0.5] }"#, "over 20 blocks");
    open(e, r#"equivalent = { a = "a", b = "b", q = [0.5], within = 0.01 }"#, "too wide to decide");
    open(e, r#"not-worse = { a = "b", b = ["a"], q = 0.5, within = 0.0 }"#, "too wide to decide");
    open(e, r#"quantile-difference = { a = "b", b = "a", q = 0.5, from = "2ns", to = "4ns" }"#, "too wide to decide");
    open(e, r#"quantile-below = { cells = ["a"], q = 0.5, below = "52ns" }"#, "contains the claim's limit 52ns");
}

#[test]
fn one_distribution_dominates_another() {
    let e = &bench();
    held(
        e,
        r#"dominates = { a = "fast", b = ["slow"] }"#,
        "fast (n = 1,000) is not worse than slow (n = 1,000) at any latency",
    );
    not_held(e, r#"dominates = { a = "slow", b = ["fast"] }"#, "is worse than fast (n = 1,000), first at ");
    held(e, r#"dominates = { a = "fast", b = ["fast"] }"#, "is not worse than fast");
}

#[test]
fn a_few_odd_samples_do_not_overturn_dominance_but_ten_do() {
    let with_tail = |n: i64| series((0..1_000).chain((0..n).map(|_| 1_000_000)));
    let plain = || series((0..1_000).map(|n| n + 100));
    let e = &evidence([("nine", with_tail(9)), ("ten", with_tail(10)), ("plain", plain())]);
    held(e, r#"dominates = { a = "nine", b = ["plain"] }"#, "at any latency");
    not_held(
        e,
        r#"dominates = { a = "ten", b = ["plain"] }"#,
        "10 of 1,010 against 0 of 1,000 samples lie above 1.099us",
    );
}

#[test]
fn quoted_figures_must_be_exact() {
    let e = &bench();
    let all = r#"figures-equal = { cell = "beyond", in_range = 1000, overflow = 3, min = "1us" }"#;
    held(e, all, "beyond: 1,000 samples in the histogram's range; 3 samples beyond the histogram; minimum 1us");
    not_held(e, &all.replace("1000", "1003"), "1,000 samples in the histogram's range");
    held(e, r#"figures-equal = { cell = "fast", mean = "500500ns", max = "1ms" }"#, "mean 500.500 µs");
    not_held(e, r#"figures-equal = { cell = "fast", mean = "500501ns" }"#, "mean 500.500 µs");
    not_held(e, r#"figures-equal = { cell = "beyond", max = "1ms" }"#, "maximum at least 1000.001us");
}

fn states(stated: StatedFigures, overflow: u64) -> Series {
    let mut series = series([1_000, 2_000, 2_000]);
    series.histogram.add_overflow(overflow);
    Series { stated: Some(stated), resolution: Duration::from_us(1), ..series }
}

#[test]
fn stated_figures_are_recomputed() {
    let right = StatedFigures { count: Some(3), min_ns: Some(1_000), mean_ns: Some(1_000.0), max_ns: Some(2_000) };
    let wrong = StatedFigures { count: Some(4), min_ns: Some(0), mean_ns: Some(2_000.0), max_ns: Some(3_000) };
    let e = &evidence([("right", states(right, 0)), ("wrong", states(wrong, 0)), ("silent", series([1]))]);
    let parts = [
        ("count", "states 4 samples, and contains 3 in the histogram's range"),
        ("min", "states a minimum of 0ns, and its samples give 1us"),
        ("mean", "states a mean of 2.000 µs, and its samples give 1.667 µs (n = 3)"),
        ("max", "states a maximum of 3us, and its samples give 2us"),
    ];
    for (figure, part) in parts {
        held(
            e,
            &format!(r#"stated-agrees = {{ cells = ["right"], figure = "{figure}" }}"#),
            "right: the source states",
        );
        not_held(e, &format!(r#"stated-agrees = {{ cells = ["right", "wrong"], figure = "{figure}" }}"#), part);
        open(e, &format!(r#"stated-agrees = {{ cells = ["silent"], figure = "{figure}" }}"#), "silent does not state");
    }
    not_held(e, r#"stated-agrees = { cells = ["right"], figure = "count", count = 6 }"#, "states 6 samples");
}

#[test]
fn a_stated_maximum_beyond_the_histogram_is_its_only_witness() {
    let beyond = StatedFigures { max_ns: Some(9_000), mean_ns: Some(3_000.0), ..StatedFigures::default() };
    let e = &evidence([("beyond", states(beyond, 1))]);
    open(e, r#"stated-agrees = { cells = ["beyond"], figure = "max" }"#, "the histogram lacks 1 sample beyond its end");
    held(e, r#"stated-agrees = { cells = ["beyond"], figure = "mean" }"#, "states a mean of 3.000 µs");
}

fn served(served: u64, due: Option<u64>) -> Series {
    let mut series = series((0..served as i64).map(|_| 0));
    series.activations.due = due;
    series
}

#[test]
fn served_and_due_activations_are_counted() {
    let e = &evidence([("all", served(10, Some(10))), ("fewer", served(9, Some(10))), ("silent", served(9, None))]);
    held(e, r#"served-all-due = { cells = ["all"] }"#, "all: 10 activations served of 10 due");
    not_held(e, r#"served-all-due = { cells = ["all", "fewer"] }"#, "fewer: 9 activations served of 10 due, 1 fewer");
    let unstated = "the source does not state how many activations of silent were due";
    open(e, r#"served-all-due = { cells = ["silent"] }"#, unstated);
    held(e, r#"served-fewer-than-due = { cells = ["fewer"] }"#, "1 fewer");
    not_held(e, r#"served-fewer-than-due = { cells = ["all", "fewer"] }"#, "all: 10 activations served of 10 due");
    held(
        e,
        r#"served-fewer-than-due = { cells = ["all", "silent"], due = 11 }"#,
        "silent: 9 activations served of 11 due, 2 fewer",
    );
}

#[test]
fn hours_are_reckoned_from_activations() {
    let e = &evidence([("a", served(3_600, None)), ("b", served(3_600, None))]);
    held(e, r#"sum-of-hours = { cells = ["a", "b"], hours = 0.002, within = 0.0001 }"#, "7,200 activations in 0.00 h");
    not_held(e, r#"sum-of-hours = { cells = ["a"], hours = 0.002, within = 0.0001 }"#, "3,600 activations");
}

/// Twenty starts of a load that stays on for ten of each thirty seconds; the first seconds are `early`, the others `late`.
fn transients(starts: u32, early: i64, late: i64) -> Evidence {
    let second = |at_s: u32| {
        let max = if at_s % 30 < 2 { early } else { late };
        Second { at_s, count: 1, max_ns: Some(max + i64::from(at_s % 7)), ..Second::default() }
    };
    let timeline = (0..starts * 30).map(second).collect();
    let on_s = (0..starts).map(|start| (f64::from(start * 30), f64::from(start * 30 + 10))).collect();
    let load = LoadRecord {
        name: "cpu".into(),
        generator: String::new(),
        unit: String::new(),
        asked: None,
        reached: None,
        note: String::new(),
        on_s,
        contained: String::new(),
    };
    let run = Run { series: vec![Series { timeline, ..series([1]) }], loads: vec![load], ..Run::default() };
    let mut evidence = Evidence::default();
    evidence.add(&cell("a"), vec![run]);
    evidence
}

#[test]
fn transients_are_told_from_steady_load() {
    let text = r#"transient = { cell = "a", within = "2s" }"#;
    held(
        &transients(20, 900, 100),
        text,
        "over 20 starts, the per-second maximum latency in the first 2 s after the start is typically 8.",
    );
    not_held(&transients(20, 100, 900), text, "typically 0.1");
    open(&transients(4, 900, 100), text, "only 4 starts can be compared with later, steady seconds; 6 are needed");
    open(&bench(), r#"transient = { cell = "fast", within = "2s" }"#, "0 starts can be compared");
}

/// A cell of several runs, each with the same number of samples at one latency.
fn repeated(evidence: &mut Evidence, id: &'static str, runs_us: &[i64]) {
    let run = |us: &i64| Run { series: vec![series(std::iter::repeat_n(us * 1_000, 100))], ..Run::default() };
    evidence.add(&cell(id), runs_us.iter().map(run).collect());
}

/// Two cells of three runs each that overlap (`near`, `nearer`), and one far above both.
fn seeds() -> Evidence {
    let mut evidence = Evidence::default();
    repeated(&mut evidence, "near", &[10, 11, 12]);
    repeated(&mut evidence, "nearer", &[11, 12, 13]);
    repeated(&mut evidence, "far", &[30, 31, 33]);
    evidence
}

#[test]
fn a_ratio_of_means_counts_only_where_the_runs_are_apart() {
    let ratio = |a: &str, b: &str, ends: &str| {
        let cells = format!(r#"a = "{a}", b = ["{b}"]"#);
        format!(r#"statistic-ratio = {{ quantity = "response-latency", statistic = "mean", {cells}, {ends} }}"#)
    };
    held(&seeds(), &ratio("far", "near", "at_least = 2.0"), "30.000 µs to 33.000 µs (3 runs, n = 100 each)");
    not_held(&seeds(), &ratio("near", "far", "at_least = 1.0"), "ratio 0.30 to 0.40");
    held(&seeds(), &ratio("near", "nearer", "at_least = 0.7, at_most = 1.2"), "ratio 0.77 to 1.09");
    open(&seeds(), &ratio("near", "nearer", "at_least = 1.0"), "the ratio lies on both sides of a limit");
}

#[test]
fn a_statistic_lies_in_a_range_where_all_runs_do() {
    let between = |cell: &str, ends: &str| {
        let cells = format!(r#"cells = ["{cell}"]"#);
        format!(r#"statistic-between = {{ quantity = "response-latency", statistic = "max", {cells}, {ends} }}"#)
    };
    held(&seeds(), &between("near", r#"from = "10us", to = "12us""#), "near: maximum response latency 10.000 µs");
    not_held(&seeds(), &between("near", r#"to = "9us""#), "near");
    open(&seeds(), &between("near", r#"to = "11us""#), "values lie on both sides of a limit");
    open(
        &seeds(),
        r#"statistic-between = { quantity = "noise", statistic = "max", cells = ["near"], to = "1s" }"#,
        "the maximum noise of a run of cell near is unknown",
    );
}

#[test]
fn a_larger_maximum_of_more_samples_is_no_evidence() {
    let mut evidence = Evidence::default();
    repeated(&mut evidence, "few", &[10]);
    evidence.add(&cell("many"), vec![Run { series: vec![series(std::iter::repeat_n(20_000, 200))], ..Run::default() }]);
    let text = r#"statistic-ratio = { quantity = "response-latency", statistic = "max", a = "many", b = ["few"], at_least = 1.5 }"#;
    open(&evidence, text, "compare maxima");
    // That the one of more samples is not so much larger is evidence, and that the one of fewer is smaller is none.
    not_held(&evidence, &text.replace("1.5", "5.0"), "ratio 2.00");
    let smaller = text.replace("many", "x").replace("few", "many").replace("\"x\"", "\"few\"");
    open(&evidence, &smaller.replace("at_least = 1.5", "at_most = 0.6"), "compare maxima");
    open(&evidence, &smaller, "compare maxima");
}

#[test]
fn what_the_data_cannot_say_stays_open_with_its_reason() {
    open(&bench(), r#"not-in-data = { cells = ["fast"], why = "it names no call" }"#, "it names no call");
}

#[test]
fn every_kind_is_open_where_a_cell_is_missing() {
    let checks = BTreeMap::from([
        ("dominates", r#"{ a = "fast", b = ["none"] }"#),
        ("equivalent", r#"{ a = "fast", b = "none", q = [0.5], within = 0.1 }"#),
        ("figures-equal", r#"{ cell = "none", overflow = 0 }"#),
        ("max-above", r#"{ cells = ["fast", "none"], above = "1us" }"#),
        ("max-below", r#"{ cells = ["fast", "none"], below = "1s" }"#),
        ("max-ratio", r#"{ a = "fast", b = "none", at_least = 1.0 }"#),
        ("min-between", r#"{ cells = ["none"], from = "1us", to = "1s" }"#),
        ("not-worse", r#"{ a = "none", b = ["fast"], q = 0.5, within = 0.1 }"#),
        ("quantile-above", r#"{ cells = ["none"], q = 0.5, above = "1us" }"#),
        ("quantile-below", r#"{ cells = ["none"], q = 0.5, below = "1s" }"#),
        ("quantile-difference", r#"{ a = "none", b = "fast", q = 0.5, from = "1us", to = "1s" }"#),
        ("quantile-less", r#"{ a = "none", b = "fast", q = [0.5] }"#),
        ("served-all-due", r#"{ cells = ["none"] }"#),
        ("served-fewer-than-due", r#"{ cells = ["none"] }"#),
        ("share-below", r#"{ cells = ["none"], below = "1s", at_least = 0.5 }"#),
        ("stated-agrees", r#"{ cells = ["none"], figure = "mean" }"#),
        ("statistic-between", r#"{ quantity = "response-latency", statistic = "max", cells = ["none"], to = "1s" }"#),
        (
            "statistic-ratio",
            r#"{ quantity = "response-latency", statistic = "mean", a = "fast", b = ["none"], at_least = 1.0 }"#,
        ),
        ("sum-of-hours", r#"{ cells = ["none"], hours = 1.0, within = 0.1 }"#),
        ("transient", r#"{ cell = "none", within = "2s" }"#),
    ]);
    let mut e = bench();
    e.lack("none", "EPERM");
    for (kind, arguments) in checks {
        open(&e, &format!("{kind} = {arguments}"), "cell none has no figures: EPERM");
    }
}
