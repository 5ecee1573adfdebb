//! `prazo lab boot`: one machine, from its start to its end.

use crate::exit::{Exit, Failure};
use crate::out;
use prazo::lab::{BootRequest, boot};
use prazo_core::time::Duration;
use prazo_lab::{Boot, Medium};
use std::io::Write;
use std::path::PathBuf;

/// What to boot, in what, and for how long.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// An ELF with a PVH note, or a Linux image
    #[arg(long, value_name = "FILE", required_unless_present = "disc", conflicts_with = "disc")]
    kernel: Option<PathBuf>,
    /// The kernel's command line
    #[arg(long, value_name = "TEXT", requires = "kernel")]
    append: Option<String>,
    /// A file that the kernel finds in memory
    #[arg(long, value_name = "FILE", requires = "kernel")]
    initrd: Option<PathBuf>,
    /// A bootable disc image (.iso) instead of a kernel
    #[arg(long, value_name = "FILE")]
    disc: Option<PathBuf>,
    /// A built-in machine's name (`prazo lab list`), or a TOML file
    #[arg(long, short, value_name = "MACHINE", default_value = "counted-1")]
    machine: String,
    /// Another number of processors
    #[arg(long, value_name = "NUMBER")]
    processors: Option<u32>,
    /// Another seed
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u32>,
    /// Wall time after which the guest is ended
    #[arg(long, value_name = "TIME", default_value = "30s")]
    limit: Duration,
    /// Bytes after which a console is too long
    #[arg(long, value_name = "BYTES", default_value_t = Boot::CONSOLE_MAX)]
    console_max: u64,
    /// Also keep the console in a file
    #[arg(long, value_name = "FILE")]
    console: Option<PathBuf>,
    /// Print one JSON object, the console in it, instead of the console
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
            limit: self.limit,
            console_max: self.console_max,
            console: self.console.clone(),
        };
        let booted = boot(&request, &mut |piece| self.show(piece))?;
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
