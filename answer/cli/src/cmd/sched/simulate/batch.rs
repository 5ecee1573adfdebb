//! Many runs: JSON Lines in, JSON Lines out, one short answer a record, on all processors.

use super::flags::Flags;
use super::place::{self, Placed};
use crate::cmd::sched::ask::RecordAsked;
use crate::cmd::sched::lines::{self, LineAnswer};
use crate::exit::{Exit, Failure};
use prazo_core::overheads::Overheads;
use prazo_scenario::read::record::{self, Record};
use prazo_scenario::set;
use prazo_sim::sink::Nowhere;
use prazo_sim::{Limits, Model, Outcome, Policy, Request, simulate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

/// A record's integers are microseconds.
const NS_PER_TICK: u64 = 1_000;

/// One line of the output.
#[derive(Serialize, JsonSchema)]
pub struct SimulatedLine {
    /// The record's id, or null.
    pub id: Value,
    /// The first deadline that was missed; null if none was, or nothing was simulated.
    pub first_miss_us: Option<f64>,
    /// The longest observed tardiness; null where nothing was simulated.
    pub max_tardiness_us: Option<f64>,
    /// Releases, dispatches, preemptions and completions; null where nothing was simulated.
    pub events: Option<u64>,
    /// What is wrong with the record; null if nothing is.
    pub error: Option<String>,
}

/// What a record says for the simulator alone.
#[derive(Deserialize)]
struct Extra {
    horizon_us: Option<u64>,
    seed: Option<u64>,
}

/// Simulates every line of `file` (`-` is standard input).
pub fn run(file: &Path, flags: &Flags) -> Result<Exit, Failure> {
    lines::answer_all(file, |line| {
        let answer = answered(line, flags);
        let text = serde_json::to_string(&answer).expect("an answer is plain data");
        LineAnswer { text, refused: answer.error.is_some() }
    })
}

fn answered(line: &[u8], flags: &Flags) -> SimulatedLine {
    let Ok(line) = std::str::from_utf8(line) else {
        return refused(Value::Null, "the line is no text; write it in UTF-8".to_owned());
    };
    let read = serde_json::from_str::<Extra>(line).map_err(|error| error.to_string());
    let simulated = read.and_then(|extra| {
        let record = record::parse(line).map_err(|problem| problem.to_string())?;
        simulated(&record, &extra, flags)
    });
    match simulated {
        Ok(outcome) => SimulatedLine {
            id: lines::identifier(line),
            first_miss_us: outcome.figures.misses.first().map(|miss| in_us(miss.deadline_ns)),
            max_tardiness_us: Some(in_us(outcome.figures.tardiness_ns_max())),
            events: Some(outcome.figures.events),
            error: None,
        },
        Err(error) => refused(lines::identifier(line), error),
    }
}

fn refused(id: Value, error: String) -> SimulatedLine {
    SimulatedLine { id, first_miss_us: None, max_tardiness_us: None, events: None, error: Some(error) }
}

fn in_us(ns: u64) -> f64 {
    ns as f64 / NS_PER_TICK as f64
}

fn simulated(record: &Record, extra: &Extra, flags: &Flags) -> Result<Outcome, String> {
    let Modelled { model, .. } = modelled(record, flags, extra.seed.unwrap_or(flags.seed))?;
    Ok(simulate(&model, &limits(extra, flags)?, Nowhere))
}

/// A record as the simulator has it, with where its tasks run.
pub struct Modelled {
    pub model: Model,
    pub placed: Placed,
}

/// The model of a record.
pub fn modelled(record: &Record, flags: &Flags, seed: u64) -> Result<Modelled, String> {
    let asked = RecordAsked::new(record);
    let question = asked.question();
    let placed = place::place(&question);
    let policy = flags.unanalysed().unwrap_or_else(|| policy(record, flags));
    let request = Request {
        tasks: question.tasks,
        conduct: &[],
        ns_per_tick: NS_PER_TICK,
        clusters: &placed.clusters,
        places: &placed.places,
        policy: &policy,
        overheads: question.overheads.unwrap_or(Overheads::NONE),
        variation: prazo_sim::Variation { seed, ..flags.variation() },
    };
    let model = Model::new(&request).map_err(|refused| refused.to_string())?;
    Ok(Modelled { model, placed })
}

/// A record's tasks stand in the order of their priorities.
fn policy(record: &Record, flags: &Flags) -> Policy {
    use super::flags::RankFlag;
    match (flags.policy, record.policy) {
        (Some(RankFlag::Rm), _) => Policy::RateMonotonic,
        (Some(RankFlag::Dm), _) => Policy::DeadlineMonotonic,
        (Some(RankFlag::Fp), _) | (None, set::Policy::FixedPriority(_)) => {
            Policy::FixedPriority((0..record.tasks.len() as u32).collect())
        }
        _ => Policy::EarliestDeadlineFirst,
    }
}

/// The record's horizon, else the flag's, else until the schedule repeats.
fn limits(extra: &Extra, flags: &Flags) -> Result<Limits, String> {
    let stated_ns = extra.horizon_us.map(|us| us.saturating_mul(NS_PER_TICK));
    match stated_ns.or(flags.horizon.map(|horizon| horizon.as_ns())) {
        Some(ns) if ns == 0 || ns > prazo_sim::model::NS_MAX => {
            Err("horizon_us: it is zero or above 73 years; give it a length".to_owned())
        }
        Some(ns) => Ok(Limits::until(ns)),
        None => Ok(super::run::without_horizon()),
    }
}
