//! The boards that QEMU emulates for foreign kernels.

use crate::error::SerialError;

/// A board that QEMU emulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// QEMU's name of it.
    pub name: &'static str,
    /// Its processor.
    pub processor: &'static str,
    /// What that executes.
    pub architecture: &'static str,
}

/// The boards that were tried.
const BOARDS: [Board; 3] = [
    Board { name: "lm3s6965evb", processor: "Arm Cortex-M3", architecture: "armv7-m" },
    Board { name: "mps2-an385", processor: "Arm Cortex-M3", architecture: "armv7-m" },
    Board { name: "mps2-an386", processor: "Arm Cortex-M4", architecture: "armv7e-m" },
];

impl Board {
    /// The board of this name.
    pub fn find(name: &str) -> Result<Self, SerialError> {
        let known = || BOARDS.map(|board| board.name).join(", ");
        let found = BOARDS.into_iter().find(|board| board.name == name);
        found.ok_or_else(|| SerialError::Machine { name: name.to_owned(), known: known() })
    }
}
