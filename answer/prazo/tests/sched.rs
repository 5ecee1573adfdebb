//! Each function of `prazo::sched` called as a notebook would call it: no command, no printing.

mod support;

use prazo::sched::advise::{Advice, ChangeKind};
use prazo::sched::{
    self, AdviseRequest, BatchCount, DeployMode, DeployRequest, ExperimentRequest, InversionRequest, PartitionRequest,
    RunOptions, RunRequest, ScheduleFiles, SchedulerOptions, SimulateRequest, SimulationOptions, Stage, TaskSet,
    TestRequest, UndeployRequest, Verified, VerifyRequest, WatchRequest,
};
use prazo::{Error, FileKind, Remark};
use prazo_analysis::question::Method;
use prazo_core::behaviour::Supply;
use prazo_core::time::Duration;
use prazo_core::time_model::TimeModel;
use prazo_core::verdict::Verdict;
use prazo_deploy::Carrier;
use prazo_scenario::{Criterion, Scenario, Shape, read};
use prazo_sim::Variation;
use prazo_sim::execution::Distribution;
use prazo_verdict::Outcome;
use sched::ShapeChoice;
use support::Recorded;

/// Two light tasks on one processor.
fn robot() -> Scenario {
    let text = "name = 'robot'\nprocessors = 1\n[task.arm]\ncost = '2ms'\nperiod = '20ms'\n[task.eye]\ncost = '4ms'\nperiod = '40ms'\n";
    read::any("robot.toml".as_ref(), text).unwrap()
}

fn given() -> TaskSet {
    TaskSet::Given(Box::new(robot()))
}

fn partitioned() -> SchedulerOptions {
    SchedulerOptions { shape: Some(ShapeChoice::Stated(Shape::Partitioned)), ..SchedulerOptions::default() }
}

/// 40 ms of jobs as real-time threads on the first processor that this process may use.
fn brief(file: std::path::PathBuf) -> RunOptions {
    RunOptions {
        scheduler: SchedulerOptions { policy: Some(Criterion::RateMonotonic), ..partitioned() },
        variation: Variation { seed: 1, ..Variation::default() },
        duration: Duration::from_ms(40),
        step: None,
        reserve: None,
        stage: Stage::Here { cpus: None },
        file: Some(file),
        command: "a test".into(),
    }
}

/// True where this process may not have real-time threads, or something else of the system refused; such an error says why.
fn is_refused_by_the_system<T>(result: &Result<T, Error>) -> bool {
    matches!(result, Err(Error::Failed(fault)) if !fault.to_string().is_empty())
}

#[test]
fn test_proves_a_set_in_memory_and_writes_its_certificate_which_verify_accepts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("robot.cert");
    let request = TestRequest { certificate: Some(file.clone()), sensitivity: true, ..TestRequest::new(given()) };
    let mut heard = Recorded::default();
    let answer = sched::test(&request, &mut heard).unwrap();
    assert_eq!((answer.verdict(), answer.title.as_str()), (Verdict::Proven, "robot"));
    assert_eq!(heard.remarks, [Remark::Written { what: FileKind::Certificate, file: file.clone() }]);
    let document = serde_json::to_value(answer.document()).unwrap();
    assert_eq!((&document["verdict"], &document["tasks"][1]), (&"proven".into(), &"eye".into()));
    assert!(document["sensitivity"]["cost_factor"].as_f64().unwrap() > 1.0, "{document}");
    assert_eq!(answer.dossier().names, ["arm", "eye"]);
    let verified = sched::verify(&VerifyRequest { file, against: None }, &mut Recorded::default()).unwrap();
    assert_eq!((verified.accepted, verified.verdict), (true, Some(Verdict::Proven)), "{:?}", verified.sentences);
}

/// Four tasks on two processors, `longest` said of each; a job misses where another arrives at half a tick.
fn four(longest: &str) -> Scenario {
    let task = |priority: u32, cost: u32, period: u32| {
        format!(
            "[task.t{priority}]\ncost = '{cost}ms'\nmin_inter_arrival = '{period}ms'\npriority = {priority}\n{longest}"
        )
    };
    let tasks = [task(0, 1, 2), task(1, 1, 2), task(2, 1, 6), task(3, 2, 4)].concat();
    let text =
        format!("name = 'four'\nunit = 'ms'\nprocessors = 2\npolicy = 'fixed-priority'\npriorities = 'given'\n{tasks}");
    read::any("four.toml".as_ref(), &text).unwrap()
}

/// A miss needs an arrival at half a tick; the search of all states finds it, and lets more time pass between two arrivals than
/// `max_inter_arrival` may allow.
#[test]
fn a_miss_for_which_too_much_time_passes_between_arrivals_disproves_nothing() {
    let set = |longest: &str| TestRequest::new(TaskSet::Given(Box::new(four(longest))));
    let verdict = |longest: &str| sched::test(&set(longest), &mut Recorded::default()).unwrap().answer.verdict;
    assert_eq!(verdict(""), Verdict::Disproven);
    assert_eq!(verdict("max_inter_arrival = '6ms'\n"), Verdict::Unknown);
}

#[test]
fn test_refuses_a_file_that_is_not_there_as_the_requests_fault() {
    let request = TestRequest::new(std::path::PathBuf::from("no-such-set.toml"));
    let refused = sched::test(&request, &mut Recorded::default()).unwrap_err();
    assert!(matches!(refused, Error::Refused(_)) && refused.to_string().contains("no-such-set.toml"), "{refused}");
}

#[test]
fn verify_answers_about_a_text_that_is_no_certificate_and_refuses_a_file_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.cert");
    let request = VerifyRequest { file: file.clone(), against: None };
    let refused = sched::verify(&request, &mut Recorded::default()).unwrap_err();
    assert_eq!((refused.errno(), matches!(refused, Error::Refused(_))), (Some(2), true), "{refused}");
    std::fs::write(&file, "no certificate\n").unwrap();
    let answer = sched::verify(&request, &mut Recorded::default()).unwrap();
    assert_eq!((answer.accepted, answer.verdict, answer.sentences.len()), (false, None, 1));
}

/// The budget of a supply that has one.
fn budget_of(scenario: &Scenario) -> u64 {
    match scenario.supply {
        Some(Supply::Periodic { budget, .. }) => budget,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_bounded_delay_is_stated_certified_and_simulated() {
    let folder = tempfile::tempdir().unwrap();
    let with = |policy: &str, rate: &str| {
        let tasks = "[task.arm]\ncost = '2ms'\nperiod = '20ms'\n[task.eye]\ncost = '4ms'\nperiod = '40ms'\n";
        read::any(
            "robot.toml".as_ref(),
            &format!("policy = '{policy}'\nsupply = {{ rate = '{rate}', delay = '12ms' }}\n{tasks}"),
        )
        .unwrap()
    };
    for (policy, rate, expected) in [
        ("edf", "2/5", Verdict::Proven),
        ("edf", "1/5", Verdict::Disproven),
        ("fixed-priority", "2/5", Verdict::Proven),
        ("fixed-priority", "1/5", Verdict::Disproven),
    ] {
        let scenario = with(policy, rate);
        let file = folder.path().join(format!("{policy}-{}.cert", rate.replace('/', "-")));
        let given = || TaskSet::Given(Box::new(scenario.clone()));
        let request = TestRequest { certificate: Some(file.clone()), ..TestRequest::new(given()) };
        let answer = sched::test(&request, &mut Recorded::default()).unwrap();
        let document = serde_json::to_value(answer.document()).unwrap();
        assert_eq!(answer.verdict(), expected, "{policy} {rate}: {document}");
        let supply = serde_json::json!({ "budget": null, "period": null, "rate": rate, "delay": 12_000_000 });
        assert_eq!(document["supply"], supply);
        assert!(
            document["remarks"][0].as_str().unwrap().contains("of the processor after a delay of 12ms"),
            "{document}"
        );
        let against = folder.path().join("against.toml");
        std::fs::write(&against, prazo_scenario::write::toml(&with(policy, "2/5"))).unwrap();
        let request = VerifyRequest { file: file.clone(), against: Some(against) };
        let verified = sched::verify(&request, &mut Recorded::default()).unwrap();
        assert!(verified.accepted && verified.sentences.iter().any(|one| one.contains("at least its rate times")));
        let differences = verified.differences.unwrap();
        let differs = |difference: &String| {
            difference.starts_with("supply: 1/5 of the processor after a delay of 12000000 ticks")
        };
        assert_eq!(differences.iter().any(differs), rate == "1/5", "{differences:?}");
        let options = SimulationOptions { duration: Some(Duration::from_ms(1_000)), ..SimulationOptions::default() };
        let schedule = ScheduleFiles::default();
        let request = SimulateRequest { tasks: given(), options, schedule, report: None, command: "a test".into() };
        let simulated = sched::simulate(&request, &mut Recorded::default()).unwrap();
        assert_eq!(simulated.document.misses == 0, expected == Verdict::Proven, "{policy} {rate}");
    }
}

#[test]
fn a_supply_is_stated_certified_simulated_and_refused_by_whoever_runs_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let with = |budget: &str| {
        let supply = format!("supply = {{ budget = '{budget}', period = '10ms' }}\n");
        let tasks = "[task.arm]\ncost = '2ms'\nperiod = '20ms'\n[task.eye]\ncost = '4ms'\nperiod = '40ms'\n";
        read::any("robot.toml".as_ref(), &format!("{supply}{tasks}")).unwrap()
    };
    let tested = |scenario: Scenario| {
        let file = folder.path().join(format!("{}.cert", budget_of(&scenario)));
        let tasks = TaskSet::Given(Box::new(scenario));
        let request = TestRequest { certificate: Some(file), sensitivity: true, ..TestRequest::new(tasks) };
        sched::test(&request, &mut Recorded::default()).unwrap()
    };
    let answer = tested(with("4ms"));
    let document = serde_json::to_value(answer.document()).unwrap();
    assert_eq!((answer.verdict(), &document["linux"]), (Verdict::Proven, &serde_json::Value::Null));
    assert!(document["remarks"][0].as_str().unwrap().contains("a supply of 4ms in every 10ms"), "{document}");
    assert!(document.to_string().contains("demand in a supply"), "{document}");
    assert_eq!(
        document["supply"],
        serde_json::json!({ "budget": 4_000_000, "period": 10_000_000, "rate": null, "delay": null })
    );
    assert!(answer.dossier().notes.iter().any(|note| note.contains("a supply of 4ms in every 10ms")));
    let scenario = |name: &str, scenario: &Scenario| {
        let file = folder.path().join(name);
        std::fs::write(&file, prazo_scenario::write::toml(scenario)).unwrap();
        file
    };
    let differences = |against: &Scenario| {
        let against = Some(scenario("against.toml", against));
        let request = VerifyRequest { file: folder.path().join("4000000.cert"), against };
        let verified = sched::verify(&request, &mut Recorded::default()).unwrap();
        assert!(verified.accepted && verified.sentences.iter().any(|one| one.contains("the supply grants its budget")));
        verified.differences.unwrap()
    };
    assert_eq!(differences(&with("4ms")), Vec::<String>::new());
    assert!(
        differences(&with("5ms"))[0].starts_with("supply: 4000000 in every 10000000 ticks in the certificate, 5000000")
    );
    assert!(differences(&robot())[0].ends_with("the whole processor in the scenario"));
    assert_eq!(tested(with("2ms")).verdict(), Verdict::Disproven, "all of the utilization, but late");
    let tasks = || TaskSet::Given(Box::new(with("4ms")));
    let (options, schedule) = (SimulationOptions::default(), ScheduleFiles::default());
    let request = SimulateRequest { tasks: tasks(), options, schedule, report: None, command: "a test".into() };
    let simulated = sched::simulate(&request, &mut Recorded::default()).unwrap();
    assert_eq!(simulated.document.misses, 0, "what is proven is in time");
    let options = brief(folder.path().join("run.prazo"));
    let ran = sched::run(
        &RunRequest { tasks: tasks(), options, schedule: ScheduleFiles::default() },
        &mut Recorded::default(),
    );
    let refused = ran.map(|_| ()).unwrap_err();
    assert!(matches!(refused, Error::Refused(_)) && refused.to_string().contains("supply"), "{refused}");
}

#[test]
fn suspensions_are_stated_certified_simulated_and_refused_by_whoever_runs_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let with = |suspends: &str| {
        let arm = "[task.arm]\ncost = '2ms'\nperiod = '20ms'\n";
        let eye = format!("[task.eye]\ncost = '4ms'\nperiod = '40ms'\nsuspends = '{suspends}'\n");
        read::any("robot.toml".as_ref(), &format!("processors = 1\n{arm}{eye}")).unwrap()
    };
    let file = |name: &str| folder.path().join(name);
    let tested = |scenario: Scenario, certificate: &str| {
        let tasks = TaskSet::Given(Box::new(scenario));
        let request =
            TestRequest { certificate: Some(file(certificate)), sensitivity: true, ..TestRequest::new(tasks) };
        sched::test(&request, &mut Recorded::default()).unwrap()
    };
    let answer = tested(with("15ms"), "in-time.cert");
    let document = serde_json::to_value(answer.document()).unwrap();
    assert_eq!((answer.verdict(), &document["linux"]), (Verdict::Proven, &serde_json::Value::Null));
    let remark =
        "Jobs suspend themselves ('eye' for at most 15ms). A proof holds for all possible instants of suspension.";
    assert_eq!(document["remarks"], serde_json::json!([remark]));
    assert!(document.to_string().contains("demand with suspension"), "{document}");
    let differences = |suspends: &str| {
        std::fs::write(file("against.toml"), prazo_scenario::write::toml(&with(suspends))).unwrap();
        let request = VerifyRequest { file: file("in-time.cert"), against: Some(file("against.toml")) };
        let verified = sched::verify(&request, &mut Recorded::default()).unwrap();
        assert!(
            verified.accepted
                && verified.sentences.iter().any(|one| one.contains("suspends itself for at most the listed time"))
        );
        verified.differences.unwrap()
    };
    assert_eq!(differences("15ms"), Vec::<String>::new());
    assert!(differences("16ms")[0].contains("suspension or criticality differ"));
    let late = tested(with("37ms"), "late.cert");
    assert_eq!(late.verdict(), Verdict::Disproven);
    let why = serde_json::to_string(&late.document()).unwrap();
    assert!(why.contains("\"window\":40000000"), "{why}");
    let tasks = || TaskSet::Given(Box::new(with("15ms")));
    let (options, schedule) = (SimulationOptions::default(), ScheduleFiles::default());
    let request = SimulateRequest { tasks: tasks(), options, schedule, report: None, command: "a test".into() };
    let simulated = sched::simulate(&request, &mut Recorded::default()).unwrap();
    assert_eq!(simulated.document.misses, 0, "what is proven is in time");
    let options = brief(folder.path().join("run.prazo"));
    let ran = sched::run(
        &RunRequest { tasks: tasks(), options, schedule: ScheduleFiles::default() },
        &mut Recorded::default(),
    );
    let refused = ran.map(|_| ()).unwrap_err();
    assert!(matches!(refused, Error::Refused(_)) && refused.to_string().contains("suspen"), "{refused}");
}

#[test]
fn two_criticalities_are_proven_certified_simulated_and_refused_by_whoever_runs_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let with = |cost_high: &str, policy: &str| {
        let control =
            format!("[task.control]\ncriticality = 'high'\ncost = '2ms'\ncost_high = '{cost_high}'\nperiod = '20ms'\n");
        let display = "[task.display]\ncost = '10ms'\nperiod = '25ms'\nexecution = '10ms'\n";
        read::any("craft.toml".as_ref(), &format!("processors = 1\npolicy = '{policy}'\n{control}{display}")).unwrap()
    };
    let file = |name: &str| folder.path().join(name);
    for (policy, decided_by, cost_high) in [("edf", "EDF-VD", "14ms"), ("fixed-priority", "AMC-rtb", "20ms")] {
        let tasks = || TaskSet::Given(Box::new(with(cost_high, policy)));
        let request = TestRequest { certificate: Some(file(policy)), ..TestRequest::new(tasks()) };
        let answer = sched::test(&request, &mut Recorded::default()).unwrap();
        let document = serde_json::to_value(answer.document()).unwrap();
        assert_eq!((&document["verdict"], &document["decided_by"]), (&"proven".into(), &decided_by.into()));
        // U_LL = 2/5 and U_HL = 1/10: x = 1/6.
        let factor = if policy == "edf" { "1/6".into() } else { serde_json::Value::Null };
        assert_eq!(document["virtual_deadlines"], factor);
        assert!(document["remarks"][0].as_str().unwrap().starts_with("The tasks have two criticalities."));
        let differences = |against: &str| {
            std::fs::write(file("against.toml"), prazo_scenario::write::toml(&with(against, policy))).unwrap();
            let request = VerifyRequest { file: file(policy), against: Some(file("against.toml")) };
            let verified = sched::verify(&request, &mut Recorded::default()).unwrap();
            assert!(verified.accepted && verified.sentences.iter().any(|one| one.contains("begins high mode")));
            verified.differences.unwrap()
        };
        assert_eq!(differences(cost_high), Vec::<String>::new());
        assert!(differences("13ms")[0].contains("criticality differ"));
        let mut options =
            SimulationOptions { duration: Some(Duration::from_ms(20_000)), ..SimulationOptions::default() };
        options.variation.distribution = Distribution::Overrun { rare_thousandths: 20_000, one_in: 2 };
        let schedule = ScheduleFiles::default();
        let request = SimulateRequest { tasks: tasks(), options, schedule, report: None, command: "a test".into() };
        let simulated = sched::simulate(&request, &mut Recorded::default()).unwrap();
        let document = &simulated.document;
        assert_eq!(document.misses, 0, "what is proven is in time");
        assert!(document.mode_changes > 0 && document.dropped > 0, "{simulated}");
        assert!(simulated.to_string().contains("High mode began"), "{simulated}");
        let request = TestRequest { sensitivity: true, ..TestRequest::new(tasks()) };
        let refused = sched::test(&request, &mut Recorded::default()).map(|_| ()).unwrap_err();
        assert!(refused.to_string().contains("mixed criticality is not covered by --sensitivity"), "{refused}");
    }
    let options = brief(folder.path().join("run.prazo"));
    let tasks = TaskSet::Given(Box::new(with("14ms", "edf")));
    let request = RunRequest { tasks, options, schedule: ScheduleFiles::default() };
    let refused = sched::run(&request, &mut Recorded::default()).map(|_| ()).unwrap_err();
    assert!(matches!(refused, Error::Refused(_)) && refused.to_string().contains("of high criticality"), "{refused}");
}

#[test]
fn partition_places_each_task_by_each_heuristic() {
    let options = SchedulerOptions { processors: Some(2), ..SchedulerOptions::default() };
    let request = PartitionRequest { tasks: given(), options, method: Method::default() };
    let answer = sched::partition(&request, &mut Recorded::default()).unwrap();
    assert_eq!((answer.verdict(), answer.answer.packings.len()), (Verdict::Proven, 3));
    assert_eq!(answer.document().clusters, [1, 1]);
}

#[test]
fn batches_answer_each_record_by_its_id() {
    let records = "{\"id\":\"a\",\"m\":1,\"t\":[[1,4],[2,6]]}\n{\"id\":\"b\",\"m\":0,\"t\":[[1,4]]}\n";
    let ids = |lines: &[u8]| -> Vec<(String, bool)> {
        let lines = std::str::from_utf8(lines).unwrap().lines();
        let line = |line| serde_json::from_str::<serde_json::Value>(line).unwrap();
        lines.map(line).map(|line| (line["id"].as_str().unwrap().to_owned(), line["error"].is_null())).collect()
    };
    let expected = [("a".to_owned(), true), ("b".to_owned(), false)];
    let mut tested = Vec::new();
    let one_refused = BatchCount { records: 2, refused: 1 };
    let count = sched::test_batch(&mut records.as_bytes(), &mut tested, &Method::default(), TimeModel::Continuous);
    assert_eq!(count.unwrap(), one_refused);
    assert_eq!(ids(&tested), expected);
    let mut simulated = Vec::new();
    let count = sched::simulate_batch(&mut records.as_bytes(), &mut simulated, &SimulationOptions::default());
    assert_eq!(count.unwrap(), one_refused);
    assert_eq!(ids(&simulated), expected);
    let folder = tempfile::tempdir().unwrap();
    let options = brief(folder.path().join("batch.prazo"));
    match sched::run_batch(&mut "{\"id\":\"b\",\"m\":0,\"t\":[[1,4]]}".as_bytes(), &options, &mut Recorded::default()) {
        Ok((lines, count)) => {
            assert!(lines[0].error.is_some() && lines[0].id == "b");
            assert_eq!(count, BatchCount { records: 1, refused: 1 });
        }
        refused => assert!(is_refused_by_the_system(&refused)),
    }
}

#[test]
fn simulate_sees_the_schedule_repeat_and_draws_it() {
    let folder = tempfile::tempdir().unwrap();
    let gantt = folder.path().join("robot.svg");
    let schedule = ScheduleFiles { gantt: Some(gantt.clone()), ..ScheduleFiles::default() };
    let report = folder.path().join("robot.md");
    let request = SimulateRequest {
        tasks: given(),
        options: SimulationOptions::default(),
        schedule,
        report: Some(report.clone()),
        command: "a test".into(),
    };
    let mut heard = Recorded::default();
    let answer = sched::simulate(&request, &mut heard).unwrap();
    assert_eq!(heard.remarks, [Remark::Written { what: FileKind::Report, file: report.clone() }]);
    let report = std::fs::read_to_string(report).unwrap();
    assert!(report.contains("**No deadline missed.**") && report.contains("| eye |"), "{report}");
    assert_eq!((answer.outcome(), answer.document.misses), (Outcome::Pass, 0));
    assert!(answer.document.repeats.is_some() && answer.to_string().contains("never miss"), "{answer}");
    assert!(std::fs::read_to_string(gantt).unwrap().contains("<svg"));
}

#[test]
fn run_gives_jobs_beside_bounds_or_the_systems_refusal() {
    let folder = tempfile::tempdir().unwrap();
    let options = brief(folder.path().join("run.prazo"));
    let request = RunRequest { tasks: given(), options, schedule: ScheduleFiles::default() };
    match sched::run(&request, &mut Recorded::default()) {
        Ok(answer) => {
            let set = &answer.document;
            assert_eq!((set.jobs, set.verdict, set.tasks.len()), (3, Verdict::Proven, 2), "{answer}");
            assert!(set.tasks.iter().all(|task| task.bound_ns.is_some()));
        }
        refused => assert!(is_refused_by_the_system(&refused)),
    }
}

#[test]
fn inversion_refuses_to_run_without_a_time_and_else_answers_for_every_setting() {
    let folder = tempfile::tempdir().unwrap();
    let request = |middle: Vec<Duration>| InversionRequest {
        middle,
        gantt: None,
        guest: prazo::guest::GuestOptions::default(),
        file: Some(folder.path().join("inversion.prazo")),
        command: "a test".into(),
    };
    let refused = sched::inversion(&request(Vec::new()), &mut Recorded::default());
    assert!(matches!(refused, Err(Error::Refused(refusal)) if refusal.field == Some("middle")));
    match sched::inversion(&request(vec![Duration::from_ms(40)]), &mut Recorded::default()) {
        Ok(answer) => assert_eq!(answer.to_string().lines().filter(|line| line.starts_with("nested")).count(), 3),
        refused => assert!(is_refused_by_the_system(&refused)),
    }
}

/// Ten sets at one point.
const SMALL: &str = include_str!("support/small.toml");

#[test]
fn an_experiment_counts_its_chunks_and_one_chunk_can_be_made_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("small.toml");
    std::fs::write(&file, SMALL).unwrap();
    let (name, csv) = (file.display().to_string(), folder.path().join("points.csv"));
    let request = ExperimentRequest {
        experiment: name.clone(),
        folder: Some(folder.path().join("chunks")),
        scheduler: None,
        threads: Some(1),
        show: false,
        reports: vec![csv.display().to_string().parse().unwrap()],
        command: "a test".into(),
    };
    let mut heard = Recorded::default();
    let result = sched::experiment(&request, &mut heard).unwrap();
    assert!(result.complete && sched::experiment_outcome(&result) == Outcome::Pass);
    let last = heard.counts.last().unwrap();
    assert_eq!((last.done, last.parts, heard.stages.len()), (last.total, "chunks", 1));
    assert_eq!(heard.remarks, [Remark::Written { what: FileKind::Export, file: csv }]);
    sched::experiment_chunk(&name, 0, &mut Recorded::default()).unwrap();
    let beyond = sched::experiment_chunk(&name, 1_000_000, &mut Recorded::default());
    assert!(matches!(beyond, Err(Error::Refused(refusal)) if refusal.field == Some("chunk")));
}

/// A look at what would be deployed.
fn look(tasks: TaskSet, carriers: Vec<(String, Carrier)>) -> DeployRequest {
    DeployRequest {
        tasks,
        options: partitioned(),
        method: Method::default(),
        carriers,
        cpus: None,
        mode: DeployMode::Show,
        allow_disproven: false,
        wake: false,
        observe: std::time::Duration::ZERO,
        journal: None,
    }
}

#[test]
fn deploy_shows_its_steps_and_changes_nothing() {
    let request = look(given(), vec![("arm".into(), Carrier::Pid(std::process::id()))]);
    let shown = sched::deploy(&request, &mut Recorded::default()).unwrap();
    assert_eq!((shown.verdict, shown.deployed, shown.asked.len()), (Verdict::Proven, false, 2));
    assert!(!shown.steps.is_empty() && shown.to_string().ends_with("nothing was changed"), "{shown}");
    let unknown = DeployRequest { carriers: vec![("leg".into(), Carrier::Pid(1))], ..request };
    let refused = sched::deploy(&unknown, &mut Recorded::default()).unwrap_err();
    assert!(refused.to_string().contains("no task 'leg'"), "{refused}");
}

#[test]
fn deploy_refuses_a_set_that_no_packing_places_and_says_where_to_look() {
    let task = |name: &str| format!("[task.{name}]\ncost = '6ms'\nperiod = '10ms'\n");
    let text = format!("name = 'full'\nprocessors = 2\n{}{}{}", task("a"), task("b"), task("c"));
    let full = read::any("full.toml".as_ref(), &text).unwrap();
    let refused = sched::deploy(&look(TaskSet::Given(Box::new(full)), Vec::new()), &mut Recorded::default());
    let refused = refused.unwrap_err().to_string();
    let expected = "3 tasks cannot be placed on 2 processors: no packing places every task (verdict: ";
    assert!(refused.starts_with(expected) && refused.contains("`prazo sched partition`"), "{refused}");
}

#[test]
fn where_nothing_is_deployed_there_is_nothing_to_watch_and_nothing_to_undo() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Some(folder.path().join("journal"));
    let watched =
        sched::watch(&WatchRequest { journal: journal.clone(), ..WatchRequest::default() }, &mut Recorded::default());
    assert!(matches!(watched, Err(Error::Refused(refusal)) if refusal.to_string().contains("nothing is deployed")));
    assert_eq!(sched::undeploy(&UndeployRequest { journal }, &mut Recorded::default()).unwrap().0, []);
}

/// What a reader sees of the answer, 200 columns wide.
fn shown(toml: &str) -> String {
    let set = read::any("set.toml".as_ref(), toml).unwrap();
    let answer = sched::test(&TestRequest::new(TaskSet::Given(Box::new(set))), &mut Recorded::default()).unwrap();
    let style = prazo_report::terminal::Style { width: 200, details: true, ..prazo_report::terminal::Style::default() };
    prazo_report::terminal::schedulability::render(&answer.dossier(), &style)
}

#[test]
fn the_verdict_says_that_no_overheads_were_charged_and_proven_tasks_have_no_table_of_tardiness() {
    let proven = shown("processors = 1\n[task.arm]\ncost = '2ms'\nperiod = '20ms'\n");
    let head = "PROVEN: every job meets its deadline under EDF on one processor, without overheads";
    assert!(proven.contains(head) && proven.contains("1 task; utilization"), "{proven}");
    assert!(!proven.to_lowercase().contains("tardiness"), "{proven}");
    let disproven = shown("processors = 1\n[task.arm]\ncost = '21ms'\nperiod = '20ms'\n");
    assert!(disproven.contains("DISPROVEN") && disproven.contains(", even without overheads"), "{disproven}");
}

#[test]
fn too_much_work_is_shown_in_one_unit_with_what_is_too_much() {
    let text = "processors = 1\n[task.arm]\ncost = '11ms'\ndeadline = '22ms'\nperiod = '44ms'\n\
                [task.eye]\ncost = '11000002ns'\ndeadline = '22ms'\nperiod = '44ms'\n";
    let shown = shown(text);
    assert!(shown.contains("work 22,000.002 of at most 22,000.000 µs in a window of 22 ms: 2 ns too much"), "{shown}");
    assert!(!shown.contains("-0.0 %"), "{shown}");
}

#[test]
fn a_refusal_that_several_tests_share_is_one_row() {
    let task = |name: &str| format!("[task.{name}]\ncost = '6ms'\nperiod = '10ms'\njitter = '1ms'\n");
    let shown = shown(&format!("processors = 2\n{}{}{}", task("a"), task("b"), task("c")));
    assert_eq!(shown.matches("does not cover release jitter").count(), 1, "{shown}");
}

/// A camera that activates a filter over a bus, read by a slower controller, which must react within `longest`.
fn chained(longest: &str) -> Scenario {
    let text = format!(
        "name = 'chained'\nprocessors = 2\nclusters = [1, 1]\npolicy = 'fixed-priority'\n\
         [task.camera]\ncost = '2ms'\nperiod = '10ms'\ncluster = 0\n\
         [task.filter]\ncost = '3ms'\nperiod = '10ms'\ncluster = 1\n\
         [task.control]\ncost = '1ms'\nperiod = '5ms'\ncluster = 0\n\
         [[chain]]\nname = 'see'\ntasks = ['camera', 'filter', 'control']\nactivated = ['filter']\nhops = {{ filter = '1ms' }}\n\
         max_reaction = '{longest}'\n"
    );
    read::any("chained.toml".as_ref(), &text).unwrap()
}

#[test]
fn a_chain_is_bounded_simulated_and_refused_by_whoever_runs_tasks() {
    let tasks = |longest: &str| TaskSet::Given(Box::new(chained(longest)));
    let tested = |longest: &str| {
        let answer = sched::test(&TestRequest::new(tasks(longest)), &mut Recorded::default()).unwrap();
        (answer.verdict(), serde_json::to_value(answer.document()).unwrap(), answer)
    };
    // Control responds within 1, the camera within 3, its data come within 4 and leave the filter within 7: 10 + 7 + 5 + 1.
    let (verdict, document, answer) = tested("23ms");
    assert_eq!((verdict, answer.answer.verdict), (Verdict::Proven, Verdict::Proven));
    let chain = &document["chains"][0];
    assert_eq!((&chain["name"], &chain["tasks"]), (&"see".into(), &serde_json::json!([0, 1, 2])));
    assert_eq!(chain["reaction"]["at_most"], 23_000_000);
    assert_eq!(chain["age"]["at_most"], 10_000_000 + 7_000_000 + 1_000_000);
    assert_eq!(document["verdict"], "proven");
    assert!(
        document["remarks"][0]
            .as_str()
            .unwrap()
            .contains("Both arrive together, and the second task is released at most 4ms")
    );
    // Camera 2, bus 1, filter 3, read just before: 10 + 6 + 5 + 1 are approached.
    assert_eq!(chain["reaction"]["at_least"], 22_000_000);
    let (verdict, document, _) = tested("22ms");
    assert_eq!((verdict, &document["chains"][0]["reaction"]["verdict"]), (Verdict::Unknown, &"unknown".into()));
    assert_eq!(tested("21ms").0, Verdict::Disproven);
    assert_eq!(tested("21ms").1["verdict"], "proven", "deadlines are met");

    let request = SimulateRequest {
        tasks: tasks("23ms"),
        options: SimulationOptions { duration: Some(Duration::from_ms(500)), ..SimulationOptions::default() },
        schedule: ScheduleFiles::default(),
        report: None,
        command: "a test".into(),
    };
    let simulated = sched::simulate(&request, &mut Recorded::default()).unwrap();
    // Control first, then the camera until 3; the filter from 4 to 7; control reads at 10 and writes at 11; the event came just after 1.
    let seen = &simulated.document.chains[0];
    assert_eq!((seen.reaction_max_ns, seen.age_max_ns), (Some(20_000_000), Some(15_000_000)));
    assert!(simulated.to_string().contains("observed, not bounds"), "{simulated}");

    let options = brief("no.prazo".into());
    let run = RunRequest { tasks: tasks("23ms"), options, schedule: ScheduleFiles::default() };
    let refused = sched::run(&run, &mut Recorded::default()).err().unwrap();
    assert!(refused.to_string().contains("task 'filter' is activated by another"), "{refused}");
}

/// What is advised for `set`. Each changed set differs by the change alone, and is proven when it is asked about by itself.
fn advised(set: &Scenario) -> Vec<Advice> {
    let request = AdviseRequest {
        tasks: TaskSet::Given(Box::new(set.clone())),
        options: SchedulerOptions::default(),
        method: Method::default(),
        tolerance_percent: 10,
        folder: None,
    };
    let found = sched::advise(&request, &mut Recorded::default()).unwrap();
    assert_ne!(found.verdict, Verdict::Proven);
    for Advice { text, scenario, .. } in &found.advice {
        assert_eq!(scenario.chains, set.chains, "{text}");
        for (changed, given) in scenario.tasks.iter().zip(&set.tasks) {
            assert_eq!((&changed.behaviour, &changed.conduct), (&given.behaviour, &given.conduct), "{text}");
        }
        let request = TestRequest::new(TaskSet::Given(Box::new(scenario.clone())));
        let answer = sched::test(&request, &mut Recorded::default()).unwrap();
        assert_eq!(answer.verdict(), Verdict::Proven, "{text}");
    }
    found.advice
}

/// The smaller costs of each advice about costs, with the positions of their tasks.
fn smaller_costs(set: &Scenario) -> Vec<Vec<(usize, u64)>> {
    let of = |advice: &Advice| {
        let pairs = advice.scenario.tasks.iter().zip(&set.tasks).enumerate();
        let differ = pairs.filter(|(_, (changed, given))| changed.task.cost != given.task.cost);
        differ.map(|(index, (changed, _))| (index, changed.task.cost)).collect()
    };
    advised(set).iter().filter(|advice| advice.kind == ChangeKind::Costs).map(of).collect()
}

/// The reaction is within 23: 10 + 7 + 5 + 1, of which the costs of camera and filter are one part each, and that of control two.
#[test]
fn advice_keeps_a_chain_within_its_longest_reaction() {
    let costs = smaller_costs(&chained("22ms"));
    for wanted in [(0, 1_000_000), (1, 2_000_000), (2, 500_000)] {
        assert!(costs.contains(&vec![wanted]), "{wanted:?} is not in {costs:?}");
    }
}

/// Five jobs at once have 12 together.
#[test]
fn advice_counts_the_jobs_of_a_burst_and_leaves_their_arrivals_alone() {
    for arrivals in ["burst = 5\nwithin = '50ms'", "arrivals = '5 in 50ms'"] {
        let set = of_text(&format!(
            "processors = 1\npolicy = 'edf'\n[task.a]\ncost = '5ms'\ndeadline = '12ms'\n{arrivals}\n"
        ));
        let costs = smaller_costs(&set);
        assert!(!costs.is_empty() && costs.iter().all(|cost| cost == &[(0, 2_400_000)]), "{arrivals}: {costs:?}");
        let kinds: Vec<ChangeKind> = advised(&set).iter().map(|advice| advice.kind).collect();
        assert!(!kinds.contains(&ChangeKind::Periods), "{arrivals}: {kinds:?}");
    }
}

/// Two tasks in a supply, so long in every 10 ms.
fn reserved(budget_ns: u64) -> Scenario {
    of_text(&format!(
        "processors = 1\npolicy = 'fixed-priority'\n[supply]\nbudget = '{budget_ns}ns'\nperiod = '10ms'\n\
         [task.sensor]\ncost = '1ms'\nperiod = '20ms'\n[task.control]\ncost = '2ms'\nperiod = '25ms'\n"
    ))
}

#[test]
fn the_least_budget_of_a_supply_is_found_from_above_and_from_below() {
    let verdict = |budget_ns: u64| {
        let request = TestRequest::new(TaskSet::Given(Box::new(reserved(budget_ns))));
        sched::test(&request, &mut Recorded::default()).unwrap().verdict()
    };
    let least = |budget_ns: u64| {
        let folder = tempfile::tempdir().unwrap();
        let request = AdviseRequest {
            tasks: TaskSet::Given(Box::new(reserved(budget_ns))),
            options: SchedulerOptions::default(),
            method: Method::default(),
            tolerance_percent: 0,
            folder: Some(folder.path().to_owned()),
        };
        let found = sched::advise(&request, &mut Recorded::default()).unwrap();
        let advice = found.advice.iter().find(|advice| advice.kind == ChangeKind::Supply).expect("a budget");
        assert!(advice.certificate.as_ref().is_some_and(|file| file.is_file()), "{}", advice.text);
        (found.verdict, budget_of(&advice.scenario))
    };
    let ((now, from_above), (_, from_below)) = (least(4_000_000), least(1_000_000));
    assert_eq!((now, from_above), (Verdict::Proven, from_below));
    assert_eq!(verdict(from_above), Verdict::Proven);
    assert_ne!(verdict(from_above - 1), Verdict::Proven);
}

#[test]
fn the_least_rate_and_the_longest_delay_are_found_from_above_and_from_below() {
    let with = |rate: &str, delay_ns: u64| {
        of_text(&format!(
            "processors = 1\npolicy = 'fixed-priority'\n[supply]\nrate = '{rate}'\ndelay = '{delay_ns}ns'\n\
             [task.sensor]\ncost = '1ms'\nperiod = '20ms'\n[task.control]\ncost = '2ms'\nperiod = '25ms'\n"
        ))
    };
    let verdict = |set: Scenario| {
        let request = TestRequest::new(TaskSet::Given(Box::new(set)));
        sched::test(&request, &mut Recorded::default()).unwrap().verdict()
    };
    let texts = |rate: &str, delay_ns: u64| {
        let folder = tempfile::tempdir().unwrap();
        let request = AdviseRequest {
            tasks: TaskSet::Given(Box::new(with(rate, delay_ns))),
            options: SchedulerOptions::default(),
            method: Method::default(),
            tolerance_percent: 0,
            folder: Some(folder.path().to_owned()),
        };
        let found = sched::advise(&request, &mut Recorded::default()).unwrap();
        let of_supply = found.advice.iter().filter(|advice| advice.kind == ChangeKind::Supply);
        let checked = |advice: &Advice| {
            assert!(advice.certificate.as_ref().is_some_and(|file| file.is_file()), "{}", advice.text);
            let text = std::fs::read_to_string(advice.file.as_ref().unwrap()).unwrap();
            assert_eq!(read::any("again.toml".as_ref(), &text).unwrap().supply, advice.scenario.supply, "{text}");
            advice.text.clone()
        };
        of_supply.map(checked).collect::<Vec<String>>()
    };
    // Three jobs need 4 ms by 25 ms, and the first of them 1 ms by 20 ms: 4/15 of the processor after 10 ms, or 3/5 after 18 1/3 ms.
    let least = "the rate of the supply from 3/5 to 267/1000";
    let longest = "the delay of the supply from 10ms to 18333.333us";
    assert_eq!(texts("3/5", 10_000_000), [format!("Reduce {least}"), format!("Lengthen {longest}")]);
    assert_eq!(texts("1/10", 10_000_000), ["Raise the rate of the supply from 1/10 to 267/1000"], "less than U");
    assert_eq!(texts("3/5", 20_000_000), ["Shorten the delay of the supply from 20ms to 18333.333us"]);
    assert_eq!(verdict(with("266/1000", 10_000_000)), Verdict::Disproven);
    assert_eq!(verdict(with("3/5", 18_333_334)), Verdict::Disproven);
    assert_eq!(texts("4/15", 10_000_000), [""; 0], "a rate between two thousandths that is enough");
}

#[test]
fn advice_on_a_quota_or_reservation_is_what_somebody_can_set() {
    let tasks = "[task.sensor]\ncost = '1ms'\nperiod = '80ms'\n[task.control]\ncost = '2ms'\nperiod = '100ms'\n";
    for (words, what, key, less) in [
        ("cpu_max = '50000 100000'\ntick = '1ms'", "quota of the control group from 50ms", "cpu_max = ", 5_000_000),
        (
            "runtime = '9ms'\nperiod = '10ms'\ntick = '1ms'",
            "runtime of the reservation from 9ms",
            "runtime = ",
            1_000_000,
        ),
        (
            "fair_server = '1ms in 10ms'\ntick = '1ms'",
            "runtime of the fair server from 1ms",
            "fair_server = ",
            1_000_000,
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let set = of_text(&format!("processors = 1\npolicy = 'fixed-priority'\n[supply]\n{words}\n{tasks}"));
        let request = AdviseRequest {
            tasks: TaskSet::Given(Box::new(set)),
            options: SchedulerOptions::default(),
            method: Method::default(),
            tolerance_percent: 0,
            folder: Some(folder.path().to_owned()),
        };
        let found = sched::advise(&request, &mut Recorded::default()).unwrap();
        let advice = found.advice.iter().find(|advice| advice.kind == ChangeKind::Supply).expect("a budget");
        assert!(advice.text.contains(what), "{}", advice.text);
        let text = std::fs::read_to_string(advice.file.as_ref().unwrap()).unwrap();
        assert!(text.contains(key), "{text}");
        let again = read::any("again.toml".as_ref(), &text).unwrap();
        assert_eq!((again.supply, again.supply_words.unwrap().less), (advice.scenario.supply, less), "{text}");
        let of_supply = |remark: &&String| remark.contains("less 5ms") || remark.contains("for a tick");
        assert_eq!(again.remarks.iter().filter(of_supply).count(), 1, "one remark, of the new figures: {text}");
    }
}

#[test]
fn suspended_and_unsupplied_time_is_in_the_document_and_in_the_lines() {
    let simulated = |text: &str| {
        let options = SimulationOptions { duration: Some(Duration::from_ms(100)), ..SimulationOptions::default() };
        let (schedule, command) = (ScheduleFiles::default(), "a test".to_owned());
        let tasks = TaskSet::Given(Box::new(of_text(text)));
        let request = SimulateRequest { tasks, options, schedule, report: None, command };
        sched::simulate(&request, &mut Recorded::default()).unwrap()
    };
    let task = "[task.a]\ncost = '2ms'\nperiod = '20ms'\n";
    let suspended = simulated(&format!("processors = 1\n{task}suspends = '3ms'\n"));
    let of_task = &suspended.document.tasks[0];
    assert!(of_task.suspensions > 0 && (1..=15_000_000).contains(&of_task.suspended_ns), "{suspended}");
    assert!(suspended.to_string().contains("Jobs suspended themselves"), "{suspended}");
    let supplied = simulated(&format!("processors = 1\n[supply]\nbudget = '4ms'\nperiod = '10ms'\n{task}"));
    // Nothing for 12 ms, then 4 ms in every 10.
    assert_eq!(supplied.document.unsupplied_ns, Some(64_000_000), "{supplied}");
    assert!(supplied.to_string().contains("without a processor for 64 ms"), "{supplied}");
    assert_eq!(supplied.document.tasks[0].response_time.as_ref().map(|response| response.max_ns), Some(14_000_000));
}

/// How the certificate of `set` differs from `against`, once it is known to hold for itself.
fn differences(set: &Scenario, against: &Scenario, verdict: Verdict) -> Vec<String> {
    let verified = verified(set, against, verdict);
    assert_eq!(verified.undecided.as_deref(), Some(&[][..]));
    let expected = if verified.differences.as_deref() == Some(&[]) { Outcome::Pass } else { Outcome::Fail };
    assert_eq!(verified.outcome(), expected);
    verified.differences.unwrap()
}

/// What stays undecided between the certificate of `set` and `against`, where nothing differs.
fn undecided(set: &Scenario, against: &Scenario, verdict: Verdict) -> Vec<String> {
    let verified = verified(set, against, verdict);
    assert_eq!((verified.differences.as_deref(), verified.outcome()), (Some(&[][..]), Outcome::Inconclusive));
    assert!(verified.to_string().contains("UNDECIDED: the certificate may be about"), "{verified}");
    verified.undecided.unwrap()
}

/// The certificate of `set` compared with `against`.
fn verified(set: &Scenario, against: &Scenario, verdict: Verdict) -> Verified {
    let folder = tempfile::tempdir().unwrap();
    let [file, other] = ["set.cert", "other.toml"].map(|name| folder.path().join(name));
    let tasks = TaskSet::Given(Box::new(set.clone()));
    let request = TestRequest { certificate: Some(file.clone()), ..TestRequest::new(tasks) };
    assert_eq!(sched::test(&request, &mut Recorded::default()).unwrap().answer.verdict, verdict);
    std::fs::write(&other, prazo_scenario::write::toml(against)).unwrap();
    let verified = sched::verify(&VerifyRequest { file, against: Some(other) }, &mut Recorded::default()).unwrap();
    assert!(verified.accepted, "{:?}", verified.sentences);
    verified
}

#[test]
fn a_certificate_with_another_release_jitter_is_about_another_set() {
    let late = |jitter: u32| {
        let text = format!(
            "name = 'late'\nprocessors = 1\n[task.arm]\ncost = '2ms'\nperiod = '20ms'\njitter = '{jitter}ms'\n"
        );
        read::any("late.toml".as_ref(), &text).unwrap()
    };
    let of = |certified: u32, stated: u32| differences(&late(certified), &late(stated), Verdict::Proven);
    assert_eq!(of(3, 3), [""; 0]);
    assert_eq!(of(2, 3), ["jitter of task 0: 2000000 in the certificate, 3000000 in the scenario"]);
    assert_eq!(of(3, 2), ["jitter of task 0: 3000000 in the certificate, 2000000 in the scenario"]);
}

fn of_text(text: &str) -> Scenario {
    read::any("set.toml".as_ref(), &format!("name = 'set'\n{text}")).unwrap()
}

/// A server that cannot see its own task through, or that reserves more than the task needs, is refused as `test` refuses it.
#[test]
fn a_certificate_is_not_about_servers_that_no_test_answers() {
    let two = |first: &str, second: &str| of_text(&format!("processors = 1\n[task.s]\n{first}\n[task.a]\n{second}\n"));
    let plain = two("cost = '4us'\nperiod = '8us'", "cost = '3us'\nperiod = '10us'");
    let starved = two(
        "cost = '7us'\nperiod = '8us'\nserver_budget = '4us'\nserver_period = '8us'",
        "cost = '3us'\nperiod = '10us'",
    );
    assert!(differences(&plain, &starved, Verdict::Proven).concat().contains("below its cost"));
    let full = two("cost = '9us'\nperiod = '10us'", "cost = '2us'\nperiod = '10us'");
    let generous = two(
        "cost = '1us'\nperiod = '10us'\nserver_budget = '9us'\nserver_period = '10us'",
        "cost = '2us'\nperiod = '10us'",
    );
    assert!(differences(&full, &generous, Verdict::Disproven).concat().contains("reserves more than"));
}

/// Three tasks that need most of a processor each fit on three, and not on the two that they may use.
#[test]
fn a_certificate_is_not_about_affinities_that_are_no_queue() {
    let tied = |affinity: &str| {
        let task = |name| format!("[task.{name}]\ncost = '9us'\nperiod = '10us'\n{affinity}\n");
        of_text(&format!("processors = 3\n{}", ["a", "b", "c"].map(task).concat()))
    };
    assert!(
        differences(&tied(""), &tied("affinity = '0-1'"), Verdict::Proven).concat().contains("neither all processors")
    );
    assert_eq!(differences(&tied(""), &tied("affinity = '0-2'"), Verdict::Proven), [""; 0]);
}

/// Jobs of a server may come closer than its period, so the response beside it is bounded by the deadline alone.
#[test]
fn an_activation_beside_a_server_covers_the_deadline_of_the_task_before() {
    let set = of_text(
        "processors = 1\npolicy = 'edf'\n[task.s]\ncost = '10us'\nperiod = '60us'\nserver_budget = '10us'\nserver_period = '20us'\n[task.a]\ncost = '1us'\n\
         period = '80us'\ndeadline = '83us'\n[task.b]\ncost = '39us'\nperiod = '80us'\ndeadline = '163us'\n[chain.way]\ntasks = ['a', 'b']\nactivated = ['b']\n",
    );
    let answer = sched::test(&TestRequest::new(TaskSet::Given(Box::new(set))), &mut Recorded::default()).unwrap();
    let said = serde_json::to_string(&answer.document()).unwrap();
    assert!(said.contains("the second task is released at most 83us"), "{said}");
}

/// The filter is released within the camera's response, 3, and a hop of 1. A proof for less is no proof of this set.
#[test]
fn a_certificate_must_cover_the_releases_of_activated_tasks() {
    let with = |jitter: u64| {
        let mut free = Scenario { chains: Vec::new(), ..chained("23ms") };
        free.tasks[1].task.jitter = jitter * 1_000_000;
        free
    };
    let of = |jitter| differences(&with(jitter), &chained("23ms"), Verdict::Proven);
    assert_eq!(differences(&chained("23ms"), &chained("23ms"), Verdict::Proven), [""; 0]);
    assert_eq!(of(4), [""; 0]);
    assert_eq!(of(5), [""; 0], "more than needed");
    let uncovered = "it is unknown whether the release jitter of an activated task covers the response time of the task that activates it";
    assert_eq!(undecided(&with(3), &chained("23ms"), Verdict::Proven), [uncovered]);
    // The camera's cost and the hop are the least.
    assert_eq!(of(2), ["jitter of task 1: 2000000 in the certificate, 3000000 in the scenario"]);
}

/// 'c' is split, so its response is known to be within its deadline, 30, and 'd' is released within that and a hop.
#[test]
fn a_certificate_of_split_tasks_covers_the_deadline_of_the_task_that_activates() {
    let of = |jitter: u64, hop: u64, chain: bool| {
        let chain = if chain {
            format!("[[chain]]\nname = 'way'\ntasks = ['c', 'd']\nactivated = ['d']\nhops = {{ d = {hop} }}\n")
        } else {
            String::new()
        };
        of_text(&format!(
            "unit = 'none'\nprocessors = 2\nclusters = [1, 1]\npolicy = 'edf'\n[task.a]\ncost = 20\nperiod = 30\n[task.b]\ncost = 20\nperiod = 30\n\
             [task.c]\ncost = 15\nperiod = 30\n[task.d]\ncost = 1\nperiod = 30\ndeadline = 70\njitter = {jitter}\n{chain}"
        ))
    };
    let split = |set: Scenario, folder: &std::path::Path| {
        let file = folder.join("split.cert");
        let tasks = TaskSet::Given(Box::new(set));
        let method = Method { split: true, ..Method::default() };
        let request = TestRequest { certificate: Some(file.clone()), method, ..TestRequest::new(tasks) };
        let answer = sched::test(&request, &mut Recorded::default()).unwrap();
        assert_eq!(answer.answer.verdict, Verdict::Proven);
        assert!(answer.answer.split.is_some());
        file
    };
    let verified = |set: Scenario, against: Scenario| {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("other.toml");
        std::fs::write(&other, prazo_scenario::write::toml(&against)).unwrap();
        let request = VerifyRequest { file: split(set, folder.path()), against: Some(other) };
        let verified = sched::verify(&request, &mut Recorded::default()).unwrap();
        assert_eq!(verified.differences.as_deref(), Some(&[][..]));
        verified.outcome()
    };
    assert_eq!(verified(of(0, 2, true), of(0, 2, true)), Outcome::Pass);
    assert_eq!(verified(of(32, 0, false), of(0, 2, true)), Outcome::Pass);
    assert_eq!(verified(of(33, 0, false), of(0, 2, true)), Outcome::Pass, "more than needed");
    assert_eq!(
        verified(of(31, 0, false), of(0, 2, true)),
        Outcome::Inconclusive,
        "the response may be less than the deadline"
    );
}

/// The disproof lets any time pass between two arrivals of a task; a set that bounds it may not be disproven.
#[test]
fn a_disproof_with_rare_arrivals_is_not_about_a_set_that_bounds_them() {
    assert_eq!(differences(&four(""), &four(""), Verdict::Disproven), [""; 0]);
    assert_eq!(
        undecided(&four(""), &four("max_inter_arrival = '6ms'\n"), Verdict::Disproven),
        ["the set restricts its arrivals, and the arrivals of the disproof may violate this restriction"]
    );
}
