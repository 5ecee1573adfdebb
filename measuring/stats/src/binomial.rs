//! Exact (Clopper-Pearson) bounds on a share, and the rule of three as their case without any event.
//!
//! The bounds are quantiles of the beta distribution, found by bisection on the regularised incomplete beta function. Counts
//! may be fractions, since a dependent sample counts as fewer independent ones (Korn and Graubard 1998). The continued
//! fraction runs until it converges, because library versions stop after a fixed number of terms, too few for 10^8 activations.

use statrs::function::gamma::ln_gamma;

/// Events among trials, as many as they are worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Share {
    /// Events.
    pub events: f64,
    /// Trials; at least as many as events.
    pub trials: f64,
}

impl Share {
    /// The share that only `alpha` of all samples would bring so few events from; 1 without trials.
    pub(crate) fn upper(self, alpha: f64) -> f64 {
        if self.trials <= 0.0 || self.events >= self.trials {
            return 1.0;
        }
        if self.events <= 0.0 {
            return -(alpha.ln() / self.trials).exp_m1();
        }
        beta_quantile(1.0 - alpha, self.events + 1.0, self.trials - self.events)
    }

    /// The share that only `alpha` of all samples would bring so many events from; 0 without events.
    pub(crate) fn lower(self, alpha: f64) -> f64 {
        if self.trials <= 0.0 || self.events <= 0.0 {
            return 0.0;
        }
        if self.events >= self.trials {
            return (alpha.ln() / self.trials).exp();
        }
        beta_quantile(alpha, self.events, self.trials - self.events + 1.0)
    }
}

/// The exact two-sided interval of the share of `events` among independent `trials`; `None` without a trial.
pub fn share_interval(events: u64, trials: u64, confidence: f64) -> Option<(f64, f64)> {
    let share = Share { events: events as f64, trials: trials as f64 };
    let alpha = (1.0 - confidence) / 2.0;
    (trials > 0).then(|| (share.lower(alpha), share.upper(alpha)))
}

/// The probability of at least `events` events in `trials` independent trials, each of which is an event with probability `share`.
pub(crate) fn at_least(events: u64, trials: u64, share: f64) -> f64 {
    match events {
        0 => 1.0,
        _ if events > trials => 0.0,
        _ => beta_regularised(share, events as f64, (trials - events + 1) as f64),
    }
}

/// The x at which the regularised incomplete beta function reaches `p`.
fn beta_quantile(p: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while high - low > 1e-14 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if beta_regularised(middle, a, b) < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// I_x(a, b), by the continued fraction on the side where it converges fast.
fn beta_regularised(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(x, a, b) / a
    } else {
        1.0 - front * beta_fraction(1.0 - x, b, a) / b
    }
}

/// Lentz's evaluation of the continued fraction (Abramowitz and Stegun 26.5.8), about sqrt(max(a, b)) terms.
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    const TERMS_MAX: u32 = 1_000_000;
    let away_from_zero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in (1..TERMS_MAX).map(f64::from) {
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut step = 1.0;
        for term in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            step = d * c;
            fraction *= step;
        }
        if (step - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(found: f64, wanted: f64) -> bool {
        (found - wanted).abs() <= 1e-9 * wanted.abs()
    }

    /// The slow, obvious twin: the probability of at most `events`, summed term by term.
    fn at_most(events: u32, trials: u32, share: f64) -> f64 {
        let mut term = f64::from(trials) * (-share).ln_1p();
        let mut sum = term.exp();
        for k in 0..events {
            term += (f64::from(trials - k) / f64::from(k + 1)).ln() + share.ln() - (-share).ln_1p();
            sum += term.exp();
        }
        sum
    }

    #[test]
    fn bounds_agree_with_published_values() {
        // Two-sided 95 % of 10 in 100 and 3 in 100 (tables of Clopper and Pearson), to the digits printed there.
        let ten = Share { events: 10.0, trials: 100.0 };
        assert!((ten.lower(0.025) - 0.0490).abs() < 5e-5 && (ten.upper(0.025) - 0.1762).abs() < 5e-5);
        let three = Share { events: 3.0, trials: 100.0 };
        assert!((three.lower(0.025) - 0.0062).abs() < 5e-5 && (three.upper(0.025) - 0.0852).abs() < 5e-5);
    }

    #[test]
    fn binomial_probabilities_are_those_of_a_table() {
        assert!((at_least(2, 3, 0.5) - 0.5).abs() < 1e-12);
        assert!((at_least(0, 7, 0.3) - 1.0).abs() < 1e-12);
        for events in 1..=40 {
            assert!(close(1.0 - at_least(events, 40, 0.2), at_most(events as u32 - 1, 40, 0.2)), "{events}");
        }
        assert_eq!(at_least(8, 7, 0.3), 0.0);
    }

    #[test]
    fn without_an_event_the_bound_is_the_rule_of_three() {
        let none = Share { events: 0.0, trials: 1e6 };
        assert!(close(none.upper(0.05), 1.0 - 0.05f64.powf(1e-6)));
        assert!((none.upper(0.05) * 1e6 - 3.0).abs() < 0.01);
        assert_eq!(none.lower(0.05), 0.0);
        assert_eq!(Share { events: 0.0, trials: 0.0 }.upper(0.05), 1.0);
        assert_eq!(Share { events: 4.0, trials: 4.0 }.upper(0.05), 1.0);
    }

    #[test]
    fn a_hundred_million_trials_converge() {
        // Beyond a library's fixed number of terms: the normal approximation is good to five digits here.
        let many = Share { events: 5e6, trials: 1e8 };
        let half_width = 1.959964 * (0.05f64 * 0.95 / 1e8).sqrt();
        assert!((many.upper(0.025) - 0.05 - half_width).abs() < 0.01 * half_width);
        assert!((0.05 - many.lower(0.025) - half_width).abs() < 0.01 * half_width);
    }

    /// The probability that the interval holds the true share, summed over every count of events.
    fn coverage(trials: u64, share: f64) -> f64 {
        let at_most = |events: u64| at_most(events as u32, trials as u32, share).min(1.0);
        let exactly = |events: u64| at_most(events) - if events == 0 { 0.0 } else { at_most(events - 1) };
        let holds = |events: &u64| {
            let (low, high) = share_interval(*events, trials, 0.95).unwrap();
            low <= share && share <= high
        };
        (0..=trials).filter(holds).map(exactly).sum()
    }

    #[test]
    fn the_interval_holds_the_share_at_least_as_often_as_it_says() {
        for trials in [1, 10, 50, 200] {
            for share in [0.001, 0.05, 0.3, 0.5, 0.77, 0.99] {
                let coverage = coverage(trials, share);
                assert!(coverage >= 0.95 - 1e-9, "{trials} trials at {share}: {coverage}");
            }
        }
        assert_eq!(share_interval(0, 0, 0.95), None);
        assert_eq!(share_interval(5, 5, 0.95).unwrap().1, 1.0);
    }

    proptest! {
        #[test]
        fn bounds_invert_the_binomial_sum(trials in 2u32..400, part in 0.0f64..1.0, alpha in 0.01f64..0.2) {
            let events = ((f64::from(trials) * part) as u32).min(trials - 1);
            let share = Share { events: f64::from(events), trials: f64::from(trials) };
            prop_assert!(close(at_most(events, trials, share.upper(alpha)), alpha));
            if events > 0 {
                prop_assert!((1.0 - at_most(events - 1, trials, share.lower(alpha)) - alpha).abs() < 1e-9);
            }
        }

        #[test]
        fn another_event_never_lowers_a_bound(events in 0.0f64..100.0, more in 0.0f64..5.0) {
            let (few, many) = (Share { events, trials: 200.0 }, Share { events: events + more, trials: 200.0 });
            prop_assert!(few.upper(0.05) <= many.upper(0.05) + 1e-12);
            prop_assert!(few.lower(0.05) <= many.lower(0.05) + 1e-12);
        }
    }
}
