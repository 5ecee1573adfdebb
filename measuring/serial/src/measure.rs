//! Reads a line until the target has ended, the time is over, or the user wants to stop.

use crate::emulator::EmulatedGuest;
use crate::error::SerialError;
use crate::received::Received;
use prazo_core::time::Duration;
use prazo_platform::fingerprint::Fact;
use prazo_run::{Caveat, Run, Severity};
use prazo_sys::serial_port;
use std::io::Read;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Instant;

/// Where the line is.
#[derive(Clone, Debug)]
pub enum SerialSource {
    /// A serial device at this many baud, or a file or pipe that has what such a device sent.
    Device(PathBuf, u32),
    /// An emulated board.
    Guest(EmulatedGuest),
}

/// What is read, and for how long.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where the line is.
    pub place: SerialSource,
    /// The longest time to wait for the target's end.
    pub limit: Duration,
}

/// The fact that says how long an instruction takes on an emulated board, in nanoseconds.
pub const INSTRUCTION_FACT: &str = "serial.instruction_ns";

/// How often a wish to stop is looked for.
const LOOK: std::time::Duration = std::time::Duration::from_millis(100);

/// Reads the line into a run.
///
/// # Errors
/// The line cannot be read, what comes is of another version, or nothing that can be measured came.
pub fn measure(request: &Request, is_stopped: &dyn Fn() -> bool) -> Result<Run, SerialError> {
    match &request.place {
        SerialSource::Device(path, baud) => {
            let from = path.display().to_string();
            let opened = serial_port::open(path, *baud).map_err(|source| SerialError::System {
                what: format!("open {from}"),
                source,
                remedy: "check the device's name, the baud rate and your permissions (group dialout)",
            })?;
            read(Box::new(opened), &from, request.limit, is_stopped)
        }
        SerialSource::Guest(guest) => {
            let (mut emulator, printed) = guest.start()?;
            let from = format!("{} on {}", guest.image.display(), guest.board.name);
            let run = read(Box::new(printed), &from, request.limit, is_stopped).map_err(|error| match error {
                SerialError::NoHeader { .. } | SerialError::NoSamples => emulator.explain(error),
                other => other,
            })?;
            Ok(in_counted_time(run, guest))
        }
    }
}

/// A thread reads, so that a silent line does not keep this one from its limit; it ends with the line, or with prazo.
fn read(
    mut line: Box<dyn Read + Send>,
    from: &str,
    limit: Duration,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Run, SerialError> {
    let (sender, chunks) = mpsc::sync_channel::<std::io::Result<Vec<u8>>>(64);
    std::thread::spawn(move || {
        loop {
            let mut bytes = vec![0; 4096];
            let read = line.read(&mut bytes).map(|count| {
                bytes.truncate(count);
                bytes
            });
            let is_last = read.as_ref().map_or(true, Vec::is_empty);
            if sender.send(read).is_err() || is_last {
                return;
            }
        }
    });
    let (begun, limit) = (Instant::now(), std::time::Duration::from_nanos(limit.as_ns()));
    let mut received = Received::default();
    while !received.is_complete() && begun.elapsed() < limit && !is_stopped() {
        match chunks.recv_timeout(LOOK) {
            Ok(Ok(bytes)) if bytes.is_empty() => break,
            Ok(Ok(bytes)) => received.take(&bytes)?,
            Ok(Err(source)) => {
                let remedy = "check that the device is still connected";
                return Err(SerialError::System { what: format!("read {from}"), source, remedy });
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    received.take(b"\n")?;
    received.run(from)
}

fn in_counted_time(mut run: Run, guest: &EmulatedGuest) -> Run {
    run.caveats.push(Caveat::new(
        "counted-time",
        Severity::High,
        format!(
            "the board was emulated in counted time: each instruction takes {} ns, and nothing else takes time",
            1u64 << guest.shift
        ),
        "use the figures to rank kernels, to explain mechanisms and to find regressions; measure latencies on real \
         hardware",
    ));
    let platform = run.platform_before.get_or_insert_default();
    let mut note = |name: String, value: String, source: &str| {
        platform.facts.insert(name, Fact { value: Some(value), source: source.into() });
    };
    note(INSTRUCTION_FACT.into(), (1u64 << guest.shift).to_string(), "--shift");
    note("serial.machine".into(), guest.board.name.into(), "--machine");
    note("serial.processor".into(), guest.board.processor.into(), "--machine");
    note("serial.architecture".into(), guest.board.architecture.into(), "--machine");
    let words: Vec<String> = guest.arguments().iter().map(|word| word.to_string_lossy().into_owned()).collect();
    note("serial.command".into(), words.join(" "), "the emulator's arguments");
    for (name, value) in &guest.emulator.facts {
        note(format!("serial.{name}"), value.clone(), "the emulator");
    }
    run
}
