//! The table of docs/kernel.md: what the kernel costs, in instructions, by shape and number of threads.

use super::build::{KernelShape, digest};
use super::session::Plan;
use prazo_core::text::grouped;
use prazo_core::time::Duration;
use prazo_lab::own_kernel::Console;
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// The columns: a kernel's feature and its heading.
const SHAPES: [(&str, &str); 5] = [
    ("single-edf", "one processor"),
    ("partitioned-edf", "partitioned EDF 4x1"),
    ("partitioned-rm", "partitioned RM 4x1"),
    ("clustered-edf", "clustered EDF 2x2"),
    ("global-edf", "global EDF 1x4"),
];
const THREADS: [u32; 2] = [5, 125];
/// In the kernel's time.
const DURATION_MS: u64 = 10_000;
const LIMIT_MS: u64 = 600_000;

/// A row: its text, the kernel's name of the measure, and whether the run measures parts.
const ROWS: [(&str, &str, bool); 5] = [
    ("handler entry to released thread", "release_to_thread", false),
    ("the same, on another processor", "remote_release_to_thread", false),
    ("blocking to the next thread", "block", false),
    ("of these: release, timer set again", "release", true),
    ("the switch itself", "switch", true),
];

/// What one boot printed.
struct MeasuredBoot {
    threads: u32,
    has_parts: bool,
    console: Console,
}

/// One kernel's boots.
struct Column {
    boots: Vec<MeasuredBoot>,
    digest: String,
    emulator: String,
}

/// The table with what it was measured on, as the page has it.
pub(crate) fn page() -> Result<String, String> {
    let columns: Vec<Column> =
        SHAPES.iter().map(|(shape, _)| Column::measure(shape, &THREADS)).collect::<Result<_, _>>()?;
    let mut text = String::from("|");
    SHAPES.iter().for_each(|(_, heading)| text.push_str(&format!(" | {heading}")));
    let _ = writeln!(text, " |\n|{}", "---|".repeat(SHAPES.len() + 1));
    for threads in THREADS {
        for (what, measure, has_parts) in ROWS {
            let cells: Vec<String> = columns.iter().map(|one| one.cell(threads, has_parts, measure)).collect();
            if cells.iter().any(|cell| !cell.is_empty()) {
                let _ = writeln!(text, "| {threads} threads: {what} | {} |", cells.join(" | "));
            }
        }
        let cells: Vec<String> = columns.iter().map(|one| one.jobs(threads)).collect();
        let _ = writeln!(text, "| {threads} threads: jobs due / served | {} |", cells.join(" | "));
    }
    let digests: Vec<String> =
        SHAPES.iter().zip(&columns).map(|((shape, _), one)| format!("{shape} {}", one.digest)).collect();
    let emulator = &columns[0].emulator;
    let _ = writeln!(text, "\nKernels by digest of the ELF file: {}. {emulator}.", digests.join(", "));
    Ok(text)
}

/// From the timer handler's entry to the released thread on one processor with 5 threads: count, median and maximum.
pub(crate) fn handler_to_thread() -> Result<String, String> {
    let column = Column::measure(SHAPES[0].0, &THREADS[..1])?;
    let cost = column.cost(THREADS[0], false, "release_to_thread").ok_or("the kernel measured no release")?;
    Ok(["count", "median", "max"]
        .map(|key| grouped(cost.get(key).and_then(Value::as_u64).unwrap_or(0)).to_string())
        .join(" | "))
}

impl Column {
    fn measure(shape: &str, threads: &[u32]) -> Result<Self, String> {
        let shape = KernelShape { shape: shape.to_owned() };
        let elf = shape.build()?;
        let bytes = std::fs::read(&elf).map_err(|error| format!("cannot read {}: {error}", elf.display()))?;
        let mut column = Self { boots: Vec::new(), digest: digest(&bytes), emulator: String::new() };
        for (threads, has_parts) in threads.iter().flat_map(|threads| [(*threads, false), (*threads, true)]) {
            let parts = u8::from(has_parts);
            let words = format!("measure threads={threads} seed=1 parts={parts} duration_ms={DURATION_MS}");
            eprintln!("{}: {words}", shape.shape);
            let plan = Plan { machine: None, shift: 0, words, table: None, limit: Duration::from_ms(LIMIT_MS) };
            let session = plan.boot(&shape)?;
            session.passed()?;
            let console = Console::read(&session.text())?;
            column.emulator = session.emulator.version().to_owned();
            column.boots.push(MeasuredBoot { threads, has_parts, console });
        }
        Ok(column)
    }

    fn boot(&self, threads: u32, has_parts: bool) -> Option<&Console> {
        let found = self.boots.iter().find(|boot| boot.threads == threads && boot.has_parts == has_parts);
        found.map(|boot| &boot.console)
    }

    fn cost(&self, threads: u32, has_parts: bool, measure: &str) -> Option<&Map<String, Value>> {
        let mut costs = self.boot(threads, has_parts)?.costs.iter();
        costs.find(|cost| cost.get("name").and_then(Value::as_str) == Some(measure))
    }

    /// Median and maximum; empty where the kernel has no such sample.
    fn cell(&self, threads: u32, has_parts: bool, measure: &str) -> String {
        let cost = self.cost(threads, has_parts, measure);
        let number = |key: &str| cost.and_then(|cost| cost.get(key)).and_then(Value::as_u64);
        match (number("count"), number("lost"), number("median"), number("max")) {
            (Some(1..), Some(0), Some(median), Some(max)) => format!("{} / {}", grouped(median), grouped(max)),
            (Some(1..), Some(lost), ..) => format!("lost {}", grouped(lost)),
            _ => String::new(),
        }
    }

    fn jobs(&self, threads: u32) -> String {
        let jobs = self.boot(threads, false).and_then(|console| console.jobs.as_ref());
        let number = |key: &str| jobs.and_then(|jobs| jobs.get(key)).and_then(Value::as_u64);
        number("due")
            .zip(number("served"))
            .map_or(String::new(), |(due, served)| format!("{} / {}", grouped(due), grouped(served)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_testing::{Need, OrSkipped, or_skip};

    /// Counted time repeats a run, so the page's figures are those of the kernel that is built now.
    #[test]
    fn the_page_has_the_figures_of_the_kernel_that_is_built_now() {
        let _emulator = or_skip!(prazo_lab::Emulator::find().or_skipped(Need::Lab));
        let column = Column::measure("single-edf", &THREADS[..1]).unwrap();
        let page = include_str!("../../../docs/kernel.md");
        let table = &page[crate::docs_figures::region(page, "kernel-costs").unwrap()];
        for (what, measure, has_parts) in ROWS.into_iter().filter(|row| row.1 != "remote_release_to_thread") {
            let cell = column.cell(5, has_parts, measure);
            let begin = format!("| 5 threads: {what} | {cell} |");
            assert!(!cell.is_empty() && table.contains(&begin), "now {begin}: run `cargo xtask docs-figures`\n{table}");
        }
    }
}
