//! Overheads of LITMUS-RT: what feather-trace-tools' `ft2csv EVENT TRACE` prints.
//!
//! ```text
//! 1000, 1250, 250        a pair: the counter at both stamps, and the cycles between them
//! 0, 0, 3120             a single record: a latency that the kernel itself computed, in nanoseconds
//! ```
//! The rows have no heading: the event and the number of tasks are in the file's name, as the tools' own scripts write it
//! (`KEY=VALUE_KEY=VALUE...`), or the caller gives them. So does the speed of the counter, which no file states. Format and events:
//! `src/ft2csv.c`, `include/timestamp.h` and `doc/howto-trace-and-process-overheads.md` of feather-trace-tools.

use super::caveats;
use super::context::{Context, NS, note, series};
use super::error::{Problem, shown};
use super::input::Input;
use super::tally::Tally;
use super::text::number;
use crate::Run;
use crate::run::{Quantity, StatedFigures};
use prazo_core::time::Duration;
use std::collections::BTreeMap;

/// The fact that names the event.
pub const EVENT_FACT: &str = "import.event";
/// The fact that says how many tasks ran.
pub const TASKS_FACT: &str = "import.tasks";
/// The fact that names system, scheduler and host.
pub const SYSTEM_FACT: &str = "import.system";
/// The choice of the next job.
pub const BEFORE_SWITCH: &str = "SCHED";
/// What is left to do for that choice behind the switch.
pub const AFTER_SWITCH: &str = "SCHED2";

/// One second, in nanoseconds.
const SECOND_NS: u128 = 1_000_000_000;
/// Stamps have 48 bits.
const STAMP_BITS: u32 = 48;

/// The events that are an overhead of the analysis: name, quantity, and whether the kernel stores nanoseconds.
const EVENTS: [(&str, Quantity, bool); 7] = [
    ("RELEASE", Quantity::ReleaseOverhead, false),
    (BEFORE_SWITCH, Quantity::SchedulingOverhead, false),
    (AFTER_SWITCH, Quantity::SchedulingOverhead, false),
    ("CXS", Quantity::ContextSwitchOverhead, false),
    ("TICK", Quantity::TickOverhead, false),
    ("SEND-RESCHED", Quantity::IpiLatency, false),
    ("RELEASE-LATENCY", Quantity::EventLatency, true),
];

/// True for a row of three whole numbers.
pub(super) fn shows_in(line: &str) -> bool {
    row(line).is_some()
}

fn row(line: &str) -> Option<[u64; 3]> {
    let mut fields = line.splitn(4, ", ");
    let mut next = || fields.next()?.parse().ok();
    let row = [next()?, next()?, next()?];
    fields.next().is_none().then_some(row)
}

/// Reads the file.
pub(super) fn read(input: &mut Input, context: &Context) -> Result<Run, Problem> {
    let stem = context.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let keys = Keys::of(&stem);
    let (event, quantity, hz) = event(context, &keys)?;
    let mut tally = Tally::new(NS);
    while let Some(line) = input.next_line()? {
        if !line.is_empty() {
            let cycles = cycles(line)?;
            tally.add(in_ns(cycles, hz), 1)?;
        }
    }
    let mut run = context.run();
    let resolution = Duration::from_ns(u64::try_from(SECOND_NS.div_ceil(hz.into())).unwrap_or(1));
    let mut series = series(quantity, resolution, tally, StatedFigures::default());
    series.stated = None;
    series.cpu = keys.get("cpu").or_else(|| keys.get("msg")).and_then(|cpu| cpu.parse().ok());
    run.series.push(series);
    keys.record(&mut run, context)?;
    note(&mut run, EVENT_FACT, event, if context.options.event.is_some() { "--event" } else { "the file's name" });
    run.caveats.push(caveats::feather_trace_discards());
    Ok(run)
}

/// Name and quantity of the event, and how often its counter increments in a second.
fn event(context: &Context, keys: &Keys) -> Result<(&'static str, Quantity, u64), Problem> {
    let stated = context.options.event.as_deref().or_else(|| keys.get("overhead"));
    let stated = stated.ok_or(Problem::Unstated { what: "its event, such as RELEASE", flag: "--event NAME" })?;
    let name = stated.replace('_', "-").to_ascii_uppercase();
    let name = name.strip_suffix("-START").unwrap_or(&name);
    let known = EVENTS.iter().find(|(known, ..)| *known == name).ok_or_else(|| Problem::NoOverhead {
        event: shown(stated),
        known: EVENTS.map(|(known, ..)| known).join(", "),
    })?;
    let (name, quantity, is_ns) = *known;
    let hz = if is_ns { Some(SECOND_NS as u64) } else { context.options.hz.filter(|hz| *hz > 0) };
    let hz = hz.ok_or(Problem::Unstated { what: "the rate of its counter", flag: "--hz NUMBER" })?;
    Ok((name, quantity, hz))
}

/// The cycles of a row, which must be those between its stamps.
fn cycles(line: &str) -> Result<u64, Problem> {
    let [first, second, cycles] = row(line).ok_or_else(|| Problem::malformed(line, "two stamps and a duration"))?;
    if [first, second, cycles].iter().any(|value| *value >> STAMP_BITS != 0) {
        return Err(Problem::malformed(line, "values of at most 48 bits"));
    }
    let is_single = (first, second) == (0, 0);
    if is_single || second.checked_sub(first) == Some(cycles) {
        return Ok(cycles);
    }
    Err(Problem::Contradiction(format!("the duration {cycles} is not the time from stamp {first} to stamp {second}")))
}

/// Cycles as nanoseconds, rounded up: no overhead becomes smaller.
fn in_ns(cycles: u64, hz: u64) -> i64 {
    let ns = (u128::from(cycles) * SECOND_NS).div_ceil(u128::from(hz));
    i64::try_from(ns).unwrap_or(i64::MAX)
}

/// What a name such as `overheads_host=a_scheduler=GSN-EDF_trace=x_n=40_cpu=0_overhead=CXS` says.
struct Keys(BTreeMap<String, String>);

impl Keys {
    fn of(stem: &str) -> Self {
        let (mut keys, mut last) = (BTreeMap::<String, String>::new(), String::new());
        for part in stem.split('_') {
            match part.split_once('=') {
                Some((key, value)) => {
                    key.clone_into(&mut last);
                    keys.insert(last.clone(), value.to_owned());
                }
                // An underscore in a value, as in SEND_RESCHED.
                None => {
                    if let Some(value) = keys.get_mut(&last) {
                        *value = format!("{value}_{part}");
                    }
                }
            }
        }
        Self(keys)
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    fn record(&self, run: &mut Run, context: &Context) -> Result<(), Problem> {
        let of_name = || self.get("n").map(|tasks| number(tasks, "a number of tasks in the file's name")).transpose();
        let tasks: Option<u32> = context.options.tasks.map_or_else(of_name, |tasks| Ok(Some(tasks)))?;
        if let Some(tasks) = tasks.filter(|tasks| *tasks > 0) {
            let source = if context.options.tasks.is_some() { "--tasks" } else { "the file's name" };
            note(run, TASKS_FACT, tasks.to_string(), source);
        }
        let parts = ["scheduler", "host"].iter().filter_map(|key| self.get(key)).map(shown);
        let system: Vec<String> = std::iter::once("LITMUS-RT".to_owned()).chain(parts).collect();
        note(run, SYSTEM_FACT, system.join(", "), "the file's name");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_three_whole_numbers() {
        assert_eq!(row("1000, 1250, 250"), Some([1000, 1250, 250]));
        for other in ["1000,1250,250", "1, 2", "1, 2, 3, 4", "1, 2, x", "-1, 2, 3", ""] {
            assert_eq!(row(other), None, "{other:?}");
        }
    }

    #[test]
    fn a_name_s_values_may_have_underscores() {
        let keys = Keys::of("overheads_host=a_trace=my_run_n=4_overhead=SEND_RESCHED");
        assert_eq!(
            (keys.get("trace"), keys.get("n"), keys.get("overhead")),
            (Some("my_run"), Some("4"), Some("SEND_RESCHED"))
        );
        assert_eq!(keys.get("cpu"), None);
    }

    #[test]
    fn cycles_become_nanoseconds_and_never_fewer() {
        assert_eq!((in_ns(2_400, 2_400_000_000), in_ns(1, 2_400_000_000), in_ns(7, 1)), (1_000, 1, 7_000_000_000));
    }
}
