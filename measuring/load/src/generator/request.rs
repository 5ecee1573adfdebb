//! The request to a generator: its seed and its work.

use std::net::{Ipv4Addr, SocketAddrV4};

use serde::{Deserialize, Serialize};

use super::super::load_kind::{Invocation, Lasts, OWN_PROGRAM, Scene, Side};
use super::card_flood::Packet;

/// The hidden first argument that makes the program a generator.
pub(super) const ARGUMENT: &str = "__prazo-generator";

/// The second argument of a generator's process, as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct GeneratorRequest {
    pub seed: u64,
    #[serde(flatten)]
    pub work: Work,
}

/// What it does. Files are named from the folder where it starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(in super::super) enum Work {
    /// Computes.
    Processor { workers: u32 },
    /// Sends messages between the processes of each group.
    Messages { groups: u32 },
    /// Sends messages between the threads of each group, over pipes.
    PipeMessages { groups: u32 },
    /// Hands messages over between the threads of each group, in memory.
    FutexMessages { groups: u32 },
    /// Maps memory, writes it, checks it and unmaps it.
    Memory { workers: u32, bytes: u64 },
    /// Has timers expire, `rate` times a second altogether.
    Timers { workers: u32, rate: f64 },
    /// Receives datagrams.
    ReadDatagrams { at: SocketAddrV4 },
    /// Sends the smallest datagrams.
    SendDatagrams { to: SocketAddrV4, rate: Option<f64> },
    /// Sends packets through a network card; a real-time thread paces them.
    SendFrames { packet: Packet, through: String, to_card: String, to: SocketAddrV4, rate: f64 },
    /// Sends echo requests and reads the answers.
    Echo { to: Ipv4Addr, rate: Option<f64> },
    /// Receives a TCP stream.
    ReadStream { at: SocketAddrV4 },
    /// Sends one, so many bytes a second.
    SendStream { to: SocketAddrV4, rate: Option<f64> },
    /// Writes files of so many bytes, block after block in a random order, past the page cache.
    WriteBlocks { workers: u32, bytes: u32 },
    /// Reads the prepared file past the page cache.
    ReadBlocks { workers: u32 },
    /// Walks the prepared tree and searches its files for a word.
    SearchTree { workers: u32 },
    /// Reads the prepared tree through a pipe, computes with it and writes a file.
    Archive { workers: u32 },
    /// Starts compilations, one after the other.
    Compile { workers: u32 },
    /// Reads many files, computes with them and writes one: one compilation.
    CompileUnit { unit: u64, object: String },
    /// Has three real-time threads in each group invert their priorities.
    Invert { groups: u32 },
    /// Reads the machine's /proc once.
    ReadProc,
}

impl Work {
    /// A program of a load that does this until it is ended, in the order that the scene's seed decides.
    pub(in super::super) fn endless(self, scene: &Scene) -> Invocation {
        self.step(scene, Side::Receiver, Lasts::ForEver)
    }

    /// As [`Work::endless`], at one end of the load's network, or in passes.
    pub(in super::super) fn step(self, scene: &Scene, side: Side, lasts: Lasts) -> Invocation {
        Invocation { program: OWN_PROGRAM, arguments: arguments(scene.seed, self).into(), side, lasts }
    }
}

/// The arguments that make the program a generator.
pub(super) fn arguments(seed: u64, work: Work) -> [String; 2] {
    let request =
        serde_json::to_string(&GeneratorRequest { seed, work }).expect("a request holds nothing that JSON cannot");
    [ARGUMENT.into(), request]
}

#[cfg(test)]
mod tests {
    use super::*;

    const TO: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 1), 5201);

    #[test]
    fn an_order_survives_its_arguments() {
        let frames = Work::SendFrames {
            packet: Packet::Echo,
            through: "eth1".into(),
            to_card: "eth0".into(),
            to: TO,
            rate: 2.5,
        };
        for work in [frames, Work::ReadProc, Work::SendDatagrams { to: TO, rate: None }] {
            let request = GeneratorRequest { seed: u64::MAX, work };
            let [_, text] = arguments(request.seed, request.work.clone());
            assert_eq!(serde_json::from_str::<GeneratorRequest>(&text).unwrap(), request, "{text}");
        }
    }
}
