//! A guest's boot for a debugger: recorded once more with the emulator's log, then repeated from the log and stopped at an instruction.
//!
//! ```text
//! job ─► recorded: the answer, for comparison, and the log ─► replay: snapshot at the start ─► stopped ─► gdb
//! ```
//! gdb and the emulator meet at a Unix socket in a folder that only this user can read. For a step backward, the emulator loads
//! the snapshot of the start and repeats the boot up to the instruction before. Snapshots of later instants would be
//! faster, but QEMU 10 does not restore all of the timer HPET: it fires at another instant than in the log, and the replay hangs.

use crate::architecture::Architecture;
use crate::error::LabError;
use crate::guest::{Guest, GuestLook};
use crate::guest_job::{GuestAnswer, GuestJob, Lab};
use crate::observer::BYTES_MAX;
use crate::recording::Symbols;
use prazo_sys::child as sys;
use serde_json::{Value, json};
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// How long one look at the emulator waits.
const GLANCE: Duration = Duration::from_millis(100);

/// A boot with the log that repeats it.
#[derive(Debug)]
pub struct LoggedBoot {
    /// The guest's answer.
    pub answer: GuestAnswer,
    log: File,
}

/// A replay that waits for a debugger. The emulator and the files end with it.
pub struct StoppedReplay {
    guest: Guest,
    monitor: Monitor,
    folder: Folder,
    instructions: u64,
    limit: Duration,
}

/// The instant at which a replay stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The guest's time-stamp counter, which counts the nanoseconds of the emulator's clock.
    pub counter: u64,
    /// How many instructions the plugin had counted then. Its count runs ahead of the emulator's by up to a thousandth, probably because
    /// it counts all instructions of a block that an access to a device ends early.
    pub counted: u64,
    /// Nanoseconds for each instruction.
    pub instruction_ns: u64,
    /// True where the processor was halted then: the replay stops at the halt, and the next instruction is the interrupt's.
    pub was_idle: bool,
}

/// Refuses guests that no debugger can look at.
pub fn check(job: &GuestJob) -> Result<(), LabError> {
    match job.machine.architecture {
        Architecture::X86_64 => Ok(()),
        architecture => Err(LabError::NotDebugged { platform: format!("lab:{}", job.platform.name), architecture }),
    }
}

/// Runs a job and keeps the emulator's log of it.
pub fn record(job: &GuestJob, lab: &Lab, look: &mut dyn FnMut(GuestLook) -> bool) -> Result<LoggedBoot, LabError> {
    check(job)?;
    let (answer, log) = job.run_logged(lab, look)?;
    Ok(LoggedBoot { answer, log })
}

impl StoppedReplay {
    /// Repeats a boot up to an instant.
    pub fn start(
        job: &GuestJob,
        lab: &Lab,
        boot: &LoggedBoot,
        due: &Due,
        symbols: &Symbols,
        look: &mut dyn FnMut(GuestLook) -> bool,
    ) -> Result<Self, LabError> {
        let folder = Folder::new()?;
        folder.write("symbols", &symbols.elf())?;
        folder.write("commands", gdb_commands(&folder).as_bytes())?;
        let mut command = job.replayed(lab, &boot.log)?;
        command.args(arguments(folder.path()));
        let mut guest = Guest::start(command, BYTES_MAX)?;
        let limit = job.limit;
        let mut wait = |guest: &mut Guest| {
            let elapsed = guest.still_runs()?;
            match () {
                () if look(GuestLook { is_up: true, elapsed, limit }) => Err(LabError::Stopped),
                () if elapsed > limit => Err(too_slow(limit)),
                () => Ok(()),
            }
        };
        let mut monitor = Monitor::connect(&folder.path().join("monitor"), &mut || wait(&mut guest))?;
        let mut ask = |command: &str, arguments: Value| monitor.ask(command, arguments, &mut || wait(&mut guest));
        ask("qmp_capabilities", json!({}))?;
        let said = ask("human-monitor-command", json!({ "command-line": "savevm start" }))?;
        if said.as_str() != Some("") {
            return Err(broken(format!("the snapshot of its start failed: {said}")));
        }
        let instructions = Search { monitor: &mut monitor, wait: &mut || wait(&mut guest), due }.stop()?;
        Ok(Self { guest, monitor, folder, instructions, limit })
    }

    /// The commands with which gdb reads the symbols and attaches.
    pub fn commands(&self) -> PathBuf {
        self.folder.path().join("commands")
    }

    /// Address of the next instruction.
    pub fn program_counter(&mut self) -> Result<u64, LabError> {
        let Self { guest, monitor, limit, .. } = self;
        let registers = json!({ "command-line": "info registers" });
        let said = monitor.ask("human-monitor-command", registers, &mut || within(guest, *limit))?;
        let said = said.as_str().unwrap_or_default();
        program_counter(said).ok_or_else(|| broken(format!("its registers contain no RIP: {said}")))
    }

    /// True while a debugger is attached; an error once the emulator is gone, as after gdb's `kill`.
    pub fn is_attached(&mut self, is_stopped: &dyn Fn() -> bool) -> Result<bool, LabError> {
        let Self { guest, monitor, folder, .. } = self;
        let mut wait = || {
            guest.still_runs()?;
            if is_stopped() { Err(LabError::Stopped) } else { Ok(()) }
        };
        let all = monitor.ask("query-chardev", json!({}), &mut wait)?;
        Ok(is_attached(&all, &folder.path().join("gdb")))
    }

    /// Goes forward until so many instructions are executed.
    pub fn run_to(&mut self, at: u64) -> Result<(), LabError> {
        let Self { guest, monitor, limit, .. } = self;
        run_to(monitor, at, &mut || within(guest, *limit))?;
        self.instructions = at;
        Ok(())
    }

    /// How many instructions were executed before the stop, by the emulator's count.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }
}

/// An error once the emulator is gone or the time is over.
fn within(guest: &mut Guest, limit: Duration) -> Result<(), LabError> {
    if guest.still_runs()? > limit { Err(too_slow(limit)) } else { Ok(()) }
}

fn too_slow(limit: Duration) -> LabError {
    broken(format!("it was not at the instant within {} s; the host may be busy", limit.as_secs()))
}

fn broken(why: String) -> LabError {
    LabError::Replay { why }
}

/// Ticks of the ACPI timer in a second, its bits, and its port on these boards.
const TICKS: u64 = 3_579_545;
const TICK_BITS: u32 = 24;
const TICK_PORT: &str = "i /w 0x608";
/// Instructions from one look at the clock to the next, where the instant is far.
const STRIDE: u64 = 2_000;

/// Goes forward through a replay until the emulator's clock reaches an instant. The ACPI timer shows this clock, and a read by the
/// monitor changes nothing.
struct Search<'a> {
    monitor: &'a mut Monitor,
    wait: &'a mut dyn FnMut() -> Result<(), LabError>,
    due: &'a Due,
}

impl Search<'_> {
    /// Stops the replay, and returns the instructions until there.
    fn stop(&mut self) -> Result<u64, LabError> {
        let Due { counted, instruction_ns, was_idle, .. } = *self.due;
        let (mut at, mut step, mut most) = (counted - counted / 1_000, 0, STRIDE);
        self.run_to(at)?;
        loop {
            let ticks = self.ticks_to_due()?;
            match (ticks, step) {
                (..=0, 0) => return Err(broken(format!("its clock is past the instant after {at} instructions"))),
                (..=0, 1) if was_idle => {
                    self.back_to(at - 1)?;
                    return Ok(at - 1);
                }
                (..=0, 1) => {
                    let more = self.ns_in_tick() / instruction_ns;
                    if more > 0 {
                        self.run_to(at + more)?;
                    }
                    return Ok(at + more);
                }
                (..=0, _) => {
                    most = (step / 50).max(1);
                    at -= step;
                    self.back_to(at)?;
                }
                (1.., _) => {}
            }
            if at > counted {
                return Err(broken(format!("its clock is not at the instant after {at} instructions")));
            }
            let ticks = if ticks > 0 { ticks } else { self.ticks_to_due()? };
            let busy = (ticks as u64).saturating_sub(2) * 1_000_000_000 / TICKS / instruction_ns;
            step = busy.clamp(1, most);
            at += step;
            self.run_to(at)?;
        }
    }

    fn ask(&mut self, command: &str, arguments: Value) -> Result<Value, LabError> {
        self.monitor.ask(command, arguments, self.wait)
    }

    fn run_to(&mut self, at: u64) -> Result<(), LabError> {
        run_to(self.monitor, at, self.wait)
    }

    /// The emulator loads the snapshot of the start and replays up to an instruction.
    fn back_to(&mut self, at: u64) -> Result<(), LabError> {
        self.ask("replay-seek", json!({ "icount": at }))?;
        while stopped_at(self.monitor, self.wait)? != Some(at) {
            std::thread::sleep(GLANCE);
        }
        Ok(())
    }

    /// Ticks until the tick that contains the instant; 0 inside it, negative after it.
    fn ticks_to_due(&mut self) -> Result<i64, LabError> {
        let said = self.ask("human-monitor-command", json!({ "command-line": TICK_PORT }))?;
        let ticks = said.as_str().and_then(ticks).ok_or_else(|| broken(format!("its ACPI timer answered {said}")))?;
        Ok(distance(ticks, self.tick_of_due()))
    }

    fn tick_of_due(&self) -> u64 {
        (u128::from(self.due.counter) * u128::from(TICKS) / 1_000_000_000) as u64
    }

    /// Time from the beginning of its tick to the instant.
    fn ns_in_tick(&self) -> u64 {
        let begins = (u128::from(self.tick_of_due()) * 1_000_000_000).div_ceil(u128::from(TICKS)) as u64;
        self.due.counter.saturating_sub(begins)
    }
}

type Wait<'a> = &'a mut dyn FnMut() -> Result<(), LabError>;

/// Lets the replay go on until so many instructions are executed.
fn run_to(monitor: &mut Monitor, at: u64, wait: Wait<'_>) -> Result<(), LabError> {
    if stopped_at(monitor, wait)? == Some(at) {
        return Ok(());
    }
    monitor.ask("replay-break", json!({ "icount": at }), wait)?;
    monitor.ask("cont", json!({}), wait)?;
    loop {
        monitor.event("STOP", wait)?;
        match stopped_at(monitor, wait)? {
            Some(stopped) if stopped == at => return Ok(()),
            Some(stopped) => return Err(broken(format!("it stopped after {stopped} instructions instead of {at}"))),
            // The event was of an earlier stop.
            None => {}
        }
    }
}

/// How many instructions were executed where the emulator is stopped; `None` while it runs. The count is read last, so that it is final.
fn stopped_at(monitor: &mut Monitor, wait: Wait<'_>) -> Result<Option<u64>, LabError> {
    let status = monitor.ask("query-status", json!({}), wait)?;
    let replay = monitor.ask("query-replay", json!({}), wait)?;
    Ok(replay["icount"].as_u64().filter(|_| status["running"] == false))
}

/// In the monitor's answer `portl[0x0608] = 0x00021cb4`.
fn ticks(said: &str) -> Option<u64> {
    u64::from_str_radix(said.trim().rsplit_once("= 0x")?.1, 16).ok()
}

/// Ticks from one reading of the timer to another. It has only [`TICK_BITS`] bits, so they may lie on both sides of a wrap.
fn distance(from: u64, to: u64) -> i64 {
    let unused = 64 - TICK_BITS;
    (to.wrapping_sub(from) << unused) as i64 >> unused
}

/// Stopped before the first instruction; a disc without a device takes the snapshot, in a file of the emulator's without a name.
///
/// The device `kvmvapic` is left out: while a snapshot is loaded, it waits for the processor's thread, which waits for the one that loads. Its
/// firmware stays, so that the guest executes the same instructions.
fn arguments(folder: &Path) -> Vec<String> {
    let socket = |name: &str| format!("unix:{},server=on,wait=off", folder.join(name).display());
    let disc = "driver=null-co,size=64M,if=none,id=snapshots,snapshot=on";
    let without_kvmvapic = ["-global", "apic.vapic=off", "-option-rom", "kvmvapic.bin"];
    let all = ["-S", "-qmp", &socket("monitor"), "-gdb", &socket("gdb"), "-drive", disc];
    let all = all.into_iter().chain(without_kvmvapic);
    all.map(str::to_owned).collect()
}

/// When gdb attaches, the emulator makes a snapshot that it cannot load.
fn gdb_commands(folder: &Folder) -> String {
    let path = |name: &str| folder.path().join(name).display().to_string();
    format!(
        "set confirm off\nset architecture i386:x86-64\nset remotetimeout 3600\nfile {}\ntarget remote {}\n\
         monitor delvm start_debugging\n",
        path("symbols"),
        path("gdb")
    )
}

/// In QEMU's list of registers: `RIP=ffffffff81571157 RFL=…`.
fn program_counter(registers: &str) -> Option<u64> {
    let word = registers.split_whitespace().find_map(|word| word.strip_prefix("RIP="))?;
    u64::from_str_radix(word, 16).ok()
}

/// In QEMU's list of channels, the debugger's has several names, but always the name of its socket.
fn is_attached(channels: &Value, socket: &Path) -> bool {
    let socket = socket.display().to_string();
    let names = channels.as_array().into_iter().flatten().filter_map(|channel| channel["filename"].as_str());
    let mut own = names.filter(|name| name.contains(&socket));
    own.any(|name| !name.starts_with("disconnected:"))
}

/// A connection to the emulator's monitor (QMP: one JSON object a line).
struct Monitor {
    stream: UnixStream,
    read: Vec<u8>,
    events: Vec<String>,
}

impl Monitor {
    /// Connects once the emulator listens; `wait` is called now and then, and its error ends the waiting.
    fn connect(socket: &Path, wait: &mut dyn FnMut() -> Result<(), LabError>) -> Result<Self, LabError> {
        loop {
            match UnixStream::connect(socket) {
                Ok(stream) => {
                    let mut monitor = Self::on(stream).map_err(LabError::system("talk to the emulator's monitor"))?;
                    return monitor.message(wait).map(|_| monitor);
                }
                Err(error) if [io::ErrorKind::NotFound, io::ErrorKind::ConnectionRefused].contains(&error.kind()) => {
                    wait()?;
                    std::thread::sleep(GLANCE);
                }
                Err(error) => return Err(LabError::system(format!("connect to {}", socket.display()))(error)),
            }
        }
    }

    fn on(stream: UnixStream) -> io::Result<Self> {
        stream.set_read_timeout(Some(GLANCE))?;
        Ok(Self { stream, read: Vec::new(), events: Vec::new() })
    }

    /// Sends a command and returns its answer.
    fn ask(
        &mut self,
        command: &str,
        arguments: Value,
        wait: &mut dyn FnMut() -> Result<(), LabError>,
    ) -> Result<Value, LabError> {
        let line = format!("{}\n", json!({ "execute": command, "arguments": arguments }));
        self.stream.write_all(line.as_bytes()).map_err(LabError::system(format!("send {command} to the emulator")))?;
        loop {
            let mut message = self.message(wait)?;
            if let Some(event) = message["event"].as_str() {
                self.events.push(event.to_owned());
            } else if message["error"].is_object() {
                return Err(broken(format!("the emulator answered {command} with {}", message["error"]["desc"])));
            } else {
                return Ok(message["return"].take());
            }
        }
    }

    /// Waits for an event, which may have come already.
    fn event(&mut self, name: &str, wait: &mut dyn FnMut() -> Result<(), LabError>) -> Result<(), LabError> {
        while !std::mem::take(&mut self.events).iter().any(|event| event == name) {
            let message = self.message(wait)?;
            self.events.extend(message["event"].as_str().map(str::to_owned));
        }
        Ok(())
    }

    fn message(&mut self, wait: &mut dyn FnMut() -> Result<(), LabError>) -> Result<Value, LabError> {
        let mut piece = [0; 4096];
        loop {
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<_> = self.read.drain(..=end).collect();
                return serde_json::from_slice(&line)
                    .map_err(|error| broken(format!("the emulator's monitor sent no JSON: {error}")));
            }
            match self.stream.read(&mut piece) {
                Ok(0) => {
                    wait()?;
                    return Err(broken("the emulator closed its monitor".to_owned()));
                }
                Ok(count) => self.read.extend_from_slice(&piece[..count]),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => wait()?,
                Err(error) => return Err(LabError::system("read the emulator's monitor")(error)),
            }
        }
    }
}

/// A folder for this user alone, removed at the end. The guard is a shell whose input ends with prazo, even if prazo is killed; it then removes the
/// folder.
struct Folder {
    folder: TempDir,
    guard: Child,
}

impl Folder {
    fn new() -> Result<Self, LabError> {
        let failed = || {
            let place = std::env::temp_dir();
            LabError::system(format!(
                "make a folder for the debugger in {} (set TMPDIR to use another folder)",
                place.display()
            ))
        };
        let private = Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new().prefix("prazo-debug-").permissions(private).tempdir();
        let folder = folder.map_err(failed())?;
        check_path(folder.path())?;
        let mut guard = Command::new("/bin/sh");
        guard.args(["-c", "read -r _; rm -rf -- \"$1\"", "sh"]).arg(folder.path());
        guard.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        sys::start_own_session(&mut guard);
        let guard = guard.spawn().map_err(failed())?;
        Ok(Self { folder, guard })
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), LabError> {
        let file = self.path().join(name);
        fs::write(&file, bytes).map_err(LabError::system(format!("write {}", file.display())))
    }
}

/// The emulator, gdb and the kernel read the path of a socket in this folder.
fn check_path(folder: &Path) -> Result<(), LabError> {
    const LONGEST: usize = 90;
    let text = folder.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if text.len() <= LONGEST && text.chars().all(is_plain) {
        return Ok(());
    }
    Err(broken(format!(
        "the folder for its sockets, {text}, has a name with other characters than letters, digits and ._-+, or one of more than {LONGEST} \
         bytes; set TMPDIR to another folder"
    )))
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        // The shell removes the folder; where it could not start to, the folder's own end does.
        let _ = self.guard.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufRead;

    #[test]
    fn the_replay_is_stopped_at_its_start_and_has_a_disc_for_snapshots() {
        assert_eq!(
            arguments(Path::new("/t")).join(" "),
            "-S -qmp unix:/t/monitor,server=on,wait=off -gdb unix:/t/gdb,server=on,wait=off \
             -drive driver=null-co,size=64M,if=none,id=snapshots,snapshot=on -global apic.vapic=off -option-rom kvmvapic.bin"
        );
    }

    #[test]
    fn an_answer_is_told_from_events_and_an_error_names_the_command() {
        let (own, emulator) = UnixStream::pair().unwrap();
        let mut monitor = Monitor::on(own).unwrap();
        let server = std::thread::spawn(move || {
            let mut lines = io::BufReader::new(emulator.try_clone().unwrap()).lines();
            let mut answer = |text: &str| {
                let line = lines.next().unwrap().unwrap();
                (&emulator).write_all(text.as_bytes()).unwrap();
                line
            };
            let first = answer("{\"event\": \"STOP\"}\n{\"return\": {\"icount\": 7}}\n");
            answer("{\"error\": {\"desc\": \"no such thing\"}}\n");
            first
        });
        let wait = &mut || Ok(());
        assert_eq!(monitor.ask("query-replay", json!({}), wait).unwrap()["icount"], 7);
        monitor.event("STOP", wait).unwrap();
        let error = monitor.ask("cont", json!({}), wait).unwrap_err().to_string();
        assert!(error.contains("cont") && error.contains("no such thing"), "{error}");
        let sent: Value = serde_json::from_str(&server.join().unwrap()).unwrap();
        assert_eq!(sent, json!({ "execute": "query-replay", "arguments": {} }));
        let error = monitor.message(wait).unwrap_err().to_string();
        assert!(error.contains("closed its monitor"), "{error}");
    }

    #[test]
    fn an_emulator_that_says_nothing_is_waited_for_until_the_caller_stops() {
        let (own, _emulator) = UnixStream::pair().unwrap();
        let mut looks = 0;
        let mut wait = || {
            looks += 1;
            if looks < 3 { Ok(()) } else { Err(LabError::Stopped) }
        };
        assert!(matches!(Monitor::on(own).unwrap().event("STOP", &mut wait), Err(LabError::Stopped)));
    }

    #[test]
    fn the_timer_is_read_and_its_distances_wrap() {
        assert_eq!(ticks("portl[0x0608] = 0x00021cb4\r\n"), Some(138_420));
        assert_eq!((distance(10, 12), distance(12, 10)), (2, -2));
        assert_eq!(distance(0xff_ffff, 0x1_0000_0001), 2);
    }

    #[test]
    fn registers_and_channels_are_read() {
        let registers = "CPU#0\r\nR14=ffffff7199642000 R15=ffffff7199641000\r\nRIP=ffffffff81571157 RFL=00000283";
        assert_eq!(program_counter(registers), Some(0xffff_ffff_8157_1157));
        let channels =
            |name: &str| json!([{ "label": "nowhere", "filename": "null" }, { "label": "gdb", "filename": name }]);
        let is_attached = |name: &str| is_attached(&channels(name), Path::new("/t/gdb"));
        assert!(!is_attached("disconnected:unix:/t/gdb,server=on") && is_attached("unix:/t/gdb,server=on"));
        assert!(!is_attached("unix:/other/gdb-14/monitor,server=on"));
    }

    #[test]
    fn a_folder_that_some_reader_of_its_path_would_misread_is_refused() {
        assert!(check_path(Path::new("/tmp/prazo-debug-a_1")).is_ok());
        for path in ["/tmp/my folder", "/tmp/a,b", &"/long".repeat(30)] {
            assert!(check_path(Path::new(path)).unwrap_err().to_string().contains("TMPDIR"), "{path}");
        }
    }

    #[test]
    fn the_folder_is_private_and_gone_at_the_end() {
        let folder = Folder::new().unwrap();
        folder.write("symbols", b"").unwrap();
        let path = folder.path().to_owned();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        assert!(gdb_commands(&folder).contains(&format!("target remote {}/gdb\n", path.display())));
        drop(folder);
        assert!(!path.exists());
    }
}
