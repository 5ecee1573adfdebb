//! HdrHistogram's percentile text (`.hgrm`), in microseconds, five steps for each halving of the distance to 100 %.
//!
//! Rows end where ranks are no longer exact because part of the overflow has no values; then mean and deviation are NaN
//! and a line says how many values are missing.

use super::ExportError;
use super::distribution::{Distribution, main_quantity};
use crate::Run;
use prazo_core::text::counted;
use std::io::{self, Write};

const STEPS_PER_HALVING: u32 = 5;

/// Writes the main quantity, all processors together.
pub(super) fn write(run: &Run, out: &mut dyn Write) -> Result<(), ExportError> {
    let quantity = main_quantity(&run.series);
    let of = Distribution::of(run, run.of(quantity));
    if of.total() == 0 {
        let why = format!("the run has no samples of {quantity}");
        return Err(ExportError::Unfit { run: run.name.clone(), format: "hgrm", why });
    }
    writeln!(out, "{:>12} {:>14} {:>10} {:>14}\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)")?;
    rows(&of, out)?;
    Ok(footer(&of, out)?)
}

fn rows(of: &Distribution, out: &mut dyn Write) -> io::Result<()> {
    let total = of.total();
    let mut level = Level(0);
    for (value_ns, below) in of.ranks() {
        while level.rank(total) <= below {
            let share = 1.0 - level.remaining();
            writeln!(out, "{:12.3} {share:14.12} {below:10} {:14.2}", us(value_ns), 1.0 / level.remaining())?;
            if below == total {
                break;
            }
            level = Level(level.0 + 1);
        }
    }
    match of.max_ns() {
        Some(max_ns) => writeln!(out, "{:12.3} {:14.12} {total:10}", us(max_ns), 1.0),
        None => Ok(()),
    }
}

/// One of the shares at which a row stands, counted from 0; as whole numbers, so that no rounding moves a rank.
#[derive(Clone, Copy)]
struct Level(u32);

impl Level {
    /// Of ten tenths of the distance to 100 % at the last halving, those that remain; and the halvings.
    fn tenths_and_halvings(self) -> (u32, u32) {
        (10 - self.0 % STEPS_PER_HALVING, self.0 / STEPS_PER_HALVING)
    }

    fn remaining(self) -> f64 {
        let (tenths, halvings) = self.tenths_and_halvings();
        f64::from(tenths) / 10.0 / f64::from(halvings).exp2()
    }

    /// How many values lie at or below this share of `total`, rounded up.
    fn rank(self, total: u64) -> u64 {
        let (tenths, halvings) = self.tenths_and_halvings();
        let above = (u128::from(total) * u128::from(tenths) / 10).checked_shr(halvings).unwrap_or(0);
        total - above as u64
    }
}

fn footer(of: &Distribution, out: &mut dyn Write) -> io::Result<()> {
    let (mean_ns, sd_ns) = of.mean_and_sd_ns().unwrap_or((f64::NAN, f64::NAN));
    let max = of.max_ns().map_or(f64::NAN, us);
    writeln!(out, "#[Mean    = {:12.3}, StdDeviation   = {:12.3}]", mean_ns / 1e3, sd_ns / 1e3)?;
    writeln!(out, "#[Max     = {max:12.3}, Total count    = {:12}]", of.total())?;
    writeln!(out, "#[Buckets = {:12}, SubBuckets     = {:12}]", 1, of.cells().count())?;
    match of.unlisted() {
        0 => Ok(()),
        unlisted => writeln!(out, "#[{} above the histogram's bound, of unknown size]", counted(unlisted, "value")),
    }
}

fn us(ns: i64) -> f64 {
    ns as f64 / 1e3
}
