//! Xenomai's `latency`, as it prints: in a user task (`-t 0`), a kernel task (`-t 1`) or the timer handler (`-t 2`).
//!
//! Ended by SIGINT it exits 0 with a last line RTS like any other, so that an early end shows only where a duration was
//! asked for. With `-h` the histogram is of absolute values.

use super::context::Context;
use super::error::Problem;
use super::input::Input;
use super::xenomai_screen::Screen;
use crate::Run;

/// Reads the file.
pub(super) fn read(input: &mut Input, context: &Context) -> Result<Run, Problem> {
    let screen = Screen::read(input)?;
    let mut run = context.run();
    screen.fill(&mut run, context)?;
    Ok(run)
}
