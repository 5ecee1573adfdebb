//! Many task sets at once: JSON Lines in, JSON Lines out in the same order, on all processors.

use super::ask::RecordAsked;
use crate::exit::{Exit, Failure};
use crate::flags::sched::Asking;
use prazo_analysis::question::{Method, Policy, Question, Shape, answer, lateness};
use prazo_report::schedulability::Answered;
use prazo_report::schedulability::answered::PartitionRow;
use prazo_scenario::read::record::{self, Record};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One line of the output.
pub type Line = Answered;

/// Most misses come early, and a batch has many sets to get through.
const SIMULATED_JOBS: u64 = 2_000;

/// Records that are read, answered on all processors, and written before the next are read: memory stays flat.
const BLOCK: usize = 1024;

/// Answers every line of `file` (`-` is standard input).
pub fn run(file: &Path, asking: &Asking) -> Result<Exit, Failure> {
    let input: Box<dyn BufRead> = if file == Path::new("-") {
        Box::new(BufReader::new(std::io::stdin()))
    } else {
        let opened = std::fs::File::open(file);
        Box::new(BufReader::new(opened.map_err(|error| {
            Failure::usage(format!(
                "--batch {}: {error}; name a file of JSON Lines, or - for standard input",
                file.display()
            ))
        })?))
    };
    let method = Method { simulated_jobs: asking.simulate.unwrap_or(SIMULATED_JOBS), ..asking.method() };
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    let mut lines = input.split(b'\n');
    loop {
        let block: Vec<Vec<u8>> = lines.by_ref().take(BLOCK).collect::<Result<_, _>>().map_err(Failure::world)?;
        if block.is_empty() {
            return flushed(output.flush());
        }
        for text in answers(&block, &method) {
            if let Err(error) = writeln!(output, "{text}") {
                return flushed(Err(error));
            }
        }
    }
}

/// A reader that went away early (`| head`) is no error.
fn flushed(result: std::io::Result<()>) -> Result<Exit, Failure> {
    match result {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::world(error)),
        _ => Ok(Exit::Pass),
    }
}

/// The answers to a block of lines, in order; each processor takes the next that is left.
fn answers(block: &[Vec<u8>], method: &Method) -> Vec<String> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, written) = (AtomicUsize::new(0), Mutex::new(vec![None; block.len()]));
    let work = || {
        while let Some((index, line)) = next_of(block, &next) {
            let text = (!line.trim_ascii().is_empty()).then(|| answered(line, method));
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

fn answered(line: &[u8], method: &Method) -> String {
    let document = match std::str::from_utf8(line) {
        Ok(line) => of_line(line, method),
        Err(error) => Answered::refused(Value::Null, format!("the line is no text: {error}; write it in UTF-8")),
    };
    serde_json::to_string(&document).expect("an answer is plain data")
}

fn of_line(line: &str, method: &Method) -> Answered {
    match record::parse(line) {
        Ok(record) => of_record(&record, method),
        Err(problem) => Answered::refused(identifier(line), problem.to_string()),
    }
}

/// What a line that is no record calls itself, so that the answer can be matched with it; null if even that is unreadable.
fn identifier(line: &str) -> Value {
    let value: Result<Value, _> = serde_json::from_str(line);
    value.ok().and_then(|value| value.get("id").cloned()).unwrap_or(Value::Null)
}

/// The answer about one record.
fn of_record(record: &Record, method: &Method) -> Answered {
    let id = record.id.as_ref().and_then(|id| serde_json::from_str(id.get()).ok()).unwrap_or(Value::Null);
    let asked = RecordAsked::new(record);
    let question = asked.question();
    let method = match asked.method(method) {
        Ok(method) => method,
        Err(problem) => return Answered::refused(id, problem),
    };
    let answered = match answer(&question, &method) {
        Ok(answered) => answered,
        Err(refused) => return Answered::refused(id, refused.to_string()),
    };
    let mut document = Answered::new(id, &question, &answered, partition(&question, &answered, &method));
    document.tardiness = matches!(question.policy, Policy::Edf).then(|| (&lateness(&question, &answered)).into());
    document
}

/// What the heuristics make of the same tasks: on the clusters asked about, or else on single processors.
fn partition(
    question: &Question<'_>,
    answered: &prazo_analysis::question::Answer,
    method: &Method,
) -> Vec<PartitionRow> {
    match question.shape {
        Shape::Clusters(_) => super::partition::rows(question, answered, method),
        Shape::Global { processors } => {
            let ones = vec![1; processors as usize];
            let alone = Question { shape: Shape::Clusters(&ones), ..*question };
            let method = Method { all_tests: true, disprove: false, search: 0, ..method.clone() };
            answer(&alone, &method)
                .map_or_else(|_| Vec::new(), |packed| super::partition::rows(&alone, &packed, &method))
        }
    }
}
