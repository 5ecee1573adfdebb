//! What `sched test` and `sched partition` ask of a task set: policy, shape, overheads, tests and their budget.

use clap::ValueEnum;
use prazo_analysis::gedf;
use prazo_analysis::partition::{Heuristic, Order, Strategy};
use prazo_core::cpu::CPUS_MAX;
use std::path::PathBuf;

/// How the question differs from what the scenario says.
#[derive(clap::Args, Clone, Debug)]
pub struct Asking {
    /// Processors [default: the scenario's, else the fewest that the utilization needs]
    #[arg(long, short = 'm', value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=CPUS_MAX as i64))]
    pub processors: Option<u32>,
    /// Who shares a ready queue: global, partitioned, sizes such as 2,2 or 4x2, or cache, cache=2, smt from this machine
    #[arg(long, short, value_name = "SHAPE")]
    pub clusters: Option<String>,
    /// Who ranks jobs
    #[arg(long, short)]
    pub policy: Option<PolicyFlag>,
    /// Where fixed priorities come from
    #[arg(long)]
    pub priorities: Option<PrioritiesFlag>,
    /// Table of the platform's overheads (TOML), or `none` to leave the scenario's out
    #[arg(long, value_name = "FILE")]
    pub overheads: Option<PathBuf>,
    /// Tests for global EDF, in this order: gfb, bak, bcl, load, bcli, rta, ff-dbf, bar
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub tests: Vec<TestFlag>,
    /// Ask every test and heuristic, also when one has decided
    #[arg(long)]
    pub all_tests: bool,
    /// Work that each test may cost, in evaluated terms; a packing may cost it for each queue
    #[arg(long, value_name = "TERMS", default_value_t = prazo_analysis::question::Method::BUDGET)]
    pub budget: u64,
    /// Jobs of the schedule of synchronous arrivals to look at for a miss [default: 20000, of a batch 2000 a record]
    #[arg(long, value_name = "JOBS")]
    pub simulate: Option<u64>,
    /// Packing heuristics
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub heuristics: Vec<HeuristicFlag>,
    /// Order in which the heuristics take tasks
    #[arg(long, default_value = "decreasing-utilization")]
    pub order: OrderFlag,
    /// Charge overheads once to the whole set before packing, as papers/004 words it, not to each queue by its tasks
    #[arg(long)]
    pub inflate_once: bool,
}

/// Who ranks jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PolicyFlag {
    /// Earliest deadline first
    Edf,
    /// Fixed priorities
    Fp,
}

/// Where fixed priorities come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PrioritiesFlag {
    /// Shorter period first
    RateMonotonic,
    /// Shorter deadline first
    DeadlineMonotonic,
    /// Audsley's search
    Audsley,
    /// As the tasks state
    Given,
}

/// A test for global EDF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum TestFlag {
    Gfb,
    Bak,
    Bcl,
    Load,
    Bcli,
    Rta,
    FfDbf,
    Bar,
}

/// A packing heuristic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, clippy::enum_variant_names)]
pub enum HeuristicFlag {
    FirstFit,
    WorstFit,
    BestFit,
    NextFit,
}

/// The order in which tasks are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum OrderFlag {
    AsGiven,
    DecreasingUtilization,
    DecreasingDensity,
    IncreasingDeadline,
    IncreasingPeriod,
}

impl From<TestFlag> for gedf::Test {
    fn from(flag: TestFlag) -> Self {
        match flag {
            TestFlag::Gfb => Self::Gfb,
            TestFlag::Bak => Self::Bak,
            TestFlag::Bcl => Self::Bcl,
            TestFlag::Load => Self::Load,
            TestFlag::Bcli => Self::Bcli,
            TestFlag::Rta => Self::Rta,
            TestFlag::FfDbf => Self::FfDbf,
            TestFlag::Bar => Self::Bar,
        }
    }
}

impl From<HeuristicFlag> for Heuristic {
    fn from(flag: HeuristicFlag) -> Self {
        match flag {
            HeuristicFlag::FirstFit => Self::FirstFit,
            HeuristicFlag::WorstFit => Self::WorstFit,
            HeuristicFlag::BestFit => Self::BestFit,
            HeuristicFlag::NextFit => Self::NextFit,
        }
    }
}

impl From<OrderFlag> for Order {
    fn from(flag: OrderFlag) -> Self {
        match flag {
            OrderFlag::AsGiven => Self::AsGiven,
            OrderFlag::DecreasingUtilization => Self::DecreasingUtilization,
            OrderFlag::DecreasingDensity => Self::DecreasingDensity,
            OrderFlag::IncreasingDeadline => Self::IncreasingDeadline,
            OrderFlag::IncreasingPeriod => Self::IncreasingPeriod,
        }
    }
}

#[derive(clap::Parser)]
struct Line {
    #[command(flatten)]
    asking: Asking,
}

impl Asking {
    /// Nothing but what the scenario says.
    pub fn as_said() -> Self {
        <Line as clap::Parser>::parse_from(["asking"]).asking
    }

    /// How the analysis shall go about it.
    pub fn method(&self) -> prazo_analysis::question::Method {
        use prazo_analysis::question::{Inflate, Method};
        let mut method = Method {
            all_tests: self.all_tests,
            budget: self.budget,
            packing_budget: self.budget,
            ..Method::default()
        };
        if !self.tests.is_empty() {
            method.tests = self.tests.iter().map(|flag| (*flag).into()).collect();
        }
        let heuristics: Vec<Heuristic> = match self.heuristics.is_empty() {
            true => method.heuristics.iter().map(|strategy| strategy.heuristic).collect(),
            false => self.heuristics.iter().map(|flag| (*flag).into()).collect(),
        };
        method.heuristics =
            heuristics.into_iter().map(|heuristic| Strategy { heuristic, order: self.order.into() }).collect();
        method.simulated_jobs = self.simulate.unwrap_or(method.simulated_jobs);
        if self.inflate_once {
            method.inflate = Inflate::WholeSetOnce;
        }
        method
    }
}
