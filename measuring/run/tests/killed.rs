//! Kills a writer with SIGKILL at random times and opens what it left: what was stored is there, and all adds up.
//!
//! A test binary of its own kind (no harness), because it starts itself again as the writer that is to be killed.

#[allow(dead_code)] // Each program of tests needs a part of it.
#[path = "support/synthetic.rs"]
mod synthetic;

use prazo_run::run::Ending;
use prazo_run::store::{self, Recorded, StoreError, Writer};
use prazo_testing::{Need, skip};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use synthetic::Shape;

const SHAPE: Shape = Shape { hz: 1_000, cpus: 2, seconds: 1_000_000, warm_up_s: 3, raw: false };
const ROUNDS: u32 = 12;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some("write-until-killed") => write_until_killed(Path::new(&arguments[2])),
        Some("write-each-tick") => write_each_tick(Path::new(&arguments[2])),
        Some("open") => println!("{}", opened(Path::new(&arguments[2]))),
        Some("--list") => println!(
            "a_killed_run_is_completed: test\nas_root_a_stranger_reads_a_copy: test\na_kill_on_a_busy_disk_loses_less_than_a_second: test"
        ),
        _ => {
            a_killed_run_is_completed();
            a_kill_on_a_busy_disk_loses_less_than_a_second();
            as_root_a_stranger_reads_a_copy();
        }
    }
}

/// What a reader gets to see.
fn opened(path: &Path) -> String {
    match store::open(path) {
        Ok(run) => format!("{:?} {}", run.ending, run.series[0].histogram.total()),
        Err(error) => error.to_string(),
    }
}

/// Who may not write the file gets the completed run from a copy, and the file stays as it was; but not while it is written.
fn as_root_a_stranger_reads_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = folder.path().join("a.prazo");
    let mut child = start(&path);
    BufReader::new(child.stdout.as_mut().unwrap()).lines().take(30).for_each(drop);
    let while_written = seen_by_a_stranger(&path);
    child.kill().unwrap();
    child.wait().unwrap();
    let Some(while_written) = while_written else {
        skip!(Need::Root, "this user cannot become another");
    };
    let before = std::fs::read(&path).unwrap();
    let afterwards = seen_by_a_stranger(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before, "the file stays as it was");
    assert!(while_written.contains("in use by a measurement"), "{while_written}");
    assert_eq!(afterwards, opened(&path));
    assert!(afterwards.starts_with("Died "), "{afterwards}");
}

/// What user 65534 sees; `None` where we cannot become that user.
fn seen_by_a_stranger(path: &Path) -> Option<String> {
    let me = std::env::current_exe().unwrap();
    let output = Command::new(me).arg("open").arg(path).uid(65_534).gid(65_534).output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

/// Writes "seconds" as fast as it can, and says on standard output which ones are stored.
fn write_until_killed(path: &Path) {
    let mut writer = Writer::create(path, &SHAPE.opening(Vec::new())).unwrap();
    let mut sources = SHAPE.sources(3);
    for at_s in 0..SHAPE.seconds {
        let batch: Vec<_> = sources.iter_mut().map(|source| source.second(at_s)).collect();
        assert!(matches!(writer.append(&batch), Recorded::Stored));
        println!("{at_s}");
        std::io::stdout().flush().unwrap();
    }
}

fn a_killed_run_is_completed() {
    let mut random = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    println!("seed {random}");
    let folder = tempfile::tempdir().unwrap();
    for round in 0..ROUNDS {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let path = folder.path().join(format!("{round}.prazo"));
        let stored = kill_after(&path, Duration::from_millis(20 + (random >> 33) % 400));
        let seconds = check(&path, stored);
        println!("round {round}: said {stored} seconds, found {seconds}");
    }
}

/// A "second" of the run ends each tick, ten times faster than in a measurement, so that the log fills up within a life.
const TICK: Duration = Duration::from_millis(100);
const BUSY: Shape = Shape { hz: 1_000, cpus: 10, ..SHAPE };

/// Writes a batch each tick, and says on standard output when the first tick began.
fn write_each_tick(path: &Path) {
    let mut writer = Writer::create(path, &BUSY.opening(Vec::new())).unwrap();
    let mut sources = BUSY.sources(3);
    let began = SystemTime::now();
    println!("{}", began.duration_since(UNIX_EPOCH).unwrap().as_nanos());
    for at_s in 0..BUSY.seconds {
        let batch: Vec<_> = sources.iter_mut().map(|source| source.second(at_s)).collect();
        let due = TICK * (at_s + 1);
        std::thread::sleep(due.saturating_sub(began.elapsed().unwrap()));
        assert!(matches!(writer.append(&batch), Recorded::Stored));
    }
}

/// The span between the last stored tick and the kill, while other threads fsync in the same file system.
fn a_kill_on_a_busy_disk_loses_less_than_a_second() {
    let mut random = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    println!("seed {random}");
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    let missing: Vec<Duration> = std::thread::scope(|scope| {
        let (stop, folder) = (&stop, folder.path());
        for number in 0..3 {
            scope.spawn(move || keep_the_disk_busy(&folder.join(format!("load-{number}")), stop));
        }
        let kills = (0..ROUNDS).map(|round| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            missing_after_a_kill(
                &folder.join(format!("{round}.prazo")),
                Duration::from_millis(2_000 + (random >> 33) % 4_000),
            )
        });
        let missing = kills.collect();
        stop.store(true, Ordering::Relaxed);
        missing
    });
    let late = missing.iter().filter(|missing| **missing > Duration::from_secs(1)).count();
    println!("{ROUNDS} kills, {late} lost more than a second, the worst {:?}", missing.iter().max().unwrap());
    assert_eq!(late, 0, "{missing:?}");
}

fn keep_the_disk_busy(path: &Path, stop: &AtomicBool) {
    let bytes = vec![7; 4 << 20];
    while !stop.load(Ordering::Relaxed) {
        let mut file = std::fs::File::create(path).unwrap();
        file.write_all(&bytes).and_then(|()| file.sync_all()).unwrap();
    }
}

fn missing_after_a_kill(path: &Path, time: Duration) -> Duration {
    let me = std::env::current_exe().unwrap();
    let mut child = Command::new(me).arg("write-each-tick").arg(path).stdout(Stdio::piped()).spawn().unwrap();
    let message = BufReader::new(child.stdout.take().unwrap()).lines().next().expect("the writer starts").unwrap();
    let began = UNIX_EPOCH + Duration::from_nanos(message.parse().unwrap());
    std::thread::sleep(time);
    let killed = began.elapsed().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let ticks = store::open(path).unwrap().series[0].timeline.len() as u32;
    killed.saturating_sub(TICK * ticks)
}

/// Returns how many seconds the writer had said it stored.
fn kill_after(path: &Path, time: Duration) -> u32 {
    let mut child = start(path);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.next().expect("the writer starts").unwrap();
    assert_eq!(first, "0");
    assert!(matches!(store::open(path), Err(StoreError::InUse { .. })), "the writer is alive, so the file is its own");
    std::thread::sleep(time);
    child.kill().unwrap();
    child.wait().unwrap();
    1 + lines.map_while(Result::ok).count() as u32
}

fn start(path: &Path) -> Child {
    let me = std::env::current_exe().unwrap();
    Command::new(me).arg("write-until-killed").arg(path).stdout(Stdio::piped()).spawn().unwrap()
}

/// Opens what the killed writer left; returns how many seconds it holds.
fn check(path: &Path, stored: u32) -> u32 {
    let run = store::open(path).unwrap();
    assert_eq!(run.ending, Ending::Died);
    assert!(run.has_caveat("interrupted"));
    let mut sources = SHAPE.sources(3);
    for (series, source) in run.series.iter().zip(&mut sources) {
        let seconds = series.timeline.len() as u32;
        assert!(seconds == stored || seconds == stored + 1, "{stored} stored, {seconds} found");
        let counted = |warm_up| series.timeline.iter().filter(|s| s.warm_up == warm_up).map(|s| s.count).sum::<u64>();
        assert_eq!(series.histogram.total(), counted(false), "the histogram holds what the timeline counts");
        assert_eq!(series.warm_up.total(), counted(true));
        assert_eq!(series.activations.served, counted(false));
        let written: u64 = (0..seconds).map(|at_s| source.second(at_s).samples.len() as u64).sum();
        assert_eq!(counted(false) + counted(true), written);
    }
    let beside = |suffix| std::path::PathBuf::from(format!("{}{suffix}", path.display()));
    assert!(["-wal", "-shm", "-journal"].iter().all(|suffix| !beside(suffix).exists()), "one file is left");
    assert_eq!(store::open(path).unwrap(), run, "a second opening finds the same");
    run.series[0].timeline.len() as u32
}
