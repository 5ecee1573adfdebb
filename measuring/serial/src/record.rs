//! One line of the protocol: `$PZ2,SEQUENCE,KIND,FIELDS*CRC`, read whole or refused.
//!
//! Version 1 differs in its header line alone, which has no number of tasks.

use prazo_run::run::Quantity;
use prazo_serial_target::{PREFIX, crc32};

/// What every version's lines begin with.
const ANY_VERSION: &str = "$PZ";
/// What the first version's lines begin with.
const FIRST_VERSION: &str = "$PZ1,";
/// No target's name is longer.
const TEXT_MAX: usize = 64;
/// No target has more tasks.
const TASKS_MAX: u32 = 1_000_000;

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SerialRecord {
    /// What the target is.
    Header(Header),
    /// One activation.
    Sample {
        /// Its number on the grid.
        activation: u64,
        /// The counter when it was due.
        due: Option<u64>,
        /// The counter at its handler's start.
        handler: Option<u64>,
        /// The counter when the task ran.
        task: u64,
    },
    /// One overhead.
    Overhead {
        /// Its kind.
        kind: Quantity,
        /// The counter at its beginning.
        begin: u64,
        /// The counter at its end.
        end: u64,
    },
    /// The measurement is over.
    End {
        /// Samples and overheads that were sent.
        sent: u64,
        /// Activations whose stamps the target could not keep.
        lost: u64,
    },
}

/// What a target says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The kernel.
    pub kernel: String,
    /// The board.
    pub board: String,
    /// Increments of the counter in a second.
    pub hz: u64,
    /// Width of the counter.
    pub bits: u8,
    /// Distance of two due instants, in increments; 0 without a grid.
    pub period: u64,
    /// How the task is scheduled: `fixed`, `edf`, `other`.
    pub policy: String,
    /// The load; `None` for none.
    pub load: Option<String>,
    /// How many tasks shared the ready queue; `None` where the target does not say it.
    pub tasks: Option<u32>,
}

/// Why a line is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotARecord {
    /// It is something else that the target printed.
    Other,
    /// It is of another version of the protocol.
    Version(String),
    /// Its checksum or its form is wrong.
    Damaged,
    /// It is whole, and impossible.
    Impossible(String),
}

/// Sequence number and record of a line without its end.
pub fn parse(line: &[u8]) -> Result<(u16, SerialRecord), NotARecord> {
    if !line.starts_with(ANY_VERSION.as_bytes()) {
        return Err(NotARecord::Other);
    }
    let text = std::str::from_utf8(line).map_err(|_| NotARecord::Damaged)?;
    let (body, crc) = text.rsplit_once('*').ok_or(NotARecord::Damaged)?;
    if crc.len() != 8 || u32::from_str_radix(crc, 16).ok() != Some(checksum(body.as_bytes())) {
        return Err(NotARecord::Damaged);
    }
    // Every version has the same checksum, so that a damaged digit is not taken for another version.
    let Some(fields) = body.strip_prefix(PREFIX).or_else(|| body.strip_prefix(FIRST_VERSION)) else {
        let version = body[ANY_VERSION.len()..].split(',').next().unwrap_or_default();
        return Err(NotARecord::Version(version.to_owned()));
    };
    let fields: Vec<&str> = fields.split(',').collect();
    let (sequence, kind, fields) = match &fields[..] {
        [sequence, kind, fields @ ..] => (hex(sequence).filter(|_| sequence.len() == 4), *kind, fields),
        _ => return Err(NotARecord::Damaged),
    };
    let sequence = sequence.and_then(|number| u16::try_from(number).ok()).ok_or(NotARecord::Damaged)?;
    Ok((sequence, record(kind, fields, body.starts_with(FIRST_VERSION))?))
}

fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| crc32(crc, *byte))
}

fn record(kind: &str, fields: &[&str], is_first_version: bool) -> Result<SerialRecord, NotARecord> {
    let wrong = || NotARecord::Impossible(format!("{kind},{}", fields.join(",")));
    let record = match (kind, fields) {
        ("H", [kernel, board, hz, bits, period, policy, load, tasks @ ..])
            if tasks.len() == usize::from(!is_first_version) =>
        {
            let texts = [kernel, board, policy, load];
            if texts.iter().any(|text| text.is_empty() || text.len() > TEXT_MAX) {
                return Err(wrong());
            }
            SerialRecord::Header(Header {
                kernel: (*kernel).to_owned(),
                board: (*board).to_owned(),
                hz: hz.parse().map_err(|_| wrong())?,
                bits: bits.parse().map_err(|_| wrong())?,
                period: period.parse().map_err(|_| wrong())?,
                policy: (*policy).to_owned(),
                load: (*load != "-").then(|| (*load).to_owned()),
                tasks: tasks.iter().find(|tasks| **tasks != "-").map(|tasks| number_of_tasks(tasks)).transpose()?,
            })
        }
        ("S", [activation, due, handler, task]) => SerialRecord::Sample {
            activation: activation.parse().map_err(|_| wrong())?,
            due: maybe(due).ok_or_else(wrong)?,
            handler: maybe(handler).ok_or_else(wrong)?,
            task: hex(task).ok_or_else(wrong)?,
        },
        ("O", [kind, begin, end]) => SerialRecord::Overhead {
            kind: kind.parse().ok().filter(|kind: &Quantity| kind.is_overhead()).ok_or_else(wrong)?,
            begin: hex(begin).ok_or_else(wrong)?,
            end: hex(end).ok_or_else(wrong)?,
        },
        ("E", [sent, lost]) => {
            SerialRecord::End { sent: sent.parse().map_err(|_| wrong())?, lost: lost.parse().map_err(|_| wrong())? }
        }
        _ => return Err(wrong()),
    };
    Ok(record)
}

/// No system has no task, or more than a table's counts.
fn number_of_tasks(text: &str) -> Result<u32, NotARecord> {
    let tasks = text.parse().ok().filter(|tasks| (1..=TASKS_MAX).contains(tasks));
    tasks.ok_or_else(|| {
        NotARecord::Impossible(format!("H,...,{text}: the number of tasks must be 1 to {TASKS_MAX}, or -"))
    })
}

/// `None` where it is no number, `Some(None)` for the dash.
fn maybe(text: &str) -> Option<Option<u64>> {
    if text == "-" { Some(None) } else { hex(text).map(Some) }
}

fn hex(text: &str) -> Option<u64> {
    let is_hex = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex { u64::from_str_radix(text, 16).ok() } else { None }
}
