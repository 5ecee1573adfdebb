//! How many sets a second each question answers: the rows of "Compared with SchedCAT" in docs/schedulability-tests.md.
//!
//! `cargo run --release -p prazo-analysis --example rates`. One line a row: its name, U, sets a second of processor time, and how many
//! of the sets are proven. Sets are drawn before the time is taken.

use prazo_analysis::gedf::{Test, apply, proves};
use prazo_analysis::question::{JobRanking, Method, Priorities, Question, Shape, answer};
use prazo_analysis::{Budget, Task, TaskSet, TimeModel, Verdict};
use prazo_core::behaviour::Behaviours;
use prazo_core::ratio::Ratio;
use prazo_scenario::generate::{Deadlines, Family, Periods, UUniFastDiscard, Utilizations, set_rng};
use std::hint::black_box;
use std::num::NonZeroU16;

const PROCESSORS: u32 = 8;
const SEED: u64 = 2013;
/// A row is measured for so long at least.
const SECONDS: f64 = 0.1;

/// What is asked about each set.
#[derive(Clone, Copy)]
enum Row {
    Partitioned,
    Clusters,
    Global,
    /// One test, which answers yes or no.
    Alone(Test),
    /// One test, which also gives the margin.
    WithMargin(Test),
    ResponseTimes,
}

/// The rows, with U in tenths.
const ROWS: [(Row, u64); 18] = [
    (Row::Partitioned, 20),
    (Row::Partitioned, 40),
    (Row::Partitioned, 79),
    (Row::Clusters, 20),
    (Row::Clusters, 73),
    (Row::Global, 20),
    (Row::Global, 50),
    (Row::Alone(Test::Gfb), 40),
    (Row::Alone(Test::Bak), 40),
    (Row::Alone(Test::Bcli), 20),
    (Row::Alone(Test::Bcli), 40),
    (Row::Alone(Test::Rta), 20),
    (Row::Alone(Test::Rta), 40),
    (Row::WithMargin(Test::Bcli), 20),
    (Row::WithMargin(Test::Bcli), 40),
    (Row::WithMargin(Test::Rta), 20),
    (Row::WithMargin(Test::Rta), 40),
    (Row::ResponseTimes, 7),
];

impl Row {
    fn name(self) -> &'static str {
        match self {
            Self::Partitioned => "partitioned",
            Self::Clusters => "clusters",
            Self::Global => "global",
            Self::Alone(test) => test.name(),
            Self::WithMargin(Test::Rta) => "RTA-margin",
            Self::WithMargin(_) => "BCLI-margin",
            Self::ResponseTimes => "responses",
        }
    }

    fn sets(self, tenths: u64) -> Vec<Vec<Task>> {
        let utilization = Ratio::new(tenths.into(), 10).expect("ten is not zero");
        let ten = UUniFastDiscard { tasks: NonZeroU16::new(10).expect("above zero") };
        let (family, count) = match self {
            Self::ResponseTimes => (
                Family {
                    utilization: Utilizations::UUniFastDiscard(ten),
                    periods: Periods::SHORT,
                    deadlines: Deadlines::Implicit,
                },
                200,
            ),
            _ => (Family::PAPERS_004, 100),
        };
        (0..count).map(|index| family.draw(&mut set_rng(SEED, tenths, index), utilization)).collect()
    }

    fn proves(self, tasks: &[Task], method: &Method) -> bool {
        let (policy, shape) = match self {
            Self::Alone(test) | Self::WithMargin(test) => {
                let (tasks, time) =
                    (TaskSet::new(tasks).expect("drawn sets can be computed with"), TimeModel::Continuous);
                let budget = &mut Budget::new(Method::BUDGET);
                return match self {
                    Self::Alone(_) => proves(test, tasks, PROCESSORS, time, budget),
                    _ => apply(test, tasks, PROCESSORS, time, budget).is_proven(),
                };
            }
            Self::Partitioned => (JobRanking::Edf, Shape::Clusters(&[1; PROCESSORS as usize])),
            Self::Clusters => (JobRanking::Edf, Shape::Clusters(&[4, 4])),
            Self::Global => (JobRanking::Edf, Shape::Global { processors: PROCESSORS }),
            Self::ResponseTimes => {
                (JobRanking::FixedPriority(Priorities::DeadlineMonotonic), Shape::Global { processors: 1 })
            }
        };
        let behaviours = Behaviours::PLAIN;
        let question =
            Question { tasks, policy, shape, places: None, behaviours, overheads: None, time: TimeModel::Continuous };
        answer(&question, method).is_ok_and(|answer| answer.verdict == Verdict::Proven)
    }
}

/// Seconds for which this thread has run.
fn processor_time() -> f64 {
    // To give way makes the kernel account for the time up to now.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux says how long a thread has run");
    text.split_whitespace().next().and_then(|run| run.parse::<f64>().ok()).expect("the first number is the time") / 1e9
}

fn main() {
    let method = Method { disprove: false, states: 0, search: 0, ..Method::default() };
    let only = std::env::args().nth(1);
    for (row, tenths) in ROWS.into_iter().filter(|(row, _)| only.as_ref().is_none_or(|only| only == row.name())) {
        let sets = row.sets(tenths);
        let count = || sets.iter().filter(|tasks| row.proves(black_box(tasks), &method)).count();
        let proven = count();
        let (start, mut turns, mut spent) = (processor_time(), 0, 0.0);
        while spent < SECONDS {
            let batch = (turns / 4).max(1);
            (0..batch).for_each(|_| assert_eq!(black_box(count()), proven));
            turns += batch;
            spent = processor_time() - start;
        }
        let rate = (turns * sets.len()) as f64 / spent;
        let utilization = tenths as f64 / 10.0;
        println!("{:<12} {utilization:>4} {rate:>12.0} {proven:>4} of {}", row.name(), sets.len());
    }
}
