//! A plain axis of a picture: where values stand on it, and which values are worth a tick.

use super::labels;

/// Room beyond the outermost values, as a part of their span.
const MARGIN: f64 = 0.06;

/// A linear axis between two places of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Linear {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Linear {
    /// An axis that shows all these values with some room around; values that are all alike stand in its middle.
    pub(super) fn spanning(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Self {
        let (low, high) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max));
        let margin = match high - low {
            span if span > 0.0 => span * MARGIN,
            _ => high.abs().max(1.0) * MARGIN,
        };
        if low.is_finite() && high.is_finite() {
            Self { low: low - margin, high: high + margin, from, to }
        } else {
            Self { low: 0.0, high: 1.0, from, to }
        }
    }

    /// Where a value stands.
    pub(super) fn place(&self, value: f64) -> f64 {
        self.from + (self.to - self.from) * (value - self.low) / (self.high - self.low)
    }

    /// Ticks with their labels: at most `most` steps, and fewer where labels in a font of this size would touch or repeat. Each
    /// is a place along a horizontal axis and what stands there.
    pub(super) fn labels(&self, most: usize, font: f64, name: impl Fn(f64) -> String) -> Vec<(f64, String)> {
        let of = |most: usize| -> Vec<(f64, String)> {
            self.ticks(most).into_iter().map(|tick| (self.place(tick), name(tick))).collect()
        };
        let differ = |labels: &[(f64, String)]| labels.windows(2).all(|pair| pair[0].1 != pair[1].1);
        let fitting = (1..=most).rev().map(of).find(|ticks| labels::have_room(ticks, font) && differ(ticks));
        fitting.unwrap_or_else(|| {
            let mut ends = of(1);
            ends.dedup_by(|right, left| right.1 == left.1);
            labels::thinned(ends, font)
        })
    }

    /// Steps of 1, 2 or 5, at most `most` of them.
    pub(super) fn ticks(&self, most: usize) -> Vec<f64> {
        let rough = (self.high - self.low) / most as f64;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        let first = (self.low / step).ceil();
        let all = (0..=most).map(|at| (first + at as f64) * step);
        // A step that is added to a negative one leaves a zero with a sign.
        all.filter(|tick| *tick <= self.high).map(|tick| if tick.abs() < step / 2.0 { 0.0 } else { tick }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let axis = Linear::spanning([0.0, 35.0].into_iter(), 0.0, 100.0);
        assert_eq!(axis.ticks(8), [0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0]);
        assert!(axis.place(0.0) > 0.0 && axis.place(35.0) < 100.0);
    }

    #[test]
    fn values_that_are_alike_or_absent_still_have_an_axis() {
        let alike = Linear::spanning([7.0, 7.0].into_iter(), 0.0, 100.0);
        assert!((alike.place(7.0) - 50.0).abs() < 1e-9 && !alike.ticks(5).is_empty());
        assert!(Linear::spanning(std::iter::empty(), 0.0, 100.0).place(0.5).is_finite());
    }

    #[test]
    fn two_values_too_close_for_their_labels_have_one_label() {
        let axis = Linear::spanning([-564_363_337.725_189_8, -564_363_337.725_188_2].into_iter(), 0.0, 493.6);
        assert_eq!(axis.labels(9, 13.0, |tick| format!("{tick:.2}")), [(0.0, "-564363337.73".to_owned())]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn no_label_touches_another_or_repeats_it(low in -1e9f64..1e9, exponent in -6f64..9.0, width in 60f64..900.0) {
            let axis = Linear::spanning([low, low + 10f64.powf(exponent)].into_iter(), 0.0, width);
            let labels = axis.labels(9, 13.0, |tick| format!("{tick:.2}"));
            prop_assert!(labels::have_room(&labels, 13.0), "{labels:?}");
            prop_assert!(labels.windows(2).all(|pair| pair[0].1 != pair[1].1), "{labels:?}");
        }

        #[test]
        fn every_value_and_every_tick_is_between_the_ends(values in prop::collection::vec(-1e9f64..1e9, 1..20), most in 2usize..12) {
            let axis = Linear::spanning(values.iter().copied(), 50.0, 10.0);
            prop_assert!(values.iter().all(|value| (10.0..=50.0).contains(&axis.place(*value))));
            let ticks = axis.ticks(most);
            prop_assert!(ticks.len() <= most + 1);
            prop_assert!(ticks.iter().all(|tick| (9.999..=50.001).contains(&axis.place(*tick))), "{ticks:?}");
        }
    }
}
