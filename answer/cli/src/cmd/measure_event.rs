//! `prazo measure event`: how late a task runs after another station's frame.

use super::outlet::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::load::LoadFlags;
use crate::flags::measuring::{PolicyFlags, RecordingFlags, SPLITTINGS, StopFlag};
use crate::flags::requirement::RequirementFlags;
use crate::flags::station::SeriesFlags;
use crate::flags::{Word, words};
use prazo::measure::event::{Answering, FirstStamp};
use prazo::measure::{EventRequest, Instrument};
use prazo_core::time::Duration;
use prazo_probe::event::link::PORT;
use prazo_run::plan::{Length, Plan, Splitting};
use prazo_run::source::{Source, Station};

/// Measure how late a task runs after a network frame
#[derive(clap::Args, Debug)]
#[command(mut_arg("warm_up", |arg| {
    let help = arg.get_long_help().map(ToString::to_string).unwrap_or_default();
    arg.long_help(format!(
        "{help} With a remote station, the warm-up is the beginning of the series that the station sends."
    ))
}))]
#[command(after_help = "Examples:
  prazo measure event                              needs root
  prazo measure event --station loopback -p other  without privileges
  prazo measure event --station remote             triggered by another machine
  prazo measure event --station remote --interface eth1 --raw-frames
  prazo measure event -i 50ms -n 12000 --load udp-flood")]
pub(crate) struct Event {
    /// Station that sends the triggers
    #[arg(long, value_name = "STATION", default_value = "veth", value_parser = words(STATIONS))]
    station: Station,
    /// Listen on this interface only
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
    /// Receive raw Ethernet frames (0x88B5) instead of UDP
    #[arg(long)]
    raw_frames: bool,
    /// Source of the time stamp from which each latency is measured
    #[arg(long, hide_short_help = true, value_name = "SOURCE", default_value = "auto", value_parser = words(STAMPS))]
    stamp: FirstStamp,
    /// Port on which to listen for a remote station
    #[arg(long, hide_short_help = true, value_name = "PORT", default_value_t = PORT)]
    port: u16,
    /// Longest time to wait for a remote station
    #[arg(long, value_name = "TIME", default_value = "60s", hide_short_help = true)]
    connect_timeout: Duration,
    /// Answer each trigger of a remote station, which measures with `prazo trigger --answers`
    #[arg(long, hide_short_help = true, value_name = "SENDER", value_parser = words(ANSWERING))]
    answer: Option<Answering>,
    /// Delay of the task's answer, so that it does not queue behind the BPF program's answer at the station (Regnier 2008: 10us)
    #[arg(long, hide_short_help = true, value_name = "TIME", requires = "answer", default_value = "0ns")]
    answer_delay: Duration,
    #[command(flatten)]
    series: SeriesFlags,
    #[command(flatten)]
    policy: PolicyFlags,
    /// Processor of the task [default: the first]
    ///
    /// The default is the first processor that this process may use.
    #[arg(long, short, help_heading = "Measuring", value_name = "CPU")]
    cpu: Option<u32>,
    #[command(flatten)]
    stop: StopFlag,
    /// Split latencies into parts, and name causes
    ///
    /// BPF programs split each latency, and record the kernel's events around the worst latencies. Splitting needs
    /// root and Linux 5.11.
    #[arg(long, help_heading = "Measuring", value_name = "DEPTH", num_args = 0..=1, require_equals = true, default_missing_value = "causes", value_parser = words(SPLITTINGS))]
    split: Option<Splitting>,
    #[command(flatten)]
    recording: RecordingFlags,
    #[command(flatten)]
    loads: LoadFlags,
    #[command(flatten)]
    requirement: RequirementFlags,
    #[command(flatten)]
    outlet: Outlet,
}

const STAMPS: &[Word<FirstStamp>] = &[
    (
        "auto",
        "The card of --interface, if the card can take time stamps and --split is not given; else the kernel",
        FirstStamp::Auto,
    ),
    ("hardware", "The network card, before its interrupt: measures the response latency", FirstStamp::Hardware),
    (
        "software",
        "The kernel's receive path, after most of the interrupt latency: measures from there to the task",
        FirstStamp::Software,
    ),
];

const ANSWERING: &[Word<Answering>] = &[
    ("task", "The task answers", Answering::Task),
    ("both", "A BPF program in the receive path answers, then the task; needs root and Linux 6.6", Answering::Both),
];

const STATIONS: &[Word<Station>] = &[
    ("veth", "A local station in its own network namespace; needs root", Station::Veth),
    ("loopback", "A local station over the loopback interface", Station::Loopback),
    ("remote", "Another machine, which runs `prazo trigger`", Station::Remote),
];

impl Event {
    /// Measures.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        let (series, policy) = (self.series.series()?, self.policy.policy(self.series.period));
        let plan = Plan::new(Source::default(), policy, Vec::new(), Length::Activations { count: series.count });
        let plan = Plan { split: self.split.unwrap_or_default(), stop_above: self.stop.stop_above, ..plan };
        let request = EventRequest {
            station: self.station,
            interface: self.interface,
            raw_frames: self.raw_frames,
            stamp: self.stamp,
            port: self.port,
            connect_timeout: self.connect_timeout,
            answering: self.answer,
            answer_delay: self.answer_delay,
            series,
            cpu: self.cpu,
            plan: self.recording.plan(plan, &self.loads),
        };
        self.outlet.measure(Instrument::Event(Box::new(request)), requirement)
    }
}
