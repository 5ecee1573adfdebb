//! The stages of a chain with all that its bounds need of their tasks: from a question, its answer and the scenario.

use super::activation::responses;
use crate::question::{Answer, JobRanking, Method, Priorities, Question, Shape, TaskPlace, places};
use crate::{Task, Ticks};
use prazo_core::behaviour::Behaviour;
use prazo_scenario::{Arrival, Chain, NamedTask, Scenario, Stage};

/// One task of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its times, as they were analysed.
    pub task: Task,
    /// Its jobs arrive at most so far apart; `None` if that is not known.
    pub max_inter_arrival: Option<Ticks>,
    /// When its first job arrives, where that is said.
    pub offset: Option<Ticks>,
    /// Its jobs end so long after their arrival at most; `None` if that is not known.
    pub response: Option<Ticks>,
    /// True if the tasks have two criticalities: then jobs may be dropped.
    pub is_mixed: bool,
    /// True if no job of it that arrives when a job of the stage before has been released starts before that one ends; see [`super`].
    pub waits: bool,
    /// True if, all other jobs being short, a job of it can start just before a job of the stage before ends.
    pub interrupts: bool,
    /// True if its jobs are independent and preemptable, on a processor that is always there.
    pub is_plain: bool,
    /// True if its jobs may arrive at any phase to those of other stages, but for the one that activates it.
    pub is_free: bool,
}

/// By chain of `scenario`: its stages, as `question` was answered.
pub fn members(scenario: &Scenario, question: &Question<'_>, answer: &Answer, method: &Method) -> Vec<Vec<Member>> {
    let places = places(question, answer, method);
    let responses = responses(scenario, question, answer, &places);
    let context = Context { scenario, question, places: &places, responses };
    scenario.chains.iter().map(|chain| context.of_chain(chain)).collect()
}

struct Context<'a> {
    scenario: &'a Scenario,
    question: &'a Question<'a>,
    places: &'a [Option<TaskPlace>],
    responses: Vec<Option<Ticks>>,
}

impl Context<'_> {
    fn of_chain(&self, chain: &Chain) -> Vec<Member> {
        let before = std::iter::once(None).chain(chain.stages.iter().map(|stage| Some(stage.task)));
        let member = |(stage, before)| self.member(stage, before, chain.synchronized);
        chain.stages.iter().zip(before).map(member).collect()
    }

    fn member(&self, stage: &Stage, before: Option<usize>, synchronized: bool) -> Member {
        let index = stage.task;
        let NamedTask { arrival, conduct, .. } = &self.scenario.tasks[index];
        let period = self.question.tasks[index].period;
        Member {
            task: self.question.tasks[index],
            max_inter_arrival: match arrival {
                Arrival::Periodic => Some(period),
                Arrival::Sporadic => conduct.max_inter_arrival,
            },
            offset: conduct.offset,
            response: self.responses[index],
            is_mixed: self.question.behaviours.is_mixed(),
            waits: before.is_some_and(|before| self.goes_before(before, index, synchronized)),
            interrupts: before.is_some_and(|before| self.can_interrupt(index, before)),
            is_plain: self.behaviour(index).is_plain() && self.question.behaviours.supply.is_none(),
            is_free: self.is_free(stage),
        }
    }

    /// Neither on one clock with others, nor activated by a task that this chain does not know of.
    fn is_free(&self, stage: &Stage) -> bool {
        let has = |chain: &Chain| chain.stages.iter().any(|other| other.task == stage.task);
        let on_one_clock = self.scenario.chains.iter().any(|chain| chain.synchronized && has(chain));
        let activated = self.scenario.activations()[stage.task].is_some();
        !on_one_clock && (stage.activated || !activated)
    }

    fn behaviour(&self, index: usize) -> Behaviour<'_> {
        self.question.behaviours.of(index)
    }

    /// True if both share one processor, and a job of `first` goes before each of `second` that arrives later than it is released; on one clock
    /// (`synchronized`) also before one that arrives just then. [`super`] shows which that are.
    fn goes_before(&self, first: usize, second: usize, synchronized: bool) -> bool {
        let (Some(one), Some(other)) = (self.places[first], self.places[second]) else { return false };
        let is_one_processor = one.queue == other.queue && one.processors == 1;
        // With overheads releases are not instants, and a job that waits for something else lets others run.
        let is_simple = self.question.overheads.is_none()
            && self.question.behaviours.sections.is_empty()
            && self.behaviour(first).suspension == 0;
        let [due, next_due] = [first, second].map(|task| self.question.tasks[task].deadline);
        let is_more_urgent = match (self.question.policy, one.position, other.position) {
            (JobRanking::Edf, ..) if synchronized => due < next_due,
            (JobRanking::Edf, ..) => due <= next_due,
            (JobRanking::FixedPriority(_), Some(one), Some(other)) => one < other,
            (JobRanking::FixedPriority(_), ..) => false,
        };
        is_one_processor && is_simple && is_more_urgent
    }

    /// True if a job of `second` that arrives while only one of `first` is pending starts at once, whenever that is.
    ///
    /// That must hold in every assignment and order that the author's words leave open, for it disproves.
    fn can_interrupt(&self, second: usize, first: usize) -> bool {
        let (Some(one), Some(other)) = (self.places[first], self.places[second]) else { return false };
        let is_ordered = self.question.policy != JobRanking::FixedPriority(Priorities::Audsley);
        let is_ahead = one.position.zip(other.position).is_some_and(|(one, other)| other < one);
        let is_placed = matches!(self.question.shape, Shape::Global { .. } | Shape::Clusters([_]))
            || self.question.places.is_some_and(|places| places.iter().all(Option::is_some));
        let elsewhere = one.queue != other.queue || one.processors > 1;
        is_placed && elsewhere || !elsewhere && is_ordered && is_ahead
    }
}
