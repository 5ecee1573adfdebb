//! From a scenario and a request's options to a question: what the options say wins over what the scenario says.

use super::options::{OverheadsChoice, SchedulerOptions};
use super::shape::Clusters;
use crate::error::Error;
use prazo_analysis::chain::activation::{self, Unsettled};
use prazo_analysis::question::{Answer, JobRanking, Method, Priorities, Question, Shape as Sharing, answer};
use prazo_analysis::{Finding, Reason, Task, TaskSet, TimeModel, Verdict, gedf, served};
use prazo_core::behaviour::{Behaviours, CriticalityMode, Supply};
use prazo_core::cpu::{CPUS_MAX, Cpu, CpuSet};
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_scenario::read::record::SetRecord;
use prazo_scenario::{Criterion, OverheadTable, ResolvedBehaviours, Scenario, Unit, overheads, set};

/// The most processors that can be asked about.
const PROCESSORS_MAX: u32 = CPUS_MAX as u32;

/// One question with everything it borrows from.
#[derive(Clone, Debug)]
pub struct PosedQuestion {
    /// The scenario, with the overheads that the options chose.
    pub scenario: Scenario,
    /// What had to be assumed.
    pub remarks: Vec<String>,
    tasks: Vec<Task>,
    ranks: Vec<u32>,
    places: Option<Vec<Option<u32>>>,
    behaviours: ResolvedBehaviours,
    policy: set::JobRanking,
    processors: u32,
    clusters: Option<Vec<u32>>,
    ones: Vec<u32>,
    time: TimeModel,
    /// The task that another activates and whose release jitter is not known.
    unsettled: Option<Unsettled>,
}

/// Findings about tasks that others activate.
const ACTIVATION: &str = "activation";
const MIXED: &str = "tasks that other tasks activate are not covered with mixed criticality, because dropped jobs activate none; remove `activated` from the chain, or criticality and cost_high";
const UNSETTLED: &str = "no response-time bound was found for a task that activates another one, so the release times of the activated task are unknown";

impl PosedQuestion {
    /// What is asked of `scenario`.
    pub fn new(mut scenario: Scenario, options: &SchedulerOptions) -> Result<Self, Error> {
        apply_overheads(&mut scenario, options)?;
        check_behaviours(&scenario)?;
        let tasks = served::tasks(&scenario);
        let set = TaskSet::new(&tasks).map_err(|refused| Error::refused(refused).with_value(&scenario.name))?;
        let fewest = u32::try_from(set.utilization_ceil()).unwrap_or(u32::MAX).min(PROCESSORS_MAX);
        // A supply is of one processor.
        let fewest = if scenario.supply.is_some() { 1 } else { fewest };
        let shape = shape(&scenario, options, fewest)?;
        let processors = shape.sizes.as_ref().map(|sizes| sizes.iter().sum());
        let processors = processors.or(options.processors).or(scenario.processors).unwrap_or(fewest);
        let processors = in_range(&scenario.name, processors)?;
        let policy = policy(&scenario, options)?;
        let places = places(&scenario, shape.sizes.as_deref(), processors)?;
        let posed = Self {
            remarks: [scenario.remarks.clone(), shape.remarks].concat(),
            ranks: scenario.ranks().unwrap_or_default(),
            behaviours: ResolvedBehaviours::of(&scenario),
            ones: vec![1; processors as usize],
            time: options.time,
            clusters: shape.sizes,
            scenario,
            tasks,
            places,
            policy,
            processors,
            unsettled: None,
        };
        Ok(posed.settled())
    }

    /// The same where tasks that others activate have the release jitter that follows.
    fn settled(self) -> Self {
        if self.scenario.first_activated().is_none() {
            return self;
        }
        self.settled_by(&Method::default())
    }

    fn settled_by(self, method: &Method) -> Self {
        match activation::settled(&self.scenario, &self.question(), method) {
            Ok(tasks) => Self { tasks, unsettled: None, ..self },
            Err(unsettled) => Self { unsettled: Some(unsettled), ..self },
        }
    }

    /// The same for those who may split tasks: where no assignment of whole tasks bounds the responses, deadlines that a split keeps do.
    pub(crate) fn settled_with(self, method: &Method) -> Self {
        match self.unsettled {
            Some(_) if method.split => self.settled_by(&Method { split: true, ..Method::default() }),
            _ => self,
        }
    }

    /// True if the release jitter of tasks that others activate covers the responses of those, as `answer` has them.
    pub(crate) fn is_settled(&self, question: &Question<'_>, answer: &Answer, method: &Method) -> bool {
        self.unsettled.is_none() && activation::holds(&self.scenario, question, answer, method)
    }

    /// What is answered to `question`, which is one of this set's.
    ///
    /// The release jitter of tasks that others activate is a bound: with it nothing is disproven but by the long run. Nor is anything else
    /// where a task comes in bursts and has a longest distance of arrivals: the arrivals of a disproof may leave more between them.
    pub(crate) fn answer(&self, question: &Question<'_>, method: &Method) -> Result<Answer, Error> {
        // The search of all states lets any time pass between two arrivals, and its misses may need more than is allowed here.
        let is_bounded = self.scenario.tasks.iter().any(|task| task.conduct.max_inter_arrival.is_some());
        let method = &Method { states: if is_bounded { 0 } else { method.states }, ..method.clone() };
        let mut found = answer(question, method).map_err(Error::refused)?;
        let is_activated = self.scenario.first_activated().is_some();
        if !is_activated && !self.scenario.tasks.iter().any(is_burst_of_bounded_distance) {
            return Ok(found);
        }
        // In high mode, a task that a dropped job would activate need not arrive at all.
        let in_the_long_run = |finding: &Finding| {
            let may_not_arrive = is_activated && finding.mode == Some(CriticalityMode::High);
            finding.reason == Reason::Overdemand { window: None } && !may_not_arrive
        };
        if found.decided_by.as_ref().is_some_and(in_the_long_run) {
            return Ok(found);
        }
        if is_activated && question.behaviours.is_mixed() {
            return Ok(Answer { findings: vec![Finding::not_applicable(ACTIVATION, MIXED)], ..Answer::open() });
        }
        if is_activated && !self.is_settled(question, &found, method) {
            return Ok(Answer { findings: vec![Finding::not_applicable(ACTIVATION, UNSETTLED)], ..Answer::open() });
        }
        if found.verdict == Verdict::Disproven {
            (found.verdict, found.decided_by) = (Verdict::Unknown, None);
            found.findings = found.findings.into_iter().map(|finding| finding.of_uncharged(0)).collect();
            for bin in found.packings.iter_mut().flat_map(|packed| &mut packed.bins) {
                bin.finding = bin.finding.take().map(|finding| finding.of_uncharged(0));
            }
        }
        Ok(found)
    }

    /// The question for the shape asked for.
    pub fn question(&self) -> Question<'_> {
        let shape = match &self.clusters {
            Some(sizes) => Sharing::Clusters(sizes),
            None => Sharing::Global { processors: self.processors },
        };
        self.with_shape(shape)
    }

    /// The same question for those who want it answered: refused where no test knows the servers that it has.
    pub fn answerable(&self) -> Result<Question<'_>, Error> {
        let question = self.question();
        self.check_servers(&question)?;
        Ok(question)
    }

    /// The scenario with everything stated that the options decided: processors, who shares them, who ranks jobs.
    pub(crate) fn as_decided(&self) -> Scenario {
        Scenario {
            processors: Some(self.processors),
            clusters: self.clusters.clone(),
            policy: Some(self.policy),
            expect: None,
            ..self.scenario.clone()
        }
    }

    /// As [`check_plain`].
    pub(crate) fn check_plain(&self) -> Result<(), Error> {
        check_plain(&self.scenario)
    }

    /// Refuses a question about servers that no test answers.
    pub(crate) fn check_servers(&self, question: &Question<'_>) -> Result<(), Error> {
        served::check(&self.scenario, question).map_err(Error::refused)
    }

    /// Refuses a verdict that servers, and not the tasks, brought about.
    pub(crate) fn check_verdict(&self, verdict: Verdict) -> Result<(), Error> {
        served::check_verdict(&self.scenario, verdict).map_err(Error::refused)
    }

    /// Names of the tasks, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        self.scenario.tasks.iter().map(|task| task.name.clone()).collect()
    }

    /// What a reader of the answer should know.
    pub fn answer_remarks(&self) -> Vec<String> {
        let supply = self.scenario.supply.map(|supply| supplied(supply, self.scenario.unit));
        let suspension = suspended(&self.scenario);
        let modes = self.modes();
        let departures = supply.into_iter().chain(suspension).chain(modes).chain(self.activated()).collect();
        [self.remarks.clone(), departures, served::remarks(&self.scenario)].concat()
    }

    /// What two criticalities mean for the reader of an answer; `None` where there is one.
    fn modes(&self) -> Option<String> {
        self.scenario.first_of_high_criticality()?;
        let ranked = match self.policy {
            set::JobRanking::Edf => " Under EDF, jobs of high criticality have virtual deadlines in low mode.",
            set::JobRanking::FixedPriority(_) => "",
        };
        Some(format!(
            "The tasks have two criticalities. When a job runs longer than its cost, all jobs of low criticality are dropped until no job is pending; a proof then covers only jobs of high criticality.{ranked}"
        ))
    }

    /// How tasks that others activate are analysed.
    fn activated(&self) -> Vec<String> {
        let name = |task: usize| &self.scenario.tasks[task].name;
        if let Some(Unsettled { task, by }) = self.unsettled {
            if self.scenario.first_of_high_criticality().is_some() {
                return vec![format!(
                    "'{}' activates '{}', which is not covered with mixed criticality.",
                    name(by),
                    name(task)
                )];
            }
            return vec![format!(
                "'{0}' activates '{1}', but no bound on the response time of '{0}' was found.",
                name(by),
                name(task)
            )];
        }
        let of = |(task, one): (usize, Option<prazo_scenario::Activation>)| {
            let jitter = time(self.tasks[task].jitter, self.scenario.unit);
            Some(format!(
                "'{}' activates '{}'. Both arrive together, and the second task is released at most {jitter} later.",
                name(one?.by),
                name(task)
            ))
        };
        self.scenario.activations().into_iter().enumerate().filter_map(of).collect()
    }

    /// The same with one queue a processor; `None` where that is what was asked, or there is but one processor.
    pub fn partitioned(&self) -> Option<Question<'_>> {
        let worth_asking = self.clusters.is_none() && self.processors > 1;
        worth_asking.then(|| self.with_shape(Sharing::Clusters(&self.ones)))
    }

    fn with_shape<'a>(&'a self, shape: Sharing<'a>) -> Question<'a> {
        Question {
            tasks: &self.tasks,
            policy: match self.policy {
                set::JobRanking::Edf => JobRanking::Edf,
                set::JobRanking::FixedPriority(from) => JobRanking::FixedPriority(self.priorities(from)),
            },
            shape,
            places: self.places.as_deref(),
            behaviours: self.behaviours.borrow(),
            overheads: self.scenario.overheads.as_ref().map(OverheadTable::borrow),
            time: self.time,
        }
    }

    fn priorities(&self, from: set::Priorities) -> Priorities<'_> {
        match from {
            set::Priorities::RateMonotonic => Priorities::RateMonotonic,
            set::Priorities::DeadlineMonotonic => Priorities::DeadlineMonotonic,
            set::Priorities::Audsley => Priorities::Audsley,
            set::Priorities::Given => Priorities::Given(&self.ranks),
        }
    }
}

/// Refuses a supply, and tasks that block each other, come in bursts, suspend themselves or have two criticalities, for those who run tasks and cannot make
/// them do so.
pub(crate) fn check_plain(scenario: &Scenario) -> Result<(), Error> {
    let refused = |problem: String, remedy: &'static str| {
        Err(Error::refused(problem).with_value(&scenario.name).with_remedy(remedy))
    };
    if scenario.supply.is_some() {
        let problem = "the set has a supply, which this command does not support";
        return refused(
            problem.into(),
            "use `prazo sched test`, `prazo sched simulate` or `prazo sched verify`, or remove [supply]",
        );
    }
    if let Some(task) = scenario.first_activated() {
        let problem = format!("task '{}' is activated by another task, which this command does not support", task.name);
        return refused(
            problem,
            "use `prazo sched test` or `prazo sched simulate`, or remove `activated` from the chain of this task",
        );
    }
    match prazo_scenario::first_departing(scenario) {
        None => Ok(()),
        Some(task) if task.behaviour.cost_high.is_some() => refused(
            format!("task '{}' is of high criticality, and this command does not support mixed criticality", task.name),
            "use `prazo sched test`, `prazo sched simulate` or `prazo sched verify`, or remove `criticality` and `cost_high`",
        ),
        Some(task) if task.behaviour.suspension > 0 => refused(
            format!("task '{}' suspends itself, which this command does not support", task.name),
            "use `prazo sched test`, `prazo sched simulate` or `prazo sched verify`, or remove `suspends`",
        ),
        Some(task) => refused(
            format!(
                "task '{}' has non_preemptive, uses, burst or arrivals, which this command does not support",
                task.name
            ),
            "use `prazo sched test`, `prazo sched simulate` or `prazo sched verify`, or remove these keys",
        ),
    }
}

/// True if jobs of `task` come in bursts, and yet at most so far apart.
fn is_burst_of_bounded_distance(task: &set::NamedTask) -> bool {
    let comes_in_bursts = task.behaviour.burst.is_some() || task.behaviour.curve.is_some();
    comes_in_bursts && task.conduct.max_inter_arrival.is_some()
}

/// How long tasks suspend themselves, for the reader of an answer; `None` where none does.
fn suspended(scenario: &Scenario) -> Option<String> {
    let of = |task: &set::NamedTask| {
        format!("'{}' for at most {}", task.name, time(task.behaviour.suspension, scenario.unit))
    };
    let all: Vec<String> = scenario.tasks.iter().filter(|task| task.behaviour.suspension > 0).map(of).collect();
    let listed = all.join(", ");
    (!all.is_empty())
        .then(|| format!("Jobs suspend themselves ({listed}). A proof holds for all possible instants of suspension."))
}

pub(super) fn time(ticks: u64, unit: Option<Unit>) -> String {
    match unit {
        Some(unit) => Duration::from_ns(ticks.saturating_mul(unit.ns())).to_string(),
        None => counted(ticks, "tick").to_string(),
    }
}

/// What a supply means for the reader of an answer.
fn supplied(supply: Supply, unit: Option<Unit>) -> String {
    match supply {
        Supply::Periodic { budget, period } => format!(
            "The tasks run only within a supply of {} in every {}. The answer holds for every position of this budget within \
             each period.",
            time(budget, unit),
            time(period, unit)
        ),
        Supply::BoundedDelay { rate, delay } => format!(
            "The tasks run only within a supply with a rate of {rate} of the processor after a delay of {}. The answer holds for every supply that, in any interval, gives at least this rate of the time after the delay.",
            time(delay, unit)
        ),
    }
}

/// Refuses changes of costs and periods of tasks that have two criticalities: a cost in high mode would have to change with them.
pub(crate) fn check_one_criticality(scenario: &Scenario, option: &'static str) -> Result<(), Error> {
    match scenario.first_of_high_criticality() {
        None => Ok(()),
        Some(task) => {
            let problem = format!(
                "task '{}' is of high criticality, and mixed criticality is not covered by {option}",
                task.name
            );
            Err(Error::refused(problem).with_value(&scenario.name).with_remedy("use `prazo sched test` alone"))
        }
    }
}

/// Refuses a task that has both a server and a behaviour: no formula covers both.
fn check_behaviours(scenario: &Scenario) -> Result<(), Error> {
    let has_both = |task: &&set::NamedTask| {
        task.conduct.server.is_some() && task.behaviour != prazo_scenario::TaskBehaviour::default()
    };
    let is_mixed = scenario.first_of_high_criticality().is_some();
    let served = scenario.tasks.iter().find(|task| task.conduct.server.is_some());
    if let Some(task) = served.filter(|_| is_mixed) {
        let problem =
            format!("task '{}' has a server, which is not supported together with mixed criticality", task.name);
        let remedy = "remove server_budget and server_period, or criticality and cost_high";
        return Err(Error::refused(problem).with_value(&scenario.name).with_remedy(remedy));
    }
    match scenario.tasks.iter().find(has_both) {
        None => Ok(()),
        Some(task) => {
            let problem = format!(
                "task '{}' has a server, which is not supported together with blocking, bursts or self-suspension",
                task.name
            );
            let remedy = "remove server_budget, or non_preemptive, uses, burst, arrivals and suspends";
            Err(Error::refused(problem).with_value(&scenario.name).with_remedy(remedy))
        }
    }
}

/// As the options say, else as the scenario says; tasks that are tied to processors need one queue each.
fn shape(scenario: &Scenario, options: &SchedulerOptions, fewest: u32) -> Result<Clusters, Error> {
    let said = options.processors.or(scenario.processors);
    let in_all = |usual: u32| in_range(&scenario.name, said.unwrap_or(usual));
    match (&options.shape, options.processors, tied_to(scenario)) {
        (Some(choice), ..) => choice.clusters(in_all(fewest)?),
        (None, None, _) if scenario.clusters.is_some() => Ok(Clusters::plain(scenario.clusters.clone())),
        (None, _, Some(most)) => Ok(Clusters::plain(Some(vec![1; in_all(most)? as usize]))),
        (None, _, None) => Ok(Clusters::plain(None)),
    }
}

/// How many processors the tasks that are tied to some name at least; `None` if none is tied.
fn tied_to(scenario: &Scenario) -> Option<u32> {
    let last_of =
        |task: &set::NamedTask| task.cluster.or(task.affinity.and_then(|cpus| cpus.iter().last()).map(Cpu::number));
    scenario.tasks.iter().filter_map(last_of).max().map(|last| last + 1)
}

/// As many processors as the readers of task sets and the rest of the program know of.
fn in_range(name: &str, processors: u32) -> Result<u32, Error> {
    match processors {
        1..=PROCESSORS_MAX => Ok(processors),
        _ => Err(Error::refused(format!("{processors} processors are not possible"))
            .with_value(name)
            .with_remedy(format!("give 1 to {PROCESSORS_MAX}"))),
    }
}

fn apply_overheads(scenario: &mut Scenario, options: &SchedulerOptions) -> Result<(), Error> {
    match &options.overheads {
        Some(OverheadsChoice::Nothing) => scenario.overheads = None,
        Some(OverheadsChoice::Table(file)) => {
            let name = file.display().to_string();
            let unread = |error| {
                Error::field("overheads", error).with_value(&name).with_remedy("name a readable overheads table")
            };
            let text = std::fs::read_to_string(file).map_err(unread)?;
            scenario.overheads = Some(overheads::read(&name, &text, scenario.unit).map_err(Error::refused)?);
        }
        None => {}
    }
    Ok(())
}

fn policy(scenario: &Scenario, options: &SchedulerOptions) -> Result<set::JobRanking, Error> {
    let said = match scenario.policy {
        Some(set::JobRanking::FixedPriority(from)) => from,
        _ if scenario.ranks().is_some() => set::Priorities::Given,
        _ => set::Priorities::DeadlineMonotonic,
    };
    let from = options.priorities.or(options.policy.and_then(Criterion::priorities)).unwrap_or(said);
    let policy = match (options.policy, options.priorities) {
        (Some(criterion), _) if criterion.has_fixed_priorities() => set::JobRanking::FixedPriority(from),
        // What no analysis knows is placed as EDF would be.
        (Some(_), _) => set::JobRanking::Edf,
        (None, Some(_)) => set::JobRanking::FixedPriority(from),
        (None, None) => scenario.policy.unwrap_or(set::JobRanking::Edf),
    };
    match policy {
        set::JobRanking::FixedPriority(set::Priorities::Given) if scenario.ranks().is_none() => {
            Err(Error::refused("some tasks state no priority")
                .with_value(&scenario.name)
                .with_remedy("give every task a priority, or choose --priorities dm"))
        }
        policy => Ok(policy),
    }
}

/// The queue that each task is tied to by its author; `None` if none is tied.
pub(super) fn places(
    scenario: &Scenario,
    clusters: Option<&[u32]>,
    processors: u32,
) -> Result<Option<Vec<Option<u32>>>, Error> {
    if scenario.tasks.iter().all(|task| task.cluster.is_none() && task.affinity.is_none()) {
        return Ok(None);
    }
    let place = |task: &set::NamedTask| match (task.cluster, task.affinity) {
        (Some(cluster), _) => queue_number(scenario, task, cluster, clusters),
        (None, Some(affinity)) => queue_of(scenario, task, affinity, clusters, processors),
        (None, None) => Ok(None),
    };
    scenario.tasks.iter().map(place).collect::<Result<_, _>>().map(Some)
}

fn queue_number(
    scenario: &Scenario,
    task: &set::NamedTask,
    cluster: u32,
    clusters: Option<&[u32]>,
) -> Result<Option<u32>, Error> {
    match clusters {
        None => Ok(None),
        Some(sizes) if (cluster as usize) < sizes.len() => Ok(Some(cluster)),
        Some(sizes) => {
            let (task, count) = (&task.name, sizes.len());
            Err(Error::refused(format!(
                "task '{task}' belongs to cluster {cluster}, but the number of clusters is {count}, and the first one is cluster 0"
            ))
            .with_value(&scenario.name)
            .with_remedy("change the task's cluster, or --shape"))
        }
    }
}

/// The cluster whose processors the affinity names; clusters take processors in order, from 0.
fn queue_of(
    scenario: &Scenario,
    task: &set::NamedTask,
    affinity: CpuSet,
    clusters: Option<&[u32]>,
    processors: u32,
) -> Result<Option<u32>, Error> {
    let covers =
        |from: u32, to: u32| (from..to).all(|number| Cpu::new(number).is_some_and(|cpu| affinity.contains(cpu)));
    if covers(0, processors) {
        return Ok(None);
    }
    let mut from = 0;
    for (index, size) in clusters.unwrap_or(&[]).iter().enumerate() {
        if covers(from, from + size) && affinity.count() as u32 == *size {
            return Ok(Some(index as u32));
        }
        from += size;
    }
    let task = &task.name;
    let problem = format!(
        "the affinity {affinity} of task '{task}' is neither all processors nor one cluster, and no test supports \
         such an affinity"
    );
    Err(Error::refused(problem)
        .with_value(&scenario.name)
        .with_remedy("choose a --shape that has these processors as one cluster"))
}

/// The question that one record of a batch asks, with what it borrows from.
pub(crate) struct RecordQuestion<'a> {
    record: &'a SetRecord,
    ranks: Vec<u32>,
    sizes: Option<Vec<u32>>,
    time: TimeModel,
}

impl<'a> RecordQuestion<'a> {
    /// What `record` asks, for arrivals as it says itself, or else as `time` has them.
    pub(crate) fn new(record: &'a SetRecord, time: TimeModel) -> Self {
        Self {
            record,
            ranks: (0..record.tasks.len() as u32).collect(),
            sizes: record.shape.clusters(record.processors),
            time: record.time.unwrap_or(time),
        }
    }

    /// The question.
    pub(crate) fn question(&self) -> Question<'_> {
        let record = self.record;
        let shape = match &self.sizes {
            Some(sizes) => Sharing::Clusters(sizes),
            None => Sharing::Global { processors: record.processors },
        };
        let policy = match record.policy {
            set::JobRanking::Edf => JobRanking::Edf,
            set::JobRanking::FixedPriority(from) => JobRanking::FixedPriority(match from {
                set::Priorities::RateMonotonic => Priorities::RateMonotonic,
                set::Priorities::DeadlineMonotonic => Priorities::DeadlineMonotonic,
                set::Priorities::Audsley => Priorities::Audsley,
                // A record's tasks stand in the order of their priorities.
                set::Priorities::Given => Priorities::Given(&self.ranks),
            }),
        };
        let overheads = record.overheads.as_ref().map(OverheadTable::borrow);
        Question {
            tasks: &record.tasks,
            policy,
            shape,
            places: None,
            behaviours: Behaviours::PLAIN,
            overheads,
            time: self.time,
        }
    }

    /// The method with the tests that the record names; the name that is no test's is the error.
    pub(crate) fn method(&self, method: &Method) -> Result<Method, String> {
        let Some(names) = &self.record.tests else { return Ok(method.clone()) };
        let tests = gedf::Test::find_all(names).map_err(|error| error.to_string())?;
        Ok(method.clone().with_tests(tests))
    }
}
