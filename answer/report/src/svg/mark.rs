//! The mark of a point: a circle, and where colours repeat a diamond, a square, a triangle.

use super::frame::{COLOURS, KEY_WIDTH, escaped};

/// Half the width of a circle.
pub(super) const MARK: f64 = 4.5;

/// The mark of the one at place `at` in the order of colours, which its class names; with the words that show when it is pointed at.
pub(super) fn mark(at: usize, class: &str, (x, y): (f64, f64), said: &str) -> String {
    let title = if said.is_empty() { String::new() } else { format!("<title>{}</title>", escaped(said)) };
    match outline(at / COLOURS) {
        None => {
            format!("<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{MARK}\">{title}</circle>")
        }
        Some(corners) => {
            let place = |(dx, dy): &(f64, f64)| format!("{:.1} {:.1}", x + dx * MARK, y + dy * MARK);
            let path = corners.iter().map(place).collect::<Vec<_>>().join("L");
            format!("<path class=\"{class}\" d=\"M{path}Z\">{title}</path>")
        }
    }
}

/// A legend's key: the point's own mark.
pub fn mark_key(at: usize, (x, y): (f64, f64)) -> String {
    mark(at, &format!("key-mark filled c{}", at % COLOURS), (x + KEY_WIDTH / 2.0, y), "")
}

/// Corners of a form of about the circle's area, in half widths of it; `None` is the circle.
fn outline(round: usize) -> Option<&'static [(f64, f64)]> {
    match round {
        0 => None,
        1 => Some(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]),
        2 => Some(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        _ => Some(&[(0.0, -1.3), (1.2, 0.9), (-1.2, 0.9)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_colour_comes_again_the_form_is_another() {
        let [first, second, third] =
            [1, 1 + COLOURS, 1 + 2 * COLOURS].map(|at| mark(at, "filled", (10.0, 10.0), "a < b"));
        assert!(first.starts_with("<circle class=\"filled\"") && first.contains("a &lt; b"));
        assert!(second.starts_with("<path class=\"filled\"") && second != third);
    }
}
