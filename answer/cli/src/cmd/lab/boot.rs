//! `prazo lab boot`: one machine, from its start to its end.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo::lab::{BootRequest, boot};
use prazo::{Progress, Quiet};
use prazo_core::time::Duration;
use prazo_lab::{Boot, Medium};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

/// What to boot, in what, and for how long.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Kernel: an ELF file with a PVH note, or a Linux image
    #[arg(long, value_name = "FILE", required_unless_present = "disc", conflicts_with = "disc")]
    kernel: Option<PathBuf>,
    /// Command line of the kernel
    #[arg(long, value_name = "TEXT", requires = "kernel")]
    append: Option<String>,
    /// Initramfs, or another file to load into memory for the kernel
    #[arg(long, value_name = "FILE", requires = "kernel")]
    initrd: Option<PathBuf>,
    /// Bootable disc image (.iso), instead of a kernel
    #[arg(long, value_name = "FILE")]
    disc: Option<PathBuf>,
    /// Machine to boot: a name that `prazo lab list` shows, or a TOML file
    #[arg(long, value_name = "MACHINE", default_value = "counted-1")]
    machine: String,
    /// Number of processors [default: the machine's]
    #[arg(long, short = 'm', value_name = "NUMBER")]
    processors: Option<u32>,
    /// Seed of the emulator's random numbers [default: the machine's]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u32>,
    /// Elapsed time after which the guest is terminated
    #[arg(long, value_name = "TIME", default_value = "30s")]
    timeout: Duration,
    /// Bytes of console output after which the guest is terminated
    #[arg(long, value_name = "BYTES", default_value_t = Boot::CONSOLE_MAX)]
    console_max: u64,
    /// Also write the console output to this file
    #[arg(long, value_name = "FILE")]
    console: Option<PathBuf>,
    /// Print JSON, which includes the console output
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let request = BootRequest {
            medium: self.medium(),
            machine: self.machine.clone(),
            processors: self.processors,
            seed: self.seed,
            timeout: self.timeout,
            console_max: self.console_max,
            console: self.console.clone(),
        };
        // A console that comes to the terminal shows by itself how far the guest is.
        let shows_console = !self.json && std::io::stdout().is_terminal();
        let progress: &mut dyn Progress = if shows_console { &mut Quiet } else { &mut Console::default() };
        let booted = boot(&request, &mut |piece| self.show(piece), progress)?;
        if self.json {
            out::json(&booted)?;
        } else {
            out::note(format_args!("{} after {:.1} s", booted.reason, booted.elapsed_ns as f64 / 1e9));
        }
        Ok(booted.outcome.into())
    }

    fn medium(&self) -> Medium {
        match (&self.kernel, &self.disc) {
            (Some(file), _) => {
                Medium::Kernel { file: file.clone(), append: self.append.clone(), initrd: self.initrd.clone() }
            }
            (None, disc) => Medium::Disc(disc.clone().expect("clap requires one of the two")),
        }
    }

    /// The console as it comes. A reader that went away is no reason to end the guest.
    fn show(&self, piece: &[u8]) {
        if !self.json {
            let mut stdout = std::io::stdout().lock();
            let _ = stdout.write_all(piece).and_then(|()| stdout.flush());
        }
    }
}
