//! A kernel's policy and shape, read from the one line that states them.
//!
//! ```text
//! configuration!(EarliestDeadlineFirst on 4 processors, queues 0..2, 2..4);
//! ```

use prazo_sim::Policy;
use std::path::Path;

/// Policy and shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Configuration {
    /// The criterion, by the name of its type.
    pub criterion: String,
    /// How many processors each queue serves.
    pub clusters: Vec<u32>,
}

impl Configuration {
    /// That of one of the kernel's features.
    pub(super) fn of_shape(kernel: &Path, shape: &str) -> Result<Self, String> {
        let file = kernel.join("src/configuration").join(shape.replace('-', "_")).with_extension("rs");
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let line = text.split_once("configuration!(").and_then(|(_, rest)| rest.split_once(')'));
        let read = line.and_then(|(line, _)| Self::read(line));
        read.ok_or_else(|| format!("{}: no `configuration!(CRITERION on N processors, queues A..B)`", file.display()))
    }

    fn read(line: &str) -> Option<Self> {
        let (criterion, rest) = line.split_once(" on ")?;
        let (processors, queues) = rest.split_once(" processors, queues ")?;
        let clusters: Vec<u32> = queues.split(',').map(size).collect::<Option<_>>()?;
        (processors.parse() == Ok(clusters.iter().sum::<u32>()))
            .then(|| Self { criterion: criterion.trim().to_owned(), clusters })
    }

    /// How many processors there are.
    pub(super) fn processors(&self) -> u32 {
        self.clusters.iter().sum()
    }

    /// The simulator's name for the criterion.
    pub(super) fn policy(&self) -> Result<Policy, String> {
        match self.criterion.as_str() {
            "EarliestDeadlineFirst" => Ok(Policy::EarliestDeadlineFirst),
            "RateMonotonic" => Ok(Policy::RateMonotonic),
            "DeadlineMonotonic" => Ok(Policy::DeadlineMonotonic),
            "FirstComeFirstServed" => Ok(Policy::FirstComeFirstServed),
            other => Err(format!("this does not know how the simulator calls {other}")),
        }
    }
}

/// 2 of `0..2`.
fn size(range: &str) -> Option<u32> {
    let (first, end) = range.trim().split_once("..")?;
    end.trim().parse::<u32>().ok()?.checked_sub(first.trim().parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_read_with_unequal_queues() {
        let found = Configuration::read("RateMonotonic on 4 processors, queues 0..1, 1..4").unwrap();
        assert_eq!(found, Configuration { criterion: "RateMonotonic".into(), clusters: vec![1, 3] });
        assert_eq!((found.processors(), found.policy()), (4, Ok(Policy::RateMonotonic)));
    }

    #[test]
    fn queues_that_do_not_add_up_are_not_read() {
        assert_eq!(Configuration::read("RateMonotonic on 4 processors, queues 0..1, 1..3"), None);
        assert_eq!(Configuration::read("RateMonotonic on 4 processors, queues 0..1, x..4"), None);
    }
}
