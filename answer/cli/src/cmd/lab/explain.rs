//! `prazo lab explain`: why the worst activations of a run were late, function by function.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::{out, paper};
use prazo::guest::GuestOptions;
use prazo::lab::explain::{Activation, ExplainRequest, Explanation, WorstDocument, explain, path_lines};
use prazo_report::terminal::Side;
use prazo_report::view::Cell;
use std::path::PathBuf;

/// Functions that the table lists.
const LISTED: usize = 12;

/// What to explain.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure timer --platform lab:rt-full -D 10s -o run.prazo
  prazo lab explain run.prazo                 the worst activation
  prazo lab explain run.prazo --worst 5 --path
  prazo lab explain run.prazo -o calls.svg -o trace.json
  prazo lab explain run.prazo --json

The run's guest is booted twice more with a plugin that watches it from outside.
Its samples must be the run's, one by one; otherwise there is no answer.")]
pub(crate) struct Args {
    /// Run file that was measured in the lab
    run: PathBuf,
    /// Number of activations to explain, from the worst on
    #[arg(long, value_name = "N", default_value_t = 1)]
    worst: usize,
    /// Also print who called whom
    #[arg(long)]
    path: bool,
    /// Instructions below which a call is left out of the path
    #[arg(long, value_name = "N", default_value_t = 20, requires = "path")]
    path_least: u64,
    /// Also write a trace for Perfetto (.json), or a chart of the worst activation (.svg)
    #[arg(long, short = 'o', value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Platform of the run, where it is a TOML file (lab:FILE.toml)
    #[arg(long, value_name = "PLATFORM")]
    platform: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let platform = GuestOptions { platform: self.platform.clone(), ..GuestOptions::default() }.resolve()?;
        let request =
            ExplainRequest { file: self.run.clone(), worst: self.worst, platform, outputs: self.output.clone() };
        let explanation = explain(&request, &mut Console::default())?;
        if self.json {
            out::json(&explanation.document)?;
        } else {
            self.print(&explanation)?;
        }
        Ok(Exit::Pass)
    }

    fn print(&self, explanation: &Explanation) -> Result<(), Failure> {
        let document = &explanation.document;
        out::text_line(&format!(
            "{} on {}: {} samples identical with and without the plugin; an instruction takes {} ns",
            document.run, document.platform, document.samples_compared, document.instruction_ns
        ))?;
        for (worst, activation) in document.worst.iter().zip(&explanation.activations) {
            out::text_line("")?;
            out::text_line(&format!("activation {}: {}", worst.activation, worst.sentence))?;
            out::text_line("")?;
            functions(worst)?;
            if self.path {
                self.print_path(activation)?;
            }
        }
        Ok(())
    }

    fn print_path(&self, activation: &Activation) -> Result<(), Failure> {
        out::text_line("")?;
        path_lines(activation, self.path_least).iter().try_for_each(|line| out::text_line(line))
    }
}

/// The functions with the most instructions of their own.
fn functions(worst: &WorstDocument) -> Result<(), Failure> {
    let sides = [Side::Left, Side::Right, Side::Right, Side::Right];
    let heads = ["function", "own instructions", "interrupts off", "with callees"];
    let rows = worst.functions.iter().take(LISTED).map(|function| {
        let counts = [function.self_instructions, function.self_interrupts_off, function.total_instructions];
        let counts = counts.map(|count| Cell::from(count.to_string()));
        std::iter::once(Cell::from(function.name.clone())).chain(counts).collect()
    });
    paper::table(&sides, &heads, rows)?;
    let rest = worst.functions.len().saturating_sub(LISTED);
    if rest > 0 {
        out::text_line(&format!("and {rest} more functions; {} instructions in all", worst.instructions))?;
    }
    Ok(())
}
