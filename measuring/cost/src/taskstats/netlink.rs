//! The conversation with the kernel: find the family, register for exits on all processors, take the records.
//!
//! Generic netlink: a header of 16 bytes, one of 4, and attributes of (length, type, value) padded to 4 bytes. Records that
//! the socket had no room for make the kernel answer ENOBUFS, and messages that do not read as they should are counted; in
//! both cases nothing is complete, and that is what is said.

use super::record::{Record, record};
use prazo_platform::Root;
use prazo_sys::accounting as sys;
use prazo_sys::poll::wait_readable;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

const CONTROLLER: u16 = 16;
const GET_FAMILY: u8 = 3;
const FAMILY_ID: u16 = 1;
const FAMILY_NAME: u16 = 2;
const GET: u8 = 1;
const REGISTER_CPUS: u16 = 3;
const ONE_TASK: u16 = 4;
const STATISTICS: u16 = 3;
const ERROR: u16 = 2;
const REQUEST: u16 = 1;
const ACKNOWLEDGE: u16 = 4;
const HEADERS: usize = 20;
/// Room for some ten thousand records between two drains.
const ROOM_BYTES: i32 = 64 << 20;

/// A socket that is told of every exit.
#[derive(Debug)]
pub(crate) struct Listener {
    socket: OwnedFd,
    family: u16,
    records: Vec<Record>,
    unread: u64,
    incomplete: Option<String>,
}

impl Listener {
    /// Listens from now on; `Err` says why that cannot be.
    pub(crate) fn begin() -> Result<Self, String> {
        let refused =
            |error: io::Error| format!("cannot read the kernel's exit records (taskstats): {error}{}", remedy(&error));
        let socket = sys::generic_netlink(ROOM_BYTES).map_err(refused)?;
        let mut listener = Self { socket, family: CONTROLLER, records: vec![], unread: 0, incomplete: None };
        let answer = listener.ask(GET_FAMILY, FAMILY_NAME, b"TASKSTATS\0").map_err(refused)?;
        let described = answer.get(HEADERS..).and_then(attributes).unwrap_or_default();
        let family = described.iter().find(|(kind, _)| *kind == FAMILY_ID);
        let family = family
            .and_then(|(_, value)| value.first_chunk())
            .ok_or("the kernel has no netlink family TASKSTATS (CONFIG_TASKSTATS)")?;
        listener.family = u16::from_ne_bytes(*family);
        let cpus = possible_cpus()?;
        listener.ask(GET, REGISTER_CPUS, &cpus).map_err(refused)?;
        Ok(listener)
    }

    /// Sends one request and gives the kernel's answer; an error that it answers is an error.
    fn ask(&mut self, command: u8, attribute: u16, value: &[u8]) -> io::Result<Vec<u8>> {
        sys::send(self.socket.as_fd(), &request(self.family, command, attribute, value))?;
        let mut buffer = vec![0; 16 << 10];
        loop {
            let length = match sys::receive(self.socket.as_fd(), &mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    wait_readable([self.socket.as_fd()], Some(1_000));
                    sys::receive(self.socket.as_fd(), &mut buffer)?
                }
                other => other?,
            };
            match answer(&buffer[..length]) {
                Some((kind, body)) if kind == self.family && command == GET_FAMILY => return Ok(body.to_vec()),
                Some((ERROR, body)) => return acknowledged(body),
                // A task that ended while we registered.
                Some(message) => self.take(message),
                None => return Err(io::Error::other("the kernel sent data that is not a netlink message")),
            }
        }
    }

    /// Takes what has arrived.
    pub(crate) fn drain(&mut self) {
        let mut buffer = vec![0; 16 << 10];
        loop {
            match sys::receive(self.socket.as_fd(), &mut buffer) {
                Ok(length) => match answer(&buffer[..length]) {
                    Some(message) => self.take(message),
                    None => self.unread += 1,
                },
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => {
                    self.incomplete = Some("the kernel dropped some exit records for lack of memory (ENOBUFS)".into());
                }
                Err(error) => {
                    self.incomplete = Some(format!("cannot receive the kernel's exit records: {error}"));
                    break;
                }
            }
        }
    }

    /// Takes a message's records; one that holds none that can be read is counted.
    fn take(&mut self, (kind, message): (u16, &[u8])) {
        match message.get(HEADERS..).filter(|_| kind == self.family).and_then(tasks) {
            None => self.unread += 1,
            Some(tasks) => {
                for bytes in tasks {
                    match record(bytes) {
                        Ok(record) => self.records.push(record),
                        Err(reason) => self.incomplete = Some(reason),
                    }
                }
            }
        }
    }

    /// All records of the machine since the beginning, in the order of arrival; `Err` if any is missing.
    pub(crate) fn finish(mut self) -> Result<Vec<Record>, String> {
        self.drain();
        match (self.incomplete, self.unread) {
            (Some(reason), _) => Err(reason),
            (None, 0) => Ok(self.records),
            (None, unread) => Err(format!("{unread} of the kernel's messages about ended tasks could not be read")),
        }
    }
}

/// The statistics of each single task in a message's body; `None` where there is none, or something does not fit.
fn tasks(body: &[u8]) -> Option<Vec<&[u8]>> {
    let mut found = vec![];
    for (_, task) in attributes(body)?.into_iter().filter(|(kind, _)| *kind == ONE_TASK) {
        found.extend(attributes(task)?.into_iter().filter(|(kind, _)| *kind == STATISTICS).map(|(_, bytes)| bytes));
    }
    (!found.is_empty()).then_some(found)
}

fn remedy(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => "; run as root (CAP_NET_ADMIN)",
        Some(libc::ENOENT) => {
            "; the kernel needs CONFIG_TASKSTATS, and CONFIG_TASK_DELAY_ACCT for waiting times; if prazo runs in a container, run it on the host instead"
        }
        Some(libc::EINVAL) => "; run outside a container, in the machine's own process and user namespaces",
        _ => "",
    }
}

/// All processors that there may ever be, as the kernel wants them, with the closing NUL.
fn possible_cpus() -> Result<Vec<u8>, String> {
    let text = Root::system().read("/sys/devices/system/cpu/possible").map_err(|error| error.to_string())?;
    Ok([text.trim().as_bytes(), &[0]].concat())
}

fn request(family: u16, command: u8, attribute: u16, value: &[u8]) -> Vec<u8> {
    // A family's description is an answer in itself; its acknowledgement would be taken for that of the next request.
    let flags: u16 = if command == GET_FAMILY { REQUEST } else { REQUEST | ACKNOWLEDGE };
    let padded = value.len().next_multiple_of(4);
    let mut message = Vec::with_capacity(HEADERS + 4 + padded);
    message.extend(((HEADERS + 4 + padded) as u32).to_ne_bytes());
    message.extend(family.to_ne_bytes());
    message.extend(flags.to_ne_bytes());
    message.extend([0; 8]);
    message.extend([command, 1, 0, 0]);
    message.extend((4 + value.len() as u16).to_ne_bytes());
    message.extend(attribute.to_ne_bytes());
    message.extend(value);
    message.resize(HEADERS + 4 + padded, 0);
    message
}

/// A message's type and the whole of it; `None` for bytes that are no message.
fn answer(bytes: &[u8]) -> Option<(u16, &[u8])> {
    let length = u32::from_ne_bytes(*bytes.first_chunk()?) as usize;
    let kind = u16::from_ne_bytes(*bytes.get(4..)?.first_chunk()?);
    Some((kind, bytes.get(..length)?))
}

/// The number behind the header of an error message is 0 for "done".
fn acknowledged(message: &[u8]) -> io::Result<Vec<u8>> {
    match message.get(16..).and_then(|rest| rest.first_chunk()).map(|code| i32::from_ne_bytes(*code)) {
        Some(0) => Ok(vec![]),
        Some(code) => Err(io::Error::from_raw_os_error(-code)),
        None => Err(io::Error::other("the kernel sent a netlink error message without an error number")),
    }
}

/// The attributes (type, value) in a stretch of bytes; `None` if any does not fit.
fn attributes(mut bytes: &[u8]) -> Option<Vec<(u16, &[u8])>> {
    const TYPE: u16 = 0x3fff;
    let mut found = vec![];
    while !bytes.is_empty() {
        let length = u16::from_ne_bytes(*bytes.first_chunk()?) as usize;
        let kind = u16::from_ne_bytes(*bytes.get(2..)?.first_chunk()?) & TYPE;
        found.push((kind, bytes.get(4..length)?));
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_testing::{Need, OrSkipped, or_skip};
    use proptest::prelude::*;

    #[test]
    fn a_request_is_read_back_as_it_was_made() {
        let message = request(31, GET, REGISTER_CPUS, b"0-63\0");
        let (kind, whole) = answer(&message).unwrap();
        assert_eq!((kind, whole.len()), (31, 32));
        assert_eq!(attributes(&whole[HEADERS..]), Some(vec![(REGISTER_CPUS, &b"0-63\0"[..])]));
    }

    /// An attribute as the kernel writes it.
    fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
        let mut bytes = [&(4 + value.len() as u16).to_ne_bytes()[..], &kind.to_ne_bytes(), value].concat();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    }

    #[test]
    fn a_message_with_a_part_that_does_not_fit_is_counted_and_not_taken_for_an_empty_one() {
        let whole = attribute(ONE_TASK, &[attribute(1, &[7; 4]), attribute(STATISTICS, &[9; 12])].concat());
        assert_eq!(tasks(&whole), Some(vec![&[9u8; 12][..]]));
        assert_eq!(tasks(&whole[..whole.len() - 4]), None, "cut short");
        assert_eq!(tasks(&attribute(ONE_TASK, &attribute(1, &[7; 4]))), None, "no statistics");
        assert_eq!(tasks(&[]), None);
    }

    #[test]
    fn what_could_not_be_read_leaves_nothing_to_report() {
        let mut listener = or_skip!(Listener::begin().or_skipped(Need::ExitRecords));
        assert!(listener.unread == 0 && listener.incomplete.is_none());
        listener.take((listener.family, &[0; HEADERS]));
        listener.take((listener.family + 1, &[0; 64]));
        assert!(listener.finish().unwrap_err().starts_with("2 of the kernel's messages"));
    }

    #[test]
    fn a_kernel_without_the_family_and_a_container_have_remedies_of_their_own() {
        let remedy = |errno| remedy(&io::Error::from_raw_os_error(errno));
        assert!(remedy(libc::ENOENT).contains("CONFIG_TASKSTATS"));
        assert!(remedy(libc::EINVAL).contains("container") && !remedy(libc::EINVAL).contains("CONFIG"));
        assert!(remedy(libc::EPERM).contains("root"));
    }

    #[test]
    fn an_error_is_told_from_an_acknowledgement() {
        let message = |code: i32| [&[0; 16][..], &code.to_ne_bytes()].concat();
        assert!(acknowledged(&message(0)).is_ok());
        assert_eq!(acknowledged(&message(-1)).unwrap_err().raw_os_error(), Some(libc::EPERM));
        assert!(acknowledged(&[0; 17]).is_err(), "a short read");
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = answer(&bytes);
            let length: usize = attributes(&bytes).into_iter().flatten().map(|(_, value)| value.len()).sum();
            prop_assert!(length <= bytes.len() && tasks(&bytes).is_none_or(|tasks| !tasks.is_empty()));
        }
    }
}
