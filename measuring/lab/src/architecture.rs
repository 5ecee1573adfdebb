//! Which instructions a machine executes, and what follows from that: its emulator, its agent, its console, its settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A processor's instruction set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Architecture {
    /// PCs.
    #[default]
    X86_64,
    /// 64-bit Arm boards.
    Aarch64,
}

prazo_core::words!(Architecture: X86_64 => "x86_64", Aarch64 => "aarch64");

impl Architecture {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::X86_64, Self::Aarch64];

    /// True where this system's own programs run on it.
    pub fn is_hosts(self) -> bool {
        self.name() == std::env::consts::ARCH
    }

    /// The word by which a guest's kernel finds its console, the board's first serial port.
    pub(crate) fn console(self) -> &'static str {
        match self {
            Self::X86_64 => "console=ttyS0",
            Self::Aarch64 => "console=ttyAMA0",
        }
    }

    /// The word by which a guest's kernel trusts its counter; Arm's is trusted anyway.
    pub(crate) fn counter(self) -> Option<&'static str> {
        match self {
            Self::X86_64 => Some("tsc=reliable"),
            Self::Aarch64 => None,
        }
    }

    /// `NAME` for x86-64, `NAME_AARCH64` for the other: a variable that names a program of the user's.
    pub(crate) fn variable(self, name: &str) -> String {
        match self {
            Self::X86_64 => name.to_owned(),
            Self::Aarch64 => format!("{name}_{}", self.name().to_uppercase()),
        }
    }
}
