//! The axis of time: about ten round steps, each said with as many decimals as the step has in the unit of the whole.

use super::super::labels;
use std::fmt::Write;

/// A length has at most so many steps.
const STEPS_MAX: u64 = 11;
/// The size of the font of the labels.
const FONT: f64 = 12.0;

/// Units with their length in nanoseconds, the largest first.
const UNITS: [(&str, u64); 4] = [("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1_000), ("ns", 1)];

/// Grid lines from `top` to `bottom` with their labels, of the instants from `start_ns` to `end_ns`, each at its `x`.
pub(in crate::svg) fn axis([start_ns, end_ns]: [u64; 2], [top, bottom]: [f64; 2], x: impl Fn(u64) -> f64) -> String {
    let mut text = String::new();
    for (x, label) in labelled([start_ns, end_ns], x) {
        let _ = write!(
            text,
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top}\" y2=\"{bottom}\"/>\
             <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\" font-size=\"{FONT}\">{label}</text>",
            bottom + 18.0
        );
    }
    text
}

/// The ticks with their labels: about ten, fewer where labels would touch.
fn labelled([start_ns, end_ns]: [u64; 2], x: impl Fn(u64) -> f64) -> Vec<(f64, String)> {
    let of = |most: u64| -> Vec<(f64, String)> {
        let step_ns = step_ns(end_ns - start_ns, most);
        ticks(start_ns, end_ns, step_ns).map(|at_ns| (x(at_ns), label(at_ns, end_ns, step_ns))).collect()
    };
    let fitting = (1..=STEPS_MAX).rev().map(of).find(|ticks| labels::have_room(ticks, FONT));
    fitting.unwrap_or_else(|| labels::thinned(of(1), FONT))
}

/// 1, 2 or 5 times a power of ten, so that a length has at most so many of them.
fn step_ns(length_ns: u64, most: u64) -> u64 {
    let rough = length_ns.max(1).div_ceil(most);
    let power = 10u64.pow(rough.ilog10());
    [1, 2, 5, 10].into_iter().map(|digit| digit * power).find(|step| *step >= rough).unwrap_or(rough)
}

fn ticks(start_ns: u64, end_ns: u64, step_ns: u64) -> impl Iterator<Item = u64> {
    let first = start_ns.div_ceil(step_ns);
    (first..).map(move |count| count * step_ns).take_while(move |at_ns| *at_ns <= end_ns)
}

/// `12.5 ms`: in the largest unit that the end has one of, exact.
fn label(at_ns: u64, end_ns: u64, step_ns: u64) -> String {
    if at_ns == 0 {
        return "0".to_owned();
    }
    let (name, unit_ns) = UNITS.into_iter().find(|(_, unit_ns)| end_ns >= *unit_ns).unwrap_or(("ns", 1));
    let decimals =
        (0..).take_while(|count| 10u64.pow(*count) < unit_ns && !step_ns.is_multiple_of(unit_ns / 10u64.pow(*count)));
    let decimals = decimals.count();
    if decimals == 0 {
        return format!("{} {name}", at_ns / unit_ns);
    }
    let fraction = at_ns % unit_ns / (unit_ns / 10u64.pow(decimals as u32));
    format!("{}.{fraction:0decimals$} {name}", at_ns / unit_ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn no_label_touches_another_wherever_the_chart_begins(start_ns in 0u64..1 << 40, span in 0f64..12.0, width in 100f64..900.0) {
            let length_ns = 10f64.powf(span) as u64;
            let x = |at_ns: u64| (at_ns - start_ns) as f64 / length_ns as f64 * width;
            let labels = labelled([start_ns, start_ns + length_ns], x);
            prop_assert!(labels::have_room(&labels, FONT), "{labels:?}");
            prop_assert!(labels.windows(2).all(|pair| pair[0].1 != pair[1].1), "{labels:?}");
        }
    }

    #[test]
    fn neighbouring_labels_differ_however_far_from_zero() {
        let labels = |start_ns, end_ns| -> Vec<String> {
            let step_ns = step_ns(end_ns - start_ns, STEPS_MAX);
            ticks(start_ns, end_ns, step_ns).map(|at_ns| label(at_ns, end_ns, step_ns)).collect()
        };
        assert_eq!(labels(5_000_000_000, 5_000_004_000)[..3], ["5.0000000 s", "5.0000005 s", "5.0000010 s"]);
        assert_eq!(labels(0, 22_000_000)[..3], ["0", "2 ms", "4 ms"]);
        assert_eq!(labels(0, 3), ["0", "1 ns", "2 ns", "3 ns"]);
        assert_eq!(labels(0, 0), ["0"]);
        assert_eq!(labels(0, 1 << 61).len(), 5);
    }
}
