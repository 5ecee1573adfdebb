//! A run that its caller can end early.

use super::Sink;
use prazo_core::event::Event;

/// Hands on every event until the function says that the rest is not wanted. It is asked between events.
#[derive(Clone, Copy, Debug)]
pub struct Until<F, S> {
    /// True once the run shall end.
    pub is_over: F,
    /// Takes the events.
    pub sink: S,
}

impl<F: Fn() -> bool, S: Sink> Sink for Until<F, S> {
    #[inline]
    fn take(&mut self, event: Event) {
        self.sink.take(event);
    }

    #[inline]
    fn is_done(&self) -> bool {
        (self.is_over)() || self.sink.is_done()
    }
}
