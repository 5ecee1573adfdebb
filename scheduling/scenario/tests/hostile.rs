//! No text makes a reader panic: anything at all, and good texts with a part struck out, doubled or replaced.

use prazo_scenario::read::{csv, nothing_beside, record, rtapp, toml};
use prazo_scenario::{Unit, overheads};
use proptest::prelude::*;

const GOOD: [&str; 5] = [
    "name = 'a'\nunit = 'us'\nclusters = [2, 2]\npolicy = 'edf'\noverheads = { release = { linear = [[5, '3us'], [9, '4us']] } }\n\
     [task.a]\ncost = '2ms'\nperiod_us = 4e3\ncluster = 1\naffinity = '0-3'\nworking_set = '64KiB'\n[expect]\ngedf = 'proven'\n",
    "{ /* c */ \"tasks\": { \"a\": { \"run\": 5, \"timer\": { \"ref\": \"unique\", \"period\": 9 }, \"cpus\": [0, 1], }, }, // d\n\
     \"global\": { \"default_policy\": \"SCHED_DEADLINE\" } }",
    "name,cost_us,period,deadline_ms,priority,affinity\na,2.5,2ms,20,1,\"0,2\"\n",
    "{\"id\":\"a\",\"m\":4,\"clusters\":[2,2],\"oh\":{\"release\":[[5,1.5],[9,2]],\"cxs\":\"7/3\",\"tick\":1,\"quantum\":9},\
     \"t\":[[1,2],[1,4,3,64]]}",
    "source = 'run'\nrelease = '9.4us'\ntick = { table = [[5, '1us']], samples = 7 }\ntick_period = '1ms'\n\
     cache_delay = { base = '1us', per_kib = '2ns' }",
];

/// Every reader reads `text`; what it says does not matter here.
fn read_everywhere(text: &str) {
    let _ = toml::read("x.toml", text, &nothing_beside).map_err(|why| why.to_string());
    let _ = rtapp::read("x.json", text).map_err(|why| why.to_string());
    let _ = csv::read("x.csv", text).map_err(|why| why.to_string());
    let _ = overheads::read("x.toml", text, Some(Unit::Microsecond)).map_err(|why| why.to_string());
    let _ = overheads::read("x.toml", text, None).map_err(|why| why.to_string());
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
    fn no_text_makes_a_reader_panic(text in "\\PC*") {
        read_everywhere(&text);
    }

    #[test]
    fn no_changed_text_makes_a_reader_panic(
        good in 0..GOOD.len(), at in any::<usize>(), length in any::<usize>(),
        with in prop_oneof!["[-0-9eE./]{0,40}", "[\\PC]{0,6}", "[\\[\\]{}\",:=\n]{0,6}", Just("-9223372036854775808".to_owned())],
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
    assert!(overheads::read("x.toml", GOOD[4], None).is_err());
    assert!(overheads::read("x.toml", GOOD[4], Some(Unit::Nanosecond)).is_ok());
}

#[test]
fn deep_and_large_texts_end() {
    read_everywhere(&"[".repeat(100_000));
    read_everywhere(&"{\"tasks\":".repeat(10_000));
    read_everywhere(&format!("release = '{}us'", "9".repeat(10_000)));
    read_everywhere(&format!("{{\"t\":[{}[1,2]]}}", "[1,2],".repeat(70_000)));
}
