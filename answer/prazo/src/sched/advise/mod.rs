//! What would make a task set fit: the least change of each kind with which it is proven.
//!
//! Each change is a task set of its own, and each that is told was asked about anew and is proven. Sizes are found by bisection (as
//! in `prazo_analysis::sensitivity`); tests need not be monotone, so a smaller change may be proven too.
//!
//! The tests in a supply are monotone in its budget Q: with another Q in the same period P, the work w is served by t = w + (P - Q) (2 +
//! floor((w - 1) / Q)) at the latest, which falls as Q grows. So every demand and every response that fits with Q fits with Q + 1, and
//! the budget that bisection finds is the least whole number of ticks with which the set is schedulable, unless a test's budget ends first.
//! What the fair server leaves, (P - Q) / P after 2 Q, serves all work sooner with a smaller Q too. So does a stated rate that is higher and a
//! stated delay that is shorter: w is served by D + w / rate. The least rate is found in thousandths of the processor, and the longest delay in ticks.

mod advice;
mod change;
mod document;

use super::certificate;
use super::options::{SchedulerOptions, TaskSet};
use super::question::{self, PosedQuestion};
use super::test;
use crate::error::Error;
use crate::output;
use crate::progress::Progress;
pub use advice::{Advice, AdviseAnswer};
use change::Change;
pub use change::ChangeKind;
pub use document::{Advised, AdvisedChange};
use prazo_analysis::question::{Answer, Method, Shape};
use prazo_analysis::sensitivity::largest_cost_factor::largest_cost_factor;
use prazo_analysis::sensitivity::largest_task_cost::largest_task_cost;
use prazo_analysis::{Task, Ticks};
use prazo_core::behaviour::Supply;
use prazo_core::ratio::Ratio;
use prazo_core::verdict::Verdict;
use prazo_scenario::{NamedTask, Scenario, SupplyKind, read, write};
use std::path::{Path, PathBuf};

/// Work that the search of all states may take for one question: there are many.
const STATES_EACH: u64 = 200_000;

/// Rates that are tried are multiples of one over this.
const RATES: Ticks = 1_000;

/// Processors beyond the set's own that are tried.
const MORE_PROCESSORS: u32 = 8;

/// Which set, and how far it may be changed.
#[derive(Clone, Debug)]
pub struct AdviseRequest {
    /// The task set.
    pub tasks: TaskSet,
    /// How the question differs from what the scenario says.
    pub options: SchedulerOptions,
    /// Which tests, at what cost.
    pub method: Method,
    /// By how many percent a period may grow.
    pub tolerance_percent: u32,
    /// Where the changed sets and their certificates are written.
    pub folder: Option<PathBuf>,
}

/// Tries changes of each kind, and writes those that are proven where a folder is named.
pub fn advise(request: &AdviseRequest, _progress: &mut dyn Progress) -> Result<AdviseAnswer, Error> {
    let scenario = request.tasks.read().map_err(Error::refused)?;
    question::check_one_criticality(&scenario, "`prazo sched advise`")?;
    let posed = PosedQuestion::new(scenario, &request.options)?;
    let question = posed.answerable()?;
    let now = posed.answer(&question, &request.method)?;
    posed.check_verdict(now.verdict)?;
    let verdict = test::verdict(&posed, &question, &now, &request.method);
    let mut found =
        AdviseAnswer { title: request.tasks.title(), verdict, advice: Vec::new(), in_vain: Vec::new(), questions: 1 };
    let is_proven = verdict == Verdict::Proven;
    let mut adviser = Adviser { base: posed.as_decided(), request, is_proven, questions: 0 };
    if is_proven {
        found.advice = adviser.supply();
        found.questions += adviser.questions;
        if let Some(folder) = &request.folder {
            save(&mut found, folder, request)?;
        }
        return Ok(found);
    }
    type OfKind<'r> = fn(&mut Adviser<'r>) -> Vec<Advice>;
    let kinds: [(ChangeKind, OfKind<'_>); 6] = [
        (ChangeKind::Supply, Adviser::supply),
        (ChangeKind::Scheduler, Adviser::schedulers),
        (ChangeKind::Priorities, Adviser::priorities),
        (ChangeKind::Periods, Adviser::periods),
        (ChangeKind::Costs, Adviser::costs),
        (ChangeKind::Processors, Adviser::processors),
    ];
    for (kind, of_kind) in kinds {
        let before = adviser.questions;
        let advice = of_kind(&mut adviser);
        if advice.is_empty() && adviser.questions > before {
            found.in_vain.push(kind);
        }
        found.advice.extend(advice);
    }
    found.questions += adviser.questions;
    if let Some(folder) = &request.folder {
        save(&mut found, folder, request)?;
    }
    Ok(found)
}

/// Writes each changed set, and the certificate of its proof where there is one.
fn save(found: &mut AdviseAnswer, folder: &Path, request: &AdviseRequest) -> Result<(), Error> {
    for (index, advice) in found.advice.iter_mut().enumerate() {
        let name = format!("{}-{}-{}", advice.scenario.name, index + 1, advice.kind.name());
        let file = folder.join(format!("{name}.toml"));
        output::write(&file, write::toml(&advice.scenario))?;
        let posed = PosedQuestion::new(advice.scenario.clone(), &stated(request))?;
        let answer = posed.answer(&posed.answerable()?, &request.method)?;
        let text = certificate::text(&name, &posed.question(), &answer);
        if let Some(text) = text.ok().flatten().filter(|_| answer.verdict == Verdict::Proven) {
            let file = folder.join(format!("{name}.cert"));
            output::write(&file, text)?;
            advice.certificate = Some(file);
        }
        advice.file = Some(file);
    }
    Ok(())
}

/// The question that a changed set asks by itself.
fn stated(request: &AdviseRequest) -> SchedulerOptions {
    SchedulerOptions { time: request.options.time, ..SchedulerOptions::default() }
}

/// One question with its answer.
struct Asked {
    scenario: Scenario,
    posed: PosedQuestion,
    answer: Answer,
    /// Of the deadlines and of what is required of chains.
    verdict: Verdict,
}

/// Asks about changed sets.
struct Adviser<'a> {
    base: Scenario,
    request: &'a AdviseRequest,
    /// The given set is proven without a change.
    is_proven: bool,
    questions: u64,
}

impl Adviser<'_> {
    /// The least change of scheduler that keeps the policy, and the least that does not.
    fn schedulers(&mut self) -> Vec<Advice> {
        let (kept, others): (Vec<Change>, Vec<Change>) =
            change::schedulers(&self.base).into_iter().partition(|change| change.scenario.policy == self.base.policy);
        [kept, others]
            .into_iter()
            .filter_map(|changes| changes.into_iter().find_map(|change| self.proven(change)))
            .collect()
    }

    fn priorities(&mut self) -> Vec<Advice> {
        let base = self.base.clone();
        change::orders(&base).find_map(|change| self.proven(change)).into_iter().collect()
    }

    /// Harmonic periods; else one period that grows as little as it can; else all by the least factor.
    fn periods(&mut self) -> Vec<Advice> {
        let (tasks, percent) = (self.base.tasks(), self.request.tolerance_percent);
        if percent == 0 {
            return Vec::new();
        }
        let mut advice = Vec::new();
        // The period of a task that comes in bursts follows from these; tasks that activate each other have one in common.
        let activations = self.base.activations();
        let has_own = |task: &NamedTask| task.behaviour.burst.is_none() && task.behaviour.curve.is_none();
        let is_own: Vec<bool> = self.base.tasks.iter().map(has_own).collect();
        let is_tied =
            |index: usize| activations[index].is_some() || activations.iter().flatten().any(|one| one.by == index);
        let is_tied: Vec<bool> = (0..tasks.len()).map(is_tied).collect();
        if let Some(grown) = change::harmonic(&tasks, &is_own, percent) {
            let text = format!(
                "Round each period up to the shortest period times a power of two: {}",
                self.changed(&tasks, &grown)
            );
            let change = change::with_tasks(&self.base, &grown, ChangeKind::Periods, text);
            advice.extend(self.proven(change));
        }
        for index in (0..tasks.len()).filter(|&index| is_own[index] && !is_tied[index]) {
            let with = |period: Ticks| {
                let mut grown = tasks.clone();
                grown[index] = change::with_period(&tasks[index], period);
                grown
            };
            let (now, most) = (tasks[index].period, change::longest(tasks[index].period, percent));
            let Some(period) = self.least(now, most, &with) else { continue };
            let text = format!("Lengthen a period: {}", self.changed(&tasks, &with(period)));
            let change = change::with_tasks(&self.base, &with(period), ChangeKind::Periods, text);
            advice.extend(self.proven(change));
        }
        if advice.is_empty() {
            let with = |thousandths: Ticks| {
                let scaled = |period: Ticks| (u128::from(period) * u128::from(thousandths)).div_ceil(1_000) as Ticks;
                let grown = |(task, is_own): (&Task, &bool)| match is_own {
                    true => change::with_period(task, scaled(task.period)),
                    false => *task,
                };
                tasks.iter().zip(&is_own).map(grown).collect::<Vec<Task>>()
            };
            if let Some(thousandths) = self.least(1_000, 1_000 + 10 * Ticks::from(percent), &with) {
                let text = format!("Lengthen all periods: {}", self.changed(&tasks, &with(thousandths)));
                let change = change::with_tasks(&self.base, &with(thousandths), ChangeKind::Periods, text);
                advice.extend(self.proven(change));
            }
        }
        advice
    }

    /// All costs by the largest factor that is proven; and each cost alone, where cutting it alone is enough.
    fn costs(&mut self) -> Vec<Advice> {
        let tasks = self.base.tasks();
        let Ok(set) = prazo_analysis::TaskSet::new(&tasks) else { return Vec::new() };
        let mut advice = Vec::new();
        let factor = largest_cost_factor(set, &mut |tasks| self.verdict_with(tasks));
        if let Some(thousandths) = factor.and_then(|boundary| boundary.proven).filter(|factor| *factor < 1_000) {
            let scaled = |cost: Ticks| (u128::from(cost) * u128::from(thousandths)).div_ceil(1_000) as Ticks;
            let cut: Vec<Task> = tasks.iter().map(|task| Task { cost: scaled(task.cost), ..*task }).collect();
            let text = format!("Reduce all costs to {} %: {}", percent(thousandths), self.changed(&tasks, &cut));
            let change = change::with_tasks(&self.base, &cut, ChangeKind::Costs, text);
            advice.extend(self.proven(change));
        }
        for index in 0..tasks.len() {
            let boundary = largest_task_cost(set, index, &mut |tasks| self.verdict_with(tasks));
            let Some(cost) = boundary.proven.filter(|cost| *cost < tasks[index].cost) else { continue };
            let mut cut = tasks.clone();
            cut[index].cost = cost;
            let text = format!("Reduce a cost: {}", self.changed(&tasks, &cut));
            let change = change::with_tasks(&self.base, &cut, ChangeKind::Costs, text);
            advice.extend(self.proven(change));
        }
        advice
    }

    fn processors(&mut self) -> Vec<Advice> {
        let now = self.base.processors.unwrap_or(1);
        let base = self.base.clone();
        let mut more = (now + 1..=now + MORE_PROCESSORS).map_while(|count| change::processors(&base, count));
        more.find_map(|change| self.proven(change)).into_iter().collect()
    }

    /// The least budget of the supply in its period, or the least rate and the longest delay; nothing where that is the stated one, or the whole processor is too little.
    fn supply(&mut self) -> Vec<Advice> {
        let Some(supply) = self.base.supply else { return Vec::new() };
        let mut base = self.base.clone();
        let words = base.supply_words;
        let (now, period) = match (supply, words) {
            (_, Some(words)) => words.reserved(supply),
            (Supply::Periodic { budget, period }, None) => (budget, period),
            (Supply::BoundedDelay { rate, delay }, None) => {
                return [self.rate(rate, delay), self.delay(rate, delay)].into_iter().flatten().collect();
            }
        };
        let of = |budget: Ticks| match words {
            Some(words) => words.kind.supply(budget, period),
            None => Supply::Periodic { budget, period },
        };
        if let Some(words) = words {
            // Whoever reads the changed set states its own remark.
            let outdated = words.remark(supply, base.unit);
            base.remarks.retain(|remark| *remark != outdated);
        }
        let with = |budget: Ticks| Scenario { supply: Some(of(budget)), ..base.clone() };
        let most = words.map_or(period, |words| words.most(period, base.unit));
        let Some(proven) = self.least_supply(most, &with) else { return Vec::new() };
        let proven = words.map_or(proven, |words| words.settable(proven, base.unit));
        if proven == now || (proven > now && self.is_proven) {
            return Vec::new();
        }
        let time = |ticks: Ticks| question::time(ticks, base.unit);
        let stated = |budget: Ticks| words.map_or(budget, |words| words.stated(of(budget)));
        let what = match words.map(|words| words.kind) {
            None => "budget of the supply",
            Some(SupplyKind::Reservation) => "runtime of the reservation",
            Some(SupplyKind::Quota) => "quota of the control group",
            Some(SupplyKind::FairServer) => "runtime of the fair server",
        };
        let (before, after) = (stated(now), stated(proven));
        let verb = if after < before { "Reduce" } else { "Raise" };
        let text = format!("{verb} the {what} from {} to {} in every {}", time(before), time(after), time(period));
        self.proven(Change { kind: ChangeKind::Supply, text, scenario: with(proven) }).into_iter().collect()
    }

    /// The least rate after the stated delay; nothing where that is the stated one, or a whole processor is too little.
    fn rate(&mut self, rate: Ratio, delay: Ticks) -> Option<Advice> {
        let base = self.base.clone();
        let of = |parts: Ticks| Ratio::new(parts.into(), RATES.into()).unwrap_or_default();
        let with = |rate: Ratio| Scenario { supply: Some(Supply::BoundedDelay { rate, delay }), ..base.clone() };
        let proven = of(self.least_supply(RATES, &|parts| with(of(parts)))?);
        // What is proven as it is may need a rate between two of those that are tried, or more work than a change is given.
        if proven == rate || (proven > rate && self.is_proven) {
            return None;
        }
        let verb = if proven < rate { "Reduce" } else { "Raise" };
        let text = format!("{verb} the rate of the supply from {rate} to {proven}");
        self.proven(Change { kind: ChangeKind::Supply, text, scenario: with(proven) })
    }

    /// The longest delay with the stated rate; nothing where that is the stated one, or the rate is too little without a delay.
    fn delay(&mut self, rate: Ratio, now: Ticks) -> Option<Advice> {
        let base = self.base.clone();
        // After a delay as long as a deadline, no job of that task has run.
        let limit = base.tasks.iter().map(|named| named.task.deadline).min()?;
        let with = |delay: Ticks| Scenario { supply: Some(Supply::BoundedDelay { rate, delay }), ..base.clone() };
        let proven = limit - self.least_supply(limit, &|less| with(limit - less))?;
        if proven == now || (proven < now && self.is_proven) {
            return None;
        }
        let verb = if proven < now { "Shorten" } else { "Lengthen" };
        let time = |ticks: Ticks| question::time(ticks, base.unit);
        let text = format!("{verb} the delay of the supply from {} to {}", time(now), time(proven));
        self.proven(Change { kind: ChangeKind::Supply, text, scenario: with(proven) })
    }

    /// The least number from 1 to `most` with which the set is proven; none is as good as `most`.
    fn least_supply(&mut self, most: Ticks, with: &dyn Fn(Ticks) -> Scenario) -> Option<Ticks> {
        if most == 0 || !self.is_proven(&with(most)) {
            return None;
        }
        let (mut not_proven, mut proven) = (0, most);
        while proven - not_proven > 1 {
            let middle = not_proven + (proven - not_proven) / 2;
            if self.is_proven(&with(middle)) { proven = middle } else { not_proven = middle }
        }
        Some(proven)
    }

    fn is_proven(&mut self, scenario: &Scenario) -> bool {
        self.asked(scenario).is_some_and(|asked| asked.verdict == Verdict::Proven)
    }

    /// The least number above `now`, up to `most`, with whose tasks the set is proven.
    fn least(&mut self, now: Ticks, most: Ticks, with: &dyn Fn(Ticks) -> Vec<Task>) -> Option<Ticks> {
        if most <= now || self.verdict_with(&with(most)) != Verdict::Proven {
            return None;
        }
        let (mut not_proven, mut proven) = (now, most);
        while proven - not_proven > 1 {
            let middle = not_proven + (proven - not_proven) / 2;
            if self.verdict_with(&with(middle)) == Verdict::Proven { proven = middle } else { not_proven = middle }
        }
        Some(proven)
    }

    fn verdict_with(&mut self, tasks: &[Task]) -> Verdict {
        let change = change::with_tasks(&self.base, tasks, ChangeKind::Costs, String::new());
        self.asked(&change.scenario).map_or(Verdict::Unknown, |asked| asked.verdict)
    }

    /// `change`, with the assignment to queues that its proof has; `None` unless it is proven as the set then states it.
    fn proven(&mut self, change: Change) -> Option<Advice> {
        let Change { kind, text, mut scenario } = change;
        let asked = self.asked(&scenario).filter(|asked| asked.verdict == Verdict::Proven)?;
        let packed = asked.answer.packings.iter().find(|packed| packed.proven);
        let several = matches!(asked.posed.question().shape, Shape::Clusters(sizes) if sizes.len() > 1);
        if let Some(packed) = packed.filter(|_| several) {
            scenario.tasks.iter_mut().zip(&packed.assignment).for_each(|(task, queue)| task.cluster = *queue);
        }
        scenario.note = Some(format!("{text}."));
        let Asked { scenario, answer, .. } = self.asked(&scenario).filter(|asked| asked.verdict == Verdict::Proven)?;
        Some(Advice {
            kind,
            text,
            decided_by: answer.decided_by.as_ref().map(|finding| finding.test),
            caveats: answer.caveats,
            scenario,
            file: None,
            certificate: None,
        })
    }

    /// What is answered to `scenario` as somebody reads it from its file; `None` where it has no answer.
    fn asked(&mut self, scenario: &Scenario) -> Option<Asked> {
        self.questions += 1;
        let scenario = read::any(Path::new("advice.toml"), &write::toml(scenario)).ok()?;
        let posed = PosedQuestion::new(scenario.clone(), &stated(self.request)).ok()?;
        let states = self.request.method.states.min(STATES_EACH);
        let method = Method { disprove: false, all_tests: false, states, ..self.request.method.clone() };
        let (answer, verdict) = {
            let question = posed.answerable().ok()?;
            let answer = posed.answer(&question, &method).ok()?;
            posed.check_verdict(answer.verdict).ok()?;
            let verdict = test::verdict(&posed, &question, &answer, &method);
            (answer, verdict)
        };
        Some(Asked { scenario, posed, answer, verdict })
    }

    /// "period of 'a' from 10ms to 11ms, cost of 'b' from 3ms to 2ms".
    fn changed(&self, before: &[Task], after: &[Task]) -> String {
        let time = |ticks| question::time(ticks, self.base.unit);
        let of = |(index, (before, after)): (usize, (&Task, &Task))| {
            let name = &self.base.tasks[index].name;
            let fields = [("period", before.period, after.period), ("cost", before.cost, after.cost)];
            let differs = fields.into_iter().find(|(_, before, after)| before != after);
            differs
                .map(|(field, before, after)| format!("{field} of '{name}' from {} to {}", time(before), time(after)))
        };
        let all: Vec<String> = before.iter().zip(after).enumerate().filter_map(of).collect();
        all.join(", ")
    }
}

/// Thousandths as percent: 873 is "87.3".
fn percent(thousandths: u64) -> String {
    format!("{}.{}", thousandths / 10, thousandths % 10)
}
