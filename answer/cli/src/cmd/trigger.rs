//! `prazo trigger`: the other station of an event run.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::measuring::PolicyFlags;
use crate::flags::station::SeriesFlags;
use crate::out;
use prazo::trigger::{AnswersRequest, TriggerRequest, trigger};
use prazo_core::time::Duration;
use std::path::PathBuf;

/// Send triggers to a machine that measures events
#[derive(clap::Args, Debug)]
#[command(mut_arg("policy", |arg| arg.help_heading("Sender")))]
#[command(mut_arg("priority", |arg| arg.help_heading("Sender")))]
#[command(after_help = "Examples:
  prazo trigger 192.168.7.2                       30 s at 1 kHz
  prazo trigger 192.168.7.2 -i 50ms -n 12000      20 Hz as in Regnier 2008
  prazo trigger --interface eth1                  raw Ethernet frames (0x88B5)
  prazo trigger --interface eth1 --blind -n 1000  no wait for the receiver

The other machine runs `prazo measure event --station remote`.")]
pub(crate) struct Args {
    /// Address or name of the measuring machine [default port: 50123]
    #[arg(value_name = "ADDRESS[:PORT]", required_unless_present = "interface")]
    to: Option<String>,
    /// Send through this interface; without an address, send raw Ethernet frames
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
    #[command(flatten)]
    series: SeriesFlags,
    #[command(flatten)]
    policy: PolicyFlags,
    /// Processor of the sender [default: any]
    #[arg(long, short, help_heading = "Sender", value_name = "CPU")]
    cpu: Option<u32>,
    /// Longest time to wait for the measuring machine
    #[arg(long, hide_short_help = true, value_name = "TIME", default_value = "60s", conflicts_with = "blind")]
    connect_timeout: Duration,
    /// Send without waiting for the measuring machine
    #[arg(long)]
    blind: bool,
    /// Record the answers to each trigger in a run file; the measuring machine runs with --answer
    #[arg(long, conflicts_with = "blind")]
    answers: bool,
    /// Run file of the answers [default: prazo-results/answers-DATE.prazo]
    #[arg(long, short, help_heading = "Output", value_name = "FILE", requires = "answers")]
    output: Option<PathBuf>,
    /// Detection delay of this station, subtracted from means: a time, or a run file of answers that were measured between two identical idle stations
    #[arg(long, hide_short_help = true, value_name = "TIME|RUN", requires = "answers")]
    delta: Option<String>,
    /// Seed of the random delays; the same seed repeats a series of triggers
    #[arg(long, hide_short_help = true, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl Args {
    /// Triggers.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let Self { output, delta, .. } = self;
        let request = TriggerRequest {
            to: self.to,
            interface: self.interface,
            series: self.series.series()?,
            policy: self.policy.policy(self.series.period),
            cpu: self.cpu,
            connect_timeout: (!self.blind).then_some(self.connect_timeout),
            seed: self.seed,
            answers: self.answers.then_some(AnswersRequest { file: output, delta }),
            command: command_line(),
        };
        let triggered = trigger(&request, &mut Console::default())?;
        out::answer(self.json, &triggered)?;
        Ok(Exit::Pass)
    }
}
