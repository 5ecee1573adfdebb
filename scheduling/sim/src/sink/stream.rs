//! The trace handed on event by event, to be written as it is won.

use super::Sink;
use prazo_core::event::Event;

/// Calls a function with every event.
pub struct Stream<F>(pub F);

impl<F: FnMut(Event)> Sink for Stream<F> {
    fn take(&mut self, event: Event) {
        (self.0)(event);
    }
}
