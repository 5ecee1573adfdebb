//! What both programs share: a tick, the stamps since it was due, room for them, and the serial line.
//!
//! The tick is the processor's SysTick, which counts down from the period: what it has counted since is the time since the
//! activation was due. Stamps are kept in memory and sent when all were taken, so that sending is never measured.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering};
use cortex_m::peripheral::{SYST, syst::SystClkSource};
use prazo_serial_target::{Line, Target};

/// Activations that are measured.
pub const COUNT: u32 = 1_000;
/// The clock of the board as it starts, and a period of a millisecond.
const HZ: u64 = 12_500_000;
const PERIOD: u32 = 12_500;
/// Data register of the first UART.
const UART0: *mut u32 = 0x4000_c000 as *mut u32;

/// Activations whose task could not be released.
pub static LOST: AtomicU32 = AtomicU32::new(0);

/// Starts the tick.
pub fn start(mut tick: SYST) {
    tick.set_clock_source(SystClkSource::Core);
    tick.set_reload(PERIOD - 1);
    tick.clear_current();
    tick.enable_interrupt();
    tick.enable_counter();
}

/// What the counter has counted since the last tick was due.
#[inline(always)]
pub fn since_due() -> u32 {
    PERIOD - 1 - SYST::get_current()
}

/// An activation was lost.
pub fn lost() {
    // ORDERING: a count that is read when all activations are over.
    LOST.fetch_add(1, Ordering::Relaxed);
}

/// The stamps.
pub struct Record {
    stamps: [(u16, u16); COUNT as usize],
}

impl Default for Record {
    fn default() -> Self {
        Self::new()
    }
}

impl Record {
    /// No stamps yet.
    pub const fn new() -> Self {
        Self { stamps: [(0, u16::MAX); COUNT as usize] }
    }

    /// Keeps those of activation `number`, from 1; sends all behind the last.
    pub fn keep(&mut self, kernel: &str, number: u32, handler: u32, task: u32) {
        if let Some(place) = self.stamps.get_mut(number as usize - 1) {
            *place = (handler as u16, task as u16);
        }
        if number == COUNT {
            self.send(kernel);
        }
    }

    fn send(&self, kernel: &str) {
        // SAFETY: the register is there on this board, and nobody else writes to it.
        let mut line = Line::new(|byte| unsafe { UART0.write_volatile(u32::from(byte)) });
        let board = "lm3s6965evb";
        let (bits, period, policy, load) = (32, PERIOD.into(), "fixed", "-");
        line.header(&Target { kernel, board, hz: HZ, bits, period, policy, load, tasks: Some(1) });
        for (number, (handler, task)) in (1..).zip(&self.stamps).filter(|(_, (_, task))| *task != u16::MAX) {
            let due = number * u64::from(PERIOD);
            line.sample(number, Some(due), Some(due + u64::from(*handler)), due + u64::from(*task));
        }
        line.end(LOST.load(Ordering::Relaxed).into());
    }
}
