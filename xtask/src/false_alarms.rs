//! `cargo xtask false-alarms`: how often the gate and the history report a movement between runs of one kernel.
//!
//! The folder has the run files of a study of one kernel with many seeds. Each draw takes runs for a gate or a history without replacement,
//! so nothing moved between its sides. Then all figures of one side are shifted by a known time, to see how often that is
//! found. docs/statistics.md has the tables.

use crate::run_files::run_files;
use fastrand::Rng;
use prazo_core::text::{counted, grouped};
use prazo_run::store;
use prazo_study::gate::history::{HistoryChange, HistoryFolder, HistoryQuestion, draw};
use prazo_study::gate::{Baseline, Direction, GateOutcome, Question, Trajectory, judge};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Seeds on each side of a gate.
const GATES: [usize; 3] = [3, 4, 6];
/// Baselines of a history, and seeds of each.
const HISTORIES: [(usize, usize); 4] = [(8, 3), (17, 3), (12, 6), (17, 6)];
/// Planted shifts in nanoseconds; 0 shows the false alarms.
const SHIFTS_NS: [i64; 5] = [0, 1_000, 2_000, 5_000, 10_000];

/// What to score.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder with the run files of a study of one kernel, with many repeats of each cell
    folder: PathBuf,
    /// Number of gates and of histories of each kind
    #[arg(long, default_value_t = 1_000)]
    draws: usize,
    /// Seed of the draws
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Args {
    /// Deals, judges, and prints the tables as Markdown.
    pub(crate) fn run(self) -> Result<(), String> {
        let pool = Pool::read(&self.folder)?;
        println!("{}.\n", pool.about());
        if pool.fewest() < 2 * GATES[0] {
            return Err(format!("each cell needs at least {} runs", 2 * GATES[0]));
        }
        let mut random = Rng::with_seed(self.seed);
        let moved_by = |what: &str| println!("| {what} | {} |", SHIFTS_NS.map(shift_name).join(" | "));
        moved_by("gate: seeds on each side");
        println!("|---|{}", "---|".repeat(SHIFTS_NS.len()));
        for seeds in GATES.into_iter().filter(|seeds| 2 * seeds <= pool.fewest()) {
            let share = |shift| pool.gates(self.draws, seeds, shift, &mut random);
            println!("| {seeds} and {seeds} | {} |", SHIFTS_NS.map(share).join(" | "));
        }
        println!();
        moved_by("history: baselines, seeds, what");
        println!("|---|{}", "---|".repeat(SHIFTS_NS.len()));
        for (baselines, seeds) in HISTORIES.into_iter().filter(|(count, seeds)| count * seeds <= pool.fewest()) {
            let both = SHIFTS_NS.map(|shift| pool.histories(self.draws, (baselines, seeds), shift, &mut random));
            for (place, what) in
                ["each figure", "at least one figure", "one that holds over all figures"].into_iter().enumerate()
            {
                let row: Vec<_> = both.iter().map(|all| all[place].as_str()).collect();
                println!("| {baselines}, {seeds}, {what} | {} |", row.join(" | "));
            }
        }
        Ok(())
    }
}

fn shift_name(ns: i64) -> String {
    if ns == 0 { "no shift".to_owned() } else { format!("{} µs", ns / 1_000) }
}

/// `1.2 % (12 of 1,000)`. No interval: the draws share their runs.
fn share(count: u64, of: u64) -> String {
    format!("{:.1} % ({} of {})", 100.0 * count as f64 / of.max(1) as f64, grouped(count), grouped(of))
}

/// All runs of one kernel.
struct Pool {
    runs: Baseline,
    ids: BTreeSet<String>,
    left_out: Vec<String>,
}

impl Pool {
    fn read(folder: &Path) -> Result<Self, String> {
        let (mut runs, mut left_out) = (BTreeMap::<String, Vec<_>>::new(), Vec::new());
        for file in run_files(folder)? {
            match store::open(&file) {
                Ok(run) => runs.entry(cell_of(&file)).or_default().push(run),
                Err(error) => left_out.push(error.to_string()),
            }
        }
        let read: usize = runs.values().map(Vec::len).sum();
        let runs = Baseline::of("pool", &runs);
        let usable: usize = runs.cells.values().map(Vec::len).sum();
        if usable < read {
            left_out.push(format!("{} not under counted time", counted((read - usable) as u64, "run")));
        }
        if runs.cells.is_empty() {
            return Err(format!("{} has no run of a guest under counted time", folder.display()));
        }
        Ok(Self { ids: runs.cells.keys().cloned().collect(), runs, left_out })
    }

    fn about(&self) -> String {
        let cells = self.runs.cells.iter().map(|(cell, runs)| format!("{cell}: {}", counted(runs.len() as u64, "run")));
        let left_out = self.left_out.iter().map(|reason| format!("left out: {reason}"));
        cells.chain(left_out).collect::<Vec<_>>().join("; ")
    }

    fn fewest(&self) -> usize {
        self.runs.cells.values().map(Vec::len).min().unwrap_or(0)
    }

    /// Baselines of some seeds each, no run in two of them. The start times give the history its order.
    fn deal(&self, baselines: usize, seeds: usize, random: &mut Rng) -> Vec<Baseline> {
        let mut all = vec![self.runs.of_cells(&BTreeSet::new()); baselines];
        for (cell, runs) in &self.runs.cells {
            let mut dealt: Vec<&Trajectory> = runs.iter().collect();
            random.shuffle(&mut dealt);
            for (number, (baseline, chunk)) in (0..).zip(all.iter_mut().zip(dealt.chunks(seeds))) {
                let dated = |run: &&Trajectory| Trajectory {
                    kernel_release: None,
                    started_at_unix_ns: Some(number),
                    ..(*run).clone()
                };
                baseline.cells.insert(cell.clone(), chunk.iter().map(dated).collect());
            }
        }
        all
    }

    /// The share of gates that report a movement, and how many could not be decided.
    fn gates(&self, draws: usize, seeds: usize, shift_ns: i64, random: &mut Rng) -> String {
        let question =
            Question { name: "pool", cells: &self.ids, may_differ: &[], direction: Direction::Either, floor_ns: None };
        let (mut moved, mut undecided) = (0, 0);
        for _ in 0..draws {
            let mut sides = self.deal(2, seeds, random);
            shift(&mut sides[1], shift_ns);
            match judge(&sides[0], &sides[1], &question).map(|result| result.outcome) {
                Ok(GateOutcome::Moved) => moved += 1,
                Ok(GateOutcome::Unmoved) => {}
                Ok(GateOutcome::Undecidable) | Err(_) => undecided += 1,
            }
        }
        let undecided = if undecided == 0 { String::new() } else { format!(", {} undecided", grouped(undecided)) };
        share(moved, draws as u64) + &undecided
    }

    /// The shares of figures, of histories with at least one figure, and of those with one that holds over all figures, in which a change
    /// is reported; of a planted one, only a change at its place or one baseline beside it counts.
    fn histories(&self, draws: usize, (count, seeds): (usize, usize), shift_ns: i64, random: &mut Rng) -> [String; 3] {
        let first = count / 2;
        let name = |number: usize| format!("{number:03}.json");
        let near = [first - 1, first, first + 1].map(name);
        let (mut figures, mut changed, mut any, mut over_all) = (0, 0, 0, 0);
        for _ in 0..draws {
            let mut dealt = self.deal(count, seeds, random);
            dealt[first..].iter_mut().for_each(|baseline| shift(baseline, shift_ns));
            let named = dealt.into_iter().enumerate().map(|(number, baseline)| (name(number), baseline));
            let folder = HistoryFolder {
                path: PathBuf::from("pool"),
                study: "pool".to_owned(),
                baselines: named.collect(),
                not_read: Vec::new(),
            };
            let result = draw(&folder, &HistoryQuestion { may_differ: &[], floor_ns: None });
            let tested = result.histories.iter().filter(|history| history.reason.is_none());
            let (mut is_found, mut holds) = (false, false);
            for history in tested {
                let is_near = |one: &&HistoryChange| {
                    let points = history.points.iter().filter(|point| point.label == one.first);
                    shift_ns == 0 || points.flat_map(|point| &point.files).any(|file| near.contains(file))
                };
                let found: Vec<_> = history.changes.iter().filter(is_near).collect();
                figures += 1;
                changed += u64::from(!found.is_empty());
                is_found |= !found.is_empty();
                holds |= found.iter().any(|one| one.holds_over_all);
            }
            any += u64::from(is_found);
            over_all += u64::from(holds);
        }
        [share(changed, figures), share(any, draws as u64), share(over_all, draws as u64)]
    }
}

/// The cell of a study's run file: its name without the number of the repeat.
fn cell_of(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match stem.rsplit_once('.') {
        Some((cell, number)) if number.parse::<u32>().is_ok() => cell.to_owned(),
        _ => stem,
    }
}

/// As if each sample had taken so much longer.
fn shift(baseline: &mut Baseline, ns: i64) {
    let runs = baseline.cells.values_mut().flatten();
    for figures in runs.flat_map(|run| run.figures.values_mut()) {
        let each = [&mut figures.median_ns, &mut figures.q99_ns, &mut figures.q999_ns, &mut figures.max_ns];
        each.into_iter().flatten().for_each(|value| *value += ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeat_belongs_to_its_cell() {
        let cells =
            ["a/rt.idle.fifo.prazo", "a/rt.idle.fifo.12.prazo", "other.prazo"].map(|file| cell_of(Path::new(file)));
        assert_eq!(cells, ["rt.idle.fifo", "rt.idle.fifo", "other"]);
    }

    /// Forty runs whose figures differ by chance; a shift of ten times their spread is found in each gate.
    #[test]
    fn runs_of_one_kernel_rarely_move_and_shifted_ones_do() {
        let text = |seed: u64, median: i64| {
            format!(
                r#"{{"seed": {seed}, "shift": 3, "conditions": {{}}, "skipped_ns": 0, "lost": 0, "fatal": null, "figures":
                {{"response-latency": {{"seed": {seed}, "count": 1000, "mean_ns": null, "median_ns": {median}, "q99_ns": null,
                "q999_ns": null, "q99999_ns": null, "max_ns": {}}}}}}}"#,
                median + 5_000
            )
        };
        let runs: Vec<_> = (0..40).map(|seed| text(seed, 30_000 + (seed as i64 * 7_919) % 1_000)).collect();
        let text = format!(r#"{{"version": 3, "study": "pool", "cells": {{"cell": [{}]}}}}"#, runs.join(","));
        let runs: Baseline = serde_json::from_str(&text).unwrap();
        let pool = Pool { ids: runs.cells.keys().cloned().collect(), runs, left_out: Vec::new() };
        let mut random = Rng::with_seed(1);
        assert_eq!(pool.gates(100, 6, 0, &mut random), "0.0 % (0 of 100)");
        assert_eq!(pool.gates(100, 6, 10_000, &mut random), "100.0 % (100 of 100)");
        let all = || pool.deal(2, 20, &mut Rng::with_seed(3));
        let other = pool.deal(2, 20, &mut Rng::with_seed(4));
        assert!(all() == all() && all() != other, "draws of all runs are dealt differently");
        let [_, _, over_all] = pool.histories(20, (12, 3), 10_000, &mut random);
        assert_eq!(over_all, "100.0 % (20 of 20)");
    }
}
