//! What prazo and a keeper say to each other.

use super::super::cards::Cards;
use super::super::catalogue;
use super::super::containment::Containment;
use super::super::counters::Counters;
use super::super::load_kind::{Demand, LoadKind};
use prazo_run::Caveat;
use prazo_run::plan::Rhythm;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};

/// The hidden first argument that makes the program a keeper.
pub(super) const ARGUMENT: &str = "__prazo-load-keeper";

/// What a keeper is told, as its third argument, in JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeeperRequest {
    /// The load's name in the catalogue.
    pub load: String,
    /// What is asked of it.
    pub demand: Demand,
    /// When it is on.
    pub rhythm: Option<Rhythm>,
    /// Decides the rhythm's lengths, and what prazo's own generators do.
    pub seed: u64,
    /// How tightly to hold it.
    pub containment: Containment,
    /// The processors its programs may use.
    pub cpus: Vec<u32>,
    /// The search path for its programs.
    pub path: String,
    /// A folder of the load's own.
    pub work: std::path::PathBuf,
    /// False asks for loopback where two namespaces could be joined.
    pub join_namespaces: bool,
    /// Whether to count the load's system calls.
    pub counts_system_calls: bool,
    /// The cards that its packets travel between; only for a load that is made for them.
    pub cards: Option<Cards>,
}

impl KeeperRequest {
    /// The load, in the form that suits its place.
    pub(super) fn kind(&self) -> Option<&'static LoadKind> {
        if self.cards.is_some() { catalogue::over_cards(&self.load) } else { catalogue::find(&self.load) }
    }
}

/// What a keeper reports: one JSON object per line. Times are nanoseconds of CLOCK_MONOTONIC.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "report")]
pub(crate) enum Report {
    /// This containment is not to be had here; a weaker one may be.
    Refused { why: String },
    /// The load cannot be prepared; nothing was started.
    Failed { what: String },
    /// Prepared; waits for the word to go.
    Ready { commands: Vec<String>, caveats: Vec<Caveat> },
    /// The generators run from now on.
    On { at_ns: u64 },
    /// The generators have ended; what was counted while they ran.
    Off { from_ns: u64, to_ns: u64, counted: Box<Counters> },
    /// A generator ended by itself.
    Died { at_ns: u64, what: String },
    /// Processes that could not be ended in time, by their numbers.
    Left { pids: Vec<u32> },
}

/// The word that a keeper waits for between `Ready` and turning its load on.
pub(super) const GO: u8 = b'g';

/// The arguments that make the program half a keeper.
pub(crate) fn arguments(half: &str, request: &KeeperRequest) -> [OsString; 3] {
    let request = serde_json::to_string(request).expect("a request holds nothing that JSON cannot");
    [OsStr::new(ARGUMENT).into(), half.into(), request.into()]
}
