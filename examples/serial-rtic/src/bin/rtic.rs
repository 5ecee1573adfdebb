//! RTIC: the handler is a hardware task at priority 2, and releases a software task at priority 1.
#![no_main]
#![no_std]

use panic_halt as _;

#[rtic::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use serial_rtic::{COUNT, Record, lost, since_due, start};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {
        record: Record,
    }

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        start(cx.core.SYST);
        (Shared {}, Local { record: Record::new() })
    }

    #[task(binds = SysTick, priority = 2, local = [number: u32 = 0])]
    fn tick(cx: tick::Context) {
        let handler = since_due();
        *cx.local.number += 1;
        if *cx.local.number <= COUNT && work::spawn(*cx.local.number, handler).is_err() {
            lost();
        }
    }

    #[task(priority = 1, local = [record])]
    async fn work(cx: work::Context, number: u32, handler: u32) {
        let task = since_due();
        cx.local.record.keep("rtic-2", number, handler, task);
    }
}
