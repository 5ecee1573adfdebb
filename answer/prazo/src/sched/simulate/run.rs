//! From a scenario and a request's options to a simulated run, with everything that is said of it later.

use super::options::SimulationOptions;
use crate::error::Error;
use crate::progress::Stop;
use crate::sched::grants::Grants;
use crate::sched::place;
use crate::sched::question::PosedQuestion;
use prazo_analysis::question::{self, Method, Priorities, Question};
use prazo_core::event::Event;
use prazo_core::overheads::Overheads;
use prazo_core::ratio::Ratio;
use prazo_core::text::counted;
use prazo_core::time::{Duration, Instant};
use prazo_report::words;
use prazo_scenario::{Arrival, Scenario, Unit};
use prazo_sim::chains::{ChainFigures, ChainObserver};
use prazo_sim::model::{Arrivals, LONGEST};
use prazo_sim::sink::{Nowhere, Sink, Until, Windows};
use prazo_sim::{Limits, Miss, Model, Policy, Request, SimulationError, SimulationResult, simulate};

/// Events after which a run without a horizon ends, repeated or not.
const EVENTS_MAX: u64 = 10_000_000;
/// Ticks of a set without a unit are taken for microseconds, as a batch's are.
const NS_OF_A_BARE_TICK: u64 = 1_000;

/// A run and what it was of.
pub(crate) struct SimulatedRun {
    pub(crate) name: String,
    pub(crate) names: Vec<String>,
    pub(crate) policy: String,
    pub(crate) clusters: Vec<u32>,
    pub(crate) places: Vec<u32>,
    pub(crate) seed: u64,
    pub(crate) ns_per_tick: u64,
    pub(crate) remarks: Vec<String>,
    pub(crate) outcome: SimulationResult,
    /// By chain: its name and what was seen of it.
    pub(crate) chains: Vec<(String, ChainFigures)>,
    /// The events around each miss that is described.
    pub(crate) around: Vec<Vec<Event>>,
    pub(crate) model: Model,
    is_preemptive: bool,
    stop: Stop,
}

/// Simulates `scenario` as the options ask; where packings compete, `grants` tells which of them Linux admits.
///
/// # Errors
/// The set cannot be simulated as asked, or `stop` was set before the end.
pub(crate) fn run(
    scenario: Scenario,
    options: &SimulationOptions,
    grants: &Grants,
    stop: Stop,
) -> Result<SimulatedRun, Error> {
    let unit = scenario.unit;
    let posed = PosedQuestion::new(scenario, &options.scheduler)?;
    let question = posed.question();
    let policy = options.unanalysed().map_or_else(|| policy(&question), Ok)?;
    let placed = place::place(&question, grants);
    let (tasks, conduct) = (posed.scenario.tasks(), posed.scenario.conduct());
    let request = Request {
        tasks: &tasks,
        conduct: &conduct,
        behaviours: question.behaviours,
        ns_per_tick: unit.map_or(NS_OF_A_BARE_TICK, Unit::ns),
        clusters: &placed.clusters,
        places: &placed.places,
        policy: &policy,
        overheads: question.overheads.unwrap_or(Overheads::NONE),
        variation: options.variation,
    };
    let model = Model::new(&request)
        .and_then(|model| model.with_activations(&posed.scenario.activations(), request.ns_per_tick));
    let model = model.map_err(|cause| Error::refused(named(&cause, &posed.names())))?;
    let factor = if question.behaviours.is_mixed() { virtual_deadlines(&question)? } else { None };
    let model = match factor {
        Some(factor) => model.with_virtual_deadlines(factor),
        None => model,
    };
    let limits = limits(options);
    let outcome = simulate(&model, &limits, until(&stop, Nowhere));
    let chains = observed(&posed.scenario, &model, &outcome, request.ns_per_tick, &stop);
    let names = posed.names();
    let mut remarks: Vec<String> =
        stopped(&outcome, &limits).into_iter().chain(posed.remarks.iter().cloned()).collect();
    remarks.extend(unit.is_none().then(|| "The set has no unit of time. One tick is simulated as 1 µs.".to_owned()));
    remarks.extend(placed.crowded.iter().map(|task| {
        format!("No packing has room for task '{}'. It is simulated on the least loaded queue.", names[*task])
    }));
    let is_virtual = matches!(policy, Policy::EarliestDeadlineFirst) && question.behaviours.is_mixed();
    remarks.extend(is_virtual.then(|| match factor {
        Some(factor) => {
            format!("In low mode, jobs of high criticality are ranked by {factor} of their relative deadline, rounded up to whole nanoseconds.")
        }
        None => {
            "EDF with virtual deadlines does not prove the set. All jobs are ranked by their own deadlines.".to_owned()
        }
    }));
    remarks.extend(at_their_fastest(&posed.scenario, options));
    let around = around(&model, &outcome, &stop);
    not_stopped(&stop)?;
    Ok(SimulatedRun {
        name: posed.scenario.name.clone(),
        names,
        is_preemptive: options.unanalysed().is_none(),
        policy: name(&policy).to_owned(),
        clusters: placed.clusters,
        places: placed.places,
        seed: options.variation.seed,
        ns_per_tick: unit.map_or(NS_OF_A_BARE_TICK, Unit::ns),
        remarks,
        outcome,
        chains,
        around,
        model,
        stop,
    })
}

/// The factor by which EDF proves a set of two criticalities.
fn virtual_deadlines(question: &Question<'_>) -> Result<Option<Ratio>, Error> {
    let method = Method { disprove: false, ..Method::default() };
    Ok(question::answer(question, &method).map_err(Error::refused)?.virtual_deadlines)
}

/// What `refused` says, with the name of its task.
fn named(refused: &SimulationError, names: &[String]) -> String {
    let text = refused.to_string();
    match refused.task().and_then(|task| Some((task, names.get(task)?))) {
        Some((task, name)) => text.replacen(&format!("task {task}"), &format!("task '{name}'"), 1),
        None => text,
    }
}

/// A sink whose run ends once `stop` is set.
fn until<S: Sink>(stop: &Stop, sink: S) -> Until<impl Fn() -> bool + '_, S> {
    Until { is_over: || stop.is_set(), sink }
}

fn not_stopped(stop: &Stop) -> Result<(), Error> {
    if stop.is_set() { Err(Error::Interrupted) } else { Ok(()) }
}

/// What is seen of each chain in the same run; where that repeats, over some more periods of the repetition, which data may need.
fn observed(
    scenario: &Scenario,
    model: &Model,
    outcome: &SimulationResult,
    ns_per_tick: u64,
    stop: &Stop,
) -> Vec<(String, ChainFigures)> {
    if scenario.chains.is_empty() {
        return Vec::new();
    }
    let mut horizon = outcome.end;
    if let Some(repeats) = outcome.repeats {
        (0..4).for_each(|_| horizon = horizon.saturating_add(repeats.period));
    }
    let limits = Limits { horizon, events: EVENTS_MAX, stop_when_repeating: false };
    let mut observer = ChainObserver::new(&scenario.chains, model, ns_per_tick, Nowhere);
    let _ = simulate(model, &limits, until(stop, &mut observer));
    scenario.chains.iter().map(|chain| chain.name.clone()).zip(observer.figures()).collect()
}

impl SimulatedRun {
    /// The same run again up to `end`, for a sink that wants to see it.
    pub(crate) fn again<S: Sink>(&self, end: Instant, sink: S) {
        let _ = simulate(&self.model, &Limits::until(end), until(&self.stop, sink));
    }

    /// Refuses what was made of a run that was stopped.
    pub(crate) fn check_whole(&self) -> Result<(), Error> {
        not_stopped(&self.stop)
    }

    /// Who shares a queue, in words.
    pub(crate) fn shape(&self) -> String {
        match self.clusters.as_slice() {
            [all] => format!("{}, one queue", counted((*all).into(), "processor")),
            sizes if sizes.iter().all(|size| *size == 1) => format!("{} processors, one queue each", sizes.len()),
            sizes => {
                let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
                format!("clusters of {} processors", sizes.join(" and "))
            }
        }
    }

    /// How long the simulated schedule is.
    pub(crate) fn length(&self) -> Duration {
        self.outcome.end.saturating_since(Instant::EPOCH)
    }

    /// What a repetition without a miss proves, and for whom.
    pub(crate) fn proof(&self) -> Option<String> {
        let repeats = self.outcome.repeats.filter(|_| self.outcome.figures.misses.is_empty() && self.is_preemptive)?;
        let single = self.clusters.iter().all(|size| *size == 1);
        let reach = if single {
            "On a processor with its own queue, simultaneous arrivals are the worst case, so sporadic tasks never \
             miss a deadline either."
        } else {
            "Where processors share a queue, sporadic tasks may still miss deadlines, and so may periodic \
             tasks with other offsets."
        };
        let period = words::latency(repeats.period.as_ns() as i64);
        Some(format!("The schedule repeats every {period}, so these periodic tasks never miss a deadline. {reach}"))
    }
}

/// What a run shows that ended at its limit of events.
fn stopped(outcome: &SimulationResult, limits: &Limits) -> Option<String> {
    (outcome.repeats.is_none() && outcome.figures.events >= limits.events && outcome.end < limits.horizon).then(|| {
        format!(
            "The simulation stopped at its limit of {}, before the schedule repeated. The result proves nothing about \
             later jobs.",
            counted(limits.events, "event")
        )
    })
}

/// What must be said where sporadic tasks are simulated as if they were periodic.
fn at_their_fastest(scenario: &Scenario, options: &SimulationOptions) -> Option<String> {
    let is_sporadic = scenario.tasks.iter().any(|task| task.arrival == Arrival::Sporadic);
    (is_sporadic && options.variation.arrivals == Arrivals::Periodic).then(|| {
        "Some tasks are sporadic. They are simulated at their highest rate; --arrivals sporadic=0.5 draws longer inter-arrival times."
            .to_owned()
    })
}

fn limits(options: &SimulationOptions) -> Limits {
    match options.duration {
        Some(horizon) => Limits::until(Instant::EPOCH + horizon),
        None => without_duration(),
    }
}

/// Until the schedule repeats, or enough has been seen.
pub(crate) fn without_duration() -> Limits {
    Limits { horizon: Instant::EPOCH + LONGEST, events: EVENTS_MAX, stop_when_repeating: true }
}

/// The policy that the question ranks by.
pub(super) fn policy(question: &Question<'_>) -> Result<Policy, Error> {
    Ok(match question.policy {
        question::JobRanking::Edf => Policy::EarliestDeadlineFirst,
        question::JobRanking::FixedPriority(Priorities::RateMonotonic) => Policy::RateMonotonic,
        question::JobRanking::FixedPriority(Priorities::DeadlineMonotonic) => Policy::DeadlineMonotonic,
        question::JobRanking::FixedPriority(Priorities::Given(ranks)) => Policy::FixedPriority(ranks.to_vec()),
        question::JobRanking::FixedPriority(Priorities::Audsley) => {
            let answered = question::answer(question, &Method::default()).map_err(Error::refused)?;
            let order = answered.priorities.ok_or_else(|| {
                Error::refused("Audsley's search gives no single order of all tasks")
                    .with_remedy("simulate with --policy dm or rm")
            })?;
            Policy::FixedPriority(ranks_of(&order))
        }
    })
}

/// The place of each task in `order`.
fn ranks_of(order: &[usize]) -> Vec<u32> {
    let mut ranks = vec![0; order.len()];
    order.iter().enumerate().for_each(|(rank, task)| ranks[*task] = rank as u32);
    ranks
}

/// What traces and tables call a policy.
fn name(policy: &Policy) -> &'static str {
    match policy {
        Policy::EarliestDeadlineFirst => "earliest deadline first",
        Policy::RateMonotonic => "rate monotonic",
        Policy::DeadlineMonotonic => "deadline monotonic",
        Policy::FixedPriority(_) => "fixed priority",
        Policy::FirstComeFirstServed => "first come first served",
        Policy::RoundRobin { .. } => "round robin",
    }
}

/// A second run passes by the same misses; what happens between arrival and end of each is kept.
fn around(model: &Model, outcome: &SimulationResult, stop: &Stop) -> Vec<Vec<Event>> {
    let misses = &outcome.figures.misses;
    let Some(last) = misses.iter().map(|miss| interval(miss).1).max() else { return Vec::new() };
    let mut windows = Windows::over(misses.iter().map(interval));
    let _ = simulate(model, &Limits::until(outcome.end.min(last)), until(stop, &mut windows));
    let until_its_end = |(window, miss): (prazo_sim::sink::Window, &Miss)| {
        let is_end = |event: &Event| {
            event.kind.name() == "completion" && event.task.index() == miss.task && event.job == miss.job
        };
        let end = window.events.iter().position(is_end).map_or(window.events.len(), |at| at + 1);
        window.events[..end].to_vec()
    };
    windows.windows.into_iter().zip(misses).map(until_its_end).collect()
}

fn interval(miss: &Miss) -> (Instant, Instant) {
    (miss.arrival, miss.deadline.saturating_add(miss.deadline - miss.arrival))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sched::simulate::files::ScheduleFiles;
    use prazo_core::task::Task;

    #[test]
    fn a_file_that_is_not_written_since_the_run_was_stopped_is_an_interruption() {
        let text = "processors = 1\n[task.a]\ncost = '1ms'\nperiod = '4ms'\n";
        let scenario = prazo_scenario::read::any("x.toml".as_ref(), text).unwrap();
        let stop = Stop::new().unwrap();
        let ran = run(scenario, &SimulationOptions::default(), &Grants::default(), stop).unwrap();
        ran.stop.stop();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.csv");
        let files = ScheduleFiles { csv: Some(file.clone()), ..ScheduleFiles::default() };
        assert!(matches!(files.write(&ran), Err(Error::Interrupted)) && !file.exists());
    }

    #[test]
    fn what_is_refused_names_its_task() {
        let text = "policy = 'edf'\nprocessors = 1\n[task.eye]\ncost = '1ms'\nperiod = '4ms'\nsuspends = '1ms'\n\
                    non_preemptive = 'whole'\n";
        let scenario = prazo_scenario::read::any("x.toml".as_ref(), text).unwrap();
        let ran = run(scenario, &SimulationOptions::default(), &Grants::default(), Stop::new().unwrap());
        let refused = ran.map(drop).unwrap_err().to_string();
        assert!(refused.contains("task 'eye' suspends itself"), "{refused}");
    }

    #[test]
    fn a_run_that_stops_at_its_limit_of_events_says_so_and_one_that_repeats_does_not() {
        let tasks = [Task::implicit(1_000, 4_000), Task::implicit(2_000, 7_000)];
        let request = Request {
            tasks: &tasks,
            conduct: &[],
            behaviours: prazo_core::behaviour::Behaviours::PLAIN,
            ns_per_tick: 1_000,
            clusters: &[1],
            places: &[0, 0],
            policy: &Policy::EarliestDeadlineFirst,
            overheads: Overheads::NONE,
            variation: prazo_sim::Variation::default(),
        };
        let model = Model::new(&request).unwrap();
        let said = |events| {
            let limits = Limits { events, ..without_duration() };
            stopped(&simulate(&model, &limits, Nowhere), &limits)
        };
        let text = said(8).unwrap();
        assert!(text.contains("limit of 8 events") && text.contains("proves nothing about later jobs"), "{text}");
        assert_eq!(said(10_000), None);
        let stop = Stop::new().unwrap();
        let ran = |stop: &Stop| simulate(&model, &without_duration(), until(stop, Nowhere));
        assert!(ran(&stop).repeats.is_some() && not_stopped(&stop).is_ok());
        stop.stop();
        let stopped = ran(&stop);
        assert_eq!((stopped.figures.events, stopped.end), (0, Instant::EPOCH));
        assert!(matches!(not_stopped(&stop), Err(Error::Interrupted)));
    }
}
