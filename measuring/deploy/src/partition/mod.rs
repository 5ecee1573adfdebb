//! Clusters of processors made real: each a root domain, within which Linux balances real-time threads and admits deadlines.
//!
//! ```no_run
//! # use prazo_deploy::Partitions;
//! # use prazo_platform::{root::Root, tunable::Journal};
//! let journal = Journal::open(&Root::system())?;
//! let clusters = ["0".parse()?, "1-3".parse()?];
//! let partitions = Partitions::make(&journal, &clusters)?; // undone when it is dropped, or by the next start after a crash
//! std::thread::scope(|scope| {
//!     scope.spawn(|| partitions.enter(1)); // each thread enters its cluster before it asks for SCHED_DEADLINE
//! });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ground;
mod layout;

pub use layout::{Ground, Layout, Owned, Place};

use crate::step::{self, Refused};
use prazo_core::cpu::CpuSet;
use prazo_platform::root::{Root, Unavailable};
use prazo_platform::sys;
use prazo_platform::tunable::{Held, Journal, JournalError, Thread, ThreadSetting, TunableRecord, TuneError};

/// Why clusters cannot be made, or not entered.
#[derive(Debug, thiserror::Error)]
pub enum PartitionError {
    /// Nothing on this machine makes root domains.
    #[error("clusters of processors cannot be made here: {why}")]
    NoWay {
        /// What is missing.
        why: String,
    },
    /// There are not so many processors.
    #[error("cluster {cluster} asks for processors {absent}, and online are {online}")]
    NotOnline {
        /// Its index.
        cluster: usize,
        /// What is not there.
        absent: String,
        /// What is there.
        online: String,
    },
    /// Two clusters want the same processor.
    #[error("cluster {cluster} and one before it both have {shared}; each processor belongs to one")]
    Overlap {
        /// Its index.
        cluster: usize,
        /// What both have.
        shared: String,
    },
    /// Somebody else has them.
    #[error("processors {cpus} belong to the group {by}; choose others with --cpus, or remove that group first")]
    Owned {
        /// The processors.
        cpus: String,
        /// Whose they are.
        by: String,
    },
    /// A file of the system's gave no answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The machine refused a step; those before it are undone.
    #[error("{step}: {why}")]
    Refused {
        /// What was being done.
        step: String,
        /// What came back.
        why: String,
    },
    /// The journal could not be kept, so nothing was tried.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl From<Refused> for PartitionError {
    fn from(refused: Refused) -> Self {
        match refused.why {
            TuneError::Journal(error) => Self::Journal(error),
            TuneError::Refused { why, .. } => Self::Refused { step: refused.step.to_string(), why: why.to_string() },
        }
    }
}

/// Clusters of processors, held by this process.
#[derive(Debug)]
#[must_use = "the partitions are taken apart as soon as this is dropped"]
pub struct Partitions {
    /// Put back in reverse order.
    held: Vec<Held>,
    layout: Layout,
    root: Root,
}

impl Partitions {
    /// Makes one for each cluster. What runs in no cluster keeps the processors that are left; where none is, the largest
    /// cluster's.
    ///
    /// On version 2 this process is moved to the root of the hierarchy first where it is elsewhere, since threads move only
    /// between groups of one domain; it is moved back in the end.
    pub fn make(journal: &Journal, clusters: &[CpuSet]) -> Result<Self, PartitionError> {
        let ground = Ground::read(journal.root())?;
        let layout = Layout::of(clusters, &ground, &stem())?;
        let mut steps = layout.steps();
        if let Some(mount) = layout.domain() {
            let process = Thread::find(journal.root(), std::process::id())?;
            let setting = ThreadSetting::Group { file: layout.file(mount, true) };
            steps.insert(0, step::Step::thread("", process, setting));
        }
        let held = step::carry_out(&steps, journal)?;
        Ok(Self { held, layout, root: journal.root().clone() })
    }

    /// Brings the calling thread into a cluster and lets it run on all processors there, as a deadline thread must be able to.
    /// Panics for a cluster that was not asked for.
    pub fn enter(&self, cluster: usize) -> Result<(), PartitionError> {
        let place = &self.layout.places()[cluster];
        if let Some(folder) = &place.folder {
            self.root.write(&self.layout.file(folder, false), &sys::thread_id().to_string())?;
        }
        sys::set_affinity(&place.cpus).map_err(|error| PartitionError::Refused {
            step: format!("run on processors {}", place.cpus),
            why: error.to_string(),
        })
    }

    /// The processors of each cluster.
    pub fn clusters(&self) -> impl Iterator<Item = CpuSet> + '_ {
        self.layout.places().iter().map(|place| place.cpus)
    }

    /// Takes them apart and says what became of each change. Deadline threads must have ended before.
    pub fn release(mut self) -> Vec<TunableRecord> {
        std::iter::from_fn(|| self.held.pop()).map(Held::release).collect()
    }
}

impl Drop for Partitions {
    fn drop(&mut self) {
        while self.held.pop().is_some() {}
    }
}

/// What the names of this process's groups begin with, so that two runs do not meet.
pub(crate) fn stem() -> String {
    format!("prazo-{}-cluster", std::process::id())
}
