//! How much memory there is and what the kernel does with it behind a task's back.

use super::capture::Facts;

pub(super) fn add(facts: &mut Facts) {
    facts.picked("memory.total", "/proc/meminfo", |text| super::cpu::field(text, "MemTotal"));
    facts.picked("memory.swaps", "/proc/swaps", |text| Some(text.lines().skip(1).count().to_string()));
    facts.files(&[
        ("memory.swappiness", "/proc/sys/vm/swappiness"),
        ("memory.stat_interval", "/proc/sys/vm/stat_interval"),
        ("memory.overcommit", "/proc/sys/vm/overcommit_memory"),
        ("memory.compaction_proactiveness", "/proc/sys/vm/compaction_proactiveness"),
        ("memory.dirty_ratio", "/proc/sys/vm/dirty_ratio"),
        ("memory.dirty_background_ratio", "/proc/sys/vm/dirty_background_ratio"),
        ("memory.huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled"),
        ("memory.huge_pages_defrag", "/sys/kernel/mm/transparent_hugepage/defrag"),
        ("memory.same_page_merging", "/sys/kernel/mm/ksm/run"),
        ("memory.numa_balancing", "/proc/sys/kernel/numa_balancing"),
    ]);
}
