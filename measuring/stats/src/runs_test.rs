//! Wald and Wolfowitz's runs test: do the marked blocks lie among the others as chance would put them?
//!
//! The exact distribution of the number of runs, not its normal approximation, since marks are often few. (Wald and
//! Wolfowitz 1940.)

use statrs::function::gamma::ln_gamma;

/// Two-sided p-value of the number of runs; `None` where all marks are equal, since then every order is the same.
pub(crate) fn runs_test_p(marks: &[bool]) -> Option<f64> {
    let marked = marks.iter().filter(|mark| **mark).count() as u64;
    let unmarked = marks.len() as u64 - marked;
    if marked == 0 || unmarked == 0 {
        return None;
    }
    let runs = runs(marks);
    let below: f64 = (2..=runs).map(|r| probability(r, marked, unmarked)).sum();
    let above = 1.0 - below + probability(runs, marked, unmarked);
    Some((2.0 * below.min(above)).clamp(0.0, 1.0))
}

/// How many stretches of equal marks there are.
fn runs(marks: &[bool]) -> u64 {
    marks.chunk_by(|a, b| a == b).count() as u64
}

/// The probability of `runs` runs, were every order equally likely.
fn probability(runs: u64, marked: u64, unmarked: u64) -> f64 {
    let half = runs / 2;
    let ways =
        |a: u64, b: u64| ln_choose(marked - 1, a) + ln_choose(unmarked - 1, b) - ln_choose(marked + unmarked, marked);
    if runs.is_multiple_of(2) {
        2.0 * ways(half - 1, half - 1).exp()
    } else {
        ways(half, half - 1).exp() + ways(half - 1, half).exp()
    }
}

/// ln of the binomial coefficient; minus infinity where there is no way.
fn ln_choose(n: u64, k: u64) -> f64 {
    if k > n {
        return f64::NEG_INFINITY;
    }
    let ln_factorial = |n: u64| ln_gamma(n as f64 + 1.0);
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(text: &str) -> Vec<bool> {
        text.chars().map(|c| c == 'x').collect()
    }

    /// The slow, obvious twin: every order of the marks, counted.
    fn by_enumeration(text: &[bool]) -> f64 {
        let (n, marked) = (text.len() as u32, text.iter().filter(|m| **m).count() as u32);
        let orders = (0u32..1 << n).filter(|bits| bits.count_ones() == marked);
        let all: Vec<u64> = orders.map(|bits| runs(&(0..n).map(|i| bits >> i & 1 == 1).collect::<Vec<_>>())).collect();
        let share = |keep: &dyn Fn(u64) -> bool| all.iter().filter(|r| keep(**r)).count() as f64 / all.len() as f64;
        let observed = runs(text);
        (2.0 * share(&|r| r <= observed).min(share(&|r| r >= observed))).min(1.0)
    }

    #[test]
    fn p_values_agree_with_enumeration() {
        for text in ["xx........", "x.x.x.x.x.", "xxxxx.....", ".x..xx...x..", "x.", "xxx.xxxxxxx."] {
            let found = runs_test_p(&marks(text)).unwrap();
            let wanted = by_enumeration(&marks(text));
            assert!((found - wanted).abs() < 1e-9, "{text}: {found} is not {wanted}");
        }
    }

    #[test]
    fn equal_marks_have_no_order_to_test() {
        assert_eq!(runs_test_p(&marks("......")), None);
        assert_eq!(runs_test_p(&marks("xxx")), None);
        assert_eq!(runs_test_p(&[]), None);
    }

    #[test]
    fn clusters_are_rejected_and_scattered_marks_are_not() {
        let clustered: Vec<bool> = (0..1_000).map(|i| i < 20).collect();
        assert!(runs_test_p(&clustered).unwrap() < 1e-6);
        let mut random = fastrand::Rng::with_seed(3);
        let scattered: Vec<bool> = (0..1_000).map(|_| random.u8(..) < 20).collect();
        assert!(runs_test_p(&scattered).unwrap() > 0.05);
    }
}
