//! One cell of a study: one thing to measure or to import, under an id that stays the same.

use crate::import::Import;
use crate::remote_target::RemoteTarget;
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_lab::Platform;
use prazo_lab::machine::Time;
use prazo_run::Plan;

/// Between platform and probe in the id of a cell with workloads.
pub const COST: &str = ".cost.";

/// The probe's place in the id of a cell whose workloads run alone.
pub const ALONE: &str = "alone";

/// One cell, ready to be measured or imported.
#[derive(Clone, Debug)]
pub struct Cell {
    /// `platform.load.probe`, or the import's own id; also the stem of its file.
    pub id: String,
    /// How its samples are won.
    pub source: CellSource,
}

/// How a cell's samples are won.
#[derive(Clone, Debug)]
pub enum CellSource {
    /// By measuring on a platform, `repeats` times.
    Measure {
        /// The platform's id.
        platform: String,
        /// The guest or the board that it is; `None` for a machine that runs the study itself.
        on: Option<RemoteTarget>,
        /// Whether the plan's first thread stands for one on every processor of the board.
        every_cpu: bool,
        /// The platform of the lab that triggers and measures it from outside; only where it is one itself.
        station: Option<Box<Platform>>,
        /// One plan for each repeat; they differ in their seed.
        plans: Vec<Plan>,
    },
    /// From a table.
    Import(Import),
}

impl Cell {
    /// How many runs it needs.
    pub fn repeats(&self) -> usize {
        match &self.source {
            CellSource::Measure { plans, .. } => plans.len(),
            CellSource::Import(_) => 1,
        }
    }

    /// What ran beside its workloads, `alone` or a probe's id, and the platform; `None` for a cell without workloads.
    pub fn costs(&self) -> Option<(&str, &str)> {
        match &self.source {
            CellSource::Measure { platform, plans, .. } if plans.iter().any(|plan| !plan.workloads.is_empty()) => {
                let beside = self.id.strip_prefix(platform)?.strip_prefix(COST)?;
                Some((beside, platform))
            }
            _ => None,
        }
    }

    /// True for one that a gate compares: its figures change with the kernel, and not with what else this machine does.
    pub fn is_gated(&self) -> bool {
        self.is_counted() || self.is_on_board()
    }

    /// True for one on a board.
    fn is_on_board(&self) -> bool {
        matches!(&self.source, CellSource::Measure { on: Some(RemoteTarget::Board(_)), .. })
    }

    /// True for one on a platform whose machine counts its time; guests with a station run under the host's clock.
    pub fn is_counted(&self) -> bool {
        match &self.source {
            CellSource::Measure { on: Some(RemoteTarget::Guest(platform)), station: None, .. } => {
                platform.machine().is_ok_and(|machine| matches!(machine.time, Time::Counted { .. }))
            }
            _ => false,
        }
    }
}

/// What a study must be told about the machine it runs on.
#[derive(Clone, Debug)]
pub struct Here {
    /// Which of the study's platforms this machine is; may be left out where there is only one.
    pub platform: Option<String>,
    /// The processors that `cpus = "all"` means.
    pub cpus: CpuSet,
    /// The processor of the recording thread.
    pub housekeeping_cpu: Option<u32>,
    /// The deadline that plans count misses against.
    pub deadline: Option<Duration>,
}

/// The file of a cell's repeat, counted from zero: `here.idle.fifo.prazo`, then `here.idle.fifo.2.prazo`.
pub fn file_name(id: &str, repeat: usize) -> String {
    match repeat {
        0 => format!("{id}.prazo"),
        more => format!("{id}.{}.prazo", more + 1),
    }
}
