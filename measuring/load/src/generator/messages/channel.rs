//! The way of messages to one receiver, whatever carries them.

use std::io;

/// As long as hackbench's.
pub(super) const MESSAGE_BYTES: usize = 100;

pub(super) type Message = [u8; MESSAGE_BYTES];

/// What several senders use at once, and one receiver.
pub(super) trait Channel: Sync {
    /// Waits until there is room for a message.
    fn send(&self, message: &Message) -> io::Result<()>;

    /// Waits for a message.
    fn receive(&self) -> io::Result<Message>;
}
