//! A processor that is not always there: who was chosen for it waits until the supply begins again.
//!
//! The scheduler core does not know of this. It decides as if the processor were there; its decisions are only carried out when the supply begins.

use super::Simulation;
use crate::ready::Ready;
use crate::sink::Sink;
use crate::state::NOBODY;
use crate::supply::SupplyState;
use crate::timers::Timer;
use prazo_core::cpu::Cpu;
use prazo_core::event::EventKind;
use prazo_core::time::Instant;

/// The only processor with a supply.
const CPU: usize = 0;

impl<S: Sink, Q: Ready, const PLAIN: bool> Simulation<'_, S, Q, PLAIN> {
    /// The supply begins or ends.
    pub(super) fn change_supply(&mut self, now: Instant) {
        // A run whose jobs are rare ends at its limit of events too.
        self.figures.events += 1;
        let Some(supply) = &mut self.supply else { return };
        if !supply.is_there {
            supply.is_there = true;
            self.figures.unsupplied += now - supply.gone_since;
            self.is_open = true;
        } else {
            supply.interval = supply.served.next().unwrap_or((Instant::NEVER, Instant::NEVER));
            // Intervals that touch are one.
            if supply.interval.0 > now {
                (supply.is_there, supply.gone_since) = (false, now);
                self.withdraw_processor(now);
            }
        }
        let at = self.supply.as_ref().map_or(Instant::NEVER, SupplyState::changes_at);
        self.set(Timer::Supply, at);
    }

    fn withdraw_processor(&mut self, now: Instant) {
        let task = self.cpus[CPU].running;
        if task == NOBODY {
            return;
        }
        self.tasks[task].remaining = self.timers.at(Timer::Completion(CPU)) - now;
        self.stop_timers(CPU);
        let job = self.tasks[task].serving.job;
        self.emit(now, task, job, EventKind::Withdrawal { cpu: Cpu::LOWEST });
        if let Some(supply) = &mut self.supply {
            supply.waits = true;
        }
    }

    /// True if the job of `task`, chosen for `cpu`, has to wait for the supply.
    pub(super) fn has_no_supply(&mut self, task: usize, cpu: usize) -> bool {
        if PLAIN {
            return false;
        }
        let Some(supply) = self.supply.as_mut().filter(|supply| !supply.is_there) else { return false };
        supply.waits = true;
        self.cpus[cpu].running = task;
        true
    }

    /// True if the job that another one displaces has only waited for the supply.
    pub(super) fn ends_without_supply(&mut self) -> bool {
        !PLAIN && self.supply.as_mut().is_some_and(|supply| std::mem::take(&mut supply.waits))
    }

    /// Who was chosen while there was no supply runs now that there is one.
    pub(super) fn begin_supplied(&mut self, now: Instant) {
        let Some(supply) = self.supply.as_mut().filter(|supply| supply.is_there && supply.waits) else { return };
        supply.waits = false;
        let task = self.cpus[CPU].running;
        self.begin(0, task, Cpu::LOWEST, now);
    }

    /// The run ends, and with it a gap that may be under way.
    pub(super) fn count_unsupplied(&mut self, end: Instant) {
        if let Some(supply) = self.supply.as_ref().filter(|supply| !supply.is_there) {
            self.figures.unsupplied += end.saturating_since(supply.gone_since);
        }
    }
}
