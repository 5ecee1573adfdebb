//! The shape that a kernel is built with: a constant whose heads add up to the processors, or it does not compile.
//!
//! ```
//! use prazo_core::shape::Fixed;
//! const CLUSTERED: Fixed<2, 4> = Fixed::clustered();
//! const UNEQUAL: Fixed<3, 4> = Fixed::of([2, 1, 1]);
//! ```
//! ```compile_fail
//! use prazo_core::shape::Fixed;
//! const WRONG: Fixed<2, 4> = Fixed::of([2, 1]);
//! ```
//! ```compile_fail
//! use prazo_core::shape::Fixed;
//! const WRONG: Fixed<3, 4> = Fixed::clustered();
//! ```

use super::Shape;

/// `QUEUES` queues that serve `CPUS` processors together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed<const QUEUES: usize, const CPUS: usize> {
    heads: [u16; QUEUES],
}

impl<const QUEUES: usize, const CPUS: usize> Fixed<QUEUES, CPUS> {
    /// Queue `i` serves `heads[i]` processors. In a constant, heads that do not add up stop the build.
    pub const fn of(heads: [u16; QUEUES]) -> Self {
        let (mut sum, mut queue) = (0, 0);
        while queue < QUEUES {
            assert!(heads[queue] > 0, "a queue serves no processor");
            sum += heads[queue] as usize;
            queue += 1;
        }
        assert!(sum == CPUS, "the heads of all queues do not add up to the processors");
        assert!(CPUS > 0 && CPUS <= crate::cpu::CPUS_MAX, "no processor, or too many");
        Self { heads }
    }

    /// As many processors for each queue: global with one queue, partitioned with one for each processor.
    pub const fn clustered() -> Self {
        assert!(QUEUES > 0 && CPUS.is_multiple_of(QUEUES), "the processors do not divide into the queues");
        Self::of([(CPUS / QUEUES) as u16; QUEUES])
    }
}

impl<const QUEUES: usize, const CPUS: usize> Shape for Fixed<QUEUES, CPUS> {
    fn queues(&self) -> usize {
        QUEUES
    }

    fn heads(&self, queue: usize) -> usize {
        usize::from(self.heads[queue])
    }
}
