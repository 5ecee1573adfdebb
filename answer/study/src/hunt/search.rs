//! Which boots are tried next: drawn without regard to what was found, or bred from the worst so far.
//!
//! Candidates come in generations of a fixed size, whatever the number of workers is, because the next generation depends on the
//! results of all before it. The first generation of both methods is the same, so that their comparison begins with equal luck.

use super::candidate::Candidate;
use super::drawn::drawn;
use super::draws::Draws;
use super::space::{Rates, Space};
use prazo_core::time::Duration;

/// Boots of one generation.
const GENERATION: usize = 8;
/// Candidates from which others are bred: those with the largest latencies.
const PARENTS: usize = 4;
/// One of so many candidates is drawn anew, so that a search cannot stay where nothing more is to be found.
const FRESH: u64 = 4;
/// A phase moves by a part of the period at most, when it is not drawn anew.
const STEP: u64 = 16;

prazo_core::words! {
    Method:
    Random => "random", Evolution => "evolution",
}

/// How candidates are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Each is drawn, whatever was found.
    Random,
    /// Bred from those with the largest latencies.
    Evolution,
}

/// A candidate with its latency.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// What was chosen.
    pub candidate: Candidate,
    /// Its largest latency.
    pub latency_ns: i64,
}

/// The next candidates: behind `tried`, which holds all generations before it whole, and `left` of them at most.
pub fn generation(space: &Space, method: Method, seed: u64, tried: &[Tried], left: usize) -> Vec<Candidate> {
    let first = tried.len() as u64;
    let parents = parents(tried);
    let mut all: Vec<Candidate> = Vec::new();
    for number in (first..).take(GENERATION.min(left)) {
        let draws = Draws::of(seed, number);
        let is_drawn = method == Method::Random || parents.is_empty() || draws.below("fresh", FRESH) == 0;
        let mut one = if is_drawn { drawn(space, draws) } else { bred(space, draws, &parents) };
        if tried.iter().map(|tried| &tried.candidate).chain(&all).any(|other| *other == one) {
            // The same boot again would find the same.
            one.seed = drawn(space, draws).seed;
        }
        all.push(one);
    }
    all
}

/// Those with the largest latencies, the earlier of equal ones first.
fn parents(tried: &[Tried]) -> Vec<&Candidate> {
    let mut order: Vec<&Tried> = tried.iter().collect();
    order.sort_by_key(|tried| std::cmp::Reverse(tried.latency_ns));
    order.into_iter().take(PARENTS).map(|tried| &tried.candidate).collect()
}

/// Half of the time of two parents, then with one thing changed.
fn bred(space: &Space, draws: Draws, parents: &[&Candidate]) -> Candidate {
    let count = parents.len() as u64;
    // Of two draws the better place: the worst boots are chosen most often.
    let one = parents[draws.below("parent 1", count).min(draws.below("parent 2", count)) as usize];
    let other = parents[draws.below("other parent 1", count).min(draws.below("other parent 2", count)) as usize];
    let mut child = one.clone();
    if draws.below("two parents", 2) == 1 {
        for gene in Gene::all(space) {
            if draws.below(&format!("from other {gene:?}"), 2) == 1 {
                gene.copy(other, &mut child);
            }
        }
    }
    let genes: Vec<Gene> = Gene::all(space).into_iter().filter(|gene| gene.may_change(space)).collect();
    let gene = genes[draws.below("gene", genes.len() as u64) as usize];
    gene.copy(&drawn(space, draws), &mut child);
    if gene == Gene::Phase && draws.below("small step", 2) == 1 {
        child.phase = moved(one.phase, space.task.period, draws);
    }
    child
}

/// Somewhat earlier or later in the period.
fn moved(phase: Duration, period: Duration, draws: Draws) -> Duration {
    let period = period.as_ns();
    let width = (2 * period / STEP).max(1);
    Duration::from_ns((phase.as_ns() + period + draws.below("step", width) - width / 2) % period)
}

/// One thing that a parent hands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gene {
    Seed,
    Phase,
    LeadIn,
    Rate(usize),
    Rhythm(usize),
}

impl Gene {
    fn all(space: &Space) -> Vec<Self> {
        let of_load = |load: usize| [Self::Rate(load), Self::Rhythm(load)];
        [Self::Seed, Self::Phase, Self::LeadIn].into_iter().chain((0..space.loads.len()).flat_map(of_load)).collect()
    }

    fn may_change(self, space: &Space) -> bool {
        match self {
            Self::Rate(load) => !matches!(space.loads[load].rates, Rates::Only(_) | Rates::Workers(1)),
            _ => true,
        }
    }

    fn copy(self, from: &Candidate, to: &mut Candidate) {
        match self {
            Self::Seed => to.seed = from.seed,
            Self::Phase => to.phase = from.phase,
            Self::LeadIn => to.lead_in = from.lead_in,
            Self::Rate(load) => to.loads[load].rate = from.loads[load].rate,
            Self::Rhythm(load) => to.loads[load].rhythm = from.loads[load].rhythm,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::space::tests::space;
    use super::*;

    /// A made-up machine: high rates, a certain phase and pauses make it late, and the seed adds what nobody can foresee.
    fn latency(one: &Candidate) -> i64 {
        let rate = one.loads[1].rate.unwrap_or_default();
        let phase = 1e6 - (one.phase.as_ns() as f64 - 3e5).abs();
        let paused = one.loads[0].rhythm.map_or(0.0, |rhythm| rhythm.cycle.as_ns() as f64 / 5e8);
        let luck = prazo_core::hash::mixed(one.seed) % 20_000;
        (rate * 10.0 + phase / 20.0 + paused * 30_000.0) as i64 + luck as i64
    }

    fn hunted(method: Method, seed: u64, boots: usize) -> Vec<Tried> {
        let (space, mut tried) = (space(), Vec::new());
        while tried.len() < boots {
            let next = generation(&space, method, seed, &tried, boots - tried.len());
            tried.extend(next.into_iter().map(|candidate| Tried { latency_ns: latency(&candidate), candidate }));
        }
        tried
    }

    fn worst(tried: &[Tried]) -> i64 {
        tried.iter().map(|one| one.latency_ns).max().unwrap()
    }

    #[test]
    fn breeding_finds_more_than_drawing_where_something_can_be_learned() {
        let of = |method, seed| worst(&hunted(method, seed, 48));
        let pairs: Vec<(i64, i64)> =
            (0..40).map(|seed| (of(Method::Evolution, seed), of(Method::Random, seed))).collect();
        let better = pairs.iter().filter(|(bred, drawn)| bred > drawn).count();
        assert!(better >= 25, "{better} of 40");
        let gain: i64 = pairs.iter().map(|(bred, drawn)| bred - drawn).sum();
        assert!(gain > 0, "{gain} ns in all");
    }

    #[test]
    fn both_methods_begin_with_the_same_boots_and_no_boot_comes_twice() {
        let (random, evolution) = (hunted(Method::Random, 5, 64), hunted(Method::Evolution, 5, 64));
        assert_eq!(random[..GENERATION], evolution[..GENERATION]);
        for all in [&random, &evolution] {
            for (number, one) in all.iter().enumerate() {
                assert!(
                    all[..number].iter().all(|other| other.candidate != one.candidate),
                    "boot {number} came before"
                );
            }
        }
    }

    #[test]
    fn a_hunt_that_goes_on_is_the_hunt_that_never_stopped() {
        let whole = hunted(Method::Evolution, 9, 40);
        for generations in 1..5 {
            let tried = &whole[..generations * GENERATION];
            let next = generation(&space(), Method::Evolution, 9, tried, 40 - tried.len());
            let expected: Vec<_> = whole[tried.len()..][..GENERATION].iter().map(|one| one.candidate.clone()).collect();
            assert_eq!(next, expected);
        }
        assert_eq!(generation(&space(), Method::Random, 9, &whole[..8], 3).len(), 3, "the budget ends a generation");
    }

    #[test]
    fn what_is_bred_stays_within_the_space() {
        let space = space();
        for one in hunted(Method::Evolution, 2, 200) {
            let candidate = one.candidate;
            assert!(candidate.phase < space.task.period && candidate.loads.len() == space.loads.len(), "{candidate:?}");
            assert!(candidate.lead_in >= space.lead_in);
        }
    }
}
