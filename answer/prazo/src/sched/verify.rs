//! Re-checks a certificate with code that shares nothing with the analysis that wrote it, and says what it is about.

use super::question::places;
use crate::error::Error;
use crate::progress::Progress;
use prazo_analysis::chain::activation;
use prazo_analysis::question::{self, Method, Question, Shape, answer};
use prazo_analysis::{TaskSet, served};
use prazo_checker::{Accepted, JobRanking, Priorities};
use prazo_core::behaviour::{CriticalityMode, Phase};
use prazo_core::task::{Task, Ticks};
use prazo_core::text::{counted, printable};
use prazo_core::verdict::Verdict;
use prazo_scenario::{Activation, NamedTask, OverheadTable, ResolvedBehaviours, Scenario, read, set};
use prazo_verdict::Outcome;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};

/// Which certificate to check.
#[derive(Clone, Debug)]
pub struct VerifyRequest {
    /// A certificate that `test` wrote.
    pub file: PathBuf,
    /// A task set that it should be about.
    pub against: Option<PathBuf>,
}

/// Answer of the checker about a certificate, as `--json` prints it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Verified {
    /// File of the certificate.
    pub file: String,
    /// True if the checker accepts the certificate: every number in it holds.
    pub accepted: bool,
    /// The verdict that the certificate proves, `proven` or `disproven`; null if the certificate is rejected.
    #[serde(serialize_with = "prazo_platform::as_text::optional::serialize")]
    #[schemars(with = "Option<String>")]
    pub verdict: Option<Verdict>,
    /// Mode in which the certificate disproves a task set with two criticalities, `low` or `high`; else null.
    pub mode: Option<&'static str>,
    /// Assumptions of the verdict, or why the certificate is rejected.
    pub sentences: Vec<String>,
    /// SHA-256 of what is certified (policy, processors, tasks with their behaviours and offsets, and overheads); null if the certificate is rejected.
    pub digest: Option<String>,
    /// Policy by which jobs are ranked; null if the certificate is rejected.
    pub policy: Option<String>,
    /// Number of processors of each ready queue; null if the certificate is rejected.
    pub queues: Option<Vec<u32>>,
    /// Tasks of the certificate, in the order of their indices; null if the certificate is rejected.
    pub tasks: Option<Vec<CertifiedTask>>,
    /// Differences between the certificate and the scenario of `--against`; null without `--against`, or if the
    /// certificate is rejected.
    pub differences: Option<Vec<String>>,
    /// What could not be decided about the scenario of `--against`; null if `differences` is null.
    pub undecided: Option<Vec<String>>,
    /// File of the scenario of `--against`.
    #[serde(skip)]
    against: Option<PathBuf>,
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = if self.accepted { "ACCEPTED" } else { "REJECTED" };
        write!(f, "{}: {head}", printable(&self.file))?;
        self.sentences.iter().try_for_each(|sentence| write!(f, "\n- {}", printable(sentence)))?;
        self.digest.iter().try_for_each(|digest| write!(f, "\ndigest sha256 {digest}"))?;
        for (index, task) in self.tasks.iter().flatten().enumerate() {
            let CertifiedTask { cost, period, deadline, jitter, working_set_kib, offset, best_case } = task;
            write!(
                f,
                "\ntask {index}, in ticks: cost {cost}, period {period}, deadline {deadline}, jitter {jitter}; \
                 working set {working_set_kib} KiB"
            )?;
            if let Some((offset, best_case)) = offset.zip(*best_case) {
                write!(f, "; offset {offset}, best-case execution time {best_case}")?;
            }
        }
        let Some((differences, against)) = self.differences.as_ref().zip(self.against.as_ref()) else { return Ok(()) };
        let against = against.display().to_string();
        let against = printable(&against);
        let undecided = self.undecided.as_deref().unwrap_or_default();
        match (differences.len(), undecided.len()) {
            (0, 0) => write!(f, "\nThe certificate is about {against}."),
            (0, _) => write!(f, "\nUNDECIDED: the certificate may be about {against}"),
            (some, _) => {
                let some = counted(some as u64, "difference");
                write!(f, "\nDIFFERENT: the certificate is not about {against} ({some})")
            }
        }?;
        differences.iter().chain(undecided).try_for_each(|difference| write!(f, "\n- {}", printable(difference)))
    }
}

/// A task as it is in the certificate; times are in ticks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CertifiedTask {
    /// Cost of the task, in ticks.
    pub cost: Ticks,
    /// Period of the task, in ticks.
    pub period: Ticks,
    /// Relative deadline of the task, in ticks.
    pub deadline: Ticks,
    /// Release jitter of the task, in ticks.
    pub jitter: Ticks,
    /// Size of the task's working set, in KiB.
    pub working_set_kib: u64,
    /// Arrival of the task's first job, in ticks; null unless the task set is `synchronized`.
    pub offset: Option<Ticks>,
    /// Best-case execution time of a job, in ticks; null unless the task set is `synchronized`.
    pub best_case: Option<Ticks>,
}

fn certified(accepted: &Accepted) -> Vec<CertifiedTask> {
    accepted
        .tasks
        .iter()
        .enumerate()
        .map(|(index, task)| CertifiedTask::new(task, accepted.phases.get(index)))
        .collect()
}

impl CertifiedTask {
    fn new(task: &Task, phase: Option<&Phase>) -> Self {
        let Task { cost, period, deadline, jitter, working_set_kib, .. } = *task;
        let (offset, best_case) = phase.map(|phase| (phase.offset, phase.best_case)).unzip();
        Self { cost, period, deadline, jitter, working_set_kib, offset, best_case }
    }
}

impl Verified {
    /// Pass if the certificate holds and is about the scenario that it was compared with, inconclusive if the latter is not
    /// decided.
    pub fn outcome(&self) -> Outcome {
        let has_none = |of: &Option<Vec<String>>| of.as_ref().is_none_or(Vec::is_empty);
        match (self.accepted && has_none(&self.differences), has_none(&self.undecided)) {
            (false, _) => Outcome::Fail,
            (true, false) => Outcome::Inconclusive,
            (true, true) => Outcome::Pass,
        }
    }
}

/// Checks the certificate; one that does not hold is an answer, one that cannot be read an error.
pub fn verify(request: &VerifyRequest, _progress: &mut dyn Progress) -> Result<Verified, Error> {
    let name = request.file.display().to_string();
    let unread = |error| {
        Error::refused(error).with_value(&name).with_remedy("name a file that `prazo sched test --certificate` wrote")
    };
    let text = std::fs::read_to_string(&request.file).map_err(unread)?;
    verify_text(name, &text, request.against.as_deref())
}

/// The same of a certificate's text, which the answer calls `name`.
///
/// # Errors
/// The task set that it should be about cannot be read.
pub fn verify_text(name: String, text: &str, against: Option<&Path>) -> Result<Verified, Error> {
    // A scenario that cannot be read is to be corrected, whatever the certificate is worth.
    let scenario = against.map(read::file).transpose().map_err(Error::refused)?;
    Ok(Verified { against: against.map(Path::to_owned), ..verified(name, text, scenario.as_ref()) })
}

fn verified(file: String, text: &str, scenario: Option<&Scenario>) -> Verified {
    match prazo_checker::check(text) {
        Ok(accepted) => {
            let compared = scenario.map(|scenario| compared(&accepted, scenario, text));
            let (differences, undecided) = compared.unzip();
            Verified {
                file,
                accepted: true,
                verdict: Some(verdict(&accepted)),
                mode: accepted.mode.map(CriticalityMode::name),
                sentences: accepted.to_string().lines().map(|line| line.trim().to_owned()).collect(),
                digest: Some(accepted.digest.to_string()),
                policy: Some(accepted.ranking.to_string()),
                queues: Some(accepted.queues.clone()),
                tasks: Some(certified(&accepted)),
                differences,
                undecided,
                against: None,
            }
        }
        Err(rejected) => Verified {
            file,
            accepted: false,
            verdict: None,
            mode: None,
            sentences: vec![rejected.to_string()],
            digest: None,
            policy: None,
            queues: None,
            tasks: None,
            differences: None,
            undecided: None,
            against: None,
        },
    }
}

fn verdict(accepted: &Accepted) -> Verdict {
    match accepted.verdict {
        prazo_checker::Verdict::Proven => Verdict::Proven,
        prazo_checker::Verdict::Disproven => Verdict::Disproven,
    }
}

/// What `scenario` says differently, in the terms that the analysis is asked in, and what is not decided about it.
fn compared(accepted: &Accepted, scenario: &Scenario, text: &str) -> (Vec<String>, Vec<String>) {
    let mut tasks = served::tasks(scenario);
    // The release jitter of a task that another activates follows from the others: the set states no more than the least.
    let activations = scenario.activations();
    // What activates it ends at the earliest after its cost, so that no less can be the bound.
    for index in 0..tasks.len() {
        let Some(one) = &activations[index] else { continue };
        let least = tasks[one.by].cost.saturating_add(one.hop);
        let certified = accepted.tasks.get(index).map_or(0, |certified| certified.jitter);
        tasks[index].jitter = certified.max(tasks[index].jitter).max(least);
    }
    let policy = scenario.policy.map(|policy| policy_of(policy, scenario));
    let processors = accepted.queues.iter().sum();
    let placed = places(scenario, Some(&accepted.queues), processors);
    let free = || vec![None; scenario.tasks.len()];
    let places = placed.as_ref().ok().and_then(Clone::clone).unwrap_or_else(free);
    let behaviours = ResolvedBehaviours::of(scenario);
    let stated = prazo_checker::Scenario {
        tasks: &tasks,
        processors: scenario.processors,
        queues: scenario.clusters.as_deref(),
        policy: policy.as_ref(),
        places: Some(&places),
        behaviours: Some(behaviours.borrow()),
        overheads: scenario.overheads.as_ref().map(OverheadTable::borrow),
    };
    let all = accepted.differences(&stated);
    let mut all: Vec<String> = all.iter().map(ToString::to_string).collect();
    all.extend(placed.err().map(|error| error.to_string()));
    let certified: Vec<Option<u32>> = accepted.assignment.iter().copied().map(Some).collect();
    let question = asked(accepted, &certified, scenario, &behaviours);
    all.extend(served::check(scenario, &question).err().map(|refused| refused.to_string()));
    all.extend(served::check_verdict(scenario, verdict(accepted)).err().map(|refused| refused.to_string()));
    let undecided = match accepted.verdict {
        prazo_checker::Verdict::Disproven if may_be_illegal(accepted, scenario, text) => {
            Some("the set restricts its arrivals, and the arrivals of the disproof may violate this restriction")
        }
        prazo_checker::Verdict::Proven if all.is_empty() && !is_settled(accepted, scenario, &question) => Some(
            "it is unknown whether the release jitter of an activated task covers the response time of the task that activates it",
        ),
        _ => None,
    };
    (all, undecided.into_iter().map(str::to_owned).collect())
}

/// True if each task that another activates has a release jitter that covers the response of that one.
///
/// The checker takes the jitter as written. That it follows from the set is asked of the analysis, beside the proof. Where tasks are split, the proof
/// itself says what is known of each response: that it is within the deadline.
fn is_settled(accepted: &Accepted, scenario: &Scenario, question: &Question<'_>) -> bool {
    if !accepted.split.is_empty() {
        let is_covered = |(task, one): (&Task, &Option<Activation>)| {
            let Some(Activation { by, hop }) = one else { return true };
            accepted.tasks[*by].deadline.saturating_add(*hop) <= task.jitter
        };
        return accepted.tasks.iter().zip(&scenario.activations()).all(is_covered);
    }
    let method = Method::default();
    scenario.first_activated().is_none()
        || answer(question, &method).is_ok_and(|answer| {
            answer.verdict == Verdict::Proven && activation::holds(scenario, question, &answer, &method)
        })
}

/// The question that the certificate answers. Behaviours and overheads are those of the scenario.
fn asked<'a>(
    accepted: &'a Accepted,
    places: &'a [Option<u32>],
    scenario: &'a Scenario,
    behaviours: &'a ResolvedBehaviours,
) -> Question<'a> {
    Question {
        tasks: &accepted.tasks,
        policy: match &accepted.ranking {
            JobRanking::Edf => question::JobRanking::Edf,
            JobRanking::FixedPriority(from) => question::JobRanking::FixedPriority(match from {
                Priorities::RateMonotonic => question::Priorities::RateMonotonic,
                Priorities::DeadlineMonotonic => question::Priorities::DeadlineMonotonic,
                Priorities::AnyOrder => question::Priorities::Audsley,
                Priorities::Given(ranks) => question::Priorities::Given(ranks),
            }),
        },
        shape: Shape::Clusters(&accepted.queues),
        places: Some(places),
        behaviours: behaviours.borrow(),
        overheads: scenario.overheads.as_ref().map(OverheadTable::borrow),
        time: accepted.time,
    }
}

/// True if the disproof has arrivals, and the set may not allow them: more than the demand of the long run.
fn may_be_illegal(accepted: &Accepted, scenario: &Scenario, text: &str) -> bool {
    let processors: u64 = accepted.queues.iter().copied().map(u64::from).sum();
    let in_the_long_run = TaskSet::new(&accepted.tasks).is_ok_and(|set| set.utilization_ceil() > processors);
    let bounded = |task: &&NamedTask| task.conduct.max_inter_arrival.is_some();
    let comes_in_bursts = |task: &NamedTask| task.behaviour.burst.is_some() || task.behaviour.curve.is_some();
    let mut bounded = scenario.tasks.iter().filter(bounded);
    let is_searched = text.lines().any(|line| line.starts_with("because missed-in"));
    let departs = bounded.any(|task| is_searched || comes_in_bursts(task));
    !in_the_long_run && (scenario.first_activated().is_some() || departs)
}

/// A scenario's policy as certificates write it.
fn policy_of(policy: set::JobRanking, scenario: &Scenario) -> JobRanking {
    let from = match policy {
        set::JobRanking::Edf => return JobRanking::Edf,
        set::JobRanking::FixedPriority(from) => from,
    };
    JobRanking::FixedPriority(match from {
        set::Priorities::RateMonotonic => Priorities::RateMonotonic,
        set::Priorities::DeadlineMonotonic => Priorities::DeadlineMonotonic,
        set::Priorities::Audsley => Priorities::AnyOrder,
        set::Priorities::Given => Priorities::Given(scenario.ranks().unwrap_or_default()),
    })
}
