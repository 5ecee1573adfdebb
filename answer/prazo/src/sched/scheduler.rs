//! Who shares processors and who ranks jobs, in one word: `global-edf`, `clustered-rm:2,2`.

use super::shape::{NoShapeChoice, ShapeChoice};
use prazo_scenario::Criterion;
use std::str::FromStr;

/// A shape and a criterion; `None` leaves either to the scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchedulerChoice {
    /// Who shares a ready queue.
    pub shape: Option<ShapeChoice>,
    /// Who ranks jobs.
    pub criterion: Option<Criterion>,
}

/// A word that names no scheduler.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoScheduler {
    /// Clusters without their sizes.
    #[error("name the sizes, as in clustered-edf:2,2")]
    NoSizes,
    /// Sizes of what is no cluster.
    #[error("only clustered schedulers have sizes, as in clustered-edf:2,2")]
    SizesOfNoCluster,
    /// What stands for the shape is none.
    #[error(transparent)]
    Shape(#[from] NoShapeChoice),
}

/// `global-edf`, `partitioned-rm`, `clustered-edf:2,2`, `clustered:2,2`, `rm` (partitioned), and every [`ShapeChoice`].
impl FromStr for SchedulerChoice {
    type Err = NoScheduler;

    fn from_str(text: &str) -> Result<Self, NoScheduler> {
        let (head, sizes) = text.split_once(':').map_or((text, None), |(head, sizes)| (head, Some(sizes)));
        let (shape, criterion) = match head.rsplit_once('-') {
            Some((shape, word)) => match criterion(word) {
                Some(criterion) => (shape, Some(criterion)),
                None => (head, None),
            },
            None => criterion(head).map_or((head, None), |criterion| ("partitioned", Some(criterion))),
        };
        let shape = match (shape, sizes) {
            ("clustered", Some(sizes)) => sizes,
            ("clustered", None) => return Err(NoScheduler::NoSizes),
            (_, Some(_)) => return Err(NoScheduler::SizesOfNoCluster),
            (shape, None) => shape,
        };
        Ok(Self { shape: Some(shape.parse()?), criterion })
    }
}

/// A criterion that Linux has.
fn criterion(word: &str) -> Option<Criterion> {
    word.parse().ok().filter(|criterion: &Criterion| criterion.is_analysed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_says_who_shares_and_who_ranks() {
        let read = |text: &str| {
            let choice: SchedulerChoice = text.parse().unwrap();
            (choice.shape.unwrap().to_string(), choice.criterion.map(Criterion::name))
        };
        assert_eq!(read("global-edf"), ("global".into(), Some("edf")));
        assert_eq!(read("partitioned-rm"), ("partitioned".into(), Some("rm")));
        assert_eq!(read("clustered-edf:2,2"), ("2,2".into(), Some("edf")));
        assert_eq!(read("clustered:4x2"), ("2,2,2,2".into(), None));
        assert_eq!(read("rm"), ("partitioned".into(), Some("rm")));
        assert_eq!(read("2,2"), ("2,2".into(), None));
    }

    #[test]
    fn clusters_without_sizes_and_sizes_without_clusters_are_refused() {
        for text in ["clustered-edf", "clustered", "global-edf:2,2", "global-fcfs"] {
            assert!(text.parse::<SchedulerChoice>().is_err(), "{text}");
        }
    }
}
