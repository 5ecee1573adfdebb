//! Many runs: JSON Lines in, JSON Lines out, one short answer a record, on all processors.

use super::options::SimulationOptions;
use crate::error::Error;
use crate::sched::grants::Grants;
use crate::sched::json_lines::{self, BatchCount, LineAnswer};
use crate::sched::place::{self, Placed};
use crate::sched::question::RecordQuestion;
use prazo_analysis::question::Question;
use prazo_core::overheads::Overheads;
use prazo_core::time::{Duration, Instant};
use prazo_core::time_model::TimeModel;
use prazo_scenario::read::record::{self, SetRecord};
use prazo_scenario::{Criterion, Priorities, set};
use prazo_sim::model::LONGEST;
use prazo_sim::sink::Nowhere;
use prazo_sim::{Limits, Model, Policy, Request, SimulationResult, simulate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{BufRead, Write};

/// A record's integers are microseconds.
const NS_PER_TICK: u64 = 1_000;

/// Result of one record, as one line of the output.
#[derive(Serialize, JsonSchema)]
pub struct SimulatedLine {
    /// The id of the record; null if it has none.
    pub id: Value,
    /// Absolute deadline of the first job that missed its deadline; null if no deadline was missed, or nothing was
    /// simulated.
    pub first_miss_us: Option<f64>,
    /// The longest tardiness in the simulation; null where nothing was simulated.
    pub max_tardiness_us: Option<f64>,
    /// Total number of releases, dispatches, preemptions and completions; null where nothing was simulated.
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

/// Simulates every line of `records`, and writes one line of `output` for each, a [`SimulatedLine`], in the same order.
pub fn simulate_batch(
    records: &mut dyn BufRead,
    output: &mut dyn Write,
    options: &SimulationOptions,
) -> Result<BatchCount, Error> {
    options.check()?;
    let answer = |line: &[u8]| {
        let answer = answered(line, options);
        let text = serde_json::to_string(&answer).expect("an answer is plain data");
        LineAnswer { text, refused: answer.error.is_some() }
    };
    json_lines::answer_all(records, output, answer)
}

fn answered(line: &[u8], options: &SimulationOptions) -> SimulatedLine {
    let Ok(line) = std::str::from_utf8(line) else {
        return refused(Value::Null, "the line is not text; write it in UTF-8".to_owned());
    };
    let read = serde_json::from_str::<Extra>(line).map_err(|error| error.to_string());
    let simulated = read.and_then(|extra| {
        let record = record::parse(line).map_err(|problem| problem.to_string())?;
        simulated(&record, &extra, options)
    });
    match simulated {
        Ok(outcome) => SimulatedLine {
            id: json_lines::identifier(line),
            first_miss_us: outcome.figures.misses.first().map(|miss| in_us(miss.deadline.as_ns())),
            max_tardiness_us: Some(in_us(outcome.figures.tardiness_max().as_ns())),
            events: Some(outcome.figures.events),
            error: None,
        },
        Err(error) => refused(json_lines::identifier(line), error),
    }
}

fn refused(id: Value, error: String) -> SimulatedLine {
    SimulatedLine { id, first_miss_us: None, max_tardiness_us: None, events: None, error: Some(error) }
}

fn in_us(ns: u64) -> f64 {
    ns as f64 / NS_PER_TICK as f64
}

/// Simulates one record, for as long as the request says, else until its schedule repeats.
///
/// # Errors
/// What is wrong with the record or the request, in words.
pub fn simulate_record(record: &SetRecord, options: &SimulationOptions) -> Result<SimulationResult, String> {
    options.check().map_err(|error| error.to_string())?;
    simulated(record, &Extra { horizon_us: None, seed: None }, options)
}

fn simulated(record: &SetRecord, extra: &Extra, options: &SimulationOptions) -> Result<SimulationResult, String> {
    let seed = extra.seed.unwrap_or(options.variation.seed);
    // As for one set: alike on every machine.
    let Modelled { model, .. } = modelled(record, options, &Grants::default(), seed)?;
    Ok(simulate(&model, &limits(extra, options)?, Nowhere))
}

/// A record as the simulator has it, with where its tasks run.
pub(crate) struct Modelled {
    pub(crate) model: Model,
    pub(crate) placed: Placed,
}

/// The model of a record; where packings compete, `grants` tells which of them Linux admits.
pub(crate) fn modelled(
    record: &SetRecord,
    options: &SimulationOptions,
    grants: &Grants,
    seed: u64,
) -> Result<Modelled, String> {
    let posed = RecordQuestion::new(record, TimeModel::Continuous);
    let question = posed.question();
    let placed = place::place(&question, grants);
    let policy = options.unanalysed().map_or_else(|| policy(record, &question, options.scheduler.policy), Ok)?;
    let request = Request {
        tasks: question.tasks,
        conduct: &[],
        behaviours: prazo_core::behaviour::Behaviours::PLAIN,
        ns_per_tick: NS_PER_TICK,
        clusters: &placed.clusters,
        places: &placed.places,
        policy: &policy,
        overheads: question.overheads.unwrap_or(Overheads::NONE),
        variation: prazo_sim::Variation { seed, ..options.variation },
    };
    let model = Model::new(&request).map_err(|refused| refused.to_string())?;
    Ok(Modelled { model, placed })
}

/// As `criterion` says, else as the record does, whose tasks stand in the order of their priorities; `question` is
/// that of the record.
fn policy(record: &SetRecord, question: &Question<'_>, criterion: Option<Criterion>) -> Result<Policy, String> {
    Ok(match (criterion, record.policy) {
        (Some(Criterion::RateMonotonic), _) | (None, set::JobRanking::FixedPriority(Priorities::RateMonotonic)) => {
            Policy::RateMonotonic
        }
        (Some(Criterion::DeadlineMonotonic), _)
        | (None, set::JobRanking::FixedPriority(Priorities::DeadlineMonotonic)) => Policy::DeadlineMonotonic,
        (Some(Criterion::FixedPriority), _) | (None, set::JobRanking::FixedPriority(Priorities::Given)) => {
            Policy::FixedPriority((0..record.tasks.len() as u32).collect())
        }
        (None, set::JobRanking::FixedPriority(Priorities::Audsley)) => {
            return super::run::policy(question).map_err(|error| error.to_string());
        }
        _ => Policy::EarliestDeadlineFirst,
    })
}

/// The record's horizon, else the request's, else until the schedule repeats.
fn limits(extra: &Extra, options: &SimulationOptions) -> Result<Limits, String> {
    let stated = extra.horizon_us.map(|us| Duration::from_ns(us.saturating_mul(NS_PER_TICK)));
    match stated.or(options.duration) {
        Some(horizon) if horizon.is_zero() || horizon > LONGEST => {
            Err("horizon_us: the horizon is zero or above 73 years; give a length above zero and at most 73 years"
                .to_owned())
        }
        Some(horizon) => Ok(Limits::until(Instant::EPOCH + horizon)),
        None => Ok(super::run::without_duration()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::task::Task;
    use prazo_scenario::Shape;

    #[test]
    fn a_record_is_simulated_in_the_order_that_audsleys_search_finds() {
        // Only the order in which the second task is more urgent meets both deadlines.
        let tasks = vec![Task::new(4, 10, 10), Task::new(2, 10, 3)];
        let policy = set::JobRanking::FixedPriority(Priorities::Audsley);
        let record = SetRecord::new(Some(1), tasks, Shape::Global, policy).expect("a record");
        let outcome = simulate_record(&record, &SimulationOptions::default()).expect("an order exists");
        assert!(outcome.figures.misses.is_empty());
    }
}
