//! Whole runs through the run file, and files that lie.

mod support;

use prazo_core::text::grouped;
use prazo_core::time::Duration;
use prazo_run::plan::{Length, Policy};
use prazo_run::run::{Activations, Block, Second, WorstSample};
use prazo_run::source::Source;
use prazo_run::store::{self, Sample, SecondOfSamples, StoreError};
use prazo_run::{Histogram, Plan, Run, Series};
use proptest::prelude::*;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_saved_run_is_opened_as_it_was(run in support::any_run()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.prazo");
        store::save(&run, &path).unwrap();
        prop_assert_eq!(store::open(&path).unwrap(), run);
    }

    #[test]
    fn a_file_with_changed_bytes_is_refused_or_read_but_never_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.prazo");
        store::save(&example(), &path).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(if is_cut { cut.index(bytes.len()) } else { bytes.len() });
        std::fs::write(&path, bytes).unwrap();
        if let Err(error) = store::open(&path) {
            prop_assert!(error.to_string().contains("a.prazo"), "{}", error);
        }
    }
}

#[test]
fn every_sample_of_a_saved_run_comes_back_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prazo");
    let sample = |number: u64| Sample { activation: number, due_ns: 0, latency_ns: 26 + (number % 3) as i64 };
    let samples: Vec<Sample> = (0..200_000).map(sample).collect();
    let mut histogram = Histogram::new();
    samples.iter().for_each(|sample| histogram.add(sample.latency_ns, 1));
    let timeline = vec![Second { count: 200_000, min_ns: Some(26), max_ns: Some(28), ..Second::default() }];
    let run =
        Run { series: vec![Series { histogram, timeline, ..Series::default() }], name: "a".into(), ..Run::default() };
    let second = SecondOfSamples { series: 0, at_s: 0, samples: samples.clone() };
    store::save_with_samples(&run, std::slice::from_ref(&second), &path).unwrap();
    assert_eq!(store::open(&path).unwrap(), run);
    let mut found = Vec::new();
    store::samples(&path, |_, samples| found.extend_from_slice(samples)).unwrap();
    assert_eq!(found, samples);
    let refused = |second: SecondOfSamples| {
        let error = store::save_with_samples(&run, &[second], &folder.path().join("b.prazo")).unwrap_err();
        error.to_string()
    };
    assert!(refused(SecondOfSamples { samples: samples[1..].to_vec(), ..second.clone() }).contains("199,999 samples"));
    assert!(refused(SecondOfSamples { at_s: 1, ..second.clone() }).contains("second 1"));
    assert!(refused(SecondOfSamples { series: 1, ..second }).contains("series 1"));
}

fn example() -> Run {
    let mut histogram = Histogram::new();
    (0..2_000).for_each(|latency_ns| histogram.add(latency_ns, 3));
    let second = |at_s| Second { at_s, count: 60, sum_ns: 9, min_ns: Some(0), max_ns: Some(2), ..Second::default() };
    let series = Series {
        cpu: Some(1),
        period: Some(Duration::from_ms(1)),
        activations: Activations { due: Some(6_000), served: 6_000, ..Activations::default() },
        blocks: vec![Block { from_s: 0, length_s: 100, histogram: histogram.clone() }],
        timeline: (0..100).map(second).collect(),
        worst: vec![WorstSample { at_ns: 5, latency_ns: 1_999, activation: 7 }],
        histogram,
        ..Series::default()
    };
    Run { name: "example".into(), series: vec![series], ..Run::default() }
}

/// The example's file after somebody ran `sql` on it.
fn edited(folder: &Path, sql: &str) -> PathBuf {
    let path = folder.join("a.prazo");
    store::save(&example(), &path).unwrap();
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF").unwrap();
    connection.execute_batch(sql).unwrap();
    path
}

#[track_caller]
fn assert_refused(sql: &str, because: &str) {
    let folder = tempfile::tempdir().unwrap();
    let error = store::open(&edited(folder.path(), sql)).expect_err(sql).to_string();
    assert!(error.contains("a.prazo: ") && error.contains(because), "{sql}\n  {error}");
}

#[test]
fn counts_and_latencies_that_cannot_be_are_refused() {
    assert_refused("UPDATE histogram SET count = -1 WHERE latency_ns = 5", "out of range");
    assert_refused("UPDATE timeline SET count = -1", "out of range");
    assert_refused("UPDATE series SET served = -1", "out of range");
    assert_refused("UPDATE series SET overflow = 9223372036854775807", "exceeds 63 bits");
    assert_refused("UPDATE timeline SET skipped = 9223372036854775807 WHERE at_s < 2", "exceeds 63 bits");
    assert_refused("UPDATE timeline SET sum_ns = -9223372036854775807 - 1", "exceeds 63 bits");
    assert_refused("UPDATE histogram SET latency_ns = 9223372036854775807 WHERE latency_ns = 5", "a latency of");
    assert_refused("UPDATE series SET cpu = 70000", "processor");
    assert_refused("UPDATE series SET cpu = -1", "out of range");
    assert_refused("UPDATE series SET period_ns = 9223372036854775807", "a period");
    assert_refused("UPDATE series SET stated_mean_ns = 9e999", "a stated mean");
    assert_refused("UPDATE series SET id = 7", "series 7 was found where series 0 is expected");
}

#[test]
fn activations_that_do_not_add_up_are_damage() {
    assert_refused(
        "UPDATE series SET due = 6005, skipped = 0",
        "6,005 due activations, which is not the sum of 6000 served, 0 skipped",
    );
    assert_refused("UPDATE series SET due = 6002, skipped = 0, outstanding = 2", "2 unfinished activations");
    assert_refused("UPDATE series SET missed = 6001", "6,001 missed activations, but only 6000 served");
    let folder = tempfile::tempdir().unwrap();
    let whole = edited(folder.path(), "UPDATE series SET due = 6004, skipped = 3, outstanding = 1, missed = 6000");
    assert!(store::open(&whole).is_ok());
    let other = tempfile::tempdir().unwrap();
    let damaged = edited(other.path(), "UPDATE series SET due = 6001, skipped = 0");
    assert!(matches!(store::open(&damaged), Err(StoreError::Damaged { .. })));
}

#[test]
fn blobs_and_texts_that_cannot_be_are_refused() {
    assert_refused("UPDATE block SET cells = x'ffffff'", "a histogram block is invalid");
    assert_refused("UPDATE block SET cells = zeroblob(9000000)", "too big");
    assert_refused("UPDATE block SET from_s = 4294967295", "a histogram block from second");
    assert_refused("UPDATE series SET quantity = 'speed'", "unknown variant `speed`");
    assert_refused("UPDATE meta SET value = '{}' WHERE key = 'ending'", "entry 'ending' of the table 'meta'");
    assert_refused("UPDATE meta SET value = 'x' WHERE key = 'origin'", "entry 'origin' of the table 'meta'");
    assert_refused(
        "INSERT INTO meta VALUES ('command', hex(zeroblob(4000000))) ON CONFLICT DO UPDATE SET value = excluded.value",
        "a text of more than",
    );
    assert_refused("INSERT INTO caveat (name, severity, what, remedy) VALUES ('a', 'dire', 'b', 'c')", "`dire`");
    assert_refused(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1001) INSERT INTO worst SELECT 0, i, 5, 5, 5 FROM n",
        "more than 1000 rows",
    );
}

#[test]
fn tables_that_are_not_ours_are_refused() {
    let trap = "DROP TABLE worst; CREATE VIEW worst AS SELECT 0 AS series, 0 AS rank, 1 AS latency_ns, 2 AS at_ns, 3 AS activation";
    assert_refused(trap, "the table 'worst' is missing or differs from the one that prazo creates");
    assert_refused("ALTER TABLE load ADD COLUMN more TEXT", "the table 'load'");
    assert_refused(
        "CREATE TRIGGER t AFTER INSERT ON histogram BEGIN DELETE FROM histogram; END",
        "the database has triggers",
    );
    assert_refused("PRAGMA user_version = 4", "its schema version is 4");
    assert_refused("PRAGMA user_version = 0", "its schema version is 0");
    assert_refused("PRAGMA application_id = 5", "not a prazo run file: the database has the application id 0x00000005");
}

#[test]
fn parts_that_belong_to_nothing_are_refused() {
    assert_refused("INSERT INTO part VALUES (0, 7)", "parts of latencies of series 7");
    assert_refused("INSERT INTO split VALUES (7, 'bpf', 1, 0)", "parts of latencies of series 7");
    assert_refused("INSERT INTO split VALUES (0, 'magic', 1, 0)", "unknown variant `magic`");
    assert_refused("INSERT INTO split VALUES (0, 'bpf', -1, 0)", "out of range");
    assert_refused("INSERT INTO split VALUES (0, 'bpf', 9223372036854775807, 9)", "exceeds 63 bits");
}

#[test]
fn a_split_that_does_not_account_for_all_that_was_served_is_refused() {
    let served = example().series[0].activations.served;
    let because = format!("{} served activations, but {} split or counted as not split", grouped(served), served - 1);
    assert_refused(&format!("INSERT INTO split VALUES (0, 'bpf', {}, 1)", served - 2), &because);
    let folder = tempfile::tempdir().unwrap();
    let whole = format!(
        "INSERT INTO split VALUES (0, 'bpf', {}, 1); INSERT INTO unsplit VALUES (0, 'no-stamps', 1)",
        served - 2
    );
    assert!(store::open(&edited(folder.path(), &whole)).is_ok());
}

#[test]
fn a_file_of_schema_version_1_is_still_read() {
    let folder = tempfile::tempdir().unwrap();
    let older = "DROP TABLE part; DROP TABLE split; DROP TABLE unsplit; DROP TABLE cause; DROP TABLE cause_share;
        PRAGMA user_version = 1";
    assert_eq!(store::open(&edited(folder.path(), older)).unwrap(), example());
}

#[test]
fn a_plan_of_before_there_were_several_sources_is_a_timers() {
    let plan = Plan::new(Source::Timer, Policy::Other, vec![], Length::Activations { count: 1 });
    let mut older = serde_json::to_value(&plan).unwrap();
    assert!(older.as_object_mut().unwrap().remove("source").is_some());
    assert_eq!(serde_json::from_value::<prazo_run::Plan>(older).unwrap(), plan);
}

#[test]
fn a_view_of_the_users_own_is_no_reason_to_refuse() {
    let folder = tempfile::tempdir().unwrap();
    let path = edited(folder.path(), "CREATE VIEW mine AS SELECT count(*) FROM histogram");
    assert_eq!(store::open(&path).unwrap(), example());
}

#[test]
fn what_is_not_there_or_no_run_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let missing = store::open(&folder.path().join("b.prazo")).unwrap_err();
    assert!(matches!(missing, StoreError::Io { .. }), "{missing}");
    let other = folder.path().join("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE a (b)").unwrap();
    let not_ours = store::open(&other).unwrap_err();
    assert!(not_ours.to_string().contains("other.db: not a prazo run file"), "{not_ours}");
    assert!(store::open(folder.path()).is_err());
}

#[test]
fn a_run_that_no_file_can_hold_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prazo");
    let mut run = example();
    run.series[0].histogram.add(i64::MAX, 1);
    let error = store::save(&run, &path).unwrap_err();
    assert!(error.to_string().contains("cannot store this run: it contains series 0 with a latency of"), "{error}");
    assert!(!path.exists());
}

#[test]
fn a_file_named_like_a_uri_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file:a?mode=memory.prazo");
    store::save(&example(), &path).unwrap();
    assert!(path.exists());
    assert_eq!(store::open(&path).unwrap(), example());
}

#[test]
fn the_views_give_the_figures_that_people_ask_for() {
    let folder = tempfile::tempdir().unwrap();
    let connection = Connection::open(edited(folder.path(), "")).unwrap();
    let row =
        |sql: &str| connection.query_row(sql, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, f64>(1)?))).unwrap();
    assert_eq!(row("SELECT count, latency_us FROM latency WHERE cpu = 1 AND latency_us = 1.999"), (3, 1.999));
    assert_eq!(row("SELECT count, mean_us FROM summary"), (6_000, 0.9995));
    assert_eq!(row("SELECT due, served FROM activations"), (6_000, 6_000.0));
}
