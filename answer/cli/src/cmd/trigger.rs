//! `prazo trigger`: the other station of an event run.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::plan::{POLICIES, PolicyName};
use crate::flags::station::{self, SeriesFlags};
use crate::flags::words;
use crate::out;
use prazo::trigger::{AnswersRequest, TriggerRequest, trigger};
use prazo_core::time::Duration;
use std::path::PathBuf;

/// The other station of an event run.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo trigger 192.168.7.2                          30 s at 1 kHz to `prazo measure event --station remote` there
  prazo trigger 192.168.7.2 -i 50ms -n 12000         the papers' rate, ten minutes
  prazo trigger --interface eth1                     raw Ethernet frames (0x88B5) to whoever measures on that wire
  prazo trigger --interface eth1 --blind -n 1000     frames for a handler that asks for nothing")]
pub(crate) struct Args {
    /// The measuring machine: its address or name, and its port where it is another than 50123
    #[arg(value_name = "ADDRESS[:PORT]", required_unless_present = "interface")]
    to: Option<String>,
    /// Send through this interface; without an address, raw Ethernet frames
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
    #[command(flatten)]
    series: SeriesFlags,
    /// Scheduling policy of the sender
    #[arg(long, short, value_name = "POLICY", default_value = "fifo", value_parser = words(POLICIES))]
    policy: PolicyName,
    /// Real-time priority of the sender under fifo and rr, 1 to 99
    #[arg(long, value_name = "N", default_value_t = 90)]
    priority: u8,
    /// The sender's processor [default: any]
    #[arg(long, short, value_name = "CPU")]
    cpu: Option<u32>,
    /// How long to offer triggers before giving up
    #[arg(long, value_name = "TIME", default_value = "60s", conflicts_with = "blind")]
    patience: Duration,
    /// Send without asking whether anybody measures
    #[arg(long)]
    blind: bool,
    /// Note when the answers to each trigger come, into a run file (Regnier 2008, second set-up); the other side runs with --answer
    #[arg(long, conflicts_with = "blind")]
    answers: bool,
    /// The run file of the answers [default: prazo-results/answers-DATE.prazo]
    #[arg(long, short, value_name = "FILE", requires = "answers")]
    out: Option<PathBuf>,
    /// Detection delay of this station, subtracted from means: a time, or a run of answers between two alike and idle stations
    #[arg(long, value_name = "TIME|RUN", requires = "answers")]
    delta: Option<String>,
    /// Seeds the jitter, so that a series can be repeated
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Triggers.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let Self { out, delta, .. } = self;
        let request = TriggerRequest {
            to: self.to,
            interface: self.interface,
            series: self.series.series()?,
            policy: station::policy(self.policy, self.priority)?,
            cpu: self.cpu,
            patience: (!self.blind).then_some(self.patience),
            seed: self.seed,
            answers: self.answers.then_some(AnswersRequest { file: out, delta }),
            command: command_line(),
        };
        let triggered = trigger(&request, &mut Console::default())?;
        if self.json {
            out::json(&triggered)?;
        } else {
            out::text(&triggered.to_string())?;
        }
        Ok(Exit::Pass)
    }
}
