//! The reference records go in as they are, and say what their lines say.

use prazo_core::ratio::Ratio;
use prazo_core::task::Task;
use prazo_scenario::Shape;
use prazo_scenario::overheads::Function;
use prazo_scenario::read::record::{SetRecord, parse};
use prazo_scenario::set::{JobRanking, Priorities};
use prazo_testing::data;

fn records(part: &str) -> Vec<(String, SetRecord)> {
    let text = data::text(&format!("schedcat/schedcat-{part}.jsonl"));
    text.lines().map(|line| (line.to_owned(), parse(line).unwrap_or_else(|why| panic!("{why}: {line}")))).collect()
}

#[test]
fn all_900_reference_records_are_read() {
    let counts = ["gedf", "partition", "overheads", "tardiness"].map(|part| records(part).len());
    assert_eq!(counts, [500, 200, 100, 100]);
}

/// The same line through a JSON tree, as slowly as can be.
#[test]
fn a_record_says_what_its_json_says() {
    for part in ["gedf", "partition", "overheads", "tardiness"] {
        for (line, record) in records(part) {
            let json: serde_json::Value = serde_json::from_str(&line).unwrap();
            let number = |task: &serde_json::Value, place: usize| task.get(place).and_then(serde_json::Value::as_u64);
            let tasks: Vec<Task> = json["t"]
                .as_array()
                .unwrap()
                .iter()
                .map(|task| {
                    let (cost, period) = (number(task, 0).unwrap(), number(task, 1).unwrap());
                    let working_set_kib = number(task, 3).unwrap_or(0);
                    Task { working_set_kib, ..Task::new(cost, period, number(task, 2).unwrap_or(period)) }
                })
                .collect();
            assert_eq!(record.tasks, tasks, "{line}");
            assert_eq!(Some(u64::from(record.processors)), json["m"].as_u64(), "{line}");
            assert_eq!(record.id.map(|id| id.get().to_owned()), Some(json["id"].to_string()), "{line}");
            assert_eq!(record.policy == JobRanking::Edf, json["kind"] != "fp", "{line}");
            assert_eq!(record.shape, Shape::Global, "{line}");
            assert_eq!(record.overheads.is_some(), json.get("oh").is_some(), "{line}");
        }
    }
}

#[test]
fn overhead_fields_of_the_references_are_kept_exactly() {
    let line = r#"{"dedicated":1,"kind":"jlfp","oh":{"cpmd_base":0.1,"cpmd_per_kib":0.25,"cxs":10,"init_base":5,"init_per_kib":0,
        "ipi":9.75,"quantum":1000,"release":[[5,20],[10,30.5]],"release_latency":33.75,"schedule":"7/3","tick":1},"t":[[1,2]]}"#;
    let record = parse(line).unwrap();
    let table = record.overheads.unwrap();
    let ratio = |over, under| Ratio::new(over, under).unwrap();
    assert_eq!(table.overheads.cache_delay.amount, Function::Affine { base: ratio(1, 10), slope: ratio(1, 4) });
    assert_eq!(table.overheads.release.amount, Function::Linear(vec![(5, ratio(20, 1)), (10, ratio(61, 2))]));
    assert_eq!(table.overheads.event_latency.amount, Function::Constant(ratio(135, 4)));
    assert_eq!(table.overheads.scheduling.amount, Function::Constant(ratio(7, 3)));
    assert_eq!(table.overheads.initial_cache_load.amount, Function::Affine { base: ratio(5, 1), slope: Ratio::ZERO });
    assert_eq!((table.overheads.tick_period, table.overheads.dedicated_interrupt_processor), (Some(1_000), true));
}

#[test]
fn overheads_may_have_their_whole_names() {
    let short =
        parse(r#"{"oh":{"schedule":1,"cxs":2,"ipi":3,"release_latency":4,"cpmd":5,"quantum":6,"tick":1},"t":[[1,2]]}"#);
    let whole = parse(
        r#"{"overheads":{"scheduling":1,"context_switch":2,"ipi_latency":3,"event_latency":4,"cache_delay":5,
            "tick_period":6,"tick":1},"t":[[1,2]]}"#,
    );
    assert_eq!(short.unwrap().overheads, whole.unwrap().overheads);
}

#[test]
fn shape_and_policy_follow_from_what_is_said() {
    let of = |more: &str| parse(&format!("{{\"t\":[[1,2]]{more}}}")).unwrap();
    assert_eq!((of("").processors, of("").shape, of("").policy), (1, Shape::Global, JobRanking::Edf));
    let clustered = of(",\"clusters\":[2,1]");
    assert_eq!((clustered.processors, clustered.shape), (3, Shape::Clusters(vec![2, 1])));
    assert_eq!(of(",\"m\":3,\"clusters\":[2,1],\"shape\":\"global\"").shape, Shape::Global);
    assert_eq!(of(",\"m\":2,\"shape\":\"partitioned\"").shape, Shape::Partitioned);
    assert_eq!(of(",\"policy\":\"fp\"").policy, JobRanking::FixedPriority(Priorities::Given));
    assert_eq!(of(",\"kind\":\"jlfp\",\"other\":[1,{}]").policy, JobRanking::Edf);
    assert_eq!(of(",\"tests\":[\"GFB\"]").tests, Some(vec!["GFB".to_owned()]));
}

#[test]
fn a_record_that_contradicts_itself_is_refused() {
    let message = |line: &str| parse(line).unwrap_err().to_string();
    for (key, value) in [("criticality", "[\"high\"]"), ("cost_high", "[3]")] {
        let said = message(&format!("{{\"m\":1,\"t\":[[1,4]],\"{key}\":{value}}}"));
        assert!(said.contains(key) && said.contains("a record cannot state criticality"), "{said}");
    }
    assert!(message("{\"t\":[]}").contains("there is no task"));
    assert!(message("{\"t\":[[1]]}").contains("[C,T]"));
    assert!(message("{\"t\":[[1,2,3,4,5]]}").contains("[C,T]"));
    assert!(message("{\"t\":[[1.5,2]]}").contains("expected u64"));
    assert!(message("{\"t\":[[3,4],[0,2]]}").contains("C of task '1': the time is zero"));
    assert!(message("{\"t\":[[1,281474976710657]]}").contains("T of task '0'"));
    assert!(message("{\"m\":0,\"t\":[[1,2]]}").contains("give 1 to 1024"));
    assert!(message("{\"m\":3,\"clusters\":[2,2],\"t\":[[1,2]]}").contains("add up to m"));
    assert!(message("{\"clusters\":[],\"t\":[[1,2]]}").contains("each above zero"));
    assert!(message("{\"shape\":\"round\",\"t\":[[1,2]]}").contains("unknown value 'round'"));
    assert!(message("{\"shape\":\"clustered\",\"t\":[[1,2]]}").contains("no cluster sizes are given"));
    assert!(message("{\"policy\":\"edf\",\"kind\":\"fp\",\"t\":[[1,2]]}").contains("contradicts kind"));
    assert!(message("{\"oh\":{\"tick\":1},\"t\":[[1,2]]}").contains("add tick_period"));
    assert!(
        message("{\"oh\":{\"cpmd\":1,\"cpmd_base\":1},\"t\":[[1,2]]}").contains("both by its own key and by a base")
    );
    assert!(message("{\"oh\":{\"cxs\":-1},\"t\":[[1,2]]}").contains("below zero"));
    assert!(message("{\"id\":[],\"t\":[[1,2]]}").contains("neither text nor a number"));
    assert!(message("").contains("one JSON object per line"));
}

#[test]
fn a_record_that_is_made_is_checked_as_one_that_is_read() {
    let made = |m, tasks: &[Task], shape| SetRecord::new(m, tasks.to_vec(), shape, JobRanking::Edf);
    let tasks = [Task::implicit(1, 4), Task::new(2, 6, 5)];
    let (one, other) = (
        made(Some(2), &tasks, Shape::Partitioned).unwrap(),
        "{\"m\":2,\"shape\":\"partitioned\",\"t\":[[1,4],[2,6,5]]}",
    );
    let other = parse(other).unwrap();
    assert_eq!((&one.tasks, one.processors, one.policy), (&other.tasks, other.processors, other.policy));
    assert_eq!(one.shape, other.shape);
    assert_eq!(made(None, &tasks, Shape::Global).unwrap().processors, 1);
    assert_eq!(made(None, &tasks, Shape::Clusters(vec![2, 1])).unwrap().processors, 3);
    let message = |m, tasks: &[Task], shape| made(m, tasks, shape).unwrap_err().to_string();
    assert!(message(None, &[], Shape::Global).contains("there is no task"));
    assert!(message(None, &[Task::implicit(0, 4)], Shape::Global).contains("C of task '0': the time is zero"));
    assert!(message(None, &[Task::implicit(1, (1 << 48) + 1)], Shape::Global).contains("exceeds 2^48"));
    assert!(message(Some(0), &tasks, Shape::Global).contains("give 1 to 1024"));
    assert!(message(Some(2), &tasks, Shape::Clusters(vec![2, 1])).contains("add up to m"));
}
