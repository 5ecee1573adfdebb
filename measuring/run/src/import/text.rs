//! Small readers of numbers in foreign text, each with an error that says what was wanted.

use super::error::Problem;
use prazo_core::time::Duration;
use std::str::FromStr;

/// The number that `text` is.
pub(super) fn number<T: FromStr>(text: &str, wanted: &'static str) -> Result<T, Problem> {
    text.trim().parse().map_err(|_| Problem::malformed(text, wanted))
}

/// All the numbers that `text` holds, at most `limit`.
pub(super) fn numbers(text: &str, limit: usize, wanted: &'static str) -> Result<Vec<u64>, Problem> {
    let found =
        text.split_whitespace().map(|word| number(word, wanted)).take(limit + 1).collect::<Result<Vec<_>, _>>()?;
    if found.len() > limit {
        return Err(Problem::TooMuch { what: format!("too many numbers on a line of {wanted}"), limit: limit as u64 });
    }
    Ok(found)
}

/// The word behind `label` in `line`, blanks between them allowed: `C:    500` has `500` behind `C:`.
pub(super) fn behind<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let at = line.find(label)? + label.len();
    line[at..].split_whitespace().next()
}

/// `12.345` microseconds in nanoseconds, exactly; `None` if it is no such number.
pub(super) fn us_as_ns(text: &str) -> Option<i64> {
    let text = text.trim();
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !plain(whole) || !plain(fraction) || fraction.len() > 3 {
        return None;
    }
    let ns = whole.parse::<i64>().ok()?.checked_mul(1_000)?.checked_add(format!("{fraction:0<3}").parse().ok()?)?;
    (ns as u64 <= super::tally::VALUE_NS_MAX).then_some(if negative { -ns } else { ns })
}

/// `00:01:30`, hours first.
pub(super) fn clock(text: &str) -> Option<Duration> {
    let mut seconds: u64 = 0;
    let mut parts = 0;
    for part in text.trim().split(':') {
        seconds = seconds.checked_mul(60)?.checked_add(part.parse::<u32>().ok()?.into())?;
        parts += 1;
    }
    (parts == 3 && seconds < 1 << 32).then(|| Duration::from_s(seconds))
}

/// The duration that a tool's option gives: seconds, or with the unit `m`, `h` or `d`.
pub(super) fn option_duration(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    let seconds = u64::from(digits.parse::<u32>().ok()?) * unit;
    (seconds < 1 << 32).then(|| Duration::from_s(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_become_nanoseconds_exactly() {
        assert_eq!(us_as_ns("     -1.053"), Some(-1_053));
        assert_eq!(us_as_ns("-0.053"), Some(-53));
        assert_eq!(us_as_ns("16785.255"), Some(16_785_255));
        assert_eq!(us_as_ns("2.1"), Some(2_100));
        for wrong in ["", "-", ".", "1.2345", "1e3", "--1", "1.-2", "99999999999999999999", "9223372036854775.999"] {
            assert_eq!(us_as_ns(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn clocks_and_options_give_durations() {
        assert_eq!(clock("00:00:20"), Some(Duration::from_s(20)));
        assert_eq!(clock("24:01:00"), Some(Duration::from_s(86_460)));
        assert_eq!(clock("1:2"), None);
        assert_eq!(clock("4294967295:0:0"), None);
        assert_eq!(option_duration("5"), Some(Duration::from_s(5)));
        assert_eq!(option_duration("2h"), Some(Duration::from_s(7_200)));
        assert_eq!(option_duration("4294967295d"), None);
        assert_eq!(option_duration("é"), None);
    }

    #[test]
    fn a_label_has_the_word_behind_it() {
        assert_eq!(behind("T: 0 ( 12) P:95 C:    500", "C:"), Some("500"));
        assert_eq!(behind("T: 0", "C:"), None);
        assert_eq!(behind("C:", "C:"), None);
    }
}
