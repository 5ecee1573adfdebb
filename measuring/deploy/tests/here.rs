//! Partitions on this machine, as far as it lets us: asked for by name, since they change how it balances its load.

mod support;

use prazo_core::cpu::CpuSet;
use prazo_deploy::Partitions;
use prazo_platform::Root;
use prazo_platform::topology::Topology;
use prazo_platform::tunable::Journal;
use prazo_testing::{Need, skip};

#[test]
fn as_root_each_cluster_admits_deadlines_of_its_own() {
    if std::env::var_os("PRAZO_TEST_ROOT_DOMAIN").is_none() {
        skip!(Need::RootDomainAllowed, "it changes the machine's root domains");
    }
    let state = tempfile::tempdir().unwrap();
    let journal = Journal::open_in(&state.path().join("state"), &Root::system()).unwrap();
    let online = Topology::read(&Root::system()).unwrap().online;
    let (first, last) = (online.first(), online.iter().last().unwrap());
    if first == last {
        skip!(Need::TwoProcessors, "one processor makes no clusters");
    }
    let partitions = Partitions::make(&journal, &[CpuSet::only(first), CpuSet::only(last)]).unwrap();
    for (cluster, cpu) in [(0, first), (1, last)] {
        let (cpus, answers) = support::ask_twice(&partitions, cluster);
        assert_eq!((cpus, support::admitted(&answers)), (CpuSet::only(cpu), 1));
    }
    let records = partitions.release();
    assert!(records.iter().all(|record| record.restored), "{records:?}");
    assert_eq!(journal.entries().unwrap(), []);
}
