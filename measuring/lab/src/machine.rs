//! A virtual machine as data: what QEMU is asked to be, down to the seed.
//!
//! Everything that can change a trajectory stands here or in the image: processors, memory, the board and its devices, what
//! an instruction takes, the seed. Two boots of equal machines and equal images under counted time are equal.

use crate::architecture::Architecture;
use crate::error::LabError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The machines that prazo carries, one file each.
const BUILTIN: [&str; 15] = [
    include_str!("../machines/counted-1.toml"),
    include_str!("../machines/counted-2.toml"),
    include_str!("../machines/counted-4.toml"),
    include_str!("../machines/counted-8.toml"),
    include_str!("../machines/free-4.toml"),
    include_str!("../machines/free-8.toml"),
    include_str!("../machines/linux-1.toml"),
    include_str!("../machines/linux-2-free.toml"),
    include_str!("../machines/linux-4.toml"),
    include_str!("../machines/linux-8.toml"),
    include_str!("../machines/linux-arm64-1.toml"),
    include_str!("../machines/linux-armv7-1.toml"),
    include_str!("../machines/linux-armv7-a9-1.toml"),
    include_str!("../machines/linux-riscv64-1.toml"),
    include_str!("../machines/linux-ppc64le-1.toml"),
];

/// More than these find no place beside a board's own devices.
const CARDS_MAX: u8 = 4;

/// A machine that QEMU emulates.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Name of the machine, for `--machine`.
    pub name: String,
    /// Purpose of the machine, in one line.
    pub text: String,
    /// Instruction set of the processors; default x86_64.
    #[serde(default)]
    pub architecture: Architecture,
    /// The board that QEMU emulates: q35, pc or microvm; virt for aarch64, armv7l and riscv64, also
    /// vexpress-a9 for armv7l; pseries for ppc64le.
    pub board: String,
    /// The processor model that QEMU emulates, for example `max`.
    pub model: String,
    /// Number of processors, 1 to 64.
    pub processors: u32,
    /// Memory in MiB, at least 16.
    pub memory_mib: u32,
    /// Source of the machine's time: executed instructions or the host's clock.
    pub time: Time,
    /// Seed of the emulator's random numbers.
    pub seed: u32,
    /// Additional devices, written as for QEMU's `-device`.
    #[serde(default)]
    pub devices: Vec<String>,
    /// Number of network cards, at most four, all on one hub: what one card sends, all others receive. The guest names
    /// them eth0, eth1, ...
    #[serde(default)]
    pub cards: u8,
}

/// Source of a machine's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Time {
    /// The machine's time is counted from the executed instructions, each taking 2^shift ns. A run is repeatable, but
    /// the times are not those of real hardware. All processors take turns on one thread of the host, so the time
    /// between events on two processors depends on the order of these turns.
    Counted {
        /// Each instruction takes 2^shift ns; 0 to 10.
        shift: u8,
    },
    /// The machine's time is the host's clock, and each processor runs on a thread of its own. A run is not repeatable,
    /// because the host's load affects it.
    Free,
}

impl Machine {
    /// All built-in machines.
    pub fn builtin() -> Vec<Self> {
        BUILTIN.iter().map(|text| Self::from_toml("built-in", text).expect("built-in machines are tested")).collect()
    }

    /// A built-in machine's name, or else a TOML file.
    pub fn find(name: &str) -> Result<Self, LabError> {
        let builtin = Self::builtin();
        if let Some(machine) = builtin.iter().find(|machine| machine.name == name) {
            return Ok(machine.clone());
        }
        if !Path::new(name).is_file() {
            let known: Vec<_> = builtin.iter().map(|machine| machine.name.as_str()).collect();
            return Err(LabError::NoMachine { name: name.to_owned(), known: known.join(", ") });
        }
        let text = std::fs::read_to_string(name).map_err(LabError::system(format!("read {name}")))?;
        Self::from_toml(name, &text)
    }

    /// Reads a description; `origin` is what an error calls it.
    pub fn from_toml(origin: &str, text: &str) -> Result<Self, LabError> {
        let refused = |what: String| LabError::Machine { machine: origin.to_owned(), what };
        let machine: Self = toml::from_str(text).map_err(|error| refused(error.to_string()))?;
        machine.check().map(|()| machine)
    }

    /// The same machine with another number of processors.
    pub fn with_processors(self, processors: u32) -> Result<Self, LabError> {
        let machine = Self { processors, ..self };
        machine.check().map(|()| machine)
    }

    /// The same machine with another seed.
    pub fn with_seed(self, seed: u32) -> Self {
        Self { seed, ..self }
    }

    fn check(&self) -> Result<(), LabError> {
        let is_word =
            |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c));
        let is_device = |text: &String| text.starts_with(|c: char| c.is_ascii_alphabetic());
        let shift_fits = !matches!(self.time, Time::Counted { shift } if shift > 10);
        let rules = [
            (is_word(&self.name), "name", "a name of letters, digits, '-', '_', '.' and '+'"),
            (is_word(&self.board), "board", "one of QEMU's boards, such as q35"),
            (
                !self.model.is_empty() && !self.model.starts_with('-'),
                "model",
                "one of QEMU's processor models, such as max",
            ),
            ((1..=64).contains(&self.processors), "processors", "a number from 1 to 64"),
            (self.memory_mib >= 16, "memory_mib", "a number of MiB, at least 16"),
            (self.cards <= CARDS_MAX, "cards", "a number from 0 to 4"),
            (shift_fits, "time.counted.shift", "a number from 0 to 10"),
            (
                self.devices.iter().all(is_device),
                "devices",
                "QEMU's device names, each followed by its properties, separated by commas",
            ),
        ];
        rules.into_iter().find(|(holds, ..)| !holds).map_or(Ok(()), |(_, field, may)| {
            Err(LabError::Machine { machine: self.name.clone(), what: format!("{field} must be {may}") })
        })
    }
}

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Counted { shift } => write!(f, "counted, {} ns per instruction", 1 << shift),
            Self::Free => write!(f, "the host's clock"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtin_machines_are_sound_and_have_names_of_their_own() {
        let mut names: Vec<_> = Machine::builtin().into_iter().map(|machine| machine.name).collect();
        assert_eq!(names.len(), BUILTIN.len());
        names.dedup();
        assert_eq!(names.len(), BUILTIN.len());
    }

    #[test]
    fn a_builtin_machine_is_found_by_name_and_another_by_file() {
        assert_eq!(Machine::find("counted-4").unwrap().processors, 4);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, BUILTIN[0]).unwrap();
        assert_eq!(Machine::find(file.path().to_str().unwrap()).unwrap(), Machine::builtin()[0]);
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_there_are() {
        let error = Machine::find("conted-4").unwrap_err().to_string();
        assert!(error.contains("conted-4") && error.contains("counted-4") && error.contains("free-8"), "{error}");
    }

    #[test]
    fn what_cannot_be_is_refused_by_field() {
        let wrong = [
            ("processors = 1", "processors = 65", "processors"),
            ("processors = 1", "processors = 0", "processors"),
            ("memory_mib = 128", "memory_mib = 8", "memory_mib"),
            ("shift = 0", "shift = 11", "shift"),
            ("seed = 1", "sead = 1", "sead"),
            ("seed = 1", "seed = 1\ncards = 5", "cards"),
            ("board = \"q35\"", "board = \"q35,accel=kvm\"", "board"),
            ("devices = [\"isa", "devices = [\"-isa", "devices"),
        ];
        for (right, replaced, field) in wrong {
            assert!(BUILTIN[0].contains(right), "{right}");
            let error = Machine::from_toml("test", &BUILTIN[0].replace(right, replaced)).unwrap_err().to_string();
            assert!(error.contains(field), "{replaced}: {error}");
        }
    }

    #[test]
    fn a_machine_survives_toml() {
        for machine in Machine::builtin() {
            assert_eq!(Machine::from_toml("test", &toml::to_string(&machine).unwrap()).unwrap(), machine);
        }
    }
}
