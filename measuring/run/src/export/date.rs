//! Dates as cyclictest writes them: `Sat, 21 Nov 2026 02:27:35 +0000`, always in UTC.

use crate::calendar::{Date, MONTHS};

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

/// The date and time this many nanoseconds after 1970 began.
pub(super) fn rfc_2822(unix_ns: i64) -> String {
    let seconds = unix_ns.div_euclid(1_000_000_000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let Date { year, month, day } = Date::of_days(days);
    let weekday = DAYS[days.rem_euclid(7) as usize];
    let (h, m, s) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{weekday}, {day:02} {} {year} {h:02}:{m:02}:{s:02} +0000", MONTHS[month as usize - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_as_date_prints_them() {
        let at = |seconds: i64| rfc_2822(seconds * 1_000_000_000);
        assert_eq!(at(0), "Thu, 01 Jan 1970 00:00:00 +0000");
        assert_eq!(at(1_795_228_055), "Sat, 21 Nov 2026 02:27:35 +0000");
        assert_eq!(at(951_782_399), "Mon, 28 Feb 2000 23:59:59 +0000");
        assert_eq!(at(951_782_400), "Tue, 29 Feb 2000 00:00:00 +0000");
        assert_eq!(at(-1), "Wed, 31 Dec 1969 23:59:59 +0000");
    }
}
