//! Where the stop word and the rings lie in the shared memory.

use super::worker_request::WorkerRequest;
use super::{control, ring};
use std::ops::Range;
use std::sync::atomic::AtomicU64;

/// Words between two parts, so that no cache line (or adjacent pair of them) holds words of two threads.
const SPACING: usize = 16;

/// The parts, in words: the stop word first, then one ring for each request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    rings: Vec<Range<usize>>,
    words: usize,
}

impl Layout {
    /// Room for the rings of `requests`.
    pub(crate) fn of(requests: &[WorkerRequest]) -> Self {
        let mut words = control::WORDS.next_multiple_of(SPACING);
        let mut place = |request: &WorkerRequest| {
            let ring = words..words + ring::words_for(request.ring_capacity());
            words = ring.end.next_multiple_of(SPACING);
            ring
        };
        let rings = requests.iter().map(&mut place).collect();
        Self { rings, words }
    }

    /// Words of the whole memory.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Where the stop word lies.
    pub(crate) fn control_words(&self) -> Range<usize> {
        0..control::WORDS
    }

    /// Where ring `number` lies.
    pub(crate) fn ring_words(&self, number: usize) -> Range<usize> {
        self.rings[number].clone()
    }

    /// The stop word among `words`.
    pub(crate) fn control<'m>(&self, words: &'m [AtomicU64]) -> &'m [AtomicU64] {
        &words[self.control_words()]
    }

    /// Ring `number` among `words`.
    pub(crate) fn ring<'m>(&self, words: &'m [AtomicU64], number: usize) -> &'m [AtomicU64] {
        &words[self.ring_words(number)]
    }
}

#[cfg(test)]
mod tests {
    use super::super::plans::plan;
    use super::*;

    #[test]
    fn parts_do_not_overlap_and_fit() {
        let layout = Layout::of(&WorkerRequest::all_of(&plan(&[0, 1, 2]), None));
        let mut end = layout.control_words().end;
        for number in 0..3 {
            let ring = layout.ring_words(number);
            assert!(ring.start >= end && ring.start.is_multiple_of(SPACING));
            end = ring.end;
        }
        assert!(layout.words() >= end);
    }
}
