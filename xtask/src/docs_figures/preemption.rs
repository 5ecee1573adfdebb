//! The tables of docs/lab.md on preemption models: the first seed of the study `preemption-models`.

use super::study::MeasuredStudy;
use std::fmt::Write as _;

/// Columns of the first table: the probe's id and its heading.
const PROBES: [(&str, &str); 6] = [
    ("fifo-500", "fifo, 500 µs"),
    ("fifo-1100", "fifo, 1,100 µs"),
    ("fifo-2300", "fifo, 2,300 µs"),
    ("other-500", "other, 500 µs"),
    ("other-1100", "other, 1,100 µs"),
    ("other-2300", "other, 2,300 µs"),
];
/// Its rows: the platform's id and its text.
const PLATFORMS: [(&str, &str); 7] = [
    ("none", "none"),
    ("voluntary", "voluntary"),
    ("full", "full"),
    ("rt", "PREEMPT_RT"),
    ("threadirqs", "full, `threadirqs`"),
    ("rt-6.12", "PREEMPT_RT 6.12"),
    ("lazy-6.12", "lazy 6.12"),
];

/// Both tables.
pub(super) fn tables() -> Result<Vec<String>, String> {
    let measured = MeasuredStudy::of("preemption-models", None)?;
    Ok(vec![maxima(&measured)?, around_interrupt_threads(&measured)?])
}

/// Maxima under load.
fn maxima(measured: &MeasuredStudy) -> Result<String, String> {
    let headings: Vec<&str> = PROBES.iter().map(|(_, heading)| *heading).collect();
    let mut text = format!("| | {} |\n|{}\n", headings.join(" | "), "---|".repeat(PROBES.len() + 1));
    for (platform, name) in PLATFORMS {
        let maximum = |(probe, _): &(&str, &str)| measured.maximum(&format!("{platform}.loaded.{probe}"));
        let cells = PROBES.iter().map(maximum).collect::<Result<Vec<String>, String>>()?;
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
    }
    let _ = writeln!(text, "\n{}", measured.origin("none.loaded.fifo-500")?);
    Ok(text)
}

/// Tasks just below and above the priority of interrupt threads, while pings arrive.
fn around_interrupt_threads(measured: &MeasuredStudy) -> Result<String, String> {
    let mut text =
        String::from("| fifo, 1 ms | 49: median | 49: maximum (count) | 51: median | 51: maximum (count) |\n");
    let _ = writeln!(text, "|{}", "---|".repeat(5));
    for (platform, name) in [("full", "standard, `preempt=full`"), ("rt", "PREEMPT_RT")] {
        let cell = |probe: &str| {
            let id = format!("{platform}.flood.{probe}");
            let median = measured.time(&id, "median_ns")?.ok_or_else(|| format!("the study has no cell {id}"))?;
            Ok(format!("{median} | {}", measured.maximum(&id)?))
        };
        let cells = ["priority-49", "priority-51"].into_iter().map(cell).collect::<Result<Vec<String>, String>>()?;
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
    }
    let _ = writeln!(text, "\n{}", measured.origin("rt.flood.priority-49")?);
    Ok(text)
}
