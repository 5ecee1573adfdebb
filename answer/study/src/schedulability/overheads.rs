//! Overhead tables of an experiment's platforms: written with units and sources, lent to the analysis in microseconds.
//!
//! The sets of an experiment have microseconds as ticks, so that is what amounts become: exact fractions, never rounded.

use prazo_core::overheads::{Function, Overhead, Overheads, Provenance};
use prazo_core::ratio::Ratio;
use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// What one scheduler costs on one platform; what is not named costs nothing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Table {
    /// Interrupt that makes a job ready.
    pub release: Option<Entry>,
    /// Choice of the next job.
    pub scheduling: Option<Entry>,
    /// Change of stack and registers.
    pub context_switch: Option<Entry>,
    /// Timer interrupt of the scheduler's clock.
    pub tick: Option<Entry>,
    /// Distance of two ticks, in whole microseconds.
    #[serde(deserialize_with = "tick_period")]
    pub tick_period: Option<u64>,
    /// Interrupt from one processor to another.
    pub ipi_latency: Option<Entry>,
    /// Programmed time to entry of the release interrupt.
    pub event_latency: Option<Entry>,
    /// What a preemption costs in lost cache contents, by KiB.
    pub cache_delay: Option<Entry>,
    /// What a job's first fetch costs, by KiB.
    pub initial_cache_load: Option<Entry>,
    /// True if one processor of its own takes the release interrupts.
    pub dedicated_interrupt_processor: bool,
}

/// One overhead: an amount and where it is from.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Written")]
pub struct Entry {
    amount: Points,
    source: String,
    statistic: String,
    samples: u64,
}

#[derive(Clone, Debug)]
enum Points {
    Constant(Ratio),
    Linear(Vec<(u64, Ratio)>),
    Table(Vec<(u64, Ratio)>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    constant: Option<Amount>,
    linear: Option<Vec<(u64, Amount)>>,
    table: Option<Vec<(u64, Amount)>>,
    source: String,
    #[serde(default)]
    statistic: String,
    #[serde(default)]
    samples: u64,
}

/// A time with its unit, in microseconds.
#[derive(Clone, Copy)]
struct Amount(Ratio);

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        microseconds(&text).map(Amount).ok_or_else(|| {
            D::Error::custom(format!("'{text}' is no time; write a number with its unit, such as \"29.56us\""))
        })
    }
}

fn microseconds(text: &str) -> Option<Ratio> {
    let units = [("ns", Ratio::new(1, 1_000)?), ("us", Ratio::ONE), ("ms", Ratio::whole(1_000))];
    let (number, unit) = units.into_iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    number.parse::<Ratio>().ok()?.checked_mul(unit)
}

fn tick_period<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let Amount(period) = Amount::deserialize(deserializer)?;
    match u64::try_from(period.numerator()) {
        Ok(whole) if period.denominator() == 1 && whole > 0 => Ok(Some(whole)),
        _ => Err(D::Error::custom("the tick's period is a whole number of microseconds above 0")),
    }
}

impl TryFrom<Written> for Entry {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let amount = match (written.constant, written.linear, written.table) {
            (Some(Amount(value)), None, None) => Points::Constant(value),
            (None, Some(points), None) => Points::Linear(ascending(points)?),
            (None, None, Some(points)) => Points::Table(ascending(points)?),
            _ => return Err("an overhead has exactly one of constant, linear and table".into()),
        };
        if written.source.trim().is_empty() {
            return Err("source is empty; name what stands behind the amount, or write \"assumption: ...\"".into());
        }
        Ok(Self { amount, source: written.source, statistic: written.statistic, samples: written.samples })
    }
}

fn ascending(points: Vec<(u64, Amount)>) -> Result<Vec<(u64, Ratio)>, String> {
    let points: Vec<(u64, Ratio)> = points.into_iter().map(|(at, Amount(value))| (at, value)).collect();
    let sorted = points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
    match points.is_empty() || !sorted {
        true => Err("points ascend: counts strictly, amounts never fall, and there is at least one".into()),
        false => Ok(points),
    }
}

impl Entry {
    fn lend(&self) -> Overhead<'_> {
        let amount = match &self.amount {
            Points::Constant(value) => Function::Constant(*value),
            Points::Linear(points) => Function::Linear(points),
            Points::Table(points) => Function::Table(points),
        };
        let provenance = Provenance { source: &self.source, statistic: &self.statistic, samples: self.samples };
        Overhead { amount, provenance }
    }

    /// Where the amount is from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The amount in words: `2us to 26.95us (5 to 125)`.
    pub fn amount(&self) -> String {
        let us = |value: Ratio| format!("{}us", super::decimal::text(value));
        match &self.amount {
            Points::Constant(value) => us(*value),
            Points::Linear(points) | Points::Table(points) => {
                let (first, last) = (points[0], points[points.len() - 1]);
                format!("{} to {} ({} to {})", us(first.1), us(last.1), first.0, last.0)
            }
        }
    }
}

fn lend(entry: &Option<Entry>) -> Overhead<'_> {
    entry.as_ref().map_or(Overhead::NONE, Entry::lend)
}

impl Table {
    /// The table as the analysis takes it.
    pub fn lend(&self) -> Overheads<'_> {
        Overheads {
            release: lend(&self.release),
            scheduling: lend(&self.scheduling),
            context_switch: lend(&self.context_switch),
            tick: lend(&self.tick),
            tick_period: self.tick_period,
            ipi_latency: lend(&self.ipi_latency),
            event_latency: lend(&self.event_latency),
            cache_delay: lend(&self.cache_delay),
            initial_cache_load: lend(&self.initial_cache_load),
            dedicated_interrupt_processor: self.dedicated_interrupt_processor,
        }
    }

    /// Each overhead that is charged, by name.
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, &Entry)> {
        let all = [
            ("release", &self.release),
            ("scheduling", &self.scheduling),
            ("context switch", &self.context_switch),
            ("tick", &self.tick),
            ("IPI latency", &self.ipi_latency),
            ("event latency", &self.event_latency),
            ("cache delay", &self.cache_delay),
            ("initial cache load", &self.initial_cache_load),
        ];
        all.into_iter().filter_map(|(name, entry)| Some((name, entry.as_ref()?)))
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
        let table = read("tick_period = '1ms'\nrelease = { constant = '33.75us', source = 's' }\ntick = { linear = [[5, '900ns'], [15, '1.9us']], source = 's' }").unwrap();
        let lent = table.lend();
        assert_eq!(lent.release.at(40).unwrap().value, Ratio::new(135, 4).unwrap());
        assert_eq!(lent.tick.at(10).unwrap().value, Ratio::new(14, 10).unwrap());
        assert_eq!(lent.tick_period, Some(1_000));
        assert_eq!(lent.scheduling, Overhead::NONE);
        assert_eq!(table.tick.unwrap().amount(), "0.9us to 1.9us (5 to 15)");
    }

    #[test]
    fn wrong_tables_are_refused_with_what_to_write() {
        let wrong = |text: &str| read(text).unwrap_err();
        assert!(wrong("release = { constant = '3', source = 's' }").contains("'3' is no time"));
        assert!(wrong("release = { constant = '3us' }").contains("source"));
        assert!(wrong("release = { constant = '3us', source = ' ' }").contains("source is empty"));
        assert!(wrong("release = { source = 's' }").contains("exactly one of constant, linear and table"));
        assert!(wrong("release = { linear = [[5, '3us'], [9, '2us']], source = 's' }").contains("never fall"));
        assert!(wrong("tick_period = '1.5us'").contains("whole number of microseconds"));
        assert!(wrong("relaese = { constant = '3us', source = 's' }").contains("unknown field `relaese`"));
    }
}
