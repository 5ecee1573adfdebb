//! A small experiment.
#![allow(dead_code, reason = "each test takes what it needs")]

pub(crate) use prazo_analysis::question::answer;
use prazo_experiment::{Experiment, ExperimentResult, Runner};
use std::path::Path;

/// Two families with 4 and 9 points of 120 sets each, which are 3 chunks a point; three schedulers.
pub(crate) const SMALL: &str = r#"
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
points = { from = 1.5, to = 3.9, step = 0.3 }
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
id = "light-sets-above-heavy-ones"
text = "Packing accepts more light sets than heavy ones"
check.above = { upper = ["light.plain.P.none"], lower = ["heavy.plain.P.none"], by = 0.0 }
"#;

/// The small experiment.
pub(crate) fn small() -> Experiment {
    Experiment::parse("small.toml", SMALL).unwrap()
}

/// Runs `experiment` to its end.
pub(crate) fn run(experiment: &Experiment, folder: &Path, threads: usize) -> ExperimentResult {
    let runner = Runner { experiment, answering: &answer, threads, should_stop: &|| false };
    runner.run(folder, &mut |_| {}).unwrap()
}
