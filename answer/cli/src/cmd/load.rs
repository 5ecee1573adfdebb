//! `prazo load`: the loads alone.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::load::LoadFlags;
use crate::out;
use prazo::load::{self, ListedLoad, LoadsRequest};
use prazo::load_peers::{self, PeersRequest};
use prazo_core::time::Duration;

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
    /// Duration of the loads
    #[arg(long, help_heading = "Loads", short = 'D', value_name = "TIME", default_value = "30s")]
    duration: Duration,
    /// Compare each load with foreign programs that make the same disturbance
    ///
    /// Without --load, all of prazo's own loads are compared. --duration is the length of each of the four turns.
    #[arg(long, help_heading = "Loads", conflicts_with = "list")]
    compare: bool,
    /// List the loads, with what each disturbs and its source
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
            return list(self.json);
        }
        if self.compare {
            return self.compare();
        }
        let request = LoadsRequest { loads: self.loads.plans(), seed: self.loads.seed, duration: self.duration };
        let answer = load::run(&request, &mut Console::default())?;
        out::answer(self.json, &answer)?;
        Ok(Exit::Pass)
    }

    fn compare(self) -> Result<Exit, Failure> {
        let request = PeersRequest { loads: self.loads.plans(), seed: self.loads.seed, turn: self.duration };
        let answer = load_peers::compare(&request, &mut Console::default())?;
        out::answer(self.json, &answer)?;
        Ok(Exit::Pass)
    }
}

fn list(json: bool) -> Result<Exit, Failure> {
    let listed = load::list();
    if json {
        out::json(&listed)?;
    } else {
        listed.iter().try_for_each(|one| out::text_line(&line(one)))?;
    }
    Ok(Exit::Pass)
}

/// For a load of foreign programs, the line names the programs and the load of prazo's own that does the same.
fn line(one: &ListedLoad) -> String {
    match one.peer {
        None => format!("{:<18} {} [{}]", one.name, one.disturbs, one.source),
        Some(peer) => format!("{:<18} {peer}, by foreign programs: {}", one.name, one.programs.join(", ")),
    }
}
