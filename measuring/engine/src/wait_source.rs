//! What the threads of a run wait for: timers, the triggers of another station, or other threads. The engine drives either the same way.

use crate::error::SetupError;
use crate::worker::{Activations, Finished};
use crate::worker_request::WorkerRequest;
use prazo_platform::tunable::TunableRecord;
use prazo_run::Caveat;

/// What a probe gives the engine; shared by all threads of its run.
pub trait WaitSource: Sync {
    /// Serves activations on the calling thread, from the common start on, until the run ends.
    fn serve(&self, activations: Activations<'_>) -> Result<Finished, SetupError>;

    /// True where the thread of this request needs a process of its own.
    fn needs_own_process(&self, _request: &WorkerRequest) -> bool {
        false
    }

    /// The processor to which the measuring thread of `cpu` moves while it is measured, where it does: what happens there
    /// threatens the result as well.
    fn also_used(&self, _cpu: u32) -> Option<u32> {
        None
    }

    /// All threads are set up; the first activation is due at `start_ns`.
    fn begin(&self, _start_ns: u64) {}

    /// Puts back what was set for waiting, and says what that was.
    fn release(&self) -> Vec<TunableRecord> {
        Vec::new()
    }

    /// What threatens the result, known at the end.
    fn caveats(&self) -> Vec<Caveat> {
        Vec::new()
    }
}
