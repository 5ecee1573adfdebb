//! From due to running: which instructions of a window an activation's latency consists of.
//!
//! The task read the counter when it ran. From there the span is followed backward: an instruction takes the clock's fixed
//! time, and a halted processor's time is what the readings before and behind the halt leave.

use crate::recording::{ClockReading, Event, Window};

/// The longest tick of the counters of watched processors.
pub const TICK_NS: u64 = 16;

/// A latency in instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Instructions executed before it.
    pub from: u64,
    /// Instructions executed until its end.
    pub to: u64,
    /// Time in it during which the processor was halted.
    pub idle_ns: u64,
    /// True where the activation became due while the processor was halted.
    pub was_idle_at_due: bool,
    /// Largest difference between the time of two neighbouring readings and that of the instructions between them.
    pub clock_error_ns: u64,
    /// How many pairs of readings were compared.
    pub clocks_compared: usize,
}

/// The latency that ended with the reading `counter`; `None` where the window does not hold it whole.
pub fn span(window: &Window, counter: u64, latency_ns: u64, instruction_ns: u64) -> Option<Span> {
    let end = window.events.iter().position(|event| matches!(event, Event::Clock(read) if read.counter == counter))?;
    let Event::Clock(last) = &window.events[end] else { return None };
    let before = &window.events[..end];
    let backward = Backward { events: before, instruction_ns, due: counter.checked_sub(latency_ns)? };
    let (from, idle_ns, was_idle_at_due) = backward.follow(last)?;
    let (clock_error_ns, clocks_compared) = clocks(&window.events[..=end], from, instruction_ns);
    (from >= window.opened).then_some(Span {
        from,
        to: last.instructions,
        idle_ns,
        was_idle_at_due,
        clock_error_ns,
        clocks_compared,
    })
}

/// Time between two instants of a halt. Readings are rounded down, so that one of no length may seem to end before it began.
fn halted_ns(from: u64, to: u64) -> Option<u64> {
    (to + TICK_NS >= from).then_some(to.saturating_sub(from))
}

struct Backward<'a> {
    events: &'a [Event],
    instruction_ns: u64,
    due: u64,
}

impl Backward<'_> {
    /// First instruction, time halted, and whether it began halted.
    fn follow(&self, last: &ClockReading) -> Option<(u64, u64, bool)> {
        let (mut count, mut time, mut idle_ns) = (last.instructions, last.counter, 0);
        for (place, event) in self.events.iter().enumerate().rev() {
            let Event::Idle { at } = event else { continue };
            let woken = time.checked_sub((count - at) * self.instruction_ns)?;
            if woken <= self.due {
                break;
            }
            let halted = self.time_before(place, *at).unwrap_or(0).max(self.due);
            idle_ns += halted_ns(halted, woken)?;
            if halted == self.due {
                return Some((*at, idle_ns, true));
            }
            (count, time) = (*at, halted);
        }
        let instructions = time.checked_sub(self.due)?.div_ceil(self.instruction_ns);
        Some((count.checked_sub(instructions)?, idle_ns, false))
    }

    /// When the processor halted, by the last reading before that; `None` where there is none behind the halt before it.
    fn time_before(&self, place: usize, at: u64) -> Option<u64> {
        let found =
            self.events[..place].iter().rev().find(|event| matches!(event, Event::Clock(_) | Event::Idle { .. }));
        match found {
            Some(Event::Clock(read)) => Some(read.counter + (at - read.instructions) * self.instruction_ns),
            _ => None,
        }
    }
}

/// Compares neighbouring readings with the instructions between them, where the processor did not halt in between.
fn clocks(events: &[Event], from: u64, instruction_ns: u64) -> (u64, usize) {
    let (mut error, mut compared, mut last) = (0, 0, None::<ClockReading>);
    for event in events {
        match event {
            Event::Clock(read) if read.instructions >= from => {
                if let Some(last) = last {
                    let counted = (read.instructions - last.instructions) * instruction_ns;
                    error = error.max(counted.abs_diff(read.counter - last.counter));
                    compared += 1;
                }
                last = Some(*read);
            }
            Event::Idle { .. } => last = None,
            _ => {}
        }
    }
    (error, compared)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(instructions: u64, counter: u64) -> Event {
        Event::Clock(ClockReading { instructions, counter, ..ClockReading::default() })
    }

    fn window(events: Vec<Event>) -> Window {
        Window { opened: 100, closed: 1_000, events, steps: Vec::new(), executed: Vec::new() }
    }

    #[test]
    fn without_a_halt_a_latency_is_its_instructions() {
        let all = window(vec![clock(150, 10_000), clock(200, 10_400)]);
        let found = span(&all, 10_400, 320, 8).unwrap();
        assert_eq!((found.from, found.to, found.idle_ns, found.was_idle_at_due), (160, 200, 0, false));
        assert_eq!((found.clock_error_ns, found.clocks_compared), (0, 0));
        let found = span(&all, 10_400, 480, 8).unwrap();
        assert_eq!((found.from, found.clock_error_ns, found.clocks_compared), (140, 0, 1));
    }

    #[test]
    fn a_processor_that_is_halted_when_the_activation_is_due_starts_with_its_interrupt() {
        let all = window(vec![clock(150, 10_000), Event::Idle { at: 160 }, clock(200, 20_400)]);
        let found = span(&all, 20_400, 336, 8).unwrap();
        assert_eq!((found.from, found.to, found.idle_ns, found.was_idle_at_due), (160, 200, 16, true));
    }

    #[test]
    fn a_halt_that_an_interrupt_prevents_takes_no_time_though_the_readings_are_rounded() {
        // The counter ticks every 16 ns; the halt at 160 took no time, and the second reading is 10 ns too small.
        let all = window(vec![clock(150, 10_000), Event::Idle { at: 160 }, clock(200, 10_390)]);
        let found = span(&all, 10_390, 390, 8).unwrap();
        assert_eq!((found.idle_ns, found.was_idle_at_due), (0, false));
        let all = window(vec![clock(150, 10_000), Event::Idle { at: 160 }, clock(200, 10_350)]);
        assert_eq!(span(&all, 10_350, 350, 8), None, "no rounding explains that");
    }

    #[test]
    fn a_halt_in_the_middle_takes_time_and_no_instruction() {
        let all = window(vec![clock(150, 10_000), Event::Idle { at: 160 }, clock(200, 20_400)]);
        // Halted from 10,080 to 20,080; due at 10,040.
        let found = span(&all, 20_400, 10_360, 8).unwrap();
        assert_eq!((found.from, found.idle_ns, found.was_idle_at_due), (155, 10_000, false));
    }

    #[test]
    fn what_the_window_does_not_hold_whole_is_no_span() {
        let all = window(vec![clock(150, 10_000), clock(200, 10_400)]);
        assert_eq!(span(&all, 10_401, 8, 8), None);
        assert_eq!(span(&all, 10_400, 808, 8), None);
    }

    #[test]
    fn readings_that_disagree_with_the_instructions_are_reported() {
        let all = window(vec![clock(150, 10_000), clock(200, 10_424)]);
        assert_eq!(span(&all, 10_424, 600, 8).unwrap().clock_error_ns, 24);
    }
}
