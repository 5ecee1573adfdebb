//! Sets drawn until enough are proven, or are shown to miss, each with a margin.

use super::{Shape, prazo};
use prazo_core::ratio::Ratio;
use prazo_core::task::Task;
use prazo_core::time::Duration;
use prazo_scenario::generate::{Family, set_rng};
use serde_json::{Value, json};

/// What a job may take more, or less, without a change of what is claimed.
const MARGIN_US: u64 = 10_000;
/// The least cost: beside it, the margin and an emulator's turns are small.
const COST_US_MIN: u64 = 30_000;
/// Sets that are drawn at most for each that is wanted, and how many are decided at once.
const DRAWN_MAX: usize = 200;
const AT_ONCE: usize = 100;

/// Many tasks of a tenth to two fifths of a processor.
const IMPLICIT: &str = r#"
utilization = { kind = "uniform", range = [0.1, 0.4] }
periods = { us = [300_000, 1_500_000], step_us = 10_000, spread = "log-uniform" }
deadlines = "implicit"
"#;
/// The same with deadlines anywhere between cost and period: the kernel admits by bandwidth, and they miss.
const CONSTRAINED: &str = r#"
utilization = { kind = "uniform", range = [0.1, 0.4] }
periods = { us = [300_000, 1_500_000], step_us = 10_000, spread = "log-uniform" }
deadlines = "uni-constrained"
"#;

/// What is claimed of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetClaim {
    /// It never misses.
    Proven,
    /// It misses when all jobs arrive as early as they can.
    Missing,
}

/// Which sets are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draw {
    pub kind: SetClaim,
    pub shape: Shape,
    pub processors: u32,
    pub seed: u64,
}

impl Draw {
    /// As many records as are wanted, with their true costs.
    pub(super) fn records(&self, wanted: usize, length: Duration) -> Result<Vec<Value>, String> {
        let family = self.family()?;
        let mut found = Vec::new();
        if wanted == 0 {
            return Ok(found);
        }
        for block in 0..(wanted * DRAWN_MAX).div_ceil(AT_ONCE) {
            let indices = (block * AT_ONCE) as u64..((block + 1) * AT_ONCE) as u64;
            let sets: Vec<Vec<Task>> = indices.map(|index| self.set(&family, index)).filter(|set| fits(set)).collect();
            let requested: Vec<Value> = sets.iter().map(|set| self.record(set, length, self.shift())).collect();
            let holds = prazo::decide(self.kind, &requested)?;
            let decided = sets.iter().zip(holds).filter(|(_, holds)| *holds);
            found.extend(decided.map(|(set, _)| self.record(set, length, 0)));
            if found.len() >= wanted {
                found.truncate(wanted);
                return Ok(found);
            }
        }
        let draws = wanted * DRAWN_MAX;
        Err(format!("of {draws} sets drawn for {} only {} are {:?}", self.shape.name(), found.len(), self.kind))
    }

    fn family(&self) -> Result<Family, String> {
        let text = if self.kind == SetClaim::Proven { IMPLICIT } else { CONSTRAINED };
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// Tenths of the processors that are asked for.
    fn set(&self, family: &Family, index: u64) -> Vec<Task> {
        let tenths = match (self.kind, self.shape) {
            (SetClaim::Missing, _) => 7,
            (SetClaim::Proven, Shape::Global) => 4,
            (SetClaim::Proven, _) => 6,
        };
        let point = u64::from(self.processors) * 10 + self.shape as u64;
        let mut rng = set_rng(self.seed, point, index);
        let requested = Ratio::new(u128::from(self.processors) * tenths, 10).expect("ten is not zero");
        family.draw(&mut rng, requested)
    }

    /// How a cost changes for the decision.
    fn shift(&self) -> i64 {
        if self.kind == SetClaim::Proven { MARGIN_US as i64 } else { -(MARGIN_US as i64) }
    }

    fn record(&self, set: &[Task], length: Duration, shift: i64) -> Value {
        let task = |task: &Task| json!([task.cost.saturating_add_signed(shift), task.period, task.deadline]);
        let half = self.processors / 2;
        let mut record = json!({"m": self.processors, "t": set.iter().map(task).collect::<Vec<_>>(),
            "horizon_us": length.as_ns() / 1_000});
        match self.shape {
            Shape::Clustered => record["clusters"] = json!([half, half]),
            other => record["shape"] = json!(other.name()),
        }
        record
    }
}

/// Long costs alone, and room for the margin before the deadline.
fn fits(set: &[Task]) -> bool {
    !set.is_empty() && set.iter().all(|task| task.cost >= COST_US_MIN && task.cost + MARGIN_US <= task.deadline)
}
