//! Names that hold their owner (process, its start, its name space of process numbers), so that the name is the journal.
//!
//! What is made under such a name is cleared by the next run if its owner is gone; an owner in another name space cannot
//! be seen from here, and what it left stays.

use prazo_platform::Root;
use prazo_platform::process::Process;
use std::sync::atomic::{AtomicU32, Ordering};

/// What every name begins with.
pub(crate) const PREFIX: &str = "prazo-cost-";

/// A name that nobody else has.
pub(crate) fn fresh_name() -> Result<String, String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    // ORDERING: only that no two callers see the same number matters, not what else they see.
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let own = Process::read(&Root::system(), std::process::id()).map_err(|error| error.to_string())?;
    Ok(format!("{PREFIX}{}-{}-{}-{count}", own.pid, own.started_ticks, own_namespace()))
}

/// The name space that our process numbers belong to; 0 where it cannot be read, which is nobody's.
pub(crate) fn own_namespace() -> u64 {
    let link = Root::system().link("/proc/self/ns/pid").unwrap_or_default();
    link.trim_matches(|letter: char| !letter.is_ascii_digit()).parse().unwrap_or(0)
}

/// True for a name of ours whose owner does not run any more.
pub(crate) fn is_abandoned(name: &str) -> bool {
    let mut parts = name.strip_prefix(PREFIX).unwrap_or_default().split('-');
    let mut number = || parts.next().and_then(|part| part.parse::<u64>().ok());
    let Some(((pid, started_ticks), namespace)) = number().zip(number()).zip(number()) else { return false };
    if namespace == 0 || namespace != own_namespace() {
        return false;
    }
    match Process::read(&Root::system(), pid as u32) {
        Ok(owner) => owner.started_ticks != started_ticks || owner.has_ended(),
        Err(error) => error.is_absent(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_owners_that_are_gone_are_abandoned() {
        let own = fresh_name().unwrap();
        let here = own_namespace();
        assert!(here != 0 && !is_abandoned(&own));
        assert!(is_abandoned(&format!("{PREFIX}{}-1-{here}-0", std::process::id())), "another process had this number");
        assert!(is_abandoned(&format!("{PREFIX}4194305-1-{here}-0")), "no process has such a number");
        assert!(!is_abandoned(&format!("{PREFIX}4194305-1-7-0")), "a container's processes are out of sight");
        assert!(!is_abandoned("system.slice") && !is_abandoned(PREFIX) && !is_abandoned("prazo-cost-x-y"));
    }
}
