//! Small messages between many processes or threads: the pattern of hackbench.
//!
//! ```text
//! a group: 20 senders ── 100 bytes to each receiver in turn ──► 20 receivers, each with a channel of its own
//! ```
//! Each kind of channel has its file: socket pairs and pipes in `files`, a place in memory in `mailbox`.

mod channel;
mod files;
mod mailbox;

use std::io;

use super::super::numbers::Numbers;
use super::workers::{self, Endless};
use channel::{Channel, MESSAGE_BYTES};
use files::Files;
use mailbox::Mailbox;

const RECEIVERS: u32 = 20;
const SENDERS: u32 = 20;

/// The order in which a sender serves the receivers, again and again.
fn turns(seed: u64, group: u32, sender: u32) -> Vec<u32> {
    Numbers::of_worker(seed, group * SENDERS + sender).shuffled(RECEIVERS)
}

/// Exchanges messages between the processes of every group over sockets, until one of the processes ends.
pub(super) fn exchange(seed: u64, groups: u32) -> Endless {
    (0..groups).try_for_each(|group| start(seed, group))?;
    workers::wait()
}

/// Starts the processes of a group; this one keeps no socket of theirs.
fn start(seed: u64, group: u32) -> io::Result<()> {
    let channels = channels(Files::sockets)?;
    channels.iter().try_for_each(|channel| workers::start(|| receive(channel)))?;
    (0..SENDERS).try_for_each(|sender| workers::start(|| send(&channels, &turns(seed, group, sender))))
}

/// Exchanges messages between threads over pipes, for ever, as one group.
pub(super) fn exchange_over_pipes(seed: u64, group: u32) -> Endless {
    exchange_among_threads(seed, group, &channels(Files::pipe)?)
}

/// Exchanges messages between threads in memory, for ever, as one group: who waits and who wakes whom is the work of futexes alone.
pub(super) fn exchange_by_futexes(seed: u64, group: u32) -> Endless {
    exchange_among_threads(seed, group, &channels(|| Ok(Mailbox::default()))?)
}

fn exchange_among_threads(seed: u64, group: u32, channels: &[impl Channel]) -> ! {
    workers::each_thread(RECEIVERS + SENDERS, |number| match number.checked_sub(RECEIVERS) {
        None => receive(&channels[number as usize]),
        Some(sender) => send(channels, &turns(seed, group, sender)),
    })
}

/// One channel for each receiver.
fn channels<C: Channel>(make: impl Fn() -> io::Result<C>) -> io::Result<Vec<C>> {
    (0..RECEIVERS).map(|_| make()).collect()
}

fn receive(channel: &impl Channel) -> Endless {
    loop {
        channel.receive()?;
    }
}

fn send(channels: &[impl Channel], turns: &[u32]) -> Endless {
    let message = [0; MESSAGE_BYTES];
    loop {
        for receiver in turns {
            channels[*receiver as usize].send(&message)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::channel::Message;
    use super::*;

    #[test]
    fn a_sender_serves_every_receiver_in_an_order_of_its_own_that_the_seed_decides() {
        let mut sorted = turns(1, 0, 0);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..RECEIVERS).collect::<Vec<_>>());
        assert_eq!(turns(1, 2, 3), turns(1, 2, 3));
        assert_ne!(turns(1, 0, 0), turns(1, 0, 1));
        assert_ne!(turns(1, 0, 0), turns(1, 1, 0));
        assert_ne!(turns(1, 0, 0), turns(2, 0, 0));
    }

    /// Sends numbered messages from several threads at once; gives what the one receiver got.
    fn received(channel: &impl Channel, senders: u8, each: u8) -> Vec<Message> {
        std::thread::scope(|scope| {
            for sender in 0..senders {
                scope.spawn(move || (0..each).for_each(|number| channel.send(&numbered(sender, number)).unwrap()));
            }
            (0..u32::from(senders) * u32::from(each)).map(|_| channel.receive().unwrap()).collect()
        })
    }

    fn numbered(sender: u8, number: u8) -> Message {
        std::array::from_fn(|byte| if byte % 2 == 0 { sender } else { number })
    }

    fn delivers_whole_messages_in_order(channel: &impl Channel) {
        const SENDERS: u8 = 5;
        const EACH: u8 = 200;
        let messages = received(channel, SENDERS, EACH);
        for sender in 0..SENDERS {
            let of_sender: Vec<Message> = messages.iter().filter(|message| message[0] == sender).copied().collect();
            let sent: Vec<Message> = (0..EACH).map(|number| numbered(sender, number)).collect();
            assert_eq!(of_sender, sent, "sender {sender}");
        }
    }

    #[test]
    fn every_channel_delivers_each_message_once_and_whole() {
        delivers_whole_messages_in_order(&Files::sockets().unwrap());
        delivers_whole_messages_in_order(&Files::pipe().unwrap());
        delivers_whole_messages_in_order(&Mailbox::default());
    }
}
