//! The trace as a list, up to a stated length; what does not fit is counted.

use super::Sink;
use prazo_core::event::Event;

/// Keeps the first events.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// What was kept, in order.
    pub events: Vec<Event>,
    /// How many came after the list was full.
    pub lost: u64,
    capacity: usize,
}

impl Memory {
    /// Room for `capacity` events.
    pub fn new(capacity: usize) -> Self {
        Self { events: Vec::new(), lost: 0, capacity }
    }
}

impl Sink for Memory {
    fn take(&mut self, event: Event) {
        if self.events.len() < self.capacity {
            self.events.push(event);
        } else {
            self.lost += 1;
        }
    }
}
