//! What a hunt is asked.

use super::budget::Budget;
use prazo_core::time::Duration;
use prazo_study::hunt::{Method, Task};
use std::path::PathBuf;

/// What is hunted for, where, and for how long.
#[derive(Clone, Debug)]
pub struct HuntRequest {
    /// The platform, `lab:NAME`.
    pub platform: String,
    /// The measured task, and how long a boot measures it.
    pub task: Task,
    /// Shortest time that the loads run before measuring starts.
    pub lead_in: Duration,
    /// The loads, each with its rate where that shall stay.
    pub loads: Vec<(String, Option<f64>)>,
    /// How candidates are chosen.
    pub method: Method,
    /// Everything that is drawn follows from this.
    pub seed: u64,
    /// When the search ends.
    pub budget: Budget,
    /// Guests at once.
    pub workers: usize,
    /// The address of a Dask scheduler, such as `tcp://host:8786`, whose workers make the boots of the search.
    pub scheduler: Option<String>,
    /// Whether the cause is looked for afterwards.
    pub proves: bool,
    /// Elapsed time after which a guest is terminated.
    pub timeout: Option<Duration>,
    /// Where results are kept; one of an earlier call with the same request goes on.
    pub folder: PathBuf,
}
