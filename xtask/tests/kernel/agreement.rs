//! Same scenario, same trace: for each queue, kernel and simulator write the same sequence of (event, task, job).
//!
//! Random sets are drawn until the simulator finds their distinct instants at least 2 ms apart, and nothing at the instant
//! of a completion but what follows from it: closer than that, a real kernel's order is its own.

use crate::machine::{SHAPES, Shift, boot, console};
use prazo_core::event::{Event, Kind};
use prazo_core::overheads::Overheads;
use prazo_core::task::Task;
use prazo_sim::sink::Memory;
use prazo_sim::{Limits, Model, Policy, Request, Variation, simulate};

const HORIZON_MS: u64 = 300;
const APART_NS: u64 = 2_000_000;
const SETS_A_SHAPE: usize = 5;
const SEED: u64 = 4;

type Line = (String, u64, u64);

struct Set {
    tasks: Vec<Task>,
    places: Vec<u32>,
}

impl Set {
    fn draw(random: &mut fastrand::Rng, queues: u32, processors: u32) -> Self {
        let count = random.usize(2..=4 * processors as usize).min(9);
        let task = |random: &mut fastrand::Rng| {
            let period = random.u64(2..=10) * 10;
            let cost = random.u64(2..=period * 3 / 4);
            Task::new(cost, period, random.u64(cost.max(period / 2)..=period))
        };
        let tasks: Vec<Task> = (0..count).map(|_| task(random)).collect();
        let places = (0..count).map(|_| random.u32(0..queues)).collect();
        Self { tasks, places }
    }

    fn simulated(&self, heads: &[u32], policy: &Policy) -> Vec<Event> {
        let model = Model::new(&Request {
            tasks: &self.tasks,
            conduct: &[],
            ns_per_tick: 1_000_000,
            clusters: heads,
            places: &self.places,
            policy,
            overheads: Overheads::NONE,
            variation: Variation::default(),
        });
        let mut memory = Memory::new(1 << 20);
        simulate(&model.unwrap(), &Limits::until(HORIZON_MS * 1_000_000), &mut memory);
        memory.events.retain(|event| event.kind != Kind::Miss);
        memory.events
    }

    fn words(&self) -> String {
        let task = |(task, place): (&Task, &u32)| {
            format!(" task={},{},{},0,{place}", task.cost * 1_000, task.period * 1_000, task.deadline * 1_000)
        };
        let tasks: String = self.tasks.iter().zip(&self.places).map(task).collect();
        format!("scenario duration_ms={HORIZON_MS}{tasks}")
    }
}

/// True if a kernel that needs time for what it does must still come to the same order.
fn is_apart(events: &[Event]) -> bool {
    let near = |a: &Event, b: &Event| b.at != a.at && b.at.as_ns() - a.at.as_ns() < APART_NS;
    let mut by_instant = events.chunk_by(|a, b| a.at == b.at);
    let completes_alone = |events: &[Event]| {
        let completions = events.iter().filter(|event| matches!(event.kind, Kind::Completion { .. })).count();
        completions == 0 || completions == 1 && events.iter().all(|event| event.kind != Kind::Arrival)
    };
    by_instant.all(completes_alone) && !events.windows(2).any(|pair| near(&pair[0], &pair[1]))
}

fn queue_of(lines: impl Iterator<Item = (u64, Line)>, queue: u64) -> Vec<Line> {
    lines.filter(|(of, _)| *of == queue).map(|(_, line)| line).collect()
}

fn said_by_kernel(console: &str) -> Vec<(u64, Line)> {
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |index: usize| words[index].parse::<u64>().unwrap();
        (number(1), (words[3].to_owned(), number(4), number(5)))
    };
    console.lines().filter(|text| text.starts_with("event ")).map(line).collect()
}

fn said_by_simulator(set: &Set, events: &[Event]) -> Vec<(u64, Line)> {
    let end_ns = HORIZON_MS * 1_000_000 - APART_NS;
    let line = |event: &Event| {
        let place = u64::from(set.places[event.task.index()]);
        (place, (event.kind.name().to_owned(), u64::from(event.task.number()), event.job))
    };
    events.iter().filter(|event| event.at.as_ns() < end_ns).map(line).collect()
}

/// Boots one set and compares queue by queue; false where there is no emulator.
fn agrees(shape: &str, heads: &[u32], set: &Set, events: &[Event]) -> bool {
    let words = set.words();
    let Some(ended) = boot(shape, heads.iter().sum(), Shift(0), &words) else { return false };
    let kernel = said_by_kernel(&console(&ended));
    let simulator = said_by_simulator(set, events);
    for queue in 0..heads.len() as u64 {
        let ours = queue_of(kernel.iter().cloned(), queue);
        let theirs = queue_of(simulator.iter().cloned(), queue);
        let differs = theirs.iter().zip(&ours).position(|(a, b)| a != b);
        assert_eq!(differs, None, "{shape}, queue {queue}: {words}\n{theirs:?}\n{ours:?}");
        assert!(ours.len() >= theirs.len(), "{shape}, queue {queue}: the kernel stopped early: {words}");
    }
    true
}

#[test]
fn kernel_and_simulator_write_the_same_trace() {
    for (shape, heads) in SHAPES {
        let policy = if shape.ends_with("rm") { Policy::RateMonotonic } else { Policy::EarliestDeadlineFirst };
        let mut random = fastrand::Rng::with_seed(SEED);
        let (mut compared, mut events_compared) = (0, 0);
        while compared < SETS_A_SHAPE {
            let set = Set::draw(&mut random, heads.len() as u32, heads.iter().sum());
            let events = set.simulated(heads, &policy);
            let preempts = events.iter().any(|event| matches!(event.kind, Kind::Preemption { .. }));
            if !preempts || !is_apart(&events) {
                continue;
            }
            if !agrees(shape, heads, &set, &events) {
                return;
            }
            compared += 1;
            events_compared += events.len();
        }
        println!("{shape}: {compared} sets, {events_compared} events, seed {SEED}");
    }
}
