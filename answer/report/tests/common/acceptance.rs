//! A made-up experiment: three schedulers on three platforms, in two panels; one point without sets, one text that is hostile.

use prazo_experiment::overhead_figures::FigurePoint;
use prazo_report::acceptance::{CostLine, CostPanel, Curve, Figure, OverheadRow, Panel, Point};
use prazo_verdict::claim::{ClaimOutcome, ClaimResult};

/// The figure.
pub(crate) fn figure() -> Figure {
    Figure {
        title: "Three schedulers <script>alert(1)</script>".into(),
        question: "How much of a platform can be proven to be usable?".into(),
        panels: vec![panel("light-paper", 0.0), panel("light-ours", 0.6)],
        costs: vec![costs()],
        claims: vec![claim("packing-wins", ClaimOutcome::Held), claim("sizes", ClaimOutcome::Undecidable)],
        overheads: vec![OverheadRow {
            platform: "linux".into(),
            scheduler: "G-EDF".into(),
            overhead: "context switch".into(),
            amount: "9.4 µs to 29.56 µs for 5 to 125 tasks".into(),
            source: "Vitor 2013 section IV-B".into(),
        }],
        facts: vec![("seed".into(), "2013".into())],
        is_complete: false,
        confidence: 0.95,
        command: "prazo sched experiment epos-2013".into(),
        made_at: String::new(),
    }
}

/// One line that was measured and one of a table, twelve times as high; a hostile label.
fn costs() -> CostPanel {
    let point =
        |threads: u64| FigurePoint { threads, amount_us: 0.3 + threads as f64 / 1_000.0, ..FigurePoint::default() };
    let threads = || [5, 15, 25, 50, 75, 100, 125].into_iter();
    let measured = |threads: u64| FigurePoint {
        count: Some(90_000),
        mean_us: Some(0.28),
        median_us: Some(0.279),
        max_less_8_us: Some(0.29),
        max_less_1_percent_us: Some(0.28),
        ..point(threads)
    };
    let written = |threads: u64| FigurePoint { amount_us: 12.0 * point(threads).amount_us, ..point(threads) };
    let line = |label: &str, dash: usize, points: Vec<FigurePoint>| CostLine {
        label: label.into(),
        hue: 0,
        dash,
        source: "boot 7 <b>".into(),
        points,
    };
    CostPanel {
        id: "figure-5".into(),
        title: "Release".into(),
        caption: "Grows with the threads.".into(),
        lines: vec![
            line("P-EDF.release-overhead", 0, threads().map(measured).collect()),
            line("P-EDF.linux <script>", 1, threads().map(written).collect()),
        ],
    }
}

fn claim(id: &str, outcome: ClaimOutcome) -> ClaimResult {
    let (text, evidence) = ("Packing accepts more".into(), "1.20 (1.10 to 1.30)".into());
    ClaimResult { id: id.into(), text, place: None, outcome, evidence }
}

fn panel(id: &str, shift: f64) -> Panel {
    let names = ["P-EDF", "C-EDF", "G-EDF"].into_iter().enumerate();
    let curves = names.flat_map(|(hue, scheduler)| {
        let platforms = ["none", "rtos", "linux"].into_iter().enumerate();
        platforms.map(move |(dash, platform)| curve(&format!("{scheduler}.{platform}"), hue, dash, shift))
    });
    Panel { id: id.into(), title: format!("Panel {id}"), caption: "Light sets.".into(), curves: curves.collect() }
}

fn curve(label: &str, hue: usize, dash: usize, shift: f64) -> Curve {
    let end = 7.9 - 0.7 * hue as f64 - 1.5 * dash as f64 + shift;
    let points = (20..=80).map(|tenth| point(f64::from(tenth) / 10.0, end)).collect();
    let decided = vec![("GFB".to_owned(), 40_000), ("BAR".to_owned(), 1_234)];
    Curve { label: label.into(), hue, dash, weighted_acceptance: Some(0.8), points, decided }
}

/// A smooth fall around `end`; the last point has no sets yet.
fn point(utilization: f64, end: f64) -> Point {
    if utilization > 7.95 {
        return Point { utilization, ..Point::default() };
    }
    let share = 1.0 / (1.0 + ((utilization - end) * 6.0).exp());
    let (low, high) = ((share - 0.03).max(0.0), (share + 0.03).min(1.0));
    let accepted = (share * 1_000.0).round() as u64;
    Point { utilization, sets: 1_000, accepted, budget_spent: 2, share_interval: Some((low, high)) }
}
