//! Who shares a ready queue: from words, or from this machine's caches.

use crate::exit::Failure;
use prazo_core::cpu::{CPUS_MAX, CpuSet};
use prazo_platform::root::Root;
use prazo_platform::topology::{Place, Topology};

/// A shape with what must be said of it. Invariant: every queue has at least one processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Processors of each ready queue; `None` for one queue of all.
    pub clusters: Option<Vec<u32>>,
    /// What a reader should know.
    pub remarks: Vec<String>,
}

impl Shape {
    /// Reads `global`, `partitioned`, `2,2`, `4x2`, `cache`, `cache=LEVEL`, `smt`.
    pub fn read(text: &str, processors: Option<u32>) -> Result<Self, Failure> {
        let plain = |clusters| Ok(Self { clusters, remarks: Vec::new() });
        match text.split_once('=').unwrap_or((text, "")) {
            ("global", "") => plain(None),
            ("partitioned", "") => plain(Some(vec![1; processors.ok_or_else(how_many)? as usize])),
            ("smt", "") => from_machine(Sharing::Core),
            ("cache", "") => from_machine(Sharing::LastCache),
            ("cache", level) => match level.trim_start_matches(['L', 'l']).parse() {
                Ok(level) => from_machine(Sharing::Cache(level)),
                Err(_) => Err(Failure::usage(format!("--clusters cache={level}: name a level, as in cache=2"))),
            },
            _ => plain(Some(sizes(text)?)),
        }
    }
}

fn how_many() -> Failure {
    Failure::usage("--clusters partitioned: how many processors? Add -m COUNT")
}

/// `2,2` or `4x2`: sizes of clusters.
fn sizes(text: &str) -> Result<Vec<u32>, Failure> {
    const MOST: u32 = CPUS_MAX as u32;
    let wrong = || {
        Failure::usage(format!(
            "--clusters {text}: write global, partitioned, sizes such as 2,2 or 4x2 (four of two, {CPUS_MAX} processors at most), cache, cache=2 or smt"
        ))
    };
    let number =
        |word: &str| word.trim().parse::<u32>().ok().filter(|size| (1..=MOST).contains(size)).ok_or_else(wrong);
    let sizes = match text.split_once('x') {
        Some((count, size)) => vec![number(size)?; number(count)? as usize],
        None => text.split(',').map(number).collect::<Result<_, _>>()?,
    };
    if sizes.iter().sum::<u32>() > MOST { Err(wrong()) } else { Ok(sizes) }
}

enum Sharing {
    Core,
    LastCache,
    Cache(i64),
}

fn from_machine(sharing: Sharing) -> Result<Shape, Failure> {
    let unread = |why| Failure::world(format!("this machine's topology cannot be read: {why}; name sizes such as 2,2"));
    let topology = Topology::read(&Root::system()).map_err(unread)?;
    let mut clusters: Vec<CpuSet> = Vec::new();
    for place in &topology.places {
        let shared = shared(place, &sharing)?;
        if !clusters.contains(&shared) {
            clusters.push(shared);
        }
    }
    Ok(Shape {
        clusters: Some(clusters.iter().map(|set| set.count() as u32).collect()),
        remarks: remarks(&topology, &clusters),
    })
}

/// The processors that share with `place` what is asked for.
fn shared(place: &Place, sharing: &Sharing) -> Result<CpuSet, Failure> {
    let data = || place.caches.iter().filter(|cache| cache.kind != "Instruction");
    let cache = match sharing {
        Sharing::Core => return Ok(place.siblings),
        Sharing::LastCache => data().max_by_key(|cache| cache.level),
        Sharing::Cache(level) => data().find(|cache| cache.level == *level),
    };
    cache.map(|cache| cache.shared).ok_or_else(|| {
        Failure::world(format!("processor {} tells of no such cache; name sizes such as 2,2", place.cpu))
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
            "Caveat smt-siblings: some processors are hardware threads of one core and slow each other down, so costs must have been measured with the sibling busy."
                .to_owned(),
        );
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clusters(text: &str) -> Option<Vec<u32>> {
        Shape::read(text, Some(3)).unwrap().clusters
    }

    #[test]
    fn shapes_are_read_from_words() {
        assert_eq!(clusters("global"), None);
        assert_eq!(clusters("partitioned"), Some(vec![1, 1, 1]));
        assert_eq!(clusters("2,1, 4"), Some(vec![2, 1, 4]));
        assert_eq!(clusters("4x2"), Some(vec![2, 2, 2, 2]));
    }

    #[test]
    fn what_is_no_shape_is_refused() {
        for text in ["", "0,2", "two", "x2", "cache=big", "2,,2", "9999", "1024x2"] {
            assert!(matches!(Shape::read(text, Some(2)), Err(Failure::Usage(_))), "{text}");
        }
        assert!(matches!(Shape::read("partitioned", None), Err(Failure::Usage(_))));
    }
}
