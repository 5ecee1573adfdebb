//! `prazo measure timer|interrupt|event|wakeup|noise|overheads|latmon|xenomai|serial|plan`: one run into one file.

use super::measure_event::Event;
use super::measure_interrupt::Interrupt;
use super::measure_latmon::Latmon;
use super::measure_noise::Noise;
use super::measure_overheads::Overheads;
use super::measure_plan::MeasurePlan;
use super::measure_serial::Serial;
use super::measure_timer::Timer;
use super::measure_wakeup::Wakeup;
use super::measure_xenomai::Xenomai;
use crate::exit::{Exit, Failure};

/// Measure latency or overheads once
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(subcommand)]
    probe: Probe,
}

#[derive(clap::Subcommand, Debug)]
enum Probe {
    /// Measure how late threads wake up after a timer expires
    Timer(Box<Timer>),
    /// Measure how late a handler and a task run after an interrupt
    Interrupt(Box<Interrupt>),
    /// Measure how late a task runs after a network frame
    Event(Box<Event>),
    /// Measure how late a thread runs after another has woken it
    Wakeup(Box<Wakeup>),
    /// Measure the time that is taken from a busy loop
    Noise(Box<Noise>),
    /// Measure the overheads of the kernel's scheduling
    Overheads(Box<Overheads>),
    /// Measure this machine's responses with a latmon board
    Latmon(Box<Latmon>),
    /// Measure with a Xenomai tool: latency, latmus or cyclictest
    Xenomai(Box<Xenomai>),
    /// Measure any kernel that sends its time stamps over a serial line
    Serial(Box<Serial>),
    /// Measure with the plan of another run
    Plan(Box<MeasurePlan>),
}

impl Args {
    /// Measures.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self.probe {
            Probe::Timer(timer) => timer.run(),
            Probe::Interrupt(interrupt) => interrupt.run(),
            Probe::Event(event) => event.run(),
            Probe::Wakeup(wakeup) => wakeup.run(),
            Probe::Noise(noise) => noise.run(),
            Probe::Overheads(overheads) => overheads.run(),
            Probe::Latmon(latmon) => latmon.run(),
            Probe::Xenomai(xenomai) => xenomai.run(),
            Probe::Serial(serial) => serial.run(),
            Probe::Plan(plan) => plan.run(),
        }
    }
}
