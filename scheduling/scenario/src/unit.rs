//! How long a tick is, and how texts with a unit become ticks: `"1.5ms"`, or `1500` under a key that ends in `_us`.
//!
//! Nothing is rounded: a time that is no whole number of ticks is refused. Overheads may be fractions of a tick.

use crate::error::Problem;
use prazo_core::ratio::{ParseRatioError, Ratio};
use prazo_core::task::{TICKS_MAX, Ticks};

/// The length of one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// 1 ns.
    Nanosecond,
    /// 1 us.
    Microsecond,
    /// 1 ms.
    Millisecond,
}

/// Names of units in texts and at the end of keys, with their length in nanoseconds.
const SUFFIXES: [(&str, u64); 5] = [("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];

prazo_core::words!(Unit: Nanosecond => "ns", Microsecond => "us", Millisecond => "ms");

impl Unit {
    /// The length in nanoseconds.
    pub const fn ns(self) -> u64 {
        match self {
            Self::Nanosecond => 1,
            Self::Microsecond => 1_000,
            Self::Millisecond => 1_000_000,
        }
    }
}

/// What a bare number under a key may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The tick of a set that states no unit.
    Tick,
    /// So many nanoseconds, told by the key's ending.
    Ns(u64),
    /// Nothing: the text must carry its unit.
    Unstated,
}

/// `cost_us` is `cost` in microseconds; a key without such an ending says nothing of the unit.
pub fn split_key(key: &str) -> (&str, Scale) {
    let split = key.rsplit_once('_').and_then(|(name, ending)| {
        let (_, ns) = SUFFIXES.into_iter().find(|(suffix, _)| *suffix == ending)?;
        Some((name, Scale::Ns(ns)))
    });
    split.unwrap_or((key, Scale::Unstated))
}

/// The exact number of ticks that `text` names, perhaps a fraction; `tick` is `None` for a set without a unit.
pub fn amount(text: &str, scale: Scale, tick: Option<Unit>) -> Result<Ratio, Problem> {
    let (number, suffix) = split_text(text);
    // A bare number is wanted where the set or the key states the unit; one with a unit would be refused there.
    let is_bare = suffix == Scale::Unstated && (scale != Scale::Unstated || tick.is_none());
    let example = if is_bare { BARE } else { EXAMPLE };
    let scale = match (suffix, scale) {
        (Scale::Unstated, Scale::Unstated) if tick.is_none() => Scale::Tick,
        (Scale::Unstated, stated) => stated,
        (suffix, Scale::Unstated) => suffix,
        _ => {
            return Err(Problem::new(
                format!("'{text}' has a unit where a number without unit is expected"),
                "write the number alone, or remove the unit from the key if the key has one",
            ));
        }
    };
    let number = number.parse::<Ratio>().map_err(|cause| match cause {
        ParseRatioError::NotANumber => Problem::new(format!("'{text}' is not a time"), example),
        _ => Problem::new(format!("'{text}': {cause}"), example),
    })?;
    scaled(number, scale, tick)
        .map_err(|problem| Problem { problem: format!("'{text}' {}", problem.problem), ..problem })
}

const EXAMPLE: &str = "write a number with its unit, as in 200us or 1.5ms";
const BARE: &str = "write a number without unit, as in 200 or 1.5";

/// `number` of `scale` in ticks.
fn scaled(number: Ratio, scale: Scale, tick: Option<Unit>) -> Result<Ratio, Problem> {
    match (scale, tick) {
        (Scale::Unstated, _) => Err(Problem::new("has no unit", EXAMPLE)),
        (Scale::Tick, _) => Ok(number),
        (Scale::Ns(_), None) => Err(Problem::new(
            "comes with a unit (in the value or in the key), but the times of the set have no unit",
            "write a number of ticks without unit, or remove unit = \"none\" from a TOML set",
        )),
        (Scale::Ns(ns), Some(tick)) => Ratio::new(u128::from(ns), u128::from(tick.ns()))
            .and_then(|factor| number.checked_mul(factor))
            .ok_or_else(|| Problem::new("has too many digits", "write fewer digits")),
    }
}

/// Number and unit of `1.5ms`.
fn split_text(text: &str) -> (&str, Scale) {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic());
    let unit = &text[digits.len()..];
    match SUFFIXES.into_iter().find(|(suffix, _)| *suffix == unit) {
        Some((_, ns)) => (digits.trim_end(), Scale::Ns(ns)),
        None => (text, Scale::Unstated),
    }
}

/// The whole number of ticks that `text` names.
pub fn ticks(text: &str, scale: Scale, tick: Option<Unit>) -> Result<Ticks, Problem> {
    whole(text, amount(text, scale, tick)?, tick)
}

/// `amount` as a time that a task may have.
fn whole(text: &str, amount: Ratio, tick: Option<Unit>) -> Result<Ticks, Problem> {
    let of_length = tick.map_or(String::new(), |unit| format!(" of 1 {}", unit.name()));
    if amount.denominator() != 1 {
        let remedy = match tick {
            Some(Unit::Nanosecond) => "round costs up, periods and deadlines down",
            Some(_) => "round costs up, periods and deadlines down, or set a finer unit",
            None => "round costs up, periods and deadlines down, or multiply all times of the set by the same factor",
        };
        return Err(Problem::new(format!("'{text}' is not a whole number of ticks{of_length}"), remedy));
    }
    if amount.numerator() > u128::from(TICKS_MAX) {
        let remedy = match tick {
            Some(_) => "set a coarser unit (in TOML: unit = \"us\"), or scale the set down",
            None => "divide all times of the set by the same factor",
        };
        return Err(Problem::new(format!("'{text}' exceeds 2^48 ticks{of_length}"), remedy));
    }
    Ok(amount.numerator() as Ticks)
}

/// KiB of `64KiB`, `2MiB` or `100B`, rounded up.
pub fn kib(text: &str) -> Result<u64, Problem> {
    const EXAMPLE: &str = "write a size with its unit, as in 64KiB or 2MiB";
    let wrong = || Problem::new(format!("'{text}' is not a size"), EXAMPLE);
    let digits = text.trim().trim_end_matches(|c: char| c.is_alphabetic());
    let bytes: u128 = match &text.trim()[digits.len()..] {
        "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return Err(wrong()),
    };
    let number: Ratio = digits.parse().map_err(|_| wrong())?;
    let kib = Ratio::new(bytes, 1 << 10).and_then(|factor| number.checked_mul(factor)).ok_or_else(wrong)?;
    kib_within(kib.ceil()).ok_or_else(|| Problem::new(format!("'{text}' exceeds 2^48 KiB"), "write a smaller size"))
}

/// A working set that can be multiplied without overflow.
pub fn kib_within(kib: u128) -> Option<u64> {
    u64::try_from(kib).ok().filter(|kib| *kib <= TICKS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NS: Option<Unit> = Some(Unit::Nanosecond);
    const US: Option<Unit> = Some(Unit::Microsecond);

    fn message(result: Result<Ticks, Problem>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn a_time_carries_its_unit_in_the_text_or_in_the_key() {
        assert_eq!(ticks("1.5ms", Scale::Unstated, NS), Ok(1_500_000));
        assert_eq!(ticks("1.5ms", Scale::Unstated, US), Ok(1_500));
        assert_eq!(split_key("cost_us"), ("cost", Scale::Ns(1_000)));
        assert_eq!(split_key("working_set"), ("working_set", Scale::Unstated));
        assert_eq!(ticks("2.5", Scale::Ns(1_000), NS), Ok(2_500));
        assert_eq!(ticks("7", Scale::Unstated, None), Ok(7));
    }

    #[test]
    fn nothing_is_guessed_rounded_or_overflown() {
        assert!(message(ticks("5", Scale::Unstated, NS)).contains("has no unit"));
        assert!(message(ticks("1.5us", Scale::Unstated, US)).contains("is not a whole number of ticks of 1 us"));
        let unitless = message(ticks("1.5", Scale::Unstated, None));
        assert!(unitless.contains("'1.5' is not a whole number of ticks; round"), "{unitless}");
        assert!(message(ticks("1e15", Scale::Unstated, None)).contains("exceeds 2^48 ticks; divide"));
        assert!(message(ticks("5ms", Scale::Ns(1), NS)).contains("has a unit where a number without unit is expected"));
        assert!(message(ticks("5ms", Scale::Unstated, None)).contains("the times of the set have no unit"));
        assert!(message(ticks("4days", Scale::Unstated, NS)).contains("'4days' is not a time; write a number with"));
        for (scale, tick) in [(Scale::Ns(1_000), NS), (Scale::Unstated, None)] {
            let bare = message(ticks("abc", scale, tick));
            assert!(bare.contains("'abc' is not a time; write a number without unit"), "{bare}");
        }
        assert!(message(ticks("400000s", Scale::Unstated, NS)).contains("coarser unit"));
        assert!(message(ticks("1e37s", Scale::Unstated, NS)).contains("too many digits"));
    }

    #[test]
    fn an_amount_may_be_a_fraction_of_a_tick() {
        assert_eq!(amount("9.4us", Scale::Unstated, US), Ok(Ratio::new(47, 5).unwrap()));
        assert_eq!(amount("1/3ns", Scale::Unstated, NS), Ok(Ratio::new(1, 3).unwrap()));
    }

    #[test]
    fn working_sets_round_up_to_whole_kib() {
        assert_eq!((kib("64KiB"), kib("1.5MiB"), kib("100B")), (Ok(64), Ok(1536), Ok(1)));
        assert!(kib("64kb").is_err() && kib("").is_err() && kib("1e30GiB").is_err());
    }
}
