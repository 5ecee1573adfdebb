//! A foreign file as it is read: never more at a time than one line, never more in all than a limit.
//!
//! Terminal escapes and carriage returns are taken off, bytes that are not UTF-8 become U+FFFD (so that they cannot pass
//! for a number), and the line number is kept for errors.

use super::error::Problem;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

/// The most that is read of any file.
pub const FILE_BYTES_MAX: u64 = 1 << 30;
/// The most that is read of a file that must be held in memory (JSON).
pub const HELD_BYTES_MAX: u64 = 1 << 27;
/// The longest line: cyclictest lists up to a million cycle numbers in one.
const LINE_BYTES_MAX: u64 = 1 << 24;
/// How much of a file decides about its format.
const HEAD_BYTES: u64 = 1 << 16;

/// A foreign file.
pub(super) struct Input<'a> {
    head: Vec<u8>,
    reader: Box<dyn BufRead + 'a>,
    line: u64,
    bytes: u64,
    buffer: Vec<u8>,
    text: String,
}

impl<'a> Input<'a> {
    /// Opens a regular file; anything else is refused before it can block.
    pub(super) fn open(path: &Path) -> Result<Self, Problem> {
        let found = std::fs::metadata(path)?;
        if !found.is_file() {
            return Err(Problem::NotAFile);
        }
        if found.len() > FILE_BYTES_MAX {
            return Err(Problem::TooLarge { limit: FILE_BYTES_MAX });
        }
        Self::new(BufReader::with_capacity(HEAD_BYTES as usize, File::open(path)?))
    }

    /// Reads from `reader`; an empty one is refused.
    pub(super) fn new(mut reader: impl BufRead + 'a) -> Result<Self, Problem> {
        let mut head = Vec::new();
        reader.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
        if head.iter().all(u8::is_ascii_whitespace) {
            return Err(Problem::Empty);
        }
        let reader = Box::new(Cursor::new(head.clone()).chain(reader));
        Ok(Self { head, reader, line: 0, bytes: 0, buffer: Vec::new(), text: String::new() })
    }

    /// The first bytes of the file.
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    /// The line that was read last, counted from 1; `None` before the first.
    pub(super) fn line(&self) -> Option<u64> {
        (self.line > 0).then_some(self.line)
    }

    /// The next line without its end; `None` after the last.
    pub(super) fn next_line(&mut self) -> Result<Option<&str>, Problem> {
        self.buffer.clear();
        let read = self.reader.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut self.buffer)? as u64;
        if read == 0 {
            return Ok(None);
        }
        self.line += 1;
        self.spend(read)?;
        if read > LINE_BYTES_MAX {
            return Err(Problem::TooMuch { what: "a line with too many bytes".into(), limit: LINE_BYTES_MAX });
        }
        self.text = clean(&self.buffer);
        Ok(Some(&self.text))
    }

    /// Exactly `N` bytes; `None` at the end, and how many there were if the end came between.
    pub(super) fn next_record<const N: usize>(&mut self) -> Result<Option<[u8; N]>, Problem> {
        let mut record = [0; N];
        let mut filled = 0;
        while filled < N {
            match self.reader.read(&mut record[filled..])? {
                0 if filled == 0 => return Ok(None),
                0 => return Err(Problem::Truncated { wanted: "the end of the last record" }),
                more => filled += more,
            }
        }
        self.spend(N as u64)?;
        Ok(Some(record))
    }

    /// The whole file, for formats that cannot be read in pieces.
    pub(super) fn held(&mut self) -> Result<Vec<u8>, Problem> {
        let mut all = Vec::new();
        self.reader.by_ref().take(HELD_BYTES_MAX + 1).read_to_end(&mut all)?;
        if all.len() as u64 > HELD_BYTES_MAX {
            return Err(Problem::TooLarge { limit: HELD_BYTES_MAX });
        }
        Ok(all)
    }

    fn spend(&mut self, bytes: u64) -> Result<(), Problem> {
        self.bytes += bytes;
        if self.bytes > FILE_BYTES_MAX {
            return Err(Problem::TooLarge { limit: FILE_BYTES_MAX });
        }
        Ok(())
    }
}

/// A line as a person would see it.
pub(super) fn clean(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end();
    if text.contains('\u{1b}') { without_escapes(text) } else { text.to_owned() }
}

/// Without the terminal's control sequences, `ESC [ parameters letter`.
fn without_escapes(text: &str) -> String {
    let mut pieces = text.split('\u{1b}');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let after = piece.strip_prefix('[').map_or(piece, |sequence| {
            sequence.find(|c: char| c.is_ascii_alphabetic()).map_or("", |end| &sequence[end + 1..])
        });
        out.push_str(after);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_line_ends_are_taken_off() {
        assert_eq!(clean(b"\x1b[2;37;40mover:  1\x1b[0;0;0m\r\n"), "over:  1");
        assert_eq!(clean(b"\x1b[2ACPU\x1b["), "CPU");
        assert_eq!(clean("é\x1bé".as_bytes()), "éé");
    }

    #[test]
    fn bytes_that_are_no_text_cannot_pass_for_a_number() {
        assert!(clean(b"00\xff14").parse::<u64>().is_err());
    }

    #[test]
    fn a_line_without_end_is_refused_before_memory_is() {
        let endless = BufReader::new(std::io::repeat(b'7'));
        let mut input = Input::new(endless).unwrap();
        assert!(matches!(input.next_line(), Err(Problem::TooMuch { .. })));
    }

    #[test]
    fn a_file_that_grows_for_ever_is_refused() {
        let mut input = Input::new(BufReader::new(std::io::repeat(b'7'))).unwrap();
        assert!(matches!(input.held(), Err(Problem::TooLarge { limit: HELD_BYTES_MAX })));
    }

    #[test]
    fn blank_files_are_empty() {
        assert!(matches!(Input::new(&b" \r\n\n"[..]), Err(Problem::Empty)));
    }
}
