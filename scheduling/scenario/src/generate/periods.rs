//! How periods are drawn: whole microseconds on a grid, evenly or evenly on a logarithmic scale.

use super::random::{below, unit};
use prazo_core::task::{TICKS_MAX, Ticks};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Multiples of `step_us` from the first to the last of `us`, both included.
///
/// The ranges of the experiments of the University of North Carolina are [`Periods::SHORT`], [`Periods::MODERATE`] and
/// [`Periods::LONG`]; Vitor 2013 uses the short ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Periods {
    low_us: Ticks,
    high_us: Ticks,
    step_us: Ticks,
    spread: Spread,
}

/// Which periods are likely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spread {
    /// Each as likely as the other.
    #[default]
    Uniform,
    /// Each order of magnitude as likely as the other.
    LogUniform,
}

/// As it stands in a file: `{ us = [3000, 33000], step_us = 1000, spread = "uniform" }`.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    us: [Ticks; 2],
    #[serde(default = "one_millisecond")]
    step_us: Ticks,
    #[serde(default)]
    spread: Spread,
}

const fn one_millisecond() -> Ticks {
    1_000
}

impl Periods {
    /// 3 to 33 ms in whole milliseconds.
    pub const SHORT: Periods = Periods::milliseconds(3, 33);
    /// 10 to 100 ms in whole milliseconds.
    pub const MODERATE: Periods = Periods::milliseconds(10, 100);
    /// 50 to 250 ms in whole milliseconds.
    pub const LONG: Periods = Periods::milliseconds(50, 250);

    /// 1 ms to 1 s in whole milliseconds, the range of Emberson, Stafford, Davis (WATERS 2010).
    pub const WIDE: Periods = Periods::milliseconds(1, 1_000);

    const fn milliseconds(low: Ticks, high: Ticks) -> Self {
        Self { low_us: low * 1_000, high_us: high * 1_000, step_us: 1_000, spread: Spread::Uniform }
    }

    /// The same periods with another spread.
    pub const fn spread(self, spread: Spread) -> Self {
        Self { spread, ..self }
    }

    /// One period in microseconds.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> Ticks {
        match self.spread {
            Spread::Uniform => self.low_us + self.step_us * below(rng, (self.high_us - self.low_us) / self.step_us + 1),
            Spread::LogUniform => self.draw_log_uniform(rng),
        }
    }

    /// Emberson, Stafford, Davis (WATERS 2010): the logarithm is even over [low, high + step), then rounded down to the
    /// grid.
    fn draw_log_uniform(&self, rng: &mut ChaCha8Rng) -> Ticks {
        let (low, end) = (libm::log(self.low_us as f64), libm::log((self.high_us + self.step_us) as f64));
        let drawn = libm::exp(low + unit(rng) * (end - low)) as Ticks;
        (drawn / self.step_us * self.step_us).clamp(self.low_us, self.high_us)
    }
}

impl TryFrom<Written> for Periods {
    type Error = String;

    fn try_from(Written { us: [low_us, high_us], step_us, spread }: Written) -> Result<Self, String> {
        if step_us == 0 || low_us == 0 || low_us > high_us || high_us > TICKS_MAX {
            return Err(format!(
                "there are no periods from {low_us} to {high_us} µs in steps of {step_us} µs; write bounds and step from 1 to 2^48, the smaller bound first"
            ));
        }
        if low_us % step_us != 0 || high_us % step_us != 0 {
            return Err(format!(
                "the period bounds {low_us} and {high_us} µs must be multiples of step_us = {step_us}"
            ));
        }
        Ok(Self { low_us, high_us, step_us, spread })
    }
}

impl From<Periods> for Written {
    fn from(Periods { low_us, high_us, step_us, spread }: Periods) -> Self {
        Self { us: [low_us, high_us], step_us, spread }
    }
}

#[cfg(test)]
mod tests {
    use super::super::set_rng;
    use super::*;

    #[test]
    fn short_periods_are_all_of_3_to_33_ms() {
        let mut rng = set_rng(1, 0, 0);
        let mut counts = [0u32; 34];
        for _ in 0..31_000 {
            let period = Periods::SHORT.draw(&mut rng);
            assert_eq!(period % 1_000, 0);
            counts[(period / 1_000) as usize] += 1;
        }
        assert!(counts[..3].iter().all(|count| *count == 0));
        assert!(counts[3..].iter().all(|count| count.abs_diff(1_000) < 150), "{counts:?}");
    }

    #[test]
    fn log_uniform_periods_have_the_logarithm_in_the_middle() {
        let periods: Periods = toml::from_str("us = [10_000, 1_000_000]\nspread = \"log-uniform\"").unwrap();
        let mut rng = set_rng(1, 0, 1);
        let drawn: Vec<Ticks> = (0..20_000).map(|_| periods.draw(&mut rng)).collect();
        assert!(drawn.iter().all(|period| (10_000..=1_000_000).contains(period) && period % 1_000 == 0));
        let short = drawn.iter().filter(|period| **period < 100_000).count();
        assert!(short.abs_diff(10_000) < 300, "{short} of 20000 below the geometric mean");
    }

    #[test]
    fn periods_that_are_none_are_refused_with_a_reason() {
        let refused = |text| toml::from_str::<Periods>(text).unwrap_err().to_string();
        assert!(refused("us = [33_000, 3_000]").contains("the smaller bound first"));
        assert!(refused("us = [3_500, 33_000]").contains("must be multiples of step_us = 1000"));
        assert!(refused("us = [0, 33_000]").contains("there are no periods from 0 to 33000 µs"));
        assert!(refused("us = [1_000, 2_000]\nstep = 3").contains("step"));
    }
}
