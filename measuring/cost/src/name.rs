//! Names of what a costed run makes: its control group, and a workload's folder.

use prazo_platform::Root;
use prazo_platform::process::Process;
use std::sync::atomic::{AtomicU32, Ordering};

/// A name that nobody else has: with our process, its start, and a number. The journal lets go of what begins like this.
pub(crate) fn fresh_name() -> Result<String, String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    // ORDERING: only that no two callers see the same number matters, not what else they see.
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let own = Process::read(&Root::system(), std::process::id()).map_err(|error| error.to_string())?;
    Ok(format!("prazo-cost-{}-{}-{count}", own.pid, own.started_ticks))
}
