//! What one program claims another one checks: each verdict on each scenario has a certificate, and a forged one is found out.

use crate::checkout;
use crate::scenarios::{SCHEDULERS, files, flags};
use crate::support::Desk;
use std::path::PathBuf;

/// Each scenario under each scheduler, as words for `sched test`.
fn questions() -> Vec<String> {
    let each = |file: PathBuf| {
        let tied = flags(&file);
        SCHEDULERS
            .map(|(_, scheduler)| format!("{} {}", file.display(), if tied.is_empty() { scheduler } else { tied }))
    };
    files().into_iter().flat_map(each).collect()
}

/// Why a verdict has no certificate, by the status that the command ends with.
const UNCERTIFIED: [(i32, &str); 3] = [
    (3, "nothing was decided"),
    (4, "the result has no proof or disproof that a certificate can state"),
    (4, "the checker cannot check a proof by schedule graph"),
];

#[test]
fn every_certificate_that_is_written_is_accepted_for_its_verdict() {
    let desk = Desk::new();
    let (mut accepted, mut without) = (0, 0);
    for question in questions() {
        let answer = desk.prazo(&format!("sched test {question} --certificate set.cert --force"));
        // The status is the worst of deadlines and chains; the certificate is about the deadlines.
        let deadlines_hold = answer.stdout.contains("PROVEN: every job") && !answer.stdout.contains("DISPROVEN");
        match answer.code {
            Some(0 | 1) | Some(3) if answer.code != Some(3) || deadlines_hold => {
                let verified = desk.prazo("sched verify set.cert --json").json();
                assert_eq!(verified["accepted"], true, "{question}: {}", verified["sentences"]);
                let wanted = if deadlines_hold { "proven" } else { "disproven" };
                assert_eq!(verified["verdict"], wanted, "{question}");
                accepted += 1;
            }
            _ => {
                let is_known =
                    |(code, reason): &(i32, &str)| answer.code == Some(*code) && answer.stderr.contains(reason);
                assert!(UNCERTIFIED.iter().any(is_known), "{question}: {:?} {}", answer.code, answer.stderr);
                without += 1;
            }
        }
    }
    eprintln!("{accepted} certificates accepted, {without} answers without one");
    assert!(accepted > 5 * without, "{accepted} certificates, {without} answers without one");
}

/// A scenario with the flags that ask about it, and a digit of a cost that decides: as it is written, and as forged.
const FORGERIES: [(&str, &str, &str, &str); 8] = [
    ("baker-2003-density", "", "task 0 cost 1 ", "task 0 cost 2 "),
    ("baker-2003-density", "--shape partitioned", "task 1 cost 1 ", "task 1 cost 9 "),
    ("dhall-effect", "--shape global", "task 2 cost 10000000 ", "task 2 cost 1000000 "),
    ("dhall-effect", "--shape partitioned", "task 2 cost 10000000 ", "task 2 cost 12000000 "),
    ("lehoczky-1990-busy-period", "", "task 1 cost 62000000 ", "task 1 cost 63000000 "),
    ("uniprocessor-density", "", "task 0 cost 6 ", "task 0 cost 5 "),
    ("three-two-thirds", "--shape global", "task 1 cost 2 ", "task 1 cost 1 "),
    ("with-overheads", "", "task 0 cost 250000 ", "task 0 cost 251000 "),
];

#[test]
fn a_certificate_with_another_cost_is_rejected_with_the_reason() {
    let desk = Desk::new();
    for (name, flags, written, forged) in FORGERIES {
        let file = checkout("scenarios").join(name).with_extension("toml");
        desk.prazo(&format!("sched test {} {flags} --certificate set.cert --force", file.display()));
        let certificate = std::fs::read_to_string(desk.path("set.cert")).expect("a certificate");
        assert_eq!(certificate.matches(written).count(), 1, "{name}: {certificate}");
        desk.prazo("sched verify set.cert").expect_code(0);
        let forged = certificate.replace(written, forged);
        desk.write("set.cert", &forged);
        let told = desk.prazo("sched verify set.cert").expect_code(1).stdout;
        assert!(told.contains("REJECTED\n- ") && told.contains("the digest does not match"), "{name}: {told}");
        desk.write("set.cert", resealed(&forged));
        let told = desk.prazo("sched verify set.cert").expect_code(1).stdout;
        assert!(told.contains("REJECTED\n- ") && told.lines().count() == 2, "{name}: {told}");
        assert!(!told.contains("digest"), "{name}: {told}");
    }
}

/// `text` with the digest that its lines ought to have.
fn resealed(text: &str) -> String {
    let digest = prazo_checker::digest_of_scenario(text).expect("a certificate with a digest");
    let line = |line: &str| match line.starts_with("digest ") {
        true => format!("digest sha256 {digest}\n"),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Two tasks that share a processor, as a scenario that says everything.
const STATED: &str = "unit = \"none\"\nprocessors = 1\npolicy = \"edf\"\n\
[task.a]\ncost = 1\nperiod = 4\ndeadline = 3\n[task.b]\ncost = 2\nperiod = 6\n";

#[test]
fn a_certificate_is_about_the_scenario_that_it_was_written_for_and_no_other() {
    let desk = Desk::new();
    desk.write("set.toml", STATED);
    desk.prazo("sched test set.toml --certificate set.cert").expect_code(0);
    let told = desk.prazo("sched verify set.cert --against set.toml").expect_code(0).stdout;
    assert!(told.contains("The certificate is about set.toml.") && told.contains("digest sha256 "), "{told}");
    assert!(told.contains("task 0, in ticks: cost 1, period 4, deadline 3, jitter 0"), "{told}");
    let changes = [
        ("cost = 2", "cost = 1", "cost of task 1: 2 in the certificate, 1 in the scenario"),
        ("deadline = 3", "deadline = 4", "deadline of task 0: 3 in the certificate, 4 in the scenario"),
        ("processors = 1", "processors = 2", "processors: 1 in the certificate, 2 in the scenario"),
        (
            "policy = \"edf\"",
            "policy = \"fixed-priority\"\npriorities = \"rate-monotonic\"",
            "policy: EDF in the certificate, rate-monotonic",
        ),
    ];
    for (old, new, difference) in changes {
        assert!(STATED.contains(old), "{old}");
        desk.write("other.toml", STATED.replace(old, new));
        let told = desk.prazo("sched verify set.cert --against other.toml").expect_code(1).stdout;
        assert!(told.contains("ACCEPTED") && told.contains("DIFFERENT") && told.contains(difference), "{told}");
        let document = desk.prazo("sched verify set.cert --against other.toml --json").expect_code(1).json();
        assert_eq!((&document["accepted"], document["differences"].as_array().map(Vec::len)), (&true.into(), Some(1)));
    }
    desk.prazo("sched verify set.cert --against absent.toml").expect_code(2).expect_error(&["absent.toml"]);
    let alone = desk.prazo("sched verify set.cert --json").expect_code(0).json();
    assert_eq!((&alone["differences"], &alone["tasks"][1]["cost"]), (&serde_json::Value::Null, &2.into()));
}

#[test]
fn offsets_and_locks_across_processors_are_certified_from_the_set_to_its_check() {
    let desk = Desk::new();
    for (name, said) in [("offsets", "with the given offsets"), ("spin-locks", "on 2 processors")] {
        let set = checkout(&format!("scenarios/{name}.toml"));
        let set = set.display();
        let told = desk.prazo(&format!("sched test {set} --certificate c.cert --force")).expect_code(0).stdout;
        assert!(told.contains("PROVEN") && told.contains(said), "{told}");
        let told = desk.prazo(&format!("sched verify c.cert --against {set}")).expect_code(0).stdout;
        assert!(told.contains(&format!("The certificate is about {set}.")), "{told}");
    }
    // The transfer begins just before the brake arrives.
    let set = std::fs::read_to_string(checkout("scenarios/offsets.toml")).expect("it is there");
    let late = set.replace("offset = \"1ms\"", "offset = \"4ms\"");
    desk.write("late.toml", late.split("[expect]").next().expect("a part"));
    let told = desk.prazo("sched test late.toml --certificate late.cert --pattern late.pattern.toml").expect_code(1);
    assert!(told.stdout.contains("DISPROVEN"), "{}", told.stdout);
    let told = desk.prazo("sched verify late.cert --against late.toml").expect_code(0).stdout;
    assert!(
        told.contains("- disproven") && told.contains("offset 4000000, best-case execution time 1000000"),
        "{told}"
    );
    desk.prazo("sched simulate late.pattern.toml").expect_code(1);
    let differs =
        desk.prazo(&format!("sched verify late.cert --against {}", checkout("scenarios/offsets.toml").display()));
    assert!(differs.expect_code(1).stdout.contains("task 2: synchronized arrivals, offset or best case differ"));
}

#[test]
fn nothing_decided_is_status_3_with_one_line_and_without_a_certificate() {
    let desk = Desk::new();
    desk.write("set.toml", "unit = \"none\"\nprocessors = 2\n[task.a]\ncost = 5\nperiod = 10\n[task.b]\ncost = 6\nperiod = 11\n[task.c]\ncost = 8\nperiod = 12\n");
    let plain = desk.prazo("sched test set.toml --budget 0 --simulate 0").expect_code(3);
    let told = desk.prazo("sched test set.toml --budget 0 --simulate 0 --certificate set.cert").expect_code(3);
    assert_eq!(told.stdout, plain.stdout);
    assert_eq!(told.stderr, "no certificate was written to set.cert, because nothing was decided\n");
    assert!(!desk.path("set.cert").exists());
}

#[test]
fn what_is_no_certificate_is_rejected_with_its_line() {
    let desk = Desk::new();
    for (content, line) in [("", "line 1"), ("rubbish\n", "line 1"), ("prazo-certificate 2\nrubbish\n", "line 2")] {
        desk.write("set.cert", content);
        let told = desk.prazo("sched verify set.cert").expect_code(1).stdout;
        assert!(told.contains("REJECTED") && told.contains(line), "{told}");
        let verified = desk.prazo("sched verify set.cert --json").expect_code(1).json();
        assert_eq!((&verified["accepted"], &verified["verdict"]), (&false.into(), &serde_json::Value::Null));
    }
}

const SETS: u32 = 250;

/// A small set of any kind, with the flags to ask about it.
fn random_question(random: &mut fastrand::Rng) -> (String, String) {
    let (kind, count) = (random.u8(0..4), random.u32(1..=6));
    let tasks: String = (0..count).map(|index| random_task(random, kind, index)).collect();
    let processors = random.u32(1..=4);
    let shapes = [
        format!("-m {processors} -s global"),
        format!("-m {processors} -s partitioned"),
        "-s 2,1".into(),
        "-s 3".into(),
    ];
    let policies = ["-p edf", "-p fp", "-p fp --priorities rm", "-p fp --priorities audsley"];
    let shape = &shapes[random.usize(0..shapes.len())];
    (format!("unit = \"none\"\n{tasks}"), format!("{shape} {}", policies[random.usize(0..policies.len())]))
}

/// With D = T, D <= T, any D, or any D and release jitter.
fn random_task(random: &mut fastrand::Rng, kind: u8, index: u32) -> String {
    let period = random.u64(2..=12);
    let cost = random.u64(1..=(period * 2 / 3).max(1));
    let deadline = match kind {
        0 => period,
        1 => random.u64(cost..=period),
        _ => random.u64(cost..=2 * period + 3),
    };
    let jitter = if kind == 3 { random.u64(0..=3) } else { 0 };
    format!("[task.t{index}]\ncost = {cost}\nperiod = {period}\ndeadline = {deadline}\njitter = {jitter}\n")
}

/// A verdict may have no certificate; what is written must hold.
#[test]
fn no_certificate_of_a_random_set_is_rejected() {
    let desk = Desk::new();
    let seed = 20_261_121;
    println!("seed {seed}");
    let (mut random, mut accepted) = (fastrand::Rng::with_seed(seed), 0);
    for _ in 0..SETS {
        let (set, flags) = random_question(&mut random);
        desk.write("set.toml", &set);
        let answer = desk.prazo(&format!("sched test set.toml {flags} --certificate set.cert --force"));
        if matches!(answer.code, Some(0 | 1)) {
            let told = desk.prazo("sched verify set.cert").stdout;
            assert!(told.contains("ACCEPTED"), "{flags}\n{set}\n{told}");
            accepted += 1;
        }
    }
    println!("{accepted} certificates of {SETS} sets");
    assert!(accepted > SETS / 2, "only {accepted} certificates of {SETS} sets");
}
