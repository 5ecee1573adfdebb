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

/// What one scheduler costs on one platform; what is not named costs nothing.
#[derive(Clone, Debug)]
pub struct Table(OverheadTable);

impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = toml::Table::deserialize(deserializer)?.to_string();
        let table =
            read("overheads", &written, Some(Unit::Microsecond)).map_err(|error| D::Error::custom(error.problem))?;
        let sourceless =
            table.named().into_iter().find(|(_, one)| !is_nothing(one) && one.provenance.source.is_empty());
        match sourceless {
            Some((name, _)) => Err(D::Error::custom(format!(
                "{name} has no source; name what stands behind the amount, or write source = \"assumption: ...\""
            ))),
            None => Ok(Self(table)),
        }
    }
}

fn is_nothing(overhead: &Overhead) -> bool {
    overhead.amount.is_zero()
}

impl Table {
    /// The table as the analysis takes it.
    pub fn lend(&self) -> Overheads<'_> {
        self.0.borrow()
    }

    /// Each overhead that is charged: its name, its amount in words, and where that is from.
    pub fn described(&self) -> impl Iterator<Item = (String, String, &str)> {
        let charged = self.0.named().into_iter().filter(|(_, one)| !is_nothing(one));
        charged.map(|(name, one)| (name.replace('_', " "), amount(&one.amount), one.provenance.source.as_str()))
    }
}

/// `0.9us`, or `2us to 26.95us (5 to 125)`.
fn amount(function: &Function) -> String {
    let us = |value: &Ratio| format!("{}us", text(*value));
    match function {
        Function::Constant(value) => us(value),
        Function::Affine { base, slope } => format!("{} and {} for each more", us(base), us(slope)),
        Function::Table(points) | Function::Linear(points) => match (points.first(), points.last()) {
            (Some((from, low)), Some((to, high))) => format!("{} to {} ({from} to {to})", us(low), us(high)),
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
        assert_eq!(described[0], ("release".into(), "33.75us".into(), "s"));
        assert_eq!(described[1], ("tick".into(), "0.9us to 1.9us (5 to 15)".into(), "s"));
    }

    #[test]
    fn wrong_tables_are_refused_with_what_to_write() {
        let wrong = |text: &str| read(text).unwrap_err();
        assert!(wrong("release = { constant = '3us' }").contains("release has no source; name what stands behind"));
        assert!(wrong("release = { constant = '3', source = 's' }").contains("has no unit"));
        assert!(wrong("relaese = { constant = '3us', source = 's' }").contains("did you mean 'release'?"));
    }
}
