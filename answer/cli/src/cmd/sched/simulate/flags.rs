//! What `prazo sched simulate` is told: the scheduler, what varies, how long, and where the schedule goes.

use crate::exit::Failure;
use crate::flags::sched::{Asking, OrderFlag, PolicyFlag, PrioritiesFlag};
use clap::ValueEnum;
use prazo_core::overrun;
use prazo_core::time::Duration;
use prazo_core::time_model::TimeModel;
use prazo_sim::execution::Distribution;
use prazo_sim::model::{Arrivals, Offsets};
use prazo_sim::{Policy, Variation};
use std::path::PathBuf;

/// Who schedules, and what varies.
#[derive(clap::Args, Clone, Debug)]
pub struct Flags {
    /// Processors [default: the scenario's, else the fewest that the utilization needs]
    #[arg(long, short = 'm', value_name = "COUNT")]
    pub processors: Option<u32>,
    /// Who shares a ready queue: global, partitioned, sizes such as 2,2 or 4x2, or cache, smt from this machine
    #[arg(long, short, visible_alias = "clusters", value_name = "SHAPE")]
    pub shape: Option<String>,
    /// Who ranks jobs [default: the scenario's, else edf]
    #[arg(long, short)]
    pub policy: Option<RankFlag>,
    /// How long a job runs in turn under round robin
    #[arg(long, value_name = "TIME", default_value = "1ms")]
    pub quantum: Duration,
    /// Table of the platform's overheads (TOML), or `none` to leave the scenario's out
    #[arg(long, value_name = "FILE")]
    pub overheads: Option<PathBuf>,
    /// How long to simulate, as in 10s [default: until the schedule repeats, at most 10 million events]
    #[arg(long, short = 'D', value_name = "TIME")]
    pub horizon: Option<Duration>,
    /// Seed of all that is drawn; the same seed gives the same bytes
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// When the first jobs arrive
    #[arg(long, default_value = "synchronous")]
    pub offsets: OffsetsFlag,
    /// Later arrivals: periodic, or sporadic=0.5 for up to half a period more each time
    #[arg(long, value_name = "HOW", default_value = "periodic", value_parser = arrivals)]
    pub arrivals: Arrivals,
    /// Execution times: bound, uniform=0.5 for half the bound to all of it, bimodal=0.3 for a usual share and 1 in 100 all,
    /// overrun=1.5 for the bound and 1 in 100 half more
    #[arg(long, value_name = "HOW", default_value = "bound", value_parser = distribution)]
    pub execution: Distribution,
    /// What becomes of a job whose deadline passes
    #[arg(long, value_name = "HOW", default_value = "continue")]
    pub late: LateFlag,
}

/// What becomes of a job whose deadline passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LateFlag {
    /// It goes on; later jobs of its task wait
    Continue,
    /// It ends there
    Abort,
    /// It goes on, and its task's next job is left out
    SkipNext,
}

/// Who ranks jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RankFlag {
    /// Earliest deadline first
    Edf,
    /// Fixed priorities, as the tasks or the scenario state them, else deadline monotonic
    Fp,
    /// Shorter period first
    Rm,
    /// Shorter deadline first
    Dm,
    /// In the order of release, never preempting
    Fcfs,
    /// In turn, a quantum each
    Rr,
}

/// When the first jobs arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OffsetsFlag {
    /// All at once
    Synchronous,
    /// Each somewhere in its first period
    Random,
}

impl Flags {
    /// The same as the analysis asks, which knows policies that it can analyse.
    pub fn asking(&self) -> Asking {
        let (policy, priorities) = match self.policy {
            None => (None, None),
            Some(RankFlag::Fp) => (Some(PolicyFlag::Fp), None),
            Some(RankFlag::Rm) => (Some(PolicyFlag::Fp), Some(PrioritiesFlag::RateMonotonic)),
            Some(RankFlag::Dm) => (Some(PolicyFlag::Fp), Some(PrioritiesFlag::DeadlineMonotonic)),
            Some(RankFlag::Edf | RankFlag::Fcfs | RankFlag::Rr) => (Some(PolicyFlag::Edf), None),
        };
        Asking {
            processors: self.processors,
            clusters: self.shape.clone(),
            policy,
            priorities,
            overheads: self.overheads.clone(),
            tests: Vec::new(),
            all_tests: false,
            budget: prazo_analysis::question::Method::BUDGET,
            simulate: None,
            heuristics: Vec::new(),
            order: OrderFlag::DecreasingUtilization,
            inflate_once: false,
            time: TimeModel::Continuous,
        }
    }

    /// The policies that analysis does not know.
    pub fn unanalysed(&self) -> Option<Policy> {
        match self.policy {
            Some(RankFlag::Fcfs) => Some(Policy::FirstComeFirstServed),
            Some(RankFlag::Rr) => Some(Policy::RoundRobin { quantum_ns: self.quantum.as_ns() }),
            _ => None,
        }
    }

    /// What varies.
    pub fn variation(&self) -> Variation {
        Variation {
            seed: self.seed,
            offsets: match self.offsets {
                OffsetsFlag::Synchronous => Offsets::Synchronous,
                OffsetsFlag::Random => Offsets::Random,
            },
            arrivals: self.arrivals,
            distribution: self.execution,
            overrun: match self.late {
                LateFlag::Continue => overrun::Policy::Continue,
                LateFlag::Abort => overrun::Policy::Abort,
                LateFlag::SkipNext => overrun::Policy::SkipNext,
            },
        }
    }

    /// Refuses horizons that no run has.
    pub fn check(&self) -> Result<(), Failure> {
        match self.horizon {
            Some(horizon) if horizon.is_zero() || horizon.as_ns() > prazo_sim::model::NS_MAX => {
                Err(Failure::usage("--horizon: give it more than nothing and at most 73 years, as in 10s"))
            }
            _ => Ok(()),
        }
    }
}

/// `0.25` in thousandths.
fn thousandths(text: &str, most: f64) -> Result<u32, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=most).contains(share));
    share.map(|share| (share * 1_000.0).round() as u32).ok_or(format!("'{text}' is no number from 0 to {most}"))
}

/// `1.5` in thousandths: no less than the bound, which such a job exceeds.
fn beyond_the_bound(share: &str) -> Result<u32, String> {
    match thousandths(share, 1_000.0)? {
        least if least < 1_000 => Err(format!(
            "a job that overruns takes 1 or more of its bound, not {share}; for less write uniform={share}"
        )),
        enough => Ok(enough),
    }
}

/// `periodic`, `sporadic=0.5`.
pub fn arrivals(text: &str) -> Result<Arrivals, String> {
    match text.split_once('=').unwrap_or((text, "1")) {
        ("periodic", "1") => Ok(Arrivals::Periodic),
        ("sporadic", share) => Ok(Arrivals::Sporadic { extra_thousandths: thousandths(share, 1_000.0)? }),
        _ => Err("write periodic, sporadic or sporadic=0.5".to_owned()),
    }
}

/// `bound`, `uniform=0.5`, `bimodal=0.3`, `overrun=1.5`.
pub fn distribution(text: &str) -> Result<Distribution, String> {
    match text.split_once('=').unwrap_or((text, "")) {
        ("bound", "") => Ok(Distribution::Bound),
        ("uniform", share) if !share.is_empty() => {
            Ok(Distribution::Uniform { least_thousandths: thousandths(share, 1.0)? })
        }
        ("bimodal", share) if !share.is_empty() => {
            Ok(Distribution::Bimodal { usual_thousandths: thousandths(share, 1.0)?, one_in: 100 })
        }
        ("overrun", share) if !share.is_empty() => {
            Ok(Distribution::Overrun { rare_thousandths: beyond_the_bound(share)?, one_in: 100 })
        }
        _ => Err("write bound, uniform=0.5, bimodal=0.3 or overrun=1.5".to_owned()),
    }
}
