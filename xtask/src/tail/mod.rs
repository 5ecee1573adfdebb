//! `cargo xtask tail`: how often an extrapolated quantile holds what long runs show.
//!
//! Each folder is a cell: one kernel under one load, with a run file for each boot. All samples of a cell show the true quantile. Each
//! stretch of consecutive samples of a run is given to each method of [`prazo_stats::tail`], which answers with an interval or refuses.
//! With `--simulated`, the cells are drawn from laws whose quantile is known. docs/statistics.md has the tables.

mod cell;
mod score;
mod simulated;
mod table;

use cell::Cell;
use prazo_run::run::Quantity;
use std::path::PathBuf;

/// What to score.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A folder for each cell, with the run files of one kernel and one load; runs must keep every sample (`raw = true`)
    #[arg(value_name = "FOLDER", required_unless_present = "simulated")]
    folders: Vec<PathBuf>,
    /// Score this quantity instead of each run's main one
    #[arg(long, value_name = "NAME")]
    quantity: Option<Quantity>,
    /// Score simulated laws too, with so many series of 10,000 samples each, and a tenth as many of 100,000
    #[arg(long, value_name = "COUNT")]
    simulated: Option<usize>,
    /// Print JSON instead of Markdown
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Reads the cells, scores them and prints the table.
    pub(crate) fn run(self) -> Result<(), String> {
        let mut scored = Vec::new();
        for folder in &self.folders {
            let (cell, series) = Cell::read(folder, self.quantity)?;
            eprintln!("{}", table::about(&cell));
            scored.push(score::measured(cell, &series));
        }
        for law in simulated::Law::VALUES.into_iter().filter(|_| self.simulated.is_some()) {
            eprintln!("{}", law.name());
            scored.push(simulated::scored(law, self.simulated.unwrap_or_default()));
        }
        if self.json {
            println!("{}", serde_json::to_string_pretty(&scored).map_err(|error| error.to_string())?);
        } else {
            print!("{}", table::markdown(&scored));
        }
        Ok(())
    }
}
