//! Overheads are charged again by the checker, and the charge is refused if it is off by one tick anywhere.

use crate::reference::{records, tasks};
use crate::{answer, question};
use prazo_analysis::question::{JobRanking, Priorities, Question, Shape};
use prazo_analysis::{Finding, Task, TimeModel, certificate};
use prazo_checker::Rejected;
use prazo_core::behaviour::Behaviours;
use prazo_core::overheads::{Function, Overhead, Overheads};
use prazo_core::ratio::Ratio;
use serde_json::Value;

/// A record's amount, exactly as it is written; nothing where it is absent.
fn amount(record: &Value, name: &str) -> Ratio {
    record["oh"].get(name).map_or(Ratio::ZERO, |value| value.to_string().parse().unwrap())
}

/// The platform of a record.
fn platform(record: &Value) -> Overheads<'static> {
    let constant = |name: &str| Overhead::constant(amount(record, name));
    let delay = Function::Affine { base: amount(record, "cpmd_base"), slope: amount(record, "cpmd_per_kib") };
    let cache_delay = Overhead { amount: delay, ..Overhead::NONE };
    Overheads {
        release: constant("release"),
        scheduling: constant("schedule"),
        context_switch: constant("cxs"),
        tick: constant("tick"),
        tick_period: record["oh"]["quantum"].as_u64(),
        ipi_latency: constant("ipi"),
        event_latency: constant("release_latency"),
        cache_delay: if record["kind"] == "fp" { constant("cpmd") } else { cache_delay },
        initial_cache_load: constant("init_base"),
        dedicated_interrupt_processor: record["dedicated"] == 1,
    }
}

/// What the checker says of the question's tasks charged as `inflated`; `None` if nothing could be written.
fn check(question: &Question<'_>, inflated: &[Task], test: &'static str) -> Option<Result<(), Rejected>> {
    let answer = answer(Finding::proven(test, None, None, 0), Some(inflated.to_vec()));
    let text = certificate::write(question, &answer).ok()?;
    Some(prazo_checker::check(&text).map(|_| ()))
}

/// One tick more and less in each time of each task.
fn off_by_one(tasks: &[Task]) -> Vec<Vec<Task>> {
    let fields: [fn(&mut Task) -> &mut u64; 3] = [|t| &mut t.cost, |t| &mut t.period, |t| &mut t.deadline];
    let change = |(place, field, by): (usize, usize, i64)| {
        let mut changed = tasks.to_vec();
        let time = fields[field](&mut changed[place]);
        *time = time.saturating_add_signed(by).max(1);
        changed
    };
    let places =
        (0..tasks.len()).flat_map(|place| (0..3).flat_map(move |field| [(place, field, 1), (place, field, -1)]));
    places.map(change).filter(|changed| changed != tasks).collect()
}

#[test]
fn charges_of_the_reference_are_accepted_and_one_tick_off_is_not() {
    let (mut exact, mut refused) = (0, 0);
    for record in records("schedcat-overheads.jsonl").iter().filter(|record| record["status"] == "ok") {
        let tasks = tasks(record);
        let times: Vec<[u64; 3]> = serde_json::from_value(record["q"].clone()).unwrap();
        let inflated: Vec<Task> = times.iter().map(|[c, t, d]| Task::new(*c, *t, *d)).collect();
        let processors = record["m"].as_u64().unwrap() as u32;
        let question = Question {
            overheads: Some(platform(record)),
            time: TimeModel::Discrete,
            ..question(&tasks, JobRanking::Edf, processors)
        };
        let rejection = check(&question, &inflated, "BAK").unwrap();
        assert!(!matches!(rejection, Err(Rejected::WronglyCharged(_))), "{} {rejection:?}", record["id"]);
        exact += 1;
        for changed in off_by_one(&inflated).iter().take(60) {
            let rejection = check(&question, changed, "BAK").unwrap();
            assert!(
                matches!(rejection, Err(Rejected::WronglyCharged(_))),
                "{} {rejection:?} {changed:?}",
                record["id"]
            );
            refused += 1;
        }
    }
    println!("{exact} sets charged exactly, {refused} charges one tick off refused");
}

#[test]
fn fixed_priority_records_of_the_reference_have_certificates() {
    let (mut shown, mut none) = (0, 0);
    for record in records("schedcat-overheads.jsonl").iter().filter(|record| record["kind"] == "fp") {
        let tasks = tasks(record);
        let times: Vec<[u64; 4]> = serde_json::from_value(record["inflated"].clone()).unwrap();
        let inflated: Vec<Task> =
            times.iter().map(|[c, t, d, j]| Task { jitter: *j, ..Task::new(*c, *t, *d) }).collect();
        let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
        let question = Question {
            policy: JobRanking::FixedPriority(Priorities::Given(&ranks)),
            shape: Shape::Clusters(&[1]),
            places: None,
            behaviours: Behaviours::PLAIN,
            overheads: Some(platform(record)),
            tasks: &tasks,
            time: TimeModel::Discrete,
        };
        let question = Question { shape: Shape::Global { processors: 1 }, ..question };
        match check(&question, &inflated, "response times") {
            Some(rejection) => {
                assert_eq!(rejection, Ok(()), "{}", record["id"]);
                assert_eq!(record["schedulable"], 1, "{}", record["id"]);
                shown += 1;
            }
            None => {
                assert_eq!(record["schedulable"], 0, "{}", record["id"]);
                none += 1;
            }
        }
    }
    println!("{shown} shown, {none} without a certificate");
}

#[test]
fn a_cheaper_platform_than_charged_is_refused_under_edf() {
    let tasks = [Task::implicit(10, 100), Task::implicit(20, 200)];
    let overheads = Overheads { context_switch: Overhead::constant(Ratio::whole(3)), ..Overheads::NONE };
    let question = Question { overheads: Some(overheads), ..question(&tasks, JobRanking::Edf, 1) };
    let charged = |more: u64| tasks.map(|task| Task { cost: task.cost + more, ..task });
    assert_eq!(check(&question, &charged(6), "utilization"), Some(Ok(())));
    for more in [5, 7] {
        assert!(check(&question, &charged(more), "utilization").unwrap().is_err());
    }
}
