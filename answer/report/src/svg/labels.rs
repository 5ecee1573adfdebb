//! Labels along a horizontal axis: which ones have room beside each other.
//!
//! Only a browser knows how wide a text is, so a width here is that of wide letters. The page's script follows the same rule at
//! whatever width and zoom there is.

/// The width of a wide digit, as a part of the font's size.
const LETTER: f64 = 0.64;
/// The least gap between two labels, as a part of the font's size.
const GAP: f64 = 0.6;

/// About the width of a text in a font of this size.
fn width(text: &str, font: f64) -> f64 {
    LETTER * font * text.chars().count() as f64
}

/// True where two labels, each in the middle of its place, leave a gap.
fn are_apart((left, first): (f64, &str), (right, second): (f64, &str), font: f64) -> bool {
    right - left >= f64::midpoint(width(first, font), width(second, font)) + GAP * font
}

/// True where every label, in the middle of its place, leaves a gap to the next one; places ascend.
pub(super) fn have_room(labels: &[(f64, String)], font: f64) -> bool {
    labels.windows(2).all(|pair| are_apart((pair[0].0, &pair[0].1), (pair[1].0, &pair[1].1), font))
}

/// The labels that have room, from the left; the others are left out.
pub(super) fn thinned(labels: Vec<(f64, String)>, font: f64) -> Vec<(f64, String)> {
    let mut kept: Vec<(f64, String)> = Vec::new();
    for (x, label) in labels {
        if kept.last().is_none_or(|last| are_apart((last.0, &last.1), (x, &label), font)) {
            kept.push((x, label));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_would_touch_are_left_out() {
        let at = |places: &[f64]| places.iter().map(|x| (*x, "100 µs".to_owned())).collect::<Vec<_>>();
        let apart = 6.0 * LETTER * 10.0 + GAP * 10.0 + 0.1;
        assert!(have_room(&at(&[0.0, apart]), 10.0) && !have_room(&at(&[0.0, apart - 1.0]), 10.0));
        let kept = thinned(at(&[0.0, apart / 2.0, apart, 1.5 * apart]), 10.0);
        assert_eq!(kept.iter().map(|(x, _)| *x).collect::<Vec<_>>(), [0.0, apart]);
    }
}
