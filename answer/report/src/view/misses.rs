//! How often the deadline was missed, and how often it may be with this much evidence.

use super::{Cell, Section, Table};
use crate::content::ReportContent;
use crate::words;
use prazo_core::time::Duration;
use prazo_stats::MissRate;

/// The table of misses.
pub fn section(content: &ReportContent) -> Section {
    let all = || content.runs.iter().filter_map(|run| Some((run.run.name.as_str(), run.misses.as_ref()?)));
    let columns = [
        "Run",
        "#Deadline",
        "#Due",
        "#Missed or skipped",
        "#Share missed",
        "#Blocks",
        "#Blocks with a miss",
        "#Share of blocks with a miss, upper bound (95 %)",
        "#p-value of the runs test",
        "#Share missed, upper bound (95 %) if independent",
    ];
    let table = Table::new("Deadline misses", &columns)
        .with(all().map(|(run, misses)| row(run, misses)))
        .notes(all().map(|(_, misses)| misses.method.clone()))
        .folded();
    Section::new("misses", "Deadline misses").show(table)
}

fn row(run: &str, misses: &MissRate) -> Vec<Cell> {
    vec![
        run.into(),
        words::length(Duration::from_ns(misses.deadline_ns)).into(),
        Cell::count(Some(misses.due)),
        Cell::count(Some(misses.missed)),
        Cell::share(misses.rate),
        Cell::count(Some(misses.blocks)),
        Cell::count(Some(misses.blocks_with_miss)),
        Cell::share(misses.block_rate_upper),
        misses.runs_test_p.map_or_else(Cell::absent, |p| words::decimals(p, 3).into()),
        Cell::share(misses.rate_upper_if_independent),
    ]
}
