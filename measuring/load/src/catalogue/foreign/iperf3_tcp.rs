//! A TCP connection from one network namespace to another, at a chosen rate.

use super::super::super::load_kind::{Invocation, LoadKind, Scene};
use super::super::tcp_stream;
use super::iperf3_udp::{client, server};
use prazo_platform::foreign_programs::IPERF3;

pub(super) const KIND: LoadKind =
    LoadKind { name: "iperf3-tcp", peer: Some(tcp_stream::KIND.name), programs: &[IPERF3], steps, ..tcp_stream::KIND };

fn steps(scene: &Scene) -> Vec<Invocation> {
    let bits = scene.demand.paced.map_or(0.0, |mb| (mb * 8e6).round());
    vec![server(scene), client(scene, &format!("--bitrate {bits}"))]
}
