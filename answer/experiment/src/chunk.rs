//! A chunk: some of a point's sets, judged by every curve of their family. The unit of resuming and of repeating.
//!
//! Chunks are numbered round by round: chunk c is the (c / points)-th of point c mod points, so that all points fill evenly, an
//! early look shows whole curves, and the time that is left can be told from the chunks that are done.

use super::curve::{Answering, Asking, Curve};
use super::decimal::text;
use super::error::ExperimentError;
use super::experiment::Experiment;
use super::tally::Tally;
use prazo_analysis::Task;
use prazo_core::ratio::Ratio;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sets in a chunk; a point's last one may hold fewer.
pub const SETS: u64 = 50;

/// One chunk's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its number.
    pub number: u64,
    /// Document of its family.
    pub family: usize,
    /// The utilization asked for.
    pub utilization: Ratio,
    /// Index of its first set.
    pub first: u64,
    /// Number of sets.
    pub sets: u64,
}

/// The result of a chunk, which is a part of the task sets of one point; one line of the file in the results folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChunkResult {
    /// Number of the chunk, counted from 0.
    pub chunk: u64,
    /// Id of the family that the chunk's task sets are drawn from.
    pub family: String,
    /// Total utilization of each of the chunk's task sets.
    pub utilization: String,
    /// Index of the chunk's first task set among those of its point, counted from 0.
    pub first: u64,
    /// Number of task sets in the chunk.
    pub sets: u64,
    /// Number of task sets that could not be drawn from the family at this utilization; no tally counts them.
    pub not_drawn: u64,
    /// Number of tasks in all of the chunk's task sets together.
    pub tasks: u64,
    /// One tally for each curve of the family, in the order of the curves.
    pub tallies: Vec<Tally>,
}

/// All points of an experiment, in the order of chunks: family and utilization.
pub fn points(of: &Experiment) -> Vec<(usize, Ratio)> {
    let families = of.families.iter().enumerate();
    families.flat_map(|(at, family)| family.points.iter().map(move |point| (at, *point))).collect()
}

impl Chunk {
    /// How many chunks an experiment has.
    pub fn total(of: &Experiment) -> u64 {
        points(of).len() as u64 * of.sets().div_ceil(SETS)
    }

    /// The chunk of that number; `points` are the experiment's. `None` beyond the last.
    pub fn at(number: u64, points: &[(usize, Ratio)], of: &Experiment) -> Option<Self> {
        let (round, place) = (number.checked_div(points.len() as u64)?, number % points.len() as u64);
        let (family, utilization) = points[place as usize];
        let first = round.checked_mul(SETS).filter(|first| *first < of.sets())?;
        Some(Self { number, family, utilization, first, sets: SETS.min(of.sets() - first) })
    }

    /// Draws the chunk's sets and judges each by every curve.
    pub fn run(&self, of: &Experiment, answering: &Answering<'_>) -> Result<ChunkResult, ExperimentError> {
        let asking: Vec<Asking> = Curve::of_family(of, self.family).map(|curve| Asking::new(of, curve)).collect();
        let mut result = self.empty(of, asking.len());
        for index in self.first..self.first + self.sets {
            let set = self.draw(of, index);
            if set.is_empty() {
                result.not_drawn += 1;
                continue;
            }
            result.tasks += set.len() as u64;
            for (asking, tally) in asking.iter().zip(&mut result.tallies) {
                let answer = asking.ask(&set, answering).map_err(|why| self.refused(of, index, &why))?;
                tally.count(&answer);
            }
        }
        Ok(result)
    }

    /// One of the chunk's sets.
    pub fn draw(&self, of: &Experiment, index: u64) -> Vec<Task> {
        of.families[self.family].set(of.head.seed, self.utilization, index)
    }

    fn empty(&self, of: &Experiment, curves: usize) -> ChunkResult {
        ChunkResult {
            chunk: self.number,
            family: of.families[self.family].id.get_ref().clone(),
            utilization: text(self.utilization),
            first: self.first,
            sets: self.sets,
            not_drawn: 0,
            tasks: 0,
            tallies: vec![Tally::default(); curves],
        }
    }

    fn refused(&self, of: &Experiment, index: u64, why: &impl ToString) -> ExperimentError {
        ExperimentError::Set {
            family: of.families[self.family].id.get_ref().clone(),
            utilization: text(self.utilization),
            index,
            why: why.to_string(),
        }
    }
}
