//! The utilizations at which a family is drawn: ranges of exact decimals, together in ascending order and each once.

use super::decimal::{Decimal, text};
use prazo_core::ratio::Ratio;
use serde::de::{Deserialize, Deserializer, Error};
use std::collections::BTreeSet;

/// More points than this are a slip of the pen.
pub const POINTS_MAX: usize = 10_000;

/// `{ from, to, step }`, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Range {
    from: Decimal,
    to: Decimal,
    step: Decimal,
}

#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Written {
    One(Range),
    Several(Vec<Range>),
}

impl Range {
    fn points(&self) -> Result<BTreeSet<Ratio>, String> {
        let (from, to, step) = (self.from.0, self.to.0, self.step.0);
        let shown = format!("the range from {} to {} in steps of {}", text(from), text(to), text(step));
        if from.is_zero() || step.is_zero() || to < from {
            return Err(format!("{shown} contains no point; write 0 < from <= to and a step above 0"));
        }
        let mut points = BTreeSet::new();
        let mut next = Some(from);
        while let Some(point) = next.filter(|point| *point <= to) {
            points.insert(point);
            if points.len() > POINTS_MAX {
                return Err(format!("{shown} contains more than {POINTS_MAX} points; use a larger step"));
            }
            next = point.checked_add(step);
        }
        Ok(points)
    }
}

/// Reads `points = { from = 2.0, to = 8.0, step = 0.1 }`, or a list of such ranges.
pub fn points<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Ratio>, D::Error> {
    let wrong = "write points as { from = 2.0, to = 8.0, step = 0.1 }, or as a list of such ranges";
    let ranges = match Written::deserialize(deserializer).map_err(|_| D::Error::custom(wrong))? {
        Written::One(range) => vec![range],
        Written::Several(ranges) => ranges,
    };
    let each: Result<Vec<BTreeSet<Ratio>>, String> = ranges.iter().map(Range::points).collect();
    let all: BTreeSet<Ratio> = each.map_err(D::Error::custom)?.into_iter().flatten().collect();
    if all.is_empty() { Err(D::Error::custom(wrong)) } else { Ok(all.into_iter().collect()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Line {
        #[serde(deserialize_with = "points")]
        points: Vec<Ratio>,
    }

    fn read(points: &str) -> Result<Vec<String>, String> {
        let line = toml::from_str::<Line>(&format!("points = {points}")).map_err(|error| error.message().to_owned())?;
        Ok(line.points.into_iter().map(text).collect())
    }

    #[test]
    fn sixty_one_steps_of_a_tenth_end_exactly_at_eight() {
        let points = read("{ from = 2.0, to = 8.0, step = 0.1 }").unwrap();
        assert_eq!((points.len(), points[53].as_str(), points[60].as_str()), (61, "7.3", "8"));
    }

    #[test]
    fn ranges_are_joined_without_repeating_a_point() {
        let ranges = "[{ from = 7.8, to = 8, step = 0.1 }, { from = 7.9, to = 8, step = 0.05 }]";
        assert_eq!(read(ranges).unwrap(), ["7.8", "7.9", "7.95", "8"]);
    }

    #[test]
    fn what_holds_no_point_is_refused() {
        assert!(
            read("{ from = 3, to = 2, step = 0.1 }").unwrap_err().contains("from 3 to 2 in steps of 0.1 contains no")
        );
        assert!(read("{ from = 1, to = 2, step = 0 }").unwrap_err().contains("contains no point"));
        assert!(read("{ from = 1, to = 2, step = 0.000001 }").unwrap_err().contains("more than 10000 points"));
        assert!(read("[]").unwrap_err().contains("write points as"));
        assert!(read("{ from = 1, to = 2 }").unwrap_err().contains("write points as"));
    }
}
