//! `prazo lab explain`: why the worst activations of a run were late, function by function.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::{out, paper};
use prazo::guest::GuestOptions;
use prazo::lab::explain::{
    Activation, DifferenceDocument, ExplainRequest, ExplainedRun, Explanation, LabRun, Times, WorstDocument, explain,
    path_lines,
};
use prazo_core::text::{counted, grouped};
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
  prazo lab explain rt.prazo --against standard.prazo -o calls.svg
  prazo lab explain run.prazo --json

The run's guest is booted twice more with a plugin that watches it from outside.
Both boots must repeat the run's samples; otherwise there is no answer.")]
pub(crate) struct Args {
    /// Run file that was measured in the lab
    run: PathBuf,
    /// Also explain this run, and print how its worst activation differs
    #[arg(long, value_name = "RUN2")]
    against: Option<PathBuf>,
    /// Number of activations to explain, from the worst on
    #[arg(long, value_name = "N", default_value_t = 1)]
    worst: usize,
    /// Also print who called whom
    #[arg(long)]
    path: bool,
    /// Omit calls with fewer instructions from the path
    #[arg(long, value_name = "N", default_value_t = 20, requires = "path")]
    path_least: u64,
    /// Also write a trace for Perfetto (.json), or a chart of the worst activation of each run (.svg)
    #[arg(long, short = 'o', value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Platform of the run, where it is a TOML file (lab:FILE.toml)
    #[arg(long, value_name = "PLATFORM")]
    platform: Option<String>,
    /// Platform of the other run, where it is a TOML file
    #[arg(long, value_name = "PLATFORM", requires = "against")]
    against_platform: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let lab_run = |file: &PathBuf, platform: &Option<String>| -> Result<LabRun, Failure> {
            let platform = GuestOptions { platform: platform.clone(), ..GuestOptions::default() }.resolve()?;
            Ok(LabRun { file: file.clone(), platform })
        };
        let against = self.against.as_ref().map(|file| lab_run(file, &self.against_platform)).transpose()?;
        let run = lab_run(&self.run, &self.platform)?;
        let request = ExplainRequest { run, against, worst: self.worst, outputs: self.output.clone() };
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
        if let Some(against) = &document.against {
            out::text_line(&against.sentence)?;
            differences(&against.difference)?;
            out::text_line("")?;
        }
        self.print_run(&document.run, &explanation.activations)?;
        match &document.against {
            Some(against) => {
                out::text_line("")?;
                self.print_run(&against.run, &explanation.against)
            }
            None => Ok(()),
        }
    }

    fn print_run(&self, run: &ExplainedRun, activations: &[Activation]) -> Result<(), Failure> {
        out::text_line(&format!(
            "{} on {}: {} identical with and without the plugin; an instruction takes {} ns",
            run.run,
            run.platform,
            counted(run.samples_compared, "sample"),
            run.instruction_ns
        ))?;
        for (worst, activation) in run.worst.iter().zip(activations) {
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
        let counts = counts.map(|count| Cell::from(grouped(count).to_string()));
        std::iter::once(Cell::from(function.name.clone())).chain(counts).collect()
    });
    paper::table(&sides, &heads, rows)?;
    let rest = worst.functions.len().saturating_sub(LISTED);
    if rest > 0 {
        out::text_line(&format!(
            "and {}; {} in all",
            counted(rest as u64, "more function"),
            counted(worst.instructions, "instruction")
        ))?;
    }
    Ok(())
}

/// The phases and then the functions of two activations: the time in each, and the difference.
fn differences(difference: &DifferenceDocument) -> Result<(), Failure> {
    let DifferenceDocument { name, against_name, functions, .. } = difference;
    let sides = [Side::Left, Side::Right, Side::Right, Side::Right];
    let columns = [format!("{name}, µs"), format!("{against_name}, µs"), "difference, µs".to_owned()];
    let heads = |first| [first, columns[0].as_str(), columns[1].as_str(), columns[2].as_str()];
    out::text_line("")?;
    paper::table(&sides, &heads("phase"), difference.lines().into_iter().map(|(text, times)| row(&text, times)))?;
    out::text_line("")?;
    paper::table(
        &sides,
        &heads("function, own time"),
        functions.iter().take(LISTED).map(|function| row(&function.name, function.times)),
    )?;
    let rest = &functions[functions.len().min(LISTED)..];
    if !rest.is_empty() {
        let sum: i64 = rest.iter().map(|function| function.times.difference_ns).sum();
        out::text_line(&format!("and {}; together {} µs", counted(rest.len() as u64, "more function"), signed(sum)))?;
    }
    Ok(())
}

fn row(first: &str, times: Times) -> Vec<Cell> {
    let times = [micros(times.run_ns), micros(times.against_ns), signed(times.difference_ns)];
    std::iter::once(Cell::from(first.to_owned())).chain(times.map(Cell::from)).collect()
}

/// Nanoseconds as microseconds, all digits of them: the columns add up.
fn micros(ns: i64) -> String {
    format!("{:.3}", ns as f64 / 1e3)
}

fn signed(ns: i64) -> String {
    if ns > 0 { format!("+{}", micros(ns)) } else { micros(ns) }
}
