//! embassy: the handler signals a task of the executor in thread mode.
#![no_main]
#![no_std]

use core::cell::Cell;
use cortex_m::interrupt::Mutex;
use embassy_executor::Spawner;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::signal::Signal;
// Its vectors.
use lm3s6965 as _;
use panic_halt as _;
use serial_rtic::{COUNT, Record, lost, since_due, start};

static TICK: Signal<CriticalSectionRawMutex, (u32, u32)> = Signal::new();
static NUMBER: Mutex<Cell<u32>> = Mutex::new(Cell::new(0));

#[cortex_m_rt::exception]
fn SysTick() {
    let handler = since_due();
    let number = cortex_m::interrupt::free(|cs| NUMBER.borrow(cs).replace(NUMBER.borrow(cs).get() + 1)) + 1;
    if number <= COUNT {
        if TICK.signaled() {
            lost();
        }
        TICK.signal((number, handler));
    }
}

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let mut record = Record::new();
    start(cortex_m::Peripherals::take().expect("taken once").SYST);
    loop {
        let (number, handler) = TICK.wait().await;
        let task = since_due();
        record.keep("embassy-executor-0.7", number, handler, task);
    }
}
