//! The way back to the host: the second serial port, as a line that changes no byte.

use crate::answer;
use prazo_abi::guest::Answer;
use prazo_sys::serial_port as sys;
use std::fs::File;
use std::io::Write;

/// Sends the answer and waits until the last byte has left.
pub(crate) fn send(answer: &Answer) -> Result<(), String> {
    let bytes = answer::to_bytes(answer).map_err(|error| format!("cannot pack the answer: {error}"))?;
    let (name, mut port) = open()?;
    let failed = |what: &str, error| format!("cannot {what} {name}: {error}");
    sys::make_raw(&port).map_err(|error| failed("prepare", error))?;
    port.write_all(&bytes).map_err(|error| failed("write to", error))?;
    sys::drain(&port).map_err(|error| failed("wait for", error))
}

/// The second port of an Arm board, of a Power server, or a PC's; the others have nodes for a PC's ports too, with no ports
/// behind them.
fn open() -> Result<(&'static str, File), String> {
    let mut refusals = Vec::new();
    for name in ["/dev/ttyAMA1", "/dev/hvc1", "/dev/ttyS1"] {
        match File::options().write(true).open(name) {
            Ok(port) => return Ok((name, port)),
            Err(error) => refusals.push(format!("{name}: {error}")),
        }
    }
    Err(format!("there is no second serial port for the answer ({})", refusals.join("; ")))
}
