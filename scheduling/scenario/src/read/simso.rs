//! A configuration of SimSo: XML with a scheduler, processors and tasks.
//!
//! ```text
//! <simulation duration="100000000" cycles_per_ms="1000000" etm="wcet">
//!   <sched class="simso.schedulers.EDF" overhead="0" overhead_activate="0" overhead_terminate="0"/>
//!   <caches memory_access_time="100"/>
//!   <processors><processor name="CPU 1" id="1" cl_overhead="0" cs_overhead="0" speed="1.0"/></processors>
//!   <tasks><task name="T1" id="1" task_type="Periodic" period="10" deadline="10.0" WCET="2.5" activationDate="0.0"/></tasks>
//! </simulation>
//! ```
//!
//! Times of tasks are milliseconds, perhaps with a fraction, and become whole nanoseconds without rounding. SimSo rounds them to whole
//! cycles, periods down and costs up, so a time that is no whole number of cycles is refused. What costs
//! processor time in SimSo beside the tasks (overheads, penalties, caches) is refused unless it is zero: without it a proof
//! would be of another system.

use super::rank;
use super::task_keys::{self, TaskDraft};
use super::{stem, whole, xml};
use crate::error::{Problem, ReadError};
use crate::nearest;
use crate::set::{JobRanking, NamedTask, Priorities, Scenario};
use crate::unit::{self, Scale, Unit};
use prazo_core::cpu::CPUS_MAX;
use prazo_core::ratio::Ratio;
use prazo_core::task::Ticks;
use roxmltree::Node;
use std::collections::BTreeSet;

const UNIT: Option<Unit> = Some(Unit::Nanosecond);
const MILLISECONDS: Scale = Scale::Ns(1_000_000);
/// What SimSo takes where the file states no `cycles_per_ms`.
const CYCLES_PER_MS: u64 = 1_000_000;
const PARTS: [&str; 4] = ["sched", "caches", "processors", "tasks"];
const TASK: [&str; 18] = [
    "name",
    "id",
    "task_type",
    "periodic",
    "abort_on_miss",
    "period",
    "activationDate",
    "list_activation_dates",
    "deadline",
    "base_cpi",
    "instructions",
    "mix",
    "WCET",
    "ACET",
    "preemption_cost",
    "et_stddev",
    "followed_by",
    "stack",
];
/// Attributes of a task that only simulations depend on.
const UNUSED: [&str; 9] =
    ["id", "abort_on_miss", "base_cpi", "instructions", "mix", "ACET", "preemption_cost", "et_stddev", "stack"];
const PROCESSOR_KEYS: [&str; 5] = ["name", "id", "cl_overhead", "cs_overhead", "speed"];
/// The schedulers that prazo analyses: SimSo's name behind `simso.schedulers.`, the policy, and whether each processor has its own queue.
const SCHEDULERS: [(&str, JobRanking, Queues); 7] = [
    ("EDF", JobRanking::Edf, Queues::One),
    ("RM", JobRanking::FixedPriority(Priorities::RateMonotonic), Queues::One),
    ("FP", JobRanking::FixedPriority(Priorities::Given), Queues::One),
    ("P_EDF", JobRanking::Edf, Queues::Each),
    ("P_RM", JobRanking::FixedPriority(Priorities::RateMonotonic), Queues::Each),
    ("EDF_mono", JobRanking::Edf, Queues::Single),
    ("RM_mono", JobRanking::FixedPriority(Priorities::RateMonotonic), Queues::Single),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Queues {
    /// All processors share one.
    One,
    /// Each processor has its own, and SimSo packs the tasks.
    Each,
    /// There is but one processor.
    Single,
}

/// Reads `text`; `file` is named in errors.
pub fn read(file: &str, text: &str) -> Result<Scenario, ReadError> {
    let document = xml::parse(file, text)?;
    let root = document.root_element();
    let error = |node, problem| xml::at(file, node, problem);
    if xml::name(root) != "simulation" {
        let problem = format!("<{}> is no configuration of SimSo", xml::name(root));
        return Err(error(root, Problem::new(problem, "begin with <simulation>")));
    }
    let mut unused = execution_times(root).map_err(|problem| error(root, problem))?;
    let cycles_per_ms = cycles_per_ms(root).map_err(|problem| error(root, problem))?;
    let (mut sched, mut processors, mut tasks) = (None, None, None);
    for node in xml::elements(root) {
        let place = match xml::name(node) {
            "sched" => &mut sched,
            "processors" => &mut processors,
            "tasks" => &mut tasks,
            "caches" => {
                unused.insert("caches".to_owned());
                continue;
            }
            _ => return Err(error(node, xml::unknown_element(node, &PARTS))),
        };
        if place.replace(node).is_some() {
            let problem = format!("<{}> occurs twice", xml::name(node));
            return Err(error(node, Problem::new(problem, "keep one of the two")));
        }
    }
    let missing = |name: &str| error(root, Problem::new(format!("<{name}> is missing"), "add the element"));
    let sched = sched.ok_or_else(|| missing("sched"))?;
    let processors = processors.ok_or_else(|| missing("processors"))?;
    let tasks = tasks.ok_or_else(|| missing("tasks"))?;

    let (policy, queues) = scheduler(sched, &mut unused).map_err(|problem| error(sched, problem))?;
    let count = count(file, processors)?;
    if queues == Queues::Single && count != 1 {
        let problem = format!("the scheduler is for one processor, and the file has {count}");
        return Err(error(sched, Problem::new(problem, "use simso.schedulers.EDF, RM, P_EDF or P_RM").of("class")));
    }
    let fixed = policy == JobRanking::FixedPriority(Priorities::Given);
    let tasks = Tasks { file, fixed, cycles_per_ms, unused }.read(tasks)?;
    let scenario = Scenario {
        name: stem(file),
        remarks: remarks(&tasks, queues),
        unit: UNIT,
        processors: Some(count),
        clusters: (queues == Queues::Each).then(|| vec![1; count as usize]),
        policy: Some(policy),
        tasks: tasks.tasks,
        ..Scenario::default()
    };
    whole::checked(scenario).map_err(|problem| problem.at(file, None))
}

fn cycles_per_ms(root: Node<'_, '_>) -> Result<u64, Problem> {
    let Some(text) = xml::attribute(root, "cycles_per_ms") else { return Ok(CYCLES_PER_MS) };
    text.parse::<u64>().ok().filter(|cycles| *cycles > 0).ok_or_else(|| {
        let problem = format!("'{text}' is not a whole number of at least 1");
        Problem::new(problem, "write the number of cycles per millisecond, as in 1000000").of("cycles_per_ms")
    })
}

/// The attributes of the simulation that say nothing here; execution times that are not the tasks' own are refused.
fn execution_times(root: Node<'_, '_>) -> Result<BTreeSet<String>, Problem> {
    const KNOWN: [&str; 6] =
        ["duration", "cycles_per_ms", "etm", "use_wcet", "penalty_preemption", "penalty_migration"];
    xml::known_attributes(root, &KNOWN)?;
    let model = match (xml::attribute(root, "etm"), xml::attribute(root, "use_wcet")) {
        (Some(model), _) => model,
        (None, None | Some("true" | "yes")) => "wcet",
        (None, Some(_)) => "cache",
    };
    match model {
        "wcet" | "acet" => {
            let names = root.attributes().map(|one| one.name().to_owned());
            Ok(names.filter(|name| name != "cycles_per_ms").collect())
        }
        "cache" | "fixedpenalty" => {
            let problem = format!("the execution-time model '{model}' adds costs that the tasks do not state");
            let remedy = "set etm=\"wcet\", and give the costs of preemptions and caches with --overheads";
            Err(Problem::new(problem, remedy).of("etm"))
        }
        other => {
            let problem = format!("unknown execution-time model '{other}'");
            Err(Problem::new(problem, nearest::remedy(other, &["wcet", "acet"])).of("etm"))
        }
    }
}

fn scheduler(node: Node<'_, '_>, unused: &mut BTreeSet<String>) -> Result<(JobRanking, Queues), Problem> {
    xml::known_attributes(node, &["class", "className", "overhead", "overhead_activate", "overhead_terminate"])?;
    if xml::attribute(node, "className").is_some() {
        let problem = "the scheduler is in a Python file, which prazo does not run";
        return Err(Problem::new(
            problem,
            "remove className, and name one of SimSo's own schedulers in the attribute class",
        )
        .of("className"));
    }
    for key in ["overhead", "overhead_activate", "overhead_terminate"] {
        costs_nothing(node, key)?;
    }
    for field in xml::elements(node) {
        if xml::name(field) != "field" {
            return Err(xml::unknown_element(field, &["field"]));
        }
        unused.insert(format!("field '{}' of <sched>", xml::required(field, "name")?));
    }
    let class = xml::required(node, "class")?;
    let name = class.strip_prefix("simso.schedulers.");
    match SCHEDULERS.into_iter().find(|(known, ..)| Some(*known) == name) {
        Some((_, policy, queues)) => Ok((policy, queues)),
        None => {
            let known: Vec<&str> = SCHEDULERS.iter().map(|(known, ..)| *known).collect();
            let problem = format!("prazo does not analyse the scheduler '{class}'");
            Err(Problem::new(problem, format!("choose one of simso.schedulers.{}", known.join(", "))).of("class"))
        }
    }
}

/// How many processors there are; all are alike and cost nothing.
fn count(file: &str, node: Node<'_, '_>) -> Result<u32, ReadError> {
    let error = |node, problem| xml::at(file, node, problem);
    xml::known_attributes(node, &["migration_overhead"]).map_err(|problem| error(node, problem))?;
    costs_nothing(node, "migration_overhead").map_err(|problem| error(node, problem))?;
    let fields = xml::elements(node).filter(|child| xml::name(*child) == "field");
    let fields = fields.map(|field| xml::required(field, "name").map_err(|problem| error(field, problem)));
    let fields: Vec<&str> = fields.collect::<Result<_, _>>()?;
    let known: Vec<&str> = PROCESSOR_KEYS.into_iter().chain(fields).collect();
    let mut count = 0u32;
    for processor in xml::elements(node) {
        match xml::name(processor) {
            "processor" => plain(processor, &known).map_err(|problem| error(processor, problem))?,
            "field" => continue,
            _ => return Err(error(processor, xml::unknown_element(processor, &["processor", "field"]))),
        }
        count += 1;
    }
    match count {
        0 => Err(error(node, Problem::new("there is no processor", "add a <processor>"))),
        1.. if count as usize <= CPUS_MAX => Ok(count),
        _ => Err(error(node, Problem::new("there are too many processors", format!("give 1 to {CPUS_MAX}")))),
    }
}

/// Refuses a processor that is slower or faster than the costs assume, or takes time of its own.
///
/// Its data fields are for schedulers that are not analysed, and its caches for a model that is refused.
fn plain(node: Node<'_, '_>, known: &[&str]) -> Result<(), Problem> {
    xml::known_attributes(node, known)?;
    costs_nothing(node, "cl_overhead")?;
    costs_nothing(node, "cs_overhead")?;
    match xml::attribute(node, "speed").map(str::parse::<Ratio>) {
        None => Ok(()),
        Some(Ok(speed)) if speed == Ratio::ONE => Ok(()),
        Some(_) => {
            Err(Problem::new("the processor's speed is not 1", "set the speed to 1, and scale the costs of the tasks")
                .of("speed"))
        }
    }
}

/// Refuses attribute `key` unless it is zero.
fn costs_nothing(node: Node<'_, '_>, key: &str) -> Result<(), Problem> {
    match xml::attribute(node, key).map(str::parse::<Ratio>) {
        None => Ok(()),
        Some(Ok(cost)) if cost == Ratio::ZERO => Ok(()),
        Some(_) => {
            let remedy = "set the overhead to 0, and give the platform's costs with --overheads";
            Err(Problem::new("SimSo's overheads are not read", remedy).of(key))
        }
    }
}

struct Tasks<'a> {
    file: &'a str,
    /// Priorities are given.
    fixed: bool,
    cycles_per_ms: u64,
    unused: BTreeSet<String>,
}

struct Read {
    tasks: Vec<NamedTask>,
    unused: BTreeSet<String>,
}

impl Tasks<'_> {
    fn read(mut self, node: Node<'_, '_>) -> Result<Read, ReadError> {
        let error = |node, problem| xml::at(self.file, node, problem);
        xml::known_attributes(node, &[]).map_err(|problem| error(node, problem))?;
        let fields = xml::elements(node).filter(|child| xml::name(*child) == "field");
        let names = fields.map(|field| xml::required(field, "name").map_err(|problem| error(field, problem)));
        let names: Vec<&str> = names.collect::<Result<_, _>>()?;
        let known: Vec<&str> = TASK.into_iter().chain(names.iter().copied()).collect();
        let (mut tasks, mut priorities) = (Vec::new(), Vec::new());
        for task in xml::elements(node) {
            match xml::name(task) {
                "field" => continue,
                "task" => {}
                _ => return Err(error(task, xml::unknown_element(task, &["task", "field"]))),
            }
            let name = xml::required(task, "name").map_err(|problem| error(task, problem))?;
            let taken =
                xml::known_attributes(task, &known).and_then(|()| times(task, self.cycles_per_ms)?.finish(name));
            tasks.push(taken.map_err(|problem| error(task, problem.in_task(name)))?);
            if self.fixed {
                let urgency = priority(task).map_err(|problem| error(task, problem.of("priority").in_task(name)))?;
                priorities.push(urgency);
            }
            let field = |key: &str| !(TASK.contains(&key) || self.fixed && key == "priority");
            let unused = |key: &String| field(key) || UNUSED.contains(&key.as_str());
            self.unused.extend(task.attributes().map(|one| one.name().to_owned()).filter(unused));
        }
        for (named, rank) in tasks.iter_mut().zip(rank::ranks(&priorities)) {
            named.priority = Some(rank);
        }
        Ok(Read { tasks, unused: self.unused })
    }
}

/// SimSo's FP runs the highest number first.
fn priority(task: Node<'_, '_>) -> Result<i128, Problem> {
    let text = xml::required(task, "priority")?;
    let number: i64 = text
        .parse()
        .map_err(|_| Problem::new(format!("'{text}' is not a whole number"), "write a whole number, as in 10"))?;
    Ok(-i128::from(number))
}

fn times(task: Node<'_, '_>, cycles_per_ms: u64) -> Result<TaskDraft, Problem> {
    kind(task)?;
    let time = |key: &str| -> Result<Ticks, Problem> {
        let ticks = exact(xml::required(task, key)?, key).map_err(|problem| problem.of(key))?;
        in_cycles(ticks, cycles_per_ms, key)
    };
    let offset = xml::attribute(task, "activationDate").map(|text| {
        let ticks = unit::ticks(text, MILLISECONDS, UNIT).map_err(|problem| problem.of("activationDate"))?;
        in_cycles(ticks, cycles_per_ms, "activationDate")
    });
    Ok(TaskDraft {
        cost: Some(time("WCET")?),
        period: Some(time("period")?),
        deadline: Some(time("deadline")?),
        offset: offset.transpose()?.filter(|offset| *offset > 0),
        ..TaskDraft::default()
    })
}

/// `ns`, unless SimSo simulates another time, which is a whole number of cycles.
fn in_cycles(ns: Ticks, cycles_per_ms: u64, key: &str) -> Result<Ticks, Problem> {
    if u128::from(ns) * u128::from(cycles_per_ms) % 1_000_000 == 0 {
        return Ok(ns);
    }
    let problem = format!("the time is not a whole number of cycles (cycles_per_ms is {cycles_per_ms})");
    Err(Problem::new(problem, "raise cycles_per_ms, or change the time, because SimSo would round it").of(key))
}

/// A time above zero; a remedy that keeps a proof one: costs may be rounded up, periods and deadlines down.
fn exact(text: &str, key: &str) -> Result<Ticks, Problem> {
    task_keys::time(text, MILLISECONDS, UNIT).map_err(|problem| {
        match problem.remedy.starts_with("round") && key != "WCET" {
            true => Problem { remedy: "round the time down".to_owned(), ..problem },
            false => problem,
        }
    })
}

/// Refuses what does not arrive periodically.
fn kind(task: Node<'_, '_>) -> Result<(), Problem> {
    if let Some(next) = xml::attribute(task, "followed_by") {
        let problem = format!("the end of a job activates the task with id {next}");
        let remedy = "write the set as TOML with a [[chain]], and name the activated task in its key `activated`";
        return Err(Problem::new(problem, remedy).of("followed_by"));
    }
    let kind = xml::attribute(task, "task_type");
    match (kind, xml::attribute(task, "periodic")) {
        (Some("Periodic"), _) | (None, None | Some("yes")) => Ok(()),
        (Some("Sporadic"), _) => Err(sporadic(task)),
        (Some("APeriodic"), _) | (None, Some("no")) => {
            let remedy = "set task_type=\"Periodic\", and the period to the shortest time between two arrivals";
            Err(Problem::new("nothing bounds how often an aperiodic task arrives", remedy).of("task_type"))
        }
        (Some(other), _) => {
            let remedy = nearest::remedy(other, &["Periodic", "Sporadic", "APeriodic"]);
            Err(Problem::new(format!("unknown type of task '{other}'"), remedy).of("task_type"))
        }
        (None, Some(other)) => {
            Err(Problem::new(format!("'{other}' is neither yes nor no"), "write yes or no").of("periodic"))
        }
    }
}

/// Why a list of activations is no task, with the distance that would make it one.
fn sporadic(task: Node<'_, '_>) -> Problem {
    let list = xml::attribute(task, "list_activation_dates").unwrap_or_default();
    let dates: Result<Vec<Ratio>, _> = list.split(',').map(str::parse::<Ratio>).collect();
    let mut dates = dates.unwrap_or_default();
    dates.sort();
    let distance = dates.windows(2).filter_map(|pair| pair[1].checked_sub(pair[0])).min();
    let remedy = match distance {
        Some(distance) if distance != Ratio::ZERO => format!(
            "set task_type=\"Periodic\" and the period to the shortest time between two instants of the list, {distance} ms, or a shorter one"
        ),
        _ => "set task_type=\"Periodic\" and the period to the shortest time between two activations".to_owned(),
    };
    let problem = "a sporadic task of SimSo arrives at the instants of a list, and a task set has no such list";
    Problem::new(problem, remedy).of("list_activation_dates")
}

/// What was assumed, one sentence each.
fn remarks(read: &Read, queues: Queues) -> Vec<String> {
    let mut remarks = Vec::new();
    if queues == Queues::Each {
        remarks.push("prazo packs the tasks by its own heuristics, and the packing may differ from SimSo's".to_owned());
    }
    let ranks: Vec<u32> = read.tasks.iter().filter_map(|named| named.priority).collect();
    if rank::any_equal(&ranks) {
        remarks.push(rank::EQUAL.to_owned());
    }
    if !read.unused.is_empty() {
        let unused: Vec<&str> = read.unused.iter().map(String::as_str).collect();
        remarks.push(format!("the analysis does not use: {}", unused.join(", ")));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Arrival;
    use prazo_core::task::Task;

    const PROCESSOR: &str = "<processor name='CPU 1' id='1' cl_overhead='0' cs_overhead='0' speed='1.0'/>";

    fn file(class: &str, processors: &str, tasks: &str) -> String {
        format!(
            "<?xml version=\"1.0\" ?>\n<simulation duration='100000000' cycles_per_ms='1000000' etm='wcet'>\n\
             <sched class='simso.schedulers.{class}' overhead='0' overhead_activate='0.0' overhead_terminate='0'/>\n\
             <caches memory_access_time='100'/>\n<processors>{processors}</processors>\n<tasks>{tasks}</tasks>\n</simulation>\n"
        )
    }

    fn task(more: &str) -> String {
        format!("<task name='T1' id='1' deadline='10.0' WCET='2.5' {more}/>")
    }

    fn set(class: &str, tasks: &str) -> Result<Scenario, ReadError> {
        read("load.xml", &file(class, PROCESSOR, tasks))
    }

    fn message(more: &str) -> String {
        set("EDF", &task(more)).unwrap_err().to_string()
    }

    #[test]
    fn milliseconds_become_nanoseconds_exactly() {
        let more = "task_type='Periodic' period='12.000001' activationDate='0.3' abort_on_miss='yes' mix='0.5'";
        let scenario = set("EDF", &task(more)).unwrap();
        assert_eq!(scenario.tasks(), [Task::new(2_500_000, 12_000_001, 10_000_000)]);
        assert_eq!((scenario.tasks[0].conduct.offset, scenario.tasks[0].arrival), (Some(300_000), Arrival::Periodic));
        assert_eq!((scenario.processors, scenario.policy, scenario.clusters), (Some(1), Some(JobRanking::Edf), None));
        let unused = "the analysis does not use: abort_on_miss, caches, duration, etm, id, mix";
        assert_eq!(scenario.remarks, [unused]);
        let finer = message("period='0.0000001'");
        assert!(finer.contains("period of task 'T1'") && finer.ends_with("round the time down"), "{finer}");
    }

    #[test]
    fn times_that_simso_would_round_are_refused() {
        let with = |cycles: &str, more: &str| {
            let text = file("EDF", PROCESSOR, &task(more)).replace("cycles_per_ms='1000000'", cycles);
            read("load.xml", &text).map(|scenario| scenario.tasks()).map_err(|error| error.to_string())
        };
        assert_eq!(
            with("cycles_per_ms='1000'", "period='12.001'"),
            Ok(vec![Task::new(2_500_000, 12_001_000, 10_000_000)])
        );
        let rounded = with("cycles_per_ms='1000'", "period='12.0015'").unwrap_err();
        assert!(rounded.contains("period of task 'T1': the time is not a whole number of cycles"), "{rounded}");
        assert!(with("cycles_per_ms='1'", "period='12'").unwrap_err().contains("WCET of task 'T1'"));
        assert!(with("", "period='12.000001'").is_ok(), "a cycle is a nanosecond unless the file says otherwise");
        assert!(with("cycles_per_ms='0'", "period='12'").unwrap_err().contains(":2: cycles_per_ms: "));
        let far = with("cycles_per_ms='1000'", "period='12' activationDate='0.0001'").unwrap_err();
        assert!(far.contains("activationDate of task 'T1'"), "{far}");
    }

    #[test]
    fn schedulers_become_policies_and_queues() {
        let two = PROCESSOR.repeat(2);
        let of = |class: &str| read("load.xml", &file(class, &two, &task("period='10'")));
        let packed = of("P_RM").unwrap();
        assert_eq!((packed.clusters, packed.processors), (Some(vec![1, 1]), Some(2)));
        assert_eq!(packed.policy, Some(JobRanking::FixedPriority(Priorities::RateMonotonic)));
        assert_eq!(of("RM").unwrap().clusters, None);
        assert!(of("EDF_mono").unwrap_err().to_string().contains("for one processor, and the file has 2"));
        let unknown = of("LLREF").unwrap_err().to_string();
        assert!(unknown.starts_with("load.xml:3: class: prazo does not analyse the scheduler"), "{unknown}");
    }

    #[test]
    fn the_highest_number_is_the_most_urgent() {
        let tasks = "<field name='priority' type='int'/>\n<task name='a' period='9' deadline='9' WCET='1' priority='-1'/>\
                     <task name='b' period='9' deadline='9' WCET='1' priority='7'/>";
        let scenario = set("FP", tasks).unwrap();
        assert_eq!(scenario.ranks(), Some(vec![1, 0]));
        let equal = set("FP", &tasks.replace("-1", "7")).unwrap();
        assert!(equal.remarks.contains(&rank::EQUAL.to_owned()));
        let none = set("FP", &task("period='9'")).unwrap_err().to_string();
        assert!(none.contains("priority of task 'T1'"), "{none}");
        let ignored = set("EDF", tasks).unwrap();
        assert!(ignored.remarks[0].ends_with("etm, priority"), "{:?}", ignored.remarks);
    }

    #[test]
    fn what_a_task_set_cannot_say_is_refused_by_name() {
        let sporadic = message("period='9' task_type='Sporadic' list_activation_dates='7.5, 1, 4'");
        assert!(
            sporadic.contains("list_activation_dates of task 'T1'") && sporadic.contains("list, 3 ms"),
            "{sporadic}"
        );
        assert!(message("period='9' task_type='APeriodic'").contains("task_type of task 'T1'"));
        assert!(message("period='9' periodic='no'").contains("nothing bounds"));
        assert!(message("period='9' followed_by='2'").contains("followed_by of task 'T1'"));
        assert!(message("period='9' perjod='9'").contains("unknown attribute of <task>; did you mean 'period'?"));
        for wrong in ["nan", "inf", "-3", "1e99", "0", ""] {
            let text = message(&format!("period='{wrong}'"));
            assert!(text.starts_with("load.xml:6: period of task 'T1': "), "{text}");
        }
    }

    #[test]
    fn what_takes_time_beside_the_tasks_is_refused() {
        let good = file("EDF", PROCESSOR, &task("period='9'"));
        assert!(read("load.xml", &good).is_ok());
        let changed = |from: &str, to: &str| {
            assert!(good.contains(from));
            read("load.xml", &good.replace(from, to)).unwrap_err().to_string()
        };
        assert!(changed("overhead_activate='0.0'", "overhead_activate='5'").contains(":3: overhead_activate: "));
        assert!(changed("cs_overhead='0'", "cs_overhead='5'").contains(":5: cs_overhead: "));
        assert!(changed("speed='1.0'", "speed='2.0'").contains(":5: speed: "));
        assert!(changed("speed='1.0'", "speed='nan'").contains(":5: speed: "));
        assert!(changed("speed='1.0'", "sped='2.0'").contains(":5: sped: unknown attribute of <processor>"));
        assert!(changed("etm='wcet'", "etm='cache'").contains(":2: etm: "));
        assert!(changed("<processors>", "<processors migration_overhead='1'>").contains("migration_overhead"));
        assert!(changed("<tasks>", "<tasks><t/>").contains("unknown element <t> in <tasks>"));
        assert!(changed("class='simso.schedulers.EDF'", "className='my.py'").contains(":3: className: "));
        assert!(changed("<caches memory_access_time='100'/>", "<sched/>").contains("<sched> occurs twice"));
    }
}
