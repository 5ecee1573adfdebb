//! What the exit records of the command's tree add up to.

use super::lineage;
use super::record::Record;

/// Sums over all tasks of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Processes that ended.
    pub processes: u64,
    /// Tasks (threads) that ended.
    pub tasks: u64,
    pub lifetime_ns: u64,
    pub run_queue_wait_ns: u64,
    pub dispatches: u64,
    pub io_wait_ns: u64,
    pub executed_ns_min: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
}

/// Adds up the records of the tasks that descend from `root`.
pub(crate) fn totals(records: &[Record], root: u32, apart: &[u32]) -> Totals {
    let ours = lineage::descends(records, root, apart);
    let ours = records.iter().zip(ours).filter_map(|(record, is_ours)| is_ours.then_some(record));
    ours.fold(Totals::default(), add)
}

fn add(sum: Totals, record: &Record) -> Totals {
    Totals {
        processes: sum.processes + u64::from(record.is_last),
        tasks: sum.tasks + 1,
        lifetime_ns: sum.lifetime_ns + record.lifetime_ns,
        run_queue_wait_ns: sum.run_queue_wait_ns + record.run_queue_wait_ns,
        dispatches: sum.dispatches + record.dispatches,
        io_wait_ns: sum.io_wait_ns + record.io_wait_ns,
        executed_ns_min: sum.executed_ns_min + record.executed_ns_min,
        voluntary_switches: sum.voluntary_switches + record.voluntary_switches,
        involuntary_switches: sum.involuntary_switches + record.involuntary_switches,
        minor_faults: sum.minor_faults + record.minor_faults,
        major_faults: sum.major_faults + record.major_faults,
    }
}
