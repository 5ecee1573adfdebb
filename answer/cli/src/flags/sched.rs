//! The scheduler and the analysis of the `sched` commands: processors, shape, policy, overheads, tests and their budget.

use super::{Meaning, Word, named, one_of};
use crate::exit::Failure;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use prazo::sched::{MethodOptions, OverheadsChoice, SchedulerChoice, SchedulerOptions};
use prazo_analysis::gedf;
use prazo_analysis::partition::{Heuristic, Order};
use prazo_analysis::question::{Inflate, Method};
use prazo_core::cpu::CPUS_MAX;
use prazo_core::time_model::TimeModel;
use prazo_scenario::{Criterion, Priorities};

/// The scheduler, where it differs from what the scenario says; `SIMULATED` adds the policies that only the simulator has.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Scheduler")]
pub(crate) struct SchedulerFlags<const SIMULATED: bool> {
    /// Number of processors [default: the scenario's]
    ///
    /// If the scenario does not state the number, the default is as few processors as the utilization needs.
    #[arg(long, short = 'm', value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=CPUS_MAX as i64))]
    processors: Option<u32>,
    /// Scheduler, such as global-edf or rm; or numbers of processors that share a ready queue, such as 2,2
    ///
    /// A shape is `global` (one ready queue), `partitioned` (a queue for each processor), or the sizes of clusters:
    /// `2,2`, or `4x2` for four clusters of two processors. `cache`, `cache=2` and `smt` make clusters of this machine's processors that share the last-level cache, the level-2 cache or a core. A scheduler is a shape and a policy:
    /// `global-edf`, `partitioned-rm`, `clustered-edf:2,2`. A policy alone, such as `rm`, is
    /// partitioned. [default: the scenario's]
    #[arg(long, short, value_name = "SHAPE")]
    shape: Option<SchedulerChoice>,
    /// Scheduling policy [default: the scenario's]
    ///
    /// If the scenario states no policy, the default is edf.
    #[arg(long, short, value_name = "POLICY", value_parser = policies(SIMULATED))]
    policy: Option<Criterion>,
    /// Source of fixed priorities [default: the scenario's, else dm]
    #[arg(long, value_name = "SOURCE", value_parser = priorities(), hide_short_help = true)]
    priorities: Option<Priorities>,
    /// Table of overheads: a TOML file, or `none` for no overheads
    #[arg(long, value_name = "FILE")]
    overheads: Option<OverheadsChoice>,
}

/// The simulator's policies.
const POLICIES: &[Meaning<Criterion>] = &[
    (Criterion::EarliestDeadlineFirst, "Earliest deadline first"),
    (Criterion::FixedPriority, "Fixed priorities, from --priorities"),
    (Criterion::RateMonotonic, "Fixed priorities, rate monotonic"),
    (Criterion::DeadlineMonotonic, "Fixed priorities, deadline monotonic"),
    (Criterion::FirstComeFirstServed, "First come, first served"),
    (Criterion::RoundRobin, "Round robin"),
];

/// Those of them that `sched` commands with this argument have: all, or those that analysis and Linux have too.
fn policies(is_simulated: bool) -> impl TypedValueParser<Value = Criterion> {
    named(Criterion::name, POLICIES.iter().filter(move |(criterion, _)| is_simulated || criterion.is_analysed()))
}

const PRIORITIES: &[Word<Priorities>] = &[
    ("given", "Each task states its own priority", Priorities::Given),
    ("rm", "Rate monotonic: shorter periods first", Priorities::RateMonotonic),
    ("dm", "Deadline monotonic: shorter deadlines first", Priorities::DeadlineMonotonic),
    ("audsley", "Audsley's priority assignment; only where each ready queue has one processor", Priorities::Audsley),
];

/// The words that help shows, and the longer ones of files.
fn priorities() -> impl TypedValueParser<Value = Priorities> {
    let shown = PRIORITIES.iter().map(|(word, meaning, priorities)| {
        let in_files = priorities.name();
        PossibleValue::new(*word).aliases((in_files != *word).then_some(in_files)).help(*meaning)
    });
    PossibleValuesParser::new(shown).map(|word| word.parse::<Priorities>().expect("each listed word is a source"))
}

/// The analysis of a task set.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct QuestionFlags {
    #[command(flatten)]
    scheduler: SchedulerFlags<false>,
    #[command(flatten)]
    analysis: AnalysisFlags,
}

/// The tests, and how far each is followed.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Analysis")]
struct AnalysisFlags {
    /// Run only these tests for global EDF, in this order [default: all, in the order of this list]
    ///
    /// If tests are named, the exhaustive state-space search is omitted, so a small task set that this search would decide may
    /// stay unknown.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = test_names(), ignore_case = true, hide_short_help = true)]
    tests: Vec<gedf::Test>,
    /// Run every test and heuristic, even after one has decided
    #[arg(long)]
    all_tests: bool,
    /// Work limit of each test: the number of terms that it may evaluate. A packing may use this much for each queue
    #[arg(long, value_name = "TERMS", default_value_t = Method::BUDGET, hide_short_help = true)]
    budget: u64,
    /// Simulate this many jobs after synchronous arrivals to find a miss [default: 20000; 2000 for each record of a batch]
    #[arg(long, value_name = "JOBS", hide_short_help = true)]
    simulate: Option<u64>,
    /// Arrivals that a proof covers: continuous (any instant) or discrete (whole ticks only)
    ///
    /// Some published tools assume discrete arrivals. A record of a batch may state its own model.
    #[arg(long, value_name = "MODEL", default_value_t, hide_short_help = true)]
    time: TimeModel,
    /// Packing heuristics to try
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = one_of::<Heuristic>(Heuristic::NAMES), hide_short_help = true)]
    heuristics: Vec<Heuristic>,
    /// Order in which the heuristics place tasks
    #[arg(long, default_value_t, value_parser = one_of::<Order>(Order::NAMES), hide_short_help = true)]
    order: Order,
    /// Charge overheads once to the whole set before packing (Vitor 2013); by default, each queue is charged for its own tasks
    #[arg(long, hide_short_help = true)]
    inflate_once: bool,
}

/// The tests' names, in capitals as the literature has them or in small letters.
fn test_names() -> impl TypedValueParser<Value = gedf::Test> {
    PossibleValuesParser::new(gedf::Test::NAMES)
        .map(|name| gedf::Test::find(&name).expect("each listed name is a test's"))
}

impl<const SIMULATED: bool> SchedulerFlags<SIMULATED> {
    /// As the library takes it.
    pub(crate) fn options(&self) -> Result<SchedulerOptions, Failure> {
        let options = SchedulerOptions {
            processors: self.processors,
            policy: self.policy,
            priorities: self.priorities,
            overheads: self.overheads.clone(),
            ..SchedulerOptions::default()
        };
        Ok(self.shape.clone().map_or(Ok(options.clone()), |choice| options.with_scheduler(choice))?)
    }
}

impl QuestionFlags {
    /// The scheduler, and the arrivals that a proof must cover.
    pub(crate) fn scheduler(&self) -> Result<SchedulerOptions, Failure> {
        Ok(SchedulerOptions { time: self.time(), ..self.scheduler.options()? })
    }

    /// The arrivals that a proof must cover.
    pub(crate) fn time(&self) -> TimeModel {
        self.analysis.time
    }

    /// The tests and their limits.
    pub(crate) fn method(&self) -> Method {
        self.analysis.options().method()
    }

    /// The same for each record of a batch.
    pub(crate) fn batch_method(&self) -> Method {
        self.analysis.options().batch_method()
    }
}

impl AnalysisFlags {
    /// As the library takes it.
    fn options(&self) -> MethodOptions {
        MethodOptions {
            tests: (!self.tests.is_empty()).then(|| self.tests.clone()),
            all_tests: self.all_tests,
            budget: Some(self.budget),
            simulated_jobs: self.simulate,
            heuristics: (!self.heuristics.is_empty()).then(|| self.heuristics.clone()),
            order: self.order,
            inflate: if self.inflate_once { Inflate::WholeSetOnce } else { Inflate::PerBin },
            split: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, Command};

    #[test]
    fn a_source_of_priorities_has_its_word_in_help_and_the_one_in_files() {
        let parsed = |word: &str| {
            let command = Command::new("prazo").arg(Arg::new("source").value_parser(priorities()));
            let found = command.try_get_matches_from(["prazo", word]).ok()?;
            found.get_one::<Priorities>("source").copied()
        };
        for (word, _, meant) in PRIORITIES {
            assert_eq!([*word, meant.name()].map(parsed), [Some(*meant); 2]);
        }
        assert_eq!(parsed("xm"), None);
    }
}
