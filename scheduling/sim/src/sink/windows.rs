//! The schedule around chosen instants: a second run of the same scenario and seed passes by the same events.

use super::Sink;
use prazo_core::event::Event;
use prazo_core::time::Instant;

/// An interval [start, end] with the events inside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Its first instant.
    pub start: Instant,
    /// Its last instant.
    pub end: Instant,
    /// What happened between.
    pub events: Vec<Event>,
    /// What more happened, beyond the room of a window.
    pub lost: u64,
}

/// Events that one window has room for.
const ROOM: usize = 4_096;

/// Keeps what falls into any of a few windows.
#[derive(Clone, Debug, Default)]
pub struct Windows {
    /// The windows, in the order in which they were asked for.
    pub windows: Vec<Window>,
}

impl Windows {
    /// Windows over these intervals.
    pub fn over(intervals: impl IntoIterator<Item = (Instant, Instant)>) -> Self {
        let window = |(start, end)| Window { start, end, ..Window::default() };
        Self { windows: intervals.into_iter().map(window).collect() }
    }
}

impl Sink for Windows {
    fn take(&mut self, event: Event) {
        for window in self.windows.iter_mut().filter(|window| (window.start..=window.end).contains(&event.at)) {
            if window.events.len() < ROOM {
                window.events.push(event);
            } else {
                window.lost += 1;
            }
        }
    }
}
