//! One line of the protocol: `$PZ1,SEQUENCE,KIND,FIELDS*CRC`, read whole or refused.

use prazo_run::run::Quantity;
use prazo_serial_target::{PREFIX, crc32};

/// What every version's lines begin with.
const ANY_VERSION: &str = "$PZ";
/// No target's name is longer.
const TEXT_MAX: usize = 64;

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
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
}

/// Why a line is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
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
pub fn parse(line: &[u8]) -> Result<(u16, Record), Refusal> {
    if !line.starts_with(ANY_VERSION.as_bytes()) {
        return Err(Refusal::Other);
    }
    let text = std::str::from_utf8(line).map_err(|_| Refusal::Damaged)?;
    let (body, crc) = text.rsplit_once('*').ok_or(Refusal::Damaged)?;
    if crc.len() != 8 || u32::from_str_radix(crc, 16).ok() != Some(checksum(body.as_bytes())) {
        return Err(Refusal::Damaged);
    }
    // Every version has the same checksum, so that a damaged digit is not taken for another version.
    let Some(fields) = body.strip_prefix(PREFIX) else {
        let version = body[ANY_VERSION.len()..].split(',').next().unwrap_or_default();
        return Err(Refusal::Version(version.to_owned()));
    };
    let fields: Vec<&str> = fields.split(',').collect();
    let (sequence, kind, fields) = match &fields[..] {
        [sequence, kind, fields @ ..] => (hex(sequence).filter(|_| sequence.len() == 4), *kind, fields),
        _ => return Err(Refusal::Damaged),
    };
    let sequence = sequence.and_then(|number| u16::try_from(number).ok()).ok_or(Refusal::Damaged)?;
    Ok((sequence, record(kind, fields)?))
}

fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| crc32(crc, *byte))
}

fn record(kind: &str, fields: &[&str]) -> Result<Record, Refusal> {
    let wrong = || Refusal::Impossible(format!("{kind},{}", fields.join(",")));
    let record = match (kind, fields) {
        ("H", [kernel, board, hz, bits, period, policy, load]) => {
            let texts = [kernel, board, policy, load];
            if texts.iter().any(|text| text.is_empty() || text.len() > TEXT_MAX) {
                return Err(wrong());
            }
            Record::Header(Header {
                kernel: (*kernel).to_owned(),
                board: (*board).to_owned(),
                hz: hz.parse().map_err(|_| wrong())?,
                bits: bits.parse().map_err(|_| wrong())?,
                period: period.parse().map_err(|_| wrong())?,
                policy: (*policy).to_owned(),
                load: (*load != "-").then(|| (*load).to_owned()),
            })
        }
        ("S", [activation, due, handler, task]) => Record::Sample {
            activation: activation.parse().map_err(|_| wrong())?,
            due: maybe(due).ok_or_else(wrong)?,
            handler: maybe(handler).ok_or_else(wrong)?,
            task: hex(task).ok_or_else(wrong)?,
        },
        ("O", [kind, begin, end]) => Record::Overhead {
            kind: kind.parse().ok().filter(is_overhead).ok_or_else(wrong)?,
            begin: hex(begin).ok_or_else(wrong)?,
            end: hex(end).ok_or_else(wrong)?,
        },
        ("E", [sent, lost]) => {
            Record::End { sent: sent.parse().map_err(|_| wrong())?, lost: lost.parse().map_err(|_| wrong())? }
        }
        _ => return Err(wrong()),
    };
    Ok(record)
}

/// What the analysis takes as an overhead.
const fn is_overhead(quantity: &Quantity) -> bool {
    use Quantity as Q;
    matches!(
        quantity,
        Q::ReleaseOverhead
            | Q::SchedulingOverhead
            | Q::ContextSwitchOverhead
            | Q::ContextSwitchOfPair
            | Q::TickOverhead
            | Q::IpiLatency
            | Q::EventLatency
            | Q::StampCost
    )
}

/// `None` where it is no number, `Some(None)` for the dash.
fn maybe(text: &str) -> Option<Option<u64>> {
    if text == "-" { Some(None) } else { hex(text).map(Some) }
}

fn hex(text: &str) -> Option<u64> {
    let is_hex = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex { u64::from_str_radix(text, 16).ok() } else { None }
}
