//! What an experiment ends with, as scripts read it: every curve's counts, shares and intervals, and the claims.

use super::chunk::ChunkResult;
use super::claim::Evidence;
use super::curve::Curve;
use super::decimal::text;
use super::experiment::Experiment;
use super::overhead_figures::{self, FigureResult};
use super::tally::Tally;
use prazo_core::ratio::Ratio;
use prazo_stats::CONFIDENCE;
use prazo_verdict::claim::ClaimResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Outcome of one experiment, as `prazo sched experiment FILE --json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExperimentResult {
    /// Name of the experiment.
    pub name: String,
    /// Headline of the experiment.
    pub title: String,
    /// Question that the experiment answers.
    pub question: String,
    /// Paper whose experiment is repeated; null if there is none.
    pub paper: Option<String>,
    /// Origin of the experiment's parameters.
    pub origin: String,
    /// Number of processors of every platform.
    pub processors: u32,
    /// Seed of all random task sets.
    pub seed: u64,
    /// Number of task sets at each point, once the experiment is complete.
    pub sets_per_point: u64,
    /// Work limit of each test: the number of terms that it may evaluate.
    pub budget: u64,
    /// Digest of the inputs that determine how many task sets are accepted, without titles and claims; results with
    /// the same digest are from the same experiment.
    pub fingerprint: String,
    /// False if chunks are missing; the same command without `--show` computes them.
    pub complete: bool,
    /// Confidence level of the interval of each point's share (Clopper and Pearson, one point at a time).
    pub confidence: f64,
    /// Curves: the share of accepted task sets by utilization.
    pub curves: Vec<CurveResult>,
    /// Figures of overheads by number of threads.
    pub figures: Vec<FigureResult>,
    /// Claims of the experiment, with their outcomes.
    pub claims: Vec<ClaimResult>,
}

/// One curve: the share of accepted task sets by utilization.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CurveResult {
    /// Ids of the family, method, scheduler and platform, separated by dots.
    pub id: String,
    /// Id of the family of task sets.
    pub family: String,
    /// Id of the method of analysis.
    pub method: String,
    /// Id of the scheduler.
    pub scheduler: String,
    /// Id of the platform, which decides the overheads.
    pub platform: String,
    /// Sum of utilization x share divided by the sum of utilizations (Bastoni, Brandenburg, Anderson 2010); null
    /// until all points have task sets.
    pub weighted_acceptance: Option<f64>,
    /// Points of the curve, by ascending utilization.
    pub points: Vec<PointResult>,
}

/// One point of a curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PointResult {
    /// Requested total utilization of a task set, as an exact number.
    pub utilization: String,
    /// Mean number of tasks in a task set; null without task sets.
    pub tasks_mean: Option<f64>,
    /// Number of task sets that were judged.
    pub sets: u64,
    /// Number of task sets proven to meet every deadline.
    pub accepted: u64,
    /// Number of task sets proven to miss a deadline.
    pub disproven: u64,
    /// Number of task sets neither proven nor disproven.
    pub unknown: u64,
    /// Number of unknown task sets for which a test reached its work limit.
    pub budget_spent: u64,
    /// Accepted task sets divided by judged task sets; null without task sets.
    pub share: Option<f64>,
    /// Lower end of the share's confidence interval; null without task sets.
    pub share_min: Option<f64>,
    /// Upper end of the share's confidence interval; null without task sets.
    pub share_max: Option<f64>,
    /// Number of task sets proven by each test, or by each packing heuristic together with the last test, in the order of tests, that a ready queue needed.
    pub decided: BTreeMap<String, u64>,
    /// Work of all tests together: the number of terms that they evaluated.
    pub work: u64,
}

/// The counts of one point, one tally for each curve of its family.
#[derive(Clone, Debug)]
pub(crate) struct Counts {
    tasks: u64,
    tallies: Vec<Tally>,
}

impl Counts {
    pub(crate) fn empty(curves: usize) -> Self {
        Self { tasks: 0, tallies: vec![Tally::default(); curves] }
    }

    pub(crate) fn add(&mut self, chunk: &ChunkResult) {
        self.tasks += chunk.tasks;
        self.tallies.iter_mut().zip(&chunk.tallies).for_each(|(sum, tally)| sum.add(tally));
    }
}

impl ExperimentResult {
    pub(crate) fn of(
        of: &Experiment,
        curves: &[Vec<Curve>],
        points: &[(usize, Ratio)],
        counts: &[Counts],
        complete: bool,
    ) -> Self {
        let at_points = |family| points.iter().zip(counts).filter(move |((at, _), _)| *at == family);
        let result = |(place, curve): (usize, &Curve)| {
            let points = at_points(curve.family).map(|((_, u), counts)| PointResult::of(*u, counts, place)).collect();
            CurveResult::of(of, *curve, points)
        };
        let curves: Vec<CurveResult> = curves.iter().flat_map(|all| all.iter().enumerate().map(result)).collect();
        let figures = overhead_figures::results(of);
        let evidence = Evidence::new(&curves, complete).with_figures(&figures);
        Self {
            name: of.name().to_owned(),
            title: of.head.title.clone(),
            question: of.head.question.clone(),
            paper: of.head.paper.clone(),
            origin: of.head.origin.clone(),
            processors: of.processors(),
            seed: of.head.seed,
            sets_per_point: of.sets(),
            budget: of.head.budget,
            fingerprint: of.fingerprint.clone(),
            complete,
            confidence: CONFIDENCE,
            claims: of.claims.iter().map(|claim| claim.result(claim.check.judge(&evidence))).collect(),
            curves,
            figures,
        }
    }
}

impl CurveResult {
    fn of(of: &Experiment, curve: Curve, points: Vec<PointResult>) -> Self {
        Self {
            id: curve.id(of),
            family: of.families[curve.family].id.get_ref().clone(),
            method: of.methods[curve.method].id.get_ref().clone(),
            scheduler: of.schedulers[curve.scheduler].id.get_ref().clone(),
            platform: of.platforms[curve.platform].id.get_ref().clone(),
            weighted_acceptance: weighted(&points),
            points,
        }
    }
}

impl CurveResult {
    /// What proved how many sets over all points, most often first.
    pub fn decided(&self) -> Vec<(String, u64)> {
        let mut sum: BTreeMap<&String, u64> = BTreeMap::new();
        let all = self.points.iter().flat_map(|point| &point.decided);
        all.for_each(|(by, count)| *sum.entry(by).or_default() += count);
        let mut decided: Vec<(String, u64)> = sum.into_iter().map(|(by, count)| (by.clone(), count)).collect();
        decided.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        decided
    }
}

fn weighted(points: &[PointResult]) -> Option<f64> {
    let weights: f64 = points.iter().map(PointResult::utilization_f64).sum();
    let parts: Option<Vec<f64>> = points.iter().map(|point| Some(point.utilization_f64() * point.share?)).collect();
    Some(parts?.into_iter().sum::<f64>() / weights)
}

impl PointResult {
    fn of(utilization: Ratio, counts: &Counts, place: usize) -> Self {
        let tally = &counts.tallies[place];
        let interval = prazo_stats::share_interval(tally.accepted, tally.sets, CONFIDENCE);
        let per_set = |count: u64| (tally.sets > 0).then(|| count as f64 / tally.sets as f64);
        Self {
            utilization: text(utilization),
            tasks_mean: per_set(counts.tasks),
            sets: tally.sets,
            accepted: tally.accepted,
            disproven: tally.disproven,
            unknown: tally.unknown(),
            budget_spent: tally.budget_spent,
            share: per_set(tally.accepted),
            share_min: interval.map(|(low, _)| low),
            share_max: interval.map(|(_, high)| high),
            decided: tally.decided.clone(),
            work: tally.work,
        }
    }

    /// The utilization for drawing and weighing.
    pub fn utilization_f64(&self) -> f64 {
        self.utilization.parse::<Ratio>().map_or(f64::NAN, Ratio::to_f64)
    }
}
