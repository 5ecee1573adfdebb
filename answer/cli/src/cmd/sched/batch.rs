//! Many records at once: where they come from, and where the answers go.

use crate::exit::{Exit, Failure};
use crate::out;
use prazo::sched::BatchCount;
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
        answered => {
            answered?.complete()?;
            Ok(Exit::Pass)
        }
    }
}
