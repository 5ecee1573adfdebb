//! From a simulated run to what a report shows of it.

use super::run::SimulatedRun;
use prazo_core::event::Event;
use prazo_core::time::Duration;
use prazo_report::simulation::{EventRow, MissRow, ObservedChainRow, RepeatsRow, ResponseRow, Simulated, TaskRow};
use prazo_sim::chains::ChainFigures;
use prazo_sim::{Miss, Repeats, TaskFigures};

/// What is printed of `ran`.
pub(crate) fn document(file: String, ran: &SimulatedRun) -> Simulated {
    let figures = &ran.outcome.figures;
    Simulated {
        file,
        name: ran.name.clone(),
        policy: ran.policy.clone(),
        clusters: ran.clusters.clone(),
        seed: ran.seed,
        end_ns: ran.outcome.end.as_ns(),
        events: figures.events,
        jobs: figures.total(|task| task.released),
        completed: figures.total(|task| task.completed),
        misses: figures.total(|task| task.missed),
        aborted: figures.total(|task| task.aborted),
        skipped: figures.total(|task| task.skipped),
        mode_changes: figures.mode_changes,
        dropped: figures.total(|task| task.dropped),
        postponements: figures.total(|task| task.postponements),
        preemptions: figures.total(|task| task.preemptions),
        migrations: figures.total(|task| task.migrations),
        suspensions: figures.total(|task| task.suspensions),
        lock_waits: figures.total(|task| task.lock_waits),
        unsupplied_ns: ran.model.supply.map(|_| figures.unsupplied.as_ns()),
        first_miss_ns: figures.misses.first().map(|miss| miss.deadline.as_ns()),
        max_tardiness_ns: figures.tardiness_max().as_ns(),
        repeats: ran
            .outcome
            .repeats
            .map(|Repeats { from, period }| RepeatsRow { from_ns: from.as_ns(), period_ns: period.as_ns() }),
        proof: ran.proof(),
        tasks: figures.tasks.iter().enumerate().map(|(index, task)| row(ran, index, task)).collect(),
        chains: ran.chains.iter().map(|(name, figures)| chain_row(name, figures)).collect(),
        missed: figures.misses.iter().zip(&ran.around).map(|(miss, events)| missed(ran, miss, events)).collect(),
        remarks: ran.remarks.clone(),
    }
}

fn chain_row(name: &str, figures: &ChainFigures) -> ObservedChainRow {
    ObservedChainRow {
        name: name.to_owned(),
        outputs: figures.outputs,
        reaction_max_ns: figures.reaction_max.map(Duration::as_ns),
        age_max_ns: figures.age_max.map(Duration::as_ns),
    }
}

fn row(ran: &SimulatedRun, index: usize, task: &TaskFigures) -> TaskRow {
    let has_response = task.completed > 0;
    TaskRow {
        name: ran.names[index].clone(),
        cluster: ran.places[index],
        jobs: task.released,
        completed: task.completed,
        misses: task.missed,
        aborted: task.aborted,
        skipped: task.skipped,
        dropped: task.dropped,
        postponements: task.postponements,
        preemptions: task.preemptions,
        migrations: task.migrations,
        suspensions: task.suspensions,
        suspended_ns: u64::try_from(task.suspended_ns).unwrap_or(u64::MAX),
        lock_waits: task.lock_waits,
        response_time: has_response.then(|| ResponseRow {
            min_ns: task.response_min.as_ns(),
            mean_ns: task.response_sum_ns as f64 / task.completed as f64,
            max_ns: task.response_max.as_ns(),
        }),
        max_tardiness_ns: task.tardiness_max.as_ns(),
    }
}

fn missed(ran: &SimulatedRun, miss: &Miss, events: &[Event]) -> MissRow {
    MissRow {
        task: ran.names[miss.task].clone(),
        job: miss.job,
        arrival_ns: miss.arrival.as_ns(),
        deadline_ns: miss.deadline.as_ns(),
        around: events.iter().map(|event| event_row(ran, event)).collect(),
    }
}

fn event_row(ran: &SimulatedRun, event: &Event) -> EventRow {
    EventRow {
        at_ns: event.at.as_ns(),
        event: event.kind.name(),
        task: ran.names[event.task.index()].clone(),
        job: event.job,
        cpu: event.kind.cpu().map(|cpu| cpu.number()),
    }
}
