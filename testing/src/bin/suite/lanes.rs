//! Runs test programs: first those that may run in parallel, one for each processor, then the others one at a time.

use crate::ending::{Ending, wait};
use crate::output;
use crate::programs::Program;
use crate::results::{Results, Tested};
use std::fs::File;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// No test program takes a quarter of it; one that hangs must not take the whole run along.
const LIMIT: Duration = Duration::from_secs(20 * 60);

/// Runs all programs and adds what they report to `results`.
pub(crate) fn run(programs: &[Program], results: &Results) {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let (beside, alone): (Vec<&Program>, Vec<&Program>) =
        programs.iter().partition(|program| program.is_side_by_side());
    let waiting = Mutex::new(beside.into_iter());
    let next = || waiting.lock().expect("no lane panics while it takes a program").next();
    std::thread::scope(|scope| {
        for _ in 0..processors {
            scope.spawn(|| {
                while let Some(program) = next() {
                    run_one(program, results);
                }
            });
        }
    });
    alone.into_iter().for_each(|program| run_one(program, results));
}

fn run_one(program: &Program, results: &Results) {
    let begun = Instant::now();
    let log = results.log(&program.name());
    let file = File::create(&log).unwrap_or_else(|error| panic!("{}: {error}", log.display()));
    let to_log = || Stdio::from(file.try_clone().expect("a file descriptor is left"));
    let mut command = Command::new(&program.executable);
    command.args(&program.words).current_dir(&program.folder).stdin(Stdio::null()).stdout(to_log()).stderr(to_log());
    command.env("CARGO_MANIFEST_DIR", &program.folder).env("CARGO_PKG_NAME", &program.package);
    command.env("CARGO", std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.env(prazo_testing::SKIPS, results.skips());
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    command.env("RUST_TEST_THREADS", program.threads(processors).to_string());
    let ended = command.spawn().map(|child| wait(child, Some(begun + LIMIT)));
    let mut text = String::from_utf8_lossy(&std::fs::read(&log).unwrap_or_default()).into_owned();
    let ending = ended.unwrap_or_else(|error| {
        text.push_str(&format!("it could not be started: {error}\n"));
        Ending::default()
    });
    if ending.at_limit {
        text.push_str(&format!("it was terminated at its limit of {} minutes\n", LIMIT.as_secs() / 60));
    }
    let own_name = program.executable.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut tested = Tested {
        name: program.name(),
        program: own_name.unwrap_or_default(),
        seconds: begun.elapsed().as_secs_f64(),
        processor_seconds: ending.processor_seconds,
        ..output::read(&text, ending.succeeded)
    };
    if tested.passed + tested.failed < program.least {
        tested.failed += 1;
        text.push_str("tests that must run did not: testing/src/bin/suite/programs.rs has other names\n");
    }
    results.add(&tested, &text);
}
