//! The dates of rt-tests' JSON files, `Sat, 21 Nov 2026 02:27:37 +0000`, as seconds since 1970.

use crate::calendar::{Date, MONTHS};

/// Seconds since 1970; `None` for anything but such a date of the years 1970 to 2199.
pub(super) fn unix_s(text: &str) -> Option<i64> {
    let mut words = text.split_whitespace().skip(1);
    let day: i64 = words.next()?.parse().ok().filter(|day| (1..=31).contains(day))?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| *name == month)? as i64 + 1;
    let year: i64 = words.next()?.parse().ok().filter(|year| (1970..2200).contains(year))?;
    let clock = super::text::clock(words.next()?)?;
    let seconds = (clock.as_ns() / 1_000_000_000) as i64;
    Some(Date { year, month, day }.days() * 86_400 + seconds - zone_s(words.next()?)?)
}

/// `+0130` as seconds east of Greenwich.
fn zone_s(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text.trim_start_matches('+')), |digits| (-1, digits));
    let number: i64 = digits.parse().ok().filter(|number| (0..2_400).contains(number))?;
    Some(sign * (number / 100 * 3_600 + number % 100 * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read() {
        assert_eq!(unix_s("Thu, 01 Jan 1970 00:00:00 +0000"), Some(0));
        assert_eq!(unix_s("Sat, 21 Nov 2026 02:27:37 +0000"), Some(1_795_228_057));
        assert_eq!(unix_s("Sat, 21 Nov 2026 03:57:37 +0130"), Some(1_795_228_057));
        assert_eq!(unix_s("Tue, 29 Feb 2000 12:00:00 -0500"), Some(951_843_600));
    }

    #[test]
    fn what_is_no_date_is_none() {
        for wrong in
            ["", "Sat, 99 Nov 2026 02:27:37 +0000", "Sat, 21 Nov 99999 02:27:37 +0000", "Sat, 21 Nov 2026 02:27:37 é"]
        {
            assert_eq!(unix_s(wrong), None, "{wrong}");
        }
    }
}
