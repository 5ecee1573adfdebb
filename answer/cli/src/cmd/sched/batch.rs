//! Many records at once: where they come from, and how such a command ends.

use crate::exit::{Exit, Failure};
use prazo::sched::BatchCount;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// The records of a batch; `-` is standard input.
pub(crate) fn records(file: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if file == Path::new("-") {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    let unread = |error| {
        let name = file.display();
        Failure::usage(format!("--batch {name}: {error}; name a file of JSON Lines, or - for standard input"))
    };
    Ok(Box::new(BufReader::new(File::open(file).map_err(unread)?)))
}

/// How a batch ends whose answers have all been written.
pub(crate) fn ending(BatchCount { records, refused }: BatchCount) -> Result<Exit, Failure> {
    match refused {
        0 => Ok(Exit::Pass),
        _ => Err(Failure::usage(format!(
            "--batch: {refused} of {records} records were refused; `error` in the answer to each says what to correct"
        ))),
    }
}
