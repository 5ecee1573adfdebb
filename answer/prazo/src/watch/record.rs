//! The run file of a watch: each thread's activations as series, written once a second, closed with what the answer says.
//!
//! A thread has three series (response time, response latency, execution time) once its period is known; before, its samples wait.
//! The final counts are those of the answer: a period that is found late changes how many activations were skipped or missed.

use super::kept::Kept;
use super::request::WatchRequest;
use crate::error::Error;
use crate::files::{default_run_file, name_of};
use crate::output::make_parent;
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_platform::fingerprint::capture;
use prazo_platform::root::Root;
use prazo_probe::programs::{Follower, NewSamples, Part, Rule, SeenSection, SeenThread, SeenWait, ThreadPart};
use prazo_probe::session::PlatformBefore;
use prazo_run::plan::{Length, Policy};
use prazo_run::run::{Activations, Ending, Origin, Quantity};
use prazo_run::source::{Source, WatchSource};
use prazo_run::store::{
    ClosedThread, Closing, Opening, Sample, SeriesOpening, SeriesSecond, StoreError, ThreadOpening, WatchedClosing,
    Writer,
};
use prazo_run::watched::SeriesThread;
use prazo_run::{Caveat, Plan, Series, Severity};
use prazo_study::engine::is_elsewhere;
use prazo_sys::clock;
use prazo_sys::scheduling::{SCHED_DEADLINE, SCHED_FIFO, SCHED_RR, attributes_of};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A watch without an end is divided into blocks as if it took this long: 22 s each.
const LENGTH_WITHOUT_END: Duration = Duration::from_s(6 * 3_600);
/// Values above this are counted and listed, but not in the histogram.
const HISTOGRAM_BOUND: Duration = Duration::from_s(1_000);
/// Seconds of all series that a run file takes; a reader refuses more than sixteen million.
const SECONDS_MAX: u64 = 15_000_000;
/// A run has at most 8,192 series, and a thread three of them.
const THREADS_MAX: usize = 2_730;
/// For so long a run file is written, 16 days; a reader refuses more blocks than a watch without an end then has.
const WRITTEN_S: u64 = 16 * 86_400;

/// A run file that is being written.
pub(super) struct Recorder {
    writer: Writer,
    file: PathBuf,
    root: Root,
    before: PlatformBefore,
    plan: Plan,
    start_ns: u64,
    threads: BTreeMap<ThreadPart, Recorded>,
    /// Rows of the timeline so far.
    seconds: u64,
    /// Threads that the file could not take.
    refused: u64,
    /// The last seconds, where only those are to be in the file.
    kept: Option<Kept>,
}

/// One thread's series in the file.
struct Recorded {
    series: Vec<(Quantity, usize)>,
    deadline_ns: Option<u64>,
    /// `None` where the thread had ended already.
    policy: Option<Policy>,
}

impl Recorder {
    /// Makes the file, before anybody is followed.
    pub(super) fn open(request: &WatchRequest, root: &Root) -> Result<Self, Error> {
        let file = request.file.clone().unwrap_or_else(default_file);
        make_parent(&file)?;
        let before = PlatformBefore::capture(root);
        let plan = plan(request);
        let opening = Opening {
            name: name_of(&file),
            origin: Origin::Measured,
            plan: plan.clone(),
            command: request.command.clone(),
            started_at_unix_ns: clock::unix_ns(),
            platform_before: Some(before.fingerprint.clone()),
            tunables: Vec::new(),
            caveats: before.caveats.clone(),
            series: Vec::new(),
            split_by: None,
        };
        let writer = Writer::create(&file, &opening).map_err(unwritable)?;
        Ok(Self {
            writer,
            file,
            root: root.clone(),
            before,
            plan,
            start_ns: 0,
            threads: BTreeMap::new(),
            seconds: 0,
            refused: 0,
            kept: request.keep.map(|length| Kept::new((length.as_ns() / 1_000_000_000).min(WRITTEN_S) as u32)),
        })
    }

    /// Writes what is new; called once a second.
    pub(super) fn second(&mut self, follower: &mut Follower) {
        self.start_ns = follower.from_ns();
        self.add_new(follower);
        if self.is_full(follower) {
            return;
        }
        let threads = &self.threads;
        let taken = follower.take_samples(|own| threads.contains_key(&own));
        let batch: Vec<SeriesSecond> = taken.iter().flat_map(|(own, new)| self.batch(*own, new)).collect();
        if let Some(kept) = &mut self.kept {
            kept.add(batch);
            return;
        }
        self.append(&batch);
    }

    /// A miss was noticed: it and what was before it stay in the file.
    pub(super) fn pin(&mut self) {
        if let Some(kept) = &mut self.kept {
            kept.pin();
        }
    }

    fn append(&mut self, batch: &[SeriesSecond]) {
        self.seconds += batch.len() as u64;
        if !batch.is_empty() {
            // What waits is tried again with the next second; the store counts and reports what it must give up.
            let _ = self.writer.append(batch);
        }
    }

    fn is_full(&self, follower: &Follower) -> bool {
        // A watch of which only the end is kept may take any time: the file has no more of it than that.
        self.seconds > SECONDS_MAX || self.kept.is_none() && follower.watched_ns() > WRITTEN_S * 1_000_000_000
    }

    fn add_new(&mut self, follower: &Follower) {
        let new: Vec<ThreadPart> = follower.parts().filter(|own| !self.threads.contains_key(own)).collect();
        let seen: Vec<(ThreadPart, SeenThread)> =
            new.into_iter().filter_map(|own| Some((own, follower.seen_of(own.serial)?))).collect();
        // Its period stays the series', so that it is waited for.
        let is_ready = |(own, seen): &(ThreadPart, SeenThread)| {
            let is_section = matches!(own.part, Part::Section(_));
            let is_known = |wait: &SeenWait| is_section || wait.rule == Rule::Relative || wait.period_ns.is_some();
            of_part(seen, own.part).is_some_and(|wait| seen.is_over || is_known(wait))
        };
        let ready = seen.into_iter().filter(is_ready);
        let (ready, beyond): (Vec<_>, Vec<_>) = ready.enumerate().partition(|(place, _)| *place < self.room());
        self.refused = beyond.len() as u64;
        let ready: Vec<(ThreadPart, SeenThread)> = ready.into_iter().map(|(_, one)| one).collect();
        let openings: Vec<ThreadOpening> = ready.iter().filter_map(|(own, seen)| opening(own.part, seen)).collect();
        if openings.is_empty() {
            return;
        }
        // A file that cannot be written now is tried again in a second; one that is full of series never takes more.
        match self.writer.add_threads(&openings) {
            Ok(places) => {
                for (((own, seen), places), opening) in ready.iter().zip(places).zip(&openings) {
                    let quantities = opening.series.iter().map(|series| series.quantity);
                    let deadline_ns = of_part(seen, own.part).and_then(|wait| wait.deadline_ns);
                    let policy = policy_of(seen.thread_id).filter(|_| !seen.is_over);
                    let series = quantities.zip(places).collect();
                    self.threads.insert(*own, Recorded { series, deadline_ns, policy });
                }
            }
            Err(_) => self.refused += openings.len() as u64,
        }
    }

    /// How many more threads the file takes.
    fn room(&self) -> usize {
        THREADS_MAX - self.threads.len()
    }

    fn batch(&self, own: ThreadPart, new: &NewSamples) -> Vec<SeriesSecond> {
        let recorded = &self.threads[&own];
        let mut seconds: BTreeMap<(usize, u32), SeriesSecond> = BTreeMap::new();
        for (quantity, series) in &recorded.series {
            let samples = match quantity {
                Quantity::ResponseTime | Quantity::SectionTime => &new.response,
                Quantity::ResponseLatency => &new.latency,
                _ => &new.execution,
            };
            for sample in samples {
                let (at_s, sample) = self.since_start(*sample);
                let second = entry(&mut seconds, *series, at_s);
                let is_judged = *quantity == Quantity::ResponseTime;
                let deadline_ns = recorded.deadline_ns.filter(|_| is_judged);
                second.missed += u64::from(deadline_ns.is_some_and(|limit| sample.latency_ns.cast_unsigned() > limit));
                second.samples.push(sample);
            }
            let has_grid = matches!(quantity, Quantity::ResponseTime | Quantity::ResponseLatency);
            for (due_ns, skipped) in new.skipped.iter().filter(|_| has_grid) {
                let (at_s, _) = self.since_start(Sample { activation: 0, due_ns: *due_ns, latency_ns: 0 });
                entry(&mut seconds, *series, at_s).skipped += skipped;
            }
        }
        seconds.into_values().collect()
    }

    /// A sample with its instant counted from the start of the watch, and its second.
    fn since_start(&self, sample: Sample) -> (u32, Sample) {
        let due_ns = sample.due_ns - self.start_ns.cast_signed();
        let at_s = u32::try_from(due_ns.max(0) / 1_000_000_000).unwrap_or(u32::MAX);
        (at_s, Sample { due_ns, ..sample })
    }

    /// Leaves no file: nothing was watched.
    pub(super) fn abandon(&self) {
        remove(&self.file);
    }

    /// Closes the file with the counts of the answer; `None` where no thread was seen waiting again and again.
    pub(super) fn close(
        mut self,
        follower: &mut Follower,
        ending: Ending,
        seen: &[SeenThread],
        mut caveats: Vec<Caveat>,
    ) -> Result<Option<PathBuf>, Error> {
        self.second(follower);
        if self.threads.is_empty() {
            drop(self.writer);
            remove(&self.file);
            return Ok(None);
        }
        let after = capture(&self.root);
        caveats.extend(self.before.drift(&after, &caveats));
        caveats.extend(self.not_written(follower));
        caveats.extend(self.only_kept(follower));
        let watched = self.closing_of(seen);
        let seconds = self.kept.as_mut().map(Kept::take).unwrap_or_default();
        seconds.iter().for_each(|batch| self.append(batch));
        let closing = Closing {
            ending,
            elapsed: Some(Duration::from_ns(follower.watched_ns())),
            platform_after: Some(after),
            caveats,
            watched: Some(watched),
            ..Closing::default()
        };
        let path = self.writer.finish(&closing).map_err(unwritable)?.path;
        Ok(Some(if is_elsewhere(&path, &self.file) { path } else { self.file }))
    }

    fn closing_of(&self, seen: &[SeenThread]) -> WatchedClosing {
        let mut deadlines = seen.iter().filter_map(|seen| seen.wait.as_ref()?.deadline_ns);
        let first = deadlines.next();
        let common = first.filter(|first| deadlines.all(|other| other == *first));
        let plan = Plan {
            policy: seen.iter().filter_map(|seen| self.policy(seen)).min_by_key(urgency).unwrap_or(Policy::Other),
            deadline: common.map(Duration::from_ns),
            ..self.plan.clone()
        };
        let closed = seen.iter().flat_map(|seen| parts(seen).filter_map(|part| self.closed(part, seen)));
        WatchedClosing { plan: Some(plan), threads: closed.collect() }
    }

    fn closed(&self, part: Part, seen: &SeenThread) -> Option<ClosedThread> {
        let wait = of_part(seen, part)?;
        let recorded = self.threads.get(&ThreadPart { serial: seen.serial, part })?;
        let of_kept = |kept: &Kept, place, quantity| kept.counts(place, quantity, wait.deadline_ns.is_some());
        let of = |(quantity, place): &(Quantity, usize)| {
            let kept = self.kept.as_ref().map(|kept| of_kept(kept, *place, *quantity));
            (*place, kept.unwrap_or_else(|| counts(wait, *quantity)))
        };
        let series = recorded.series.iter().map(of).collect();
        Some(ClosedThread { thread: thread(part, seen, wait), period: period(part, wait), series })
    }

    /// The policy of a thread with series; by its priority, if it ended before anybody asked.
    fn policy(&self, seen: &SeenThread) -> Option<Policy> {
        let part =
            parts(seen).find(|part| self.threads.contains_key(&ThreadPart { serial: seen.serial, part: *part }))?;
        let recorded = self.threads.get(&ThreadPart { serial: seen.serial, part })?;
        let real_time = |priority: i16| u8::try_from(99 - priority).ok().filter(|priority| (1..=99).contains(priority));
        let by_priority = || seen.priority.and_then(real_time).map(|priority| Policy::Fifo { priority });
        Some(recorded.policy.or_else(by_priority).unwrap_or(Policy::Other))
    }

    fn only_kept(&self, follower: &Follower) -> Option<Caveat> {
        let complete_s = self.kept.as_ref()?.complete_s();
        let all_s = follower.watched_ns() / 1_000_000_000;
        (u64::from(complete_s) < all_s).then(|| {
            let what = format!(
                "this file holds only the last {} of {}; earlier activations are counted only in the watch's answer",
                counted(complete_s.into(), "second"),
                counted(all_s, "second")
            );
            Caveat::new("watch-kept", Severity::Info, what, "watch without --keep to record all activations")
        })
    }

    fn not_written(&self, follower: &Follower) -> Option<Caveat> {
        let what = match (self.is_full(follower), self.refused) {
            (true, _) => "the run file was full: later activations are counted, but have no samples".to_owned(),
            (false, refused @ 1..) => format!("{} did not fit into the run file", counted(refused, "thread")),
            _ => return None,
        };
        let remedy = "watch fewer threads, or for a shorter time";
        Some(Caveat::new("watch-not-recorded", Severity::High, what, remedy))
    }
}

/// The series of a live watch, for those who look at it as at a run; their histograms keep 16 significant bits.
pub(super) fn series(seen: &[SeenThread]) -> Vec<Series> {
    let of = |seen: &SeenThread| {
        let series = |part, wait: &SeenWait, quantity| Series {
            thread: Some(thread(part, seen, wait)),
            quantity,
            period: period(part, wait),
            resolution: Duration::from_ns(1),
            activations: counts(wait, quantity),
            histogram: match quantity {
                Quantity::ResponseTime | Quantity::SectionTime => wait.response.clone(),
                Quantity::ResponseLatency => wait.latency.clone(),
                _ => wait.own.clone(),
            },
            ..Series::default()
        };
        let of_part = |part| {
            let wait = of_part(seen, part)?;
            Some(quantities(part, wait).iter().map(move |quantity| series(part, wait, *quantity)))
        };
        parts(seen).filter_map(of_part).flatten().collect::<Vec<_>>()
    };
    seen.iter().flat_map(of).collect()
}

/// What threatens what was seen: whatever could not be seen may have been late.
pub(super) fn caveats(follower: &Follower, seen: &[SeenThread]) -> Vec<Caveat> {
    let all = seen.iter().flat_map(|seen| parts(seen).filter_map(|part| of_part(seen, part)));
    let (unseen, under_way) =
        all.fold((0, 0), |(unseen, under_way), wait| (unseen + wait.unseen, under_way + wait.under_way_at_start));
    let (unfollowed, steps) = (follower.unfollowed(), follower.clock_steps());
    let unseen = (unseen > 0).then(|| {
        Caveat::new(
            "unseen",
            Severity::High,
            format!("{} could not be seen and may have missed a deadline", counted(unseen, "activation")),
            "watch longer, with fewer threads, or start the program with `prazo watch --`",
        )
    });
    let under_way = (under_way > 0).then(|| {
        Caveat::new(
            "under-way-at-start",
            Severity::Info,
            format!("not judged: {} under way when the watch began", counted(under_way, "activation")),
            "start the program with `prazo watch --` to see its first activation too",
        )
    });
    let unfollowed = (unfollowed > 0).then(|| {
        Caveat::new(
            "not-followed",
            Severity::High,
            format!("{} could not be followed and may have missed a deadline", counted(unfollowed, "thread")),
            "watch fewer threads",
        )
    });
    let steps = (steps > 0).then(|| {
        Caveat::new(
            "clock-set",
            Severity::High,
            format!(
                "a clock was set {}, and latencies on that clock are wrong by the size of the step",
                counted(steps, "time")
            ),
            "watch again while no clock is set",
        )
    });
    let mut caveats: Vec<Caveat> = [unseen, under_way, unfollowed, steps].into_iter().flatten().collect();
    caveats.extend(follower.not_traced().into_iter().map(|one| {
        let what = format!("{} cannot be traced ({}); {}", one.what, one.why, one.consequence);
        Caveat::new("not-traced", Severity::Info, what, "use a kernel and privileges that allow tracing")
    }));
    caveats
}

/// What a thread does again and again.
fn parts(seen: &SeenThread) -> impl Iterator<Item = Part> {
    let own = seen.wait.as_ref().map(|wait| Part::Wait(wait.number));
    own.into_iter().chain(seen.sections.iter().map(|section| Part::Section(section.number)))
}

/// What was seen of it.
fn of_part(seen: &SeenThread, part: Part) -> Option<&SeenWait> {
    match part {
        Part::Wait(number) => seen.wait.as_ref().filter(|wait| wait.number == number),
        Part::Section(number) => {
            let of = |section: &&SeenSection| section.number == number;
            seen.sections.iter().find(of).map(|section| &section.passes)
        }
    }
}

fn opening(part: Part, seen: &SeenThread) -> Option<ThreadOpening> {
    let wait = of_part(seen, part)?;
    let series = |quantity: &Quantity| SeriesOpening {
        cpu: None,
        quantity: *quantity,
        period: period(part, wait),
        resolution: Duration::from_ns(1),
        part_of: None,
    };
    let thread = thread(part, seen, wait);
    Some(ThreadOpening { thread, series: quantities(part, wait).iter().map(series).collect() })
}

/// Nothing says when a section has to begin.
fn period(part: Part, wait: &SeenWait) -> Option<Duration> {
    wait.period_ns.filter(|_| matches!(part, Part::Wait(_))).map(Duration::from_ns)
}

/// A thread without due instants is never late.
fn quantities(part: Part, wait: &SeenWait) -> &'static [Quantity] {
    match (part, wait.rule) {
        (Part::Section(_), _) => &[Quantity::SectionTime, Quantity::ExecutionTime],
        (_, Rule::Relative) => &[Quantity::ExecutionTime],
        (_, Rule::Absolute | Rule::Timer | Rule::Event) => {
            &[Quantity::ResponseTime, Quantity::ResponseLatency, Quantity::ExecutionTime]
        }
    }
}

fn thread(part: Part, seen: &SeenThread, wait: &SeenWait) -> SeriesThread {
    SeriesThread {
        thread_id: seen.thread_id,
        process_id: seen.process_id,
        name: seen.name.clone(),
        section: matches!(part, Part::Section(_)).then(|| wait.call.clone()),
        wait: wait.call.clone(),
        rule: wait.rule.name().into(),
        clock: wait.clock.name().into(),
        deadline_ns: wait.deadline_ns,
        unseen: wait.unseen,
    }
}

/// The counts of the answer for one quantity; what has no sample is counted as lost.
fn counts(wait: &SeenWait, quantity: Quantity) -> Activations {
    let due = |served: u64, outstanding: u64, samples: u64, missed| Activations {
        due: Some(served + wait.skipped + outstanding),
        served,
        skipped: Some(wait.skipped),
        missed,
        outstanding,
        lost: served.saturating_sub(samples),
    };
    match quantity {
        Quantity::ResponseTime => {
            let outstanding = u64::from(wait.is_open && wait.response.total() < wait.served);
            due(wait.served - outstanding, outstanding, wait.response.total(), wait.missed)
        }
        Quantity::ResponseLatency => due(wait.served, 0, wait.latency.total(), None),
        Quantity::SectionTime => Activations { served: wait.response.total(), ..Activations::default() },
        _ => Activations { served: wait.own.total(), ..Activations::default() },
    }
}

fn entry(seconds: &mut BTreeMap<(usize, u32), SeriesSecond>, series: usize, at_s: u32) -> &mut SeriesSecond {
    seconds.entry((series, at_s)).or_insert_with(|| SeriesSecond { series, at_s, ..SeriesSecond::default() })
}

fn plan(request: &WatchRequest) -> Plan {
    let source = Source::Watch(WatchSource { target: request.target.to_string() });
    let length = Length::Duration { length: request.duration.unwrap_or(LENGTH_WITHOUT_END) };
    Plan {
        deadline: request.deadline.or(request.period),
        histogram_bound: HISTOGRAM_BOUND,
        hold_dma_latency: false,
        // Until it is known: a run that dies is not taken for one of real-time threads.
        ..Plan::new(source, Policy::Other, Vec::new(), length)
    }
}

/// The policy of a thread; `None` where it has ended.
fn policy_of(thread: u32) -> Option<Policy> {
    let attributes = attributes_of(thread).ok()?;
    let priority = u8::try_from(attributes.priority).unwrap_or(u8::MAX);
    Some(match attributes.policy {
        SCHED_FIFO => Policy::Fifo { priority },
        SCHED_RR => Policy::Rr { priority },
        SCHED_DEADLINE => Policy::Deadline { runtime: Duration::from_ns(attributes.runtime_ns) },
        _ => Policy::Other,
    })
}

fn urgency(policy: &Policy) -> u8 {
    match policy {
        Policy::Other => 0,
        Policy::Fifo { priority } | Policy::Rr { priority } => *priority,
        Policy::Deadline { .. } => u8::MAX,
    }
}

/// A new name in the folder of results, also where two watches begin in one second.
fn default_file() -> PathBuf {
    let file = default_run_file("watch");
    if file.exists() { default_run_file(&format!("watch-{}", std::process::id())) } else { file }
}

fn unwritable(error: StoreError) -> Error {
    match error {
        StoreError::Exists { .. } => Error::refused(error).with_remedy("name another file with -o"),
        _ => Error::failed(error),
    }
}

/// Removes a file without series and what is beside it; what is gone already need not be removed.
fn remove(file: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut name = file.as_os_str().to_owned();
        name.push(suffix);
        let _ = std::fs::remove_file(name);
    }
}
