//! The simulator's side: a task set's events, in the form in which the kernel prints them.

use super::budgets;
use super::compare::DEADLINE;
use crate::kernel::configuration::Configuration;
use crate::kernel::tasks::Tasks;
use prazo_core::overheads::Overheads;
use prazo_core::task::Task;
use prazo_core::time::{Duration, Instant};
use prazo_lab::own_kernel::Event;
use prazo_sim::model::Variation;
use prazo_sim::sink::Memory;
use prazo_sim::{Limits, Model, Request, simulate};

/// Events that one run may have.
const EVENTS_MAX: usize = 1 << 22;

/// All events up to `duration`, on a platform that costs nothing.
pub(super) fn events(tasks: &Tasks, configuration: &Configuration, duration: Duration) -> Result<Vec<Event>, String> {
    let policy = configuration.policy()?;
    let request = Request {
        tasks: &tasks.tasks,
        conduct: &tasks.conduct,
        behaviours: prazo_core::behaviour::Behaviours::PLAIN,
        ns_per_tick: 1,
        clusters: &configuration.clusters,
        places: &tasks.queues,
        policy: &policy,
        overheads: Overheads::NONE,
        variation: Variation { overrun: tasks.late, ..Variation::default() },
    };
    let model = Model::new(&request).map_err(|refused| refused.to_string())?;
    let mut memory = Memory::new(EVENTS_MAX);
    simulate(&model, &Limits::until(Instant::EPOCH + duration), &mut memory);
    if memory.lost > 0 {
        return Err(format!("the simulation has more than {EVENTS_MAX} events: give a shorter --duration"));
    }
    let events: Vec<Event> = memory.events.iter().map(|event| as_printed(event, &tasks.queues)).collect();
    let deadlines: Vec<Event> = events.iter().filter_map(|event| deadline(event, &tasks.tasks)).collect();
    let budgets = budgets::nearly_ended(tasks, &events);
    Ok([events, deadlines, budgets].concat())
}

/// The deadline of the job that arrives in `event`, as an event that the kernel does not print.
fn deadline(event: &Event, tasks: &[Task]) -> Option<Event> {
    let at_ns = event.at_ns + tasks[event.task as usize].deadline;
    (event.event == "arrival").then(|| Event { at_ns, event: DEADLINE.into(), ..event.clone() })
}

fn as_printed(event: &prazo_core::event::Event, queues: &[u32]) -> Event {
    let task = event.task.number();
    Event {
        queue: u64::from(queues[usize::from(task)]),
        at_ns: event.at.as_ns(),
        event: event.kind.name().to_owned(),
        task: u64::from(task),
        job: event.job,
        cpu: event.kind.cpu().map_or(0, |cpu| u64::from(cpu.number())),
    }
}
