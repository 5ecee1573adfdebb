//! EVL's `latmus`, as it prints: in a user thread, a kernel thread, or a handler in or out of band.

use super::caveats;
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
    if screen.setting.not_isolated {
        run.caveats.push(caveats::cpu_not_isolated());
    }
    Ok(run)
}
