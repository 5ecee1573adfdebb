//! What the inversion prints: how long the most urgent task took under each protocol, how many switches it took, and whether that is as
//! the paper says.

use super::sets::Setting;
use prazo_core::event::{Event, Kind};
use prazo_report::words;
use prazo_run::jobs::{Protocol, SetRun, events};
use prazo_run::{Caveat, Run};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// What two responses to the same work may differ by, and the least by which an unbounded wait grows, as a share of what the middle
/// task executes more.
const SAME_SHARE: f64 = 0.1;
const GROWTH_SHARE: f64 = 0.9;
/// Switches that the nested tasks need at least, and papers/003's number of those beyond.
const NESTED_SWITCHES_MIN: u64 = 2;
const NESTED_SWITCHES_MORE: u64 = 4;

/// Everything, as `--json` prints it. Times are nanoseconds.
#[derive(Serialize, JsonSchema)]
pub struct Inverted {
    /// The run file.
    run_file: String,
    /// One for each set and protocol.
    settings: Vec<Row>,
    /// What papers/003 says, held against them.
    claims: Vec<Claim>,
    /// What threatens validity.
    caveats: Vec<Caveat>,
}

/// One set under one protocol.
#[derive(Serialize, JsonSchema)]
pub struct Row {
    /// Its name.
    name: String,
    /// What locks do for who holds them.
    protocol: Protocol,
    /// What the task in the middle executes; null for the nested tasks.
    middle_ns: Option<u64>,
    /// From the most urgent task's release to its completion, observed; null where it did not end.
    response_ns: Option<u64>,
    /// The same in the simulator.
    simulated_response_ns: u64,
    /// Switches from the first job's start to the most urgent one's end, observed.
    switches: u64,
    /// The same in the simulator.
    simulated_switches: u64,
}

/// A claim and whether it holds.
#[derive(Serialize, JsonSchema)]
struct Claim {
    claim: String,
    holds: bool,
}

impl Row {
    /// What was seen of a setting.
    pub fn new(setting: &Setting, set: &SetRun) -> Self {
        let simulated = setting.simulated();
        let urgent = set.jobs.iter().find(|job| job.task == 0);
        Self {
            name: setting.name.clone(),
            protocol: setting.protocol,
            middle_ns: setting.middle_ns,
            response_ns: urgent.and_then(|job| job.response_ns()),
            simulated_response_ns: simulated.completions_ns[0] - setting.urgent_release_ns(),
            switches: switches(&events::of(set)),
            simulated_switches: switches(&simulated.events),
        }
    }

    fn is_plain(&self) -> bool {
        self.protocol == Protocol::Plain
    }
}

/// Dispatches but the first, until the most urgent task has ended.
fn switches(events: &[Event]) -> u64 {
    let is_end = |event: &&Event| event.task.index() == 0 && matches!(event.kind, Kind::Completion { .. });
    let until = events.iter().take_while(|event| !is_end(event));
    (until.filter(|event| matches!(event.kind, Kind::Dispatch { .. })).count() as u64).saturating_sub(1)
}

impl Inverted {
    /// What is printed.
    pub fn new(settings: Vec<Row>, run: &Run, file: &Path) -> Self {
        let claims = vec![unbounded(&settings), bounded(&settings), four_more(&settings)];
        Self { run_file: file.display().to_string(), settings, claims, caveats: run.caveats.clone() }
    }

    /// True if every claim holds.
    pub fn holds(&self) -> bool {
        self.claims.iter().all(|claim| claim.holds)
    }

    /// The lines for people.
    pub fn text(&self) -> String {
        let ns = |ns: u64| words::latency(i64::try_from(ns).unwrap_or(i64::MAX));
        let time = |value: Option<u64>| value.map_or(words::ABSENT.to_owned(), ns);
        let mut lines =
            vec!["locks               middle  response of the most urgent  simulated  switches  simulated".to_owned()];
        lines.extend(self.settings.iter().map(|row| {
            format!(
                "{:<16} {:>9} {:>28} {:>10} {:>9} {:>10}",
                if row.middle_ns.is_some() { row.protocol.name() } else { &row.name },
                time(row.middle_ns),
                time(row.response_ns),
                ns(row.simulated_response_ns),
                row.switches,
                row.simulated_switches
            )
        }));
        let word = |claim: &Claim| if claim.holds { "holds" } else { "does not hold" };
        lines.extend(self.claims.iter().map(|claim| format!("{}: {}", claim.claim, word(claim))));
        lines.extend(self.caveats.iter().map(|caveat| format!("! {}: {}; {}", caveat.id, caveat.what, caveat.remedy)));
        lines.push(format!("run file: {}", self.run_file));
        lines.join("\n")
    }
}

/// Responses and middles of the sets of three.
fn responses(rows: &[Row], which: impl Fn(&Row) -> bool) -> Option<Vec<(u64, u64)>> {
    rows.iter()
        .filter(|row| which(row))
        .filter_map(|row| Some((row.middle_ns?, row)))
        .map(|(middle, row)| Some((middle, row.response_ns?)))
        .collect()
}

fn unbounded(rows: &[Row]) -> Claim {
    let grows = responses(rows, Row::is_plain).is_some_and(|all| {
        let grew = |two: &[(u64, u64)]| {
            two[1].1.abs_diff(two[0].1) as f64 >= GROWTH_SHARE * two[1].0.abs_diff(two[0].0) as f64
        };
        all.windows(2).all(grew) && all.iter().all(|(middle, response)| response >= middle)
    });
    let claim = "without inheritance the most urgent task waits as long as the middle one executes (papers/003)";
    Claim { claim: claim.to_owned(), holds: grows }
}

fn bounded(rows: &[Row]) -> Claim {
    let same = responses(rows, |row| !row.is_plain()).is_some_and(|all| {
        let (least, most) = (all.iter().map(|of| of.1).min(), all.iter().map(|of| of.1).max());
        least.zip(most).is_some_and(|(least, most)| (most - least) as f64 <= SAME_SHARE * least as f64)
    });
    let claim = "with inheritance or a ceiling it waits for the critical section alone, whatever the middle one executes (papers/003)";
    Claim { claim: claim.to_owned(), holds: same }
}

fn four_more(rows: &[Row]) -> Claim {
    let nested = rows.iter().find(|row| row.middle_ns.is_none() && row.protocol == Protocol::Inherit);
    let holds = nested.is_some_and(|row| row.switches == NESTED_SWITCHES_MIN + NESTED_SWITCHES_MORE);
    let claim = "three nested tasks under inheritance switch four times more than they need to (papers/003)";
    Claim { claim: claim.to_owned(), holds }
}
