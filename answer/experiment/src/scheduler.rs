//! How an experiment's TOML writes a scheduler: a policy and the shape of its ready queues.

use prazo_analysis::question::{JobRanking, Priorities, Shape};
use prazo_core::text::counted;
use serde::Deserialize;

/// One `[[scheduler]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scheduler {
    /// Its name in curves.
    pub id: toml::Spanned<String>,
    /// What it is, in one sentence.
    #[serde(default)]
    pub text: String,
    /// Who ranks jobs.
    #[serde(default)]
    pub policy: Ranking,
    /// Which processors share a ready queue.
    pub shape: Queues,
    /// The size of each cluster; for `shape = "clustered"` alone.
    #[serde(default)]
    pub clusters: Vec<u32>,
}

/// Who ranks jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ranking {
    /// Earliest deadline first.
    #[default]
    Edf,
    /// Fixed priorities, shorter period first.
    RateMonotonic,
    /// Fixed priorities, shorter deadline first.
    DeadlineMonotonic,
    /// Fixed priorities by Audsley's search.
    Audsley,
}

/// Which processors share a ready queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Queues {
    /// One queue for all.
    Global,
    /// One queue for each processor.
    Partitioned,
    /// One queue for each cluster.
    Clustered,
}

impl Scheduler {
    /// The size of each cluster on so many processors; none for one queue.
    pub fn sizes(&self, processors: u32) -> Vec<u32> {
        match self.shape {
            Queues::Global => vec![],
            Queues::Partitioned => vec![1; processors as usize],
            Queues::Clustered => self.clusters.clone(),
        }
    }

    /// The policy as the analysis takes it.
    pub fn policy(&self) -> JobRanking<'static> {
        match self.policy {
            Ranking::Edf => JobRanking::Edf,
            Ranking::RateMonotonic => JobRanking::FixedPriority(Priorities::RateMonotonic),
            Ranking::DeadlineMonotonic => JobRanking::FixedPriority(Priorities::DeadlineMonotonic),
            Ranking::Audsley => JobRanking::FixedPriority(Priorities::Audsley),
        }
    }

    /// What contradicts so many processors, and what to write instead.
    pub fn contradiction(&self, processors: u32) -> Option<(String, &'static str)> {
        let total = self.clusters.iter().try_fold(0u32, |sum, size| sum.checked_add(*size));
        match self.shape {
            Queues::Clustered if self.clusters.contains(&0) => {
                Some(("a cluster has no processor".into(), "give each cluster at least one processor"))
            }
            Queues::Clustered if total != Some(processors) => Some((
                format!(
                    "the sizes of the clusters {:?} do not add up to the experiment's {}",
                    self.clusters,
                    counted(processors.into(), "processor")
                ),
                "give sizes that add up to the number of processors, such as clusters = [2, 2, 2, 2] for 8 processors",
            )),
            Queues::Global | Queues::Partitioned if !self.clusters.is_empty() => {
                let remedy = "write shape = \"clustered\", or remove clusters";
                Some(("clusters are given, but the shape is not clustered".into(), remedy))
            }
            _ => None,
        }
    }
}

/// The shape that the analysis is asked about; `sizes` are those of [`Scheduler::sizes`].
pub fn shape(sizes: &[u32], processors: u32) -> Shape<'_> {
    if sizes.is_empty() { Shape::Global { processors } } else { Shape::Clusters(sizes) }
}
