//! The command line: `KIND KEY=VALUE ...`, which the loader hands over.
//!
//! ```text
//! measure threads=125 seed=1 duration_ms=10000 parts=0
//! together threads=125 duration_ms=1000
//! measure threads=125 tick_us=1000 parts=1                    (any run: a periodic tick in place of one-shot timers)
//! measure threads=125 parts=1 raw=1                           (any measuring run: every sample, beside the table)
//! pair threads=125 duration_ms=100
//! ping-pong threads=8 duration_ms=1000
//! inversion middle_ms=40 plain=0                             (plain=1: a semaphore, which lends nothing, in the mutex's place)
//! nested locks=1                                          (locks=0: without its mutexes)
//! insertion threads=125 heads=4
//! scenario duration_ms=1000 task=COST,PERIOD,DEADLINE,OFFSET,QUEUE task=...     (in microseconds)
//! ```

use crate::arch;

/// Numbers of one `task=`.
pub const NUMBERS: usize = 5;

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// The tasks of the command line, or of the scenario that is built in.
    Scenario,
    /// Threads as the paper draws them, measured.
    Measure,
    /// Threads that are all released at once, measured.
    Together,
    /// Two threads that take turns on one processor, measured; the others wait for a release that does not come.
    Pair,
    /// Pairs of threads that wake each other in turn, measured.
    PingPong,
    /// Three threads of which the least urgent holds a mutex that the most urgent wants.
    Inversion,
    /// Three threads and two mutexes, each of which is wanted while a less urgent thread holds it.
    Nested,
    /// As `Inversion`, with one of the threads in another queue, so that the tests see how that is refused.
    Stray,
    /// Insertions into a ready queue, one by one, measured.
    Insertion,
    /// A thread that fails on purpose, so that the tests see how that ends.
    Overflow,
}

/// What the loader was told.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// What the run does.
    pub kind: RunKind,
    /// Threads of a measuring run.
    pub threads: usize,
    /// Processors of the cluster that insertions are measured in.
    pub heads: usize,
    /// Of its random periods.
    pub seed: u64,
    /// 1 to measure the parts of a release, 0 to measure it whole.
    pub parts: u64,
    /// 1 to print every sample.
    pub raw: u64,
    /// Distance of two timer interrupts; 0 for one at each alarm and no other.
    pub tick_us: u64,
    /// What the middle thread of an inversion executes.
    pub middle_ms: u64,
    /// 1 for an inversion without inheritance.
    pub plain: u64,
    /// 0 for nested threads that take no mutex.
    pub locks: u64,
    /// How long the run lasts.
    pub duration_ms: u64,
}

impl Words {
    /// What this boot was told; what it was not told has its default. Panics at a kind or a key that there is not, and at a
    /// value that is no number.
    pub fn read() -> Self {
        check();
        Self {
            kind: kind(),
            threads: number(b"threads=").unwrap_or(5) as usize,
            heads: number(b"heads=").unwrap_or(1) as usize,
            seed: number(b"seed=").unwrap_or(1),
            parts: number(b"parts=").unwrap_or(0),
            raw: number(b"raw=").unwrap_or(0),
            tick_us: number(b"tick_us=").unwrap_or(0),
            middle_ms: number(b"middle_ms=").unwrap_or(40),
            plain: number(b"plain=").unwrap_or(0),
            locks: number(b"locks=").unwrap_or(1),
            duration_ms: number(b"duration_ms=").unwrap_or(1_000),
        }
    }
}

fn kind() -> RunKind {
    let is = |word: &[u8]| arch::words().take_while(|byte| *byte != b' ').eq(word.iter().copied());
    match () {
        () if is(b"measure") => RunKind::Measure,
        () if is(b"together") => RunKind::Together,
        () if is(b"pair") => RunKind::Pair,
        () if is(b"ping-pong") => RunKind::PingPong,
        () if is(b"inversion") => RunKind::Inversion,
        () if is(b"nested") => RunKind::Nested,
        () if is(b"stray") => RunKind::Stray,
        () if is(b"insertion") => RunKind::Insertion,
        () if is(b"overflow") => RunKind::Overflow,
        () if is(b"scenario") || is(b"") => RunKind::Scenario,
        () => panic!(
            "the first word is none of scenario, measure, together, pair, ping-pong, inversion, nested, insertion, overflow"
        ),
    }
}

/// What may stand before a number; the numbers of `task=` are checked where they are read.
const KEYS: [&[u8]; 10] =
    [b"threads", b"heads", b"seed", b"parts", b"raw", b"tick_us", b"duration_ms", b"middle_ms", b"plain", b"locks"];
const TASK: &[u8] = b"task";
const LONGEST_KEY: usize = 16;

/// Panics at the first word behind the kind that is none of ours.
fn check() {
    let mut words = arch::words().skip_while(|byte| *byte != b' ').peekable();
    while words.next_if_eq(&b' ').is_some() {
        if words.peek().is_some_and(|byte| *byte != b' ') {
            check_word(&mut words);
        }
    }
}

fn check_word(words: &mut core::iter::Peekable<impl Iterator<Item = u8>>) {
    let (mut letters, mut length) = ([0; LONGEST_KEY], 0);
    while let Some(byte) = words.next_if(|byte| *byte != b'=' && *byte != b' ') {
        letters[length % LONGEST_KEY] = byte;
        length += 1;
    }
    let key = letters.get(..length).unwrap_or(&letters);
    let name = core::str::from_utf8(key).unwrap_or("?");
    let has_value = words.next_if_eq(&b'=').is_some();
    if has_value && key == TASK {
        while words.next_if(|byte| *byte != b' ').is_some() {}
        return;
    }
    assert!(has_value && KEYS.contains(&key), "'{name}' is none of this kernel's words");
    assert!(digits(words).is_some(), "the value of '{name}' is no number of 64 bits");
    assert!(words.peek().is_none_or(|byte| *byte == b' '), "the value of '{name}' is no whole number");
}

/// The number behind `key`, wherever that stands.
fn number(key: &[u8]) -> Option<u64> {
    let mut words = arch::words();
    find(&mut words, key).then(|| digits(&mut words.peekable())).flatten()
}

/// Reads on until behind `key`; false where it does not come.
fn find(words: &mut impl Iterator<Item = u8>, key: &[u8]) -> bool {
    let mut matched = 0;
    while matched < key.len() {
        let Some(byte) = words.next() else { return false };
        matched = if byte == key[matched] { matched + 1 } else { usize::from(byte == key[0]) };
    }
    true
}

fn digits(words: &mut core::iter::Peekable<impl Iterator<Item = u8>>) -> Option<u64> {
    let mut number = None;
    while let Some(digit) = words.next_if(u8::is_ascii_digit) {
        let value = number.unwrap_or(0u64).checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
        number = Some(value);
    }
    number
}

/// The numbers of every `task=`, in order. Panics where one has fewer or more.
pub fn tasks() -> impl Iterator<Item = [u64; NUMBERS]> {
    let mut words = arch::words();
    core::iter::from_fn(move || find(&mut words, b"task=").then(|| task(&mut words)))
}

fn task(words: &mut impl Iterator<Item = u8>) -> [u64; NUMBERS] {
    let mut words = words.by_ref().take_while(|byte| *byte != b' ').peekable();
    let mut numbers = [0; NUMBERS];
    for (index, place) in numbers.iter_mut().enumerate() {
        assert!(index == 0 || words.next() == Some(b','), "a task has {NUMBERS} numbers with commas between");
        *place = digits(&mut words).expect("a task's numbers are whole microseconds");
    }
    assert!(words.next().is_none(), "a task has {NUMBERS} numbers and no more");
    numbers
}
