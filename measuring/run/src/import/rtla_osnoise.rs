//! `rtla osnoise hist`: how long each single disturbance of a busy loop was.

use super::caveats;
use super::context::Context;
use super::error::Problem;
use super::input::Input;
use super::rtla_table::RtlaTable;
use crate::Run;
use crate::run::Quantity;

/// Reads the file.
pub(super) fn read(input: &mut Input, context: &Context) -> Result<Run, Problem> {
    let table = RtlaTable::read(input)?;
    let mut run = context.run();
    table.fill(&mut run, context, |column| (column == "CPU").then_some(Quantity::Noise))?;
    run.caveats.push(caveats::iterations_not_activations("disturbances above the sampling threshold"));
    Ok(run)
}
