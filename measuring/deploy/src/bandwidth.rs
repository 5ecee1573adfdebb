//! Who has deadlines on this machine already: what the kernel's admission has given away.

use prazo_core::cpu::CpuSet;
use prazo_platform::process;
use prazo_platform::root::{Reading, Root};
use prazo_sys::scheduling::SCHED_DEADLINE;

/// A thread with a deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reserved {
    /// Its number.
    pub thread: u32,
    /// Its short name.
    pub name: String,
    /// Its runtime.
    pub runtime_ns: u64,
    /// Its period.
    pub period_ns: u64,
    /// Where it may run: its root domain.
    pub cpus: CpuSet,
}

/// Every thread with a deadline; those that end while we look are left out, and so are the kernel's own, which reserve nothing.
pub fn reserved(root: &Root) -> Reading<Vec<Reserved>> {
    let processes = process::all(root)?;
    let threads = processes.iter().flat_map(|process| process::threads(root, process.pid));
    Ok(threads.filter(|thread| thread.policy == SCHED_DEADLINE).filter_map(|thread| of(&thread)).collect())
}

fn of(thread: &process::Process) -> Option<Reserved> {
    let attr = prazo_sys::scheduling::attributes_of(thread.pid)
        .ok()
        .filter(|attr| attr.period_ns > 0 && attr.runtime_ns > 0)?;
    let cpus = prazo_sys::scheduling::affinity_of(thread.pid).ok()?;
    let (runtime_ns, period_ns) = (attr.runtime_ns, attr.period_ns);
    Some(Reserved { thread: thread.pid, name: thread.name.clone(), runtime_ns, period_ns, cpus })
}
