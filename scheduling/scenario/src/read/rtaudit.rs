//! A task set of rt-audit's `simple_taskset.py`: YAML or CSV with run times of SCHED_DEADLINE threads in microseconds.
//!
//! ```text
//! cpus: 4                                  task_name,runtime_us,period_us,deadline_us
//! system_overhead: 0.02                    audio,1000,10000,10000
//! tasks:
//!   - name: audio
//!     runtime: 1000
//!     period: 10000
//! ```
//!
//! rt-audit turns the run time into a reservation that is larger by the system's overhead, and analyses and runs that reservation.
//! So the cost is the reservation, as in the rt-app workload that it writes.

use super::task_keys::{self, TaskDraft};
use super::yaml::{self, Placed, Value, at};
use super::{csv, stem, whole};
use crate::error::{Problem, ReadError};
use crate::set::{JobRanking, NamedTask, Scenario};
use crate::unit::{Scale, Unit};
use ::csv::{ReaderBuilder, Trim};
use prazo_core::task::Ticks;

const UNIT: Option<Unit> = Some(Unit::Nanosecond);
const MICROSECONDS: Scale = Scale::Ns(1_000);
/// What rt-audit takes if the file states none.
const PROCESSORS: u32 = 4;
const OVERHEAD: f64 = 0.02;
const KEYS: [&str; 7] = ["cpus", "duration", "lock_pages", "ftrace", "system_overhead", "event_type", "tasks"];
const TASK: [&str; 4] = ["name", "runtime", "period", "deadline"];
const COLUMNS: [&str; 4] = ["task_name", "runtime_us", "period_us", "deadline_us"];

/// Reads the YAML in `text`; `file` is named in errors.
pub fn read(file: &str, text: &str) -> Result<Scenario, ReadError> {
    let scenario = yaml::read(file, text, |root| set(file, root))?;
    whole::checked(scenario).map_err(|problem| problem.at(file, None))
}

/// True if `header` is the first row of rt-audit's CSV.
pub(super) fn is_header(header: &str) -> bool {
    header.contains("task_name") && header.contains("runtime_us")
}

/// Reads the CSV in `text`; `file` is named in errors.
pub fn read_csv(file: &str, text: &str) -> Result<Scenario, ReadError> {
    let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|cause| csv::broken(file, text, &cause))?.clone();
    let head = csv::line(text, header.position());
    if let Some((at, cell)) = header
        .iter()
        .enumerate()
        .find(|(at, cell)| !COLUMNS.contains(cell) || header.iter().take(*at).any(|earlier| earlier == *cell))
    {
        let problem = format!("column {} is '{cell}', which is unknown or occurs twice", at + 1);
        return Err(Problem::new(problem, format!("known: {}", COLUMNS.join(", "))).at(file, head));
    }
    let mut tasks = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|cause| csv::broken(file, text, &cause))?;
        let cell = |key: &str| header.iter().zip(&row).find(|(name, cell)| *name == key && !cell.is_empty());
        let name = cell("task_name").map_or("", |(_, cell)| cell);
        let named = || -> Result<NamedTask, Problem> {
            let time = |key: &str| {
                cell(key).map(|(_, text)| task_keys::time(text, MICROSECONDS, UNIT).map_err(|problem| problem.of(key)))
            };
            let missing = |key: &str| Problem::new("the cell is empty", "write a time in µs").of(key);
            let runtime = time("runtime_us").ok_or_else(|| missing("runtime_us"))??;
            let period = time("period_us").ok_or_else(|| missing("period_us"))??;
            task(name, "runtime_us", runtime, period, time("deadline_us").transpose()?, OVERHEAD)
        };
        tasks.push(named().map_err(|problem| problem.in_task(name).at(file, csv::line(text, row.position())))?);
    }
    let stated = Stated { processors: None, overhead: None, unused: Vec::new() };
    whole::checked(stated.scenario(file, tasks)).map_err(|problem| problem.at(file, None))
}

/// What the file says of the whole set.
#[derive(Debug)]
struct Stated {
    processors: Option<u32>,
    overhead: Option<f64>,
    unused: Vec<String>,
}

impl Stated {
    fn scenario(self, file: &str, tasks: Vec<NamedTask>) -> Scenario {
        let overhead = self.overhead.unwrap_or(OVERHEAD);
        let mut remarks = vec![format!(
            "each cost is the reservation that rt-audit makes: the run time divided by 1 - {overhead}, but at least 10 µs more than the run time"
        )];
        if overhead == 0.0 {
            remarks = vec!["each cost is the run time, as system_overhead is 0".to_owned()];
        }
        if self.processors.is_none() {
            remarks.push(format!("the file states no cpus; rt-audit assumes {PROCESSORS}"));
        }
        if self.overhead.is_none() {
            remarks.push(format!("the file states no system_overhead; rt-audit assumes {OVERHEAD}"));
        }
        if !self.unused.is_empty() {
            remarks.push(format!("the analysis does not use: {}", self.unused.join(", ")));
        }
        Scenario {
            name: stem(file),
            remarks,
            unit: UNIT,
            tasks,
            processors: Some(self.processors.unwrap_or(PROCESSORS)),
            policy: Some(JobRanking::Edf),
            ..Scenario::default()
        }
    }
}

fn set(file: &str, root: &Value) -> Placed<Scenario> {
    let mut stated = Stated { processors: None, overhead: None, unused: Vec::new() };
    let mut list = None;
    for entry in root.entries(&KEYS)? {
        let of_key = |problem: Problem| (problem.of(&entry.key), entry.value.line);
        match entry.key.as_str() {
            "tasks" => list = Some(entry.value.list()?),
            "cpus" => {
                let wrong = Problem::new("the number of processors is out of range", "give 1 to 1024");
                let number = entry.value.whole().map_err(of_key)?;
                stated.processors = Some(u32::try_from(number).map_err(|_| of_key(wrong))?);
            }
            "system_overhead" => stated.overhead = Some(share(&entry.value).map_err(of_key)?),
            other => stated.unused.push(other.to_owned()),
        }
    }
    let Some(list) = list else {
        return Err((Problem::new("the key is missing", "add the list of tasks").of("tasks"), root.line));
    };
    let overhead = stated.overhead.unwrap_or(OVERHEAD);
    let tasks = list.iter().enumerate().map(|(index, value)| one(index, value, overhead)).collect::<Placed<_>>()?;
    Ok(stated.scenario(file, tasks))
}

/// A number from 0 to below 1.
fn share(value: &Value) -> Result<f64, Problem> {
    let text = value.number()?;
    let share = text.parse().ok().filter(|share| (0.0..1.0).contains(share));
    share
        .ok_or_else(|| Problem::new(format!("'{text}' is not a share from 0 to below 1"), "write a number, as in 0.02"))
}

/// The `index`-th task, which rt-audit calls so if it has no name.
fn one(index: usize, value: &Value, overhead: f64) -> Placed<NamedTask> {
    let entries = value.entries(&TASK)?;
    let find = |key: &str| entries.iter().find(|entry| entry.key == key);
    let name = match find("name") {
        Some(entry) => at(entry.value.line, entry.value.text().map_err(|problem| problem.of("name")))?.to_owned(),
        None => format!("task_{index}"),
    };
    let in_task = |(problem, line): (Problem, u32)| (problem.in_task(&name), line);
    let time = |key: &str| {
        let taken = find(key)
            .map(|entry| at(entry.value.line, entry.value.time(MICROSECONDS, UNIT).map_err(|problem| problem.of(key))));
        taken.transpose().map_err(in_task)
    };
    let missing = |key: &str| in_task((Problem::new("the key is missing", "add a time in µs").of(key), value.line));
    let runtime = time("runtime")?.ok_or_else(|| missing("runtime"))?;
    let period = time("period")?.ok_or_else(|| missing("period"))?;
    at(value.line, task(&name, "runtime", runtime, period, time("deadline")?, overhead)).map_err(in_task)
}

fn task(
    name: &str,
    field: &str,
    runtime: Ticks,
    period: Ticks,
    deadline: Option<Ticks>,
    overhead: f64,
) -> Result<NamedTask, Problem> {
    let cost = reserved(runtime, overhead).ok_or_else(|| {
        Problem::new(
            "the time is not a whole number of µs, or the reservation for this time exceeds 2^48 ns",
            "write whole µs; if they are whole, write a shorter time",
        )
        .of(field)
    })?;
    // A job of a deadline thread may come later than a period after the last one.
    TaskDraft { cost: Some(cost), min_inter_arrival: Some(period), deadline, ..TaskDraft::default() }.finish(name)
}

/// The reservation for `runtime`, in nanoseconds as that is; `None` if a task cannot have it.
///
/// It is computed in floating point because rt-audit does: the reservation must be the one that it writes, to the microsecond.
fn reserved(runtime: Ticks, overhead: f64) -> Option<Ticks> {
    if !runtime.is_multiple_of(1_000) {
        return None;
    }
    let us = runtime / 1_000;
    let us = if overhead > 0.0 { ((us as f64 / (1.0 - overhead)) as u64).max(us + 10) } else { us };
    us.checked_mul(1_000).filter(|ns| *ns <= prazo_core::task::TICKS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::rtapp;
    use crate::set::Arrival;
    use prazo_core::task::Task;

    const SET: &str = "cpus: 2\nduration: 30\nsystem_overhead: 0.05\nevent_type: \"runtime\"\ntasks:\n\
                       - name: \"audio\"\n  runtime: 1000\n  period: 10000\n  deadline: 8000\n- runtime: 50\n  period: 5000\n";

    fn message(text: &str) -> String {
        read("t.yaml", text).unwrap_err().to_string()
    }

    #[test]
    fn a_cost_is_the_reservation_for_the_run_time() {
        let scenario = read("t.yaml", SET).unwrap();
        // 1000 / 0.95 = 1052.6; 50 / 0.95 = 52.6, and at least 10 more.
        assert_eq!(scenario.tasks(), [Task::new(1_052_000, 10_000_000, 8_000_000), Task::implicit(60_000, 5_000_000)]);
        assert_eq!((scenario.processors, scenario.policy), (Some(2), Some(JobRanking::Edf)));
        assert_eq!((scenario.tasks[1].name.as_str(), scenario.tasks[0].arrival), ("task_1", Arrival::Sporadic));
        assert_eq!(scenario.remarks.len(), 2);
        let exact = read("t.yaml", &SET.replace("0.05", "0")).unwrap();
        assert_eq!(exact.tasks[0].task.cost, 1_000_000);
    }

    #[test]
    fn the_csv_has_what_rt_audit_takes_by_default() {
        let text = "task_name,runtime_us,period_us,deadline_us\naudio,980,10000,8000\nlog,500,5000,\n";
        let scenario = read_csv("t.csv", text).unwrap();
        // 980 / 0.98 is 1000 in floating point too.
        assert_eq!(scenario.tasks(), [Task::new(1_000_000, 10_000_000, 8_000_000), Task::implicit(510_000, 5_000_000)]);
        assert_eq!((scenario.processors, scenario.remarks.len()), (Some(4), 3));
        let message = |text: &str| read_csv("t.csv", text).unwrap_err().to_string();
        assert!(message(&text.replace("deadline_us", "deadlin_us")).starts_with("t.csv:1: column 4 is 'deadlin_us'"));
        for wrong in ["nan", "-5", "0", "", "1.5", "1e99", "281474976710656"] {
            let text = message(&text.replace("980", wrong));
            assert!(text.starts_with("t.csv:2: runtime_us of task 'audio': "), "{text}");
        }
        assert!(message("task_name,runtime_us,period_us\na,1\n").starts_with("t.csv:2: number of cells"));
    }

    #[test]
    fn the_workload_that_rt_audit_writes_is_the_same_set() {
        let thread = |name: &str, run: u64, reserved: u64, period: u64, deadline: u64| {
            format!(
                "\"{name}\": {{\"policy\": \"SCHED_DEADLINE\", \"dl-runtime\": {reserved}, \"dl-period\": {period}, \
                 \"dl-deadline\": {deadline}, \"cpus\": [0, 1], \"phases\": {{\"phase_0\": {{\"loop\": -1, \"runtime\": {run}, \
                 \"timer\": {{\"ref\": \"unique\", \"period\": {period}, \"mode\": \"absolute\"}}}}}}}}"
            )
        };
        let audio = thread("audio", 1000, 1052, 10_000, 8_000);
        let other = thread("task_1", 50, 60, 5_000, 5_000);
        let workload = rtapp::read("t.json", &format!("{{\"tasks\": {{{audio}, {other}}}}}")).unwrap();
        let ours = read("t.yaml", SET).unwrap();
        let without_affinity = |mut named: NamedTask| {
            named.affinity = None;
            named
        };
        let theirs: Vec<NamedTask> = workload.tasks.into_iter().map(without_affinity).collect();
        assert_eq!((theirs, workload.policy), (ours.tasks, ours.policy));
    }

    #[test]
    fn what_is_not_understood_is_refused_with_its_line() {
        let with = |from: &str, to: &str| {
            assert!(SET.contains(from));
            message(&SET.replace(from, to))
        };
        assert_eq!(with("runtime: 1000", "runtme: 1000"), "t.yaml:7: runtme: unknown key; did you mean 'runtime'?");
        assert!(with("cpus: 2", "cpus: -2").starts_with("t.yaml:1: cpus: the number of processors is out of range"));
        assert!(with("cpus: 2", "cpus: 0").contains("0 processors are out of range"));
        for wrong in ["1", "nan", "-0.1", "x"] {
            assert!(with("0.05", wrong).starts_with("t.yaml:3: system_overhead: "), "{wrong}");
        }
        assert!(with("  period: 10000\n", "").contains("period of task 'audio': the key is missing"));
        assert!(with("runtime: 1000", "runtime: 1000.5").contains("not a whole number of µs"));
        assert!(message("cpus: 2\n").contains("tasks: the key is missing"));
        assert!(message("cpus: 2\ntasks: []\n").contains("there is no task"));
    }
}
