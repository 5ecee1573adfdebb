//! The schedulable region of a task set over two of its parameters, as a grid of verdicts.

use crate::error::Error;
use crate::progress::{Count, Progress};
use prazo_analysis::question::{Method, Question, answer};
use prazo_analysis::sensitivity::region::{Axis, Field, row};
use prazo_analysis::{Task, Verdict};
use prazo_report::schedulability::Region;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Points of each axis.
const POINTS: u64 = 41;

/// The most that one test may cost at one point, and the most jobs that are simulated there.
const BUDGET: u64 = 100_000;
const JOBS: u64 = 1_000;

/// How often it is said how far the grid is.
const EACH: Duration = Duration::from_secs(1);

/// Two parameters: `brake.cost,transfer.period`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionOf {
    /// Along the horizontal axis.
    pub x: Parameter,
    /// Along the vertical axis.
    pub y: Parameter,
}

/// A number of a task: `brake.cost`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name of the task.
    pub task: String,
    /// Which of its numbers.
    pub field: Field,
}

impl FromStr for Parameter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = Field::ALL.map(Field::name).join(", ");
        // A task's name may have a dot itself.
        let (task, field) = text
            .rsplit_once('.')
            .ok_or_else(|| format!("'{text}' names no parameter; write a task and one of {names}, as in brake.cost"))?;
        let known = Field::ALL.into_iter().find(|known| known.name() == field);
        let field = known.ok_or_else(|| format!("'{field}' is no parameter of a task; write one of {names}"))?;
        Ok(Self { task: task.to_owned(), field })
    }
}

impl FromStr for RegionOf {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (x, y) = text.split_once(',').ok_or_else(|| {
            format!("'{text}' is not two parameters; write two with a comma between, as in brake.cost,transfer.period")
        })?;
        let both = Self { x: x.trim().parse()?, y: y.trim().parse()? };
        if both.x == both.y {
            Err(format!("'{text}' names one parameter twice; name two different parameters"))
        } else {
            Ok(both)
        }
    }
}

/// Asks about each point of the grid, on all processors.
pub(super) fn region(
    of: &RegionOf,
    names: &[String],
    question: &Question<'_>,
    method: &Method,
    progress: &mut dyn Progress,
) -> Result<Region, Error> {
    let axis = |parameter: &Parameter| {
        let task = names.iter().position(|name| *name == parameter.task).ok_or_else(|| {
            let problem = format!("the set has no task '{}'", parameter.task);
            Error::field("region", problem).with_remedy(format!("its tasks are {}", names.join(", ")))
        })?;
        Ok::<_, Error>(Axis::around(question.tasks, task, parameter.field, POINTS))
    };
    let (x, y) = (axis(&of.x)?, axis(&of.y)?);
    let method = Method {
        budget: method.budget.min(BUDGET),
        packing_budget: method.packing_budget.min(BUDGET),
        simulated_jobs: method.simulated_jobs.min(JOBS),
        states: method.states.min(BUDGET),
        search: method.search.min(BUDGET),
        all_tests: false,
        ..method.clone()
    };
    let verdict = |tasks: &[Task]| {
        answer(&Question { tasks, ..*question }, &method).map_or(Verdict::Unknown, |answer| answer.verdict)
    };
    progress.stage("schedulable region");
    let (next, rows) = (AtomicUsize::new(0), y.values.len());
    let (sent, received) = mpsc::channel();
    let mut said = Instant::now();
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(rows);
    let mut verdicts = vec![Vec::new(); rows];
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (sent, x, y, next) = (sent.clone(), &x, &y, &next);
            scope.spawn(move || {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&value) = y.values.get(place) else { return };
                    let row = row(question.tasks, x, y, value, &mut { verdict });
                    if sent.send((place, row)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sent);
        for (count, (place, row)) in (1..).zip(received) {
            verdicts[place] = row;
            if said.elapsed() >= EACH {
                let (parts, total) = ("rows", rows as u64);
                progress.count(&Count { parts, done: count, found: 0, total, left: None, elapsed: None });
                said = Instant::now();
            }
        }
    });
    Ok(Region { x, y, verdicts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_and_what_is_none_is_refused_with_what_to_write() {
        let read: RegionOf = "brake.cost, a.b.period".parse().unwrap();
        let parameter = |task: &str, field| Parameter { task: task.into(), field };
        assert_eq!(read, RegionOf { x: parameter("brake", Field::Cost), y: parameter("a.b", Field::Period) });
        for (wrong, said) in [
            ("brake.cost", "two with a comma"),
            ("brake,steer.cost", "as in brake.cost"),
            ("brake.colour,steer.cost", "one of cost, period, deadline, jitter"),
            ("brake.cost,brake.cost", "twice"),
        ] {
            assert!(wrong.parse::<RegionOf>().unwrap_err().contains(said), "{wrong}");
        }
    }
}
