//! `prazo lab build`: a platform's kernel from sources.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo::lab::{BuildRequest, build};

#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo lab build riscv64-rt        153 MB of sources, 15 minutes of processor time
  prazo lab build my-kernel.toml    a recipe of your own (see docs/lab.md)
  prazo measure timer --platform lab:riscv64-rt -D 10s")]
pub(crate) struct Args {
    /// Recipe of the kernel: riscv64-rt, or a TOML file
    recipe: String,
    /// Debian archive to use instead of deb.debian.org
    #[arg(long, value_name = "URL")]
    mirror: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let built = build(&BuildRequest { recipe: self.recipe, mirror: self.mirror }, &mut Console::default())?;
        out::answer(self.json, &built)?;
        Ok(Exit::Pass)
    }
}
