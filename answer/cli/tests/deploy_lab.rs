//! From a task set to a watched deployment on four processors, by the command itself: a guest's first process is a shell that
//! deploys, watches and undoes, and everything it says comes back over its console.

#[path = "deploy_lab/guest.rs"]
mod guest;
mod support;

use guest::{Said, in_guest};
use prazo_lab::Machine;
use prazo_lab::machine::Time;
use prazo_testing::or_skip;
use serde_json::{Value, json};

/// One task that fills its processor, and three that share the rest: proven, and in no other packing.
const CELL: &str = "name = \"cell\"\nprocessors = 4\n[task.press]\ncost = \"14ms\"\nperiod = \"20ms\"\n\
                    [task.eye]\ncost = \"7ms\"\nperiod = \"20ms\"\n[task.plan]\ncost = \"14ms\"\nperiod = \"40ms\"\n\
                    [task.log]\ncost = \"28ms\"\nperiod = \"80ms\"\n";

/// Workers wake on a grid of CLOCK_MONOTONIC (clock_gettime is 228, clock_nanosleep 230) and count for a while; the greedy one
/// counts for longer than its budget, and then sleeps.
const SCRIPT: &str = r#"
worker() {
  perl -e '$now = "\0" x 16; syscall(228, 1, $now); ($s, $ns) = unpack("qq", $now);
    while (1) {
      $ns += $ARGV[0]; if ($ns >= 1000000000) { $ns -= 1000000000; $s++ }
      $due = pack("qq", $s, $ns); syscall(230, 1, 1, $due, 0); for (1 .. $ARGV[1]) {}
    }' $1 $2 &
}
worker 20000000 100; PRESS=$!
worker 20000000 60; EYE=$!
worker 40000000 60; PLAN=$!
worker 80000000 60; LOG=$!
perl -e 'while (1) { select(undef, undef, undef, 0.02); for (1 .. 1500) {} }' & GREEDY=$!
BASE="sched deploy cell.toml --shape clustered-edf:1,3 --pid plan=$PLAN --json"
WORDS="$BASE --pid log=$LOG"
say deployed prazo $WORDS --pid press=$PRESS --pid eye=$EYE
say watched prazo sched watch -D 2s --json
say undone prazo sched undeploy --json

say greedy prazo $WORDS --pid press=$GREEDY --pid eye=$EYE
say exceeded prazo sched watch -D 2s --json
say undone-again prazo sched undeploy --json

sleep 600 & SLEEPER=$!
sleep 0.2
set -- $(cat /proc/$SLEEPER/stat)
# The kernel counts it where it sleeps, so a deployment into the other cluster waits for it.
case ${39} in 0) who="--pid press=$PRESS --pid eye=$SLEEPER";; *) who="--pid press=$SLEEPER --pid eye=$EYE";; esac
prazo $BASE $who --command log='sleep 7777' & DEPLOYING=$!
# A command that waits to be let go, or runs.
commands() { perl -e 'for (@ARGV) { open(F, $_) or next; $_ = <F> // ""; exit 0 if /7777/ && !/^perl/ } exit 1' /proc/[0-9]*/cmdline; }
groups() { set -- /sys/fs/cgroup/prazo-*; [ -d "$1" ]; }
until groups && commands; do sleep 0.05; done
sleep 0.5
kill -9 $DEPLOYING
wait $DEPLOYING
say left groups
say unwatched prazo sched watch --json
say recovered prazo sched undeploy --json
say gone groups
say ended commands
"#;

fn by_name<'a>(said: &'a [Said], name: &str) -> &'a Said {
    said.iter().find(|one| one.name == name).unwrap_or_else(|| panic!("'{name}' was not said"))
}

#[test]
fn in_a_guest_a_clustered_assignment_is_deployed_watched_and_undone_and_what_breaks_it_is_told() {
    let said = or_skip!(in_guest(Machine::find("linux-4").unwrap(), &[("cell.toml", CELL)], SCRIPT));
    stands(&by_name(&said, "deployed").expect(0));
    kept(&by_name(&said, "watched").expect(0));
    restored(&by_name(&said, "undone").expect(0));
    by_name(&said, "greedy").expect(0);
    exceeded(&by_name(&said, "exceeded").expect(1));
    restored(&by_name(&said, "undone-again").expect(0));
    assert_eq!(by_name(&said, "left").status, 0, "killed half-way, its groups are left");
    let unwatched = by_name(&said, "unwatched");
    assert_eq!(unwatched.status, 2, "half a deployment is none: {unwatched:?}");
    assert!(unwatched.error.contains("nothing is deployed"), "{unwatched:?}");
    restored(&by_name(&said, "recovered").expect(0));
    assert_ne!(by_name(&said, "gone").status, 0, "no group is left");
    assert_ne!(by_name(&said, "ended").status, 0, "no command is left");
}

/// Proven, admitted, as asked, and seen nowhere else.
fn stands(document: &Value) {
    assert_eq!((&document["verdict"], &document["admitted"]), (&"proven".into(), &true.into()), "{document}");
    assert_eq!((&document["deployed"], &document["differs"]), (&true.into(), &json!([])), "{document}");
    let cpus: Vec<&str> =
        document["clusters"].as_array().unwrap().iter().map(|one| one["cpus"].as_str().unwrap()).collect();
    assert_eq!(cpus, ["0", "1-3"]);
    let held: Vec<&str> =
        document["holds"].as_array().unwrap().iter().map(|one| one["cpus"].as_str().unwrap()).collect();
    assert_eq!(held, ["0", "1-3", "1-3", "1-3"]);
}

/// Jobs of every task were seen, none late, none outside, each maximum below its bound and explained.
fn kept(document: &Value) {
    assert_eq!((&document["outcome"], &document["misses"]), (&"pass".into(), &0.into()), "{document}");
    for task in document["tasks"].as_array().unwrap() {
        let figure = |name: &str| task[name].as_u64().unwrap_or_else(|| panic!("{name} of {task}"));
        assert!(figure("jobs") > 10 && figure("response_ns_max") <= figure("bound_ns"), "{task}");
        assert!(figure("ran_ns_max") < figure("budget_ns"), "{task}");
        assert_eq!(["outside", "lost", "throttled", "overruns"].map(figure), [0; 4], "{task}");
        assert!(task["worst"][0].as_str().is_some_and(|sentence| sentence.contains("µs")), "{task}");
    }
}

/// The one that asks for more than its budget is throttled and late; the others are not touched by it.
fn exceeded(document: &Value) {
    assert_eq!(document["outcome"], "fail", "{document}");
    let press = &document["tasks"][0];
    for name in ["throttled", "overruns", "misses"] {
        assert!(press[name].as_u64().unwrap() > 0, "{name} of {press}");
    }
    let others = document["tasks"].as_array().unwrap().iter().skip(1);
    others.for_each(|task| assert_eq!((&task["misses"], &task["throttled"]), (&0.into(), &0.into()), "{task}"));
}

/// Something was undone, and everything could be.
fn restored(undone: &Value) {
    let all = undone.as_array().unwrap();
    assert!(!all.is_empty() && all.iter().all(|one| one["outcome"] == "restored"), "{undone}");
}

/// Fifty light tasks at 100 Hz, and what is left of the processor while they are watched and while they are not.
const FIFTY: &str = r#"
i=0
while [ $i -lt 50 ]; do
  perl -e 'while (1) { select(undef, undef, undef, 0.01) }' & words="$words --pid t$i=$!"
  i=$((i + 1))
done
say deployed prazo sched deploy fifty.toml --shape global-edf $words --json
sleep 1
say alone-from cat /proc/uptime; sleep 10; say alone-to cat /proc/uptime
prazo sched watch -D 25s --json >/run/watched & WATCH=$!
sleep 10
say watched-from cat /proc/uptime; say prazo-from cat /proc/$WATCH/stat
sleep 10; say watched-to cat /proc/uptime; say prazo-to cat /proc/$WATCH/stat
wait $WATCH
say watched cat /run/watched
prazo watch --comm perl -D 25s --json -o /run/closely.prazo >/run/closely 2>/run/closely.error & WATCH=$!
sleep 10
say closely-from cat /proc/uptime
sleep 10; say closely-to cat /proc/uptime
wait $WATCH
say closely cat /run/closely
"#;

/// The share of the processor that was busy between two looks at /proc/uptime: seconds since boot, and those idle.
fn busy(said: &[Said], name: &str) -> f64 {
    let at = |which: &str| -> Vec<f64> {
        let text = &by_name(said, &format!("{name}-{which}")).text;
        text.split_whitespace().map(|word| word.parse().unwrap()).collect()
    };
    let (from, to) = (at("from"), at("to"));
    1.0 - (to[1] - from[1]) / (to[0] - from[0])
}

/// What the watching process itself took, in the same seconds; the kernel counts hundredths.
fn own(said: &[Said]) -> f64 {
    let at = |which: &str| -> u32 {
        let text = &by_name(said, &format!("prazo-{which}")).text;
        let words = text.rsplit(") ").next().unwrap().split(' ').skip(11).take(2);
        words.map(|word| word.parse::<u32>().unwrap()).sum()
    };
    f64::from(at("to") - at("from")) / 100.0 / 10.0
}

/// 2 % of a processor that executes 1.5 * 10^9 instructions a second.
const INSTRUCTIONS_A_SECOND_MAX: f64 = 0.02 * 1.5e9;

#[test]
#[ignore = "minutes; scripts/long-tests.sh asks for it, with the release build"]
fn in_a_guest_watching_fifty_tasks_at_100_hz_takes_at_most_2_percent_of_a_slow_processor() {
    let tasks = (0..50).map(|task| format!("[task.t{task}]\ncost = \"100us\"\nperiod = \"10ms\"\n"));
    let fifty = format!("processors = 1\n{}", tasks.collect::<String>());
    // An instruction takes a nanosecond.
    let machine = Machine { time: Time::Counted { shift: 0 }, ..Machine::find("linux-1").unwrap() };
    let said = or_skip!(in_guest(machine, &[("fifty.toml", &fifty)], FIFTY));
    by_name(&said, "deployed").expect(0);
    let watched = by_name(&said, "watched").expect(0);
    let jobs = watched["jobs"].as_u64().unwrap();
    assert!(jobs > 50 * 100 * 15, "{jobs} jobs were seen");
    let (alone, with) = (busy(&said, "alone"), busy(&said, "watched"));
    let instructions = (with - alone) * 1e9;
    let shares = [alone, with, own(&said)].map(|share| format!("{:.2} %", share * 100.0));
    println!("{instructions:.3e} instructions a second; of 10^9 busy alone, watched, prazo itself: {shares:?}");
    let closely = by_name(&said, "closely").expect(0);
    let served: u64 =
        closely["threads"].as_array().unwrap().iter().map(|thread| thread["served"].as_u64().unwrap()).sum();
    assert!(served > 50 * 100 * 15, "{served} activations were seen");
    println!("{:.3e} instructions a second of prazo watch", (busy(&said, "closely") - alone) * 1e9);
    assert!(instructions <= INSTRUCTIONS_A_SECOND_MAX, "{instructions:e}");
}
