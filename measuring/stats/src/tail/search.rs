//! Searches along one line: the largest value, and where a value falls below a level.

/// The inverse of the golden ratio.
const GOLDEN: f64 = 0.618_033_988_749_894_8;

/// Where `f` is largest between two ends, and its value there (golden section; Kiefer 1953). `f` has one peak, and may be minus
/// infinity below it.
pub(super) fn largest(mut low: f64, mut high: f64, steps: usize, mut f: impl FnMut(f64) -> f64) -> (f64, f64) {
    let (mut left, mut right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut at_left, mut at_right) = (f(left), f(right));
    for _ in 0..steps {
        if at_left > at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - GOLDEN * (high - low);
            at_left = f(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + GOLDEN * (high - low);
            at_right = f(right);
        }
    }
    if at_left > at_right { (left, at_left) } else { (right, at_right) }
}

/// Where `f` falls below `level`, outwards from `from` in steps that grow; `None` if it stays above over `reach`.
pub(super) fn falls_below(
    from: f64,
    first_step: f64,
    reach: f64,
    level: f64,
    mut f: impl FnMut(f64) -> f64,
) -> Option<f64> {
    let (mut inside, mut step) = (from, first_step);
    let mut outside = loop {
        let next = inside + step;
        if (next - from).abs() > reach {
            return None;
        }
        if f(next) < level {
            break next;
        }
        inside = next;
        step *= 1.6;
    };
    for _ in 0..10 {
        let middle = 0.5 * (inside + outside);
        if f(middle) < level { outside = middle } else { inside = middle }
    }
    Some(0.5 * (inside + outside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_is_found_also_beside_where_there_is_nothing() {
        let (at, value) = largest(-3.0, 5.0, 40, |x| 2.0 - (x - 1.25) * (x - 1.25));
        assert!((at - 1.25).abs() < 1e-6 && (value - 2.0).abs() < 1e-9);
        let (at, _) = largest(-3.0, 5.0, 40, |x| if x < 4.0 { f64::NEG_INFINITY } else { -x });
        assert!((at - 4.0).abs() < 1e-6, "{at}");
    }

    #[test]
    fn a_level_is_found_in_either_direction() {
        let parabola = |x: f64| -x * x;
        assert!((falls_below(0.0, 0.1, 10.0, -4.0, parabola).unwrap() - 2.0).abs() < 1e-3);
        assert!((falls_below(0.0, -0.1, 10.0, -4.0, parabola).unwrap() + 2.0).abs() < 1e-3);
        assert_eq!(falls_below(0.0, 0.1, 10.0, -1e9, parabola), None);
    }
}
