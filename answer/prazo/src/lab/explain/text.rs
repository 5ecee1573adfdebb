//! An explanation as people read it: how two runs differ, then each run's worst activations with their functions.

use super::difference::DifferenceDocument;
use super::document::{ExplainedRun, WorstDocument};
use super::path::path_lines;
use super::profile::{ProfileDocument, Share, summary};
use super::{Activation, Explanation};
use prazo_core::text::{counted, grouped};
use prazo_report::terminal::{InWords, Side, Words};
use prazo_report::view::Cell;
use prazo_stats::microseconds::us;
use prazo_study::function_difference::Times;

/// Functions that a table lists.
const LISTED: usize = 12;

const LEVEL_SIDES: [Side; 4] = [Side::Left, Side::Right, Side::Right, Side::Left];
const SIDES: [Side; 4] = [Side::Left, Side::Right, Side::Right, Side::Right];

impl InWords for Explanation {
    fn write(&self, to: &mut Words<'_>) {
        let against = self.document.against.as_ref();
        if let Some(against) = against {
            to.line(&against.sentence);
            differences(&against.difference, to);
            to.line("");
        }
        self.write_run(&self.document.run, &self.activations, to);
        if let Some(against) = against {
            to.line("");
            self.write_run(&against.run, &self.against, to);
        }
    }
}

impl Explanation {
    fn write_run(&self, run: &ExplainedRun, activations: &[Activation], to: &mut Words<'_>) {
        to.line(format_args!(
            "{} on {}: {} identical with and without the emulator's plugin; an instruction takes {} ns",
            run.run,
            run.platform,
            counted(run.samples_compared, "sample"),
            run.instruction_ns
        ));
        for (worst, activation) in run.worst.iter().zip(activations) {
            to.line("");
            to.line(format_args!("activation {}: {}", worst.activation, worst.sentence));
            to.line("");
            functions(worst, to);
            to.line("");
            levels(worst, run.instruction_ns, to);
            if let Some(least) = self.path_least {
                to.line("");
                to.lines(path_lines(activation, least));
            }
        }
        if let Some(all) = &run.profile {
            to.line("");
            profile(all, to);
        }
    }
}

/// The functions with the most instructions of their own.
fn functions(worst: &WorstDocument, to: &mut Words<'_>) {
    let rows = worst.functions.iter().take(LISTED).map(|function| {
        let counts = [function.self_instructions, function.self_interrupts_off, function.total_instructions];
        let counts = counts.map(|count| Cell::from(grouped(count).to_string()));
        std::iter::once(Cell::from(function.name.clone())).chain(counts).collect()
    });
    to.table(&SIDES, &["function", "own instructions", "interrupts off", "with callees"], rows);
    let rest = worst.functions.len().saturating_sub(LISTED);
    if rest > 0 {
        let (more, all) = (counted(rest as u64, "more function"), counted(worst.instructions, "instruction"));
        to.line(format_args!("and {more}; {all} in all"));
    }
}

/// What was off, and the longest stretch.
fn levels(worst: &WorstDocument, instruction_ns: u64, to: &mut Words<'_>) {
    let rows = worst.levels.iter().map(|level| {
        let times = [level.instructions, level.longest_instructions].map(|count| time(count * instruction_ns));
        let [all, longest] = times;
        vec![Cell::from(level.level.text()), all, longest, Cell::from(level.longest_in.clone())]
    });
    to.table(&LEVEL_SIDES, &["interrupts and preemption", "µs", "longest stretch, µs", "mostly in"], rows);
}

/// Where the time of all activations went.
fn profile(profile: &ProfileDocument, to: &mut Words<'_>) {
    let ProfileDocument { activations, latency, phases, halted, rounding_ns, levels, functions } = profile;
    let mean = |share: &Share| Cell::from(us(share.mean_ns(*activations)));
    to.line(format_args!("{}.", summary(profile)));
    to.line("");
    let row = |name: &str, share: &Share| {
        let largest = [
            time(share.largest_ns.unsigned_abs()),
            Cell::from(share.largest_activation.map_or_else(String::new, |number| number.to_string())),
        ];
        [Cell::from(name), mean(share)].into_iter().chain(largest).collect::<Vec<_>>()
    };
    let phases = phases.iter().map(|phase| row(phase.phase.text(), &phase.time));
    let outside = (halted.total_ns > 0).then(|| row("processor halted", halted));
    let rounding = Share { total_ns: *rounding_ns, ..Share::default() };
    let rounding = [Cell::from("rounding"), mean(&rounding), Cell::from(""), Cell::from("")];
    let all = phases.chain(outside).chain([rounding.to_vec(), row("latency", latency)]);
    to.table(&SIDES, &["phase", "mean, µs", "largest, µs", "in activation"], all);
    to.line("");
    let levels = levels.iter().map(|level| {
        let longest = [time(level.longest_ns), Cell::from(level.longest_activation.to_string())];
        let first =
            [Cell::from(level.level.text()), mean(&level.time), Cell::from(grouped(level.stretches).to_string())];
        first.into_iter().chain(longest).chain([Cell::from(level.longest_in.clone())]).collect::<Vec<_>>()
    });
    let heads =
        ["interrupts and preemption", "mean, µs", "stretches", "longest, µs", "in activation", "longest mostly in"];
    to.table(&[Side::Left, Side::Right, Side::Right, Side::Right, Side::Right, Side::Left], &heads, levels);
    to.line("");
    let rows = functions.iter().take(LISTED).map(|function| {
        let share = 100.0 * function.time.total_ns as f64 / latency.total_ns.max(1) as f64;
        let counts = [Cell::from(format!("{share:.1}")), Cell::from(grouped(function.activations).to_string())];
        let first = [Cell::from(function.name.clone()), mean(&function.time)];
        first.into_iter().chain(counts).chain([time(function.time.largest_ns.unsigned_abs())]).collect::<Vec<_>>()
    });
    let heads = ["function, own time", "mean, µs", "%", "activations", "largest, µs"];
    to.table(&[Side::Left, Side::Right, Side::Right, Side::Right, Side::Right], &heads, rows);
    let rest = &functions[functions.len().min(LISTED)..];
    if !rest.is_empty() {
        let sum: i64 = rest.iter().map(|function| function.time.total_ns).sum();
        let sum = Share { total_ns: sum, ..Share::default() };
        let more = counted(rest.len() as u64, "more function");
        to.line(format_args!("and {more}; {} µs on average together", us(sum.mean_ns(*activations))));
    }
}

fn time(ns: u64) -> Cell {
    us(ns as f64).into()
}

/// The phases and then the functions of two activations: the time in each, and the difference.
fn differences(difference: &DifferenceDocument, to: &mut Words<'_>) {
    let DifferenceDocument { name, against_name, functions, .. } = difference;
    let columns = [format!("{name}, µs"), format!("{against_name}, µs"), "difference, µs".to_owned()];
    let heads = |first| [first, columns[0].as_str(), columns[1].as_str(), columns[2].as_str()];
    to.line("");
    to.table(&SIDES, &heads("phase"), difference.lines().into_iter().map(|(text, times)| row(&text, times)));
    to.line("");
    let listed = functions.iter().take(LISTED).map(|function| row(&function.name, function.times));
    to.table(&SIDES, &heads("function, own time"), listed);
    let rest = &functions[functions.len().min(LISTED)..];
    if !rest.is_empty() {
        let sum: i64 = rest.iter().map(|function| function.times.difference_ns).sum();
        to.line(format_args!(
            "and {}; sum of their differences: {} µs",
            counted(rest.len() as u64, "more function"),
            signed(sum)
        ));
    }
}

/// All digits, so that the columns add up.
fn row(first: &str, times: Times) -> Vec<Cell> {
    let times = [us(times.run_ns as f64), us(times.against_ns as f64), signed(times.difference_ns)];
    std::iter::once(Cell::from(first)).chain(times.map(Cell::from)).collect()
}

fn signed(ns: i64) -> String {
    let plus = if ns > 0 { "+" } else { "" };
    format!("{plus}{}", us(ns as f64))
}
