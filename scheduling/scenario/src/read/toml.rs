//! prazo's own format: a set as TOML, with its origin and what its author expects.

use super::supply::supply;
use super::task_keys::{self, TaskDraft};
use super::{chain, stem, whole};
use crate::error::{Problem, ReadError};
use crate::nearest;
use crate::overheads::{self, OverheadTable};
use crate::set::{Expect, ExpectedVerdict, JobRanking, NamedTask, Priorities, Scenario, Scheduler};
use crate::toml_entries::{self, Checked, Entry};
use crate::unit::Unit;
use prazo_core::words::UnknownWord;
use std::io;
use std::str::FromStr;

/// The keys of the first level.
const KEYS: [&str; 17] = [
    "name",
    "origin",
    "note",
    "remarks",
    "unit",
    "processors",
    "clusters",
    "policy",
    "priorities",
    "locking",
    "supply",
    "synchronized",
    "chain",
    "overheads",
    "expect",
    "task",
    "tasks",
];

/// The keys of a set.
pub fn keys() -> Vec<&'static str> {
    KEYS.to_vec()
}

/// The keys of a task. Those whose values are times may end in `_ns`, `_us`, `_ms` or `_s`.
pub fn task_keys() -> Vec<&'static str> {
    task_keys::keys().collect()
}

/// The keys of a chain. Those whose values are times may end in `_ns`, `_us`, `_ms` or `_s`.
pub fn chain_keys() -> Vec<&'static str> {
    chain::KEYS.to_vec()
}

/// How a text reaches the file that it calls by this name.
pub type FileLookup<'a> = &'a dyn Fn(&str) -> io::Result<String>;

/// Reads `text`; `file` is named in errors, and `beside` finds the overhead table that the text may refer to.
pub fn read(file: &str, text: &str, beside: FileLookup<'_>) -> Result<Scenario, ReadError> {
    let (scenario, reference) = toml_entries::read(file, text, |entries| scenario(file, entries))?;
    let unit = scenario.unit;
    let overheads = reference.map(|reference| referred(file, &reference, unit, beside)).transpose()?;
    let scenario = Scenario { overheads: overheads.or(scenario.overheads), ..scenario };
    whole::checked(scenario).map_err(|problem| problem.at(file, None))
}

/// The overhead table in the file that the text calls `name`.
fn referred(file: &str, name: &str, unit: Option<Unit>, beside: FileLookup<'_>) -> Result<OverheadTable, ReadError> {
    let text = beside(name).map_err(|cause| {
        let problem = format!("'{name}' could not be read: {cause}");
        Problem::new(problem, "give the path of the file relative to this TOML file").of("overheads").at(file, None)
    })?;
    overheads::read(name, &text, unit)
}

/// The set, and the name of its overhead table where that is in another file.
fn scenario(file: &str, entries: &[Entry<'_>]) -> Checked<(Scenario, Option<String>)> {
    let find = |key: &str| entries.iter().find(|entry| entry.key == key);
    let unit = find("unit").map_or(Ok(Some(Unit::Nanosecond)), unit)?;
    let mut scenario = Scenario { name: stem(file), unit, ..Scenario::default() };
    scenario.policy = policy(find("policy"), find("priorities"))?;
    let mut reference = None;
    for entry in entries {
        match entry.key {
            "name" => scenario.name = entry.text()?.to_owned(),
            "origin" => scenario.origin = Some(entry.text()?.to_owned()),
            "note" => scenario.note = Some(entry.text()?.to_owned()),
            "remarks" => scenario.remarks = texts(entry)?,
            "processors" => scenario.processors = Some(number(entry)?),
            "clusters" => scenario.clusters = Some(sizes(entry)?),
            "overheads" => match entry.value.as_str() {
                Some(name) => reference = Some(name.to_owned()),
                None => scenario.overheads = Some(overheads::from_entries(&entry.entries()?, unit, entry.at)?),
            },
            "locking" => scenario.locking = Some(word(entry)?),
            "synchronized" => scenario.synchronized = entry.flag()?,
            "supply" => {
                let (supply, words) = supply(entry, unit)?;
                (scenario.supply, scenario.supply_words) = (Some(supply), words);
            }
            "expect" => scenario.expect = Some(expect(entry)?),
            "task" | "tasks" => scenario.tasks.extend(tasks(entry, unit)?),
            "unit" | "policy" | "priorities" | "chain" => {}
            "executor" | "callback" => {
                return Err(
                    entry.problem("this file is about executors, not a task set", "run `prazo sched executors` on it")
                );
            }
            other => return Err(entry.problem("unknown key for a task set", nearest::remedy(other, &KEYS))),
        }
    }
    let supplied = scenario.supply.zip(scenario.supply_words).map(|(supply, words)| words.remark(supply, unit));
    // A set that was written has the remark already.
    scenario.remarks.extend(supplied.filter(|remark| !scenario.remarks.contains(remark)));
    if let Some(entry) = find("chain") {
        scenario.chains = chain::chains(entry, &scenario.tasks, unit)?;
    }
    settle_priorities(&mut scenario, find("priorities").is_some());
    Ok((scenario, reference))
}

fn unit(entry: &Entry<'_>) -> Checked<Option<Unit>> {
    match entry.text()? {
        "ns" => Ok(Some(Unit::Nanosecond)),
        "us" => Ok(Some(Unit::Microsecond)),
        "ms" => Ok(Some(Unit::Millisecond)),
        "none" => Ok(None),
        other => Err(entry.problem(format!("unknown unit '{other}'"), "write ns, us, ms, or none for bare numbers")),
    }
}

/// The value that a word stands for.
fn word<T: FromStr<Err = UnknownWord>>(entry: &Entry<'_>) -> Checked<T> {
    let text = entry.text()?;
    let unknown =
        |known: UnknownWord| entry.problem(format!("unknown value '{text}'"), nearest::remedy(text, known.choices));
    text.parse().map_err(unknown)
}

/// Fixed priorities are deadline-monotonic until the tasks or the text say otherwise.
fn policy(policy: Option<&Entry<'_>>, priorities: Option<&Entry<'_>>) -> Checked<Option<JobRanking>> {
    let fixed = JobRanking::FixedPriority(match priorities {
        Some(entry) => word(entry)?,
        None => Priorities::DeadlineMonotonic,
    });
    let stated = policy.map(|entry| ranked(entry, fixed)).transpose()?;
    match (stated, priorities) {
        (Some(JobRanking::FixedPriority(_)), _) | (_, None) => Ok(stated),
        (_, Some(entry)) => {
            Err(entry.problem("priorities need policy = \"fixed-priority\"", "set this policy, or remove priorities"))
        }
    }
}

/// `edf`, or `fixed-priority`, which is `fixed`.
fn ranked(entry: &Entry<'_>, fixed: JobRanking) -> Checked<JobRanking> {
    match entry.text()? {
        "edf" => Ok(JobRanking::Edf),
        "fixed-priority" => Ok(fixed),
        other => {
            let remedy = nearest::remedy(other, &["edf", "fixed-priority"]);
            Err(entry.problem(format!("unknown policy '{other}'"), remedy))
        }
    }
}

/// Tasks that all state a priority mean it, unless the text says where priorities come from.
fn settle_priorities(scenario: &mut Scenario, stated: bool) {
    let fixed = matches!(scenario.policy, Some(JobRanking::FixedPriority(_)));
    if fixed && !stated && scenario.tasks.iter().any(|named| named.priority.is_some()) {
        scenario.policy = Some(JobRanking::FixedPriority(Priorities::Given));
    }
}

fn number(entry: &Entry<'_>) -> Checked<u32> {
    u32::try_from(entry.whole()?).map_err(|_| entry.problem("the number is too large", "give at most 1024"))
}

fn texts(entry: &Entry<'_>) -> Checked<Vec<String>> {
    let wrong = || entry.problem("expected a list of texts", "write each text in quotation marks");
    entry.list()?.iter().map(|text| text.get_ref().as_str().map(str::to_owned).ok_or_else(wrong)).collect()
}

fn sizes(entry: &Entry<'_>) -> Checked<Vec<u32>> {
    let wrong = || entry.problem("expected a list of cluster sizes", "write the sizes as in [2, 2]");
    let size = |value: &toml::Spanned<toml::de::DeValue<'_>>| match value.get_ref().as_integer() {
        Some(_) => toml_entries::scalar(value.get_ref())?.parse().ok(),
        None => None,
    };
    entry.list()?.iter().map(|value| size(value).ok_or_else(wrong)).collect()
}

fn expect(entry: &Entry<'_>) -> Checked<Expect> {
    let mut expect = Expect::default();
    for part in entry.entries()? {
        if part.key == "why" {
            expect.why = Some(part.text()?.to_owned());
            continue;
        }
        let known = [Scheduler::NAMES, &["why"]].concat();
        let scheduler: Scheduler =
            part.key.parse().map_err(|_| part.problem("unknown key in [expect]", nearest::remedy(part.key, &known)))?;
        expect.outcomes.push((scheduler, word::<ExpectedVerdict>(&part)?));
    }
    Ok(expect)
}

/// `[task.NAME]` tables, or a list of `[[task]]`.
fn tasks(entry: &Entry<'_>, unit: Option<Unit>) -> Checked<Vec<NamedTask>> {
    if entry.value.is_table() {
        return entry.entries()?.iter().map(|one| task(one.key, &one.entries()?, one.at, unit)).collect();
    }
    entry.list()?.iter().enumerate().map(|(index, value)| listed(entry, index, value, unit)).collect()
}

/// The `index`-th of a list of tasks, called by its name or, without one, by its number.
fn listed(
    list: &Entry<'_>,
    index: usize,
    value: &toml::Spanned<toml::de::DeValue<'_>>,
    unit: Option<Unit>,
) -> Checked<NamedTask> {
    let at = value.span().start;
    let entries = value.get_ref().as_table().map(toml_entries::entries);
    let entries =
        entries.ok_or_else(|| list.problem("a task must be a table", "write the task under [[task]] or in braces"))?;
    let stated = entries.iter().find(|entry| entry.key == "name").map(Entry::text).transpose()?;
    let name = stated.map_or_else(|| index.to_string(), str::to_owned);
    let rest: Vec<Entry<'_>> = entries.into_iter().filter(|entry| entry.key != "name").collect();
    task(&name, &rest, at, unit)
}

fn task(name: &str, entries: &[Entry<'_>], at: usize, unit: Option<Unit>) -> Checked<NamedTask> {
    let mut draft = TaskDraft::default();
    for entry in entries {
        let here = |problem: Problem| (problem.of(entry.key).in_task(name), entry.at);
        let text = entry.scalar().map_err(|(problem, _)| here(problem))?;
        draft.set(entry.key, &text, unit).map_err(here)?;
    }
    draft.finish(name).map_err(|problem| (problem.in_task(name), at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::nothing_beside;
    use prazo_core::behaviour::Supply;
    use prazo_core::task::Task;

    fn set(text: &str) -> Result<Scenario, ReadError> {
        read("copter.toml", text, &nothing_beside)
    }

    fn message(text: &str) -> String {
        set(text).unwrap_err().to_string()
    }

    #[test]
    fn a_set_with_everything_is_read() {
        let scenario = set(r#"
            name = "copter"
            origin = "an example"
            policy = "fixed-priority"
            priorities = "given"
            clusters = [2, 1]
            overheads = { release = "2us" }
            [task.zeta]
            cost = "2ms"
            period = "10ms"
            priority = 1
            cluster = 1
            [task.alpha]
            cost_us = 500
            min_inter_arrival = "5ms"
            deadline = "4ms"
            jitter = "100us"
            working_set = "64KiB"
            priority = 0
            affinity = "0-1"
            [expect]
            pfp = "proven"
            why = "by hand"
        "#)
        .unwrap();
        let names: Vec<&str> = scenario.tasks.iter().map(|named| named.name.as_str()).collect();
        assert_eq!(names, ["zeta", "alpha"], "in the order of the file, not of the alphabet");
        let alpha = Task { jitter: 100_000, working_set_kib: 64, ..Task::new(500_000, 5_000_000, 4_000_000) };
        assert_eq!(scenario.tasks[1].task, alpha);
        assert_eq!((scenario.processors, scenario.ranks()), (Some(3), Some(vec![1, 0])));
        let outcomes = scenario.expect.unwrap().outcomes;
        assert_eq!(outcomes, [(Scheduler::PartitionedFixedPriority, ExpectedVerdict::Proven)]);
        assert!(scenario.overheads.is_some());
    }

    #[test]
    fn a_source_of_priorities_has_a_long_and_a_short_word() {
        let policy = |priorities: &str| {
            let head = format!("policy = 'fixed-priority'\npriorities = '{priorities}'\n");
            set(&format!("{head}task = [{{ cost = '1us', period = '4us' }}]")).unwrap().policy
        };
        let [rate, deadline] = [Priorities::RateMonotonic, Priorities::DeadlineMonotonic]
            .map(|from| Some(JobRanking::FixedPriority(from)));
        assert_eq!(["rate-monotonic", "rm", "deadline-monotonic", "dm"].map(policy), [rate, rate, deadline, deadline]);
    }

    #[test]
    fn a_synchronized_set_has_periodic_tasks_alone() {
        let text = |task: &str| format!("unit = 'none'\nsynchronized = true\ntask = [{{ cost = 1, {task} }}]");
        let scenario = set(&text("period = 4, offset = 2, best_case = 1")).unwrap();
        let phase = prazo_core::behaviour::Phase { offset: 2, best_case: 1 };
        assert_eq!(crate::ResolvedBehaviours::of(&scenario).borrow().phases, [phase]);
        let loose = Scenario { synchronized: false, ..scenario };
        assert!(crate::ResolvedBehaviours::of(&loose).borrow().phases.is_empty());
        let sporadic = message(&text("min_inter_arrival = 4"));
        assert!(sporadic.contains("synchronized: task '0' is not periodic"), "{sporadic}");
        let chained = "[[chain]]\nname = 'c'\ntasks = ['0', '1']\nactivated = ['1']";
        let tasks = "period = 4 }, { cost = 1, period = 4";
        assert!(message(&format!("{}\n{chained}", text(tasks))).contains("task '1' is not periodic"));
    }

    #[test]
    fn a_bare_set_has_bare_numbers() {
        let scenario =
            set("unit = 'none'\ntask = [{ cost = 1, period = 4 }, { cost = 2, period = 6, deadline = 9 }]").unwrap();
        assert_eq!(scenario.tasks(), [Task::implicit(1, 4), Task::new(2, 6, 9)]);
        assert_eq!(scenario.tasks[1].name, "1");
        assert!(
            message("unit = 'none'\ntask = [{ cost = '1us', period = 4 }]")
                .contains("the times of the set have no unit")
        );
    }

    #[test]
    fn an_error_names_its_line_its_task_and_its_key() {
        assert_eq!(
            message("[task.gyro]\ncost = '2ms'\nperod = '10ms'"),
            "copter.toml:3: perod of task 'gyro': unknown key for a task; did you mean 'period'?"
        );
        assert!(message("[task.gyro]\ncost = 2\nperiod = '1s'").contains(":2: cost of task 'gyro': '2' has no unit"));
        assert!(message("[task.gyro]\ncost = '2ms'").contains(":1: period of task 'gyro': the key is missing"));
        assert!(message("polcy = 'edf'").contains("did you mean 'policy'?"));
        assert!(message("policy = 'efd'").contains("did you mean 'edf'?"));
        assert!(message("[task.a]\ncost = ['1ms']").contains("cost of task 'a': expected text or a number"));
        assert!(
            message("overheads = 'none.toml'\ntask = [{ cost = '1us', period = '4us' }]")
                .contains("no file 'none.toml'")
        );
    }

    #[test]
    fn a_number_that_is_none_is_told_from_one_in_quotation_marks() {
        let of = |line: &str| message(&format!("{line}\ntask = [{{ cost = '1us', period = '4us' }}]"));
        let negative = of("processors = -3");
        assert!(
            negative.contains("expected a whole number of at least zero, found -3; write the number as in 4"),
            "{negative}"
        );
        let executors = of("[executor.main]\nkind = 'single-threaded'\n");
        assert!(executors.contains("run `prazo sched executors` on it"), "{executors}");
        let quoted = of("processors = '3'");
        assert!(quoted.contains("found the text '3'; write a whole number without quotation marks"), "{quoted}");
    }

    #[test]
    fn a_supply_is_read_written_and_refused_where_it_says_nothing() {
        let tail = "\n[task.a]\ncost = '1ms'\nperiod = '40ms'";
        let scenario = set(&format!("[supply]\nbudget = '4ms'\nperiod_us = 10000{tail}")).unwrap();
        assert_eq!(scenario.supply, Some(Supply::Periodic { budget: 4_000_000, period: 10_000_000 }));
        let written = crate::write::toml(&scenario);
        assert_eq!(set(&written).unwrap().supply, scenario.supply, "{written}");
        let message = |head: &str| message(&format!("{head}{tail}"));
        assert!(message("supply = { budget = '4ms' }").contains("supply: a supply needs a budget and a period"));
        assert!(message("supply = { budget = '4ms', period = '3ms' }").contains("longer than its period"));
        assert!(message("supply = { budget = '0ms', period = '3ms' }").contains("the time is zero"));
        assert!(message("supply = { budget = '1ms', budget_us = 1 }").contains("the key is given twice"));
        assert!(message("supply = { budgt = '4ms', period = '9ms' }").contains("did you mean 'budget'?"));
        let good = "supply = { budget = '1ms', period = '3ms' }";
        assert!(message(&format!("processors = 2\n{good}")).contains("supply: a supply applies to one processor"));
        let served = format!("{good}{tail}\nserver_budget = '1ms'\nserver_period = '40ms'");
        assert!(super::tests::message(&served).contains("server_budget of task 'a': the set has a supply"));
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        let tail = "\ntask = [{ cost = '1us', period = '4us' }]";
        let message = |head: &str| message(&format!("{head}{tail}"));
        assert!(message("processors = 3\nclusters = [2, 2]").contains("make the cluster sizes add up to processors"));
        assert!(message("clusters = [2, 0]").contains("sizes of at least 1"));
        assert!(message("clusters = []").contains("sizes of at least 1"));
        assert!(message("processors = 0").contains("give 1 to 1024"));
        assert!(message("policy = 'edf'\npriorities = 'audsley'").contains("priorities need policy"));
        assert!(
            message("policy = 'fixed-priority'\npriorities = 'given'")
                .contains("priority of task '0': the key is missing")
        );
        let in_cluster = |cluster: u32, clusters: &str| {
            super::tests::message(&format!(
                "{clusters}task = [{{ cost = '1us', period = '4us', cluster = {cluster} }}]"
            ))
        };
        assert!(in_cluster(0, "").contains("there is no cluster 0; remove this key, or give the set clusters"));
        assert!(in_cluster(1, "clusters = [2]\n").contains("there is no cluster 1; the set has only cluster 0"));
        assert!(in_cluster(2, "clusters = [2, 2]\n").contains("choose from cluster 0 to cluster 1"));
        let twins =
            "task = [{ name = 'a', cost = '1us', period = '4us' }, { name = 'a', cost = '1us', period = '4us' }]";
        assert!(super::tests::message(twins).contains("two tasks have this name"));
        assert!(super::tests::message("name = 'x'").contains("there is no task"));
    }
}

#[cfg(test)]
mod supply_tests {
    use crate::read::nothing_beside;
    use crate::{Scenario, write};
    use prazo_core::behaviour::Supply;
    use prazo_core::ratio::Ratio;

    fn set(supply: &str) -> Result<Scenario, String> {
        let text = format!("[supply]\n{supply}\n[task.a]\ncost = '1ms'\nperiod = '400ms'");
        super::read("group.toml", &text, &nothing_beside).map_err(|error| error.to_string())
    }

    fn ms(supply: &str) -> (u64, u64) {
        let set = set(supply).unwrap();
        let (budget, period) = set.supply_words.unwrap().reserved(set.supply.unwrap());
        (budget / 1_000_000, period / 1_000_000)
    }

    #[test]
    fn what_people_have_is_a_budget_in_every_period() {
        assert_eq!(ms("runtime = '40ms'\nperiod = '100ms'"), (30, 100));
        assert_eq!(ms("runtime = '4ms'\nperiod = '10ms'\ntick = '1ms'"), (3, 10));
        assert_eq!(ms("runtime = '4ms'\nperiod = '10ms'\ntick_us = 0"), (4, 10));
        assert_eq!(ms("cpu_max = '20000 100000'"), (10, 100));
        assert_eq!(ms("cpu_max = '20000 100000'\ntick = '1ms'"), (15, 100));
        assert_eq!(ms("cpu_max = '20000 100000'\nslice = '1ms'\ntick = '2ms'"), (18, 100));
        assert_eq!(ms("fair_server = '50ms in 1s'"), (940, 1_000));
        assert_eq!(ms("fair_server = '50ms in 1s'\ntick = '4ms'"), (946, 1_000));
        let rest = Supply::BoundedDelay { rate: Ratio::new(47, 50).unwrap(), delay: 120_000_000 };
        assert_eq!(set("fair_server = '50ms in 1s'").unwrap().supply, Some(rest));
    }

    #[test]
    fn a_rate_and_a_delay_are_kept_exactly() {
        let at_rate = |over, under| Supply::BoundedDelay { rate: Ratio::new(over, under).unwrap(), delay: 6_000_000 };
        for (rate, expected) in
            [("'2/5'", at_rate(2, 5)), ("'0.4'", at_rate(2, 5)), ("0.125", at_rate(1, 8)), ("1", at_rate(1, 1))]
        {
            let scenario = set(&format!("rate = {rate}\ndelay = '6ms'")).unwrap();
            assert_eq!((scenario.supply, scenario.supply_words), (Some(expected), None));
            let written = write::toml(&scenario);
            assert_eq!(super::read("group.toml", &written, &nothing_beside).unwrap(), scenario, "{written}");
        }
        let refused = |supply: &str, why: &str| {
            let message = set(supply).unwrap_err();
            assert!(message.contains(why), "{supply}: {message}");
        };
        refused("rate = '2/5'", "a supply with a rate needs a delay");
        refused("delay = '2ms'", "a supply with a delay needs a rate");
        refused("rate = '0'\ndelay = '2ms'", "the rate is zero");
        refused("rate = '6/5'\ndelay = '2ms'", "the rate is more than one processor");
        refused("rate = 'much'\ndelay = '2ms'", "'much' is not a rate");
        refused("rate = '1/1000000000000000'\ndelay = '2ms'", "denominator of the rate exceeds 2^48");
        refused("rate = '2/5'\ndelay = '2ms'\nperiod = '9ms'", "'period' applies only to budget and runtime");
        refused("rate = '2/5'\ndelay = '2ms'\ntick = '1ms'", "'tick' applies only to");
        refused("rate = '2/5'\ndelay = '2ms'\nbudget = '9ms'", "'budget' and 'rate' state two supplies");
        refused("budget = '1ms'\ndelay = '2ms'\nperiod = '9ms'", "'delay' applies only to rate");
    }

    #[test]
    fn what_the_words_stand_for_is_a_remark_that_is_kept() {
        for (words, remark) in [
            ("cpu_max = '20000 100000'", "quota of 20ms in every 100ms, less 10ms for a slice or a tick"),
            ("runtime = '4ms'\nperiod = '10ms'\ntick = '1ms'", "reservation of 4ms in every 10ms, less 1ms for a tick"),
            ("fair_server = '50ms in 1s'", "may take 50ms in every 1s from these real-time tasks, and 10ms more"),
        ] {
            let scenario = set(words).unwrap();
            assert!(scenario.remarks[0].contains(remark), "{:?}", scenario.remarks);
            let written = write::toml(&scenario);
            let again = super::read("group.toml", &written, &nothing_beside).unwrap();
            assert_eq!(again, scenario, "{written}");
        }
    }

    #[test]
    fn words_that_guarantee_nothing_are_refused() {
        let refused = |supply: &str, why: &str| {
            let message = set(supply).unwrap_err();
            assert!(message.contains(why), "{supply}: {message}");
        };
        refused("cpu_max = '5000 100000'", "no longer than a tick, or than the slices");
        refused("cpu_max = '10000 100000'\nslice = '1ms'", "no longer than a tick");
        refused("cpu_max = '100000 100000'", "does not limit");
        refused("cpu_max = 'max 100000'", "the group has no quota");
        refused("cpu_max = '20ms 100ms'", "as in the file cpu.max");
        refused("cpu_max_ms = '20 100'", "unknown key for a supply; did you mean 'cpu_max'?");
        refused("fair_server_us = '50 in 1000'", "unknown key for a supply; did you mean 'fair_server'?");
        refused("fair_server = '50ms'", "does not state a runtime and a period");
        refused("fair_server = '2s in 1s'", "takes the whole processor; lower its runtime below its period");
        refused("fair_server = '995ms in 1s'", "leaves at most one kernel tick");
        refused("fair_server = '50ms in 1s'\ntick = '0ms'", "the tick is zero");
        refused("cpu_max = '20000 100000'\ntick = '0ms'", "state the tick of the kernel (1 s / CONFIG_HZ)");
        refused("runtime = '4ms'", "needs a budget and a period");
        refused("runtime = '10ms'\nperiod = '100ms'", "at most one kernel tick");
        refused("runtime = '14ms'\nperiod = '10ms'", "longer than its period");
        refused("budget = '0ms'\nperiod = '10ms'", "write a time above zero");
    }

    #[test]
    fn words_that_contradict_each_other_are_refused_by_name() {
        let refused = |supply: &str, why: &str| {
            let message = set(supply).unwrap_err();
            assert!(message.contains(why), "{supply}: {message}");
        };
        refused("runtime = '4ms'\nbudget = '4ms'\nperiod = '10ms'", "'budget' and 'runtime' state two supplies");
        refused(
            "cpu_max = '20000 100000'\nfair_server = '50ms in 1s'",
            "'cpu_max' and 'fair_server' state two supplies",
        );
        refused("cpu_max = '20000 100000'\nperiod = '10ms'", "'period' is also given; remove 'period'");
        refused("budget = '1ms'\nperiod = '9ms'\nslice = '1ms'", "'slice' applies only to cpu_max");
        refused(
            "budget = '1ms'\nperiod = '9ms'\ntick = '1ms'",
            "'tick' applies only to runtime, cpu_max and fair_server",
        );
        let bare = "unit = 'none'\nsupply = { runtime = 4, period = 10 }\ntask = [{ cost = 1, period = 40 }]";
        let message = super::read("bare.toml", bare, &nothing_beside).unwrap_err().to_string();
        assert!(message.contains("must state the tick of the kernel"), "{message}");
    }
}
