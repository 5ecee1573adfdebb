//! Claims about costs are held, not held and left open by the amounts and counts that should do so.

use super::*;
use crate::overhead_figures::FigureLine;
use ClaimOutcome::{Held, NotHeld, Undecidable as Open};
use prazo_verdict::claim::ClaimOutcome;

/// A line with these largest samples, medians and counts at 5, 25 and 125 threads.
fn line(name: &str, amounts: [(f64, f64, u64); 3]) -> FigureLine {
    let point = |(threads, (max, median, count)): (u64, (f64, f64, u64))| FigurePoint {
        threads,
        amount_us: max,
        count: (count > 0).then_some(count),
        mean_us: None,
        median_us: Some(median),
        max_less_8_us: None,
        max_less_1_percent_us: None,
    };
    let points = [5, 25, 125].into_iter().zip(amounts).map(point).collect();
    FigureLine { id: name.into(), scheduler: name.into(), measured: true, source: String::new(), points }
}

fn outcome(check: &str) -> (ClaimOutcome, String) {
    let lines = vec![
        line("level", [(1.0, 0.5, 900), (1.05, 0.5, 900), (1.1, 0.5, 900)]),
        line("rising", [(1.5, 0.5, 900), (2.0, 0.6, 900), (4.0, 0.7, 900)]),
        line("table", [(1.5, 0.5, 0), (2.0, 0.6, 0), (4.0, 0.7, 0)]),
        line("patient", [(1.0, 0.5, 900), (1.5, 0.5, 2_000), (2.0, 0.5, 9_000)]),
        line("impatient", [(1.0, 0.5, 9_000), (1.5, 0.5, 2_000), (2.0, 0.5, 900)]),
        line("rare", [(1.0, 0.5, 9_000), (1.0, 0.5, 99), (1.0, 0.5, 7)]),
    ];
    let figure = FigureResult { id: "f".into(), title: String::new(), text: String::new(), lines };
    // Such claims do not wait for an experiment to be complete: their figures are.
    let evidence = Evidence::new(&[], false).with_figures(&[figure]);
    let claim: Claim = toml::from_str(&format!("id = 'x'\ntext = 'y'\ncheck.{check}")).unwrap();
    let result = claim.result(claim.check.judge(&evidence));
    (result.outcome, result.evidence)
}

fn outcomes_are(table: &[(&str, ClaimOutcome, &str)]) {
    for (check, wanted, with) in table {
        let (found, said) = outcome(check);
        assert_eq!(found, *wanted, "{check}: {said}");
        assert!(said.contains(with), "{check}: {said}");
    }
}

#[test]
fn amounts_of_like_counts_decide() {
    outcomes_are(&[
        (
            "cost-flat = { line = 'f.level', within = 1.1001 }",
            Held,
            "1.000 µs at 5 threads (n = 900) to 1.100 µs at 125",
        ),
        ("cost-flat = { line = 'f.rising', within = 2.0 }", NotHeld, "1.500 µs at 5 threads (n = 900) to 4.000 µs"),
        (
            "cost-grows = { line = 'f.rising', from = 25, by = 2.0 }",
            Held,
            "2.000 µs at 25 threads (n = 900) to 4.000 µs",
        ),
        (
            "cost-grows = { line = 'f.level', from = 5, by = 1.2 }",
            NotHeld,
            "1.000 µs at 5 threads (n = 900) to 1.100 µs",
        ),
        ("cost-below = { lower = ['f.level'], upper = ['f.rising'] }", Held, "f.level with 1.000 µs at 5 threads"),
        (
            "cost-below = { lower = ['f.rising'], upper = ['f.level'] }",
            NotHeld,
            "f.rising with 4.000 µs at 125 threads",
        ),
        ("cost-below = { lower = ['f.level'], upper = ['f.level'] }", NotHeld, "f.level with"),
        (
            "cost-alike = { lines = ['f.level', 'f.rising'], within = 4.0 }",
            Held,
            "f.rising with 4.000 µs at 125 threads",
        ),
        ("cost-alike = { lines = ['f.level', 'f.rising'], within = 3.0 }", NotHeld, "f.level with 1.100 µs"),
    ]);
}

#[test]
fn what_a_line_does_not_have_is_left_open() {
    outcomes_are(&[
        ("cost-flat = { line = 'f.level', within = 2.0, of = 'max-less-1-percent' }", Open, "has no maximum"),
        ("cost-grows = { line = 'f.level', from = 6, by = 1.2 }", Open, "no point at 6 threads"),
        ("cost-flat = { line = 'f.none', within = 2.0 }", Open, "no figure has the line f.none"),
    ]);
}

#[test]
fn maxima_decide_only_what_their_counts_could_not_have_brought_about() {
    outcomes_are(&[
        // The larger has more samples.
        ("cost-flat = { line = 'f.patient', within = 1.2 }", Open, "to compare maxima"),
        ("cost-grows = { line = 'f.patient', from = 5, by = 1.2 }", Open, "to compare maxima"),
        (
            "cost-alike = { lines = ['f.level', 'f.patient'], within = 1.2 }",
            Open,
            "2.000 µs at 125 threads (n = 9,000)",
        ),
        ("cost-below = { lower = ['f.patient'], upper = ['f.level'] }", NotHeld, "1.000 µs at 5 threads (n = 900)"),
        // The larger has fewer, and is larger all the same.
        ("cost-flat = { line = 'f.impatient', within = 1.2 }", NotHeld, "2.000 µs at 125 threads (n = 900)"),
        ("cost-grows = { line = 'f.impatient', from = 5, by = 1.2 }", Held, "1.000 µs at 5 threads (n = 9,000)"),
        // It does not grow so much though it had more samples; and it might, had it more.
        ("cost-grows = { line = 'f.patient', from = 5, by = 3.0 }", NotHeld, "(n = 9,000)"),
        ("cost-grows = { line = 'f.impatient', from = 5, by = 3.0 }", Open, "to compare maxima"),
        // Close together, but the one of fewer samples might be far away, had it more.
        ("cost-flat = { line = 'f.patient', within = 3.0 }", Open, "to compare maxima"),
        // A table states no count; medians do not grow with it.
        ("cost-below = { lower = ['f.level'], upper = ['f.table'] }", Held, "1.500 µs at 5 threads (from a table)"),
        ("cost-flat = { line = 'f.patient', within = 1.0, of = 'median' }", Held, "(n = 900)"),
    ]);
}

#[test]
fn few_samples_decide_nothing() {
    for of in ["max", "median"] {
        let (found, said) = outcome(&format!("cost-flat = {{ line = 'f.rare', within = 1.1, of = '{of}' }}"));
        assert_eq!(found, Open, "{said}");
        assert!(said.contains("1.000 µs at 125 threads (n = 7)") || of == "median", "{said}");
        assert!(said.contains("fewer than 100"), "{said}");
    }
}
