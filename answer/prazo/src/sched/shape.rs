//! Who shares a ready queue: a shape, or what this machine's processors share.

use crate::error::Error;
use prazo_core::cpu::{CPUS_MAX, CpuSet};
use prazo_platform::root::Root;
use prazo_platform::topology::{ProcessorTopology, Topology};
use prazo_scenario::Shape;
use std::fmt;
use std::str::FromStr;

/// Who shares a ready queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShapeChoice {
    /// As stated.
    Stated(Shape),
    /// Those processors of this machine that share a core or a cache.
    Machine(Sharing),
}

/// What processors share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// The execution units of a core.
    Core,
    /// The last level of cache.
    LastCache,
    /// The cache of this level.
    Cache(i64),
}

/// A word that is no shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "write a scheduler such as global-edf, a shape (global, partitioned, cache, cache=2 or smt), or cluster sizes such as 2,2 or 4x2 (four clusters of two processors); at most {CPUS_MAX} processors in all"
)]
pub struct NoShapeChoice;

/// `global`, `partitioned`, `2,2`, `4x2`, `cache`, `cache=LEVEL`, `smt`.
impl FromStr for ShapeChoice {
    type Err = NoShapeChoice;

    fn from_str(text: &str) -> Result<Self, NoShapeChoice> {
        match text.split_once('=').unwrap_or((text, "")) {
            ("smt", "") => Ok(Self::Machine(Sharing::Core)),
            ("cache", "") => Ok(Self::Machine(Sharing::LastCache)),
            ("cache", level) => {
                let level = level.trim_start_matches(['L', 'l']).parse().map_err(|_| NoShapeChoice)?;
                Ok(Self::Machine(Sharing::Cache(level)))
            }
            _ => text.parse().map(Self::Stated).map_err(|_| NoShapeChoice),
        }
    }
}

impl fmt::Display for ShapeChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stated(shape) => shape.fmt(f),
            Self::Machine(Sharing::Core) => f.pad("smt"),
            Self::Machine(Sharing::LastCache) => f.pad("cache"),
            Self::Machine(Sharing::Cache(level)) => write!(f, "cache={level}"),
        }
    }
}

/// The clusters of a choice, with what must be said of them. Invariant: every queue has at least one processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clusters {
    /// Processors of each ready queue; `None` for one queue of all.
    pub(crate) sizes: Option<Vec<u32>>,
    /// Notes for the reader.
    pub(crate) remarks: Vec<String>,
}

impl Clusters {
    /// Clusters of which nothing needs to be said.
    pub(crate) fn plain(sizes: Option<Vec<u32>>) -> Self {
        Self { sizes, remarks: Vec::new() }
    }
}

impl ShapeChoice {
    /// The clusters, of so many processors where the choice leaves that open.
    pub(crate) fn clusters(&self, processors: u32) -> Result<Clusters, Error> {
        match self {
            Self::Stated(shape) => Ok(Clusters::plain(shape.clusters(processors))),
            Self::Machine(sharing) => from_machine(*sharing),
        }
    }
}

fn from_machine(sharing: Sharing) -> Result<Clusters, Error> {
    let unread = |why| {
        Error::failed(why)
            .attempting("this machine's topology cannot be read")
            .with_remedy("name cluster sizes, such as 2,2")
    };
    let topology = Topology::read(&Root::system()).map_err(unread)?;
    let mut clusters: Vec<CpuSet> = Vec::new();
    for place in &topology.places {
        let shared = shared(place, sharing)?;
        if !clusters.contains(&shared) {
            clusters.push(shared);
        }
    }
    Ok(Clusters {
        sizes: Some(clusters.iter().map(|set| set.count() as u32).collect()),
        remarks: remarks(&topology, &clusters),
    })
}

/// The processors that share with `place` what is asked for.
fn shared(place: &ProcessorTopology, sharing: Sharing) -> Result<CpuSet, Error> {
    let data = || place.caches.iter().filter(|cache| cache.kind != "Instruction");
    let cache = match sharing {
        Sharing::Core => return Ok(place.siblings),
        Sharing::LastCache => data().max_by_key(|cache| cache.level),
        Sharing::Cache(level) => data().find(|cache| cache.level == level),
    };
    cache.map(|cache| cache.shared).ok_or_else(|| {
        let problem = format!("this machine does not report the requested cache for processor {}", place.cpu);
        Error::failed(problem).with_remedy("name cluster sizes, such as 2,2")
    })
}

/// Siblings of one core share its execution units, so a bound proven for two whole processors says too much.
fn remarks(topology: &Topology, clusters: &[CpuSet]) -> Vec<String> {
    let sets: Vec<String> = clusters.iter().map(CpuSet::to_string).collect();
    let mut remarks = vec![format!("Clusters read from this machine's topology: {}.", sets.join(" | "))];
    let has_siblings =
        |set: &CpuSet| topology.places.iter().any(|place| set.contains(place.cpu) && place.siblings.count() > 1);
    if clusters.iter().any(has_siblings) {
        remarks.push(
            "Caveat smt-siblings: some processors are hardware threads of one core and slow each other down, so measure costs with the sibling busy."
                .to_owned(),
        );
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_machine_shares_is_read_from_words_and_back() {
        for (text, sharing) in [("smt", Sharing::Core), ("cache", Sharing::LastCache), ("cache=2", Sharing::Cache(2))] {
            let choice: ShapeChoice = text.parse().unwrap();
            assert_eq!((choice.clone(), choice.to_string()), (ShapeChoice::Machine(sharing), text.to_owned()));
        }
        assert_eq!("cache=L3".parse(), Ok(ShapeChoice::Machine(Sharing::Cache(3))));
        assert_eq!("2,2".parse(), Ok(ShapeChoice::Stated(Shape::Clusters(vec![2, 2]))));
    }

    #[test]
    fn what_is_no_shape_is_refused() {
        for text in ["", "0,2", "two", "x2", "cache=big", "2,,2", "9999", "1024x2", "smt=1"] {
            assert_eq!(text.parse::<ShapeChoice>(), Err(NoShapeChoice), "{text}");
        }
    }
}
