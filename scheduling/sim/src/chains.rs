//! Data followed through chains of tasks while these are simulated: the longest reaction and the oldest output that were seen.
//!
//! A register holds the newest datum that has come; a job reads it when it is first dispatched and its output leaves when it ends, or under logical
//! execution times when it arrives and when it is due. Each datum carries the instant of the input that it is made from. Data are under way for
//! the whole hop. What is seen is no bound: other arrivals may take longer.

use crate::model::Model;
use crate::sink::Sink;
use prazo_core::event::{Event, EventKind};
use prazo_core::time::{Duration, Instant};
use prazo_scenario::{Chain, Communication};
use std::collections::VecDeque;

/// What was seen of one chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChainFigures {
    /// Outputs that a datum has led to through the whole chain.
    pub outputs: u64,
    /// The longest time from an event to the first output that it has influenced; `None` if none was seen.
    pub reaction_max: Option<Duration>,
    /// The oldest input of an output when it was written; `None` if none was.
    pub age_max: Option<Duration>,
}

/// Follows data through chains, and hands all events on.
#[derive(Clone, Debug)]
pub struct ChainObserver<S> {
    chains: Vec<Follower>,
    inner: S,
}

impl<S> ChainObserver<S> {
    /// Of `chains` through the tasks of `model`, whose ticks are so many nanoseconds.
    pub fn new(chains: &[Chain], model: &Model, ns_per_tick: u64, inner: S) -> Self {
        Self { chains: chains.iter().map(|chain| Follower::new(chain, model, ns_per_tick)).collect(), inner }
    }

    /// What was seen, by chain.
    pub fn figures(&self) -> Vec<ChainFigures> {
        self.chains.iter().map(|chain| chain.figures).collect()
    }
}

impl<S: Sink> Sink for ChainObserver<S> {
    fn take(&mut self, event: Event) {
        self.chains.iter_mut().for_each(|chain| chain.take(&event));
        self.inner.take(event);
    }
}

#[derive(Clone, Debug)]
struct Follower {
    stages: Vec<FollowedStage>,
    is_let: bool,
    /// From when on each of its tasks has jobs.
    begins: Instant,
    /// Inputs, or events outside, that no output shows yet.
    unseen: VecDeque<Instant>,
    figures: ChainFigures,
}

#[derive(Clone, Debug)]
struct FollowedStage {
    task: usize,
    is_activated: bool,
    hop: Duration,
    deadline: Duration,
    /// Data under way to it, each with the instant when it is there, and that of its input.
    coming: VecDeque<(Instant, Instant)>,
    /// The input of the newest datum that is there.
    held: Option<Instant>,
    /// Jobs that a datum has activated, each with its input.
    activations: VecDeque<(u64, Instant)>,
    /// The last job that has begun, with the input that it has read.
    read: Option<(u64, Option<Instant>)>,
}

impl Follower {
    fn new(chain: &Chain, model: &Model, ns_per_tick: u64) -> Self {
        let stage = |stage: &prazo_scenario::Stage| FollowedStage {
            task: stage.task,
            is_activated: stage.activated,
            hop: Duration::from_ns(stage.hop.saturating_mul(ns_per_tick)),
            deadline: model.tasks[stage.task].relative_deadline,
            coming: VecDeque::new(),
            held: None,
            activations: VecDeque::new(),
            read: None,
        };
        let begins = chain.stages.iter().map(|stage| model.tasks[stage.task].pattern.offset).max();
        Self {
            stages: chain.stages.iter().map(stage).collect(),
            is_let: chain.communication == Communication::Let,
            begins: begins.unwrap_or(Instant::EPOCH),
            unseen: VecDeque::new(),
            figures: ChainFigures::default(),
        }
    }

    fn take(&mut self, event: &Event) {
        let Some(stage) = self.stages.iter().position(|stage| stage.task == event.task.index()) else { return };
        match event.kind {
            EventKind::Arrival if self.is_let => {
                let read = self.read(stage, event.job, event.at);
                if let Some(input) = read {
                    self.write(stage, event.job, event.at + self.stages[stage].deadline, input);
                }
            }
            EventKind::Arrival if stage == 0 && self.stages[0].is_activated => {
                self.stages[0].activations.push_back((event.job, event.at));
                self.unseen.push_back(event.at);
            }
            EventKind::Dispatch { .. } if !self.is_let && self.begins_job(stage, event.job) => {
                let input = self.read(stage, event.job, event.at);
                self.stages[stage].read = Some((event.job, input));
            }
            EventKind::Completion { .. } if !self.is_let => {
                if let Some((job, Some(input))) = self.stages[stage].read.filter(|(job, _)| *job == event.job) {
                    self.write(stage, job, event.at, input);
                }
            }
            _ => {}
        }
    }

    /// True if the job has not been dispatched before.
    fn begins_job(&self, stage: usize, job: u64) -> bool {
        self.stages[stage].read.is_none_or(|(last, _)| last != job)
    }

    /// The input of what the job reads now; `None` if no datum has come yet.
    fn read(&mut self, at_stage: usize, job: u64, now: Instant) -> Option<Instant> {
        let stage = &mut self.stages[at_stage];
        if stage.is_activated {
            while stage.activations.front().is_some_and(|(activated, _)| *activated < job) {
                stage.activations.pop_front();
            }
            return stage.activations.front().filter(|(activated, _)| *activated == job).map(|(_, input)| *input);
        }
        if at_stage == 0 {
            self.unseen.push_back(now);
            return Some(now);
        }
        while stage.coming.front().is_some_and(|(there, _)| *there <= now) {
            stage.held = stage.coming.pop_front().map(|(_, input)| input);
        }
        stage.held
    }

    fn write(&mut self, at_stage: usize, job: u64, at: Instant, input: Instant) {
        match self.stages.get_mut(at_stage + 1) {
            None => self.output(at, input),
            Some(next) if next.is_activated => next.activations.push_back((job, input)),
            Some(next) => next.coming.push_back((at.saturating_add(next.hop), input)),
        }
    }

    /// The output shows all events up to its input: an event just after an input is only in the next one.
    fn output(&mut self, at: Instant, input: Instant) {
        let is_event = self.stages[0].is_activated;
        let is_shown = |event: &Instant| *event < input || is_event && *event == input;
        let figures = &mut self.figures;
        figures.outputs += 1;
        figures.age_max = figures.age_max.max(Some(at.saturating_since(input)));
        while let Some(event) = self.unseen.front().copied().filter(is_shown) {
            self.unseen.pop_front();
            if event >= self.begins {
                figures.reaction_max = figures.reaction_max.max(Some(at.saturating_since(event)));
            }
        }
    }
}
