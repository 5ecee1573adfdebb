//! JSON Lines in, JSON Lines out in the same order, on all processors.
//!
//! Lines are read in blocks, answered by whoever is free, and written before the next block is read: memory stays flat, and the
//! output is the same whatever the number of processors.

use crate::error::Error;
use prazo_core::text::counted;
use prazo_report::json;
use serde_json::Value;
use std::io::{BufRead, BufWriter, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Lines of one block.
const BLOCK: usize = 1024;

/// How many records a batch had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchCount {
    /// All of them; each has its answer.
    pub records: u64,
    /// Those that were refused: the answer says what is wrong with the record.
    pub refused: u64,
}

impl BatchCount {
    /// Refuses a batch of which records were refused, once all answers are written.
    ///
    /// # Errors
    /// A record was refused.
    pub fn complete(self) -> Result<(), Error> {
        let Self { records, refused } = self;
        if refused == 0 {
            return Ok(());
        }
        let records = counted(records, "record");
        Err(Error::field("batch", format!("{refused} of {records} refused"))
            .with_remedy("the field `error` in the answer to each refused record says what to correct"))
    }
}

/// The answer to one line.
pub(crate) struct LineAnswer {
    /// One line of JSON.
    pub(crate) text: String,
    /// True if the line is no record that can be answered.
    pub(crate) refused: bool,
}

/// Writes the JSON that `answered` makes of every line of `records` to `output`; empty lines have no answer. A reader that went away
/// early (`| head`) ends it, and is no error.
pub(crate) fn answer_all(
    records: &mut dyn BufRead,
    output: &mut dyn Write,
    answered: impl Fn(&[u8]) -> LineAnswer + Sync,
) -> Result<BatchCount, Error> {
    // ORDERING: only the counts are shared, and they are read after the threads have ended.
    let (total, refused) = (AtomicU64::new(0), AtomicU64::new(0));
    let counted = |line: &[u8]| {
        let answer = answered(line);
        total.fetch_add(1, Ordering::Relaxed);
        refused.fetch_add(u64::from(answer.refused), Ordering::Relaxed);
        answer.text
    };
    write_all(records, output, counted)?;
    Ok(BatchCount { records: total.into_inner(), refused: refused.into_inner() })
}

fn write_all(
    records: &mut dyn BufRead,
    output: &mut dyn Write,
    answered: impl Fn(&[u8]) -> String + Sync,
) -> Result<(), Error> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let mut output = BufWriter::new(output);
    let mut lines = records.split(b'\n');
    loop {
        let block: Vec<Vec<u8>> = lines.by_ref().take(BLOCK).collect::<Result<_, _>>().map_err(Error::failed)?;
        if block.is_empty() {
            return flushed(output.flush());
        }
        for text in answers(&block, workers, &answered) {
            if let Err(error) = writeln!(output, "{}", json::printable(text)) {
                return flushed(Err(error));
            }
        }
    }
}

/// A reader that went away early is no error.
fn flushed(result: std::io::Result<()>) -> Result<(), Error> {
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Error::failed(error)),
        _ => Ok(()),
    }
}

/// The answers to a block of lines, in order; each worker takes the next line that is left.
fn answers(block: &[Vec<u8>], workers: usize, answered: &(impl Fn(&[u8]) -> String + Sync)) -> Vec<String> {
    let (next, written) = (AtomicUsize::new(0), Mutex::new(vec![None; block.len()]));
    let work = || {
        while let Some((index, line)) = next_of(block, &next) {
            let text = (!line.trim_ascii().is_empty()).then(|| answered(line));
            written.lock().expect("no thread panics with the lock")[index] = text;
        }
    };
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    written.into_inner().expect("all threads have ended").into_iter().flatten().collect()
}

/// The next line that nobody has taken yet.
fn next_of<'a>(block: &'a [Vec<u8>], next: &AtomicUsize) -> Option<(usize, &'a [u8])> {
    // ORDERING: only the count is shared; the lines were written before the threads began.
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, block.get(index)?))
}

/// What a line that is no record calls itself, so that the answer can be matched with it; null if even that is unreadable.
pub(crate) fn identifier(line: &str) -> Value {
    let value: Result<Value, _> = serde_json::from_str(line);
    value.ok().and_then(|value| value.get("id").cloned()).unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each answer takes the longer the earlier its line, so that later ones overtake it.
    #[test]
    fn answers_keep_the_order_of_lines_whatever_the_number_of_workers() {
        let block: Vec<Vec<u8>> = (0..40).map(|number| format!("{number}").into_bytes()).collect();
        let answered = |line: &[u8]| {
            let text = String::from_utf8_lossy(line).into_owned();
            let number: u64 = text.parse().unwrap();
            std::thread::sleep(std::time::Duration::from_micros((40 - number) * 50));
            text
        };
        let expected: Vec<String> = (0..40).map(|number| number.to_string()).collect();
        for workers in [1, 2, 3, 16, 100] {
            assert_eq!(answers(&block, workers, &answered), expected, "{workers} workers");
        }
    }

    #[test]
    fn an_empty_line_has_no_answer() {
        let block = [b"a".to_vec(), b" \r".to_vec(), Vec::new(), b"b".to_vec()];
        assert_eq!(answers(&block, 2, &|line: &[u8]| String::from_utf8_lossy(line).into_owned()), ["a", "b"]);
    }
}
