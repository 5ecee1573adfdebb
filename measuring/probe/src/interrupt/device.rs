//! The module's character device: one open descriptor is one measurement, and closing it is its end on every way out.

use super::error::InterruptError;
use super::sys;
use prazo_abi::{Record, irqlat};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Where the module shows itself.
pub(super) const NODE: &str = "/dev/irqlat";

/// How many samples are taken at once.
const AT_ONCE: usize = 1024;

/// An open measurement.
#[derive(Debug)]
pub(super) struct Device {
    file: File,
    bytes: Vec<u8>,
}

impl Device {
    /// Opens the module's device, which it gives to one at a time.
    pub(super) fn open() -> Result<Self, InterruptError> {
        let opened = OpenOptions::new().read(true).write(true).open(Path::new(NODE));
        let file = opened.map_err(|error| match error.kind() {
            ErrorKind::NotFound => InterruptError::NoModule,
            ErrorKind::PermissionDenied => InterruptError::NotAllowed,
            ErrorKind::ResourceBusy => InterruptError::Busy,
            _ => InterruptError::Device { what: "open its device /dev/irqlat", source: error },
        })?;
        Ok(Self { file, bytes: vec![0; AT_ONCE * irqlat::Sample::SIZE] })
    }

    /// Everything but the triggers; what was found out. With an error, where it came to.
    pub(super) fn prepare(&self, plan: &irqlat::Plan) -> Result<irqlat::Ready, (irqlat::Ready, io::Error)> {
        let mut record = [0; irqlat::PREPARE_SIZE];
        plan.write_to(&mut record);
        let answer = sys::exchange(&self.file, irqlat::PREPARE, &mut record);
        let ready = irqlat::Ready::from_bytes(&record[irqlat::Plan::SIZE..]);
        answer.map(|()| ready).map_err(|error| (ready, error))
    }

    /// The triggers begin, once the task waits.
    pub(super) fn arm(&self) -> Result<(), InterruptError> {
        sys::tell(&self.file, irqlat::ARM).map_err(|source| match source.kind() {
            ErrorKind::TimedOut => InterruptError::TaskNeverWaited,
            _ => InterruptError::Device { what: "start the triggers", source },
        })
    }

    /// The counts so far.
    pub(super) fn counts(&self) -> Result<irqlat::Counts, InterruptError> {
        let mut record = [0; irqlat::Counts::SIZE];
        let answer = sys::exchange(&self.file, irqlat::COUNTS, &mut record);
        answer.map_err(|source| InterruptError::Device { what: "report the counts of triggers", source })?;
        Ok(irqlat::Counts::from_bytes(&record))
    }

    /// No trigger, no handler and no task after this.
    pub(super) fn stop(&self) -> Result<(), InterruptError> {
        sys::tell(&self.file, irqlat::STOP)
            .map_err(|source| InterruptError::Device { what: "stop the measurement", source })
    }

    /// Hands over the samples that are there; never waits.
    pub(super) fn take(&mut self, samples: &mut Vec<irqlat::Sample>) -> Result<(), InterruptError> {
        loop {
            let size = match (&self.file).read(&mut self.bytes) {
                Ok(size) => size,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(source) => return Err(InterruptError::Device { what: "deliver samples", source }),
            };
            samples.extend(records(&self.bytes[..size]));
        }
    }

    /// The same measurement for the user task's thread.
    pub(super) fn for_task(&self) -> io::Result<Waiter> {
        self.file.try_clone().map(Waiter)
    }
}

/// The samples in what the device gave: whole records only.
pub(super) fn records(bytes: &[u8]) -> impl Iterator<Item = irqlat::Sample> {
    bytes.chunks_exact(irqlat::Sample::SIZE).map(irqlat::Sample::from_bytes)
}

/// The user task's end of the device.
#[derive(Debug)]
pub(super) struct Waiter(File);

impl Waiter {
    /// Hands over the last activation's stamp and sleeps until the next handler; `false` when the measurement is over.
    pub(super) fn wait(&self, last: &irqlat::Wait) -> io::Result<bool> {
        let mut record = [0; irqlat::Wait::SIZE];
        last.write_to(&mut record);
        loop {
            match sys::exchange(&self.0, irqlat::WAIT, &mut record) {
                Ok(()) => return Ok(true),
                Err(error) if error.raw_os_error() == Some(libc::ECANCELED) => return Ok(false),
                // The sample was recorded; a second time would be another's stamp, which the module ignores.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the module gave in a guest of PREEMPT_RT 6.1: eight triggers of a timer, QEMU's edu, handler in a thread, user task.
    const RECORDED: &str = include_str!("../../tests/fixtures/irqlat.hex");

    fn recorded() -> Vec<u8> {
        let digits: String = RECORDED.split_whitespace().collect();
        (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
    }

    fn mean_us(of: impl Fn(&irqlat::Sample) -> u64) -> String {
        let samples: Vec<_> = records(&recorded()).collect();
        format!("{:.2}", samples.iter().map(of).sum::<u64>() as f64 / samples.len() as f64 / 1e3)
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn recorded_bytes_have_the_figures_that_the_guest_printed() {
        assert_eq!(mean_us(|sample| sample.t2_ns - sample.t1_ns), "30.78");
        assert_eq!(mean_us(|sample| sample.t3_ns - sample.t2_ns), "31.21");
        assert_eq!(mean_us(|sample| sample.hard_ns - sample.t1_ns), "8.66");
        assert_eq!(mean_us(|sample| sample.t1_ns - sample.due_ns), "4.98");
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn recorded_samples_are_numbered_and_their_stamps_ascend() {
        let samples: Vec<_> = records(&recorded()).collect();
        assert!(samples.iter().map(|sample| sample.sequence).eq(0..8));
        assert!(samples.iter().all(|s| [s.due_ns, s.t1_ns, s.hard_ns, s.t2_ns, s.t3_ns].is_sorted()));
    }
}
