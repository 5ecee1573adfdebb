//! The process that holds one load: what it is told, what it reports, and its two halves.
//!
//! ```text
//! prazo ──socket──► outer ──► inner (process 1 of the load's namespaces) ──► generators
//!                   owns the  turns the load on and off, adopts and
//!                   folder    collects every process, counts
//! ```
//!
//! Nothing is ended by name. When prazo ends, however it ends, its end of the socket closes; inner ends, and with process 1
//! the kernel ends all others of the namespace. Outer also watches prazo itself, in case a forgotten copy of the socket
//! is open in some child; and inner dies with outer. Only then does outer remove the folder.

mod descendants;
mod generator;
mod inner;
mod network;
mod outer;
mod station;

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use prazo_run::Caveat;
use prazo_run::plan::Rhythm;
use serde::{Deserialize, Serialize};

use super::cards::Cards;
use super::catalogue;
use super::containment::Containment;
use super::counters::Counters;
use super::kind::{Demand, Kind};

/// The hidden first argument that makes the program a keeper.
const ARGUMENT: &str = "__prazo-load-keeper";

/// What a keeper is told, as its third argument, in JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Order {
    /// The load's name in the catalogue.
    pub load: String,
    /// What is asked of it.
    pub demand: Demand,
    /// When it is on.
    pub rhythm: Option<Rhythm>,
    /// Decides the rhythm's lengths.
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
    /// The cards that its packets travel between; only for a load that is made for them.
    pub cards: Option<Cards>,
}

impl Order {
    /// The load, in the form that suits its place.
    fn kind(&self) -> Option<&'static Kind> {
        if self.cards.is_some() { catalogue::over_cards(&self.load) } else { catalogue::find(&self.load) }
    }
}

/// What a keeper reports: one JSON object a line. Times are nanoseconds of CLOCK_MONOTONIC.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "report")]
pub(super) enum Report {
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
const GO: u8 = b'g';

pub(super) use network::RECEIVER;
pub(super) use station::go;

/// Becomes a keeper if `args` ask for one.
pub(super) fn child_main(args: &[OsString]) -> Option<ExitCode> {
    let (first, rest) = args.split_first()?;
    if first != ARGUMENT {
        return None;
    }
    let half = rest.first().and_then(|half| half.to_str());
    let order = rest.get(1).and_then(|text| serde_json::from_str(text.to_str()?).ok());
    Some(match (half, order) {
        (Some("outer"), Some(order)) => outer::run(&order),
        (Some("inner"), Some(order)) => inner::run(&order),
        _ => {
            eprintln!("{ARGUMENT} is for prazo's own use");
            ExitCode::from(2)
        }
    })
}

/// The arguments that make the program half a keeper.
pub(super) fn arguments(half: &str, order: &Order) -> [OsString; 3] {
    let order = serde_json::to_string(order).expect("an order holds nothing that JSON cannot");
    [OsStr::new(ARGUMENT).into(), half.into(), order.into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_arguments_are_left_to_the_program() {
        assert!(child_main(&[]).is_none());
        assert!(child_main(&["measure".into(), ARGUMENT.into()]).is_none());
    }

    #[test]
    fn a_malformed_order_is_a_usage_error_and_starts_nothing() {
        for rest in [vec![], vec!["outer"], vec!["inner", "{}"], vec!["third", "{}"]] {
            let args: Vec<OsString> = std::iter::once(ARGUMENT).chain(rest).map(OsString::from).collect();
            assert!(child_main(&args).is_some());
        }
    }
}
