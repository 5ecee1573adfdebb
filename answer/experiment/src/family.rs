//! One family of random task sets, and the random numbers that each of its sets is drawn from.
//!
//! Each set has random numbers of its own, named by seed, family, utilization and index. No set depends on another, so that a
//! point can be added, a chunk repeated and a thread be slow without any other set changing.

use super::decimal::text;
use super::points;
use prazo_core::hash::fnv1a;
use prazo_core::ratio::Ratio;
use prazo_core::task::Task;
use prazo_scenario::generate::{Family as Draw, set_rng};
use serde::Deserialize;

/// One `[[family]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// Its name in curves.
    pub id: toml::Spanned<String>,
    /// What it is, in one sentence.
    #[serde(default)]
    pub text: String,
    /// Utilizations at which it is drawn.
    #[serde(deserialize_with = "points::points")]
    pub points: Vec<Ratio>,
    /// How it is drawn.
    pub draw: Draw,
    /// The methods that judge it; all where none is named.
    #[serde(default)]
    pub methods: Vec<toml::Spanned<String>>,
}

impl Family {
    /// Set number `index` at `utilization`, in microseconds; empty where the family cannot reach that utilization.
    pub fn set(&self, seed: u64, utilization: Ratio, index: u64) -> Vec<Task> {
        let point = format!("{} {}", self.id.get_ref(), text(utilization));
        self.draw.draw(&mut set_rng(seed, fnv1a(point.as_bytes()), index), utilization)
    }
}
