//! Runs an experiment on many threads: what is there already is read, what is missing is made, each chunk kept as it is won.
//!
//! Threads only make chunks; one collector writes and adds them up, so that the result is a sum of counts whose order does not
//! matter. The collector holds one tally for each curve and point and one bit for each chunk, however many sets there are.

use super::chunk::{Chunk, ChunkResult, points};
use super::curve::{Answering, Curve};
use super::error::ExperimentError;
use super::experiment::Experiment;
use super::folder::{self, Folder};
use super::result::{Counts, ExperimentResult};
use prazo_core::ratio::Ratio;
use prazo_core::time::Duration;
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{SyncSender, sync_channel};

/// How an experiment is run.
#[derive(Clone, Copy)]
pub struct Runner<'a> {
    /// What is run.
    pub experiment: &'a Experiment,
    /// Who answers; outside tests [`prazo_analysis::question::answer`].
    pub answering: &'a Answering<'a>,
    /// How many threads; at least one is used.
    pub threads: usize,
    /// Asked before each chunk: true ends the run, which can be resumed.
    pub should_stop: &'a (dyn Fn() -> bool + Sync),
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Chunks in all.
    pub total: u64,
    /// Chunks that were there already.
    pub found: u64,
    /// Chunks made by this run.
    pub made: u64,
}

impl Progress {
    /// The time that is left, if the other chunks take as long as those made in `elapsed`; `None` before the first.
    pub fn left(&self, elapsed: Duration) -> Option<Duration> {
        let missing = u128::from(self.total - self.found - self.made);
        let ns = (u128::from(elapsed.as_ns()) * missing).checked_div(u128::from(self.made))?;
        Some(Duration::from_ns(u64::try_from(ns).unwrap_or(u64::MAX)))
    }
}

impl Runner<'_> {
    /// Makes what is missing in `folder`; `tell` hears of every chunk.
    pub fn run(&self, folder: &Path, tell: &mut dyn FnMut(Progress)) -> Result<ExperimentResult, ExperimentError> {
        let mut sum = Sum::new(self.experiment);
        let mut folder = Folder::open(folder, self.experiment, &mut |chunk| sum.add(&chunk))?;
        let mut progress = Progress { total: sum.total(), found: sum.done.count(), made: 0 };
        tell(progress);
        let missing = Missing(Mutex::new(sum.done.clone()));
        std::thread::scope(|scope| {
            // Few chunks wait for the collector, so that a slow disk slows the threads instead of filling the memory.
            let (sender, chunks) = sync_channel(4);
            for _ in 0..self.threads.max(1) {
                let (sender, missing) = (sender.clone(), &missing);
                scope.spawn(move || self.work(missing, &sender));
            }
            drop(sender);
            for chunk in chunks {
                let chunk = chunk?;
                folder.keep(&chunk)?;
                sum.add(&chunk);
                progress.made += 1;
                tell(progress);
            }
            Ok(())
        })?;
        Ok(sum.result())
    }

    /// What a folder holds already; makes nothing.
    pub fn look(&self, folder: &Path) -> Result<ExperimentResult, ExperimentError> {
        let mut sum = Sum::new(self.experiment);
        folder::look(folder, self.experiment, &mut |chunk| sum.add(&chunk))?;
        Ok(sum.result())
    }

    /// One thread: chunk after chunk until none is missing, or nobody listens any more.
    fn work(&self, missing: &Missing, sender: &SyncSender<Result<ChunkResult, ExperimentError>>) {
        let points = points(self.experiment);
        while !(self.should_stop)() {
            let Some(number) = missing.take() else { return };
            let Some(chunk) = Chunk::at(number, &points, self.experiment) else { return };
            if sender.send(chunk.run(self.experiment, self.answering)).is_err() {
                return;
            }
        }
    }
}

/// The chunks that nobody has taken yet, lowest number first.
struct Missing(Mutex<Bits>);

impl Missing {
    fn take(&self) -> Option<u64> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take_first_unset()
    }
}

/// One bit for each chunk.
#[derive(Clone, Debug)]
struct Bits {
    words: Vec<u64>,
    total: u64,
    /// Words before this one are full.
    full: usize,
}

impl Bits {
    fn new(total: u64) -> Self {
        Self { words: vec![0; total.div_ceil(64) as usize], total, full: 0 }
    }

    /// Sets a bit; false if it was set.
    fn set(&mut self, at: u64) -> bool {
        let (word, bit) = (&mut self.words[(at / 64) as usize], 1 << (at % 64));
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }

    fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    fn take_first_unset(&mut self) -> Option<u64> {
        let behind = self.words[self.full..].iter().position(|word| *word != u64::MAX)?;
        self.full += behind;
        let at = self.full as u64 * 64 + u64::from(self.words[self.full].trailing_ones());
        (at < self.total).then(|| {
            self.set(at);
            at
        })
    }
}

/// The sum of all chunks so far.
struct Sum<'a> {
    experiment: &'a Experiment,
    points: Vec<(usize, Ratio)>,
    curves: Vec<Vec<Curve>>,
    counts: Vec<Counts>,
    done: Bits,
}

impl<'a> Sum<'a> {
    fn new(experiment: &'a Experiment) -> Self {
        let curves: Vec<Vec<Curve>> =
            (0..experiment.families.len()).map(|family| Curve::of_family(experiment, family).collect()).collect();
        let points = points(experiment);
        let counts = points.iter().map(|(family, _)| Counts::empty(curves[*family].len())).collect();
        Self { experiment, points, curves, counts, done: Bits::new(Chunk::total(experiment)) }
    }

    fn total(&self) -> u64 {
        self.done.total
    }

    /// Adds a chunk, once: two runs that were not kept apart may have made it twice, alike.
    fn add(&mut self, chunk: &ChunkResult) {
        if self.done.set(chunk.chunk) {
            self.counts[(chunk.chunk % self.points.len() as u64) as usize].add(chunk);
        }
    }

    fn result(self) -> ExperimentResult {
        let complete = self.done.count() == self.done.total;
        ExperimentResult::of(self.experiment, &self.curves, &self.points, &self.counts, complete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_taken_once_and_in_order() {
        let mut bits = Bits::new(130);
        [0, 1, 64, 129].into_iter().for_each(|at| assert!(bits.set(at)));
        assert!(!bits.set(64));
        let taken: Vec<u64> = std::iter::from_fn(|| bits.take_first_unset()).collect();
        let wanted: Vec<u64> = (0..130).filter(|at| ![0, 1, 64, 129].contains(at)).collect();
        assert_eq!(taken, wanted);
        assert_eq!(bits.count(), 130);
        assert_eq!(Bits::new(128).take_first_unset(), Some(0));
    }

    #[test]
    fn the_time_that_is_left_counts_only_what_this_run_made() {
        let progress = Progress { total: 110, found: 10, made: 25 };
        assert_eq!(progress.left(Duration::from_s(10)), Some(Duration::from_s(30)));
        assert_eq!(Progress { made: 0, ..progress }.left(Duration::from_s(10)), None);
    }
}
