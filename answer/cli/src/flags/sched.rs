//! What `sched test`, `partition` and `deploy` ask of a task set: processors, shape, policy, overheads, tests and their budget.

use super::one_of;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use prazo::sched::{BATCH_SIMULATED_JOBS, OverheadsChoice, SchedulerOptions, ShapeChoice};
use prazo_analysis::gedf;
use prazo_analysis::partition::{Heuristic, Order, Strategy};
use prazo_analysis::question::{Inflate, Method};
use prazo_core::cpu::CPUS_MAX;
use prazo_core::time_model::TimeModel;
use prazo_scenario::{Criterion, Priorities};

/// How the question differs from what the scenario says.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct SchedulerFlags {
    /// Processors [default: the scenario's, else the fewest that the utilization needs]
    #[arg(long, short = 'm', value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=CPUS_MAX as i64))]
    pub processors: Option<u32>,
    /// Who shares a ready queue: global, partitioned, sizes such as 2,2 or 4x2, or cache, cache=2, smt from this machine
    #[arg(long, short, value_name = "SHAPE")]
    pub clusters: Option<ShapeChoice>,
    /// Who ranks jobs: earliest deadline first, or fixed priorities
    #[arg(long, short, value_parser = one_of::<Criterion>(&["edf", "fp"]))]
    pub policy: Option<Criterion>,
    /// Where fixed priorities come from: shorter periods or deadlines first, Audsley's search, or as the tasks state
    #[arg(long, value_parser = one_of::<Priorities>(Priorities::NAMES))]
    pub priorities: Option<Priorities>,
    /// Table of the platform's overheads (TOML), or `none` to leave the scenario's out
    #[arg(long, value_name = "FILE")]
    pub overheads: Option<OverheadsChoice>,
}

/// The question, and how it is answered.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct QuestionFlags {
    #[command(flatten)]
    pub options: SchedulerFlags,
    /// Tests for global EDF, in this order: gfb, bak, bcl, load, bcli, rta, ff-dbf, bar
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = test_names())]
    pub tests: Vec<gedf::Test>,
    /// Ask every test and heuristic, also when one has decided
    #[arg(long)]
    pub all_tests: bool,
    /// Work that each test may cost, in evaluated terms; a packing may cost it for each queue
    #[arg(long, value_name = "TERMS", default_value_t = Method::BUDGET)]
    pub budget: u64,
    /// Jobs of the schedule of synchronous arrivals to look at for a miss [default: 20000, of a batch 2000 a record]
    #[arg(long, value_name = "JOBS")]
    pub simulate: Option<u64>,
    /// Arrivals that a proof must hold for: continuous (at any instant) or discrete (at whole ticks only, as some published
    /// tools assume); a record of a batch may say its own
    #[arg(long, value_name = "MODEL", default_value_t)]
    pub time: TimeModel,
    /// Packing heuristics
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = one_of::<Heuristic>(Heuristic::NAMES))]
    pub heuristics: Vec<Heuristic>,
    /// Order in which the heuristics take tasks
    #[arg(long, default_value_t = Order::DecreasingUtilization, value_parser = one_of::<Order>(Order::NAMES))]
    pub order: Order,
    /// Charge overheads once to the whole set before packing, as Vitor 2013 words it, not to each queue by its tasks
    #[arg(long)]
    pub inflate_once: bool,
}

/// The tests' names in small letters, as flags are written.
fn test_names() -> impl TypedValueParser<Value = gedf::Test> {
    PossibleValuesParser::new(["gfb", "bak", "bcl", "load", "bcli", "rta", "ff-dbf", "bar"])
        .map(|name| gedf::Test::find(&name).expect("each listed name is a test's"))
}

impl SchedulerFlags {
    /// As the library takes it.
    pub(crate) fn options(&self) -> SchedulerOptions {
        SchedulerOptions {
            processors: self.processors,
            clusters: self.clusters.clone(),
            policy: self.policy,
            priorities: self.priorities,
            overheads: self.overheads.clone(),
            time: TimeModel::default(),
        }
    }
}

impl QuestionFlags {
    /// Who is scheduled how, and the arrivals that a proof must hold for.
    pub(crate) fn scheduler(&self) -> SchedulerOptions {
        SchedulerOptions { time: self.time, ..self.options.options() }
    }

    /// How the analysis shall go about it.
    pub(crate) fn method(&self) -> Method {
        let mut method =
            Method { all_tests: self.all_tests, budget: self.budget, packing_budget: self.budget, ..Method::default() };
        if !self.tests.is_empty() {
            method.tests = self.tests.clone();
        }
        let heuristics: Vec<Heuristic> = match self.heuristics.is_empty() {
            true => method.heuristics.iter().map(|strategy| strategy.heuristic).collect(),
            false => self.heuristics.clone(),
        };
        method.heuristics = heuristics.into_iter().map(|heuristic| Strategy { heuristic, order: self.order }).collect();
        method.simulated_jobs = self.simulate.unwrap_or(method.simulated_jobs);
        if self.inflate_once {
            method.inflate = Inflate::WholeSetOnce;
        }
        method
    }

    /// The same for each record of a batch, which has many to get through.
    pub(crate) fn batch_method(&self) -> Method {
        Method { simulated_jobs: self.simulate.unwrap_or(BATCH_SIMULATED_JOBS), ..self.method() }
    }
}
