//! A proof holds for arrivals at any instant, whatever the unit; only who asks for whole ticks gets less, and is told.

use crate::{Answer, Desk};
use serde_json::json;

/// Proven for whole ticks by Guan's test; with arrivals at half ticks the last task misses.
const BETWEEN_TICKS: [(u64, u64); 4] = [(1, 2), (1, 2), (1, 6), (2, 4)];

/// What `sched test` says of the set in this unit, under fixed priorities in the order of the file.
fn tested(unit: &str, flags: &str) -> Answer {
    let desk = Desk::new();
    let task = |(index, (cost, period)): (usize, &(u64, u64))| {
        format!("[task.t{index}]\ncost = \"{cost}{unit}\"\nperiod = \"{period}{unit}\"\npriority = {index}\n")
    };
    let tasks: String = BETWEEN_TICKS.iter().enumerate().map(task).collect();
    desk.write("set.toml", format!("unit = \"{unit}\"\n{tasks}"));
    desk.prazo(&format!("sched test set.toml -m 2 -s global -p fp --priorities given {flags}"))
}

#[test]
fn a_coarse_unit_proves_no_more_than_a_fine_one() {
    for unit in ["ms", "us"] {
        let told = tested(unit, "").expect_code(1).stdout;
        assert!(told.contains("DISPROVEN"), "{unit}: {told}");
        assert_eq!(tested(unit, "--json").expect_code(1).json()[0]["time"], "continuous");
    }
}

#[test]
fn a_proof_for_whole_ticks_says_so() {
    let told = tested("ms", "--time discrete").expect_code(0).stdout;
    assert!(told.contains("PROVEN for arrivals at whole ticks only"), "{told}");
    let document = &tested("ms", "--time discrete --json").expect_code(0).json()[0];
    assert_eq!((&document["time"], &document["caveats"]), (&json!("discrete"), &json!(["whole-ticks-only"])));
}

#[test]
fn a_record_says_its_own_time_model() {
    let desk = Desk::new();
    let record = |time: &str| format!("{{{time}\"m\":2,\"policy\":\"fp\",\"t\":[[1,2],[1,2],[1,6],[2,4]]}}\n");
    let records = [record(""), record("\"time\":\"discrete\","), record("\"time\":\"continuous\",")].concat();
    desk.write("sets.jsonl", records);
    for (flags, first) in [("", "disproven"), ("--time discrete", "proven")] {
        let answers =
            crate::lines(&desk.prazo(&format!("sched test --batch sets.jsonl {flags}")).expect_code(0).stdout);
        let verdicts: Vec<_> = answers.iter().map(|answer| answer["verdict"].clone()).collect();
        assert_eq!(verdicts, [first, "proven", "disproven"]);
    }
}
