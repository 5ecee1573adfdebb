//! Checks of what the kernel does with memory behind a task's back.

use super::check::{Check, Observation, TUNED};
use super::machine::Machine;
use crate::Severity::{High, Info, Medium};
use crate::fingerprint::soft_limit;
use crate::policy::has_capability;
use crate::tunable::Tunable;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "memory-lock",
        title: "memory locking",
        severity: High,
        wanted: "mlock granted, with CAP_IPC_LOCK or an unlimited RLIMIT_MEMLOCK",
        why: "access to a page that is not in memory causes a fault, which takes a few µs, or a few ms if the page is \
              on disk",
        reference: "mlockall(2); realtime-setup, limits.d/realtime.conf",
        fix: "add '@realtime - memlock unlimited' to a file in /etc/security/limits.d, add the user to the group \
              realtime, and log in again",
        look: memory_lock,
    },
    Check {
        id: "swap",
        title: "swapping",
        severity: Medium,
        wanted: "no swap, or swappiness of at most 10",
        why: "a task waits until its swapped-out pages are read from disk; locked memory is never swapped out, but \
              memory of other programs can be",
        reference: TUNED,
        fix: "swapoff -a (swapon -a to undo), or sysctl vm.swappiness=10 (set 60 to undo)",
        look: swap,
    },
    Check {
        id: "huge-pages",
        title: "transparent huge pages",
        severity: Medium,
        wanted: "never",
        why: "when a huge page is made or split, the task stops while its memory is copied",
        reference: TUNED,
        fix: "write 'never' to /sys/kernel/mm/transparent_hugepage/enabled; restore the old value to undo",
        look: huge_pages,
    },
    Check {
        id: "khugepaged",
        title: "compaction by khugepaged",
        severity: Medium,
        wanted: "khugepaged/defrag 0, or no transparent huge pages at all",
        why: "compaction locks page tables of running tasks and flushes address translations on all processors",
        reference: TUNED,
        fix: "write 0 to /sys/kernel/mm/transparent_hugepage/khugepaged/defrag; write 1 to undo",
        look: khugepaged,
    },
    Check {
        id: "same-page-merging",
        title: "kernel same-page merging (KSM)",
        severity: Medium,
        wanted: "ksm/run 0 (off), or 2 (off, and pages merged before are separated again)",
        why: "a merged page is copied at the next write, which causes a fault even in a task with locked memory",
        reference: TUNED,
        fix: "write 0 to /sys/kernel/mm/ksm/run, or 2 to separate pages that are already merged; write 1 to undo",
        look: |machine| machine.number(Tunable::same_page_merging(), Some("KSM"), |value| value != 1, "0"),
    },
    Check {
        id: "numa-balancing",
        title: "NUMA balancing",
        severity: Medium,
        wanted: "0",
        why: "NUMA balancing makes tasks fault on purpose to find out on which node they use their pages, and then \
              moves the pages",
        reference: TUNED,
        fix: "sysctl kernel.numa_balancing=0; set 1 to undo",
        look: |machine| machine.number(Tunable::numa_balancing(), Some("NUMA_BALANCING"), |value| value == 0, "0"),
    },
    Check {
        id: "stat-interval",
        title: "memory statistics interval",
        severity: Medium,
        wanted: "10 s or more",
        why: "a kernel worker collects the memory statistics of each processor at this interval",
        reference: TUNED,
        fix: "sysctl vm.stat_interval=10; set 1 to undo",
        look: |machine| machine.number(Tunable::stat_interval(), None, |value| value >= 10, "10").in_unit("s"),
    },
    Check {
        id: "compaction",
        title: "proactive compaction",
        severity: Info,
        wanted: "0",
        why: "kcompactd moves pages of running tasks",
        reference: "Documentation/admin-guide/sysctl/vm.rst, compaction_proactiveness",
        fix: "sysctl vm.compaction_proactiveness=0; set 20 to undo",
        look: |machine| {
            machine.number(Tunable::compaction_proactiveness(), Some("COMPACTION"), |value| value == 0, "0")
        },
    },
    Check {
        id: "damon",
        title: "memory access monitor (DAMON)",
        severity: Info,
        wanted: "no kdamond thread",
        why: "DAMON periodically clears access bits in page tables and may reclaim pages",
        reference: "Documentation/admin-guide/mm/damon",
        fix: "write 'off' to the state file of /sys/kernel/mm/damon/admin/kdamonds/*",
        look: damon,
    },
    Check {
        id: "slab-partial",
        title: "partial slabs kept for each processor",
        severity: Info,
        wanted: "cpu_partial 0 if the allocator causes latency peaks",
        why: "returning a processor's list of partial slabs takes long and holds a lock",
        reference: "realtime-setup, slub_cpu_partial_off",
        fix: "write 0 to /sys/kernel/slab/*/cpu_partial",
        look: slab_partial,
    },
];

const CAP_IPC_LOCK: u32 = 14;
const TRIAL_BYTES: usize = 1 << 16;

fn memory_lock(machine: &Machine) -> Observation {
    let source = "trial of mlock(2); /proc/self/limits";
    if !machine.root.is_live() {
        return Observation::unknown(source, "mlock cannot be tried on the copied files of another machine");
    }
    let limit = machine.root.read("/proc/self/limits").ok().and_then(|text| soft_limit(&text, "Max locked memory"));
    let is_unlimited = limit.as_deref() == Some("unlimited");
    let limit = match limit {
        Some(bytes) if !is_unlimited => format!("{bytes} bytes"),
        Some(unlimited) => unlimited,
        None => "unreadable".into(),
    };
    let free = has_capability(machine.root, CAP_IPC_LOCK) == Some(true) || is_unlimited;
    match prazo_sys::memory::try_to_lock_memory(TRIAL_BYTES) {
        Ok(()) if free => Observation::ok(
            source,
            format!("mlock granted, limit {limit}{}", if is_unlimited { "" } else { ", which CAP_IPC_LOCK overrides" }),
        ),
        Ok(()) => Observation::finding(source, format!("mlock granted up to a limit only: {limit}")),
        Err(error) => Observation::finding(source, format!("mlock refused: {error}, limit {limit}")),
    }
}

fn swap(machine: &Machine) -> Observation {
    const FILE: &str = "/proc/swaps";
    let swaps = match machine.root.read(FILE) {
        Ok(text) => text.lines().skip(1).count(),
        Err(error) => return machine.absent(&error, Some("SWAP")),
    };
    let knob = Tunable::swappiness();
    match machine.root.read_number(knob.path()) {
        _ if swaps == 0 => Observation::ok(FILE, "none"),
        Ok(value) => Observation::judged(
            value <= 10,
            format!("{FILE}, {}", knob.path()),
            format!("swap areas: {swaps}, swappiness {value}"),
        )
        .with_change(knob, &value.to_string(), "10"),
        Err(error) => Observation::unreadable(&error),
    }
}

fn huge_pages(machine: &Machine) -> Observation {
    let knob = Tunable::huge_pages();
    match machine.root.read(knob.path()) {
        Ok(text) => {
            let chosen = text.split_whitespace().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
            let chosen = chosen.unwrap_or(&text).to_owned();
            Observation::judged(chosen == "never", knob.path(), &chosen).with_change(knob, &chosen, "never")
        }
        Err(error) => machine.absent(&error, Some("TRANSPARENT_HUGEPAGE")),
    }
}

fn khugepaged(machine: &Machine) -> Observation {
    let enabled = machine.root.read(Tunable::huge_pages().path());
    if enabled.is_ok_and(|text| text.contains("[never]")) {
        return Observation::not_applicable(Tunable::huge_pages().path(), "transparent huge pages are off");
    }
    machine.number(Tunable::khugepaged_defrag(), Some("TRANSPARENT_HUGEPAGE"), |value| value == 0, "0")
}

fn damon(machine: &Machine) -> Observation {
    let processes = match &machine.processes {
        Ok(processes) => processes,
        Err(error) => return Observation::unreadable(error),
    };
    let running: Vec<&str> =
        processes.iter().map(|one| one.name.as_str()).filter(|name| name.starts_with("kdamond")).collect();
    let shown = if running.is_empty() { "none".to_owned() } else { running.join(", ") };
    Observation::judged(running.is_empty(), "/proc/*/stat", shown)
}

fn slab_partial(machine: &Machine) -> Observation {
    const FOLDER: &str = "/sys/kernel/slab";
    let caches = match machine.root.list(FOLDER) {
        Ok(caches) => caches,
        Err(error) => return machine.absent(&error, Some("SLUB")),
    };
    let sizes: Vec<i64> = caches
        .iter()
        .filter_map(|name| machine.root.read_number(&format!("{FOLDER}/{name}/cpu_partial")).ok())
        .collect();
    let with = sizes.iter().filter(|size| **size > 0).count();
    let source = format!("{FOLDER}/*/cpu_partial");
    match sizes.len() {
        0 if machine.has_option("SLUB_CPU_PARTIAL") == Some(false) => Observation::not_applicable(
            "CONFIG_SLUB_CPU_PARTIAL",
            "the kernel was built without partial slabs for each processor",
        ),
        0 => Observation::unknown(source, "no slab cache reports cpu_partial"),
        all => Observation::judged(
            with == 0,
            source,
            format!("{with} of {all} slab caches keep partial slabs for each processor"),
        ),
    }
}
