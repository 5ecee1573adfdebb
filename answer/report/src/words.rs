//! Numbers and names as people read them: always with a unit, always rounded the same way in every sink.

use prazo_core::time::{Duration, Exact};
use prazo_run::Severity;
use prazo_run::run::{Ending, Origin, Quantity};
use prazo_stats::Per;

/// What stands where a figure was not measured; the reason is said beside the table.
pub const ABSENT: &str = "—";

/// A latency in the largest unit that leaves a whole part, to three decimals: `38.44 µs`, `-1.053 µs`.
pub fn latency(ns: i64) -> String {
    latency_f64(ns as f64)
}

/// The same of a length of time.
pub fn time(ns: u64) -> String {
    latency(i64::try_from(ns).unwrap_or(i64::MAX))
}

/// A time to the nanosecond: `17 ms`, `2,333.334 µs`, `0`.
pub fn exact(ns: u64) -> String {
    if ns == 0 { "0".into() } else { Exact(Duration::from_ns(ns)).to_string() }
}

/// As [`latency`], for means and deviations; what is not finite is [`ABSENT`].
pub fn latency_f64(ns: f64) -> String {
    if !ns.is_finite() {
        return ABSENT.into();
    }
    let (size, unit) = unit(ns.abs());
    format!("{} {unit}", decimals(ns / size, 3))
}

/// As [`latency_f64`], to three significant digits: `323 µs`, `12.6 ms`.
pub fn latency_in_short(ns: f64) -> String {
    let (size_ns, name) = unit(ns.abs());
    format!("{} {name}", Unit { size_ns, name }.shown(ns))
}

/// A unit that all latencies of a table share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    size_ns: f64,
    name: &'static str,
}

impl Unit {
    /// Microseconds, unless all are far larger or all smaller; `None` where there is nothing to show.
    pub fn of_all(all_ns: impl Iterator<Item = f64>) -> Option<Self> {
        let sizes = all_ns.map(f64::abs);
        let ends = |(low, high): (f64, f64), ns: f64| (if ns > 0.0 { low.min(ns) } else { low }, high.max(ns));
        let (low, high) = sizes.fold(None, |known, ns| Some(ends(known.unwrap_or((f64::MAX, 0.0)), ns)))?;
        let (size_ns, name) = match (low, high) {
            (low, _) if (1e10..f64::MAX).contains(&low) => (1e9, "s"),
            (low, _) if (1e7..f64::MAX).contains(&low) => (1e6, "ms"),
            (_, high) if high < 1e3 => (1.0, "ns"),
            _ => (1e3, "µs"),
        };
        Some(Self { size_ns, name })
    }

    /// Its sign.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// A latency in it, to three significant digits; all digits before the point, and never more than nanoseconds.
    pub fn shown(self, ns: f64) -> String {
        let value = ns / self.size_ns;
        let finest = if self.size_ns > 1.0 { 3.0 } else { 0.0 };
        let places = if value == 0.0 { 0.0 } else { (2.0 - value.abs().log10().floor()).clamp(0.0, finest) };
        let text = format!("{:.*}", places as usize, value.abs());
        let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
        let sign = if value < 0.0 && text.contains(|digit| ('1'..='9').contains(&digit)) { "-" } else { "" };
        format!("{sign}{}{rest}", whole.parse().map_or_else(|_| whole.to_owned(), count))
    }
}

/// Size and name of the unit in which `ns` (not negative) is written. A value that rounds up to 1000 takes the next one.
fn unit(ns: f64) -> (f64, &'static str) {
    const UNITS: [(f64, &str); 3] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    UNITS.into_iter().find(|(size, _)| ns >= size * 0.999_999_5).unwrap_or((1.0, "ns"))
}

/// `value` with at most `places` decimals, trailing zeros dropped.
pub fn decimals(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// How much more than 1 a ratio is: `+5 %` of 1.05, `-3.2 %` of 0.968.
pub fn more(ratio: f64, places: usize) -> String {
    let percent = decimals((ratio - 1.0) * 100.0, places);
    match percent.as_str() {
        "0" | "-0" => "0 %".into(),
        less if less.starts_with('-') => format!("{less} %"),
        more => format!("+{more} %"),
    }
}

/// A count with its thousands apart: `7,199,932`.
pub fn count(count: u64) -> String {
    prazo_core::text::grouped(count).to_string()
}

/// A share as percent down to a thousandth of a percent, below that as a power of ten: `99.9 %`, `3.0 × 10⁻⁸`.
pub fn share(share: f64) -> String {
    match share {
        s if !s.is_finite() => ABSENT.into(),
        0.0 => "0 %".into(),
        s if s.abs() >= 1e-5 => format!("{} %", significant(s * 100.0)),
        s => format!("{}", Power(s)),
    }
}

struct Power(f64);

impl std::fmt::Display for Power {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let exponent = self.0.abs().log10().floor();
        write!(f, "{:.1} × {}", self.0 / 10f64.powf(exponent), ten_to(exponent as i32))
    }
}

/// A power of ten with its exponent raised: `10⁻⁶`.
pub fn ten_to(power: i32) -> String {
    match power {
        0 => "1".into(),
        1 => "10".into(),
        _ => format!("10{}", power.to_string().chars().map(raised).collect::<String>()),
    }
}

fn raised(digit: char) -> char {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    digit.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize])
}

/// Three significant digits; shares close to 100 % keep the digits that tell them from it.
fn significant(percent: f64) -> String {
    let distance = (100.0 - percent).abs();
    if percent > 99.0 && distance > 0.0 && percent < 100.0 {
        return decimals(percent, (1.0 - distance.log10().floor()).clamp(1.0, 9.0) as usize);
    }
    decimals(percent, (2.0 - percent.abs().log10().floor()).clamp(0.0, 6.0) as usize)
}

/// The name of a quantile: `p50`, `p99.99`.
pub fn quantile(q: f64) -> String {
    format!("p{}", decimals(q * 100.0, 6))
}

/// A length of time in its two or three largest units: `27 h 46 min 40 s`, `30 s`, `200 µs`.
pub fn length(length: Duration) -> String {
    let (whole, rest) = (length.as_ns() / 1_000_000_000, length.as_ns() % 1_000_000_000);
    if whole == 0 {
        return latency(length.as_ns() as i64);
    }
    if whole < 60 && rest > 0 {
        return format!("{} s", decimals(length.as_s_f64(), 3));
    }
    let parts = [(whole / 86_400, "d"), (whole / 3_600 % 24, "h"), (whole / 60 % 60, "min"), (whole % 60, "s")];
    parts.iter().filter(|(n, _)| *n > 0).map(|(n, unit)| format!("{n} {unit}")).collect::<Vec<_>>().join(" ")
}

/// A quantity in the words of TERMS.
pub fn quantity(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::ResponseTime => "response time",
        Quantity::ExecutionTime => "execution time",
        Quantity::SectionTime => "section time",
        Quantity::ResponseLatency => "response latency",
        Quantity::InterruptLatency => "interrupt latency",
        Quantity::ActivationLatency => "activation latency",
        Quantity::ReturnToUser => "return to user space",
        Quantity::Noise => "noise",
        Quantity::NoiseNmi => "noise by non-maskable interrupts",
        Quantity::NoiseInterrupt => "noise by interrupts",
        Quantity::NoiseSoftirq => "noise by softirqs",
        Quantity::NoiseThread => "noise by threads",
        Quantity::NoiseUnrecorded => "noise not recorded",
        Quantity::ReceiveToTask => "receive to task",
        Quantity::WakeToTask => "wake to task",
        Quantity::MigrationLatency => "migration latency",
        Quantity::TimerSlack => "timer slack",
        Quantity::HardEntry => "hard entry",
        Quantity::ThreadStart => "thread start",
        Quantity::Handling => "handling",
        Quantity::WakeupLatency => "wake-up latency",
        Quantity::OwnStamp => "own stamp",
        Quantity::ReceivePath => "receive path",
        Quantity::ReleaseOverhead => "release overhead",
        Quantity::ReleaseOverheadPerJob => "release overhead per job",
        Quantity::ReleaseOverheadAtTick => "release overhead at a tick",
        Quantity::SchedulingOverhead => "scheduling overhead",
        Quantity::ContextSwitchOverhead => "context-switch overhead",
        Quantity::ContextSwitchOfPair => "context switch between two threads",
        Quantity::TickOverhead => "tick overhead",
        Quantity::IpiLatency => "IPI latency",
        Quantity::EventLatency => "event latency",
        Quantity::StampCost => "cost of a stamp",
    }
}

/// What one value stands for.
pub fn per(per: Per) -> &'static str {
    match per {
        Per::ServedWakeUp => "served wake-up",
        Per::DueActivation => "due activation",
    }
}

/// A severity in one word.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Medium => "medium",
        Severity::High => "high",
        Severity::Fatal => "fatal",
    }
}

/// A processor, or all of them.
pub fn cpu(cpu: Option<u32>) -> String {
    cpu.map_or_else(|| "all".into(), |cpu| cpu.to_string())
}

/// The processor or the watched thread of a series; all of them where it has neither.
pub fn carrier(cpu: Option<u32>, thread: Option<&str>) -> String {
    thread.map_or_else(|| self::cpu(cpu), ToOwned::to_owned)
}

/// The same of a series.
pub fn carrier_of(series: &prazo_run::Series) -> String {
    carrier(series.cpu, series.thread.as_ref().map(ToString::to_string).as_deref())
}

/// Where a run's samples came from.
pub fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Measured => "measured by prazo".into(),
        Origin::Imported { tool, file } => format!("imported from {tool}, {file}"),
        Origin::Synthetic => "synthetic data, not measured".into(),
    }
}

/// How a run ended.
pub fn ending(ending: &Ending) -> String {
    match ending {
        Ending::Complete => "complete".into(),
        Ending::Interrupted => "stopped by the user, prazo or the imported tool".into(),
        Ending::Threshold { cpu, latency_ns } => {
            format!("stopped at the threshold: {} on processor {cpu}", latency(*latency_ns))
        }
        Ending::Died => "died: the last, incomplete second is missing; on a busy machine, more may be missing".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_carry_their_unit_and_three_decimals() {
        assert_eq!(latency(0), "0 ns");
        assert_eq!(latency(-1_053), "-1.053 µs");
        assert_eq!(latency(25_816_000), "25.816 ms");
        assert_eq!(latency(999_999_999), "1 s");
        assert_eq!(latency(i64::MIN), "-9223372036.855 s");
        assert_eq!(latency_f64(f64::NAN), ABSENT);
    }

    #[test]
    fn exact_times_keep_each_nanosecond_in_the_largest_unit_that_can() {
        let shown = [0, 7, 1_500, 2_333_334, 17_000_000, 16_963_496, 90_061_000_000_000].map(exact);
        assert_eq!(shown, ["0", "7 ns", "1.5 µs", "2,333.334 µs", "17 ms", "16,963.496 µs", "90,061 s"]);
    }

    #[test]
    fn a_shift_is_said_in_short() {
        assert_eq!([323_355.0, 12_608_704.0, -7_208.0].map(latency_in_short), ["323 µs", "12.6 ms", "-7.21 µs"]);
    }

    #[test]
    fn a_unit_shows_three_significant_digits_and_all_before_the_point() {
        let us = Unit::of_all([0.0, 900.0, 25_816_000.0].into_iter()).unwrap();
        assert_eq!(us.name(), "µs");
        let shown = [0.0, 900.0, 8_904.4, 99_960.0, 412_903.0, 25_816_000.0, -1_053.0, -0.2].map(|ns| us.shown(ns));
        assert_eq!(shown, ["0", "0.900", "8.90", "100.0", "413", "25,816", "-1.05", "0.000"]);
        assert_eq!(Unit::of_all([12.0, 999.0].into_iter()).unwrap().shown(12.4), "12");
        assert_eq!(Unit::of_all([2e7, 3e9].into_iter()).unwrap().shown(2e7), "20.0");
        assert_eq!(Unit::of_all(std::iter::empty()), None);
    }

    #[test]
    fn shares_keep_the_digits_that_matter() {
        assert_eq!(share(0.999), "99.9 %");
        assert_eq!(share(0.999_999), "99.9999 %");
        assert_eq!(share(1.0), "100 %");
        assert_eq!(share(0.5), "50 %");
        assert_eq!(share(3e-8), "3.0 × 10⁻⁸");
        assert_eq!(share(0.000_123), "0.0123 %");
    }

    #[test]
    fn lengths_use_the_units_people_speak() {
        assert_eq!(length(Duration::from_s(100_000)), "1 d 3 h 46 min 40 s");
        assert_eq!(length(Duration::from_us(200)), "200 µs");
        assert_eq!(length(Duration::from_ms(1_500)), "1.5 s");
        assert_eq!(quantile(0.99999), "p99.999");
    }
}
