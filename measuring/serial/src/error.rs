//! Why nothing was read from a serial line: what was asked, what came back, what to do.

use prazo_core::text::counted;
use std::io;
use std::path::PathBuf;

/// Why there is no run of a target behind a serial line.
#[derive(Debug, thiserror::Error)]
pub enum SerialError {
    /// The device or the emulator could not be used.
    #[error("cannot {what}: {source}; {remedy}")]
    System {
        /// What was tried.
        what: String,
        /// What came back.
        source: io::Error,
        /// What to do.
        remedy: &'static str,
    },
    /// The target speaks another version of the protocol.
    #[error(
        "the target speaks version {found} of the line protocol, and this prazo reads versions 1 and 2; rebuild the target with the header or crate of this prazo"
    )]
    Version {
        /// The version.
        found: String,
    },
    /// What the target says of itself cannot be.
    #[error("the target's header line is not valid: {0}; correct the target's program")]
    Header(String),
    /// The target began again.
    #[error(
        "the target restarted during the measurement, after {}; find out why, and measure again",
        counted(*samples, "sample")
    )]
    Restarted {
        /// Samples before.
        samples: u64,
    },
    /// No header came.
    #[error(
        "no header line arrived from the target (received: {} and {}); check that the target sends its header and, on a serial device, check --baud",
        counted(*lines, "other line"),
        counted(*damaged, "damaged line")
    )]
    NoHeader {
        /// Lines of something else.
        lines: u64,
        /// Lines with a wrong checksum.
        damaged: u64,
    },
    /// A header came, and nothing else.
    #[error("the target sent no sample; check that its task runs, and give a longer --duration")]
    NoSamples,
    /// The image is for another processor.
    #[error(
        "{} is for {found}, but {board} has an {processor}; build the target for this board, or choose another --machine",
        image.display()
    )]
    Processor {
        /// The image.
        image: PathBuf,
        /// The processor that it is for.
        found: String,
        /// The board.
        board: &'static str,
        /// The board's processor.
        processor: &'static str,
    },
    /// The emulator failed before there was a run.
    #[error("{error}; the emulator ended ({status}) and said {said}; check that the image is made for this board")]
    Emulator {
        /// What was missing from the line.
        error: Box<SerialError>,
        /// How it ended.
        status: String,
        /// What it said.
        said: String,
    },
    /// There is no such machine.
    #[error("--machine: prazo cannot emulate '{name}'; choose one of {known}")]
    Machine {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
}

impl SerialError {
    /// True where the user asked for something that cannot be.
    pub const fn is_usage(&self) -> bool {
        matches!(self, Self::Machine { .. } | Self::Processor { .. })
    }
}
