//! Sets with servers: what analysis accepts never misses where it is simulated, and what it cannot answer it refuses with a way out.

use crate::support::Desk;
use crate::{checkout, sched};
use fastrand::Rng;
use std::fmt::Write;

const SEED: u64 = 1_998;
const SETS: u64 = 120;

/// A task with these keys, in microseconds.
fn task(name: &str, keys: &[(&str, u64)]) -> String {
    keys.iter().fold(format!("[task.{name}]\n"), |mut text, (key, us)| {
        writeln!(text, "{key}_us = {us}").unwrap();
        text
    })
}

/// One or two served tasks, whose servers mostly cover them, and tasks without that take most of what is left; times of a few
/// microseconds.
fn drawn(dice: &mut Rng) -> String {
    let clusters = if dice.u64(..4) == 0 { "[1, 1]" } else { "[1]" };
    let (mut text, mut left) = (format!("clusters = {clusters}\npolicy = \"edf\"\n"), 10_000);
    for number in 0..dice.u64(1..=2) {
        let (served, share) = served(dice, number);
        text += &served;
        left -= share.min(left);
    }
    for number in 0..dice.u64(1..=3) {
        let period = dice.u64(4..=40);
        let cost = left * period / 10_000;
        if cost > 0 {
            let cost = dice.u64(cost.div_ceil(2)..=cost);
            let keys = [("cost", cost), ("period", period), ("deadline", period + dice.u64(..4) / 3)];
            text += &task(&format!("hard-{number}"), &keys);
            left -= (cost * 10_000).div_ceil(period).min(left);
        }
    }
    text
}

/// A served task, and its server's bandwidth in 1/10,000.
fn served(dice: &mut Rng, number: u64) -> (String, u64) {
    let period = dice.u64(6..=30);
    let cost = dice.u64(1..=period / 3);
    let deadline = dice.u64(period / 2..=2 * period);
    let jitter = if dice.u64(..3) == 0 { dice.u64(1..=3) } else { 0 };
    let reach = period.min(deadline).saturating_sub(jitter).max(cost);
    // Some servers fall short.
    let [is_long, is_small] = [0, 0].map(|_| dice.u64(..6) == 0);
    let server_period = if is_long { reach + dice.u64(1..=4) } else { dice.u64(cost.max(reach / 2)..=reach) };
    let budget = if is_small { cost.div_ceil(2) } else { dice.u64(cost..=server_period.min(cost + 1)) };
    let execution = if dice.u64(..8) == 0 { cost + 1 } else { dice.u64(1..=cost) };
    let keys = [
        ("cost", cost),
        ("period", period),
        ("deadline", deadline),
        ("jitter", jitter),
        ("server_budget", budget),
        ("server_period", server_period),
        ("execution", execution),
    ];
    let keys: Vec<_> = keys.into_iter().filter(|(key, us)| *key != "jitter" || *us > 0).collect();
    // Every other one simply takes its cost, which uses up a budget that is no larger.
    let keys = if execution <= cost && dice.u64(..2) == 0 { &keys[..keys.len() - 1] } else { &keys[..] };
    (task(&format!("served-{number}"), keys), (budget * 10_000).div_ceil(server_period))
}

/// Ways for the same jobs to arrive and execute that keep to what the tasks promise.
const WAYS: [&str; 3] = ["", "--offsets random --arrivals sporadic=0.3", "--offsets random --execution uniform=0.2"];

#[test]
fn an_accepted_set_never_misses() {
    let seed = std::env::var("PRAZO_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(SEED);
    println!("served: PRAZO_SEED={seed}");
    let (desk, mut proven, mut refused) = (Desk::new(), 0, 0);
    for number in 0..SETS {
        let text = drawn(&mut Rng::with_seed(seed + number));
        desk.write("set.toml", &text);
        match desk.prazo("sched test set.toml").code {
            Some(0) => proven += 1,
            Some(2) => {
                refused += 1;
                continue;
            }
            _ => continue,
        }
        for way in WAYS {
            let answer = desk.prazo(&format!("sched simulate set.toml -D 3ms --seed {number} {way} --json"));
            assert_eq!(answer.code, Some(0), "seed {seed}, set {number} {way}: {}\n{text}", answer.stderr);
        }
    }
    println!("{proven} of {SETS} sets proven, {refused} refused");
    assert!(proven * 10 > SETS && refused * 10 > SETS, "{proven} proven, {refused} refused");
}

const HARD: &str = "processors = 1\n[task.hard]\ncost = \"10ms\"\nperiod = \"50ms\"\n";

/// A hard task and a served one with these keys.
fn set(served: &str) -> String {
    let lines: String = served.split(", ").map(|pair| pair.replacen(' ', " = \"", 1) + "\"\n").collect();
    format!("{HARD}[task.served]\n{lines}")
}

/// What the served task says, and what the refusal must name.
const REFUSED: [(&str, &str); 6] = [
    ("cost 20ms, period 100ms, deadline 25ms, server_budget 5ms, server_period 25ms", "raise the budget"),
    ("cost 5ms, period 100ms, deadline 25ms, server_budget 5ms, server_period 26ms", "shorten server_period"),
    ("cost 5ms, period 100ms, server_budget 5ms, server_period 101ms", "shorten server_period"),
    ("cost 5ms, period 100ms, jitter 1ms, server_budget 5ms, server_period 100ms", "shorten server_period"),
    ("cost 5ms, period 100ms, execution 6ms, server_budget 6ms, server_period 100ms", "longer than its cost"),
    ("cost 5ms, period 100ms, server_budget 5ms, server_period 6ms", "not disproven"),
];

#[test]
fn what_the_server_does_not_cover_is_refused_with_a_way_out() {
    let desk = Desk::new();
    for (keys, said) in REFUSED {
        desk.write("set.toml", set(keys));
        for command in ["test", "partition"] {
            let answer = desk.prazo(&format!("sched {command} set.toml --shape partitioned")).expect_code(2);
            for part in ["'served'", "simulate the set", "remove the task's server", said] {
                assert!(answer.stderr.contains(part), "{command} {keys}: {part}: {}", answer.stderr);
            }
        }
    }
}

/// Releases interrupt at each of the served jobs, a hundred in each period of the server: the hard task misses.
#[test]
fn servers_with_overheads_are_refused() {
    let desk = Desk::new();
    let costs = ["release", "scheduling", "context_switch"]
        .map(|name| format!("{name} = {{ constant = \"100us\", source = \"assumed\" }}\n"));
    desk.write("costs.toml", costs.concat());
    desk.write("set.toml", set("cost 500us, period 1ms, server_budget 1ms, server_period 1ms"));
    let refused = desk.prazo("sched test set.toml --overheads costs.toml").expect_code(2);
    assert!(refused.stderr.contains("--overheads none"), "{}", refused.stderr);
}

#[test]
fn an_accepted_set_is_certified_and_says_what_was_analysed() {
    let desk = Desk::new();
    desk.write("set.toml", set("cost 5ms, period 100ms, deadline 80ms, server_budget 6ms, server_period 25ms"));
    let tested = desk.prazo("sched test set.toml --json --certificate set.cert").expect_code(0).stdout;
    assert!(tested.contains("is analysed as its server"), "{tested}");
    desk.prazo("sched verify set.cert").expect_code(0);
    desk.prazo("sched partition set.toml").expect_code(0);
}

#[test]
fn servers_are_refused_where_other_schedulers_are_asked_about() {
    let desk = Desk::new();
    desk.write("set.toml", set("cost 5ms, period 100ms, server_budget 5ms, server_period 100ms"));
    for flags in ["--policy fp", "-m 2"] {
        let answer = desk.prazo(&format!("sched test set.toml {flags}")).expect_code(2);
        assert!(answer.stderr.contains("--shape partitioned"), "{}", answer.stderr);
    }
}

#[test]
fn a_refused_file_among_others_leaves_them_answered() {
    let file = |name: &str| checkout("scenarios").join(name).display().to_string();
    let (first, last) = (file("overrun-server.toml"), file("small-periods.toml"));
    let answer = sched(&format!("test {first} {last} {first} --json")).expect_code(2);
    assert_eq!(answer.json()[0]["name"], "small-periods");
    assert_eq!(answer.stderr.matches("'video'").count(), 2, "{}", answer.stderr);
    assert!(sched(&format!("test {first} --json")).expect_code(2).stdout.is_empty());
}
