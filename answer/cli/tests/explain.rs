//! `prazo lab explain` from outside: the worst of a run in a guest, and what is refused.

#[path = "../../../measuring/lab/tests/support/mod.rs"]
#[allow(dead_code)]
mod guests;
mod support;

use prazo_core::text::grouped;
use prazo_lab::{Architecture, Cache, Fetch, Lab, Part, Platform};
use prazo_testing::{Need, OrSkipped, Skipped, or_skip};
use serde_json::Value;
use std::path::{Path, PathBuf};
use support::schema::violation;
use support::{Desk, PRAZO};

/// Everything that a guest's run takes; the emulator's cache.
fn lab() -> Result<PathBuf, Skipped> {
    guests::emulator()?;
    prazo_testing::program("cc")?;
    let fetch = || Fetch::new(Cache::of_user()?).part(Part::Kernels, &mut |_| {});
    fetch().and_then(|()| Lab::find()).or_skipped(Need::Lab)?;
    Ok(Cache::of_user().or_skipped(Need::Lab)?.folder().to_owned())
}

/// The cache without what a compiler made.
fn without_programs(desk: &Desk, cache: &Path) {
    let folder = desk.path("cache/prazo/lab");
    std::fs::create_dir_all(&folder).unwrap();
    for entry in std::fs::read_dir(cache).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if !["watch-", "lock"].iter().any(|made| name.starts_with(made)) {
            std::os::unix::fs::symlink(entry.path(), folder.join(name)).unwrap();
        }
    }
}

#[test]
fn the_worst_of_a_run_is_explained_instruction_by_instruction_and_other_bytes_are_refused() {
    let cache = or_skip!(lab());
    let desk = Desk::new();
    desk.prazo("measure timer --platform lab:standard-full -D 300ms --raw -o run.prazo").expect_code(0);
    let explained =
        desk.prazo("lab explain run.prazo --worst 3 --profile -o calls.svg -o trace.json --json").expect_code(0).json();
    assert_eq!(violation(&explained, &schema()), None);
    assert_eq!(explained["against"], Value::Null);
    assert_eq!((&explained["trajectory_equal"], &explained["samples_compared"]), (&true.into(), &300.into()));
    let worst = explained["worst"].as_array().unwrap();
    assert_eq!(worst.len(), 3);
    for one in worst {
        adds_up(one);
        let functions = one["functions"].as_array().unwrap();
        assert!(functions.iter().any(|function| function["name"] == "hrtimer_interrupt"), "{functions:?}");
    }
    profile_adds_up(&explained, 300);
    let picture = std::fs::read_to_string(desk.path("calls.svg")).unwrap();
    assert!(picture.contains("<title>interrupt for ") && picture.contains("All 300 activations"), "{picture}");
    let trace: Value = serde_json::from_slice(&std::fs::read(desk.path("trace.json")).unwrap()).unwrap();
    assert!(trace["traceEvents"].as_array().unwrap().len() > 100);
    bounded(&desk);
    refused(&desk, &cache);
}

/// Each account of all activations adds up to the sum of their latencies.
fn profile_adds_up(explained: &Value, activations: u64) {
    let profile = &explained["profile"];
    assert_eq!(profile["activations"], activations);
    let number = |value: &Value| value.as_i64().unwrap();
    let rest = number(&profile["halted"]["total_ns"]) + number(&profile["rounding_ns"]);
    assert!(number(&profile["rounding_ns"]).abs() < 16 * activations as i64, "{profile}");
    for account in ["phases", "levels", "functions"] {
        let all = profile[account].as_array().unwrap();
        let sum: i64 = all.iter().map(|part| number(&part["total_ns"])).sum();
        assert_eq!(sum + rest, number(&profile["latency"]["total_ns"]), "{account}");
    }
    assert_eq!(profile["latency"]["largest_ns"], explained["worst"][0]["latency_ns"]);
    assert_eq!(profile["latency"]["largest_activation"], explained["worst"][0]["activation"]);
    let names: Vec<_> = profile["levels"].as_array().unwrap().iter().map(|level| &level["level"]).collect();
    assert!(names.contains(&&"interrupt".into()) && !names.contains(&&"unknown".into()), "{names:?}");
}

/// The same plan on two kernels: both are explained, and every difference adds up to that of the latencies. The runs list only their 1,000 worst
/// activations, but the profile has all of them.
#[test]
fn the_worst_of_two_runs_are_compared_function_by_function() {
    or_skip!(lab());
    let desk = Desk::new();
    for kernel in ["standard-full", "rt-full"] {
        desk.prazo(&format!("measure timer --platform lab:{kernel} -D 1100ms -o {kernel}.prazo")).expect_code(0);
    }
    let words = "lab explain rt-full.prazo --against standard-full.prazo --profile -o both.svg -o both.json --json";
    let explained = desk.prazo(words).expect_code(0).json();
    assert_eq!(violation(&explained, &schema()), None);
    let other = &explained["against"];
    adds_up(&explained["worst"][0]);
    adds_up(&other["worst"][0]);
    [&explained, other].into_iter().for_each(|run| profile_adds_up(run, 1_100));
    let difference = &other["difference"];
    let number = |value: &Value, key: &str| value[key].as_i64().unwrap();
    let latencies = [&explained, other].map(|run| number(&run["worst"][0], "latency_ns"));
    assert_eq!(number(&difference["latency"], "difference_ns"), latencies[0] - latencies[1]);
    for time in ["run_ns", "against_ns", "difference_ns"] {
        let sum = |list: &Value| list.as_array().unwrap().iter().map(|one| number(one, time)).sum::<i64>();
        let outside = number(&difference["halted"], time) + number(&difference["rest"], time);
        assert!(number(&difference["rest"], time).abs() < 32, "{difference}");
        assert_eq!(sum(&difference["phases"]) + outside, number(&difference["latency"], time));
        assert_eq!(sum(&difference["functions"]) + outside, number(&difference["latency"], time));
        for phase in difference["phases"].as_array().unwrap() {
            assert_eq!(sum(&phase["functions"]), number(phase, time), "{phase}");
        }
    }
    let sentence = other["sentence"].as_str().unwrap();
    assert!(sentence.starts_with("The worst activation of rt-full took "), "{sentence}");
    assert!(sentence.contains(" than that of standard-full ("), "{sentence}");
    let picture = std::fs::read_to_string(desk.path("both.svg")).unwrap();
    assert!(picture.contains("longer in rt-full than in standard-full"), "no differential chart");
    let trace = std::fs::read_to_string(desk.path("both.json")).unwrap();
    assert!(trace.contains("rt-full, activation ") && trace.contains("standard-full, activation "), "one of the runs");
}

/// Its interrupts have one entry, its counter ticks every 16 ns, and its emulator leaves blocks behind accesses to devices.
#[test]
fn the_worst_of_a_64_bit_arm_guest_is_explained_too() {
    or_skip!(lab());
    let kernel = || Platform::find("arm64-rt")?.image(&Cache::of_user()?);
    let can_run = Lab::find().and_then(|lab| lab.can_run(Architecture::Aarch64)).and_then(|()| kernel());
    or_skip!(can_run.or_skipped(Need::GuestsOf("aarch64")));
    let desk = Desk::new();
    desk.prazo("measure timer --platform lab:arm64-rt --load compile -D 300ms --raw -o run.prazo").expect_code(0);
    let explained = desk.prazo("lab explain run.prazo --worst 3 --profile --json").expect_code(0).json();
    assert_eq!(violation(&explained, &schema()), None);
    assert_eq!(explained["trajectory_equal"], true);
    profile_adds_up(&explained, 300);
    let worst = explained["worst"].as_array().unwrap();
    assert_eq!(worst.len(), 3);
    for one in worst {
        adds_up(one);
        let phases: Vec<_> = one["phases"].as_array().unwrap().iter().map(|phase| &phase["phase"]).collect();
        for phase in ["interrupt", "before-switch", "task"] {
            assert!(phases.contains(&&phase.into()), "{phase}: {one}");
        }
    }
    let bound = desk.prazo("lab bound run.prazo --json").expect_code(0).json();
    assert_eq!(violation(&bound, &schema_of("lab-bound")), None);
    assert!(bound["bound_ns"].as_u64().unwrap() >= bound["observed_max_ns"].as_u64().unwrap(), "{bound}");
}

#[test]
fn a_bound_names_the_function_of_a_module_that_keeps_preemption_off() {
    let with_module = or_skip!(WithModule::new());
    with_module.bound("N", 50_000);
}

/// The longest section grows by what the module does longer, to the instruction, and the bound grows with it.
#[test]
fn a_bound_grows_with_what_a_module_keeps_off_to_the_instruction() {
    let with_module = or_skip!(WithModule::new());
    for interrupts in ["N", "Y"] {
        let bounds = [20_000, 50_000].map(|turns| with_module.bound(interrupts, turns));
        let number = |value: &Value, key: &str| value[key].as_u64().unwrap();
        let more = 2 * 30_000 * 8;
        let [shorter, longer] = bounds.each_ref().map(|bound| number(&bound["sections"][0], "ns"));
        assert_eq!(longer - shorter, more);
        // The other parts of the bound differ a little, because the runs have other trajectories.
        let off = bounds.each_ref().map(|bound| {
            let term = bound["terms"].as_array().unwrap().iter().find(|term| term["kind"] == "off").unwrap();
            [number(term, "ns"), number(bound, "bound_ns") - number(term, "ns")]
        });
        assert_eq!(off[1][0] - off[0][0], more);
        assert!(off[1][1].abs_diff(off[0][1]) < more / 2, "{off:?}");
    }
}

/// A module that keeps preemption or interrupts off for a known number of instructions, built for the guest's kernel.
struct WithModule {
    desk: Desk,
    module: PathBuf,
}

impl WithModule {
    const RELEASE: &str = "6.1.0-50-amd64";

    fn new() -> Result<Self, Skipped> {
        let release = Self::RELEASE;
        let headers = lab()?.join(format!("headers-6.1.0-50/usr/src/linux-headers-{release}"));
        let compiler = ["gcc-12", "gcc"].into_iter().find(|name| prazo_testing::program(name).is_ok());
        headers.is_dir().then_some(()).ok_or("no headers of the guest's kernel").or_skipped(Need::Module)?;
        let compiler = compiler.ok_or("no compiler").or_skipped(Need::Module)?;
        let desk = Desk::new();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../measuring/lab/tests/keep_off");
        let build = prazo_platform::kernel_module::Build {
            source: &source,
            variables: &[],
            headers: &headers,
            compiler: Some(compiler),
            folder: &desk.path(""),
        };
        let module = build.run(release).unwrap();
        Ok(Self { desk, module })
    }

    /// The bound of a run with the module, whose longest section is the module's: two instructions for each turn of its loop.
    fn bound(&self, interrupts: &str, turns: u64) -> Value {
        let (desk, release) = (&self.desk, Self::RELEASE);
        let platform = format!(
            "name = \"with-module\"\ntext = \"a module of ours\"\nmachine = \"linux-1\"\nwords = [\"preempt=full\"]\n\
             [[modules]]\nfile = \"{}\"\nparameters = \"turns={turns} interrupts={interrupts}\"\n\
             [kernel.fetched]\nset = \"linux-6.1.0-50\"\nrelease = \"{release}\"\n",
            self.module.display()
        );
        std::fs::write(desk.path("platform.toml"), platform).unwrap();
        let run = format!("{interrupts}-{turns}.prazo");
        desk.prazo(&format!("measure timer --platform lab:platform.toml -D 200ms -o {run}")).expect_code(0);
        let bound = desk.prazo(&format!("lab bound {run} --platform lab:platform.toml --json")).expect_code(0).json();
        let longest = &bound["sections"][0];
        assert_eq!(
            (&longest["kind"], &longest["name"]["function"]),
            (&"off".into(), &"keep_off_for".into()),
            "{longest}"
        );
        let instructions = longest["name"]["instructions"].as_u64().unwrap();
        assert!((2 * turns..2 * turns + 16).contains(&instructions), "{longest}");
        bound
    }
}

/// The latency of an interrupt line begins where another timer raises the line, and a task of the kernel's ends it.
#[test]
fn the_worst_answers_to_an_interrupt_line_are_explained_too() {
    or_skip!(lab());
    let desk = Desk::new();
    desk.prazo("measure interrupt --platform lab:standard-full -n 300 -o line.prazo").expect_code(0);
    let explained = desk.prazo("lab explain line.prazo --worst 2 --json").expect_code(0).json();
    assert_eq!(violation(&explained, &schema()), None);
    let worst = explained["worst"].as_array().unwrap();
    assert_eq!(worst.len(), 2);
    for one in worst {
        adds_up(one);
        let sentence = one["sentence"].as_str().unwrap();
        assert!(sentence.contains("until the line's interrupt was taken"), "{sentence}");
        assert!(sentence.contains("until the switch to irqlat"), "{sentence}");
        let phases: Vec<_> = one["phases"].as_array().unwrap().iter().map(|phase| &phase["phase"]).collect();
        assert!(phases.contains(&&"interrupt".into()) && phases.contains(&&"before-switch".into()), "{phases:?}");
    }
    let bound = desk.prazo("lab bound line.prazo");
    bound.expect_code(2).expect_error(&["interrupt line", "measure timer"]);
    desk.prazo("measure timer --platform lab:standard-full -D 100ms -o timer.prazo").expect_code(0);
    desk.prazo("lab explain line.prazo --against timer.prazo")
        .expect_code(2)
        .expect_error(&["a timer and an interrupt line"]);
}

/// gdb finds the replay where the worst activation was due, steps forward and back, and leaves nothing behind.
#[test]
fn gdb_stands_where_an_activation_was_due_and_steps_back() {
    or_skip!(lab());
    or_skip!(prazo_testing::program("gdb"));
    let desk = Desk::new();
    desk.prazo("measure timer --platform lab:standard-full -D 100ms -o run.prazo").expect_code(0);
    desk.prazo("lab explain run.prazo --debug 999999").expect_code(2).expect_error(&["999999", "give one of"]);
    desk.prazo("lab explain run.prazo --debug --json").expect_code(2).expect_error(&["--json"]);
    // Standard input is no terminal, so that gdb is this test's own.
    let script = "mkdir tmp; TMPDIR=$PWD/tmp $PRAZO lab explain run.prazo --debug </dev/null >said & prazo=$!
        until grep -q '^To attach' said || ! kill -0 $prazo; do sleep 0.2; done
        cat said
        gdb -nx -batch $(sed -n 's/^To attach: gdb//p' said) -ex 'info symbol $pc' -ex 'monitor info replay' -ex stepi \
            -ex 'monitor info replay' -ex reverse-stepi -ex 'monitor info replay' -ex 'info symbol $pc' -ex detach 2>&1
        wait $prazo; echo ended $? with $(ls tmp | wc -l) files";
    let answer = desk.shell(&[], script).expect_code(0).stdout.clone();
    let counts: Vec<u64> =
        answer.lines().filter_map(|line| line.split_once("instruction count = ")?.1.parse().ok()).collect();
    let [stopped, stepped, back] = counts[..] else { panic!("{answer}") };
    // It stands before the halt, or behind it; an interrupt is entered without an instruction.
    assert!(stepped - stopped <= 1 && back + 1 == stepped, "{answer}");
    assert!(answer.contains(&format!("after {} instructions", grouped(stopped))), "{answer}");
    let symbols: Vec<_> = answer.lines().filter(|line| line.contains(" in section .text")).collect();
    let function = |line: &str| line.split_whitespace().next().map(str::to_owned);
    assert!(symbols.len() == 2 && function(symbols[0]) == function(symbols[1]), "{answer}");
    assert!(answer.contains("ended 0 with 0 files"), "{answer}");
}

/// The emulator and the folder with its sockets end with prazo, also if prazo is killed.
#[test]
fn a_killed_session_of_the_debugger_leaves_no_emulator_and_no_files() {
    or_skip!(lab());
    let desk = Desk::new();
    desk.prazo("measure timer --platform lab:rt-full -D 100ms -o run.prazo").expect_code(0);
    let script = "mkdir tmp; TMPDIR=$PWD/tmp $PRAZO lab explain run.prazo --debug </dev/null >said & prazo=$!
        until grep -q '^To attach' said || ! kill -0 $prazo; do sleep 0.2; done
        cat said
        started=$(cat /proc/$prazo/task/*/children); echo before: $(ls tmp | wc -l) folder, $(echo $started | wc -w) processes
        kill -9 $prazo; wait $prazo
        for second in $(seq 30); do
            left=0; for one in $started; do grep -qs '^State:.[^Z]' /proc/$one/status && left=$((left + 1)); done
            [ $left = 0 ] && [ -z \"$(ls tmp)\" ] && break; sleep 1
        done
        echo after: $(ls tmp | wc -l) folders, $left processes";
    let answer = desk.shell(&[], script).expect_code(0).stdout.clone();
    let before = answer.lines().find_map(|line| line.strip_prefix("before: 1 folder, ")?.strip_suffix(" processes"));
    assert!(before.is_some_and(|count| count.parse::<u32>().unwrap() >= 2), "an emulator and a guard: {answer}");
    assert!(answer.contains("after: 0 folders, 0 processes"), "{answer}");
}

/// Temporary files on a disk that holds the guest's own files but not the recording: the error says where and what to do.
#[test]
fn a_full_disk_during_the_recording_is_named_with_what_to_do() {
    or_skip!(support::may_mount());
    or_skip!(lab());
    let desk = Desk::new();
    desk.prazo("measure timer --platform lab:rt-full -D 300ms -o run.prazo").expect_code(0);
    let script = "mkdir full && mount -t tmpfs -o size=20m none full && TMPDIR=$PWD/full $PRAZO lab explain run.prazo";
    let answer = desk.shell(support::OWN_MOUNTS, script);
    answer.expect_code(4).expect_error(&["cannot record", "/full", "No space left", "TMPDIR"]);
}

fn schema() -> Value {
    schema_of("lab-explain")
}

fn schema_of(name: &str) -> Value {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/schema/{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap()
}

/// The bound of a run lies above what it observed, and its parts add up to it.
fn bounded(desk: &Desk) {
    let bounded = desk.prazo("lab bound run.prazo --no-names --json").expect_code(0).json();
    assert_eq!(violation(&bounded, &schema_of("lab-bound")), None);
    let number = |value: &Value, key: &str| value[key].as_u64().unwrap();
    assert!(number(&bounded, "bound_ns") >= number(&bounded, "observed_max_ns"), "{bounded}");
    let sum = |list: &str| bounded[list].as_array().unwrap().iter().map(|one| number(one, "ns")).sum::<u64>();
    let timer = number(&bounded, "timer_ns").div_ceil(8) * 8;
    let parts = timer + number(&bounded, "carried_in_ns") + sum("terms") + sum("interference");
    assert_eq!(parts, number(&bounded, "bound_ns"), "{bounded}");
    let terms: Vec<_> =
        bounded["terms"].as_array().unwrap().iter().map(|term| term["kind"].as_str().unwrap()).collect();
    assert_eq!(terms[1..], ["to-scheduler", "scheduler", "return"]);
    let timers = bounded["interference"].as_array().unwrap();
    let timers = timers.iter().find(|one| one["name"] == "sysvec_apic_timer_interrupt").expect("the timer interrupts");
    assert!(number(timers, "seen") >= 300 && number(timers, "arrivals") >= 1, "{timers}");
    // The measured thread is switched to once for each activation, and reads the clock.
    let returns = bounded["terms"].as_array().unwrap().last().unwrap().clone();
    assert!((290..1_400).contains(&number(&returns, "seen")), "{returns}");
    assert!(bounded["sentence"].as_str().unwrap().contains("proves nothing for other executions"), "{bounded}");
    let coverage = bounded["coverage"].as_array().unwrap();
    assert_eq!(
        coverage.iter().map(|one| one["path"].as_str().unwrap()).collect::<Vec<_>>(),
        ["entry", "timer", "scheduler"]
    );
    for path in coverage {
        let [functions, executed] = ["functions", "functions_executed"].map(|key| number(path, key));
        assert!((3..functions).contains(&executed), "{path}");
        let [bytes, executed] = ["bytes", "bytes_executed"].map(|key| number(path, key));
        assert!(executed * 10 > bytes && executed < bytes, "{path}");
    }
    let largest = bounded["largest_unexecuted"].as_array().unwrap();
    assert!(largest.len() == 10 && largest.iter().all(|one| number(one, "bytes_executed") > 0), "{largest:?}");
}

/// A search of one boot, found again by the next call, and refused where it is another search.
#[test]
fn a_hunt_leaves_a_boot_that_repeats_and_goes_on_where_it_stopped() {
    or_skip!(lab());
    let desk = Desk::new();
    let words = "lab hunt --platform lab:standard-full --load cpu --budget 1 -D 200ms --no-cause -o hunt --json";
    let first = desk.prazo(words).expect_code(0).json();
    assert_eq!(violation(&first, &schema_of("lab-hunt")), None);
    let again = desk.prazo(words).expect_code(0).json();
    assert_eq!((&again["worst"], again["boots_found"].as_u64()), (&first["worst"], Some(1)));
    assert_eq!((first["boots_found"].as_u64(), first["cause"].clone()), (Some(0), Value::Null));
    let study = std::fs::read_to_string(desk.path("hunt/worst.toml")).unwrap();
    assert!(study.contains("lab:standard-full") && study.contains("max-below"), "{study}");
    desk.prazo(&format!("{words} --seed 2")).expect_code(2).expect_error(&["another seed", "another folder"]);
    let foreign = "lab hunt --platform lab:standard-full --load hackbench -o other";
    desk.prazo(foreign).expect_code(2).expect_error(&["hackbench", "prazo load --list"]);
    // What the search found is what its study measures.
    let run = desk.prazo("report hunt/worst.prazo --json").expect_code(0).json();
    assert!(run.to_string().contains(&first["worst"]["latency_ns"].to_string()), "{run}");
}

/// The window's instructions are the latency by the clock's scale, and every one of them is a function's.
fn adds_up(one: &Value) {
    let number = |key: &str| one[key].as_u64().unwrap();
    let counted = number("instructions") * 8 + number("idle_ns");
    assert!(counted.abs_diff(number("latency_ns")) < 16, "{counted}: {one}");
    assert!(number("clock_error_ns") <= 16 && number("clocks_compared") > 0, "{one}");
    let functions = one["functions"].as_array().unwrap();
    let own = |key: &str| functions.iter().map(|function| function[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(own("self_instructions"), number("instructions"));
    assert_eq!(own("self_interrupts_off"), number("interrupts_off_instructions"));
    let phases = one["phases"].as_array().unwrap();
    assert_eq!(phases.iter().map(|phase| phase["instructions"].as_u64().unwrap()).sum::<u64>(), number("instructions"));
    let has = |name: &str| functions.iter().any(|function| function["name"] == name);
    assert!(has("__schedule") && has("__switch_to"), "{functions:?}");
    assert_eq!(number("unknown_instructions"), 0);
}

fn refused(desk: &Desk, cache: &Path) {
    let explain = |variables: &[(&str, &str)]| {
        let mut command = desk.command(PRAZO);
        command.args(["lab", "explain", "run.prazo"]).envs(variables.iter().copied());
        support::Answer::of(command.output().expect("prazo starts"))
    };
    let agent = desk.write("agent", "another agent").display().to_string();
    explain(&[("PRAZO_AGENT", &agent)]).expect_code(4).expect_error(&["agent", "PRAZO_AGENT"]);

    without_programs(desk, cache);
    let folder = desk.path("cache").display().to_string();
    explain(&[("XDG_CACHE_HOME", &folder), ("CC", "/nowhere/cc")]).expect_code(4).expect_error(&["/nowhere/cc"]);

    let kernel =
        Platform::find("standard-full").unwrap().image(&Cache::at(desk.path("cache/prazo/lab")).unwrap()).unwrap();
    let set = desk.path("cache/prazo/lab/linux-6.1.0-50");
    std::fs::remove_file(&set).unwrap();
    std::fs::create_dir_all(set.join("boot")).unwrap();
    let fetched = cache.join("linux-6.1.0-50");
    let copied = |folder: &str| {
        for file in std::fs::read_dir(fetched.join(folder)).unwrap().flatten().filter(|file| file.path().is_file()) {
            std::fs::copy(file.path(), set.join(folder).join(file.file_name())).unwrap();
        }
    };
    ["", "boot"].into_iter().for_each(copied);
    for folder in ["lib", "usr"].into_iter().filter(|folder| fetched.join(folder).is_dir()) {
        std::os::unix::fs::symlink(fetched.join(folder), set.join(folder)).unwrap();
    }
    let mut bytes = std::fs::read(cache.join("linux-6.1.0-50/boot").join(kernel.file_name().unwrap())).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&kernel, bytes).unwrap();
    let damaged = explain(&[("XDG_CACHE_HOME", &folder)]).expect_code(4);
    damaged.expect_error(&["the checksum of linux-6.1.0-50/boot/vmlinuz", "prazo lab fetch"]);
    Cache::at(desk.path("cache/prazo/lab")).unwrap().seal("linux-6.1.0-50").unwrap();
    explain(&[("XDG_CACHE_HOME", &folder)]).expect_code(4).expect_error(&["the kernel has changed since", "fetch"]);
    desk.prazo("lab explain run.prazo --worst 1001").expect_code(2).expect_error(&["300"]);
}

#[test]
fn what_was_not_measured_in_the_lab_is_refused_by_name() {
    let desk = Desk::new();
    desk.write("c.txt", "T: 0 ( 1) P:95 I:1000 C: 3 Min: 1 Act: 2 Avg: 2 Max: 9\n");
    desk.prazo("import c.txt -o .").expect_code(0);
    let run = std::fs::read_dir(desk.folder()).unwrap().flatten().map(|entry| entry.path());
    let run = run.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "prazo")).expect("a run");
    let name = run.file_name().unwrap().to_str().unwrap();
    // Without a lab, it is the lab that is missing.
    let answer = desk.prazo(&format!("lab explain {name}"));
    assert!(matches!(answer.code, Some(2 | 4)), "{}", answer.stderr);
    assert!(
        answer.stderr.contains("was not measured in the lab") || answer.stderr.contains("lab fetch"),
        "{}",
        answer.stderr
    );
    desk.prazo(&format!("lab explain {name} -o x.pdf")).expect_code(2).expect_error(&["x.pdf", ".svg"]);
    desk.prazo("lab explain absent.prazo").expect_code(2).expect_error(&["absent.prazo"]);
    desk.prazo(&format!("lab explain {name} --against absent.prazo")).expect_code(2).expect_error(&["absent.prazo"]);
    desk.prazo(&format!("lab explain {name} --against-platform lab:x.toml"))
        .expect_code(2)
        .expect_error(&["--against"]);
}
