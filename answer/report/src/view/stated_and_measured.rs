//! A paper's tables beside what was measured again: the same figures, theirs and ours in pairs.

use super::{Cell, Section, Table};
use crate::content::{ReportContent, StatedAndMeasured};
use crate::words;
use prazo_run::run::Quantity;
use prazo_study::result::QuantityResult;

/// A table for each quantity, in the order of the paper's cells.
pub fn section(content: &ReportContent) -> Section {
    let mut quantities: Vec<Quantity> = content.beside.iter().map(|row| row.ours.quantity).collect();
    quantities.sort_unstable();
    quantities.dedup();
    let section = Section::new("beside", "Compared with the paper");
    quantities.into_iter().fold(section, |section, quantity| section.show(table(content, quantity)))
}

fn table(content: &ReportContent, of: Quantity) -> Table {
    let columns = [
        "Paper's cell",
        "Measured cell",
        "#Mean",
        "#here",
        "#Deviation",
        "#here",
        "#Min",
        "#here",
        "#Max observed",
        "#here",
    ];
    let rows: Vec<_> = content.beside.iter().filter(|row| row.ours.quantity == of).collect();
    let samples = format!(
        "Samples of each cell: {} in the paper, {} here.",
        counts(rows.iter().map(|row| row.theirs.count)),
        counts(rows.iter().map(|row| row.ours.count))
    );
    Table::new(format!("The {} in the paper and here", words::quantity(of)), &columns)
        .with(rows.into_iter().map(row))
        .note(samples)
        .note(
            "Each figure covers all runs of a cell. Compare the order of the cells; absolute times depend on \
             the machine.",
        )
}

/// "12,000", or "5,998 to 6,000"; what nobody states is not in it.
fn counts(all: impl Iterator<Item = Option<u64>> + Clone) -> String {
    match (all.clone().flatten().min(), all.flatten().max()) {
        (Some(least), Some(most)) if least < most => format!("{} to {}", words::count(least), words::count(most)),
        (Some(all), _) => words::count(all),
        _ => "not stated".into(),
    }
}

fn row(row: &StatedAndMeasured) -> Vec<Cell> {
    let figures = |of: &QuantityResult| [of.mean_ns, of.deviation_ns, of.min_ns, of.max_ns].map(Cell::mean);
    let pairs = figures(&row.theirs).into_iter().zip(figures(&row.ours)).flat_map(|(theirs, ours)| [theirs, ours]);
    let names = [row.stated.as_str().into(), row.cell.as_str().into()];
    names.into_iter().chain(pairs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn theirs_and_ours_stand_in_pairs_and_what_nobody_has_is_absent() {
        let none = QuantityResult::none(Quantity::InterruptLatency);
        let theirs = QuantityResult { count: Some(12_000), mean_ns: Some(8_900.0), ..none.clone() };
        let ours = QuantityResult { count: Some(6_000), mean_ns: Some(6_100.0), max_ns: Some(2.0), ..none };
        let (stated, cell) = ("paper1.std.idle".to_owned(), "std-full.idle.irq".to_owned());
        let row = StatedAndMeasured { stated, theirs, cell, ours };
        let section = section(&ReportContent { beside: vec![row], ..ReportContent::default() });
        let texts: Vec<_> = section.tables[0].rows[0].iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(&texts[..4], ["paper1.std.idle", "std-full.idle.irq", "8.90", "6.10"]);
        assert_eq!((texts[8], texts[9]), (words::ABSENT, "0.002"));
        assert!(section.tables[0].caption.ends_with(", in µs"), "{}", section.tables[0].caption);
        assert_eq!(section.tables[0].notes[0], "Samples of each cell: 12,000 in the paper, 6,000 here.");
    }
}
