//! What came over the line so far: samples in increments of the counter, and everything that was damaged, repeated or missing.

use crate::error::SerialError;
use crate::record::{Header, NotARecord, SerialRecord, parse};
use prazo_run::run::Quantity;
use std::collections::BTreeMap;

/// The longest line that is a record; a longer one is something else.
const LINE_MAX: usize = 512;
/// A sequence number so far ahead is behind.
const BEHIND: u16 = 1 << 15;

/// Everything received.
#[derive(Debug, Default)]
pub struct Received {
    line: Vec<u8>,
    /// What the target is.
    pub header: Option<Header>,
    /// Signed increments of the counter, by quantity.
    pub samples: BTreeMap<Quantity, Vec<(u64, i128)>>,
    /// Samples and overheads that were received.
    pub taken: u64,
    /// Number of the first activation, of the last one, and how many were received.
    pub activations: Option<(u64, u64, u64)>,
    /// Samples sent and activations lost, as the target's end says.
    pub end: Option<(u64, u64)>,
    /// Lines whose checksum or form is wrong.
    pub damaged: u64,
    /// Lines that are missing by their sequence.
    pub missing: u64,
    /// Lines that came again.
    pub repeated: u64,
    /// Lines that are whole and say something impossible.
    pub impossible: u64,
    /// Lines of something else.
    pub other: u64,
    sequence: Option<u16>,
}

impl Received {
    /// Takes bytes as they come; lines may be cut anywhere.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(), SerialError> {
        for byte in bytes {
            match byte {
                b'\n' | b'\r' => self.end_line()?,
                // The rest of an endless line is dropped; what is kept is no record.
                _ if self.line.len() <= LINE_MAX => self.line.push(*byte),
                _ => {}
            }
        }
        Ok(())
    }

    /// True once the target said that it has ended.
    pub const fn is_complete(&self) -> bool {
        self.end.is_some()
    }

    fn end_line(&mut self) -> Result<(), SerialError> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() || self.is_complete() {
            return Ok(());
        }
        match parse(&line) {
            Ok((sequence, record)) => self.record(sequence, record),
            Err(NotARecord::Version(found)) => Err(SerialError::Version { found }),
            Err(NotARecord::Other) => {
                self.other += 1;
                Ok(())
            }
            Err(NotARecord::Damaged) => {
                self.damaged += 1;
                Ok(())
            }
            Err(NotARecord::Impossible(what)) if what.starts_with("H,") => Err(SerialError::Header(what)),
            Err(NotARecord::Impossible(_)) => {
                self.impossible += 1;
                Ok(())
            }
        }
    }

    fn record(&mut self, sequence: u16, record: SerialRecord) -> Result<(), SerialError> {
        let ahead = self.sequence.map_or(1, |last| sequence.wrapping_sub(last));
        if ahead >= BEHIND && sequence == 0 && matches!(record, SerialRecord::Header(_)) {
            return Err(SerialError::Restarted { samples: self.taken });
        }
        if ahead == 0 || ahead >= BEHIND {
            self.repeated += 1;
            return Ok(());
        }
        // Lines before the first one that is seen were sent before anybody listened.
        self.missing += u64::from(ahead - 1);
        self.sequence = Some(sequence);
        match record {
            SerialRecord::Header(header) => self.header(header),
            SerialRecord::End { sent, lost } => {
                self.end = self.header.is_some().then_some((sent, lost));
                Ok(())
            }
            // What a stamp means is not known before the header.
            _ if self.header.is_none() => {
                self.missing += 1;
                Ok(())
            }
            record => {
                self.sample(record);
                Ok(())
            }
        }
    }

    fn header(&mut self, header: Header) -> Result<(), SerialError> {
        let wrong = |what: String| Err(SerialError::Header(what));
        if !(8..=64).contains(&header.bits) {
            return wrong(format!("a counter of {} bits instead of 8 to 64", header.bits));
        }
        if header.hz == 0 {
            return wrong("a counter that increments 0 times a second".into());
        }
        if u128::from(header.period) >= 1 << (header.bits - 1) {
            return wrong(format!(
                "a counter of {} bits that wraps within two periods of {} increments, so instants are ambiguous",
                header.bits, header.period
            ));
        }
        if !["fixed", "edf", "other"].contains(&header.policy.as_str()) {
            return wrong(format!("the policy is '{}', not 'fixed', 'edf' or 'other'", header.policy));
        }
        match &self.header {
            Some(before) if *before != header => wrong("it differs from the target's earlier header line".into()),
            _ => {
                self.header = Some(header);
                Ok(())
            }
        }
    }

    fn sample(&mut self, record: SerialRecord) {
        let Some(bits) = self.header.as_ref().map(|header| header.bits) else { return };
        let (at, found) = match record {
            SerialRecord::Sample { activation, due, handler, task } => {
                let stamps = [due, handler, Some(task)];
                let is_later = self.activations.is_none_or(|(_, last, _)| activation > last);
                if !is_later || stamps.iter().flatten().any(|stamp| !fits(*stamp, bits)) {
                    self.impossible += 1;
                    return;
                }
                let (first, _, count) = self.activations.unwrap_or((activation, activation, 0));
                self.activations = Some((first, activation, count + 1));
                let between = |from: Option<u64>, to: Option<u64>| Some(difference(from?, to?, bits));
                let found = [
                    (Quantity::ResponseLatency, between(due, Some(task))),
                    (Quantity::InterruptLatency, between(due, handler)),
                    (Quantity::ActivationLatency, between(handler, Some(task))),
                ];
                (activation, found.to_vec())
            }
            SerialRecord::Overhead { kind, begin, end } if fits(begin, bits) && fits(end, bits) => {
                (self.taken, vec![(kind, Some(difference(begin, end, bits)))])
            }
            _ => {
                self.impossible += 1;
                return;
            }
        };
        self.taken += 1;
        for (quantity, value) in found.into_iter().filter_map(|(quantity, value)| Some((quantity, value?))) {
            self.samples.entry(quantity).or_default().push((at, value));
        }
    }
}

const fn fits(stamp: u64, bits: u8) -> bool {
    bits == 64 || stamp >> bits == 0
}

/// From one stamp to another of a counter that wraps: the shorter way around, forwards or backwards.
fn difference(from: u64, to: u64, bits: u8) -> i128 {
    let range = 1i128 << bits;
    let forwards = (i128::from(to) - i128::from(from)).rem_euclid(range);
    if forwards >= range / 2 { forwards - range } else { forwards }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_wraps_gives_the_shorter_way_around() {
        assert_eq!(difference(0xFF_FFF0, 0x10, 24), 0x20);
        assert_eq!(difference(0x10, 0xFF_FFF0, 24), -0x20);
        assert_eq!(difference(u64::MAX, 4, 64), 5);
        assert_eq!(difference(0, 127, 8), 127);
    }
}
