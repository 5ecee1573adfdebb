//! ROS 2 executors: bounds on the responses of callbacks, and whether chains of callbacks keep their deadlines.

use crate::error::Error;
use prazo_analysis::executor::{self, ChainBound, NoBound};
use prazo_analysis::{Budget, Ticks};
use prazo_core::text::{counted, printable};
use prazo_core::time::Duration;
use prazo_core::verdict::Verdict;
use prazo_scenario::executors::{Activator, ExecutorSet};
use prazo_scenario::{SupplyWords, Unit, read};
use prazo_verdict::Outcome;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// Which executors, at what cost.
#[derive(Clone, Debug)]
pub struct ExecutorsRequest {
    /// A file of executors.
    pub file: PathBuf,
    /// Work that all bounds together may cost, in evaluated terms.
    pub budget: u64,
}

/// Bounds for ROS 2 executors, as `--json` prints them; times are in ticks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TestedExecutors {
    /// File of the executors.
    pub file: String,
    /// Name of the file's system.
    pub name: String,
    /// Nanoseconds of one tick; null for a file without a unit of time.
    pub ns_per_tick: Option<u64>,
    /// Worst verdict of all chains with a deadline: `proven`, `disproven` or `unknown`. Without such a chain, `proven` if every
    /// callback has a bound, else `unknown`.
    pub verdict: &'static str,
    /// Bounds of the callbacks, in the order of the file.
    pub callbacks: Vec<CallbackRow>,
    /// Bounds of the chains, in the order of the file.
    pub chains: Vec<CallbackChainRow>,
    /// Notes for the reader.
    pub remarks: Vec<String>,
    #[serde(skip)]
    worst: Verdict,
}

/// Bound on the response time of one callback.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CallbackRow {
    /// Name of the callback.
    pub name: String,
    /// Name of the callback's executor.
    pub executor: String,
    /// What activates the callback: `timer`, `topic`, or `callback` for a topic that another callback of the file publishes.
    pub activation: &'static str,
    /// Longest execution time of the callback, in ticks.
    pub cost: Ticks,
    /// Bound on the time from the arrival of a timer event or message to the end of the callback, in ticks; null where there is none.
    pub response: Option<Ticks>,
    /// Release jitter: longest delay of an activation after its instant in the arrival pattern, in ticks; null where `response` is null.
    pub jitter: Option<Ticks>,
    /// Why there is no bound; null where there is one.
    pub reason: Option<String>,
}

/// Bound on the end-to-end latency of one chain of callbacks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CallbackChainRow {
    /// Name of the chain.
    pub name: String,
    /// Names of the chain's callbacks, from the first to the last.
    pub callbacks: Vec<String>,
    /// Bound on the time from the activation of the first callback to the end of the last, in ticks; null where there is none.
    pub at_most: Option<Ticks>,
    /// Latency of the chain, in ticks, if all callbacks run for their full cost and all messages take their full delay.
    pub at_least: Ticks,
    /// Largest latency that the file allows, in ticks; null where it requires nothing.
    pub deadline: Option<Ticks>,
    /// Whether the chain meets its deadline: `proven`, `disproven` or `unknown`; null without a deadline.
    pub verdict: Option<&'static str>,
    /// Why there is no bound; null where there is one.
    pub reason: Option<String>,
}

/// Bounds all callbacks and chains of a file.
///
/// # Errors
/// The file cannot be read, or states what is not modelled.
pub fn executors(request: &ExecutorsRequest) -> Result<TestedExecutors, Error> {
    let name = request.file.display().to_string();
    let text = std::fs::read_to_string(&request.file).map_err(|cause| Error::refused(cause).with_value(&name))?;
    let set = read::executors::read(&request.file, &text).map_err(Error::refused)?;
    Ok(TestedExecutors::new(name, &set, request.budget))
}

impl TestedExecutors {
    fn new(file: String, set: &ExecutorSet, budget: u64) -> Self {
        let found = executor::responses(set, &mut Budget::new(budget));
        let callbacks = set.callbacks.iter().zip(&found).map(|(callback, response)| CallbackRow {
            name: callback.name.clone(),
            executor: set.executors[callback.executor].name.clone(),
            activation: match callback.activation {
                Activator::Timer { .. } => "timer",
                Activator::External { .. } => "topic",
                Activator::Callback { .. } => "callback",
            },
            cost: callback.cost,
            response: response.ok().map(|response| response.bound),
            jitter: response.ok().map(|response| response.jitter),
            reason: response.err().map(|why| sentence(set, why)),
        });
        let bounds: Vec<ChainBound> = set.chains.iter().map(|chain| executor::chain(set, chain, &found)).collect();
        let chains = set.chains.iter().zip(&bounds).map(|(chain, bound)| CallbackChainRow {
            name: chain.name.clone(),
            callbacks: chain.callbacks.iter().map(|&index| set.callbacks[index].name.clone()).collect(),
            at_most: bound.at_most.ok(),
            at_least: bound.at_least,
            deadline: bound.deadline,
            verdict: bound.verdict().map(Verdict::name),
            reason: bound.at_most.err().map(|why| sentence(set, why)),
        });
        let verdicts: Vec<Verdict> = bounds.iter().filter_map(ChainBound::verdict).collect();
        let without =
            if verdicts.is_empty() && found.iter().any(Result::is_err) { Verdict::Unknown } else { Verdict::Proven };
        let worst = [Verdict::Disproven, Verdict::Unknown].into_iter().find(|verdict| verdicts.contains(verdict));
        let worst = worst.unwrap_or(without);
        let supplied = |words: &SupplyWords, supply| words.remark(supply, set.unit);
        Self {
            file,
            name: set.name.clone(),
            ns_per_tick: set.unit.map(Unit::ns),
            verdict: worst.name(),
            callbacks: callbacks.collect(),
            chains: chains.collect(),
            remarks: set
                .executors
                .iter()
                .filter_map(|executor| Some(supplied(executor.supply_words.as_ref()?, executor.supply?)))
                .collect(),
            worst,
        }
    }

    /// Pass if every chain keeps its deadline, fail if some chain cannot.
    pub fn outcome(&self) -> Outcome {
        self.worst.into()
    }

    fn time(&self, ticks: Ticks) -> String {
        match self.ns_per_tick.and_then(|unit| ticks.checked_mul(unit)) {
            Some(ns) => Duration::from_ns(ns).to_string(),
            None => counted(ticks, "tick").to_string(),
        }
    }
}

fn sentence(set: &ExecutorSet, why: NoBound) -> String {
    match why {
        NoBound::Overloaded(executor) => format!(
            "executor '{}' is overloaded: in the long run, its callbacks need all of its processor time or more",
            set.executors[executor].name
        ),
        NoBound::Activated(by) => {
            format!("callback '{}' has no bound, so the arrivals of its messages are unknown", set.callbacks[by].name)
        }
        NoBound::TooLong => "the bound exceeds 2^48 ticks".into(),
        NoBound::BudgetSpent => "the budget was used up; raise --budget".into(),
    }
}

impl fmt::Display for TestedExecutors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = match self.worst {
            Verdict::Proven if self.chains.iter().any(|chain| chain.deadline.is_some()) => {
                "PROVEN: every chain meets its deadline"
            }
            Verdict::Proven => "BOUNDED: every callback has a bound",
            Verdict::Disproven => "DISPROVEN: some chain can exceed its deadline",
            Verdict::Unknown => "UNKNOWN: not every bound is found, or some bound exceeds a deadline",
        };
        writeln!(f, "{head}")?;
        for chain in &self.chains {
            let path: Vec<_> = chain.callbacks.iter().map(|name| printable(name).to_string()).collect();
            write!(f, "\nchain {}: {}", printable(&chain.name), path.join(" > "))?;
            let deadline = chain.deadline.map_or("none".into(), |deadline| self.time(deadline));
            let bound = chain.at_most.map_or("none".into(), |bound| self.time(bound));
            write!(f, "\n  latency at most: {bound}; deadline: {deadline}")?;
            if let Some(verdict) = chain.verdict {
                write!(f, "; {verdict}")?;
            }
            if chain.verdict == Some("disproven") {
                write!(f, "\n  the costs and delays of the chain add up to {}", self.time(chain.at_least))?;
            }
            chain.reason.iter().try_for_each(|reason| write!(f, "\n  no bound: {reason}"))?;
        }
        for callback in &self.callbacks {
            let (name, executor) = (printable(&callback.name), printable(&callback.executor));
            write!(f, "\ncallback {name} on {executor}: ")?;
            match (callback.response, &callback.reason) {
                (Some(response), _) => write!(f, "response at most {}", self.time(response))?,
                (None, reason) => write!(f, "no bound: {}", reason.as_deref().unwrap_or_default())?,
            }
        }
        self.remarks.iter().try_for_each(|remark| write!(f, "\nRemark: {}", printable(remark)))
    }
}
