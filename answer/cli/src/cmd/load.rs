//! `prazo load`: the loads alone.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::load::LoadFlags;
use crate::out;
use prazo::load::{self, LoadsRequest};
use prazo_core::time::Duration;

/// The loads alone.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo load --list
  prazo load --load udp-flood=50000 --load compile --for 1m
  prazo load --load disk-write --cycle 30s --for 10m --json")]
pub(crate) struct Args {
    #[command(flatten)]
    loads: LoadFlags,
    /// How long
    #[arg(long = "for", value_name = "TIME", default_value = "30s")]
    length: Duration,
    /// Name the loads there are, with what they disturb and where they are from
    #[arg(long)]
    list: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Lists the loads, or runs some.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        if self.list {
            return list(self.json);
        }
        let request = LoadsRequest { loads: self.loads.plans(), seed: self.loads.seed, length: self.length };
        let answer = load::run(&request, &mut Console::default())?;
        if self.json {
            out::json(&answer)?;
        } else {
            out::text(&answer.to_string())?;
        }
        Ok(Exit::Pass)
    }
}

fn list(json: bool) -> Result<Exit, Failure> {
    let listed = load::list();
    if json {
        out::json(&listed)?;
    } else {
        listed
            .iter()
            .try_for_each(|one| out::text_line(&format!("{:<18} {} [{}]", one.name, one.disturbs, one.source)))?;
    }
    Ok(Exit::Pass)
}
