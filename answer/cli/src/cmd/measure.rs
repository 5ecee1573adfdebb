//! `prazo measure timer|interrupt|event|overheads|latmon|xenomai`: one run into one file.

use super::measure_event::Event;
use super::measure_interrupt::Interrupt;
use super::measure_latmon::Latmon;
use super::measure_overheads::Overheads;
use super::measure_xenomai::Xenomai;
use super::outlet::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::guest::GuestFlags;
use crate::flags::load::LoadFlags;
use crate::flags::plan::PlanFlags;
use crate::flags::requirement::RequirementFlags;
use prazo::measure::Instrument;

/// One run.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(subcommand)]
    probe: Probe,
}

#[derive(clap::Subcommand, Debug)]
enum Probe {
    /// How late a thread runs after its timer was due
    Timer(Box<Timer>),
    /// How late a handler, and the task behind it, run after an interrupt was raised
    Interrupt(Box<Interrupt>),
    /// How late a task runs after another station's frame
    Event(Box<Event>),
    /// What the kernel's scheduling costs: release, decision, context switch, tick, interrupts between processors
    Overheads(Box<Overheads>),
    /// A microcontroller board that runs latmon measures this machine's answers from outside
    Latmon(Box<Latmon>),
    /// A Xenomai core's own tool: latency, latmus or its cyclictest
    Xenomai(Box<Xenomai>),
}

/// How late a thread runs after its timer was due.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure timer                                    30 s under fifo on every processor
  prazo measure timer --split                            where each latency's time went, and why
  prazo measure timer -p other --timer-slack 1us         an ordinary thread, its slack set
  prazo measure timer -D 8h --load udp-flood=50000 --load disk-write --cycle 30s
  prazo measure timer --deadline 200us --kind hard --looks-for 200us -i 400us
  prazo measure timer --platform lab:rt-full -D 10s      in a virtual machine that repeats itself (`prazo lab list`)
  prazo measure timer --method timerfd --when-late catch-up -c 1 -n 100000 --json")]
struct Timer {
    #[command(flatten)]
    plan: PlanFlags,
    #[command(flatten)]
    loads: LoadFlags,
    #[command(flatten)]
    requirement: RequirementFlags,
    #[command(flatten)]
    guest: GuestFlags,
    #[command(flatten)]
    outlet: Outlet,
}

impl Args {
    /// Measures.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self.probe {
            Probe::Timer(timer) => timer.run(),
            Probe::Interrupt(interrupt) => interrupt.run(),
            Probe::Event(event) => event.run(),
            Probe::Overheads(overheads) => overheads.run(),
            Probe::Latmon(latmon) => latmon.run(),
            Probe::Xenomai(xenomai) => xenomai.run(),
        }
    }
}

impl Timer {
    fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        let request = self.plan.request(&self.loads, &self.guest);
        self.outlet.measure(Instrument::Timer(Box::new(request)), requirement)
    }
}
