//! The target's side of the serial line: any kernel that can print sends its stamps to prazo.
//!
//! The protocol is docs/serial-line.md, the same for C is `include/prazo_serial.h`. Nothing is allocated. Send outside of what is
//! measured: a stamp is a read of the counter, and its line can wait.
//!
//! ```
//! use prazo_serial_target::{Line, Target};
//!
//! let mut sent = Vec::new();
//! let mut line = Line::new(|byte| sent.push(byte));
//! let target = Target { kernel: "rtic-2", board: "lm3s6965evb", hz: 12_500_000, bits: 24, period: 12_500, policy: "fixed", load: "-", tasks: None };
//! line.header(&target);
//! line.sample(1, Some(100), Some(130), 190);
//! line.end(0);
//! assert!(String::from_utf8(sent).unwrap().contains("$PZ2,0001,S,1,64,82,be*"));
//! ```
#![no_std]
#![forbid(unsafe_code)]

/// What stands at the head of each line, the version of the protocol included.
pub const PREFIX: &str = "$PZ2,";

/// What a target says of itself. Texts hold no comma, asterisk, blank or control character.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The kernel and its version.
    pub kernel: &'a str,
    /// The board or machine.
    pub board: &'a str,
    /// Increments of the counter in a second.
    pub hz: u64,
    /// Width of the counter, 8 to 64 bits; it wraps to zero behind its largest value.
    pub bits: u8,
    /// Distance of two due instants, in increments of the counter; 0 where there is no grid.
    pub period: u64,
    /// How the task is scheduled: `fixed`, `edf`, or `other` for a policy that is not a real-time one.
    pub policy: &'a str,
    /// The load that ran beside the measurement; `-` for none.
    pub load: &'a str,
    /// How many tasks shared the ready queue; a table of overheads needs it. `None` where it is not known.
    pub tasks: Option<u32>,
}

/// The line with its counts; `put` sends one byte.
#[derive(Debug)]
pub struct Line<P: FnMut(u8)> {
    put: P,
    sequence: u16,
    samples: u64,
    crc: u32,
}

impl<P: FnMut(u8)> Line<P> {
    /// A line of which nothing was sent yet.
    pub fn new(put: P) -> Self {
        Self { put, sequence: 0, samples: 0, crc: 0 }
    }

    /// Says what the target is. Once before all samples; again at any time, with the same words.
    pub fn header(&mut self, target: &Target<'_>) {
        self.begin(b'H');
        self.text(target.kernel);
        self.text(target.board);
        [target.hz, u64::from(target.bits), target.period].into_iter().for_each(|number| self.decimal(number));
        self.text(target.policy);
        self.text(target.load);
        match target.tasks {
            Some(tasks) => self.decimal(tasks.into()),
            None => self.text("-"),
        }
        self.finish();
    }

    /// One activation: its number on the grid, then when it was due, when its handler started, and when its task ran, all as the
    /// counter showed them; `None` where there is no such stamp. Numbers of activations that were skipped are left out.
    pub fn sample(&mut self, activation: u64, due: Option<u64>, handler: Option<u64>, task: u64) {
        self.begin(b'S');
        self.decimal(activation);
        [due, handler, Some(task)].into_iter().for_each(|stamp| self.stamp(stamp));
        self.finish();
        self.samples += 1;
    }

    /// One overhead, between two stamps. `kind` is a word of the protocol, such as `context-switch-overhead`.
    pub fn overhead(&mut self, kind: &str, begin: u64, end: u64) {
        self.begin(b'O');
        self.text(kind);
        [begin, end].into_iter().for_each(|stamp| self.stamp(Some(stamp)));
        self.finish();
        self.samples += 1;
    }

    /// The measurement is over. `lost` counts the activations whose stamps the target could not keep.
    pub fn end(&mut self, lost: u64) {
        self.begin(b'E');
        [self.samples, lost].into_iter().for_each(|number| self.decimal(number));
        self.finish();
    }

    fn begin(&mut self, kind: u8) {
        self.crc = u32::MAX;
        PREFIX.bytes().for_each(|byte| self.put(byte));
        for shift in [12, 8, 4, 0] {
            self.put(digit(u32::from(self.sequence) >> shift));
        }
        self.put(b',');
        self.put(kind);
        self.sequence = self.sequence.wrapping_add(1);
    }

    fn finish(&mut self) {
        let crc = !self.crc;
        (self.put)(b'*');
        for shift in (0..8).rev() {
            (self.put)(digit(crc >> (4 * shift)));
        }
        (self.put)(b'\r');
        (self.put)(b'\n');
    }

    fn text(&mut self, text: &str) {
        self.put(b',');
        text.bytes().for_each(|byte| self.put(byte));
    }

    fn decimal(&mut self, number: u64) {
        self.put(b',');
        let mut unit = 1;
        while number / unit >= 10 {
            unit *= 10;
        }
        while unit > 0 {
            self.put(b'0' + (number / unit % 10) as u8);
            unit /= 10;
        }
    }

    fn stamp(&mut self, stamp: Option<u64>) {
        self.put(b',');
        let Some(stamp) = stamp else { return self.put(b'-') };
        let digits = (u64::BITS - stamp.leading_zeros()).div_ceil(4).max(1);
        (0..digits).rev().for_each(|place| self.put(digit((stamp >> (4 * place)) as u32)));
    }

    fn put(&mut self, byte: u8) {
        self.crc = crc32(self.crc, byte);
        (self.put)(byte);
    }
}

/// CRC-32 as in Ethernet, one byte further; begins with all ones and ends inverted.
pub const fn crc32(crc: u32, byte: u8) -> u32 {
    let (mut crc, mut bit) = (crc ^ byte as u32, 0);
    while bit < 8 {
        crc = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
        bit += 1;
    }
    crc
}

const fn digit(value: u32) -> u8 {
    b"0123456789abcdef"[(value & 15) as usize]
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn the_checksum_is_the_usual_one() {
        let crc = !b"123456789".iter().fold(u32::MAX, |crc, byte| crc32(crc, *byte));
        assert_eq!(crc, 0xCBF4_3926);
    }
}
