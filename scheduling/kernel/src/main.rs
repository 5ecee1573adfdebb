//! A real-time kernel that drives the scheduler core on bare x86-64 and measures what that costs.
#![no_std]
#![no_main]
#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod arch;
mod bodies;
mod configuration;
mod console;
mod dispatcher;
mod insertion;
mod inversion;
mod measure;
mod mutex;
mod queue;
mod random;
mod run;
mod scenario;
mod semaphore;
mod trace;
mod words;

use configuration::PROCESSORS;
use core::panic::PanicInfo;

const SUCCESS: u8 = 0x10;
const FAILURE: u8 = 0x11;

/// The first processor, when all are there: makes the run and takes part.
fn main_processor(stack: usize) -> ! {
    let processors = arch::processors();
    if processors < PROCESSORS {
        panic!("the shape has {PROCESSORS} processors, this machine {processors}: build for another shape");
    }
    run::prepare(&words::Words::read());
    dispatcher::idle(arch::current_processor(), stack)
}

/// Every other processor takes part, or stays parked where the shape has no place for it.
fn other_processor(stack: usize) -> ! {
    let here = arch::current_processor();
    run::await_preparation();
    if here < PROCESSORS {
        dispatcher::idle(here, stack)
    }
    loop {
        arch::park();
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    arch::stop_everyone_else();
    let here = arch::current_processor();
    let (file, line) = info.location().map_or(("nowhere", 0), |place| (place.file(), place.line()));
    console::last_line(format_args!("prazo: processor {here}: {} ({file}:{line})", info.message()));
    arch::exit(FAILURE)
}
