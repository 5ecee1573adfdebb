//! How evidence writes its figures: counts with thousands separators, shares with three digits, lists with semicolons.

pub use prazo_stats::microseconds::us;

/// `part` of `whole` as a percentage with three significant digits, however rare.
pub fn share(part: u64, whole: u64) -> String {
    if part == 0 || whole == 0 {
        return "0 %".into();
    }
    let percent = part as f64 / whole as f64 * 100.0;
    let decimals = (2.0 - percent.log10().floor()).clamp(0.0, 12.0) as usize;
    format!("{percent:.decimals$} %")
}

/// Nanoseconds with their unit: `1,234.567 µs`.
pub fn ns(value: f64) -> String {
    format!("{} µs", us(value))
}

/// Parts with a semicolon between them, as sentences of one evidence.
pub fn list(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_microseconds_with_their_thousands_apart() {
        assert_eq!([us(1_234_567.4), us(-1_500.0), us(-0.2)], ["1,234.567", "-1.500", "0.000"]);
        assert_eq!(ns(42_000.0), "42.000 µs");
    }

    #[test]
    fn shares_keep_three_digits_however_rare() {
        assert_eq!(share(0, 10), "0 %");
        assert_eq!(share(10, 10), "100 %");
        assert_eq!(share(183_460, 7_200_000), "2.55 %");
        assert_eq!(share(2, 7_200_000), "0.0000278 %");
    }
}
