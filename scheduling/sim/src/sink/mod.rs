//! Where the events of a run go: nowhere, into memory, into a window around what matters, or to whoever is called.
//!
//! The sink is a type parameter of the run, so that a run without a trace does not even ask.

mod memory;
mod nowhere;
mod stream;
mod until;
mod windows;

pub use memory::Memory;
pub use nowhere::Nowhere;
pub use stream::Stream;
pub use until::Until;
pub use windows::{Window, Windows};

use prazo_core::event::Event;

/// Takes events in the order in which they happen.
pub trait Sink {
    /// Takes one.
    fn take(&mut self, event: Event);

    /// True if nobody wants the rest: the run ends where it is.
    fn is_done(&self) -> bool {
        false
    }
}

impl<S: Sink> Sink for &mut S {
    fn take(&mut self, event: Event) {
        (**self).take(event);
    }

    fn is_done(&self) -> bool {
        (**self).is_done()
    }
}
