//! Which Xenomai core runs here; without one there is no such fact.

use super::capture::Facts;
use crate::co_kernel::{CORE_FACT, Core, GRAVITY_FACT, VERSION_FACT, recognise};

pub(super) fn add(facts: &mut Facts) {
    let Some(core) = recognise(facts.root) else { return };
    facts.put(CORE_FACT, "files of the co-kernel under /proc, /dev or /usr", Ok(core.name().to_owned()));
    if let Some(version) = core.version() {
        facts.put(VERSION_FACT, "files of the co-kernel", Ok(version));
    }
    if let Core::Cobalt { gravity_ns: Some(gravity_ns), .. } = core {
        facts.put(GRAVITY_FACT, "/proc/xenomai/latency", Ok(gravity_ns.to_string()));
    }
}
