//! The handler's answer to each trigger: a BPF program on the receiving interface, attached only as long as this lives.
//!
//! It runs in the softirq that receives the frame, before the task is woken. Its link is a file descriptor (tcx, Linux 6.6 and
//! later), so that the kernel detaches it when prazo ends, however it ends.

use crate::split::{NoSplit, objects};
use aya::maps::Array;
use aya::programs::tc::TcAttachOptions;
use aya::programs::{LinkOrder, SchedClassifier, TcAttachType};
use aya::{Ebpf, EbpfLoader};

/// Where in the program's counts its answers are.
const ANSWERED: u32 = 0;
const REFUSED: u32 = 1;

/// Answers triggers from the kernel.
#[derive(Debug)]
pub struct Answerer {
    loaded: Ebpf,
}

impl Answerer {
    /// Attaches to an interface of the caller's network namespace.
    pub fn attach(interface: &str) -> Result<Self, NoSplit> {
        let object = objects::ANSWER.ok_or(NoSplit::NotBuilt)?;
        let mut loaded =
            EbpfLoader::new().load(object).map_err(|error| NoSplit::refused("load the BPF program", &error))?;
        let refused = |error: aya::programs::ProgramError| {
            NoSplit::refused(format!("attach the BPF program to {interface}"), &error)
        };
        let program = loaded.program_mut("answer").ok_or(NoSplit::NotBuilt)?;
        let program: &mut SchedClassifier = program.try_into().map_err(refused)?;
        program.load().map_err(refused)?;
        let order = TcAttachOptions::TcxOrder(LinkOrder::default());
        program.attach_with_options(interface, TcAttachType::Ingress, order).map_err(refused)?;
        Ok(Self { loaded })
    }

    /// Triggers answered, and those whose answer the kernel refused; `None` where the counts cannot be read.
    pub fn counts(&self) -> Option<(u64, u64)> {
        let counts = Array::<_, u64>::try_from(self.loaded.map("counts")?).ok()?;
        Some((counts.get(&ANSWERED, 0).ok()?, counts.get(&REFUSED, 0).ok()?))
    }
}
