//! One run: its threads are made, they work until the end of the run, and the console hears what came of it.

use crate::arch::{self, Birth, Guard, Lock, PROCESSORS_MAX};
use crate::configuration::{NAME, PROCESSORS, QUEUE, QUEUES};
use crate::queue::{END_OF_RUN, Late, Queue, is_aborted, stack_of};
use crate::random::Random;
use crate::words::{RunKind, Words};
use crate::{SUCCESS, console, dispatcher, measure, trace};
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use prazo_core::job::{Parameters, TaskIndex};
use prazo_core::time::{Duration, Instant};
use prazo_scenario::binary::TaskRecord;

/// Time until the first arrival, in which all processors get to their queues.
const LEAD: Duration = Duration::from_ms(2);
/// Repetitions of the sum in the body of a measured thread, as the paper has it.
const SUMS: u64 = 50;
const STACKS: usize = PROCESSORS_MAX + END_OF_RUN;

/// By stack: processor time used, up to the last switch.
static CONSUMED_NS: [AtomicU64; STACKS] = [const { AtomicU64::new(0) }; STACKS];
/// By processor: when it last switched.
static SINCE_NS: [AtomicU64; PROCESSORS_MAX] = [const { AtomicU64::new(0) }; PROCESSORS_MAX];
/// By task: what a job of it costs; 0 for the measured body.
static COST_NS: [AtomicU64; END_OF_RUN] = [const { AtomicU64::new(0) }; END_OF_RUN];
static QUEUE_OF_TASK: [AtomicUsize; END_OF_RUN] = [const { AtomicUsize::new(0) }; END_OF_RUN];
static TASKS: AtomicUsize = AtomicUsize::new(0);
static BEGIN_NS: AtomicU64 = AtomicU64::new(0);
static END_NS: AtomicU64 = AtomicU64::new(0);
static KIND: AtomicU64 = AtomicU64::new(0);
static IS_RAW: AtomicBool = AtomicBool::new(false);
static IS_READY: AtomicBool = AtomicBool::new(false);

/// One periodic thread of a run.
#[derive(Clone, Copy, Debug)]
pub struct Periodic {
    /// Processor time of one job; zero for the measured body.
    pub cost: Duration,
    /// Distance of two arrivals.
    pub period: Duration,
    /// Counted from the arrival.
    pub relative_deadline: Duration,
    /// First arrival, counted from the beginning.
    pub offset: Duration,
    /// The queue it belongs to.
    pub queue: usize,
}

/// Makes the threads that `words` ask for; on the first processor, before the others take part.
pub fn prepare(words: &Words) {
    let begin = arch::now() + LEAD;
    let end = begin + Duration::from_ms(words.duration_ms);
    BEGIN_NS.store(begin.as_ns(), Ordering::Relaxed);
    END_NS.store(end.as_ns(), Ordering::Relaxed);
    KIND.store(words.kind as u64, Ordering::Relaxed);
    assert!(
        words.kind == RunKind::Scenario || arch::handed_over().is_none(),
        "a task table is handed over, and only 'scenario' takes one"
    );
    IS_RAW.store(words.raw != 0, Ordering::Relaxed);
    match words.kind {
        RunKind::Measure => uniform(words).for_each(|thread| admit(thread, begin)),
        RunKind::Together => together(words).for_each(|thread| admit(thread, begin)),
        RunKind::Scenario => crate::scenario::threads(|record| admit_record(&record, begin)),
        RunKind::Pair => crate::bodies::pair(words.threads).for_each(|thread| admit(thread, begin)),
        RunKind::PingPong => crate::bodies::pairs(words.threads).for_each(|thread| admit(thread, begin)),
        RunKind::Inversion => crate::inversion::three(words).for_each(|thread| admit(thread, begin)),
        RunKind::Nested => crate::inversion::nested(words).for_each(|thread| admit(thread, begin)),
        RunKind::Stray => crate::inversion::stray(words).for_each(|thread| admit(thread, begin)),
        RunKind::Insertion => crate::insertion::run(words.heads, words.threads, words.seed),
        RunKind::Overflow => overflow(0),
    }
    // One before the end: what arrives at the end itself belongs to no run.
    QUEUE[0].lock().end_at(Instant::from_ns(end.as_ns() - 1));
    if words.tick_us > 0 {
        QUEUE.iter().for_each(|queue| queue.lock().tick(Duration::from_us(words.tick_us)));
    }
    match (words.kind, words.parts) {
        (RunKind::Scenario | RunKind::Overflow | RunKind::Inversion | RunKind::Nested | RunKind::Stray, _) => {
            QUEUE.iter().for_each(|queue| queue.lock().trace.turn_on());
        }
        (RunKind::Pair, _) => measure::turn_on(measure::PAIR),
        (RunKind::Insertion, _) => {}
        (_, 0) => measure::turn_on(measure::OUTER),
        (_, _) => measure::turn_on(measure::INNER),
    }
    console::line(format_args!("prazo: {NAME}, {} threads", TASKS.load(Ordering::Relaxed)));
    IS_READY.store(true, Ordering::Release);
}

/// Waits until the threads are made.
pub fn await_preparation() {
    // ORDERING: pairs with the store in `prepare`.
    while !IS_READY.load(Ordering::Acquire) {
        arch::pass_time();
    }
}

/// A thread of a scenario, which may have an end, an overrun policy and a server beside its times.
fn admit_record(record: &TaskRecord, begin: Instant) {
    let TaskRecord { cost, period, relative_deadline, offset, .. } = *record;
    let queue = usize::from(record.queue);
    let task = add(Periodic { cost, period, relative_deadline, offset, queue }, Some(record.priority), begin);
    QUEUE[queue].lock().watch(task, record);
}

fn admit(thread: Periodic, begin: Instant) {
    add(thread, None, begin);
}

/// A thread with `priority`, or with its number for one, where the criterion ranks by that.
fn add(thread: Periodic, priority: Option<u32>, begin: Instant) -> TaskIndex {
    let number = TASKS.fetch_add(1, Ordering::Relaxed);
    assert!(number < END_OF_RUN, "a run has at most {END_OF_RUN} threads");
    let task = TaskIndex::new(number).expect("below the most that core can name");
    COST_NS[number].store(thread.cost.as_ns(), Ordering::Relaxed);
    QUEUE_OF_TASK[number].store(thread.queue, Ordering::Relaxed);
    arch::prepare::<Body>(stack_of(task), number);
    let priority = priority.unwrap_or(number as u32);
    let parameters = Parameters { period: thread.period, relative_deadline: thread.relative_deadline, priority };
    QUEUE[thread.queue].lock().admit(task, parameters, begin + thread.offset);
    task
}

/// The paper's sets: periods uniform between 3 and 33 ms, offsets within the period, bodies of 50 sums.
fn uniform(words: &Words) -> impl Iterator<Item = Periodic> {
    let mut random = Random::new(words.seed);
    (0..words.threads).map(move |number| {
        let period = Duration::from_us(3_000 + random.below(30_001));
        let offset = Duration::from_ns(random.below(period.as_ns()));
        Periodic { cost: Duration::ZERO, period, relative_deadline: period, offset, queue: number % QUEUES }
    })
}

/// All threads released at the same instants, each more urgent than those before it: the most work for queue and alarms.
fn together(words: &Words) -> impl Iterator<Item = Periodic> {
    let period = Duration::from_ms(20);
    let thread = move |number| Periodic {
        cost: Duration::ZERO,
        period,
        relative_deadline: Duration::from_us(20_000 - 10 * number as u64),
        offset: Duration::ZERO,
        queue: number % QUEUES,
    };
    (0..words.threads).map(thread)
}

/// Calls itself until its stack is too short: deeper than any stack, yet not for ever.
#[inline(never)]
fn overflow(depth: u64) {
    let frame = core::hint::black_box([depth; 32]);
    if depth < 1_000_000 {
        overflow(depth + 1);
    }
    core::hint::black_box(frame);
}

/// The queue that `task` belongs to.
pub fn queue_of(task: TaskIndex) -> usize {
    QUEUE_OF_TASK[task.index()].load(Ordering::Relaxed)
}

struct Body;

impl Birth for Body {
    type Value = Queue;

    fn lock(thread: usize) -> &'static Lock<Queue> {
        &QUEUE[QUEUE_OF_TASK[thread].load(Ordering::Relaxed)]
    }

    fn run(thread: usize) -> ! {
        let task = TaskIndex::new(thread).expect("threads have the numbers of tasks");
        let cost_ns = COST_NS[thread].load(Ordering::Relaxed);
        match KIND.load(Ordering::Relaxed) {
            kind if kind == RunKind::Pair as u64 => crate::bodies::take_turns(task),
            kind if kind == RunKind::PingPong as u64 => crate::bodies::ping_pong(task),
            kind if kind == RunKind::Inversion as u64 || kind == RunKind::Stray as u64 => {
                crate::inversion::invert(task);
            }
            kind if kind == RunKind::Nested as u64 => crate::inversion::nest(task),
            _ => {}
        }
        let mut total_ns = 0;
        loop {
            total_ns += cost_ns;
            if cost_ns == 0 {
                sum();
            } else {
                total_ns = consume(task, total_ns);
            }
            dispatcher::wait_next(task);
        }
    }
}

fn sum() {
    let mut sum = 0;
    for value in 0..SUMS {
        sum = core::hint::black_box(sum + value);
    }
}

/// Keeps the processor until `task` has used `total_ns` of it in its life, or until its job is aborted; what it has used by
/// then, as far as that was meant to be.
pub fn consume(task: TaskIndex, total_ns: u64) -> u64 {
    loop {
        let left_ns = total_ns.saturating_sub(used_ns(task));
        if left_ns == 0 {
            return total_ns;
        }
        let end = arch::now() + Duration::from_ns(left_ns);
        while arch::now() < end {
            if is_aborted(task) {
                return used_ns(task);
            }
            arch::pass_time();
        }
    }
}

/// Processor time that the calling thread `task` has used in its life.
fn used_ns(task: TaskIndex) -> u64 {
    arch::uninterrupted(|_| {
        let since_ns = SINCE_NS[arch::current_processor()].load(Ordering::Relaxed);
        CONSUMED_NS[stack_of(task)].load(Ordering::Relaxed) + (arch::now().as_ns() - since_ns)
    })
}

/// Processor `here` leaves stack `from` at `now`; what ran there is charged for the time.
///
/// Each of the two is written by one processor at a time, so plain loads and stores do.
#[inline]
pub fn account(here: usize, from: usize, now: Instant) {
    let since_ns = SINCE_NS[here].load(Ordering::Relaxed);
    SINCE_NS[here].store(now.as_ns(), Ordering::Relaxed);
    let consumed_ns = CONSUMED_NS[from].load(Ordering::Relaxed) + (now.as_ns() - since_ns);
    CONSUMED_NS[from].store(consumed_ns, Ordering::Relaxed);
}

/// The run has come to its end, which the first queue tells: the others are stopped, the figures printed, the machine left.
pub fn over(first: Guard<'_, Queue>) -> ! {
    measure::turn_off();
    arch::stop_everyone_else();
    // The others stop when their interrupts are on. Who wants a queue first waits for ever, and writes nothing meanwhile; the
    // first one has released what was due at the end, and decides no more.
    let mut first = Some(first);
    let queues = QUEUE.each_ref().map(|queue| first.take().unwrap_or_else(|| queue.lock()));
    for record in trace::records() {
        let at_ns = record.at.as_ns().saturating_sub(BEGIN_NS.load(Ordering::Relaxed));
        let queue = QUEUE_OF_TASK[record.task].load(Ordering::Relaxed);
        let trace::EventRecord { name, task, job, cpu, .. } = record;
        console::line(format_args!("event {queue} {at_ns} {name} {task} {job} {cpu}"));
    }
    if IS_RAW.load(Ordering::Relaxed) {
        measure::print();
    }
    measure::report();
    report(&queues);
    arch::exit(SUCCESS)
}

fn report(queues: &[Guard<'_, Queue>]) {
    let end = Instant::from_ns(END_NS.load(Ordering::Relaxed));
    let (mut arrived, mut served, mut due) = (0, 0, 0);
    let mut late: Option<Late> = None;
    for number in 0..TASKS.load(Ordering::Relaxed) {
        let queue = &queues[QUEUE_OF_TASK[number].load(Ordering::Relaxed)];
        let tally = queue.tally(TaskIndex::new(number).expect("below the most that core can name"));
        arrived += tally.arrived_before(end);
        let cut = tally.late.map_or(0, |late| late.aborted + late.skipped);
        served += tally.served_before(end).saturating_sub(cut);
        late = tally.late.map(|more| late.map_or(more, |late| late + more));
        due += tally.due(end);
    }
    if KIND.load(Ordering::Relaxed) == RunKind::PingPong as u64 {
        let threads = TASKS.load(Ordering::Relaxed);
        let (min, all) = crate::bodies::turns(threads);
        let silent_ns = end.as_ns().saturating_sub(crate::bodies::oldest_last_turn(threads).as_ns());
        console::line(format_args!("prazo: turns {all} min {min} silent_ns {silent_ns}"));
    }
    let (interrupts, in_vain) = dispatcher::reschedule_interrupts();
    console::line(format_args!("interrupts served {interrupts} in_vain {in_vain}"));
    let lost = trace::lost();
    console::line(format_args!("clock counter_hz {}", arch::counter_hz()));
    // Deadlines are watched where events are written; elsewhere it is not known what was late.
    match late {
        Some(Late { missed, aborted, skipped }) => console::line(format_args!(
            "jobs due {due} arrived {arrived} served {served} missed {missed} aborted {aborted} skipped {skipped} \
             events_lost {lost} processors {PROCESSORS}"
        )),
        None => console::line(format_args!(
            "jobs due {due} arrived {arrived} served {served} events_lost {lost} processors {PROCESSORS}"
        )),
    }
}
