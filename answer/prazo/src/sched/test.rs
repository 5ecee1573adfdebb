//! Does a task set meet its deadlines, which test decides, and by what margin?

use super::certificate;
use super::options::{SchedulerOptions, TaskSet};
use super::partition;
use super::pattern;
use super::pieces;
use super::question::{PosedQuestion, check_one_criticality};
use super::region::{RegionOf, region};
use crate::error::Error;
use crate::output;
use crate::progress::{FileKind, Progress, Remark};
use prazo_analysis::Budget;
use prazo_analysis::chain;
use prazo_analysis::linux::{self, Admission};
use prazo_analysis::question::{Answer, Edge, Inflate, JobRanking, Lateness, Method, Question, edge, lateness};
use prazo_core::behaviour::Supply;
use prazo_core::ratio::Ratio;
use prazo_core::verdict::Verdict;
use prazo_report::schedulability::answered::{self, RegionRow, SensitivityRow, TardinessRow};
use prazo_report::schedulability::chains::{AnsweredChain, ChainRow};
use prazo_report::schedulability::{self, Answered, Dossier, Region};
use prazo_report::view::Document;
use prazo_scenario::{Scenario, Unit, write};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Which set, under which scheduler, by which method.
#[derive(Clone, Debug)]
pub struct TestRequest {
    /// The task set.
    pub tasks: TaskSet,
    /// How the question differs from what the scenario says.
    pub options: SchedulerOptions,
    /// Which tests, at what cost.
    pub method: Method,
    /// True to find out how far the set is from the edge, and what would have to change.
    pub sensitivity: bool,
    /// Two parameters over which to find the schedulable region.
    pub region: Option<RegionOf>,
    /// Where to write what is needed to re-check the verdict without trusting it.
    pub certificate: Option<PathBuf>,
    /// Where to write the arrivals of a disproof as a task set for `simulate`.
    pub pattern: Option<PathBuf>,
    /// Where to write the pieces of split tasks as a task set for `simulate`.
    pub pieces: Option<PathBuf>,
}

impl TestRequest {
    /// The question that the scenario itself asks, by the default method.
    pub fn new(tasks: impl Into<TaskSet>) -> Self {
        let (options, method) = (SchedulerOptions::default(), Method::default());
        Self {
            tasks: tasks.into(),
            options,
            method,
            sensitivity: false,
            region: None,
            certificate: None,
            pattern: None,
            pieces: None,
        }
    }
}

/// The answer with everything that it rests on: a [`Dossier`] for readers, a [`Tested`] for scripts.
#[derive(Clone, Debug)]
pub struct TestAnswer {
    /// The file as it was named, or the scenario's name.
    pub title: String,
    /// The question that was asked.
    pub posed: PosedQuestion,
    /// By which method.
    pub method: Method,
    /// What was answered.
    pub answer: Answer,
    /// The same tasks with one queue a processor, where something else was asked.
    pub partitioned: Option<Answer>,
    /// How late jobs can be, under EDF.
    pub lateness: Option<Lateness>,
    /// What SCHED_DEADLINE would say; `None` without a unit or under another policy.
    pub linux: Option<Admission>,
    /// What to change; `None` where it was not asked for.
    pub edge: Option<Edge>,
    /// Verdicts over two parameters; `None` where they were not asked for.
    pub region: Option<Region>,
    /// What is known of each chain of the scenario.
    pub chains: Vec<AnsweredChain>,
}

/// Answer for one task set, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Tested {
    /// The answer of the analysis.
    #[serde(flatten)]
    pub answered: Answered,
    /// Name of the scenario.
    pub name: String,
    /// Names of the tasks; a task's index elsewhere in this document is its position in this list.
    pub tasks: Vec<String>,
    /// Nanoseconds of one tick; null for a set without a unit of time.
    pub ns_per_tick: Option<u64>,
    /// The supply in which the tasks run; null if they have the whole processor.
    pub supply: Option<Supplied>,
    /// Answer of the admission control of SCHED_DEADLINE; null without a unit of time, or under fixed priorities. It is also null with blocking, bursts, self-suspension, a supply or mixed criticality, and where no assignment to several queues is proven.
    pub linux: Option<Admitted>,
    /// How much costs and overheads may grow, or must shrink, for all deadlines to be proven; null unless requested.
    pub sensitivity: Option<SensitivityRow>,
    /// Verdicts over a grid of two parameters; null unless requested.
    pub region: Option<RegionRow>,
    /// Reaction time and data age of each cause-effect chain.
    pub chains: Vec<ChainRow>,
    /// Assumptions of the analysis and notes for the reader.
    pub remarks: Vec<String>,
}

/// What the tasks receive of one processor: a budget in every period, or a rate after a delay.
#[derive(Serialize, JsonSchema)]
pub struct Supplied {
    /// Processor time that the supply grants in each period, in ticks; null for a supply with a rate.
    pub budget: Option<u64>,
    /// Period of the supply, in ticks; null for a supply with a rate.
    pub period: Option<u64>,
    /// Rate as a fraction of the processor, for example `2/5`; null for a supply with a budget.
    pub rate: Option<String>,
    /// Delay before the rate applies, in ticks; null for a supply with a budget.
    pub delay: Option<u64>,
}

impl From<Supply> for Supplied {
    fn from(supply: Supply) -> Self {
        match supply {
            Supply::Periodic { budget, period } => {
                Self { budget: Some(budget), period: Some(period), rate: None, delay: None }
            }
            Supply::BoundedDelay { rate, delay } => {
                Self { budget: None, period: None, rate: Some(rate.to_string()), delay: Some(delay) }
            }
        }
    }
}

/// The answer that Linux's admission control would give for the tasks.
#[derive(Serialize, JsonSchema)]
pub struct Admitted {
    /// True if Linux would admit all tasks.
    pub admitted: bool,
    /// Tasks that Linux would refuse, in the order of their requests.
    pub refused: Vec<RefusedTask>,
}

/// A task that Linux would refuse.
#[derive(Serialize, JsonSchema)]
pub struct RefusedTask {
    /// Index of the refused task.
    pub task: usize,
    /// Why Linux would refuse the task.
    pub reason: String,
}

/// Answers the question, and writes the certificate where one is wanted.
pub fn test(request: &TestRequest, progress: &mut dyn Progress) -> Result<TestAnswer, Error> {
    if request.certificate.is_some() && request.method.inflate == Inflate::WholeSetOnce {
        return Err(Error::field(
            "certificate",
            "a certificate charges overheads to each queue for its own tasks, not once to the whole set",
        )
        .with_remedy("leave out --inflate-once"));
    }
    let scenario = request.tasks.read().map_err(Error::refused)?;
    let option = if request.sensitivity { "sensitivity" } else { "region" };
    let changes = request.sensitivity || request.region.is_some();
    if let Some(task) = scenario.first_activated().filter(|_| changes) {
        let problem =
            format!("task '{}' is activated by another task, so its releases depend on that task's cost", task.name);
        return Err(Error::field(option, problem).with_remedy(format!("leave out --{option}")));
    }
    if changes {
        check_one_criticality(&scenario, if request.sensitivity { "--sensitivity" } else { "--region" })?;
    }
    let answer =
        answered(request, PosedQuestion::new(scenario, &request.options)?.settled_with(&request.method), progress)?;
    if let Some(file) = &request.certificate {
        certificate::write(&answer.title, &answer.posed.question(), &answer.answer, file, progress)?;
    }
    if let Some(file) = &request.pattern {
        save(answer.pattern()?, file, pattern::none, progress)?;
    }
    if let Some(file) = &request.pieces {
        save(answer.pieces(), file, pieces::none, progress)?;
    }
    Ok(answer)
}

/// Writes a task set for `simulate`; where there is none, says why.
fn save(
    scenario: Option<Scenario>,
    file: &Path,
    none: impl FnOnce(&Path) -> String,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    let Some(scenario) = scenario else {
        progress.remark(&Remark::Text(none(file)));
        return Ok(());
    };
    output::write(file, write::toml(&scenario))?;
    progress.remark(&Remark::Written { what: FileKind::TaskSet, file: file.to_owned() });
    Ok(())
}

fn answered(request: &TestRequest, posed: PosedQuestion, progress: &mut dyn Progress) -> Result<TestAnswer, Error> {
    let (question, method) = (posed.answerable()?, &request.method);
    if method.split {
        pieces::check(&posed, &question)?;
    }
    let found = posed.answer(&question, method)?;
    posed.check_verdict(found.verdict)?;
    let partitioned = posed.partitioned().map(|other| posed.answer(&other, method)).transpose()?;
    let is_edf = matches!(question.policy, JobRanking::Edf);
    let ns_per_tick = posed.scenario.unit.map(Unit::ns);
    Ok(TestAnswer {
        title: request.tasks.title(),
        method: method.clone(),
        // The bounds on tardiness know no activated jobs.
        lateness: (is_edf && posed.scenario.first_activated().is_none()).then(|| lateness(&question, &found)),
        linux: ns_per_tick
            .filter(|_| is_edf && question.behaviours.is_plain())
            .and_then(|ns| admission(&question, &found, ns)),
        edge: if request.sensitivity { edge(&question, method) } else { None },
        region: request
            .region
            .as_ref()
            .map(|of| region(of, &posed.names(), &question, method, progress))
            .transpose()?,
        chains: chains(&posed, &question, &found, method),
        answer: found,
        partitioned,
        posed,
    })
}

/// Whether the deadlines of `posed` are met, as `answer` has it, and its chains keep what is required of them.
pub(super) fn verdict(posed: &PosedQuestion, question: &Question<'_>, answer: &Answer, method: &Method) -> Verdict {
    worst(answer.verdict, &chains(posed, question, answer, method))
}

fn worst(of_deadlines: Verdict, chains: &[AnsweredChain]) -> Verdict {
    let of_chains = chains.iter().flat_map(|one| [one.bounds.reaction.verdict(), one.bounds.age.verdict()]);
    let all: Vec<Verdict> = of_chains.flatten().chain([of_deadlines]).collect();
    let worst = [Verdict::Disproven, Verdict::Unknown].into_iter().find(|verdict| all.contains(verdict));
    worst.unwrap_or(Verdict::Proven)
}

/// The bounds of each chain; none on responses while it is not known when activated tasks are released.
fn chains(posed: &PosedQuestion, question: &Question<'_>, answer: &Answer, method: &Method) -> Vec<AnsweredChain> {
    if posed.scenario.chains.is_empty() {
        return Vec::new();
    }
    let is_settled = posed.is_settled(question, answer, method);
    let of_chains = chain::members(&posed.scenario, question, answer, method);
    let answered = |(chain, mut members): (&prazo_scenario::Chain, Vec<chain::Member>)| {
        members.iter_mut().filter(|_| !is_settled).for_each(|member| member.response = None);
        let bounds = chain::bounds(chain, &members, &mut Budget::new(method.budget));
        AnsweredChain { chain: chain.clone(), bounds }
    };
    posed.scenario.chains.iter().zip(of_chains).map(answered).collect()
}

impl TestAnswer {
    /// Does the set meet its deadlines, and do its chains keep what is required of them?
    pub fn verdict(&self) -> Verdict {
        worst(self.answer.verdict, &self.chains)
    }

    /// What `verify` re-checks; `None` where nothing was decided.
    ///
    /// # Errors
    /// The verdict was made by a method that certificates do not describe.
    pub fn certificate(&self) -> Result<Option<String>, Error> {
        certificate::text(&self.title, &self.posed.question(), &self.answer)
    }

    /// The arrivals that the search of all states found to make a job late, as a task set for `simulate`; `None` where it found
    /// none.
    ///
    /// # Errors
    /// A time is too large for a task set, or a job of the disproof is released at its deadline or later.
    pub fn pattern(&self) -> Result<Option<Scenario>, Error> {
        pattern::scenario(&self.posed, &self.answer)
    }

    /// The pieces of split tasks, each as a task of its own, for `simulate`; `None` where no task is split.
    pub fn pieces(&self) -> Option<Scenario> {
        pieces::scenario(&self.posed, &self.answer)
    }

    /// What a reader's report is made from.
    pub fn dossier(&self) -> Dossier<'_> {
        Dossier {
            title: self.title.clone(),
            notes: self.notes(),
            names: self.posed.names(),
            ns_per_tick: self.ns_per_tick(),
            question: self.posed.question(),
            answer: self.answer.clone(),
            partitioned: self.partitioned.clone(),
            lateness: self.lateness.clone(),
            linux: self.linux.clone(),
            edge: self.edge.clone(),
            region: self.region.clone(),
            chains: self.chains.clone(),
        }
    }

    /// The page; `command` makes it again.
    pub fn page(&self, command: &str) -> Document {
        schedulability::page(&self.dossier(), command)
    }

    /// What scripts read. Each packing is asked how many processors it would take, which the other forms leave out.
    pub fn document(&self) -> Tested {
        let question = self.posed.question();
        let rows = match (&self.partitioned, self.posed.partitioned()) {
            (Some(packed), Some(question)) => partition::rows(&question, packed, &self.method),
            _ => partition::rows(&question, &self.answer, &self.method),
        };
        let mut answered = Answered::new(self.title.clone().into(), &question, &self.answer, rows);
        answered.tardiness = self.lateness.as_ref().map(TardinessRow::from);
        Tested {
            answered,
            name: self.posed.scenario.name.clone(),
            tasks: self.posed.names(),
            ns_per_tick: self.ns_per_tick(),
            supply: question.behaviours.supply.map(Supplied::from),
            linux: self.linux.as_ref().map(Admitted::of),
            sensitivity: self.edge.as_ref().map(|edge| SensitivityRow::new(edge, question.tasks)),
            region: self.region.as_ref().map(|region| RegionRow::new(region, &self.posed.names())),
            chains: self.chains.iter().map(|one| ChainRow::new(one, &self.posed.names())).collect(),
            remarks: self.posed.answer_remarks(),
        }
    }

    fn ns_per_tick(&self) -> Option<u64> {
        self.posed.scenario.unit.map(Unit::ns)
    }

    /// The scenario's own words: where it is from, what to note, what is expected.
    fn notes(&self) -> Vec<String> {
        let scenario = &self.posed.scenario;
        let expected = scenario.expect.as_ref().and_then(|expect| expect.why.clone());
        let words = [scenario.origin.clone(), scenario.note.clone(), expected];
        words.into_iter().flatten().chain(self.posed.answer_remarks()).collect()
    }
}

impl Admitted {
    fn of(admission: &Admission) -> Self {
        let refused =
            |(task, refusal): &(usize, linux::Refusal)| RefusedTask { task: *task, reason: refusal.to_string() };
        Self { admitted: admission.admitted, refused: admission.refused.iter().map(refused).collect() }
    }
}

/// What the kernel would say of the tasks, asking one after the other in root domains like the shape's queues.
fn admission(question: &Question<'_>, answered: &Answer, ns_per_tick: u64) -> Option<Admission> {
    let domains = answered::sizes(question.shape);
    let assignment = answered.packings.iter().find(|packed| packed.proven).map(|packed| &packed.assignment);
    let domain = |task: usize| assignment.and_then(|bins| bins[task]).unwrap_or(0) as usize;
    let reservation = |(index, task)| linux::Reservation::of(task, Ratio::whole(ns_per_tick), domain(index));
    let reservations: Vec<_> = question.tasks.iter().enumerate().map(reservation).collect::<Option<_>>()?;
    let placed = domains.len() == 1 || assignment.is_some();
    placed.then(|| linux::admission(&reservations, &domains, &linux::Limits::default()))
}
