//! The loads of a study: named sets of generators, each with its rate and its on/off rhythm.

use crate::toml_values;
use prazo_core::time::Duration;
use prazo_run::plan::{LoadPlan, Rhythm};
use serde::Deserialize;

/// One `[[load]]`: everything that disturbs a cell, together.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Its name in cell ids: `idle`, `loaded`.
    pub id: toml::Spanned<String>,
    /// What it is for, in one sentence.
    #[serde(default)]
    pub text: String,
    /// How long the generators run before measuring starts.
    #[serde(default, deserialize_with = "toml_values::duration")]
    pub lead_in: Duration,
    /// The generators; none is an idle system.
    #[serde(default)]
    pub generators: Vec<Generator>,
}

/// One generator of a load.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generator {
    /// A name from the catalogue of `prazo load`.
    pub name: String,
    /// What is asked of it, in its own unit; absent is its default.
    pub rate: Option<f64>,
    /// On and off; absent is always on.
    pub rhythm: Option<OnOff>,
}

/// A seeded rhythm: on for between `on_min` and `on_max` of every `cycle` (Blaess 2014: 15 s to 25 s of 30 s).
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnOff {
    /// Length of one on/off cycle.
    #[serde(deserialize_with = "toml_values::duration")]
    pub cycle: Duration,
    /// Shortest on-time.
    #[serde(deserialize_with = "toml_values::duration")]
    pub on_min: Duration,
    /// Longest time on; at most the cycle.
    #[serde(deserialize_with = "toml_values::duration")]
    pub on_max: Duration,
}

impl Load {
    /// The generators as a plan names them.
    pub fn plans(&self) -> Vec<LoadPlan> {
        self.generators.iter().map(Generator::plan).collect()
    }

    /// What contradicts itself, if anything does: the problem and its remedy.
    pub fn contradiction(&self) -> Option<(String, String)> {
        let wrong =
            self.generators.iter().find(|generator| generator.rhythm.is_some_and(|rhythm| !rhythm.is_possible()))?;
        Some((
            format!("the on and off times of '{}' are impossible", wrong.name),
            "write on_min, on_max and cycle so that 0 < on_min <= on_max <= cycle".into(),
        ))
    }
}

impl Generator {
    fn plan(&self) -> LoadPlan {
        LoadPlan { name: self.name.clone(), rate: self.rate, rhythm: self.rhythm.map(OnOff::plan) }
    }
}

impl OnOff {
    fn plan(self) -> Rhythm {
        Rhythm { cycle: self.cycle, on_min: self.on_min, on_max: self.on_max }
    }

    fn is_possible(self) -> bool {
        !self.on_min.is_zero() && self.on_min <= self.on_max && self.on_max <= self.cycle
    }
}
