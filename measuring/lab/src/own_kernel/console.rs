//! The kernel's console, read back: costs, counts and events, each a line of words.
//!
//! ```text
//! event QUEUE AT_NS NAME TASK JOB CPU
//! cost NAME count N lost N max N ...        one measure; counts of the processor's counter
//! interrupts served N in_vain N             those by which one processor makes another decide anew
//! jobs due N arrived N served N ...         what became of the jobs
//! prazo: ...                                for people
//! ```
//! A line that begins with a word above and does not go on so is an error, never skipped.

use serde::Serialize;
use serde_json::{Map, Value};

/// What a run printed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Console {
    /// The kernel's own sentences: its shape, or why it stopped.
    pub says: Vec<String>,
    /// What became of the jobs, by name; null where the run did not come to its end.
    pub jobs: Option<Map<String, Value>>,
    /// Interrupts by which one processor made another decide anew: those served, and those of them that changed nothing there.
    pub interrupts: Option<Map<String, Value>>,
    /// Each measure: its name, and its figures in counts of the processor's counter.
    pub costs: Vec<Map<String, Value>>,
    /// How many events were printed.
    pub event_count: usize,
    /// The events in the order of their writing.
    #[serde(skip)]
    pub events: Vec<Event>,
}

/// One event of one queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Event {
    /// The queue.
    pub queue: u64,
    /// Since the run began.
    pub at_ns: u64,
    /// Arrival, release, dispatch, migration, preemption or completion.
    pub event: String,
    /// The task's index.
    pub task: u64,
    /// Number of its job.
    pub job: u64,
    /// Where.
    pub cpu: u64,
}

impl Console {
    /// Reads all lines; the first that cannot be read is named.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut console = Self::default();
        for (number, line) in text.lines().enumerate() {
            console.take(line).map_err(|what| format!("line {} of the console, '{line}': {what}", number + 1))?;
        }
        console.event_count = console.events.len();
        Ok(console)
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["event", rest @ ..] => self.events.push(event(rest)?),
            ["cost", name, rest @ ..] => self.costs.push(cost(name, rest)?),
            ["interrupts", rest @ ..] => self.interrupts = Some(figures(rest)?),
            ["jobs", rest @ ..] => self.jobs = Some(figures(rest)?),
            ["prazo:", ..] => self.says.push(line["prazo:".len()..].trim().to_owned()),
            _ => {}
        }
        Ok(())
    }
}

fn event(words: &[&str]) -> Result<Event, String> {
    let [queue, at_ns, event, task, job, cpu] = words else {
        return Err("an event needs a queue, an instant, a name, a task, a job and a processor".into());
    };
    Ok(Event {
        queue: number(queue)?,
        at_ns: number(at_ns)?,
        event: (*event).to_owned(),
        task: number(task)?,
        job: number(job)?,
        cpu: number(cpu)?,
    })
}

fn cost(name: &str, words: &[&str]) -> Result<Map<String, Value>, String> {
    let name = std::iter::once(("name".to_owned(), Value::from(name)));
    Ok(name.chain(figures(words)?).collect())
}

/// Words in pairs: a name and its number.
fn figures(words: &[&str]) -> Result<Map<String, Value>, String> {
    let (pairs, rest) = words.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(format!("no number follows '{}'", rest[0]));
    }
    pairs.iter().map(|[name, value]| Ok(((*name).to_owned(), Value::from(number(value)?)))).collect()
}

fn number(word: &str) -> Result<u64, String> {
    word.parse().map_err(|_| format!("'{word}' is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "SeaBIOS\nprazo: EarliestDeadlineFirst on 4 processors, 6 threads\nevent 1 20000000 dispatch 3 7 2\n\
        cost switch count 12 lost 0 max 27 mean 19 median 17\njobs due 50 arrived 50 served 49 events_lost 0\n";

    #[test]
    fn every_kind_of_line_is_read() {
        let console = Console::read(TEXT).unwrap();
        assert_eq!(console.says, ["EarliestDeadlineFirst on 4 processors, 6 threads"]);
        let dispatch = Event { queue: 1, at_ns: 20_000_000, event: "dispatch".into(), task: 3, job: 7, cpu: 2 };
        assert_eq!((console.events, console.event_count), (vec![dispatch], 1));
        assert_eq!((&console.costs[0]["name"], &console.costs[0]["max"]), (&Value::from("switch"), &Value::from(27)));
        assert_eq!(console.jobs.unwrap()["served"], 49);
    }

    #[test]
    fn a_line_cut_short_is_named_and_not_skipped() {
        for (right, cut) in [("3 7 2", "3 7"), ("mean 19 median 17", "mean 19 median"), ("due 50", "due ?")] {
            let error = Console::read(&TEXT.replace(right, cut)).unwrap_err();
            assert!(error.contains("of the console") && error.contains(cut), "{error}");
        }
    }

    #[test]
    fn a_run_that_never_ended_has_no_jobs() {
        assert_eq!(Console::read("prazo: processor 0: panicked\n").unwrap().jobs, None);
    }
}
