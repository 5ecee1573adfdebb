//! A job set of SAG, the schedule-abstraction-graph tool (`nptest`), as CSV or YAML: the jobs of one hyperperiod.
//!
//! ```text
//! Task ID, Job ID, Arrival min, Arrival max, Cost min, Cost max, Deadline, Priority
//! 1, 1,  0,  0, 1, 2, 10, 10
//! 1, 2, 10, 10, 1, 2, 20, 20
//! ```
//!
//! Jobs are no task set, but the jobs of periodic tasks show theirs. A task is read if its arrivals are one period apart, its jobs are
//! alike (jitter, worst-case cost, relative deadline), and all tasks have exactly the jobs that arrive before one common horizon. A task with one job
//! has the period of the hyperperiod, if the jobs of all others show one. Everything else is refused with what was found. Jobs are
//! not preempted, and ties are broken by the number of the task, both as in SAG.

use super::rank;
use super::task_keys::TaskDraft;
use super::yaml::{self, Entry, Placed, Value};
use super::{csv, stem, whole};
use crate::behaviour::Preemption;
use crate::error::{Problem, ReadError};
use crate::set::{JobRanking, NamedTask, Priorities, Scenario};
use crate::unit::{self, Scale};
use ::csv::{ReaderBuilder, StringRecord, Trim};
use prazo_core::task::Ticks;
use std::collections::{BTreeMap, HashMap};

/// The key that shows the format in YAML.
pub(super) const JOBS: &str = "jobset";
const COLUMNS: [&str; 8] =
    ["Task ID", "Job ID", "Arrival min", "Arrival max", "Cost min", "Cost max", "Deadline", "Priority"];
const KEYS: [&str; 10] = [
    "Task ID",
    "Job ID",
    "Arrival min",
    "Arrival max",
    "Cost min",
    "Cost max",
    "Deadline",
    "Priority",
    "Type",
    "Successors",
];

/// One job with its line in the file.
#[derive(Clone, Copy, Debug)]
struct Job {
    line: u32,
    task: u64,
    id: u64,
    arrival: Ticks,
    latest: Ticks,
    least: Ticks,
    cost: Ticks,
    deadline: Ticks,
    priority: i64,
}

/// What a row says, in the order of the columns.
fn job(line: u32, [task, id, arrival, latest, least, cost, deadline, priority]: [&str; 8]) -> Result<Job, Problem> {
    let number = |text: &str, column: &str| {
        let wrong = || {
            Problem::new(
                format!("'{text}' is not a whole number from 0 to 18446744073709551615"),
                "write a whole number, as in 1",
            )
            .of(column)
        };
        text.parse().map_err(|_| wrong())
    };
    let time = |text: &str, column: &str| unit::ticks(text, Scale::Tick, None).map_err(|problem| problem.of(column));
    let wrong =
        || Problem::new(format!("'{priority}' is not a whole number"), "write a whole number, as in 1").of("Priority");
    let job = Job {
        line,
        task: number(task, "Task ID")?,
        id: number(id, "Job ID")?,
        arrival: time(arrival, "Arrival min")?,
        latest: time(latest, "Arrival max")?,
        least: time(least, "Cost min")?,
        cost: time(cost, "Cost max")?,
        deadline: time(deadline, "Deadline")?,
        priority: priority.parse().map_err(|_| wrong())?,
    };
    let contradiction = match job {
        _ if job.latest < job.arrival => Some(("Arrival max", "the value is below Arrival min")),
        _ if job.cost < job.least => Some(("Cost max", "the value is below Cost min")),
        _ if job.cost == 0 => Some(("Cost max", "the time is zero")),
        _ if job.deadline <= job.arrival => Some(("Deadline", "an absolute deadline must be after Arrival min")),
        _ => None,
    };
    match contradiction {
        None => Ok(job),
        Some((column, problem)) => Err(Problem::new(problem, "correct the job").of(column)),
    }
}

/// What the first row of a CSV file of SAG shows it to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Header {
    Jobs,
    /// A file that belongs to a job set; the text says which.
    Other(&'static str),
}

/// What `header`, the first row of a CSV file, shows; `None` for files that are not SAG's.
pub(super) fn header(header: &str) -> Option<Header> {
    let plain = |cell: &str| cell.trim_matches(|c: char| c.is_whitespace() || c == '"').to_ascii_lowercase();
    let cells: Vec<String> = header.split(',').map(plain).collect();
    let cell = |at: usize| cells.get(at).map_or("", String::as_str);
    let is_job = matches!(cell(0), "task id" | "tid") && matches!(cell(1), "job id" | "jid");
    match (cell(0), cell(2)) {
        _ if is_job && (cell(2).starts_with("tmin") || cell(2).contains("trigger")) => {
            Some(Header::Other("a file of abort actions"))
        }
        _ if is_job => Some(Header::Jobs),
        (first, _) if first.starts_with("predecessor") => Some(Header::Other("a file of precedence constraints")),
        ("job a tid" | "first job task id", _) => Some(Header::Other("a file of mutual exclusions")),
        ("n_cores" | "number of cores", _) => Some(Header::Other("a description of a platform")),
        _ => None,
    }
}

/// Reads the CSV in `text`; `file` is named in errors.
pub fn read_csv(file: &str, text: &str) -> Result<Scenario, ReadError> {
    if let Some(Header::Other(what)) = text.lines().next().and_then(header) {
        let problem = format!("this is {what} of SAG, not a job set");
        return Err(Problem::new(problem, "give the file of jobs").at(file, Some(1)));
    }
    let mut reader = ReaderBuilder::new().trim(Trim::All).flexible(true).from_reader(text.as_bytes());
    reader.headers().map_err(|cause| csv::broken(file, text, &cause))?;
    let mut jobs = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|cause| csv::broken(file, text, &cause))?;
        let line = csv::line(text, row.position());
        jobs.push(job_of_row(line.unwrap_or(0), &row).map_err(|problem| problem.at(file, line))?);
    }
    scenario(file, jobs).map_err(|(problem, line)| problem.at(file, line))
}

fn job_of_row(line: u32, row: &StringRecord) -> Result<Job, Problem> {
    if let Some(cell) = row.iter().find(|cell| cell.starts_with('{')) {
        let problem = format!("the job may run on several processors at once: {cell}");
        return Err(Problem::new(problem, "a task of prazo runs on one processor at a time"));
    }
    let mut cells = row.iter().collect::<Vec<&str>>();
    while cells.len() > COLUMNS.len() && cells.last().is_some_and(|cell| cell.is_empty() || *cell == "0") {
        cells.pop(); // no cell, or the type of a usual job
    }
    match (<[&str; 8]>::try_from(cells.as_slice()), cells.get(COLUMNS.len())) {
        (Ok(cells), _) => job(line, cells),
        (Err(_), Some(kind)) if cells.len() == COLUMNS.len() + 1 => Err(conditional(kind)),
        (Err(_), _) => {
            let problem = format!("the row has {} cells", cells.len());
            Err(Problem::new(problem, format!("write {}", COLUMNS.join(", "))))
        }
    }
}

fn conditional(kind: &str) -> Problem {
    let problem = format!("the job has type {kind}; only jobs without conditions (type 0) are read");
    Problem::new(problem, "a task set cannot express conditional jobs")
}

/// Reads the YAML in `text`; `file` is named in errors.
pub fn read(file: &str, text: &str) -> Result<Scenario, ReadError> {
    let jobs = yaml::read(file, text, jobs)?;
    scenario(file, jobs).map_err(|(problem, line)| problem.at(file, line))
}

fn jobs(root: &Value) -> Placed<Vec<Job>> {
    let entries = root.entries(&[JOBS])?;
    let Some(set) = entries.first() else {
        return Err((Problem::new("the key is missing", "add the list of jobs").of(JOBS), root.line));
    };
    let mut jobs = Vec::new();
    let mut successors = Vec::new();
    for value in set.value.list()? {
        let entries = value.entries(&KEYS)?;
        let mut cells = [""; 8];
        for (cell, key) in cells.iter_mut().zip(COLUMNS) {
            let Some(entry) = entries.iter().find(|entry| entry.key == key) else {
                return Err((Problem::new("the key is missing", "add it").of(key), value.line));
            };
            *cell = yaml::at(entry.value.line, entry.value.number().map_err(|problem| problem.of(key)))?;
        }
        let job = yaml::at(value.line, job(value.line, cells))?;
        for Entry { key, line, value } in entries {
            match key.as_str() {
                "Type" if yaml::at(*line, value.whole().map_err(|problem| problem.of(key)))? != 0 => {
                    return Err((conditional(value.number().unwrap_or_default()), *line));
                }
                "Successors" => {
                    for successor in value.list()? {
                        successors.push((job, successor.line, named(successor)?));
                    }
                }
                _ => {}
            }
        }
        jobs.push(job);
    }
    implied(&jobs, &successors)?;
    Ok(jobs)
}

/// The numbers of task and job in `[1, 2]`, or under the keys for them.
fn named(value: &Value) -> Placed<(u64, u64)> {
    let wrong =
        || (Problem::new("expected the numbers of a task and a job", "write [1, 2]").of("Successors"), value.line);
    let number = |value: &Value| value.number().ok().and_then(|text| text.parse().ok()).ok_or_else(wrong);
    let pair = match value.list() {
        Ok([task, job]) => (task, job),
        Ok(_) => return Err(wrong()),
        Err(_) => {
            let entries = value.entries(&["Task ID", "Job ID"])?;
            let find = |key: &str| entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value);
            find("Task ID").zip(find("Job ID")).ok_or_else(wrong)?
        }
    };
    Ok((number(pair.0)?, number(pair.1)?))
}

/// Refuses a successor unless it is a later job of the same task, which waits for the earlier one anyway.
fn implied(jobs: &[Job], successors: &[(Job, u32, (u64, u64))]) -> Placed<()> {
    let arrivals: HashMap<(u64, u64), Ticks> = jobs.iter().map(|job| ((job.task, job.id), job.arrival)).collect();
    for (before, line, after) in successors {
        let later = arrivals.get(after).is_some_and(|arrival| after.0 == before.task && *arrival > before.arrival);
        if !later {
            let problem = format!(
                "job {} of task {} precedes job {} of task {}; only a later job of the same task in this file can be a successor",
                before.id, before.task, after.1, after.0
            );
            let remedy = "remove the precedence, or write a TOML set with a [[chain]]";
            return Err((Problem::new(problem, remedy).of("Successors"), *line));
        }
    }
    Ok(())
}

type Derived<T> = Result<T, (Problem, Option<u32>)>;

/// The periodic tasks of which `jobs` are the jobs.
fn scenario(file: &str, jobs: Vec<Job>) -> Derived<Scenario> {
    let count = jobs.len();
    let tasks = by_task(jobs)?;
    let hyperperiod = hyperperiod(&tasks)?;
    let (policy, ranks) = policy(&tasks)?;
    let mut named = Vec::new();
    for (index, jobs) in tasks.values().enumerate() {
        let first = jobs[0];
        let name = first.task.to_string();
        let period = match jobs.get(1) {
            Some(second) => second.arrival - first.arrival,
            None => hyperperiod.ok_or_else(|| no_period(first))?,
        };
        let task = task(jobs, period).map_err(|problem| (problem.in_task(&name), Some(first.line)))?;
        named.push(NamedTask { priority: ranks.as_ref().map(|ranks| ranks[index]), ..task });
    }
    let mut remarks = vec![
        format!(
            "the {} tasks are derived from {count} jobs; the analysis also covers all later jobs of these tasks, so a deadline miss may occur in a later job",
            named.len()
        ),
        "jobs are not preempted; the file states no processors, and SAG assumes one".to_owned(),
    ];
    let differ = |jobs: &Vec<Job>| jobs.iter().any(|job| job.least != jobs[0].least);
    if tasks.values().any(differ) {
        remarks.push(
            "the jobs of a task differ in Cost min; the analysis uses the smallest value for all of them".to_owned(),
        );
    }
    if ranks.is_some_and(|ranks| rank::any_equal(&ranks)) {
        remarks.push("tasks of equal priority are ranked by their number, as SAG does".to_owned());
    }
    let scenario = Scenario {
        name: stem(file),
        remarks,
        tasks: named,
        processors: Some(1),
        policy: Some(policy),
        synchronized: true,
        ..Scenario::default()
    };
    whole::checked(scenario).map_err(|problem| (problem, None))
}

/// The jobs of each task in the order of their arrivals.
fn by_task(jobs: Vec<Job>) -> Derived<BTreeMap<u64, Vec<Job>>> {
    let mut ids = HashMap::new();
    let mut tasks: BTreeMap<u64, Vec<Job>> = BTreeMap::new();
    for job in jobs {
        if let Some(line) = ids.insert((job.task, job.id), job.line) {
            let problem = format!("job {} of task {} is also on line {line}", job.id, job.task);
            return Err((Problem::new(problem, "give every job of a task its own number"), Some(job.line)));
        }
        tasks.entry(job.task).or_default().push(job);
    }
    tasks.values_mut().for_each(|jobs| jobs.sort_by_key(|job| job.arrival));
    Ok(tasks)
}

/// The length of the interval that the tasks' jobs fill, if all with several jobs fill the same.
///
/// The jobs of all tasks end before one common horizon; else one task has arrivals where another's are missing.
fn hyperperiod(tasks: &BTreeMap<u64, Vec<Job>>) -> Derived<Option<Ticks>> {
    // Jobs of one task that arrive together are refused with the task.
    let several = || {
        let periods =
            tasks.values().filter_map(|jobs| Some((*jobs.last()?, jobs.get(1)?.arrival - jobs[0].arrival, jobs.len())));
        periods.filter(|(_, period, _)| *period > 0)
    };
    let Some(last) = tasks.values().filter_map(|jobs| jobs.last()).max_by_key(|job| job.arrival) else {
        return Ok(None);
    };
    let next = several().map(|(job, period, _)| (job, job.arrival.saturating_add(period)));
    if let Some((job, next)) = next.min_by_key(|(_, next)| *next).filter(|(_, next)| *next <= last.arrival) {
        let problem = format!(
            "the file lacks the next job of task {}: it would arrive at {next}, no later than job {} of task {} at {}",
            job.task, last.id, last.task, last.arrival
        );
        return Err((Problem::new(problem, "give the jobs of a whole hyperperiod"), Some(job.line)));
    }
    let mut lengths = several().map(|(_, period, count)| period.checked_mul(count as u64));
    let first = lengths.next().flatten();
    Ok(first.filter(|length| lengths.all(|other| other == Some(*length)) && last.arrival < *length))
}

fn no_period(job: Job) -> (Problem, Option<u32>) {
    let problem = format!("task {} has one job, and no hyperperiod follows from the jobs of the other tasks", job.task);
    let remedy = "give the jobs of a whole hyperperiod, or write the task set as TOML";
    (Problem::new(problem, remedy), Some(job.line))
}

/// The task whose jobs these are, or how they differ.
fn task(jobs: &[Job], period: Ticks) -> Result<NamedTask, Problem> {
    let first = jobs[0];
    let of = |job: &Job| [job.latest - job.arrival, job.cost, job.deadline - job.arrival];
    for pair in jobs.windows(2) {
        let distance = pair[1].arrival - pair[0].arrival;
        if distance == 0 {
            let problem =
                format!("jobs {} and {} arrive together, but jobs of a periodic task never do", pair[0].id, pair[1].id);
            return Err(Problem::new(problem, "give each of them a task of its own"));
        }
        if distance != period {
            let problem = format!(
                "the arrivals are not periodic: job {} arrives {distance} after job {}, but the second job arrives {period} after the first",
                pair[1].id, pair[0].id
            );
            return Err(Problem::new(problem, "a job set is read only if each task is periodic"));
        }
        let differs =
            ["release jitter", "worst-case cost", "relative deadline"].into_iter().zip(of(&first)).zip(of(&pair[1]));
        if let Some(((what, one), other)) = differs.into_iter().find(|((_, one), other)| one != other) {
            let problem = format!(
                "the jobs differ: the {what} is {one} for job {}, but {other} for job {}",
                first.id, pair[1].id
            );
            return Err(Problem::new(problem, "give all jobs of a task the same values, for example the largest cost"));
        }
    }
    let [jitter, cost, deadline] = of(&first);
    let draft = TaskDraft {
        cost: Some(cost),
        period: Some(period),
        deadline: Some(deadline),
        jitter: Some(jitter),
        offset: Some(first.arrival),
        best_case: jobs.iter().map(|job| job.least).min(),
        preemption: Some(Preemption::Never),
        ..TaskDraft::default()
    };
    draft.finish(&first.task.to_string())
}

/// EDF if every priority is the deadline, else fixed priorities, of which SAG's lowest number is the most urgent.
fn policy(tasks: &BTreeMap<u64, Vec<Job>>) -> Derived<(JobRanking, Option<Vec<u32>>)> {
    if tasks.values().flatten().all(|job| u64::try_from(job.priority) == Ok(job.deadline)) {
        return Ok((JobRanking::Edf, None));
    }
    let mut urgencies = Vec::new();
    for jobs in tasks.values() {
        let first = jobs[0];
        if let Some(other) = jobs.iter().find(|job| job.priority != first.priority) {
            let problem = format!(
                "the priority is {} for job {} and {} for job {}: these are neither the deadlines nor one priority for each task",
                first.priority, first.id, other.priority, other.id
            );
            let remedy = "set the priority of every job to its deadline, or give the jobs of a task one priority";
            return Err((Problem::new(problem, remedy).in_task(&first.task.to_string()), Some(other.line)));
        }
        urgencies.push(i128::from(first.priority));
    }
    Ok((JobRanking::FixedPriority(Priorities::Given), Some(rank::ranks(&urgencies))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::task::Task;

    const HEAD: &str = "  Task ID, Job ID, Arrival min, Arrival max, Cost min, Cost max, Deadline, Priority\n";
    /// Two tasks of periods 10 and 15, and one with a single job in the hyperperiod.
    const JOBS: &str = "1, 1, 0, 2, 1, 3, 9, 9\n1, 2, 10, 12, 1, 3, 19, 19\n1, 3, 20, 22, 2, 3, 29, 29\n\
                        2, 1, 5, 5, 4, 4, 20, 20\n2, 2, 20, 20, 4, 4, 35, 35\n7, 1, 1, 1, 2, 2, 31, 31\n";

    fn set(rows: &str) -> Result<Scenario, ReadError> {
        read_csv("jobs.csv", &format!("{HEAD}{rows}"))
    }

    fn message(rows: &str) -> String {
        set(rows).unwrap_err().to_string()
    }

    fn changed(from: &str, to: &str) -> String {
        assert!(JOBS.contains(from), "{from}");
        message(&JOBS.replacen(from, to, 1))
    }

    #[test]
    fn the_jobs_of_periodic_tasks_show_the_tasks() {
        let scenario = set(JOBS).unwrap();
        let first = Task { jitter: 2, ..Task::new(3, 10, 9) };
        assert_eq!(scenario.tasks(), [first, Task::implicit(4, 15), Task::implicit(2, 30)]);
        let offsets: Vec<_> = scenario.tasks.iter().map(|named| named.conduct.offset).collect();
        assert_eq!(offsets, [Some(0), Some(5), Some(1)]);
        let best_cases: Vec<_> = scenario.tasks.iter().map(|named| named.conduct.best_case).collect();
        assert_eq!((best_cases, scenario.synchronized), (vec![Some(1), Some(4), Some(2)], true));
        assert_eq!((scenario.policy, scenario.processors, scenario.unit), (Some(JobRanking::Edf), Some(1), None));
        assert!(scenario.tasks.iter().all(|named| named.behaviour.preemption == Preemption::Never));
        assert!(scenario.remarks[0].starts_with("the 3 tasks are derived from 6 jobs"));
        assert_eq!(scenario.remarks.len(), 3);
        // A type of 0 and empty cells behind say nothing; the order of the rows neither.
        let mut rows: Vec<String> = JOBS.lines().map(|row| format!("{row}, 0, ")).collect();
        rows.reverse();
        assert_eq!(set(&rows.join("\n")).unwrap(), scenario);
    }

    #[test]
    fn one_priority_for_each_task_is_a_fixed_one() {
        let rows = "1, 1, 0, 0, 1, 1, 10, 4\n1, 2, 10, 10, 1, 1, 20, 4\n2, 1, 0, 0, 2, 2, 20, -1\n";
        let scenario = set(rows).unwrap();
        assert_eq!(scenario.policy, Some(JobRanking::FixedPriority(Priorities::Given)));
        assert_eq!((scenario.ranks(), scenario.tasks[1].task), (Some(vec![1, 0]), Task::implicit(2, 20)));
        let mixed = message(&rows.replace("20, 4", "20, 5"));
        assert!(mixed.starts_with("jobs.csv:3: task '1': the priority is 4 for job 1 and 5 for job 2"), "{mixed}");
    }

    #[test]
    fn what_is_no_periodic_set_is_refused_with_what_was_found() {
        assert!(changed("1, 2, 10, 12", "1, 2, 11, 12").contains("release jitter is 2 for job 1, but 1 for job 2"));
        assert!(
            changed("1, 3, 20, 22, 2, 3, 29, 29", "1, 3, 21, 23, 2, 3, 30, 30")
                .contains("the arrivals are not periodic: job 3")
        );
        assert!(changed("10, 12, 1, 3", "10, 12, 1, 4").contains("worst-case cost is 3 for job 1, but 4 for job 2"));
        assert!(changed("19, 19", "20, 20").contains("relative deadline is 9 for job 1, but 10 for job 2"));
        let shorter = changed("1, 3, 20, 22, 2, 3, 29, 29\n", "");
        assert!(shorter.contains("the file lacks the next job of task 1: it would arrive at 20"), "{shorter}");
        let alone = message("1, 1, 0, 0, 1, 1, 9, 9\n2, 1, 0, 0, 1, 1, 9, 9\n");
        assert!(
            alone.contains("task 1 has one job, and no hyperperiod follows from the jobs of the other tasks"),
            "{alone}"
        );
        assert!(
            message("1, 1, 0, 0, 1, 1, 9, 9\n1, 1, 9, 9, 1, 1, 18, 18\n").contains("job 1 of task 1 is also on line 2")
        );
        let together = message("1, 1, 5, 5, 1, 1, 9, 9\n1, 2, 5, 5, 1, 1, 9, 9\n2, 1, 7, 7, 1, 1, 9, 9\n");
        assert!(together.starts_with("jobs.csv:2: task '1': jobs 1 and 2 arrive together"), "{together}");
        assert!(message("").contains("there is no task"));
    }

    #[test]
    fn jobs_that_are_not_understood_are_refused_with_their_line() {
        for wrong in ["nan", "-1", "1e99", "x", "1.5", ""] {
            let text = changed("1, 2, 10, 12", &format!("1, 2, {wrong}, 12"));
            assert!(text.starts_with("jobs.csv:3: Arrival min: "), "{text}");
        }
        assert!(changed("10, 12, 1, 3", "10, 9, 1, 3").starts_with("jobs.csv:3: Arrival max: the value is below"));
        assert!(changed("10, 12, 1, 3", "10, 12, 4, 3").starts_with("jobs.csv:3: Cost max: the value is below"));
        assert!(changed("19, 19", "10, 10").starts_with("jobs.csv:3: Deadline: an absolute deadline must be after"));
        assert!(changed("10, 12, 1, 3", "10, 12, {1:1:3; 2:1:2}").contains("several processors at once"));
        assert!(changed("19, 19", "19, 19, 1").starts_with("jobs.csv:3: the job has type 1"));
        assert!(changed("19, 19", "19, 19, 0, 7").starts_with("jobs.csv:3: the row has 10 cells"));
        assert!(changed("1, 2, 10, 12, 1, 3, 19, 19", "1, 2, 10").starts_with("jobs.csv:3: the row has 3 cells"));
    }

    #[test]
    fn files_that_belong_to_a_job_set_are_called_by_their_name() {
        let what = |head: &str| read_csv("x.csv", &format!("{head}\n1,2,3,4\n")).unwrap_err().to_string();
        assert!(
            what("Predecessor TID,\tPredecessor JID,\tSuccessor TID, Successor JID").contains("precedence constraints")
        );
        assert!(what("TID, JID, Tmin, Tmax, Cmin, Cmax").contains("abort actions"));
        assert!(what("Job A TID, Job A JID, Job B TID, Job B JID").contains("mutual exclusions"));
        assert!(what("n_cores, EFT1, LFT1").contains("a platform"));
        assert_eq!(header("TID, JID, Rmin, Rmax, Cmin, Cmax,  DL, Prio"), Some(Header::Jobs));
        assert_eq!(header("name,cost_us,period_us"), None);
    }

    fn yaml(rows: &str, more: &str) -> String {
        let mut text = "jobset:\n".to_owned();
        for row in rows.lines() {
            let cells = COLUMNS.iter().zip(row.split(',')).map(|(key, cell)| format!("{key}: {}", cell.trim()));
            text += &format!("  - {{{}{more}}}\n", cells.collect::<Vec<_>>().join(", "));
        }
        text
    }

    #[test]
    fn yaml_says_the_same_as_csv() {
        assert_eq!(read("jobs.yaml", &yaml(JOBS, ", Type: 0")), set(JOBS));
        let message = |text: &str| read("jobs.yaml", text).unwrap_err().to_string();
        assert!(message(&yaml(JOBS, ", Type: 2")).contains("the job has type 2"));
        let next = yaml(JOBS, "").replacen("Job ID: 1,", "Job ID: 1, Successors: [[1, 2]],", 1);
        assert!(read("jobs.yaml", &next).is_ok());
        let other = message(&next.replace("[[1, 2]]", "[{Task ID: 2, Job ID: 2}]"));
        assert!(other.starts_with("jobs.yaml:2: Successors: job 1 of task 1 precedes job 2 of task 2"), "{other}");
        assert!(message(&next.replace("[[1, 2]]", "[[1]]")).contains("expected the numbers of a task and a job"));
        assert!(message(&yaml(JOBS, "").replace("Cost min: 2", "Cost mn: 2")).contains("did you mean 'Cost min'?"));
        assert!(message("jobset: []").contains("there is no task"));
    }
}
