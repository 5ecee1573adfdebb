//! The tables of a study: results that another tool measured, with where they came from.
//!
//! What a study knows beyond the file (period, due activations, method) is used in figures and never written into the run.

use crate::toml_values;
use prazo_core::time::Duration;
use prazo_run::plan::TimerMethod;
use serde::Deserialize;
use std::collections::BTreeMap;

/// One `[[import]]`: a cell whose samples are in a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Import {
    /// The cell's id.
    pub id: toml::Spanned<String>,
    /// The file, relative to the study's own folder.
    pub file: String,
    /// Who measured it, where it was published, under which licence.
    pub origin: String,
    /// What the file's name or paper says of it: kernel, policy, method.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Distance of two activations, where the file does not say it.
    #[serde(default, deserialize_with = "toml_values::maybe_duration")]
    pub period: Option<Duration>,
    /// How many activations were due by the experiment's own description, where the file does not say it.
    pub due: Option<u64>,
    /// How the thread waited, where the file does not say it.
    pub method: Option<TimerMethod>,
}
