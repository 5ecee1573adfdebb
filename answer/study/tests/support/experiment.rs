//! A small experiment, and a plain judge for it: GFB for a global queue, first-fit by utilization for clusters of GFB.
#![allow(dead_code, reason = "each test takes what it needs")]

use prazo_analysis::exact::compare_sum;
use prazo_analysis::partition::{Bin, Heuristic, Order, Packed};
use prazo_analysis::question::{Answer, Method, Question, Shape};
use prazo_analysis::set::Refused;
use prazo_analysis::{Finding, Task, TaskSet, Verdict};
use prazo_core::ratio::Ratio;
use prazo_study::schedulability::{Experiment, ExperimentResult, Runner};
use std::path::Path;

/// Two families, three schedulers, two points of 120 sets each: 3 chunks a point.
pub const SMALL: &str = r#"
kind = "schedulability"

[experiment]
name = "small"
title = "A small experiment"
question = "Does it run?"
processors = 4
seed = 7
sets = 120

[[family]]
id = "light"
points = { from = 3.0, to = 3.9, step = 0.3 }
draw.utilization = { kind = "uniform", range = [0.001, 0.1] }
draw.periods = { us = [3_000, 33_000], step_us = 1_000, spread = "uniform" }

[[family]]
id = "heavy"
points = { from = 1.5, to = 3.0, step = 0.5 }
draw.utilization = { kind = "uniform", range = [0.5, 0.9] }
draw.periods = { us = [3_000, 33_000], step_us = 1_000, spread = "uniform" }

[[method]]
id = "plain"

[[scheduler]]
id = "P"
shape = "partitioned"

[[scheduler]]
id = "C"
shape = "clustered"
clusters = [3, 1]

[[scheduler]]
id = "G"
shape = "global"

[[platform]]
id = "none"

[[claim]]
id = "packing-serves-light-tasks"
text = "Packing accepts all light sets up to 3.6"
check.share-at = { curve = "light.plain.P.none", utilization = 3.6, at_least = 0.95 }

[[claim]]
id = "packing-above-gfb"
text = "Packing accepts more heavy sets than GFB"
check.above = { upper = ["heavy.plain.P.none"], lower = ["heavy.plain.G.none"], by = 0.1 }
"#;

/// The small experiment.
pub fn small() -> Experiment {
    Experiment::parse("small.toml", SMALL).unwrap()
}

/// Runs `experiment` to its end.
pub fn run(experiment: &Experiment, folder: &Path, threads: usize) -> ExperimentResult {
    let runner = Runner { experiment, answering: &answer, threads, should_stop: &|| false };
    runner.run(folder, &mut |_| {}).unwrap()
}

/// The judge.
pub fn answer(question: &Question<'_>, _: &Method) -> Result<Answer, Refused> {
    let tasks = TaskSet::new(question.tasks)?.tasks();
    Ok(match question.shape {
        Shape::Global { processors } => global(gfb(tasks, processors)),
        Shape::Clusters(sizes) => clusters(first_fit(tasks, sizes)),
    })
}

fn global(finding: Finding) -> Answer {
    let decided_by = finding.is_proven().then(|| finding.clone());
    Answer { decided_by, findings: vec![finding.clone()], ..empty(finding.verdict, finding.work) }
}

fn clusters(packed: Packed) -> Answer {
    let verdict = if packed.proven { Verdict::Proven } else { Verdict::Unknown };
    Answer { packings: vec![packed.clone()], ..empty(verdict, packed.work) }
}

fn empty(verdict: Verdict, work: u64) -> Answer {
    Answer { verdict, decided_by: None, findings: vec![], packings: vec![], inflated: None, caveats: vec![], work }
}

/// U <= m - (m - 1) u_max (Goossens, Funk, Baruah 2003), for D = T.
fn gfb(tasks: &[Task], processors: u32) -> Finding {
    let largest = tasks.iter().filter_map(|task| Ratio::new(task.cost.into(), task.period.into())).max().unwrap();
    let taken = Ratio::whole(u64::from(processors) - 1).checked_mul(largest).unwrap();
    let bound = Ratio::whole(processors.into()).checked_sub(taken).unwrap_or(Ratio::ZERO);
    let fits = compare_sum(tasks.iter().map(|task| (task.cost, task.period)), bound).is_le();
    let make = if fits { Finding::proven } else { Finding::does_not_hold };
    make("GFB", None, None, tasks.len() as u64)
}

fn first_fit(tasks: &[Task], sizes: &[u32]) -> Packed {
    let mut members: Vec<Vec<Task>> = vec![vec![]; sizes.len()];
    let mut assignment = Vec::new();
    for task in tasks {
        let place = (0..sizes.len()).find(|bin| {
            let with: Vec<Task> = members[*bin].iter().copied().chain([*task]).collect();
            gfb(&with, sizes[*bin]).is_proven()
        });
        place.into_iter().for_each(|bin| members[bin].push(*task));
        assignment.push(place.map(|bin| bin as u32));
    }
    let bins = members.iter().zip(sizes).map(|(members, size)| Bin {
        processors: *size,
        tasks: vec![],
        inflated: None,
        finding: (!members.is_empty()).then(|| gfb(members, *size)),
    });
    let proven = assignment.iter().all(Option::is_some);
    let (heuristic, order, bins) = (Heuristic::FirstFit, Order::AsGiven, bins.collect());
    Packed { heuristic, order, assignment, bins, proven, work: tasks.len() as u64 }
}
