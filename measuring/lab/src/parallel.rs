//! Several boots at once, no more than the host can carry; the answers come in the order of the boots.

use crate::boot::{Boot, Ended};
use crate::emulator::Emulator;
use crate::error::LabError;
use std::sync::Mutex;

/// Makes all boots, at most `at_once` (at least one) at the same time.
///
/// Under counted time a busy host makes boots slower and nothing else; a limit should leave room for that.
pub fn boot_all(emulator: &Emulator, boots: &[Boot], at_once: usize) -> Vec<Result<Ended, LabError>> {
    let next = Mutex::new(boots.iter().enumerate());
    let answers = Mutex::new(boots.iter().map(|_| None).collect::<Vec<_>>());
    let take = || next.lock().expect("no holder panics").next();
    // Each guest is waited for by the thread that started it, since the kernel ends it with that thread.
    let work = || {
        while let Some((index, boot)) = take() {
            let answer = boot.run(emulator, &mut |_| {});
            answers.lock().expect("no holder panics")[index] = Some(answer);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..at_once.clamp(1, boots.len().max(1)) {
            scope.spawn(work);
        }
    });
    let answers = answers.into_inner().expect("no holder panics");
    answers.into_iter().map(|answer| answer.expect("every boot was taken once")).collect()
}
