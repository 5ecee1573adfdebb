//! The run file of a watch: each thread's activations as series, written once a second, closed with what the answer says.
//!
//! A thread has three series (response time, response latency, execution time) once its period is known, and one for each part
//! of its latency; before, its samples wait.
//! The final counts are those of the answer: a period that is found late changes how many activations were skipped or missed.

use super::document::{KeptAround, figures};
use super::kept::Kept;
use super::request::WatchRequest;
use crate::error::Error;
use crate::files::{default_run_file, name_of};
use crate::output::make_parent;
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_platform::fingerprint::capture;
use prazo_platform::root::Root;
use prazo_probe::activations::{
    Follower, LatencyParts, NewSamples, Part, Rule, SeenSection, SeenThread, SeenWait, ThreadPart,
};
use prazo_probe::session::PlatformBefore;
use prazo_run::plan::{Length, Policy};
use prazo_run::run::{Activations, Ending, Origin, Quantity};
use prazo_run::source::{Source, WatchSource};
use prazo_run::split::{SplitCounts, Unsplit};
use prazo_run::store::{
    ACCOUNT_BYTES_MAX, ClosedSplit, ClosedThread, Closing, Opening, RingBounds, RingCounts, Sample, SeriesOpening,
    SeriesSecond, StoreError, ThreadOpening, WatchedClosing, Writer, only_the_end,
};
use prazo_run::watched::{SeriesThread, WatchedAccount, WatchedFigures};
use prazo_run::{Caveat, Plan, Series, Severity};
use prazo_study::cell_measurer::is_elsewhere;
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
/// Bytes of a file that has only the end of a watch, while it is written.
const KEPT_BYTES: u64 = 500_000_000;
/// A run has at most 8,192 series, and a thread three of them.
const SERIES_MAX: usize = 8_192;
const THREAD_SERIES: usize = 3;
/// The first threads have series for the parts of their latencies as well, up to so many series in all.
const SERIES_WITH_PARTS: usize = 4_500;
/// The worst activations that a file has of all threads together; each has the worst one at least.
const WORST_MAX: usize = 20_000;
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
    /// Their series so far.
    series: usize,
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
    /// Those of the parts of its latency.
    parts: Vec<(Quantity, usize)>,
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
        let mut writer = Writer::create(&file, &opening).map_err(unwritable)?;
        let kept = request.keep.map(|length| Kept::new((length.as_ns() / 1_000_000_000).min(WRITTEN_S) as u32));
        if kept.is_some() {
            writer.keep_only_the_end(RingBounds { bytes: KEPT_BYTES, rows: SECONDS_MAX });
        }
        Ok(Self {
            writer,
            file,
            root: root.clone(),
            before,
            plan,
            start_ns: 0,
            threads: BTreeMap::new(),
            series: 0,
            seconds: 0,
            refused: 0,
            kept,
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
            self.writer.begin_at(kept.first_s(&batch));
        } else {
            self.seconds += batch.len() as u64;
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
        let mut series = self.series;
        let mut opening = |(own, seen): &(ThreadPart, SeenThread)| {
            let opening = opening(own.part, seen, series < SERIES_WITH_PARTS)?;
            series += opening.series.len();
            Some(opening)
        };
        let openings: Vec<ThreadOpening> = ready.iter().filter_map(&mut opening).collect();
        if openings.is_empty() {
            return;
        }
        // A file that cannot be written now is tried again in a second; one that is full of series never takes more.
        match self.writer.add_threads(&openings) {
            Ok(places) => {
                for (((own, seen), places), opening) in ready.iter().zip(places).zip(&openings) {
                    let all =
                        opening.series.iter().zip(places).map(|(one, place)| (one.part_of, (one.quantity, place)));
                    let (wholes, parts): (Vec<_>, Vec<_>) = all.partition(|(part_of, _)| part_of.is_none());
                    let of =
                        |all: Vec<(Option<usize>, (Quantity, usize))>| all.into_iter().map(|(_, one)| one).collect();
                    self.series += opening.series.len();
                    let deadline_ns = of_part(seen, own.part).and_then(|wait| wait.deadline_ns);
                    let policy = policy_of(seen.thread_id).filter(|_| !seen.is_over);
                    let (series, parts) = (of(wholes), of(parts));
                    self.threads.insert(*own, Recorded { series, parts, deadline_ns, policy });
                }
            }
            Err(_) => self.refused += openings.len() as u64,
        }
    }

    /// How many more threads the file takes.
    fn room(&self) -> usize {
        let room = SERIES_MAX.saturating_sub(self.series) / THREAD_SERIES;
        // The first of them may have parts.
        if self.series < SERIES_WITH_PARTS {
            room.min((SERIES_MAX - SERIES_WITH_PARTS) / THREAD_SERIES / 2)
        } else {
            room
        }
    }

    fn batch(&self, own: ThreadPart, new: &NewSamples) -> Vec<SeriesSecond> {
        let recorded = &self.threads[&own];
        let mut seconds: BTreeMap<(usize, u32), SeriesSecond> = BTreeMap::new();
        for (quantity, series) in &recorded.series {
            let (samples, lost) = match quantity {
                Quantity::ResponseTime | Quantity::SectionTime => (&new.response, &new.lost.response),
                Quantity::ResponseLatency => (&new.latency, &new.lost.latency),
                _ => (&new.execution, &new.lost.execution),
            };
            for (at_s, count) in lost.iter() {
                entry(&mut seconds, *series, at_s).lost += count;
            }
            for sample in samples {
                let (at_s, sample) = self.since_start(*sample);
                let second = entry(&mut seconds, *series, at_s);
                let is_judged = *quantity == Quantity::ResponseTime;
                let deadline_ns = recorded.deadline_ns.filter(|_| is_judged);
                second.missed += u64::from(deadline_ns.is_some_and(|limit| sample.latency_ns.cast_unsigned() > limit));
                second.samples.push(sample);
            }
            let has_grid = matches!(quantity, Quantity::ResponseTime | Quantity::ResponseLatency);
            for (at_s, skipped) in new.skipped.iter().filter(|_| has_grid) {
                entry(&mut seconds, *series, at_s).skipped += skipped;
            }
        }
        for (quantity, series) in &recorded.parts {
            for (_, sample) in new.parts.iter().filter(|(part, _)| part == quantity) {
                let (at_s, sample) = self.since_start(*sample);
                entry(&mut seconds, *series, at_s).samples.push(sample);
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
        let stored = match (self.writer.stored_counts(), self.kept) {
            (Ok(stored), _) => Some(stored),
            (Err(error), Some(_)) => return Err(unwritable(error)),
            // The whole run may still be written elsewhere.
            (Err(_), None) => None,
        };
        let (watched, left_out) = self.closing_of(seen, stored.as_ref());
        caveats.extend(left_out.caveat());
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

    fn closing_of(&self, seen: &[SeenThread], stored: Option<&StoredCounts>) -> (WatchedClosing, LeftOut) {
        let mut deadlines = seen.iter().filter_map(|seen| seen.wait.as_ref()?.deadline_ns);
        let first = deadlines.next();
        let common = first.filter(|first| deadlines.all(|other| other == *first));
        let plan = Plan {
            policy: seen.iter().filter_map(|seen| self.policy(seen)).min_by_key(urgency).unwrap_or(Policy::Other),
            deadline: common.map(Duration::from_ns),
            ..self.plan.clone()
        };
        let worst_max = (WORST_MAX / self.threads.len().max(1)).max(1);
        let closed =
            seen.iter().flat_map(|seen| parts(seen).filter_map(|part| self.closed(part, seen, stored, worst_max)));
        let mut threads: Vec<ClosedThread> = closed.collect();
        let mut left_out = LeftOut::default();
        threads.iter_mut().for_each(|one| left_out.fit(&mut one.account.figures, ACCOUNT_BYTES_MAX));
        (WatchedClosing { plan: Some(plan), threads }, left_out)
    }

    fn closed(
        &self,
        part: Part,
        seen: &SeenThread,
        stored: Option<&StoredCounts>,
        worst_max: usize,
    ) -> Option<ClosedThread> {
        let wait = of_part(seen, part)?;
        let recorded = self.threads.get(&ThreadPart { serial: seen.serial, part })?;
        let kept = stored.filter(|_| self.kept.is_some());
        let of = |(quantity, place): &(Quantity, usize)| {
            let stored = stored.map(|stored| stored.get(place).copied().unwrap_or_default());
            let activations = match stored {
                Some(stored) if kept.is_some() => activations_kept(stored, *quantity, wait.deadline_ns.is_some()),
                Some(stored) => without_a_sample(counts(wait, *quantity), stored),
                None => counts(wait, *quantity),
            };
            (*place, activations)
        };
        let series: Vec<(usize, Activations)> = recorded.series.iter().map(of).collect();
        let account = account(part, seen, wait, Some(KeptAround::in_file(self.start_ns)), worst_max);
        let split = split_of(recorded, wait, &series, kept);
        Some(ClosedThread { account, period: period(part, wait), series, split })
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
        let crowded_out_s = self.writer.crowded_out_s();
        let kept = self.kept?;
        let (complete_s, length_s) = (kept.complete_s(crowded_out_s), kept.complete_s(None));
        let all_s = follower.watched_ns() / 1_000_000_000;
        let crowded_out = (complete_s < length_s).then_some(KEPT_BYTES);
        (u64::from(complete_s) < all_s).then(|| only_the_end(complete_s.into(), all_s, crowded_out))
    }

    fn not_written(&self, follower: &Follower) -> Option<Caveat> {
        let what = match (self.is_full(follower), self.refused) {
            (true, _) => "the run file was full: later activations are counted, but have no samples".to_owned(),
            (false, refused @ 1..) => format!(
                "{} are missing from the run file, which was full or could not be written",
                counted(refused, "thread")
            ),
            _ => return None,
        };
        let remedy = "watch fewer threads, or for a shorter time";
        Some(Caveat::new("watch-not-recorded", Severity::High, what, remedy))
    }
}

/// What the file has of each series.
type StoredCounts = BTreeMap<usize, RingCounts>;

/// The counts of the answer; what the file has no sample of is lost, for whichever reason.
fn without_a_sample(counts: Activations, stored: RingCounts) -> Activations {
    Activations { lost: counts.served.saturating_sub(stored.served.saturating_sub(stored.lost)), ..counts }
}

/// The counts of one series of which only the end is in the file.
fn activations_kept(counts: RingCounts, quantity: Quantity, has_deadline: bool) -> Activations {
    let RingCounts { served, skipped, missed, lost } = counts;
    match quantity {
        Quantity::ResponseTime | Quantity::ResponseLatency => Activations {
            due: Some(served + skipped),
            served,
            skipped: Some(skipped),
            missed: (quantity == Quantity::ResponseTime && has_deadline).then_some(missed),
            lost,
            ..Activations::default()
        },
        _ => Activations { served, lost, ..Activations::default() },
    }
}

/// The counts of the parts; where the file has only the end of the watch, those of that.
fn split_of(
    recorded: &Recorded,
    wait: &SeenWait,
    series: &[(usize, Activations)],
    kept: Option<&StoredCounts>,
) -> Option<ClosedSplit> {
    let (_, whole) = recorded.series.iter().find(|(quantity, _)| *quantity == Quantity::ResponseLatency)?;
    let (_, of_whole) = series.iter().find(|(place, _)| place == whole)?;
    let parts: Vec<usize> = recorded.parts.iter().map(|(_, place)| *place).collect();
    let (first, counts) = (parts.first()?, wait.parts.counts.clone());
    let counts = match kept {
        Some(kept) => {
            let split = kept.get(first).map_or(0, |of| of.served);
            let rest = of_whole.served.saturating_sub(split);
            let unsplit = (rest > 0).then_some((Unsplit::NotCounted, rest)).into_iter().collect();
            SplitCounts { split, never_slept: 0, unsplit, ..counts }
        }
        None => counts,
    };
    Some(ClosedSplit { whole: *whole, parts, counts })
}

/// What the accounts of a file lack, because a reader takes none that is longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LeftOut {
    /// Worst activations without what happened around them.
    around: u64,
    /// Worst activations.
    worst: u64,
}

impl LeftOut {
    /// Leaves out of an account what happened around the worst activations, and then activations, the least bad first, until it is
    /// no longer than that.
    fn fit(&mut self, figures: &mut WatchedFigures, bytes_max: usize) {
        const NULL: usize = 4;
        let mut bytes = bytes_of(figures);
        for one in figures.worst.iter_mut().rev() {
            if bytes <= bytes_max {
                break;
            }
            if let Some(around) = one.around.take() {
                bytes = (bytes + NULL).saturating_sub(bytes_of(&around));
                self.around += 1;
            }
        }
        while bytes > bytes_max
            && let Some(one) = figures.worst.pop()
        {
            bytes = bytes.saturating_sub(bytes_of(&one));
            self.worst += 1;
        }
    }

    fn caveat(self) -> Option<Caveat> {
        (self != Self::default()).then(|| {
            let around = counted(self.around, "worst activation");
            let worst = counted(self.worst, "worst activation");
            let what = format!(
                "the run file has limited space for each thread: it omits the events around {around}, and omits {worst} completely"
            );
            Caveat::new("watch-worst-left-out", Severity::Info, what, "watch with a smaller --worst")
        })
    }
}

/// The length of a value as JSON.
fn bytes_of(value: &impl serde::Serialize) -> usize {
    serde_json::to_string(value).map_or(usize::MAX, |text| text.len())
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
            "watch fewer threads, or start the program with `prazo watch --`",
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
            "watch again while no clock is being set",
        )
    });
    let mut caveats: Vec<Caveat> = [unseen, under_way, unfollowed, steps].into_iter().flatten().collect();
    caveats.extend(follower.not_traced().into_iter().map(|one| {
        let what = format!("{} cannot be traced ({}); {}", one.what, one.why, one.consequence);
        Caveat::new("not-traced", Severity::Info, what, one.remedy)
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

/// What a thread did, and what made it late, with at most so many of its worst activations.
fn account(
    part: Part,
    seen: &SeenThread,
    wait: &SeenWait,
    kept: Option<KeptAround>,
    worst_max: usize,
) -> WatchedAccount {
    let mut figures = figures(wait, kept);
    figures.worst.truncate(worst_max);
    WatchedAccount { thread: thread(part, seen, wait), figures }
}

/// What each thread did until now, and what made it late.
pub(super) fn accounts(seen: &[SeenThread], kept: Option<KeptAround>) -> Vec<WatchedAccount> {
    let of_part = |seen, part| Some(account(part, seen, of_part(seen, part)?, kept, usize::MAX));
    seen.iter().flat_map(|seen| parts(seen).filter_map(|part| of_part(seen, part)).collect::<Vec<_>>()).collect()
}

fn opening(part: Part, seen: &SeenThread, has_parts: bool) -> Option<ThreadOpening> {
    let wait = of_part(seen, part)?;
    let series = |quantity: Quantity, part_of| SeriesOpening {
        cpu: None,
        quantity,
        period: period(part, wait),
        resolution: Duration::from_ns(1),
        part_of,
    };
    let wholes = quantities(part, wait);
    let latency = wholes.iter().position(|quantity| *quantity == Quantity::ResponseLatency).filter(|_| has_parts);
    let parts = latency.map_or_else(Vec::new, |_| LatencyParts::quantities(wait.rule));
    let all = wholes.iter().map(|quantity| series(*quantity, None));
    let all = all.chain(parts.into_iter().map(|quantity| series(quantity, latency)));
    Some(ThreadOpening { thread: thread(part, seen, wait), series: all.collect() })
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

/// The counts of the answer for one quantity; what has no value is counted as lost.
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
        StoreError::Exists { .. } => Error::refused(error),
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

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::watched::{WatchedAround, WatchedWorst};

    #[test]
    fn an_account_that_is_too_long_loses_what_matters_least() {
        let one = |activation| WatchedWorst {
            activation,
            sentence: "a".repeat(100),
            around: Some(WatchedAround::default()),
            ..WatchedWorst::default()
        };
        let full = WatchedFigures { worst: (0..50).map(one).collect(), ..WatchedFigures::default() };
        let fitted = |bytes_max| {
            let (mut figures, mut left_out) = (full.clone(), LeftOut::default());
            left_out.fit(&mut figures, bytes_max);
            assert!(bytes_of(&figures) <= bytes_max);
            let with_around = figures.worst.iter().filter(|one| one.around.is_some()).count();
            (figures.worst.len(), with_around, left_out)
        };
        let all = bytes_of(&full);
        assert_eq!(fitted(all), (50, 50, LeftOut::default()));
        assert_eq!(fitted(all - 1), (50, 49, LeftOut { around: 1, worst: 0 }));
        let (worst, with_around, left_out) = fitted(all / 4);
        assert!(worst > 0 && worst < 50 && with_around == 0, "{worst}");
        assert_eq!(left_out, LeftOut { around: 50, worst: 50 - worst as u64 });
    }
}
