//! Budgets that nearly ended: where a job leaves its processor just before its server's budget is used up, a kernel, which charges
//! a little more than the simulator, may find that it is.
//!
//! The simulator writes no event for what does not happen, so its servers are followed through the trace by core's own.

use super::compare::{APART, BUDGET_END};
use crate::kernel::tasks::Tasks;
use prazo_core::server::Server;
use prazo_core::time::{Duration, Instant};
use prazo_lab::own_kernel::Event;
use prazo_scenario::Reservation;

/// One server on its way through a trace.
struct Followed {
    server: Server,
    since_ns: Option<u64>,
    pending: u64,
}

/// An event for each budget that would have ended soon after its job left the processor.
pub(super) fn nearly_ended(tasks: &Tasks, events: &[Event]) -> Vec<Event> {
    let served = |number: usize| tasks.conduct.get(number).and_then(|conduct| conduct.server);
    let mut servers: Vec<Option<Followed>> =
        (0..tasks.tasks.len()).map(|number| served(number).and_then(Followed::new)).collect();
    events.iter().filter_map(|event| servers[event.task as usize].as_mut()?.follow(event)).collect()
}

impl Followed {
    fn new(times: Reservation) -> Option<Self> {
        let server = Server::new(Duration::from_ns(times.budget), Duration::from_ns(times.period))?;
        Some(Self { server, since_ns: None, pending: 0 })
    }

    fn follow(&mut self, event: &Event) -> Option<Event> {
        match event.event.as_str() {
            "release" => self.release(event.at_ns),
            "dispatch" => self.since_ns = Some(event.at_ns),
            "preemption" => return self.leave(event),
            "completion" | "abortion" => {
                self.pending -= 1;
                return self.leave(event);
            }
            "budget_exhaustion" => self.exhaust(event.at_ns),
            _ => {}
        }
        None
    }

    fn release(&mut self, at_ns: u64) {
        self.pending += 1;
        if self.pending == 1 {
            self.server.arrive(Instant::from_ns(at_ns));
        }
    }

    /// What was used up at the instant at which the job left was charged then.
    fn exhaust(&mut self, at_ns: u64) {
        if let Some(since_ns) = self.since_ns.replace(at_ns) {
            self.server.charge(Duration::from_ns(at_ns - since_ns));
        }
    }

    fn leave(&mut self, event: &Event) -> Option<Event> {
        let since_ns = self.since_ns.take()?;
        self.server.charge(Duration::from_ns(event.at_ns - since_ns));
        let left = self.server.budget();
        (left < APART).then(|| Event { at_ns: event.at_ns + left.as_ns(), event: BUDGET_END.into(), ..event.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::task::Task;
    use prazo_scenario::Conduct;

    const MS: u64 = 1_000_000;

    fn event(at_ms: u64, event: &str) -> Event {
        Event { queue: 0, at_ns: at_ms * MS, event: event.into(), task: 0, job: 0, cpu: 0 }
    }

    fn nearly(completes_ms: u64) -> Vec<u64> {
        let server = Some(Reservation { budget: 10 * MS, period: 50 * MS });
        let conduct = vec![Conduct { server, ..Conduct::default() }];
        let tasks = Tasks { tasks: vec![Task::implicit(20 * MS, 50 * MS)], conduct, ..Tasks::default() };
        let events = [
            event(0, "release"),
            event(0, "dispatch"),
            event(10, "budget_exhaustion"),
            event(completes_ms, "completion"),
        ];
        nearly_ended(&tasks, &events).iter().map(|event| event.at_ns / MS).collect()
    }

    #[test]
    fn a_budget_that_had_a_millisecond_left_is_told() {
        assert_eq!(nearly(19), [20]);
        assert!(nearly(15).is_empty());
    }
}
