//! Verdicts, caveats, findings, claims and a comparison as they might come.

use prazo_core::time::Duration;
use prazo_platform::readiness::{CheckOutcome, CheckResult};
use prazo_run::run::WorstSample;
use prazo_run::split::{SampleExplanation, Share, Split, SplitCounts, Splitter, Taker};
use prazo_run::{Caveat, Severity};
use prazo_stats::compare::{Dominance, MaximaComparison, QuantileDifference};
use prazo_stats::{Comparison, Per};
use prazo_verdict::claim::{ClaimOutcome, ClaimResult};
use prazo_verdict::{Kind, Outcome, PlatformClass, Reason, Requirement, Verdict};

pub(super) fn verdict(outcome: Outcome) -> Verdict {
    let requirement = Requirement { deadline: Duration::from_ms(1), kind: Kind::Firm, quantile: 0.999 };
    let (sentence, reasons) = match outcome {
        Outcome::Pass => (
            "99.9 % of activations met 1 ms under load, with room to spare.",
            vec![(
                Outcome::Pass,
                "enough",
                "At most 0.012 % of 350,000 due activations missed, where 0.1 % are allowed.",
            )],
        ),
        Outcome::Fail => (
            "More than one in a thousand activations missed 1 ms under load.",
            vec![
                (
                    Outcome::Fail,
                    "miss-observed",
                    "1,204 of 350,000 due activations missed: 0.34 %, where 0.1 % are allowed.",
                ),
                (Outcome::Inconclusive, "steal", "The hypervisor took 1.2 s from the measured processors."),
            ],
        ),
        Outcome::Inconclusive => (
            "The evidence does not suffice for either answer.",
            vec![(
                Outcome::Inconclusive,
                "too-few",
                "350,000 due activations; the upper bound of misses, 0.14 %, lies above the 0.1 % allowed.",
            )],
        ),
    };
    let reasons = reasons
        .into_iter()
        .map(|(speaks_for, id, text)| Reason { id: id.into(), speaks_for, text: text.into(), is_remark: false })
        .collect();
    Verdict { outcome, requirement, sentence: sentence.into(), reasons, class: PlatformClass::Soft }
}

pub(super) fn verdict_200us() -> Verdict {
    let requirement = Requirement { deadline: Duration::from_us(200), kind: Kind::Hard, quantile: 1.0 };
    let reason = Reason {
        id: "miss-observed".into(),
        speaks_for: Outcome::Fail,
        text: "The standard kernel was seen 25.816 ms late.".into(),
        is_remark: false,
    };
    Verdict {
        outcome: Outcome::Fail,
        requirement,
        sentence: "A miss of the hard deadline of 200 µs was observed.".into(),
        reasons: vec![reason],
        class: PlatformClass::Soft,
    }
}

pub(super) fn not_real_time() -> Caveat {
    Caveat::new(
        "not-real-time",
        Severity::High,
        "the measuring threads ran under 'other', which gives way to every real-time thread.",
        "Measure with --policy fifo as root, or with an RLIMIT_RTPRIO.",
    )
}

/// What took the time of the worst two.
pub(super) fn split() -> Split {
    let cause = |at_ns, latency_ns, sentence: &str| SampleExplanation {
        sample: WorstSample { at_ns, latency_ns, activation: at_ns as u64 / 1_000_000 },
        sentence: sentence.into(),
        shares: vec![Share {
            taker: Taker::Softirq,
            name: "NET_RX (eth0)".into(),
            cpu: 0,
            length_ns: latency_ns * 9 / 10,
        }],
    };
    Split {
        counts: SplitCounts { by: Splitter::Bpf, split: 175_000, never_slept: 0, unsplit: [].into() },
        parts: Vec::new(),
        causes: vec![
            cause(
                61_204_000_000,
                483_000,
                "483 µs: 437 µs softirq NET_RX on processor 0 (eth0), 21 µs kworker/0:1 not preempted",
            ),
            cause(
                97_031_000_000,
                331_000,
                "331 µs: 290 µs softirq NET_RX on processor 0 (eth0), 18 µs interrupts off in disk-read",
            ),
        ],
    }
}

pub(super) fn steal() -> Caveat {
    Caveat::new(
        "steal",
        Severity::Medium,
        "The hypervisor took 1.2 s from the measured processors (0.3 %).",
        "Measure on bare metal, or on a host that is not overcommitted.",
    )
}

pub(super) fn comparison(reference: &str, other: &str) -> Comparison {
    let difference = |q: f64, reference_ns: i64, other_ns: i64, interval_ns| QuantileDifference {
        per: Per::ServedWakeUp,
        q,
        reference_ns: Some(reference_ns),
        other_ns: Some(other_ns),
        difference_ns: Some(other_ns - reference_ns),
        interval_ns,
        reason: "bootstrap over blocks of 5 s, 2,000 resamples".into(),
    };
    Comparison {
        reference: reference.into(),
        other: other.into(),
        quantiles: vec![
            difference(0.5, 15_120, 66_410, Some((50_900, 51_702))),
            difference(0.999, 41_230, 412_903, None),
        ],
        dominance: Dominance::ReferenceBetter,
        curves_per: Per::ServedWakeUp,
        crossings_ns: vec![1_204_000],
        maxima: MaximaComparison {
            count: 230_000,
            reference_ns: Some(498_000),
            other_ns: Some(9_120_400),
            method: "expected maximum of 230,000 draws from the larger run".into(),
            p_value: None,
        },
        warnings: vec!["the runs differ in length: 350,000 and 230,000 samples".into()],
    }
}

pub(super) fn readiness() -> Vec<CheckResult> {
    use CheckOutcome::{Finding, NotApplicable, Ok, Unknown};
    use Severity::{Fatal, High, Info, Medium};
    let row = |id: &str, title: &str, outcome, severity, found: Option<&str>, wanted: &str| CheckResult {
        id: id.into(),
        title: title.into(),
        outcome,
        severity,
        found: found.unwrap_or("not readable").into(),
        wanted: wanted.into(),
        source: format!("/sys/kernel/{id}"),
        why: "It adds up to its own length to any latency.".into(),
        reference: String::new(),
        fix: format!("prazo tune apply {id}"),
        tunable: vec![],
    };
    vec![
        row("preemption", "Preemption model", Finding, High, Some("voluntary"), "full (PREEMPT_RT)"),
        row("clocksource", "Clock source", Finding, Fatal, Some("hpet"), "tsc"),
        row("governor", "Frequency governor", Finding, Medium, Some("schedutil"), "performance"),
        row("timer-migration", "Timer migration", Finding, Info, Some("1"), "0"),
        row("smi", "System management interrupts", Unknown, High, None, "0 a minute"),
        row("swap", "Swap", Ok, Medium, Some("none in use"), "none in use"),
        row("battery", "Battery", NotApplicable, Info, None, "on mains"),
    ]
}

pub(super) fn claims() -> Vec<ClaimResult> {
    let claim = |id: &str, text: &str, outcome, evidence: &str| ClaimResult {
        id: id.into(),
        text: text.into(),
        place: None,
        outcome,
        evidence: evidence.into(),
    };
    vec![
        claim(
            "deadline-no-worse",
            "The deadline policy is no worse than fifo and rr.",
            ClaimOutcome::Undecidable,
            "No run under the deadline policy: it was refused (EPERM).",
        ),
        claim(
            "fifo-better",
            "Under load, fifo is better than other.",
            ClaimOutcome::Held,
            "p99.9 is 41 µs against 413 µs, 230,000 samples each.",
        ),
        claim(
            "below-100us",
            "fifo stays below 100 µs under load.",
            ClaimOutcome::NotHeld,
            "The largest of 350,000 was 498 µs.",
        ),
    ]
}
