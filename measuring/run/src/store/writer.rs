//! Writes a run while it is measured: one transaction a second, a fold now and then, one file at the end.
//!
//! The caller is the recording thread, below the measured ones. A second that cannot be stored waits in memory and is tried
//! again with the next; the memory that this may take is bounded, and so nothing here grows with the length of the run.

use super::backlog::{self, Backlog};
use super::check;
use super::checkpoint::{Checkpointer, LOG_BYTES_MAX, log_bytes};
use super::error::{Fault, StoreError};
use super::fold::{BYTES_AT_ONCE, Rules, fold};
use super::live::{Claim, identity};
use super::ring::{self, Ring, RingBounds, RingCounts};
use super::{Closing, Opening, SeriesOpening, SeriesSecond, ThreadOpening, connection, rows, split, watched};
use crate::caveat::{Caveat, Severity};
use crate::split::Splitter;
use crate::watched::SeriesThread;
use prazo_core::text::counted;
use prazo_core::time::Duration;
use rusqlite::{Connection, Result, TransactionBehavior};
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Folding begins when this many batches are stored, and goes on, a piece a second, until nothing is left.
const FOLD_EVERY: u32 = 60;
/// A piece is this many packed bytes, some ten thousand samples, or twice what was stored since the last piece. Much more
/// would make the next second wait for it, and a kill would lose that second.
const PIECE_BYTES: usize = 64 << 10;
/// How often finishing tries again, each 100 ms, where the file is locked or the disk is full.
const FINISH_TRIES: u32 = 50;
/// How often it tries to fold the log in while somebody else reads the file.
const ONE_FILE_TRIES: u32 = 10;

/// A run file that is being written.
#[derive(Debug)]
pub struct Writer {
    connection: Connection,
    // Behind the connection, so that the last one to be closed is one that fsyncs.
    checkpointer: Checkpointer,
    claim: Claim,
    path: PathBuf,
    rules: Rules,
    has_deadline: bool,
    backlog: Backlog,
    since_fold: u32,
    /// The last second after which a piece was folded, and what was stored since then.
    folded_after_s: u32,
    bytes_since_piece: usize,
    waited_s_max: u32,
    moved: bool,
    /// Only the end of the run is kept.
    ring: Option<Ring>,
    /// Watched threads with the places of their series.
    threads: Vec<(SeriesThread, Vec<usize>)>,
}

/// What became of one second's batch.
#[derive(Debug)]
#[must_use]
pub enum Recorded {
    /// It is in the file.
    Stored,
    /// It waits in memory and is tried again with the next batch; nothing is lost yet.
    Waiting {
        /// Seconds that wait.
        seconds: u32,
        /// Records given up since the run began, because too much waited.
        given_up: u64,
        /// Why the file cannot take it.
        why: StoreError,
    },
}

/// A run file that was closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Where it is: the asked place, or the folder for temporary files where that place failed.
    pub path: PathBuf,
    /// What the store itself adds to the run's caveats (they are in the file).
    pub caveats: Vec<Caveat>,
}

impl Writer {
    /// Makes the file and stores what is known before the first sample. Refuses to replace a file.
    pub fn create(path: &Path, opening: &Opening) -> std::result::Result<Self, StoreError> {
        let path = connection::absolute(path)?;
        check::opening(opening).map_err(|what| StoreError::contains(&path, &what))?;
        let connection = connection::create(&path, |connection| fill(connection, opening))?;
        connection::log_ahead(&connection).map_err(|source| StoreError::database(&path, "create the file", source))?;
        Ok(Self {
            connection,
            checkpointer: Checkpointer::new(&path),
            claim: claim(&path)?,
            rules: Rules::new(&opening.plan, opening.series.iter().map(|series| series.period)),
            has_deadline: opening.plan.deadline.is_some(),
            backlog: Backlog::new(backlog::BYTES_MAX),
            since_fold: 0,
            folded_after_s: 0,
            bytes_since_piece: 0,
            waited_s_max: 0,
            moved: false,
            ring: None,
            threads: Vec::new(),
            path,
        })
    }

    /// From now on the file has only the end of the run, within these bounds; called before anything is stored. What
    /// is stored stays packed until the file is closed, or recovered after a crash.
    pub fn keep_only_the_end(&mut self, bounds: RingBounds) {
        self.ring = Some(Ring::new(bounds));
    }

    /// Seconds before this one go with the next batch, where only the end is kept.
    pub fn begin_at(&mut self, first_s: u32) {
        self.ring.as_mut().into_iter().for_each(|ring| ring.begin_at(first_s));
    }

    /// The last second that went for want of space, where only the end is kept.
    pub fn crowded_out_s(&self) -> Option<u32> {
        self.ring.as_ref().and_then(Ring::crowded_out_s)
    }

    /// What the file has of each series.
    pub fn stored_counts(&mut self) -> std::result::Result<BTreeMap<usize, RingCounts>, StoreError> {
        patiently(FINISH_TRIES, || {
            self.find_again()?;
            // What still waits is stored with the end of the run, and counts.
            self.store_backlog()
                .and_then(|()| ring::counts(&self.connection))
                .map_err(|source| StoreError::database(&self.path, "count the stored samples", source))
        })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Stores what became due in the last second, for each series; called once a second. After the last batch of a second it
    /// may fold a piece of what is stored, which takes some tens of milliseconds.
    ///
    /// Panics if a batch names a series that the opening did not.
    pub fn append(&mut self, batch: &[SeriesSecond]) -> Recorded {
        for second in batch {
            self.backlog.push(second, self.rules.period_ns(second.series));
        }
        let at_s = batch.iter().map(|second| second.at_s).max().unwrap_or(0);
        match self.store(at_s) {
            Ok(()) => Recorded::Stored,
            Err(why) => {
                self.waited_s_max = self.waited_s_max.max(self.backlog.seconds());
                Recorded::Waiting { seconds: self.backlog.seconds(), given_up: self.backlog.records_given_up(), why }
            }
        }
    }

    /// Adds series of threads that were found while the run is measured; the places of each thread's series. Where the file
    /// cannot take them, nothing is added, and the caller may try again.
    pub fn add_threads(&mut self, openings: &[ThreadOpening]) -> std::result::Result<Vec<Vec<usize>>, StoreError> {
        self.find_again()?;
        let first = self.rules.series();
        let count: usize = openings.iter().map(|opening| opening.series.len()).sum();
        if first + count > check::SERIES_MAX {
            let what = format!("the run would have more than {} series", check::SERIES_MAX);
            return Err(StoreError::Unstorable { path: self.path.clone(), what });
        }
        let places: Vec<Vec<usize>> = openings
            .iter()
            .scan(first, |next, opening| {
                let from = *next;
                *next += opening.series.len();
                Some((from..*next).collect())
            })
            .collect();
        let mut threads = self.threads.clone();
        threads.extend(openings.iter().zip(&places).map(|(opening, places)| (opening.thread.clone(), places.clone())));
        let all = || openings.iter().flat_map(|opening| &opening.series);
        self.checkpointer
            .write(&mut self.connection, |connection| {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                for (opening, places) in openings.iter().zip(&places) {
                    add_series(&transaction, opening, places)?;
                }
                watched::write(&transaction, threads.iter().map(|(thread, places)| (thread, places.as_slice())))?;
                transaction.commit()
            })
            .map_err(|source| StoreError::database(&self.path, "add a watched thread to the file", source))?;
        all().for_each(|series| self.rules.add(series.period));
        self.threads = threads;
        Ok(places)
    }

    fn store(&mut self, at_s: u32) -> std::result::Result<(), StoreError> {
        self.find_again()?;
        self.bytes_since_piece += self.backlog.bytes();
        self.store_backlog()
            .map_err(|source| StoreError::database(&self.path, "store the samples of one second", source))?;
        if self.ring.is_some() {
            return self.turn();
        }
        self.since_fold += 1;
        if self.since_fold >= FOLD_EVERY && at_s > self.folded_after_s {
            self.fold_a_piece()?;
            self.folded_after_s = at_s;
        }
        Ok(())
    }

    /// Removes what is no longer kept.
    fn turn(&mut self) -> std::result::Result<(), StoreError> {
        let Some(ring) = &mut self.ring else { return Ok(()) };
        let turned = self.checkpointer.write(&mut self.connection, |connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let removed = ring.turn(&transaction)?;
            transaction.commit().map(|()| removed)
        });
        let removed = turned.map_err(|source| StoreError::database(&self.path, "remove the oldest samples", source))?;
        ring.forget(removed);
        Ok(())
    }

    fn fold_a_piece(&mut self) -> std::result::Result<(), StoreError> {
        let bytes = PIECE_BYTES.max(2 * std::mem::take(&mut self.bytes_since_piece));
        let rules = &self.rules;
        let is_all = self.checkpointer.write(&mut self.connection, |connection| fold(connection, rules, bytes));
        if is_all.map_err(|fault| fault.at(&self.path, "merge the stored samples"))? {
            self.since_fold = 0;
        }
        Ok(())
    }

    fn store_backlog(&mut self) -> Result<()> {
        if self.backlog.is_empty() {
            return Ok(());
        }
        let backlog = &self.backlog;
        let stored = self.checkpointer.write(&mut self.connection, |connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let stored = backlog.store(&transaction)?;
            transaction.commit().map(|()| stored)
        })?;
        self.backlog.clear();
        self.ring.as_mut().into_iter().for_each(|ring| ring.note(&stored));
        Ok(())
    }

    /// Makes the file anew where somebody removed it: SQLite still has all of it, without a name.
    fn find_again(&mut self) -> std::result::Result<(), StoreError> {
        match identity(&self.path) {
            Some(found) if found == self.claim.identity() => Ok(()),
            // Another file stands in its place, and that is not ours to replace.
            Some(_) => self.move_to(sibling(&self.path)),
            None => self.move_to(self.path.clone()),
        }
    }

    fn removed(&self, why: impl ToString) -> StoreError {
        StoreError::Removed { path: self.path.clone(), why: why.to_string() }
    }

    /// Writes everything to a new file and goes on there.
    fn move_to(&mut self, path: PathBuf) -> std::result::Result<(), StoreError> {
        let name = path.to_str().ok_or_else(|| self.removed("the name of the new file is not UTF-8"))?;
        if identity(&path).is_some() {
            return Err(self.removed(format!("{name} exists already")));
        }
        self.connection.execute("VACUUM INTO ?", [name]).map_err(|source| {
            // What an interrupted copy leaves is worth nothing.
            let _ = std::fs::remove_file(&path);
            self.removed(source)
        })?;
        // While the old file is still the run's, so that a failure leaves it so.
        let claim = claim(&path).inspect_err(|_| {
            let _ = std::fs::remove_file(&path);
        })?;
        // Its connections must be closed before files are removed.
        self.checkpointer = Checkpointer::new(&path);
        self.connection = reopened(&path, &mut self.connection).map_err(|source| self.removed(source))?;
        self.claim = claim;
        self.path = path;
        self.moved = true;
        Ok(())
    }

    /// Folds what is left, adds what is known at the end, and leaves one file.
    ///
    /// A file that stays locked, full or gone for five seconds is moved to the folder for temporary files; an error means
    /// that this failed too. The file then opens as a run that died, without what waited in memory.
    pub fn finish(mut self, closing: &Closing) -> std::result::Result<Finished, StoreError> {
        self.checkpointer.stop();
        let finished = patiently(FINISH_TRIES, || self.try_to_finish(closing))
            .or_else(|_| self.move_to(sibling(&self.path)).and_then(|()| self.try_to_finish(closing)))
            .or_else(|_| self.move_to(refuge(&self.path)).and_then(|()| self.try_to_finish(closing)))?;
        self.checkpointer.stop();
        connection::fsync_commits(&self.connection, true)
            .map_err(|source| StoreError::database(&self.path, "merge the write-ahead log into the file", source))?;
        // While somebody else reads the file, its log stays beside it; whoever opens it next folds it in.
        let _ = patiently(ONE_FILE_TRIES, || {
            connection::leave_one_file(&self.connection)
                .map_err(|source| StoreError::database(&self.path, "merge the write-ahead log into the file", source))
        });
        Ok(finished)
    }

    fn try_to_finish(&mut self, closing: &Closing) -> std::result::Result<Finished, StoreError> {
        self.find_again()?;
        self.close(closing).map_err(|fault| fault.at(&self.path, "close the run"))
    }

    fn close(&mut self, closing: &Closing) -> std::result::Result<Finished, Fault> {
        self.store_backlog()?;
        while !fold(&mut self.connection, &self.rules, BYTES_AT_ONCE)? {
            self.cut_log()?;
        }
        let caveats = self.caveats();
        if !super::recover::is_finished(&self.connection)? {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            fill_closing(&transaction, closing, self.has_deadline)?;
            if let Some(watched) = &closing.watched {
                watched::close(&transaction, watched, self.rules.series())?;
            }
            rows::caveats(&transaction, &caveats)?;
            transaction.commit()?;
        }
        connection::give_back(&self.connection)?;
        Ok(Finished { path: self.path.clone(), caveats })
    }

    /// A ring merges all of its samples at the end, and the thread that cuts the log has ended by then.
    fn cut_log(&self) -> Result<()> {
        if log_bytes(&self.path) < LOG_BYTES_MAX {
            return Ok(());
        }
        self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    }

    fn caveats(&self) -> Vec<Caveat> {
        [self.waited(), self.gave_up(), self.was_moved()].into_iter().flatten().collect()
    }

    fn waited(&self) -> Option<Caveat> {
        (self.waited_s_max > 0).then(|| {
            Caveat::new(
                "store-waited",
                Severity::Info,
                format!(
                    "The run file could not be written for {} s; the samples were kept in memory.",
                    self.waited_s_max
                ),
                "During a run, keep other programs from using the run file, and keep free space on its disk.",
            )
        })
    }

    fn gave_up(&self) -> Option<Caveat> {
        let records = self.backlog.records_given_up();
        (records > 0).then(|| {
            Caveat::new(
                "store-lost-records",
                Severity::High,
                format!(
                    "The run file could not be written for too long, so prazo lost {}.",
                    counted(records, "record")
                ),
                "Free space on the disk, keep other programs from using the run file, and measure again.",
            )
        })
    }

    fn was_moved(&self) -> Option<Caveat> {
        self.moved.then(|| {
            Caveat::new(
                "run-file-moved",
                Severity::Info,
                format!(
                    "The run file was removed, replaced or could not be written; prazo created a new one at {}.",
                    self.path.display()
                ),
                "Creating the new file lost no data; during a run, do not move or remove the run file, and keep free space on its disk.",
            )
        })
    }
}

/// Adds the series of a thread.
fn add_series(connection: &Connection, opening: &ThreadOpening, places: &[usize]) -> Result<()> {
    for (series, place) in opening.series.iter().zip(places) {
        let part_of = series.part_of.map(|whole| places[whole]);
        rows::series_opening(connection, *place, &SeriesOpening { part_of, ..*series })?;
        part_of.map_or(Ok(()), |whole| split::begin(connection, whole, Splitter::Bpf))?;
    }
    Ok(())
}

fn claim(path: &Path) -> std::result::Result<Claim, StoreError> {
    let failed = |source: std::io::Error| match source.kind() {
        ErrorKind::NotFound => {
            StoreError::Removed { path: path.to_owned(), why: "the new file disappeared immediately".into() }
        }
        _ => StoreError::io(path, "lock the new file", source),
    };
    Claim::new(path).map_err(failed)?.ok_or_else(|| StoreError::InUse { path: path.to_owned() })
}

/// Tries again where that may help.
fn patiently<T>(
    tries: u32,
    mut action: impl FnMut() -> std::result::Result<T, StoreError>,
) -> std::result::Result<T, StoreError> {
    for _ in 0..tries {
        match action() {
            Err(StoreError::Locked { .. } | StoreError::Full { .. }) => {
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
            outcome => return outcome,
        }
    }
    action()
}

/// Leaves the old file, with its log and its shared memory, before the new one of perhaps the same name is opened.
fn reopened(path: &Path, old: &mut Connection) -> Result<Connection> {
    *old = Connection::open_in_memory()?;
    for suffix in ["-wal", "-shm"] {
        // Mostly there is nothing to remove.
        let _ = std::fs::remove_file(connection::beside(path, suffix));
    }
    let new = connection::writable(path)?;
    connection::log_ahead(&new)?;
    Ok(new)
}

/// Where a run goes whose own name is taken or whose file cannot be written.
fn sibling(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}-{}.prazo", std::process::id()))
}

/// Where a run goes whose whole folder fails.
fn refuge(path: &Path) -> PathBuf {
    std::env::temp_dir().join(sibling(path).file_name().unwrap_or_default())
}

fn fill(connection: &Connection, opening: &Opening) -> Result<()> {
    let Opening { name, origin, plan, command, .. } = opening;
    if !name.is_empty() {
        rows::meta(connection, "name", name)?;
    }
    rows::meta(connection, "state", "measuring")?;
    rows::meta(connection, "prazo_version", env!("CARGO_PKG_VERSION"))?;
    rows::meta_json(connection, "origin", origin)?;
    rows::meta_json(connection, "plan", plan)?;
    rows::meta(connection, "command", command)?;
    rows::meta_if(connection, "started_at_unix_ns", opening.started_at_unix_ns)?;
    rows::facts(connection, "before", opening.platform_before.as_ref())?;
    rows::tunables(connection, &opening.tunables)?;
    rows::caveats(connection, &opening.caveats)?;
    opening.series.iter().enumerate().try_for_each(|(id, series)| rows::series_opening(connection, id, series))?;
    let wholes: BTreeSet<usize> = opening.series.iter().filter_map(|series| series.part_of).collect();
    opening.split_by.map_or(Ok(()), |by| wholes.into_iter().try_for_each(|whole| split::begin(connection, whole, by)))
}

fn fill_closing(connection: &Connection, closing: &Closing, has_deadline: bool) -> Result<()> {
    rows::total_activations(connection, has_deadline, &closing.outstanding)?;
    rows::meta_json(connection, "ending", &closing.ending)?;
    rows::meta_if(connection, "elapsed_ns", closing.elapsed.map(Duration::as_ns))?;
    rows::meta_if(connection, "recorder_delay_max_ns", closing.recorder_delay_max.map(Duration::as_ns))?;
    rows::meta_if(connection, "probe_cost_ns", closing.probe_cost.map(Duration::as_ns))?;
    rows::facts(connection, "after", closing.platform_after.as_ref())?;
    rows::tunables(connection, &closing.tunables)?;
    rows::loads(connection, &closing.loads)?;
    rows::caveats(connection, &closing.caveats)?;
    closing.overheads.as_ref().map_or(Ok(()), |traced| rows::meta_json(connection, "overheads", traced))?;
    closing.noise.as_ref().map_or(Ok(()), |observed| rows::meta_json(connection, "noise", observed))?;
    for (whole, counts, causes) in &closing.splits {
        split::counts(connection, *whole, counts)?;
        split::causes(connection, *whole, causes)?;
    }
    rows::meta(connection, "state", "finished")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::store::open;
    use crate::synthetic::Shape;

    const SHAPE: Shape = Shape { hz: 10_000, cpus: 2, seconds: 20, warm_up_s: 0, raw: false };

    /// As if the disk had room for this many more pages.
    fn leave_pages(writer: &Writer, pages: i64) {
        let used: i64 = writer.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
        let set = |connection: &Connection| {
            connection.query_row(&format!("PRAGMA max_page_count = {}", used + pages), [], |row| row.get::<_, i64>(0))
        };
        set(&writer.connection).unwrap();
    }

    fn batches() -> Vec<Vec<SeriesSecond>> {
        let mut sources = SHAPE.sources(1);
        (0..SHAPE.seconds).map(|at_s| sources.iter_mut().map(|source| source.second(at_s)).collect()).collect()
    }

    fn served(run: &Run) -> (u64, u64, u64) {
        let sum = |of: fn(&crate::Series) -> u64| run.series.iter().map(of).sum();
        (sum(|s| s.activations.served), sum(|s| s.histogram.total()), sum(|s| s.activations.lost))
    }

    fn all(batches: &[Vec<SeriesSecond>]) -> u64 {
        batches.iter().flatten().map(|second| second.samples.len() as u64).sum()
    }

    #[test]
    fn a_disk_that_is_full_for_a_while_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.prazo");
        let mut writer = Writer::create(&path, &SHAPE.opening(Vec::new())).unwrap();
        let batches = batches();
        leave_pages(&writer, 30);
        let full = |recorded: &Recorded| matches!(recorded, Recorded::Waiting { why: StoreError::Full { .. }, .. });
        let waited = batches[..10].iter().filter(|batch| full(&writer.append(batch))).count();
        assert!(waited >= 8, "{waited} of ten seconds waited");
        leave_pages(&writer, 1_000_000);
        assert!(batches[10..].iter().all(|batch| matches!(writer.append(batch), Recorded::Stored)));
        writer.finish(&Closing::default()).unwrap();
        let run = open(&path).unwrap();
        assert_eq!(served(&run), (all(&batches), all(&batches), 0));
        assert!(run.has_caveat("store-waited") && !run.has_caveat("store-lost-records"));
    }

    #[test]
    fn a_disk_that_stays_full_sends_the_run_elsewhere_and_what_could_not_wait_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.prazo");
        let mut writer = Writer::create(&path, &SHAPE.opening(Vec::new())).unwrap();
        writer.backlog = Backlog::new(400_000);
        let batches = batches();
        leave_pages(&writer, 30);
        let outcomes: Vec<Recorded> = batches.iter().map(|batch| writer.append(batch)).collect();
        assert!(matches!(outcomes.last(), Some(Recorded::Waiting { given_up: 1.., why: StoreError::Full { .. }, .. })));
        let finished = writer.finish(&Closing::default()).unwrap();
        assert_ne!(finished.path, path);
        let run = open(&finished.path).unwrap();
        let (served, kept, lost) = served(&run);
        assert_eq!((served, kept + lost), (all(&batches), all(&batches)));
        assert!(lost > 0 && run.has_caveat("store-lost-records") && run.has_caveat("run-file-moved"));
        assert_eq!(run.series[0].activations.due, Some(served / 2 + run.series[0].activations.skipped.unwrap()));
    }

    /// A writer of which only the end is kept, after all batches; what it had removed for want of space.
    fn of_the_end(path: &Path, bounds: RingBounds, keep_s: u32) -> Writer {
        let mut writer = Writer::create(path, &SHAPE.opening(Vec::new())).unwrap();
        writer.keep_only_the_end(bounds);
        for (batch, at_s) in batches().iter().zip(0..) {
            writer.begin_at((at_s + 1_u32).saturating_sub(keep_s));
            assert!(matches!(writer.append(batch), Recorded::Stored));
        }
        writer
    }

    const AMPLE: RingBounds = RingBounds { bytes: 1 << 40, rows: 1 << 40 };

    #[test]
    fn only_the_end_of_a_run_is_in_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.prazo");
        let mut writer = of_the_end(&path, AMPLE, 5);
        let end = all(&batches()[15..]);
        let counts = writer.stored_counts().unwrap();
        assert_eq!((counts.values().map(|of| of.served).sum::<u64>(), writer.crowded_out_s()), (end, None));
        writer.finish(&Closing::default()).unwrap();
        let run = open(&path).unwrap();
        assert_eq!(served(&run), (end, end, 0));
        assert!(run.series.iter().all(|series| series.timeline.first().is_some_and(|second| second.at_s == 15)));
    }

    #[test]
    fn a_run_of_which_only_the_end_is_kept_survives_its_death() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.prazo");
        drop(of_the_end(&path, AMPLE, 5));
        let (run, end) = (open(&path).unwrap(), all(&batches()[15..]));
        assert_eq!(served(&run), (end, end, 0));
        let said = |id: &str| run.caveats.iter().find(|caveat| caveat.id == id).map(|caveat| caveat.what.as_str());
        assert!(said("interrupted").unwrap().contains("20 recorded seconds"), "{:?}", run.caveats);
        assert!(said("watch-kept").unwrap().contains("the last 5 seconds of 20 seconds"), "{:?}", run.caveats);
    }

    #[test]
    fn a_bound_on_the_file_takes_the_oldest_seconds_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.prazo");
        let bounds = RingBounds { bytes: 1 << 20, ..AMPLE };
        let writer = of_the_end(&path, bounds, 1_000);
        let gone_s = writer.crowded_out_s().expect("20 s of 20 kHz take more than a megabyte");
        let used = |name: &str| {
            writer.connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, u64>(0)).unwrap()
        };
        assert!((used("page_count") - used("freelist_count")) * used("page_size") <= bounds.bytes);
        writer.finish(&Closing::default()).unwrap();
        let (run, end) = (open(&path).unwrap(), all(&batches()[gone_s as usize + 1..]));
        assert_eq!(served(&run), (end, end, 0));
        let rows = RingBounds { rows: 6, ..AMPLE };
        let path = folder.path().join("b.prazo");
        assert_eq!(of_the_end(&path, rows, 1_000).crowded_out_s(), Some(16), "two series, so three seconds");
    }
}
