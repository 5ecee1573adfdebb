//! A ring of samples from one measuring thread to the recorder, in memory that two processes may share.
//!
//! One producer, one consumer, no lock. When the ring is full a sample is not stored but counted; the count goes into the
//! same stream, as a gap, as soon as there is room, so that the recorder knows between which samples the lost ones lay.
//! Skipped activations travel the same way. Invariant: `tail <= head <= tail + capacity`; the slots in `[tail, head)`
//! belong to the consumer, the others to the producer.
//!
//! ```text
//! words: [ head . . . . . . . | tail . . . . . . . | due woke | due woke | ... ]
//!          producer's line      consumer's line      slot n at (n mod capacity)
//! ```

use std::sync::atomic::{AtomicU64, Ordering};

/// Words ahead of the slots: one cache line for each side's counter.
const HEADER_WORDS: usize = 16;
const TAIL: usize = 8;
/// Set in the first word of a slot that holds a gap; CLOCK_MONOTONIC reaches this bit after 292 years.
const GAP: u64 = 1 << 63;

/// One served activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// When it was due, on CLOCK_MONOTONIC.
    pub due_ns: u64,
    /// When the thread was running again.
    pub woke_ns: u64,
}

/// Activations without a sample, between the samples around them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gap {
    /// Served, but not stored.
    pub lost: u64,
    /// Jumped over.
    pub skipped: u64,
}

/// What a ring carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A served activation.
    Sample(Sample),
    /// Activations without a sample.
    Gap(Gap),
}

/// How many words a ring of `capacity` slots takes.
pub(crate) const fn words_for(capacity: usize) -> usize {
    HEADER_WORDS + 2 * capacity
}

#[derive(Debug)]
struct Halves<'m> {
    head: &'m AtomicU64,
    tail: &'m AtomicU64,
    slots: &'m [AtomicU64],
}

impl<'m> Halves<'m> {
    fn over(words: &'m [AtomicU64]) -> Self {
        let (header, slots) = words.split_at(HEADER_WORDS);
        assert!((slots.len() / 2).is_power_of_two(), "a ring's capacity is a power of two");
        Self { head: &header[0], tail: &header[TAIL], slots }
    }

    #[inline]
    fn capacity(&self) -> u64 {
        (self.slots.len() / 2) as u64
    }

    #[inline]
    fn slot(&self, number: u64) -> (&AtomicU64, &AtomicU64) {
        let at = 2 * (number & (self.capacity() - 1)) as usize;
        (&self.slots[at], &self.slots[at + 1])
    }
}

/// The writing end; there must be one only.
#[derive(Debug)]
pub(crate) struct Producer<'m> {
    ring: Halves<'m>,
    head: u64,
    /// The consumer's counter as last seen: the ring has at least the room that this leaves.
    tail_seen: u64,
    pending: Gap,
}

impl<'m> Producer<'m> {
    /// The writing end over the zeroed words of a ring, as many as [`words_for`] a power of two.
    pub(crate) fn over(words: &'m [AtomicU64]) -> Self {
        Self { ring: Halves::over(words), head: 0, tail_seen: 0, pending: Gap::default() }
    }

    /// Writes to every page, so that none is fetched while measuring.
    pub(crate) fn touch(&self) {
        for word in self.ring.slots.iter().step_by(64) {
            word.store(0, Ordering::Relaxed);
        }
    }

    /// Stores one served activation, which `skipped` others preceded that were jumped over.
    #[inline]
    pub(crate) fn push(&mut self, sample: Sample, skipped: u64) {
        if skipped == 0 && self.pending.lost == 0 && self.has_room(1) {
            self.put(sample.due_ns, sample.woke_ns);
            self.publish();
        } else {
            self.push_behind_gap(sample, skipped);
        }
    }

    #[cold]
    fn push_behind_gap(&mut self, sample: Sample, skipped: u64) {
        self.pending.skipped += skipped;
        if !self.has_room(1 + u64::from(self.pending != Gap::default())) {
            self.pending.lost += 1;
            return;
        }
        self.put_pending();
        self.put(sample.due_ns, sample.woke_ns);
        self.publish();
    }

    /// Ends the stream with `skipped` activations behind the last sample; answers what no longer fitted.
    pub(crate) fn finish(mut self, skipped: u64) -> Gap {
        self.pending.skipped += skipped;
        if self.pending == Gap::default() || !self.has_room(1) {
            return self.pending;
        }
        self.put_pending();
        self.publish();
        Gap::default()
    }

    fn put_pending(&mut self) {
        let gap = std::mem::take(&mut self.pending);
        if gap != Gap::default() {
            self.put(GAP | gap.lost, gap.skipped);
        }
    }

    #[inline]
    fn has_room(&mut self, slots: u64) -> bool {
        if self.head + slots - self.tail_seen > self.ring.capacity() {
            // ORDERING: pairs with the consumer's release of `tail`: it has read the slots that are overwritten next.
            self.tail_seen = self.ring.tail.load(Ordering::Acquire);
        }
        self.head + slots - self.tail_seen <= self.ring.capacity()
    }

    #[inline]
    fn put(&mut self, first: u64, second: u64) {
        let slot = self.ring.slot(self.head);
        // ORDERING: relaxed, since the slot is the producer's alone until `publish` releases it.
        slot.0.store(first, Ordering::Relaxed);
        slot.1.store(second, Ordering::Relaxed);
        self.head += 1;
    }

    #[inline]
    fn publish(&self) {
        // ORDERING: pairs with the consumer's acquire of `head`: the slots before it are complete.
        self.ring.head.store(self.head, Ordering::Release);
    }
}

/// The reading end; there must be one only.
#[derive(Debug)]
pub(crate) struct Consumer<'m> {
    ring: Halves<'m>,
    tail: u64,
}

impl<'m> Consumer<'m> {
    /// The reading end over the words of a ring.
    pub(crate) fn over(words: &'m [AtomicU64]) -> Self {
        Self { ring: Halves::over(words), tail: 0 }
    }

    /// Hands everything that is there to `take`, oldest first, then gives the room back.
    pub(crate) fn drain<E>(&mut self, mut take: impl FnMut(Entry) -> Result<(), E>) -> Result<(), E> {
        // ORDERING: pairs with the producer's release of `head`: the slots before it are complete.
        let head = self.ring.head.load(Ordering::Acquire);
        while self.tail != head {
            let slot = self.ring.slot(self.tail);
            let (first, second) = (slot.0.load(Ordering::Relaxed), slot.1.load(Ordering::Relaxed));
            self.tail += 1;
            take(entry(first, second))?;
        }
        // ORDERING: pairs with the producer's acquire of `tail`: these slots have been read.
        self.ring.tail.store(self.tail, Ordering::Release);
        Ok(())
    }
}

fn entry(first: u64, second: u64) -> Entry {
    if first & GAP == 0 {
        Entry::Sample(Sample { due_ns: first, woke_ns: second })
    } else {
        Entry::Gap(Gap { lost: first & !GAP, skipped: second })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;
    use std::convert::Infallible;

    fn words(capacity: usize) -> Vec<AtomicU64> {
        (0..words_for(capacity)).map(|_| AtomicU64::new(0)).collect()
    }

    fn split(words: &[AtomicU64]) -> (Producer<'_>, Consumer<'_>) {
        (Producer::over(words), Consumer::over(words))
    }

    fn sample(number: u64) -> Sample {
        Sample { due_ns: number * 10, woke_ns: number * 10 + 3 }
    }

    fn drained(consumer: &mut Consumer<'_>) -> Vec<Entry> {
        let mut entries = Vec::new();
        let _: Result<(), Infallible> = consumer.drain(|entry| {
            entries.push(entry);
            Ok(())
        });
        entries
    }

    /// The obvious twin: a bounded deque, told in the same words.
    struct Twin {
        queue: VecDeque<Entry>,
        capacity: usize,
        pending: Gap,
    }

    impl Twin {
        fn push(&mut self, sample: Sample, skipped: u64) {
            self.pending.skipped += skipped;
            let mut entries = vec![Entry::Sample(sample)];
            if self.pending != Gap::default() {
                entries.insert(0, Entry::Gap(self.pending));
            }
            if self.queue.len() + entries.len() > self.capacity {
                self.pending.lost += 1;
            } else {
                self.queue.extend(entries);
                self.pending = Gap::default();
            }
        }
    }

    proptest! {
        /// A move is `Some(skipped)` for a push and `None` for a drain.
        #[test]
        fn the_ring_agrees_with_a_bounded_deque(moves in prop::collection::vec(prop::option::weighted(0.8, 0u64..3), 0..200)) {
            let memory = words(8);
            let (mut producer, mut consumer) = split(&memory);
            let mut twin = Twin { queue: VecDeque::new(), capacity: 8, pending: Gap::default() };
            for (number, step) in moves.into_iter().enumerate() {
                match step {
                    Some(skipped) => {
                        producer.push(sample(number as u64), skipped);
                        twin.push(sample(number as u64), skipped);
                    }
                    None => prop_assert_eq!(drained(&mut consumer), twin.queue.drain(..).collect::<Vec<_>>()),
                }
            }
            let unwritten = producer.finish(0);
            let mut read_back: Vec<Entry> = drained(&mut consumer);
            if unwritten != Gap::default() {
                read_back.push(Entry::Gap(unwritten));
            }
            let mut expected: Vec<Entry> = twin.queue.into();
            if twin.pending != Gap::default() {
                expected.push(Entry::Gap(twin.pending));
            }
            prop_assert_eq!(read_back, expected);
        }
    }

    #[test]
    fn a_full_ring_counts_what_it_cannot_keep_and_tells_where() {
        let memory = words(4);
        let (mut producer, mut consumer) = split(&memory);
        (0..7).for_each(|number| producer.push(sample(number), 0));
        assert_eq!(drained(&mut consumer).len(), 4);
        producer.push(sample(7), 2);
        assert_eq!(drained(&mut consumer), [Entry::Gap(Gap { lost: 3, skipped: 2 }), Entry::Sample(sample(7))]);
    }

    #[test]
    fn what_does_not_fit_at_the_end_is_answered() {
        let memory = words(2);
        let (mut producer, _consumer) = split(&memory);
        (0..5).for_each(|number| producer.push(sample(number), 0));
        assert_eq!(producer.finish(1), Gap { lost: 3, skipped: 1 });
    }

    #[test]
    fn two_threads_pass_every_sample_in_order_or_count_it_lost() {
        const SAMPLES: u64 = 200_000;
        let memory = words(64);
        let (mut producer, mut consumer) = split(&memory);
        let finished = std::sync::atomic::AtomicBool::new(false);
        let (mut seen, mut lost, mut last) = (0, 0, None);
        let unwritten = std::thread::scope(|scope| {
            let writing = scope.spawn(|| {
                (0..SAMPLES).for_each(|number| producer.push(sample(number), 0));
                finished.store(true, Ordering::Release);
                producer.finish(0)
            });
            loop {
                let was_finished = finished.load(Ordering::Acquire) && writing.is_finished();
                for entry in drained(&mut consumer) {
                    match entry {
                        Entry::Gap(gap) => lost += gap.lost,
                        Entry::Sample(got) => {
                            assert_eq!(got.woke_ns, got.due_ns + 3, "a torn sample");
                            assert!(last.is_none_or(|last| last < got.due_ns), "out of order");
                            assert_eq!(got.due_ns / 10, seen + lost, "a loss in the wrong place");
                            last = Some(got.due_ns);
                            seen += 1;
                        }
                    }
                }
                if was_finished {
                    break;
                }
                std::thread::yield_now();
            }
            writing.join().unwrap()
        });
        assert_eq!(seen + lost + unwritten.lost, SAMPLES);
        assert!(seen >= 64);
    }
}
