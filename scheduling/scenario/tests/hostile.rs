//! No text makes a reader panic: anything at all, and good texts with a part struck out, doubled or replaced.
//! What the readers of other tools' files accept is the same set after it is written as TOML.

use prazo_scenario::read::{csv, jobset, nothing_beside, poet, record, rtapp, rtaudit, schedcat, simso, toml};
use prazo_scenario::{Unit, overheads, read, write};
use proptest::prelude::*;

const GOOD: [&str; 12] = [
    "name = 'a'\nunit = 'us'\nclusters = [2, 2]\npolicy = 'edf'\noverheads = { release = { linear = [[5, '3us'], [9, '4us']] } }\n\
     [task.a]\ncost = '2ms'\nperiod_us = 4e3\ncluster = 1\naffinity = '0-3'\nworking_set = '64KiB'\n[expect]\ngedf = 'proven'\n",
    "{ /* c */ \"tasks\": { \"a\": { \"run\": 5, \"timer\": { \"ref\": \"unique\", \"period\": 9 }, \"cpus\": [0, 1], }, }, // d\n\
     \"global\": { \"default_policy\": \"SCHED_DEADLINE\" } }",
    "name,cost_us,period,deadline_ms,priority,affinity\na,2.5,2ms,20,1,\"0,2\"\n",
    "{\"id\":\"a\",\"m\":4,\"clusters\":[2,2],\"oh\":{\"release\":[[5,1.5],[9,2]],\"cxs\":\"7/3\",\"tick\":1,\"quantum\":9},\
     \"t\":[[1,2],[1,4,3,64]]}",
    "source = 'run'\nrelease = '9.4us'\ntick = { table = [[5, '1us']], samples = 7 }\ntick_period = '1ms'\n\
     cache_delay = { base = '1us', per_kib = '2ns' }",
    "<taskset><properties count='1'/><task id='1' period='20' wcet='4' deadline='9' partition='0' wss='3'><resources>\
     <requirement res_id='1' max_writes='2' max_write_length='3'/></resources><affinity><cpu id='0'/></affinity></task></taskset>",
    "<?xml version='1.0'?><simulation etm='wcet'><sched class='simso.schedulers.FP' overhead='0'/><processors>\
     <processor name='a' id='1' speed='1.0'/></processors><tasks><field name='priority' type='int'/>\
     <task name='T1' id='1' task_type='Periodic' period='10.5' deadline='1e1' WCET='2.5' priority='-3'/></tasks></simulation>",
    "scheduling policy: FP\npreemption model: NP\ntask set:\n- id: 1\n  worst-case execution time: 5\n  \
     arrival curve: [220, [[1, 1], [105, 2]]]\n  deadline: 100\n  priority: 2\n",
    "Task ID, Job ID, Arrival min, Arrival max, Cost min, Cost max, Deadline, Priority\n1, 1, 0, 1, 1, 2, 9, 9\n\
     1, 2, 10, 11, 1, 2, 19, 19\n2, 1, 3, 3, 4, 4, 20, 20\n",
    "jobset:\n- Task ID: 1\n  Job ID: 1\n  Arrival min: 0\n  Arrival max: 0\n  Cost min: 1\n  Cost max: 2\n  \
     Deadline: 10\n  Priority: 10\n  Successors: [[1, 2]]\n- {Task ID: 1, Job ID: 2, Arrival min: 10, Arrival max: 10, \
     Cost min: 1, Cost max: 2, Deadline: 20, Priority: 20}\n",
    "cpus: 2\nsystem_overhead: 0.05\ntasks:\n- name: \"a\"\n  runtime: 100\n  period: 1000\n  deadline: 800\n",
    "task_name,runtime_us,period_us,deadline_us\na,100,1000,800\nb,5,700,\n",
];

/// Every reader reads `text`; what it says does not matter here.
fn read_everywhere(text: &str) {
    let _ = toml::read("x.toml", text, &nothing_beside).map_err(|why| why.to_string());
    let _ = rtapp::read("x.json", text).map_err(|why| why.to_string());
    let _ = csv::read("x.csv", text).map_err(|why| why.to_string());
    let _ = overheads::read("x.toml", text, Some(Unit::Microsecond)).map_err(|why| why.to_string());
    let _ = overheads::read("x.toml", text, None).map_err(|why| why.to_string());
    for reader in
        [schedcat::read, simso::read, poet::read, jobset::read, jobset::read_csv, rtaudit::read, rtaudit::read_csv]
    {
        match reader("x", text) {
            Ok(scenario) => {
                assert_eq!(toml::read("x.toml", &write::toml(&scenario), &nothing_beside), Ok(scenario), "{text}");
            }
            Err(why) => drop(why.to_string()),
        }
    }
    let _ = read::any("-".as_ref(), text).map_err(|why| why.to_string());
    for line in text.lines() {
        let _ = record::parse(line).map_err(|why| why.to_string());
    }
}

/// `good` with the characters from `at` for `length` replaced by `with`.
fn changed(good: &str, at: usize, length: usize, with: &str) -> String {
    let (at, length) = (at % (good.chars().count() + 1), length % 12);
    good.chars().take(at).chain(with.chars()).chain(good.chars().skip(at + length)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_shortened_text_makes_a_reader_panic(good in 0..GOOD.len(), length in any::<usize>()) {
        let length = length % (GOOD[good].chars().count() + 1);
        read_everywhere(&GOOD[good].chars().take(length).collect::<String>());
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "\\PC*") {
        read_everywhere(&text);
    }

    #[test]
    fn no_changed_text_makes_a_reader_panic(
        good in 0..GOOD.len(), at in any::<usize>(), length in any::<usize>(),
        with in prop_oneof!["[-0-9eE./]{0,40}", Just("NaN".to_owned()), Just("<!DOCTYPE a [<!ENTITY b 'c'>]>&b;".to_owned()), "[\\PC]{0,6}", "[\\[\\]{}\",:=\n]{0,6}", Just("-9223372036854775808".to_owned())],
    ) {
        read_everywhere(&changed(GOOD[good], at, length, &with));
    }
}

#[test]
fn the_good_texts_are_good() {
    assert!(toml::read("x.toml", GOOD[0], &nothing_beside).is_ok());
    let reserved = GOOD[1].replace("\"run\": 5", "\"run\": 5, \"dl-runtime\": 6, \"dl-period\": 9");
    assert!(rtapp::read("x.json", &reserved).is_ok());
    assert!(csv::read("x.csv", GOOD[2]).is_ok());
    assert!(record::parse(GOOD[3]).is_ok());
    for text in &GOOD[5..] {
        let read = read::any("-".as_ref(), text);
        assert!(read.is_ok(), "{text}: {read:?}");
    }
    assert!(overheads::read("x.toml", GOOD[4], None).is_err());
    assert!(overheads::read("x.toml", GOOD[4], Some(Unit::Nanosecond)).is_ok());
}

#[test]
fn deep_and_large_texts_end() {
    read_everywhere(&"[".repeat(100_000));
    read_everywhere(&"{\"tasks\":".repeat(10_000));
    read_everywhere(&"<task period='1' wcet='1'>".repeat(20_000));
    read_everywhere(&format!("<taskset>{}</taskset>", "<task period='2' wcet='1'/>".repeat(70_000)));
    read_everywhere(&format!("<task period='{0}' wcet='{0}'/>", "9".repeat(10_000)));
    for opening in ["- ", "a: {", "? ", "[{", "&a [", "!a {"] {
        read_everywhere(&format!("tasks: {}", opening.repeat(2_000)));
        read_everywhere(&opening.repeat(20_000));
    }
    read_everywhere(&format!("jobset:\n{}", "- {Task ID: 1}\n".repeat(70_000)));
    read_everywhere(&format!("release = '{}us'", "9".repeat(10_000)));
    read_everywhere(&format!("{{\"t\":[{}[1,2]]}}", "[1,2],".repeat(70_000)));
}
