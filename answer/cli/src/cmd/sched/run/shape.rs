//! `--shape` in one word: who shares processors, and who ranks jobs.

use crate::cmd::sched::simulate::flags::RankFlag;
use crate::exit::Failure;

/// A shape and a policy from a word; `None` leaves either to the scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scheduler {
    /// Who shares a ready queue, as `prazo sched simulate --shape` has it.
    pub shape: Option<String>,
    /// Who ranks jobs.
    pub rank: Option<RankFlag>,
}

/// Reads `global-edf`, `partitioned-rm`, `clustered-edf:2,2`, `clustered:2,2`, `rm`, and the shapes of the simulator.
pub fn read(text: &str) -> Result<Scheduler, Failure> {
    let (head, sizes) = text.split_once(':').map_or((text, None), |(head, sizes)| (head, Some(sizes)));
    let (shape, rank) = match head.rsplit_once('-') {
        Some((shape, word)) => match rank(word) {
            Some(rank) => (shape, Some(rank)),
            None => (head, None),
        },
        None => rank(head).map_or((head, None), |rank| ("partitioned", Some(rank))),
    };
    let shape = match (shape, sizes) {
        ("clustered", Some(sizes)) => sizes,
        ("clustered", None) => return Err(wrong(text, "name the sizes, as in clustered-edf:2,2")),
        (_, Some(_)) => return Err(wrong(text, "only clusters have sizes, as in clustered-edf:2,2")),
        (shape, None) => shape,
    };
    Ok(Scheduler { shape: Some(shape.to_owned()), rank })
}

fn rank(word: &str) -> Option<RankFlag> {
    match word {
        "edf" => Some(RankFlag::Edf),
        "rm" => Some(RankFlag::Rm),
        "dm" => Some(RankFlag::Dm),
        "fp" => Some(RankFlag::Fp),
        _ => None,
    }
}

fn wrong(text: &str, remedy: &str) -> Failure {
    Failure::usage(format!("--shape {text}: {remedy}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_says_who_shares_and_who_ranks() {
        let told = |text: &str| read(text).map(|one| (one.shape.unwrap_or_default(), one.rank)).unwrap();
        assert_eq!(told("global-edf"), ("global".into(), Some(RankFlag::Edf)));
        assert_eq!(told("partitioned-rm"), ("partitioned".into(), Some(RankFlag::Rm)));
        assert_eq!(told("clustered-edf:2,2"), ("2,2".into(), Some(RankFlag::Edf)));
        assert_eq!(told("clustered:4x2"), ("4x2".into(), None));
        assert_eq!(told("rm"), ("partitioned".into(), Some(RankFlag::Rm)));
        assert_eq!(told("2,2"), ("2,2".into(), None));
    }

    #[test]
    fn clusters_without_sizes_and_sizes_without_clusters_are_refused() {
        for text in ["clustered-edf", "clustered", "global-edf:2,2"] {
            assert!(matches!(read(text), Err(Failure::Usage(_))), "{text}");
        }
    }
}
