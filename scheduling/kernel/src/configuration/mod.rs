//! Policy and shape, chosen when the kernel is built: one line in one file, chosen by one feature.
//!
//! ```text
//! configuration!(EarliestDeadlineFirst on 4 processors, queues 0..2, 2..4);
//! ```
//!
//! Queues that do not add up to the processors, or leave one out, do not compile.

use crate::arch;
use crate::queue::Queue;
use prazo_core::cpu::Cpu;
use prazo_core::shape::Fixed;

/// The processors one queue serves, at most; equals the most that a shape can have.
pub const HEADS: usize = arch::PROCESSORS_MAX;
/// Tasks one queue can know; the last place is the run's own.
pub const TASKS: usize = 128;

macro_rules! configuration {
    ($criterion:ident on $processors:literal processors, queues $($first:literal .. $end:literal),+) => {
        /// How jobs rank.
        pub type Criterion = prazo_core::criterion::$criterion;
        /// Its value.
        pub const CRITERION: Criterion = prazo_core::criterion::$criterion;
        /// What the console says of it.
        pub const NAME: &str = concat!(stringify!($criterion), " on ", $processors, " processors, queues",
            $(" ", $first, "..", $end),+);
        /// Processors that the shape has.
        pub const PROCESSORS: usize = $processors;
        /// Queues that it has.
        pub const QUEUES: usize = [$($first),+].len();
        // Heads that do not add up to the processors stop the build here.
        const _: super::Fixed<QUEUES, PROCESSORS> = super::Fixed::of([$($end - $first),+]);
        const FIRSTS: [usize; QUEUES] = [$($first),+];
        const ENDS: [usize; QUEUES] = [$($end),+];
        /// All queues, each behind its own lock.
        pub static QUEUE: [super::arch::Lock<super::Queue>; QUEUES] =
            [$(super::arch::Lock::new(super::Queue::new(super::Cpu::LOWEST.plus($first), $end - $first))),+];
        /// The queue that serves each processor.
        pub const QUEUE_OF: [usize; PROCESSORS] = super::queue_of(FIRSTS, ENDS);
    };
}

/// By processor: its queue. Queues that are not in order, or overlap, stop the build.
const fn queue_of<const QUEUES: usize, const PROCESSORS: usize>(
    firsts: [usize; QUEUES],
    ends: [usize; QUEUES],
) -> [usize; PROCESSORS] {
    let mut of = [0; PROCESSORS];
    let (mut queue, mut processor) = (0, 0);
    while queue < QUEUES {
        assert!(firsts[queue] == processor, "each queue begins where the one before it ends");
        while processor < ends[queue] {
            of[processor] = queue;
            processor += 1;
        }
        queue += 1;
    }
    of
}

#[cfg(feature = "clustered-edf")]
#[path = "clustered_edf.rs"]
mod chosen;
#[cfg(feature = "clustered-edf-8")]
#[path = "clustered_edf_8.rs"]
mod chosen;
#[cfg(feature = "global-edf-8")]
#[path = "global_edf_8.rs"]
mod chosen;
#[cfg(feature = "global-edf")]
#[path = "global_edf.rs"]
mod chosen;
#[cfg(feature = "partitioned-edf")]
#[path = "partitioned_edf.rs"]
mod chosen;
#[cfg(feature = "partitioned-edf-8")]
#[path = "partitioned_edf_8.rs"]
mod chosen;
#[cfg(feature = "partitioned-rm")]
#[path = "partitioned_rm.rs"]
mod chosen;
#[cfg(feature = "single-edf")]
#[path = "single_edf.rs"]
mod chosen;

pub use chosen::{CRITERION, Criterion, NAME, PROCESSORS, QUEUE, QUEUE_OF, QUEUES};

const _: () = assert!(TASKS <= arch::THREADS_MAX, "every task has a stack");
