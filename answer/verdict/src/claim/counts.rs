//! Which answers about two maxima their counts alone could have brought about.
//!
//! A maximum grows with the number of samples. That it is larger of fewer samples is evidence, that it is larger of more may be
//! nothing but patience; and that it is smaller of more is evidence, that it is smaller of fewer may be impatience.

/// Counts within a tenth of each other are alike.
const ALIKE: f64 = 1.1;

/// How many samples the two have.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// Of the maximum that the answer speaks of.
    pub of: u64,
    /// Of the maximum that it is compared with.
    pub against: u64,
}

impl Counts {
    /// Whether "it is more" ("so many times the other at least") may be said.
    pub fn allow_more(self) -> bool {
        self.of as f64 <= ALIKE * self.against as f64
    }

    /// Whether "it is less" ("so many times the other at most") may be said.
    pub fn allow_less(self) -> bool {
        Self { of: self.against, against: self.of }.allow_more()
    }
}

#[cfg(test)]
mod tests {
    use super::Counts;

    #[test]
    fn more_is_said_of_as_many_or_fewer_and_less_of_as_many_or_more() {
        let allowed = |of, against| {
            let counts = Counts { of, against };
            (counts.allow_more(), counts.allow_less())
        };
        assert_eq!(allowed(100, 100), (true, true));
        assert_eq!(allowed(110, 100), (true, true));
        assert_eq!(allowed(112, 100), (false, true));
        assert_eq!(allowed(7, 16_783), (true, false));
        assert_eq!(allowed(16_783, 7), (false, true));
    }
}
