//! `prazo load`: the loads alone.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::load::LoadFlags;
use crate::out;
use prazo::load::{self, LoadsRequest};
use prazo::load_peers::{self, PeersRequest};
use prazo_core::time::Duration;
use prazo_run::defaults;

/// Run loads without measuring
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo load --list
  prazo load --load udp-flood=50000 --load compile -D 1m
  prazo load --load disk-write --cycle 30s -D 10m --json
  prazo load --load scheduler --compare -D 10s")]
pub(crate) struct Args {
    #[command(flatten)]
    loads: LoadFlags,
    /// Duration for which the loads run
    #[arg(long, help_heading = "Loads", short = 'D', value_name = "TIME", default_value_t = defaults::DURATION)]
    duration: Duration,
    /// Compare each load with other programs that cause the same disturbance
    ///
    /// Without --load, all of prazo's own loads are compared. Each comparison has four turns: two of the load and two
    /// of other programs. --duration is the length of one turn.
    #[arg(long, help_heading = "Loads", conflicts_with = "list")]
    compare: bool,
    /// List the loads, each with its source and its effect on the system
    #[arg(long, help_heading = "Output")]
    list: bool,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Args {
    /// Lists the loads, or runs some.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        if self.list {
            out::list(self.json, &load::list())?;
            return Ok(Exit::Pass);
        }
        let (loads, seed, duration) = (self.loads.plans(), self.loads.seed, self.duration);
        if self.compare {
            let request = PeersRequest { loads, seed, turn: duration };
            let compared = load_peers::compare(&request, &mut Console::default())?;
            out::answer(self.json, &compared)?;
        } else {
            let answer = load::run(&LoadsRequest { loads, seed, duration }, &mut Console::default())?;
            out::answer(self.json, &answer)?;
        }
        Ok(Exit::Pass)
    }
}
