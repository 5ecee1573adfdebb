//! Messages through memory: a place for one message under a lock, with a condition variable for each side.
//!
//! The standard library makes both of the kernel's futexes, on every processor: a thread that finds the place taken, full or empty
//! waits on a futex, and whoever hands a message over wakes one such thread.

use std::io;
use std::sync::{Condvar, Mutex, PoisonError};

use super::channel::{Channel, Message};

/// Room for one message, so that senders and receiver wait for each other again and again.
#[derive(Default)]
pub(super) struct Mailbox {
    message: Mutex<Option<Message>>,
    filled: Condvar,
    emptied: Condvar,
}

impl Channel for Mailbox {
    fn send(&self, message: &Message) -> io::Result<()> {
        // A thread that panicked has ended its process.
        let place = self.message.lock().unwrap_or_else(PoisonError::into_inner);
        let place = self.emptied.wait_while(place, |place| place.is_some());
        *place.unwrap_or_else(PoisonError::into_inner) = Some(*message);
        self.filled.notify_one();
        Ok(())
    }

    fn receive(&self) -> io::Result<Message> {
        let mut place = self.message.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(message) = place.take() {
                drop(place);
                self.emptied.notify_one();
                return Ok(message);
            }
            place = self.filled.wait(place).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
