//! `prazo measure event`: how late a task runs after another station's frame.

use super::outlet::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::load::LoadFlags;
use crate::flags::plan::{POLICIES, PolicyName, SPLITTINGS};
use crate::flags::recording::RecordingFlags;
use crate::flags::requirement::RequirementFlags;
use crate::flags::station::{self, SeriesFlags};
use crate::flags::{Word, conditions, words};
use prazo::measure::event::{Answering, FirstStamp};
use prazo::measure::{EventRequest, Instrument};
use prazo_core::time::Duration;
use prazo_probe::event::link::PORT;
use prazo_run::plan::Splitting;
use prazo_run::source::Station;

/// How late a task runs after another station's frame.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure event                                     a station of our own, behind a pair of virtual interfaces
  prazo measure event --station loopback -p other         the same without privileges
  prazo measure event --split                             where each latency's time went, and why
  prazo measure event --station remote                    `prazo trigger THIS-MACHINE` on the other one
  prazo measure event --station remote --interface eth1 --raw-frames
  prazo measure event --station remote --interface eth1 --stamp hardware
  prazo measure event -i 50ms -n 12000 --load udp-flood   the papers' rate, under a flood")]
pub(crate) struct Event {
    /// Which station triggers
    #[arg(long, value_name = "STATION", default_value = "veth", value_parser = words(STATIONS))]
    station: Station,
    /// Listen to a remote station on this interface only
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
    /// Raw Ethernet frames (0x88B5) instead of UDP
    #[arg(long)]
    raw_frames: bool,
    /// Where the first stamp comes from; auto takes the card's where a remote station's --interface has them
    #[arg(long, value_name = "WHERE", default_value = "auto", value_parser = words(STAMPS))]
    stamp: FirstStamp,
    /// The port to listen at for a remote station
    #[arg(long, value_name = "PORT", default_value_t = PORT)]
    port: u16,
    /// How long to wait for a remote station
    #[arg(long, value_name = "TIME", default_value = "60s")]
    patience: Duration,
    /// Answer each trigger of a remote station, which measures from outside with `prazo trigger --answers`
    #[arg(long, value_name = "WHO", value_parser = words(ANSWERING))]
    answer: Option<Answering>,
    /// Put off the task's answer by this long (Regnier 2008: 10us), so that two answers in a row do not queue at the station
    #[arg(long, value_name = "TIME", requires = "answer", default_value = "0ns")]
    answer_delay: Duration,
    #[command(flatten)]
    series: SeriesFlags,
    /// Scheduling policy of the task
    #[arg(long, short, value_name = "POLICY", default_value = "fifo", value_parser = words(POLICIES))]
    policy: PolicyName,
    /// Real-time priority of the task under fifo and rr, 1 to 99
    #[arg(long, value_name = "N", default_value_t = 95)]
    priority: u8,
    /// The task's processor [default: the first that this process may use]
    #[arg(long, short, value_name = "CPU")]
    cpu: Option<u32>,
    /// Take triggers for this long before measuring (rounded up to whole seconds); the samples are labelled warm-up and left out of the figures. A --station remote sends its own series, of which this is the beginning
    #[arg(long, value_name = "TIME", default_value = "1s")]
    warm_up: Duration,
    /// Stop at the first latency above this, with a mark in the kernel's trace
    #[arg(long, short = 'b', value_name = "TIME")]
    stop_above: Option<Duration>,
    /// Split each latency by BPF (root, Linux 5.11 or newer), and say what happened around the worst
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "causes", value_parser = words(SPLITTINGS))]
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
    ("auto", "The card's, where there are any and nothing is split; else the kernel's", FirstStamp::Auto),
    ("hardware", "The network card's, before its interrupt: the figure is the response latency", FirstStamp::Hardware),
    (
        "software",
        "The kernel's, behind most of the interrupt latency: the figure is receive to task",
        FirstStamp::Software,
    ),
];

const ANSWERING: &[Word<Answering>] = &[
    ("task", "The task", Answering::Task),
    (
        "both",
        "A program in the kernel's receive path, before the task is woken, and then the task; needs root and Linux 6.6",
        Answering::Both,
    ),
];

const STATIONS: &[Word<Station>] = &[
    ("veth", "Our own, in a network namespace of its own; needs root", Station::Veth),
    ("loopback", "Our own, over loopback", Station::Loopback),
    ("remote", "Another machine's", Station::Remote),
];

impl Event {
    /// Measures.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        let request = EventRequest {
            station: self.station,
            interface: self.interface,
            raw_frames: self.raw_frames,
            stamp: self.stamp,
            port: self.port,
            patience: self.patience,
            answering: self.answer,
            answer_delay: self.answer_delay,
            series: self.series.series()?,
            policy: station::policy(self.policy, self.priority)?,
            cpu: self.cpu,
            stop_above: self.stop_above,
            split: self.split.unwrap_or_default(),
            conditions: conditions(&self.loads, self.recording, self.warm_up),
        };
        self.outlet.measure(Instrument::Event(Box::new(request)), requirement)
    }
}
