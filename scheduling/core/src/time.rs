//! Instants, durations and signed offsets, all in whole nanoseconds.
//!
//! A bare integer is never a time here: [`Instant`] is a point on a monotonic clock whose epoch is not stated,
//! [`Duration`] a distance that cannot be negative, [`Offset`] a signed distance such as a latency, which Xenomai's early
//! timers make negative. Intervals are `[start, end)`.

use crate::text::grouped;
use core::fmt;
use core::ops::{Add, AddAssign, Sub};

/// A point on a monotonic clock, in nanoseconds since an epoch that only the clock's owner knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

/// A distance in time that cannot be negative, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

/// A signed distance in time, in nanoseconds: a latency, a lateness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Offset(i64);

impl Instant {
    /// The instant `ns` nanoseconds after the clock's epoch.
    #[inline]
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns)
    }

    /// Nanoseconds since the clock's epoch.
    #[inline]
    pub const fn as_ns(self) -> u64 {
        self.0
    }

    /// The clock's epoch.
    pub const EPOCH: Instant = Instant(0);

    /// Behind every other instant: that of a timer that is not set.
    pub const NEVER: Instant = Instant(u64::MAX);

    /// `self` and `length` later, [`Instant::NEVER`] at the latest.
    #[inline]
    pub const fn saturating_add(self, length: Duration) -> Self {
        Self(self.0.saturating_add(length.0))
    }

    /// How long `self` lies after `earlier`; nothing where it does not.
    #[inline]
    pub const fn saturating_since(self, earlier: Instant) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl From<core::time::Duration> for Duration {
    /// The same length; the longest that there is where 64 bits do not hold it.
    fn from(length: core::time::Duration) -> Self {
        Self(u64::try_from(length.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);

    /// `ns` nanoseconds.
    #[inline]
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns)
    }

    /// `us` microseconds.
    pub const fn from_us(us: u64) -> Self {
        Self(us * 1_000)
    }

    /// `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms * 1_000_000)
    }

    /// `s` seconds.
    pub const fn from_s(s: u64) -> Self {
        Self(s * 1_000_000_000)
    }

    /// The length in nanoseconds.
    #[inline]
    pub const fn as_ns(self) -> u64 {
        self.0
    }

    /// The length in seconds, for display and for rates only.
    pub const fn as_s_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// True for a length of zero.
    #[inline]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// How many whole times `part` fits into `self`; `None` if `part` is zero.
    pub const fn div_floor(self, part: Duration) -> Option<u64> {
        self.0.checked_div(part.0)
    }

    /// What is left of `self` without `part`; nothing where `part` is longer.
    #[inline]
    pub const fn saturating_sub(self, part: Duration) -> Duration {
        Duration(self.0.saturating_sub(part.0))
    }

    /// Both together, 584 years at most.
    #[inline]
    pub const fn saturating_add(self, other: Duration) -> Duration {
        Duration(self.0.saturating_add(other.0))
    }

    /// `self` taken `times` times; `None` where that does not fit into 64 bits.
    pub const fn checked_mul(self, times: u64) -> Option<Duration> {
        match self.0.checked_mul(times) {
            Some(ns) => Some(Duration(ns)),
            None => None,
        }
    }
}

impl Offset {
    /// `ns` nanoseconds, negative for "before".
    pub const fn from_ns(ns: i64) -> Self {
        Self(ns)
    }

    /// The offset in nanoseconds.
    pub const fn as_ns(self) -> i64 {
        self.0
    }
}

impl Add<Duration> for Instant {
    type Output = Instant;
    #[inline]
    fn add(self, rhs: Duration) -> Instant {
        Instant(self.0 + rhs.0)
    }
}

impl AddAssign<Duration> for Instant {
    #[inline]
    fn add_assign(&mut self, rhs: Duration) {
        self.0 += rhs.0;
    }
}

impl Sub for Instant {
    type Output = Duration;
    /// How long `self` lies after `rhs`. Panics where it lies before: a `Duration` cannot be negative.
    #[inline]
    fn sub(self, rhs: Instant) -> Duration {
        Duration(self.0) - Duration(rhs.0)
    }
}

impl Add for Duration {
    type Output = Duration;
    #[inline]
    fn add(self, rhs: Duration) -> Duration {
        Duration(self.0 + rhs.0)
    }
}

impl AddAssign for Duration {
    #[inline]
    fn add_assign(&mut self, rhs: Duration) {
        self.0 += rhs.0;
    }
}

impl Sub for Duration {
    type Output = Duration;
    /// Panics where the result would be negative: a `Duration` cannot be.
    #[inline]
    fn sub(self, rhs: Duration) -> Duration {
        Duration(self.0.checked_sub(rhs.0).expect("a duration cannot be negative"))
    }
}

/// The largest unit in which the number is whole or has at most three decimals: `200us`, `1.5ms`, `30s`.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = ExactUnit::of_one(*self);
        let (whole, thousandths) = unit.split(*self);
        write_thousandths(f, whole, thousandths)?;
        f.write_str(unit.typed())
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 0 {
            f.write_str("-")?;
        }
        Duration(self.0.unsigned_abs()).fmt(f)
    }
}

/// The same for sentences: `200 µs`, `1,234.567 µs`, `-1.053 µs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact<T>(pub T);

impl fmt::Display for Exact<Duration> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ExactIn { duration: self.0, unit: ExactUnit::of_one(self.0) }.fmt(f)
    }
}

impl fmt::Display for Exact<Offset> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.0 < 0 {
            f.write_str("-")?;
        }
        Exact(Duration(self.0.0.unsigned_abs())).fmt(f)
    }
}

/// A length of time for people who wait: `2 h 03 min`, `1 min 30 s`, `12 s`, rounded up to a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait(pub Duration);

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.0.div_ceil(1_000_000_000);
        match seconds {
            0..60 => write!(f, "{seconds} s"),
            60..3_600 => write!(f, "{} min {:02} s", seconds / 60, seconds % 60),
            _ => write!(f, "{} h {:02} min", seconds / 3_600, seconds / 60 % 60),
        }
    }
}

/// A duration in a unit for sentences and columns: `2,333.334 µs`; three decimals, cut off in a coarser unit than it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactIn {
    /// The duration.
    pub duration: Duration,
    /// The unit.
    pub unit: ExactUnit,
}

impl fmt::Display for ExactIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, thousandths) = self.unit.split(self.duration);
        write_thousandths(f, grouped(whole), thousandths)?;
        write!(f, " {}", self.unit.read())
    }
}

/// A unit in which durations are exact: s, ms, µs or ns; the finer one is the lesser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExactUnit {
    size_ns: u64,
}

impl ExactUnit {
    const NS: Self = Self { size_ns: 1 };

    /// The largest unit in which three decimals are exact. Zero is exact in every unit, so that it decides none for a column.
    pub fn of(duration: Duration) -> Self {
        let ns = duration.0;
        let is_exact =
            |size_ns: &u64| ns == 0 || (ns >= *size_ns && (ns % *size_ns).is_multiple_of((*size_ns / 1_000).max(1)));
        let found = [1_000_000_000, 1_000_000, 1_000].into_iter().find(is_exact);
        found.map_or(Self::NS, |size_ns| Self { size_ns })
    }

    /// The same for a duration that stands alone: zero is in ns.
    fn of_one(duration: Duration) -> Self {
        if duration.0 == 0 { Self::NS } else { Self::of(duration) }
    }

    /// Whole units, and thousandths of one.
    fn split(self, Duration(ns): Duration) -> (u64, u64) {
        (ns / self.size_ns, ns % self.size_ns / (self.size_ns / 1_000).max(1))
    }

    /// The unit as it is typed.
    fn typed(self) -> &'static str {
        if self.size_ns == 1_000 { "us" } else { self.read() }
    }

    /// The unit as it is read.
    fn read(self) -> &'static str {
        match self.size_ns {
            1_000_000_000 => "s",
            1_000_000 => "ms",
            1_000 => "µs",
            _ => "ns",
        }
    }
}

/// `7` and `250` give `7.25`; trailing zeros are dropped.
fn write_thousandths(f: &mut fmt::Formatter<'_>, whole: impl fmt::Display, thousandths: u64) -> fmt::Result {
    write!(f, "{whole}")?;
    match thousandths {
        0 => Ok(()),
        t if t % 100 == 0 => write!(f, ".{}", t / 100),
        t if t % 10 == 0 => write!(f, ".{:02}", t / 10),
        t => write!(f, ".{t:03}"),
    }
}

/// Why a text is not a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseDurationError {
    /// There is no number where one is wanted.
    NoNumber,
    /// The unit is missing or not one of ns, us, ms, s, m, h, d.
    Unit,
    /// More digits behind the point than the unit has nanoseconds.
    TooFine,
    /// More than 584 years.
    TooLong,
}

impl fmt::Display for ParseDurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoNumber => "a duration must begin with a number, as in 200us or 1.5ms",
            Self::Unit => "a duration must end with its unit: ns, us, ms, s, m, h or d, as in 200us or 2h",
            Self::TooFine => "a duration must be a whole number of nanoseconds",
            Self::TooLong => "a duration must be at most 584 years",
        })
    }
}

impl core::error::Error for ParseDurationError {}

/// Reads `200us`, `1.5ms`, `30s`, `2h`, `1d`; a unit is required, so that no number is ever guessed at.
impl core::str::FromStr for Duration {
    type Err = ParseDurationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let size = unit_ns(unit.trim()).ok_or(if number.is_empty() {
            ParseDurationError::NoNumber
        } else {
            ParseDurationError::Unit
        })?;
        let whole: u64 = whole
            .parse()
            .map_err(|_| if whole.is_empty() { ParseDurationError::NoNumber } else { ParseDurationError::TooLong })?;
        let ns = whole.checked_mul(size).ok_or(ParseDurationError::TooLong)?;
        ns.checked_add(fraction_ns(fraction, size)?).map(Duration).ok_or(ParseDurationError::TooLong)
    }
}

fn unit_ns(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        "us" | "µs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" | "min" => 60 * 1_000_000_000,
        "h" => 3_600 * 1_000_000_000,
        "d" => 86_400 * 1_000_000_000,
        _ => return None,
    })
}

/// The nanoseconds of the decimals `fraction` of a unit of `size` ns; exact or refused.
fn fraction_ns(fraction: &str, size: u64) -> Result<u64, ParseDurationError> {
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() {
        return Ok(0);
    }
    if fraction.len() > 14 {
        return Err(ParseDurationError::TooFine);
    }
    let digits: u128 = fraction.parse().map_err(|_| ParseDurationError::NoNumber)?;
    let scaled = digits * u128::from(size);
    let ten = 10u128.pow(fraction.len() as u32);
    if scaled.is_multiple_of(ten) { Ok((scaled / ten) as u64) } else { Err(ParseDurationError::TooFine) }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;

    #[test]
    fn a_wait_is_rounded_up_to_a_second() {
        assert_eq!(Wait(Duration::from_ms(11_200)).to_string(), "12 s");
        assert_eq!(Wait(Duration::from_s(90)).to_string(), "1 min 30 s");
        assert_eq!(Wait(Duration::from_s(7_380)).to_string(), "2 h 03 min");
    }
    use std::string::ToString;

    #[test]
    fn durations_are_read_with_their_unit() {
        assert_eq!("200us".parse(), Ok(Duration::from_us(200)));
        assert_eq!("1.5ms".parse(), Ok(Duration::from_us(1_500)));
        assert_eq!("2h".parse(), Ok(Duration::from_s(7_200)));
        assert_eq!("1d".parse(), Ok(Duration::from_s(86_400)));
    }

    #[test]
    fn a_number_without_a_unit_is_refused() {
        assert_eq!("200".parse::<Duration>(), Err(ParseDurationError::Unit));
        assert_eq!("us".parse::<Duration>(), Err(ParseDurationError::NoNumber));
        assert_eq!("0.5ns".parse::<Duration>(), Err(ParseDurationError::TooFine));
        assert_eq!("99999999999h".parse::<Duration>(), Err(ParseDurationError::TooLong));
        assert_eq!("-1us".parse::<Duration>(), Err(ParseDurationError::NoNumber));
    }

    #[test]
    fn durations_print_in_the_largest_exact_unit() {
        let shown = |ns| Duration::from_ns(ns).to_string();
        assert_eq!(shown(0), "0ns");
        assert_eq!([shown(999), shown(1_000), shown(1_000_000)], ["999ns", "1us", "1ms"]);
        assert_eq!(Offset::from_ns(0).to_string(), "0ns");
        assert_eq!(shown(200_000), "200us");
        assert_eq!(shown(1_500_000), "1.5ms");
        assert_eq!(shown(1_234_567), "1234.567us");
        assert_eq!(shown(30_000_000_000), "30s");
        assert_eq!(Offset::from_ns(-1_053).to_string(), "-1.053us");
    }

    #[test]
    fn sentences_have_them_with_a_space_and_grouped() {
        let read = |ns| Exact(Duration::from_ns(ns)).to_string();
        assert_eq!([read(200_000), read(1_500_000), read(30_000_000_000)], ["200 µs", "1.5 ms", "30 s"]);
        assert_eq!(read(1_234_567), "1,234.567 µs");
        assert_eq!(Exact(Offset::from_ns(-1_053)).to_string(), "-1.053 µs");
        assert_eq!([read(0), read(7), read(90_061_000_000_000)], ["0 ns", "7 ns", "90,061 s"]);
    }

    #[test]
    fn a_column_has_the_unit_that_its_finest_duration_needs() {
        let column = [17_000_000, 2_333_334, 0].map(Duration::from_ns);
        let unit = column.into_iter().map(ExactUnit::of).min().unwrap();
        let shown = column.map(|duration| ExactIn { duration, unit }.to_string());
        assert_eq!(shown, ["17,000 µs", "2,333.334 µs", "0 µs"]);
    }
}
