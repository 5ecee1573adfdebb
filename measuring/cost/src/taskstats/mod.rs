//! Exit records of the kernel (taskstats): what each task had used, waited for and switched when it ended.
//!
//! The kernel sends a record for every task of the machine that exits, collected by its parent or not; [`lineage`] keeps
//! those of the command's tree. Needs root (CAP_NET_ADMIN) in the machine's own name spaces, so not in a container.
//!
//! No BPF: at `sched_switch` it would sum the run-queue wait that the kernel sums in the same place already (`sched_info`), and it would
//! slow every switch of the machine.

mod lineage;
mod netlink;
mod record;
mod totals;

pub(crate) use netlink::Listener;
pub(crate) use record::Record;
pub(crate) use totals::{Totals, totals};
