//! An overhead table as TOML: `release = "9.4us"`, or a table of points with its source.

use super::{Function, OverheadTable, Point, Provenance, validated};
use crate::error::{Problem, ReadError};
use crate::nearest;
use crate::toml_entries::{self, Checked, Entry};
use crate::unit::{self, Scale, Unit};
use prazo_core::overheads::OverheadField;

/// The keys beside those of the overheads.
const OTHERS: [&str; 7] =
    ["name", "note", "source", "statistic", "samples", "tick_period", "dedicated_interrupt_processor"];

const SHAPES: &str = "state the amount as constant, table, linear, or base with per_task or per_kib";

/// Reads the overhead table `text`, whose amounts become ticks of `unit`; `file` is named in errors.
pub fn read(file: &str, text: &str, unit: Option<Unit>) -> Result<OverheadTable, ReadError> {
    toml_entries::read(file, text, |entries| from_entries(entries, unit, 0))
}

/// The same from entries that stand inside another text, from byte `at` on.
pub(crate) fn from_entries(entries: &[Entry<'_>], unit: Option<Unit>, at: usize) -> Checked<OverheadTable> {
    let common = provenance(entries, &Provenance::default())?;
    let mut table = OverheadTable::default();
    for entry in entries {
        set(&mut table, entry, unit, &common)?;
    }
    table.validated().map_err(|problem| (problem, at))
}

fn set(table: &mut OverheadTable, entry: &Entry<'_>, unit: Option<Unit>, common: &Provenance) -> Checked<()> {
    let (key, scale) = unit::split_key(entry.key);
    if let Ok(field) = key.parse() {
        let overhead = table.overheads.of_mut(field);
        overhead.amount = validated(function(entry, scale, unit)?).map_err(|problem| entry.located(problem))?;
        overhead.provenance = match entry.value.is_table() {
            true => provenance(&entry.entries()?, common)?,
            false => common.clone(),
        };
        return Ok(());
    }
    match key {
        "name" => table.name = entry.text()?.to_owned(),
        "note" => table.note = Some(entry.text()?.to_owned()),
        "source" | "statistic" | "samples" => {}
        "dedicated_interrupt_processor" => table.overheads.dedicated_interrupt_processor = entry.flag()?,
        "tick_period" => {
            let period = unit::ticks(&entry.scalar()?, scale, unit).map_err(|problem| entry.located(problem))?;
            table.overheads.tick_period = Some(period);
        }
        _ => {
            let known: Vec<&str> = OverheadField::NAMES.iter().copied().chain(OTHERS).collect();
            return Err(entry.problem("unknown key for an overhead table", nearest::remedy(key, &known)));
        }
    }
    Ok(())
}

/// Source, statistic and samples among `entries`; what is not said there is as in `common`.
fn provenance(entries: &[Entry<'_>], common: &Provenance) -> Checked<Provenance> {
    let mut provenance = common.clone();
    for entry in entries {
        match entry.key {
            "source" => provenance.source = entry.text()?.to_owned(),
            "statistic" => provenance.statistic = entry.text()?.to_owned(),
            "samples" => provenance.samples = entry.whole()?,
            _ => {}
        }
    }
    Ok(provenance)
}

/// A bare amount, or a table that says how it grows.
fn function(entry: &Entry<'_>, scale: Scale, unit: Option<Unit>) -> Checked<Function> {
    let reader = Reader { scale, unit };
    if !entry.value.is_table() {
        return reader.amount(entry).map(Function::Constant);
    }
    let entries = entry.entries()?;
    let parts: Vec<&Entry<'_>> =
        entries.iter().filter(|part| !matches!(part.key, "source" | "statistic" | "samples")).collect();
    match parts.as_slice() {
        [only] => reader.alone(only),
        [first, second] => reader.affine(first, second),
        _ => Err(entry.problem("exactly one form of the amount must be given", SHAPES)),
    }
}

/// What a number means here.
#[derive(Clone, Copy)]
struct Reader {
    scale: Scale,
    unit: Option<Unit>,
}

impl Reader {
    fn amount(self, entry: &Entry<'_>) -> Checked<prazo_core::ratio::Ratio> {
        unit::amount(&entry.scalar()?, self.scale, self.unit).map_err(|problem| entry.located(problem))
    }

    /// `constant`, `table` or `linear`, perhaps with the unit at the key's end.
    fn alone(self, entry: &Entry<'_>) -> Checked<Function> {
        let (key, reader) = self.under(entry);
        match key {
            "constant" => reader.amount(entry).map(Function::Constant),
            "table" => reader.points(entry).map(Function::Table),
            "linear" => reader.points(entry).map(Function::Linear),
            _ => Err(entry.problem("unknown form of an amount", SHAPES)),
        }
    }

    /// `base` and `per_task` or `per_kib`, in either order.
    fn affine(self, first: &Entry<'_>, second: &Entry<'_>) -> Checked<Function> {
        let ((key, reader), (other, other_reader)) = (self.under(first), self.under(second));
        match (key, other) {
            ("base", "per_task" | "per_kib") => {
                Ok(Function::Affine { base: reader.amount(first)?, slope: other_reader.amount(second)? })
            }
            ("per_task" | "per_kib", "base") => self.affine(second, first),
            _ => Err(second.problem("these two keys together do not state an amount", SHAPES)),
        }
    }

    /// The entry's key without its unit, and what numbers mean under it.
    fn under<'a>(self, entry: &Entry<'a>) -> (&'a str, Self) {
        match unit::split_key(entry.key) {
            (key, Scale::Unstated) => (key, self),
            (key, scale) => (key, Self { scale, ..self }),
        }
    }

    fn points(self, entry: &Entry<'_>) -> Checked<Vec<Point>> {
        entry
            .list()?
            .iter()
            .map(|point| self.point(point.get_ref()))
            .collect::<Result<_, _>>()
            .map_err(|p| entry.located(p))
    }

    /// `[10, "4us"]`.
    fn point(self, value: &toml::de::DeValue<'_>) -> Result<Point, Problem> {
        let wrong = || {
            Problem::new("a point must be a count and an amount", "write points as in [[5, \"3us\"], [10, \"4us\"]]")
        };
        let array = value.as_array().ok_or_else(wrong)?;
        let [count, amount] = array.as_ref() else { return Err(wrong()) };
        let count = toml_entries::scalar(count.get_ref()).and_then(|text| text.parse().ok()).ok_or_else(wrong)?;
        let text = toml_entries::scalar(amount.get_ref()).ok_or_else(wrong)?;
        Ok((count, unit::amount(&text, self.scale, self.unit)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::ratio::Ratio;

    fn table(text: &str) -> Result<OverheadTable, ReadError> {
        read("board.toml", text, Some(Unit::Nanosecond))
    }

    #[test]
    fn every_way_to_write_an_amount_is_read_exactly() {
        let table = table(
            "source = 'run a'\nstatistic = 'max'\nrelease = '9.4us'\nscheduling_us = 2.5\n\
             context_switch = { table = [[5, '1us'], [10, '2us']], samples = 7 }\n\
             event_latency = { linear_us = [[5, 1.5], [10, 2]], source = 'run b' }\n\
             cache_delay = { per_kib = '0.25ns', base = '5us' }\ntick = '1us'\ntick_period = '1ms'",
        )
        .unwrap();
        assert_eq!(table.overheads.release.amount, Function::Constant(Ratio::whole(9_400)));
        assert_eq!(table.overheads.scheduling.amount, Function::Constant(Ratio::whole(2_500)));
        assert_eq!(
            table.overheads.context_switch.amount,
            Function::Table(vec![(5, Ratio::whole(1_000)), (10, Ratio::whole(2_000))])
        );
        assert_eq!(
            table.overheads.event_latency.amount,
            Function::Linear(vec![(5, Ratio::whole(1_500)), (10, Ratio::whole(2_000))])
        );
        let quarter = Ratio::new(1, 4).unwrap();
        assert_eq!(table.overheads.cache_delay.amount, Function::Affine { base: Ratio::whole(5_000), slope: quarter });
        assert_eq!(table.overheads.context_switch.provenance.samples, 7);
        assert_eq!(table.overheads.context_switch.provenance.source, "run a");
        assert_eq!(table.overheads.event_latency.provenance.source, "run b");
    }

    #[test]
    fn what_is_not_understood_is_named_with_its_line() {
        let message = |text: &str| table(text).unwrap_err().to_string();
        assert_eq!(
            message("\nrelese = '1us'"),
            "board.toml:2: relese: unknown key for an overhead table; did you mean 'release'?"
        );
        assert!(message("release = '1'").contains("has no unit"));
        assert!(message("release = '-1us'").contains("cannot be below zero"));
        assert!(message("tick = '1us'").contains("add tick_period"));
        assert!(message("release = { linear = [[5, '3us'], [6, '2us']] }").contains("are not in ascending order"));
        assert!(
            message("release = { constant = '1us', linear = [[5, '3us']] }")
                .contains("these two keys together do not state an amount")
        );
        assert!(message("release = {}").contains("exactly one form"));
        assert!(message("release = [").contains("correct the TOML on this line"));
    }
}
