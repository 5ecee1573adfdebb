//! Which processors share a ready queue, by the word that flags and files use.

use prazo_core::cpu::CPUS_MAX;
use std::fmt;
use std::str::FromStr;

/// Which processors share a ready queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One queue for all.
    Global,
    /// One queue for each processor.
    Partitioned,
    /// One queue for each cluster, of so many processors each. Invariant: none is empty.
    Clusters(Vec<u32>),
}

impl Shape {
    /// The processors of each queue, of so many in all; `None` for one queue of all.
    pub fn clusters(&self, processors: u32) -> Option<Vec<u32>> {
        match self {
            Self::Global => None,
            Self::Partitioned => Some(vec![1; processors as usize]),
            Self::Clusters(sizes) => Some(sizes.clone()),
        }
    }
}

/// `global`, `partitioned`, `2,2`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global => f.pad("global"),
            Self::Partitioned => f.pad("partitioned"),
            Self::Clusters(sizes) => f.pad(&sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(",")),
        }
    }
}

/// A word that is no shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "write global, partitioned, or sizes such as 2,2 or 4x2 (four clusters of two), with at most {CPUS_MAX} processors in all"
)]
pub struct NoShape;

/// `global`, `partitioned`, `2,2`, or `4x2` for four clusters of two.
impl FromStr for Shape {
    type Err = NoShape;

    fn from_str(text: &str) -> Result<Self, NoShape> {
        match text {
            "global" => Ok(Self::Global),
            "partitioned" => Ok(Self::Partitioned),
            _ => sizes(text).map(Self::Clusters),
        }
    }
}

fn sizes(text: &str) -> Result<Vec<u32>, NoShape> {
    const MOST: u32 = CPUS_MAX as u32;
    let number = |word: &str| word.trim().parse::<u32>().ok().filter(|size| (1..=MOST).contains(size)).ok_or(NoShape);
    let sizes = match text.split_once('x') {
        Some((count, size)) => vec![number(size)?; number(count)? as usize],
        None => text.split(',').map(number).collect::<Result<_, _>>()?,
    };
    if sizes.iter().sum::<u32>() > MOST { Err(NoShape) } else { Ok(sizes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clusters(text: &str) -> Option<Vec<u32>> {
        text.parse::<Shape>().unwrap().clusters(3)
    }

    #[test]
    fn shapes_are_read_from_words() {
        assert_eq!(clusters("global"), None);
        assert_eq!(clusters("partitioned"), Some(vec![1, 1, 1]));
        assert_eq!(clusters("2,1, 4"), Some(vec![2, 1, 4]));
        assert_eq!(clusters("4x2"), Some(vec![2, 2, 2, 2]));
    }

    #[test]
    fn a_shape_is_read_back_from_what_it_displays() {
        for shape in [Shape::Global, Shape::Partitioned, Shape::Clusters(vec![1, 3])] {
            assert_eq!(shape.to_string().parse(), Ok(shape));
        }
    }

    #[test]
    fn what_is_no_shape_is_refused() {
        for text in ["", "0,2", "two", "x2", "2,,2", "9999", "1024x2"] {
            assert_eq!(text.parse::<Shape>(), Err(NoShape), "{text}");
        }
    }
}
