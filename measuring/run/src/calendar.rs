//! Dates of the Gregorian calendar, counted in days from 1970-01-01.
//!
//! Years begin in March here, so that a leap day is a year's last day (Hinnant, "chrono-compatible low-level date algorithms").

/// The months as mail and rt-tests write them.
pub(crate) const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// Its year.
    pub year: i64,
    /// Its month, 1 to 12.
    pub month: i64,
    /// Its day, 1 to 31.
    pub day: i64,
}

impl Date {
    /// The date so many days after 1970 began.
    pub fn of_days(days: i64) -> Self {
        let since_0000_03_01 = days + 719_468;
        let (era, day_of_era) = (since_0000_03_01.div_euclid(146_097), since_0000_03_01.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        Self { year: era * 400 + year_of_era + i64::from(month <= 2), month, day }
    }

    /// Days from 1970-01-01 to this date.
    pub fn days(self) -> i64 {
        let year = if self.month <= 2 { self.year - 1 } else { self.year };
        let day_of_year = (153 * ((self.month + 9) % 12) + 2) / 5 + self.day - 1;
        year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dates_of_known_days() {
        let known = [(0, (1970, 1, 1)), (-1, (1969, 12, 31)), (11_016, (2000, 2, 29)), (20_778, (2026, 11, 21))];
        for (days, (year, month, day)) in known {
            assert_eq!(Date::of_days(days), Date { year, month, day });
        }
    }

    proptest! {
        /// The slow twin: the next day is the next in its month, or the first of the next month.
        #[test]
        fn each_day_follows_the_one_before_and_is_counted_back(days in -1_000_000i64..1_000_000) {
            let Date { year, month, day } = Date::of_days(days);
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month as usize - 1];
            let next = match (day == length, month) {
                (false, _) => Date { year, month, day: day + 1 },
                (true, 12) => Date { year: year + 1, month: 1, day: 1 },
                (true, _) => Date { year, month: month + 1, day: 1 },
            };
            prop_assert_eq!(Date::of_days(days + 1), next);
            prop_assert_eq!(Date { year, month, day }.days(), days);
        }
    }
}
