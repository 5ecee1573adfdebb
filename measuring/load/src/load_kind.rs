//! What a load is: whom it disturbs, which programs generate it, what may be asked of it and how its effect is counted.
//!
//! The catalogue holds one value of [`LoadKind`] a file. What a load reached is never taken from its generator's own words:
//! a [`Measure`] names the kernel's counter that shows it.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::path::PathBuf;

use super::cards::Cards;
use super::counters::Counters;
use prazo_platform::foreign_programs::Program;
use prazo_sys::shell;

/// One entry of the catalogue.
#[derive(Debug)]
pub struct LoadKind {
    /// The name used by flags, plans and files.
    pub name: &'static str,
    /// What it disturbs, in one sentence.
    pub disturbs: &'static str,
    /// The paper that used such a load, and how.
    pub source: &'static str,
    /// The foreign programs that generate it; none where prazo's own generator does.
    pub programs: &'static [Program],
    /// Of a load of foreign programs: prazo's own load that makes the same disturbance.
    pub peer: Option<&'static str>,
    /// What may be asked of it.
    pub rate: Rate,
    /// How what it reached is counted; this fixes the unit of its rates.
    pub measure: Measure,
    /// What it writes to disk at most, in MB (10^6 bytes).
    pub disk_mb_max: u32,
    /// The highest real-time priority that its threads take, below all measured ones; `None` where all are ordinary.
    pub real_time: Option<u8>,
    /// True where packets shall travel between two network namespaces.
    pub(super) network: bool,
    /// Where its programs start.
    pub(super) starts_in: StartsIn,
    /// Makes the files that the programs need, before anything is timed.
    pub(super) prepare: fn(&Scene) -> io::Result<()>,
    /// The programs with their arguments; all of them run while the load is on.
    pub(super) steps: fn(&Scene) -> Vec<Invocation>,
}

/// What a load is unless it says otherwise: it starts in its folder, prepares and writes nothing, and sends no packets.
pub(super) const PLAIN: LoadKind = LoadKind {
    name: "",
    disturbs: "",
    source: "",
    programs: &[],
    peer: None,
    rate: Rate::Processors,
    measure: Measure::BusyProcessors,
    disk_mb_max: 0,
    real_time: None,
    network: false,
    starts_in: StartsIn::Work,
    prepare: nothing,
    steps: |_| vec![],
};

/// What may be asked of a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// A rate that the generator keeps to, in the unit of the load's [`Measure`].
    Paced {
        /// Asked where the plan names no rate; `None` is as fast as it goes.
        default: Option<f64>,
        /// The generator cannot keep to more than this.
        most: f64,
    },
    /// Whole workers, each as fast as it goes; what they reach is not asked beforehand.
    Workers {
        /// Started where the plan names no rate.
        default: Workers,
        /// No more than this.
        most: u32,
    },
    /// Whole workers, each of which should keep one processor busy; by default one for each processor.
    Processors,
}

/// How many workers a load has unless told otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workers {
    /// One.
    One,
    /// One for each processor that the load may use.
    PerCpu,
}

/// Which counter of the kernel shows what a load reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Processor time of the load's processes, in seconds a second.
    BusyProcessors,
    /// Bytes that the load's processes had fetched from storage.
    DiskRead,
    /// Bytes that the load's processes had sent to storage.
    DiskWrite,
    /// Context switches of the load's processes.
    Switches,
    /// Page faults of the load's processes that needed no disk.
    PageFaults,
    /// Timer interrupts, as far as they can be the load's: the machine counts those of all.
    TimerInterrupts,
    /// Packets that the receiving network interface took in.
    Packets,
    /// Bytes that the receiving network interface took in.
    NetworkBytes,
    /// Passes of a finite program, started again by the keeper.
    Passes,
}

/// What is asked of one load, its defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Demand {
    /// Workers; 1 where the load is paced.
    pub workers: u32,
    /// The rate to keep to; `None` is as fast as it goes.
    pub paced: Option<f64>,
}

/// What a load's programs need to know of the place where they run.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    /// Decides what prazo's own generators do, and in which order.
    pub seed: u64,
    /// The requested rate.
    pub demand: Demand,
    /// A folder of the load's own, on disk.
    pub work: PathBuf,
    /// The receiver's address.
    pub receiver: Ipv4Addr,
    /// A port that is free at the receiver.
    pub port: u16,
    /// The cards that packets travel between, instead of between two network namespaces.
    pub cards: Option<Cards>,
}

impl Scene {
    /// Where the receiver listens.
    pub(super) fn receiver_port(&self) -> SocketAddrV4 {
        SocketAddrV4::new(self.receiver, self.port)
    }
}

/// This program, which becomes one of prazo's own generators.
pub(super) const OWN_PROGRAM: &str = "/proc/self/exe";

/// One program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Invocation {
    pub program: &'static str,
    pub arguments: Vec<String>,
    pub side: Side,
    pub lasts: Lasts,
}

/// At which end of the two network namespaces a program runs; loads without a network have only `Receiver`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Receiver,
    Sender,
}

/// How long one execution of a program lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lasts {
    /// Until it is ended; ending by itself is a failure.
    ForEver,
    /// Until it is ended, and steps behind it wait for it to listen on this TCP port.
    ForEverListening(u16),
    /// One pass, started again and again; these exit codes are a pass.
    OnePass(&'static [i32]),
}

/// Where the programs of a load start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartsIn {
    /// In the load's own folder.
    Work,
    /// In the machine's /proc: that of the load's namespace would show the load alone.
    MachineProc,
}

/// Why a rate cannot be asked of a load.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{wanted}")]
pub struct BadRate {
    /// What may be asked instead.
    pub wanted: String,
}

impl LoadKind {
    /// True where prazo's own generator makes it, so that no other program is needed.
    pub fn is_own(&self) -> bool {
        self.programs.is_empty()
    }

    /// True where it writes files.
    pub fn has_disk(&self) -> bool {
        self.disk_mb_max > 0
    }

    /// True where its packets travel between two network namespaces.
    pub fn has_network(&self) -> bool {
        self.network
    }

    /// The unit of what is asked and reached.
    pub const fn unit(&self) -> &'static str {
        self.measure.unit()
    }

    /// `rate` with the load's defaults filled in, or what may be asked instead.
    pub(super) fn demand(&self, rate: Option<f64>, cpus: u32) -> Result<Demand, BadRate> {
        match self.rate {
            Rate::Paced { default, most } => paced(rate.or(default), most, self.unit()),
            Rate::Workers { default, most } => workers(rate.unwrap_or(default.count(cpus)), most),
            Rate::Processors => workers(rate.unwrap_or(Workers::PerCpu.count(cpus)), WORKERS_MAX),
        }
    }

    /// What `demand` asks in the load's own unit; `None` is as much as it can.
    pub(super) fn asked(&self, demand: Demand) -> Option<f64> {
        match self.rate {
            Rate::Paced { .. } => demand.paced,
            Rate::Workers { .. } => None,
            Rate::Processors => Some(f64::from(demand.workers)),
        }
    }
}

impl Workers {
    fn count(self, cpus: u32) -> f64 {
        match self {
            Self::One => 1.0,
            Self::PerCpu => f64::from(cpus),
        }
    }
}

/// More workers than this would show the scheduler of nothing but themselves.
pub(super) const WORKERS_MAX: u32 = 4096;

fn workers(count: f64, most: u32) -> Result<Demand, BadRate> {
    if count.fract() == 0.0 && (1.0..=f64::from(most)).contains(&count) {
        return Ok(Demand { workers: count as u32, paced: None });
    }
    Err(BadRate { wanted: format!("the rate must be a whole number of workers from 1 to {most}") })
}

fn paced(rate: Option<f64>, most: f64, unit: &str) -> Result<Demand, BadRate> {
    match rate {
        Some(rate) if !(rate > 0.0 && rate <= most) => {
            Err(BadRate { wanted: format!("the rate must be above 0 and at most {most} {unit}") })
        }
        paced => Ok(Demand { workers: 1, paced }),
    }
}

impl Measure {
    /// What the rates of loads with this measure count.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::BusyProcessors => "processors",
            Self::DiskRead | Self::DiskWrite | Self::NetworkBytes => "MB/s",
            Self::Switches => "switches/s",
            Self::PageFaults => "page faults/s",
            Self::TimerInterrupts => "interrupts/s",
            Self::Packets => "packets/s",
            Self::Passes => "passes/s",
        }
    }

    /// How the figure comes about, for the record.
    pub const fn explained(self) -> &'static str {
        match self {
            Self::BusyProcessors => {
                "processor time of the load's processes, according to the kernel's accounting \
                                     (getrusage)"
            }
            Self::DiskRead => {
                "blocks that the load's processes read from storage, according to the kernel's accounting (getrusage)"
            }
            Self::DiskWrite => {
                "blocks that the load's processes wrote to storage, according to the kernel's accounting (getrusage)"
            }
            Self::Switches => {
                "context switches of the load's processes, according to the kernel's accounting \
                               (getrusage)"
            }
            Self::PageFaults => {
                "minor page faults of the load's processes, according to the kernel's accounting (getrusage)"
            }
            Self::TimerInterrupts => {
                "the smaller of the machine's timer interrupts (/proc/interrupts) and the context switches of the \
                 load's processes (getrusage); every expiry causes one timer interrupt and one context switch"
            }
            Self::Packets => "packets received, from the receiving interface's counter",
            Self::NetworkBytes => "bytes received, from the receiving interface's counter",
            Self::Passes => "runs of the generator, counted by its supervisor process",
        }
    }

    /// How much `counted` holds of this measure, in its unit times seconds; `None` where the machine does not count it.
    pub(super) fn amount(self, counted: &Counters) -> Option<f64> {
        const MB: f64 = 1e6;
        match self {
            Self::BusyProcessors => Some(counted.busy_ns as f64 / 1e9),
            Self::DiskRead => counted.read_bytes.map(|bytes| bytes as f64 / MB),
            Self::DiskWrite => counted.written_bytes.map(|bytes| bytes as f64 / MB),
            Self::Switches => Some(counted.switches as f64),
            Self::PageFaults => Some(counted.page_faults as f64),
            Self::TimerInterrupts => counted.timer_interrupts.map(|count| count.min(counted.switches) as f64),
            Self::Packets => counted.packets.map(|count| count as f64),
            Self::NetworkBytes => counted.network_bytes.map(|bytes| bytes as f64 / MB),
            Self::Passes => Some(counted.passes as f64),
        }
    }
}

impl Invocation {
    /// The command line, as one would type it.
    pub(crate) fn command_line(&self) -> String {
        let program = if self.program == OWN_PROGRAM { "prazo" } else { self.program };
        shell::line(std::iter::once(program).chain(self.arguments.iter().map(String::as_str)))
    }
}

/// The words of a command line, for [`Invocation::arguments`].
pub(super) fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(String::from).collect()
}

/// A [`LoadKind::prepare`] with nothing to do.
pub(super) fn nothing(_: &Scene) -> io::Result<()> {
    Ok(())
}

/// A [`LoadKind::prepare`] that makes no files: a folder in memory, which has no block device behind it, is refused.
pub(super) fn reaches_a_disk(scene: &Scene) -> io::Result<()> {
    if prazo_sys::files::is_in_memory(&scene.work)? {
        return Err(io::Error::other(
            "the load's working folder (by default in /var/tmp) is in memory, not on a disk; the load needs a folder \
             on a block device",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_whole_and_bounded() {
        assert_eq!(workers(2.0, 4).unwrap().workers, 2);
        assert_eq!(workers(4.0, 4).unwrap().workers, 4);
        for bad in [0.0, -1.0, 1.5, 5.0, f64::NAN, f64::INFINITY] {
            assert!(workers(bad, 4).is_err(), "{bad}");
        }
    }

    #[test]
    fn paced_rates_are_positive_and_bounded() {
        assert_eq!(paced(Some(0.5), 1.0, "MB/s").unwrap().paced, Some(0.5));
        assert_eq!(paced(None, 1.0, "MB/s").unwrap().paced, None);
        for bad in [0.0, -1.0, 1.5, f64::NAN, f64::INFINITY] {
            assert!(paced(Some(bad), 1.0, "MB/s").is_err(), "{bad}");
        }
    }

    #[test]
    fn an_own_generator_is_called_by_the_name_of_the_program() {
        let step = Invocation {
            program: OWN_PROGRAM,
            arguments: vec!["one".into()],
            side: Side::Receiver,
            lasts: Lasts::ForEver,
        };
        assert_eq!(step.command_line(), "prazo one");
    }

    #[test]
    fn a_command_line_can_be_pasted_into_a_shell() {
        let step = Invocation {
            program: "sh",
            arguments: vec!["-c".into(), "find '*.c'".into()],
            side: Side::Receiver,
            lasts: Lasts::ForEver,
        };
        assert_eq!(step.command_line(), r"sh -c 'find '\''*.c'\'''");
    }
}
