//! Many records at once: where they come from, and how such a command ends.

use crate::exit::{Exit, Failure};
use crate::out;
use prazo::sched::BatchCount;
use prazo_core::text::counted;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// The records of a batch; `-` is standard input.
pub(super) fn records(file: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if file == Path::new("-") {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    let unread = |error| {
        let name = file.display();
        Failure::usage(format!("--batch {name}: {error}; name a file of JSON Lines, or - for standard input"))
    };
    Ok(Box::new(BufReader::new(File::open(file).map_err(unread)?)))
}

/// Has a batch answered on standard output. A reader that went away early ends it.
pub(crate) fn run(
    file: &Path,
    answer: impl FnOnce(&mut dyn BufRead, &mut dyn Write) -> Result<BatchCount, prazo::Error>,
) -> Result<Exit, Failure> {
    let (mut records, mut output) = (records(file)?, out::Pieces::new());
    match answer(&mut records, &mut output) {
        Err(_) if output.reader_left() => Ok(Exit::Pass),
        answered => ending(answered?),
    }
}

/// How a batch ends whose answers have all been written.
pub(super) fn ending(BatchCount { records, refused }: BatchCount) -> Result<Exit, Failure> {
    match refused {
        0 => Ok(Exit::Pass),
        _ => Err(Failure::usage(format!(
            "--batch: {refused} of {} refused; `error` in the answer to each says what to correct",
            counted(records, "record")
        ))),
    }
}
