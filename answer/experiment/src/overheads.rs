//! Overhead tables of an experiment's platforms: the format of scenarios/, inside the experiment's own TOML.
//!
//! The sets of an experiment have microseconds as ticks, so that is what amounts become. Every amount says where it is from:
//! an experiment outlives whoever remembers which of its numbers were guessed.

use super::decimal::text;
use prazo_core::overheads::Overheads;
use prazo_core::ratio::Ratio;
use prazo_scenario::overheads::{Function, Overhead, OverheadTable, read};
use prazo_scenario::unit::Unit;
use serde::de::{Deserialize, Deserializer, Error};

/// Where an experiment's files are: the text of one, by its path beside the experiment.
pub type Files<'a> = dyn Fn(&str) -> std::io::Result<String> + 'a;

/// What one scheduler costs on one platform; what is not named costs nothing.
#[derive(Clone, Debug, Default)]
pub struct Table {
    table: OverheadTable,
    /// The file that holds it; `None` where the experiment itself does.
    file: Option<String>,
}

impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = toml::Table::deserialize(deserializer)?;
        match written.get("file") {
            Some(toml::Value::String(file)) if written.len() == 1 => {
                Ok(Self { file: Some(file.clone()), ..Self::default() })
            }
            Some(_) => Err(D::Error::custom(
                "a table with the key `file` must have a path there and no other key; write file = \"PATH\" alone",
            )),
            None => checked("overheads", &written.to_string())
                .map(|table| Self { table, file: None })
                .map_err(D::Error::custom),
        }
    }
}

/// Reads a table of which every amount has a source.
fn checked(file: &str, text: &str) -> Result<OverheadTable, String> {
    let table = read(file, text, Some(Unit::Microsecond)).map_err(|error| error.problem.to_string())?;
    let sourceless = table.named().find(|(_, one)| !is_nothing(one) && one.provenance.source.is_empty());
    match sourceless {
        Some((name, _)) => Err(format!(
            "{name} has no source; state where the amount comes from, or write source = \"assumption: ...\""
        )),
        None => Ok(table),
    }
}

fn is_nothing(overhead: &Overhead) -> bool {
    overhead.amount.is_zero()
}

impl Table {
    /// Reads the file that it names, if it names one; the file's text.
    pub fn load(&mut self, files: &Files<'_>) -> Result<Option<String>, String> {
        let Some(file) = &self.file else { return Ok(None) };
        let text = files(file).map_err(|error| format!("{file} cannot be read: {error}"))?;
        self.table = checked(file, &text).map_err(|problem| format!("{file}: {problem}"))?;
        Ok(Some(text))
    }

    /// True where a file of its own holds it.
    pub fn is_from_file(&self) -> bool {
        self.file.is_some()
    }

    /// The table as the analysis takes it.
    pub fn lend(&self) -> Overheads<'_> {
        self.table.borrow()
    }

    /// The overhead that texts call `name`; `None` where that costs nothing.
    pub fn overhead(&self, name: &str) -> Option<&Overhead> {
        self.table.named().find(|(key, one)| *key == name && !is_nothing(one)).map(|(_, one)| one)
    }

    /// Each overhead that is charged: its name, its amount in words, and where that is from.
    pub fn described(&self) -> impl Iterator<Item = (String, String, &str)> {
        let charged = self.table.named().filter(|(_, one)| !is_nothing(one));
        charged.map(|(name, one)| (name.replace('_', " "), amount(name, &one.amount), one.provenance.source.as_str()))
    }
}

/// `0.9 µs`, or `2 µs to 26.95 µs for 5 to 125 tasks`.
fn amount(name: &str, function: &Function) -> String {
    // Those of the cache grow with the working set.
    let [one, many] = if name.contains("cache") { ["KiB"; 2] } else { ["task", "tasks"] };
    let us = |value: &Ratio| format!("{} µs", text(*value));
    match function {
        Function::Constant(value) => us(value),
        Function::Affine { base, slope } => format!("{} plus {} per {one}", us(base), us(slope)),
        Function::Table(points) | Function::Linear(points) => match (points.first(), points.last()) {
            (Some((from, low)), Some((to, high))) => format!("{} to {} for {from} to {to} {many}", us(low), us(high)),
            _ => String::new(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Table, String> {
        toml::from_str(text).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn amounts_are_lent_exactly_in_microseconds() {
        let text = "tick_period = '1ms'\nrelease = { constant = '33.75us', source = 's' }\n\
                    tick = { linear_us = [[5, 0.9], [15, 1.9]], source = 's' }";
        let table = read(text).unwrap();
        let lent = table.lend();
        assert_eq!(lent.release.at(40).unwrap().value, Ratio::new(135, 4).unwrap());
        assert_eq!(lent.tick.at(10).unwrap().value, Ratio::new(14, 10).unwrap());
        assert_eq!((lent.tick_period, lent.scheduling), (Some(1_000), prazo_core::overheads::Overhead::NONE));
        let described: Vec<_> = table.described().collect();
        assert_eq!(described[0], ("release".into(), "33.75 µs".into(), "s"));
        assert_eq!(described[1], ("tick".into(), "0.9 µs to 1.9 µs for 5 to 15 tasks".into(), "s"));
    }

    #[test]
    fn a_table_may_lie_in_a_file_of_its_own() {
        let mut table = read("file = 'board.toml'").unwrap();
        let files = |name: &str| match name {
            "board.toml" => Ok("source = 's'\nrelease = '2us'".to_owned()),
            _ => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
        };
        assert!(table.load(&files).unwrap().is_some_and(|text| text.contains("2us")));
        assert_eq!(table.lend().release.at(9).unwrap().value, Ratio::whole(2));
        assert!(table.overhead("release").is_some() && table.overhead("tick").is_none());
        assert!(read("file = 'other.toml'").unwrap().load(&files).unwrap_err().contains("other.toml cannot be read"));
        assert!(read("file = 'board.toml'\nrelease = '2us'").unwrap_err().contains("and no other key"));
    }

    #[test]
    fn wrong_tables_are_refused_with_what_to_write() {
        let wrong = |text: &str| read(text).unwrap_err();
        assert!(
            wrong("release = { constant = '3us' }")
                .contains("release has no source; state where the amount comes from")
        );
        assert!(wrong("release = { constant = '3', source = 's' }").contains("has no unit"));
        assert!(wrong("relaese = { constant = '3us', source = 's' }").contains("did you mean 'release'?"));
    }
}
