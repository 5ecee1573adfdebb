//! A workload of rt-app: each of its threads becomes the periodic task that it imitates, or is refused with the reason.
//!
//! A thread is a periodic task if it runs and then waits for one timer: C is the sum of its runs and T the timer's
//! period. A SCHED_DEADLINE thread is its reservation: the kernel lets it have C in every T and no more. What a task
//! set cannot say but does no harm to a proof (a start delay, a count of loops) is kept as a remark.

mod json;
mod thread;

use super::{stem, whole};
use crate::error::{Problem, ReadError};
use crate::nearest;
use crate::set::{JobRanking, Priorities, Scenario};
use crate::unit::Unit;
use json::Value;
use std::collections::HashMap;
use thread::{Class, Thread};

/// Reads `text`; `file` is named in errors.
pub fn read(file: &str, text: &str) -> Result<Scenario, ReadError> {
    let root = json::parse(file, text)?;
    let scenario = workload(&root, stem(file)).and_then(whole::checked);
    scenario.map_err(|problem| problem.at(file, None))
}

fn object<'a>(value: &'a Value, field: &str) -> Result<&'a [(String, Value)], Problem> {
    match value {
        Value::Object(entries) => Ok(entries),
        _ => Err(Problem::new("expected an object", "write the object in braces").of(field)),
    }
}

fn workload(root: &Value, name: String) -> Result<Scenario, Problem> {
    let root = object(root, "the workload")?;
    if let Some((key, _)) = root.iter().find(|(key, _)| !matches!(key.as_str(), "tasks" | "global" | "resources")) {
        let remedy = nearest::remedy(key, &["tasks", "global", "resources"]);
        return Err(Problem::new("unknown key for a workload", remedy).of(key));
    }
    let class = default_class(root)?;
    let mut threads = Vec::new();
    for (_, tasks) in root.iter().filter(|(key, _)| key == "tasks") {
        for (name, value) in object(tasks, "tasks")? {
            threads.push(Thread::read(name, value, class).map_err(|problem| problem.in_task(name))?);
        }
    }
    own_timers(&threads)?;
    let policy = policy(&threads)?;
    let remarks = remarks(&threads, policy);
    let mut scenario = Scenario { name, remarks, unit: Some(Unit::Nanosecond), policy, ..Scenario::default() };
    for thread in &threads {
        thread.add_tasks(&mut scenario.tasks)?;
    }
    Ok(scenario)
}

/// The scheduling class of threads that state none.
fn default_class(root: &[(String, Value)]) -> Result<Class, Problem> {
    let Some((_, global)) = root.iter().find(|(key, _)| key == "global") else { return Ok(Class::Other) };
    match object(global, "global")?.iter().find(|(key, _)| key == "default_policy") {
        Some((key, value)) => Class::read(value).map_err(|problem| problem.of(key)),
        None => Ok(Class::Other),
    }
}

/// No two threads wait for the same timer: its expiries would go now to one, now to the other.
fn own_timers(threads: &[Thread]) -> Result<(), Problem> {
    let mut owners: HashMap<&str, &str> = HashMap::new();
    for thread in threads {
        let Some(timer) = thread.shared_timer() else { continue };
        let problem = if thread.instances > 1 {
            format!("the {} instances of this thread share the timer '{timer}'", thread.instances)
        } else if let Some(owner) = owners.insert(timer, &thread.name) {
            format!("this thread shares the timer '{timer}' with '{owner}'")
        } else {
            continue;
        };
        let remedy = "name the timer \"unique\" to give every thread its own";
        return Err(Problem::new(problem, remedy).of("timer").in_task(&thread.name));
    }
    Ok(())
}

/// The one policy that ranks all jobs; `None` where no real-time policy is stated.
fn policy(threads: &[Thread]) -> Result<Option<JobRanking>, Problem> {
    let Some(first) = threads.first() else { return Ok(None) };
    if let Some(other) = threads.iter().find(|thread| thread.class.ranks() != first.class.ranks()) {
        let problem = format!(
            "the policy of this thread is {}, but that of '{}' is {}",
            other.class.word(),
            first.name,
            first.class.word()
        );
        let remedy = "analyse the threads of each policy as a separate set; the answer for SCHED_FIFO and SCHED_RR threads holds only on processors without SCHED_DEADLINE threads";
        return Err(Problem::new(problem, remedy).of("policy").in_task(&other.name));
    }
    sliced(threads)?;
    Ok(first.class.ranks())
}

/// Refuses threads that share a priority and take turns.
fn sliced(threads: &[Thread]) -> Result<(), Problem> {
    let turns = threads.iter().filter(|thread| thread.class == Class::RoundRobin);
    for thread in turns {
        let alike =
            threads.iter().filter(|other| other.priority == thread.priority).map(|other| other.instances).sum::<u32>();
        if alike > 1 {
            let problem = format!("SCHED_RR time-slices the {alike} threads of priority {}", thread.priority);
            let remedy = "give each thread a different priority, or use SCHED_FIFO";
            return Err(Problem::new(problem, remedy).of("policy").in_task(&thread.name));
        }
    }
    Ok(())
}

/// What was assumed, one sentence each.
fn remarks(threads: &[Thread], policy: Option<JobRanking>) -> Vec<String> {
    let mut remarks: Vec<String> = threads.iter().flat_map(|thread| thread.remarks.iter().cloned()).collect();
    let mut priorities: Vec<u32> = threads.iter().map(|thread| thread.priority).collect();
    priorities.sort_unstable();
    let equal =
        priorities.windows(2).any(|pair| pair[0] == pair[1]) || threads.iter().any(|thread| thread.instances > 1);
    if policy == Some(JobRanking::FixedPriority(Priorities::Given)) && equal {
        remarks.push(
            "threads of equal priority are ranked in the order of the file; the kernel runs them in the order of their wake-ups"
                .into(),
        );
    }
    if policy.is_none() && !threads.is_empty() {
        remarks.push("no real-time policy is stated; SCHED_OTHER guarantees no deadline".into());
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Arrival;
    use prazo_core::task::Task;

    fn set(text: &str) -> Result<Scenario, ReadError> {
        read("load.json", text)
    }

    fn message(text: &str) -> String {
        set(text).unwrap_err().to_string()
    }

    fn one(thread: &str) -> String {
        format!("{{ \"tasks\": {{ \"t0\": {{ {thread} }} }} }}")
    }

    #[test]
    fn run_and_timer_make_a_task() {
        let scenario = set(r#"{ "tasks": { "audio": { "cpus": [0, 2], "priority": 12,
                     "phases": { "p": { "run0": 500, "run1": 250,
                       "timer0": { "ref": "unique", "period": 5000, "mode": "absolute" } } } },
                 "log": { "instance": 2, "runtime": 100, "timer": { "ref": "unique", "period": 20000 } } },
               "global": { "default_policy": "SCHED_FIFO" } }"#)
        .unwrap();
        let names: Vec<&str> = scenario.tasks.iter().map(|named| named.name.as_str()).collect();
        assert_eq!(names, ["audio", "log-0", "log-1"]);
        assert_eq!(scenario.tasks[0].task, Task::implicit(750_000, 5_000_000));
        assert_eq!(scenario.tasks[0].affinity.unwrap().to_string(), "0,2");
        assert_eq!((scenario.tasks[0].arrival, scenario.tasks[1].arrival), (Arrival::Periodic, Arrival::Sporadic));
        assert_eq!(scenario.policy, Some(JobRanking::FixedPriority(Priorities::Given)));
        assert_eq!(scenario.ranks(), Some(vec![87, 89, 89]));
        assert!(scenario.remarks[0].contains("equal priority"));
    }

    #[test]
    fn a_deadline_thread_is_its_reservation() {
        let text = one(r#""policy": "SCHED_DEADLINE", "run": 900, "timer": { "ref": "unique", "period": 10000 },
                          "dl-runtime": 1000, "dl-period": 10000, "dl-deadline": 8000"#);
        let scenario = set(&text).unwrap();
        assert_eq!(scenario.tasks(), [Task::new(1_000_000, 10_000_000, 8_000_000)]);
        assert_eq!(scenario.policy, Some(JobRanking::Edf));
        let starved = text.replace("\"run\": 900", "\"run\": 1500");
        assert!(message(&starved).contains("runs 1500 µs, more than its reservation of 1000 µs"));
        let hurried = text.replace("\"ref\": \"unique\", \"period\": 10000", "\"ref\": \"unique\", \"period\": 9000");
        assert!(message(&hurried).contains("the thread's timer expires every 9000 µs"));
    }

    #[test]
    fn what_is_no_periodic_task_is_refused_with_the_reason() {
        let timer = r#""timer": { "ref": "unique", "period": 10000 }"#;
        let with = |more: &str| message(&one(&format!("{timer}, {more}")));
        assert!(message(&one("\"run\": 5")).contains("without a timer"));
        assert!(message(&one(timer)).contains("the thread never runs"));
        assert!(with("\"run\": 5, \"sleep\": 5").contains("sleep of task 't0'"));
        assert!(with("\"run\": 5, \"lock\": \"m\"").contains("lock of task 't0'"));
        assert!(with("\"run\": 5, \"mem\": 4096").contains("run time is unknown"));
        assert!(with("\"runn\": 5").contains("did you mean 'run'?"));
        assert!(with("\"exec\": 5").contains("older"));
        assert!(with("\"run\": 5, \"timer1\": { \"ref\": \"b\", \"period\": 7 }").contains("second timer"));
        assert!(with("\"run\": -5").contains("whole number"));
        assert!(with("\"run\": 5, \"instance\": 99999999").contains("at most"));
        assert!(message("{ \"tasks\": {} }").contains("there is no task"));
        assert!(message("{ \"taks\": {} }").contains("did you mean 'tasks'?"));
        let phase = format!("\"run\": 5, {timer}");
        let phases = format!("\"phases\": {{ \"a\": {{ {phase} }}, \"b\": {{ {phase} }} }}");
        assert!(message(&one(&phases)).contains("2 phases"));
    }

    #[test]
    fn shared_timers_and_mixed_policies_are_refused() {
        let thread = |name: &str, more: &str| {
            format!("\"{name}\": {{ \"run\": 5, \"timer\": {{ \"ref\": \"tick\", \"period\": 100 }} {more} }}")
        };
        let two = |more: &str| message(&format!("{{ \"tasks\": {{ {}, {} }} }}", thread("a", ""), thread("b", more)));
        assert!(two("").contains("shares the timer 'tick' with 'a'"));
        let mixed = two(", \"policy\": \"SCHED_FIFO\"").replace("tick", "unique");
        assert!(mixed.contains("shares the timer"), "{mixed}");
        let other = thread("a", "").replace("tick", "unique");
        let fifo = thread("b", ", \"policy\": \"SCHED_FIFO\"");
        assert!(
            message(&format!("{{ \"tasks\": {{ {other}, {fifo} }} }}"))
                .contains("the policy of this thread is SCHED_FIFO, but that of 'a' is SCHED_OTHER")
        );
        let turns = thread("b", ", \"instance\": 2, \"policy\": \"SCHED_RR\"").replace("tick", "unique");
        assert!(message(&format!("{{ \"tasks\": {{ {turns} }} }}")).contains("time-slices"));
    }
}
