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

mod error;
mod ground;
mod layout;

pub use error::PartitionError;
pub use layout::{ClusterGroup, Ground, Layout, Owned};

use crate::step;
use prazo_core::cpu::CpuSet;
use prazo_platform::root::Root;
use prazo_platform::tunable::{Held, Journal, Thread, ThreadSetting, TunableRecord};

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
            steps.insert(0, step::SystemChange::thread("", process, setting));
        }
        let held = step::carry_out(&steps, journal)?;
        Ok(Self { held, layout, root: journal.root().clone() })
    }

    /// Brings the calling thread into a cluster and lets it run on all processors there, as a deadline thread must be able to.
    /// Panics for a cluster that was not asked for.
    pub fn enter(&self, cluster: usize) -> Result<(), PartitionError> {
        let place = &self.layout.places()[cluster];
        if let Some(folder) = &place.folder {
            self.root.write(&self.layout.file(folder, false), &prazo_sys::process::thread_id().to_string())?;
        }
        prazo_sys::scheduling::set_affinity(&place.cpus).map_err(|error| PartitionError::Refused {
            step: format!("restrict the calling thread to processors {}", place.cpus),
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
