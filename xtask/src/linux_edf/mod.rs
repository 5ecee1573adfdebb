//! `cargo xtask linux-edf`: sets that are proven, deployed and run in guests of 4 and 8 processors miss nothing and leave no cluster;
//! sets that the simulator shows missing do miss.
//!
//! Counted time on several processors has turns of some milliseconds, so every decision keeps a margin of 10 ms a job: a set counts as
//! proven if it is with each cost so much longer, and as missing if the simulator is late with each cost so much shorter. Costs are
//! 30 ms and more, and the kernel's own work is small beside the margin.

mod draw;
mod prazo;

use draw::{Draw, SetClaim};
use prazo::BatchAnswer;
use prazo_core::time::Duration;
use std::fmt;

/// What to run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Processors of the guests
    #[arg(long, value_delimiter = ',', default_values_t = [4, 8])]
    processors: Vec<u32>,
    /// Shapes
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Shape::Partitioned, Shape::Clustered, Shape::Global])]
    shapes: Vec<Shape>,
    /// Proven sets of each shape
    #[arg(long, value_name = "COUNT", default_value_t = 50)]
    proven: usize,
    /// Missing sets of each shape
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    missing: usize,
    /// How long each set runs, in the guest's time
    #[arg(long, value_name = "TIME", default_value = "10s")]
    duration: Duration,
    /// Sets of one boot
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    boot: usize,
    /// The lab's platform
    #[arg(long, default_value = "lab:standard-full")]
    platform: String,
    /// Seed of all sets
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Who shares a ready queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Shape {
    /// A queue for each processor
    Partitioned,
    /// Two queues, half of the processors each
    Clustered,
    /// One queue
    Global,
}

/// What came of one shape on one machine.
#[derive(Default)]
struct ShapeResult {
    proven: usize,
    jobs: u64,
    missed: usize,
    outside: u64,
    missing: usize,
    kept: usize,
    refused: usize,
    lacking: usize,
}

impl Args {
    /// Runs everything and prints the table; an error where something was not as promised.
    pub(crate) fn run(self) -> Result<(), String> {
        println!(
            "shape        processors  proven sets     jobs  with a miss  jobs outside  sets shown missing  that missed nothing  proven and refused"
        );
        let mut broken = Vec::new();
        for processors in &self.processors {
            for shape in &self.shapes {
                let outcome = self.shape(*shape, *processors)?;
                println!("{:<12} {processors:>10} {outcome}", shape.name());
                if !outcome.is_as_promised() {
                    broken.push(format!("{} on {processors}", shape.name()));
                }
            }
        }
        if broken.is_empty() { Ok(()) } else { Err(format!("not as promised: {}", broken.join(", "))) }
    }

    fn shape(&self, shape: Shape, processors: u32) -> Result<ShapeResult, String> {
        let mut outcome = ShapeResult::default();
        for line in self.sets(Draw { kind: SetClaim::Proven, shape, processors, seed: self.seed }, self.proven)? {
            outcome.add_proven(&line);
        }
        // Some that miss ask for more than the kernel admits; others take their place.
        let drawn = self.missing + self.missing.div_ceil(4);
        let lines = self.sets(Draw { kind: SetClaim::Missing, shape, processors, seed: self.seed }, drawn)?;
        lines.iter().filter(|line| line.misses.is_some()).take(self.missing).for_each(|line| outcome.add_missing(line));
        outcome.lacking = self.missing - outcome.missing;
        Ok(outcome)
    }

    /// The sets' answers, some to a boot.
    fn sets(&self, draw: Draw, count: usize) -> Result<Vec<BatchAnswer>, String> {
        let records = draw.records(count, self.duration)?;
        let mut lines = Vec::new();
        for (number, boot) in records.chunks(self.boot.max(1)).enumerate() {
            let seed = self.seed + number as u64;
            lines.extend(prazo::run(boot, &self.platform, self.duration, seed)?);
            eprintln!(
                "{} on {}, {:?}: {} of {} sets",
                draw.shape.name(),
                draw.processors,
                draw.kind,
                lines.len(),
                count
            );
        }
        Ok(lines)
    }
}

impl Shape {
    fn name(self) -> &'static str {
        match self {
            Self::Partitioned => "partitioned",
            Self::Clustered => "clustered",
            Self::Global => "global",
        }
    }
}

impl ShapeResult {
    fn add_proven(&mut self, line: &BatchAnswer) {
        self.proven += 1;
        self.jobs += line.jobs.unwrap_or(0);
        self.outside += line.outside.unwrap_or(0);
        self.missed += usize::from(line.misses.is_some_and(|misses| misses > 0));
        self.refused += usize::from(line.misses.is_none());
    }

    fn add_missing(&mut self, line: &BatchAnswer) {
        self.missing += 1;
        self.outside += line.outside.unwrap_or(0);
        self.kept += usize::from(line.misses == Some(0));
    }

    fn is_as_promised(&self) -> bool {
        self.missed == 0 && self.outside == 0 && self.kept == 0 && self.refused == 0 && self.lacking == 0
    }
}

impl fmt::Display for ShapeResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { proven, jobs, missed, outside, missing, kept, refused, .. } = self;
        write!(f, "{proven:>12} {jobs:>8} {missed:>12} {outside:>13} {missing:>19} {kept:>20} {refused:>19}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_miss_a_stray_job_a_kept_deadline_and_a_refusal_each_break_the_promise() {
        let line = |misses, outside| BatchAnswer { jobs: Some(9), misses, outside: Some(outside), error: None };
        let of = |proven: &BatchAnswer, missing: &BatchAnswer| {
            let mut outcome = ShapeResult::default();
            outcome.add_proven(proven);
            outcome.add_missing(missing);
            outcome.is_as_promised()
        };
        assert!(of(&line(Some(0), 0), &line(Some(3), 0)));
        assert!(!of(&line(Some(1), 0), &line(Some(3), 0)) && !of(&line(Some(0), 1), &line(Some(3), 0)));
        assert!(!of(&line(Some(0), 0), &line(Some(0), 0)) && !of(&line(None, 0), &line(Some(3), 0)));
    }
}
