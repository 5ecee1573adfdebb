//! Loads of foreign programs, one file each: what the papers ran, and what prazo's own generators are compared with.
//!
//! Each is a load of the catalogue in which only the programs differ: the rates, the measure and the containment are those of its peer.

mod cat_proc;
mod cc;
mod dd;
mod find_grep;
mod hackbench;
mod hackbench_pipes;
mod iperf3_tcp;
mod iperf3_udp;
mod pi_stress;
mod ping_flood;
mod stress_ng_cpu;
mod stress_ng_futex;
mod stress_ng_hdd;
mod stress_ng_timer;
mod stress_ng_vm;
mod tar;

use super::super::load_kind::LoadKind;

/// In the order of their peers.
pub(super) static ALL: [LoadKind; 16] = [
    dd::KIND,
    find_grep::KIND,
    tar::KIND,
    cc::KIND,
    stress_ng_vm::KIND,
    stress_ng_cpu::KIND,
    hackbench::KIND,
    hackbench_pipes::KIND,
    stress_ng_futex::KIND,
    stress_ng_timer::KIND,
    iperf3_udp::KIND,
    ping_flood::KIND,
    iperf3_tcp::KIND,
    stress_ng_hdd::KIND,
    cat_proc::KIND,
    pi_stress::KIND,
];
