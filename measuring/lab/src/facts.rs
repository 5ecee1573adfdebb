//! What decided a guest's trajectory, as facts of its platform: two runs with equal facts are equal runs.

use crate::checksum::{of_file, sha256};
use crate::command_line;
use crate::emulator::Emulator;
use crate::error::LabError;
use crate::guest_job::GuestJob;
use crate::initramfs::Initramfs;
use crate::machine::Time;
use crate::platform::BootFiles;
use prazo_platform::fingerprint::{Fact, Fingerprint};
use std::path::Path;

/// Where these facts come from, as a fact's source names it.
const SOURCE: &str = "prazo lab";

/// The facts that differ with what is asked: the request lies in the initramfs, the seed is the plan's.
pub(crate) const OF_THE_REQUEST: [&str; 2] = ["lab.initramfs_sha256", "lab.seed"];

/// Everything that goes into a boot.
pub(crate) struct Trajectory<'a> {
    pub job: &'a GuestJob,
    pub lab: &'a Emulator,
    pub agent: &'a Path,
    pub files: &'a BootFiles,
    pub content: &'a Initramfs<'a>,
    pub initramfs: &'a [u8],
    pub words: &'a str,
}

impl Trajectory<'_> {
    /// The facts `lab.…`.
    pub(crate) fn facts(&self) -> Result<Fingerprint, LabError> {
        let (platform, machine) = (&self.job.platform, &self.job.machine);
        let shift = match machine.time {
            Time::Counted { shift } => Some(shift.to_string()),
            Time::Free => None,
        };
        let known = [
            ("platform", platform.name.clone()),
            ("machine", machine.name.clone()),
            ("architecture", machine.architecture.to_string()),
            ("board", machine.board.clone()),
            ("model", machine.model.clone()),
            ("processors", machine.processors.to_string()),
            ("memory_mib", machine.memory_mib.to_string()),
            ("devices", machine.devices.join(" ")),
            ("cards", machine.cards.to_string()),
            ("time", machine.time.to_string()),
            ("recorded", command_line::is_recorded(machine).to_string()),
            ("seed", machine.seed.to_string()),
            ("line_threaded", platform.line_threaded.to_string()),
            ("command_line", self.words.to_owned()),
            ("emulator", self.lab.version().to_owned()),
            ("emulator_pinned", self.lab.is_pinned().to_string()),
            ("emulator_sha256", of_file(self.lab.program())?),
            ("kernel_sha256", of_file(&self.files.kernel)?),
            (
                "kernel_entry",
                if self.files.started == self.files.kernel { "image" } else { machine.architecture.unpacked_entry() }
                    .to_owned(),
            ),
            ("agent_sha256", of_file(self.agent)?),
            ("initramfs_sha256", sha256(self.initramfs)),
            ("image_sha256", sha256(&self.content.image()?)),
            ("modules_sha256", sha256(&self.content.modules_alone())),
        ];
        let shift = shift.map(|shift| ("shift", shift));
        let device_tree =
            self.files.device_tree.as_deref().map(of_file).transpose()?.map(|sum| ("device_tree_sha256", sum));
        let facts =
            known.into_iter().chain(shift).chain(device_tree).map(|(name, value)| (format!("lab.{name}"), fact(value)));
        Ok(Fingerprint { facts: facts.collect() })
    }
}

fn fact(value: String) -> Fact {
    Fact { value: Some(value), source: SOURCE.to_owned() }
}
