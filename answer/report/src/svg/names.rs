//! Names beside marks: each where it covers no mark and no other name.

use super::frame::{cut, escaped};

/// About the width of a letter as a part of the font's size, and the height of a line.
const LETTER: (f64, f64) = (0.56, 1.16);
/// From a mark to its name.
const GAP: f64 = 4.0;

/// A part of a picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Part {
    /// The square around a place.
    pub(super) fn around((x, y): (f64, f64), reach: f64) -> Self {
        Self { left: x - reach, right: x + reach, top: y - reach, bottom: y + reach }
    }

    /// Where a name may stand: to the right, to the left, above, below.
    fn beside(&self, (width, height): (f64, f64)) -> [Self; 4] {
        let at = |left: f64, top: f64| Self { left, right: left + width, top, bottom: top + height };
        let (x, y) = (f64::midpoint(self.left, self.right), f64::midpoint(self.top, self.bottom));
        [
            at(self.right + GAP, y - height / 2.0),
            at(self.left - GAP - width, y - height / 2.0),
            at(x - width / 2.0, self.top - 2.0 * GAP - height),
            at(x - width / 2.0, self.bottom + 2.0 * GAP),
        ]
    }

    fn meets(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    fn is_inside(&self, all: &Self) -> bool {
        self.left >= all.left && self.right <= all.right && self.top >= all.top && self.bottom <= all.bottom
    }
}

/// What is still free of a picture.
pub(super) struct Room {
    /// Names stand inside this.
    pub(super) bounds: Part,
    /// What is taken: marks, and the names so far.
    pub(super) taken: Vec<Part>,
    /// The size of the font.
    pub(super) font: f64,
}

impl Room {
    /// A name beside the first of its marks that has room for it; `None` where none has.
    pub(super) fn name(&mut self, name: &str, marks: impl IntoIterator<Item = Part>) -> Option<String> {
        let name = cut(name);
        let size = (LETTER.0 * self.font * name.chars().count() as f64, LETTER.1 * self.font);
        let is_free =
            |place: &Part| place.is_inside(&self.bounds) && !self.taken.iter().any(|other| place.meets(other));
        let found = marks.into_iter().flat_map(|mark| mark.beside(size)).find(is_free)?;
        self.taken.push(found);
        let (x, y, font, name) = (found.left, found.bottom - 0.3 * self.font, self.font, escaped(&name));
        Some(format!("<text class=\"on-lines\" x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{font}\">{name}</text>"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_name_covers_a_mark_or_another_name(at in prop::collection::vec((70.0f64..470.0, 40.0f64..240.0), 1..24)) {
            let marks: Vec<Part> = at.iter().map(|place| Part::around(*place, 4.5)).collect();
            let bounds = Part { left: 64.0, right: 480.0, top: 30.0, bottom: 240.0 };
            let mut room = Room { bounds, taken: marks.clone(), font: 11.0 };
            let named = marks.iter().filter_map(|mark| room.name("kernel-6.1.fifo", [*mark])).count();
            prop_assert_eq!(room.taken.len(), marks.len() + named);
            for (at, name) in room.taken.iter().enumerate().skip(marks.len()) {
                prop_assert!(name.is_inside(&bounds) && !room.taken[..at].iter().any(|other| name.meets(other)), "{:?}", name);
            }
        }
    }

    #[test]
    fn a_name_stands_right_of_its_mark_where_there_is_room() {
        let bounds = Part { left: 0.0, right: 400.0, top: 0.0, bottom: 100.0 };
        let mut room = Room { bounds, taken: Vec::new(), font: 13.0 };
        let name = room.name("a<b", [Part::around((100.0, 50.0), 4.5)]).unwrap();
        assert!(name.contains("x=\"108.5\"") && name.contains("a&lt;b"), "{name}");
        assert_eq!(room.name(&"x".repeat(60), [Part::around((100.0, 50.0), 4.5)]), None, "wider than what is free");
    }
}
