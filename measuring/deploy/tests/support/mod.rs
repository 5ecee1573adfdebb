//! What the trials share, here and in a guest: deadline threads that ask for bandwidth in a cluster.

use prazo_core::cpu::CpuSet;
use prazo_deploy::Partitions;
use prazo_deploy::plan::deadline;
use prazo_sys::scheduling::SchedAttr;
use std::io;
use std::sync::Barrier;

/// So many tenths of a processor, in every 100 ms.
pub(crate) fn tenths(tenths: u64) -> SchedAttr {
    const MS: u64 = 1_000_000;
    deadline(tenths * 10 * MS, 100 * MS, 100 * MS)
}

/// What the kernel says to two threads in one cluster that ask for six tenths of a processor each, and where the first may run.
pub(crate) fn ask_twice(partitions: &Partitions, cluster: usize) -> (CpuSet, [io::Result<()>; 2]) {
    let ready = Barrier::new(2);
    let ask = || {
        partitions.enter(cluster).expect("its cluster is there");
        let answer = prazo_sys::scheduling::set_attributes(&tenths(6));
        let cpus = prazo_sys::scheduling::affinity().expect("a thread may run somewhere");
        // Nobody ends before the other has asked.
        ready.wait();
        (cpus, answer)
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(ask);
        let own = scope.spawn(ask).join().expect("it does not panic");
        (own.0, [own.1, other.join().expect("it does not panic").1])
    })
}

/// How many of them the kernel let in; panics where it refused for another reason than bandwidth.
pub(crate) fn admitted(answers: &[io::Result<()>]) -> usize {
    let refused = answers.iter().filter_map(|answer| answer.as_ref().err());
    refused.for_each(|error| assert_eq!(error.raw_os_error(), Some(libc::EBUSY), "{error}"));
    answers.iter().filter(|answer| answer.is_ok()).count()
}
