//! `rtla timerlat hist`: interrupt, thread and, with user threads, return-to-user latency of each processor.
//!
//! The kernel's tracer jumps over activations whose time has passed (`wait_next_period` in trace_osnoise.c) and counts none
//! of them.

use super::accounting::{self, Length};
use super::caveats;
use super::context::Context;
use super::error::Problem;
use super::input::Input;
use super::rtla_table::RtlaTable;
use crate::Run;
use crate::run::{Ending, Quantity};
use prazo_core::time::Duration;

/// Reads the file.
pub(super) fn read(input: &mut Input, context: &Context) -> Result<Run, Problem> {
    let table = RtlaTable::read(input)?;
    let mut run = context.run();
    table.fill(&mut run, context, quantity)?;
    for series in &mut run.series {
        series.period = context.options.period;
    }
    accounting::account_for(&mut run, length(table.duration, context));
    if table.stopped {
        stopped(&mut run, table.stopped_cpu);
    }
    Ok(run)
}

/// As the caller says, else between the whole seconds of the table's.
fn length(printed: Option<Duration>, context: &Context) -> Length {
    match (context.options.duration, printed) {
        (Some(known), _) => Length::Known(known),
        (None, Some(printed)) => Length::Between {
            at_least: Duration::from_ns(printed.as_ns().saturating_sub(1_000_000_000)),
            at_most: Duration::from_ns(printed.as_ns().saturating_add(1_000_000_000)),
        },
        (None, None) => Length::Unknown,
    }
}

fn quantity(column: &str) -> Option<Quantity> {
    match column {
        "IRQ" => Some(Quantity::InterruptLatency),
        "Thr" => Some(Quantity::ResponseLatency),
        "Usr" => Some(Quantity::ReturnToUser),
        _ => None,
    }
}

/// The table does not say who hit the threshold: it is the named processor's worst, else the worst of all.
fn stopped(run: &mut Run, named: Option<u32>) {
    let of_named = run.series.iter().filter(|series| named.is_none() || series.cpu == named);
    let worst = of_named.filter_map(|series| Some((series.stated?.max_ns?, series.cpu?))).max();
    if let Some((latency_ns, cpu)) = worst {
        run.ending = Ending::Threshold { cpu, latency_ns };
    }
    run.caveats
        .push(caveats::run_ended_early("rtla reports that a latency reached the threshold at which tracing stops"));
}
