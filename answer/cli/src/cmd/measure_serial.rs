//! `prazo measure serial`: stamps of any kernel that can print.

use super::outlet::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::requirement::RequirementFlags;
use prazo::measure::{Instrument, SerialRequest};
use prazo_core::time::Duration;
use std::path::PathBuf;

/// Measure any kernel that sends its time stamps over a serial line
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure serial --device /dev/ttyUSB0 --deadline 50us
  prazo measure serial --device recorded.txt      output recorded earlier
  prazo measure serial --guest firmware.elf --machine lm3s6965evb

The target's program includes a C header or a Rust crate: docs/serial-line.md.")]
pub(crate) struct Serial {
    /// Serial device, or a file with its recorded output
    #[arg(long, value_name = "FILE", required_unless_present = "guest")]
    device: Option<PathBuf>,
    /// Rate of the device, in baud
    #[arg(long, value_name = "RATE", default_value_t = 115_200)]
    baud: u32,
    /// Image to run on a board that QEMU emulates
    #[arg(long, value_name = "FILE", requires = "machine", conflicts_with = "device")]
    guest: Option<PathBuf>,
    /// Emulated board: lm3s6965evb, mps2-an385 or mps2-an386
    #[arg(long, value_name = "NAME", requires = "guest")]
    machine: Option<String>,
    /// Duration of each emulated instruction: 2^N ns
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=10))]
    shift: u8,
    /// Longest time to wait for the last record
    #[arg(long, short = 'D', value_name = "TIME", default_value = "60s")]
    duration: Duration,
    #[command(flatten)]
    requirement: RequirementFlags,
    #[command(flatten)]
    outlet: Outlet,
}

impl Serial {
    /// Measures.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        let Self { device, baud, shift, duration: limit, .. } = self;
        let guest = self.guest.zip(self.machine).map(|(image, machine)| (image, machine, shift));
        let request = SerialRequest { device, baud, guest, limit };
        self.outlet.measure(Instrument::Serial(Box::new(request)), requirement)
    }
}
