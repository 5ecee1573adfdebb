//! What was changed on this machine and has to be undone, kept where the next start finds it.
//!
//! Invariants: a change is on disk before it is made; one process at a time reads, changes and stores the journal, and
//! touches knobs only meanwhile; an entry of a live owner is never undone by another process; an entry of another boot is
//! never undone at all. When two owners hold one knob, letting go in any order ends at the value from before the first.

use super::TunableRecord;
use super::entry::{Entry, JournaledChange, MODULES};
use super::held::Held;
use super::known::Tunable;
use super::owner::{Owner, Presence};
use super::state::State;
use super::temporary;
use super::undo::{Undone, undo};
use super::value::same_value;
use crate::root::{Reading, Root, Unavailable};
use std::io;
use std::path::{Path, PathBuf};

/// Why the journal cannot be used. Nothing is changed on the machine then.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Its folder cannot be made or written.
    #[error(
        "cannot keep the journal of changed settings in {folder}: {why}; set PRAZO_STATE_DIR to a folder of your own"
    )]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The system's reason.
        why: String,
    },
    /// Its folder could be written by somebody else, who could so have prazo write to knobs.
    #[error("{folder} belongs to another user or is writable by others; set PRAZO_STATE_DIR to a folder of your own")]
    Shared {
        /// The folder.
        folder: PathBuf,
    },
    /// Its file is there and cannot be understood.
    #[error(
        "cannot read the journal {file}: {why}; restore the values named 'before' in the file by hand, then delete the \
         file"
    )]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Another version of prazo wrote its file.
    #[error(
        "the journal {file} has version {found}, and this prazo reads version {read}; run `prazo tune undo` with the prazo \
         that wrote it"
    )]
    OtherVersion {
        /// The file.
        file: PathBuf,
        /// Its version.
        found: u32,
        /// The version that is read here.
        read: u32,
    },
    /// This boot or this process cannot be named.
    #[error(
        "cannot identify the current boot and process, which the journal of changed settings records with each change: \
         {0}"
    )]
    Identity(#[from] Unavailable),
}

impl JournalError {
    pub(super) fn folder(folder: &Path, error: &io::Error) -> Self {
        Self::Folder { folder: folder.to_owned(), why: error.to_string() }
    }

    pub(super) fn damaged(file: &Path, why: &str) -> Self {
        Self::Damaged { file: file.to_owned(), why: why.to_owned() }
    }
}

/// Why a knob was not set. The knob is as it was.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// The machine refused.
    #[error("cannot set {knob} to '{requested}': {why}")]
    Refused {
        /// The setting.
        knob: String,
        /// The request.
        requested: String,
        /// The system's reason.
        why: Unavailable,
    },
    /// A folder or a control group could not be made.
    #[error("cannot make {what}: {why}")]
    NotMade {
        /// What it is for.
        what: String,
        /// The system's reason, which names the folder.
        why: Unavailable,
    },
    /// The journal could not be kept, so nothing was tried.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// The journal of one folder, for the knobs of one root.
#[derive(Clone, Debug)]
pub struct Journal {
    folder: PathBuf,
    root: Root,
    boot_id: String,
}

impl Journal {
    /// The journal in its usual place: `$PRAZO_STATE_DIR`, else `/run/prazo` for root, else `$XDG_RUNTIME_DIR/prazo`, else
    /// a folder of the user's own under the temporary one.
    pub fn open(root: &Root) -> Result<Self, JournalError> {
        Self::open_in(&usual_folder(), root)
    }

    /// The journal in a given folder, which is made if need be.
    pub fn open_in(folder: &Path, root: &Root) -> Result<Self, JournalError> {
        // The boot that counts is the one of this process, also when the knobs are those of a copied tree.
        let boot_id = Root::system().read("/proc/sys/kernel/random/boot_id")?;
        State::lock(folder)?;
        Ok(Self { folder: folder.to_owned(), root: root.clone(), boot_id })
    }

    /// The journal in its usual place, if anything was ever written down there.
    pub fn open_existing(root: &Root) -> Result<Option<Self>, JournalError> {
        let folder = usual_folder();
        if State::is_in(&folder) { Self::open_in(&folder, root).map(Some) } else { Ok(None) }
    }

    /// The folder it is in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The machine whose knobs it is for.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// All entries, those of other owners, boots and trees included.
    pub fn entries(&self) -> Result<Vec<Entry>, JournalError> {
        Ok(State::lock(&self.folder)?.entries().to_vec())
    }

    /// Sets a knob for as long as the returned value lives, and at most as long as this process.
    pub fn hold(&self, tunable: &Tunable, value: &str) -> Result<Held, TuneError> {
        let owner = Owner::this_process().map_err(JournalError::from)?;
        let (id, record) = self.set(owner, tunable, value)?;
        Ok(Held::new(self.clone(), id, record))
    }

    /// Writes a knob down that this process is going to set to `value` by itself, at an instant at which no journal can be
    /// kept; it is put back as one that was set here.
    pub fn hold_ahead(&self, tunable: &Tunable, value: &str) -> Result<Held, TuneError> {
        let (owner, path) = (Owner::this_process().map_err(JournalError::from)?, tunable.path());
        let refused = |why| TuneError::Refused { knob: path.to_owned(), requested: value.to_owned(), why };
        let mut state = State::lock(&self.folder)?;
        let before = self.root.read(path).map_err(refused)?;
        let id = self.write_down(&mut state, owner, JournaledChange::write(path, &before, value))?;
        Ok(Held::new(self.clone(), Some(id), record(path, before, value, None)))
    }

    /// Sets a knob until [`Journal::undo_applied`] or the next boot.
    pub fn apply(&self, tunable: &Tunable, value: &str) -> Result<TunableRecord, TuneError> {
        self.set(Owner::Applied, tunable, value).map(|(_, record)| record)
    }

    /// Undoes what owners left behind who are gone. To be called at each start.
    pub fn recover(&self) -> Result<Vec<Undone>, JournalError> {
        self.undo_where(|entry| entry.owner.presence() == Presence::Gone)
    }

    /// Removes what owners that are gone had made for their own use: groups of commands, and folders for temporary files.
    /// No setting is touched, so that every command can do this at its start.
    pub fn recover_made(&self) -> Result<Vec<Undone>, JournalError> {
        let is_made = |step: &JournaledChange| {
            matches!(step, JournaledChange::Command { .. } | JournaledChange::TemporaryFolder { .. })
        };
        self.undo_where(|entry| is_made(&entry.step) && entry.owner.presence() == Presence::Gone)
    }

    /// Undoes what was applied or deployed to stay, and what owners left behind who are gone.
    pub fn undo_applied(&self) -> Result<Vec<Undone>, JournalError> {
        let stays = |owner: &Owner| matches!(owner, Owner::Applied | Owner::Deployed);
        self.undo_where(|entry| stays(&entry.owner) || entry.owner.presence() == Presence::Gone)
    }

    /// Undoes what was deployed, and what owners left behind who are gone.
    pub fn undo_deployed(&self) -> Result<Vec<Undone>, JournalError> {
        self.undo_where(|entry| entry.owner == Owner::Deployed || entry.owner.presence() == Presence::Gone)
    }

    /// What was deployed on this machine since its boot, in order.
    pub fn deployed(&self) -> Result<Vec<Entry>, JournalError> {
        let entries = self.entries()?.into_iter();
        Ok(entries.filter(|entry| entry.owner == Owner::Deployed && self.is_of_here(entry)).collect())
    }

    /// True where the entry is of this boot and this tree.
    pub(super) fn is_of_here(&self, entry: &Entry) -> bool {
        entry.boot_id == self.boot_id && entry.tree == self.root.base()
    }

    /// Makes what this process holds a deployment, which stays: all of it at once, so that a crash leaves either a whole
    /// deployment or what the next start undoes.
    pub fn keep(&self, held: Vec<Held>) -> Result<(), JournalError> {
        let mut state = State::lock(&self.folder)?;
        let ids: Vec<u64> = held.iter().filter_map(Held::entry).collect();
        let kept = state.entries_mut().iter_mut().filter(|entry| ids.contains(&entry.id));
        kept.for_each(|entry| entry.owner = Owner::Deployed);
        state.store()?;
        // Letting go takes the lock.
        drop(state);
        held.into_iter().for_each(Held::forget);
        Ok(())
    }

    fn set(&self, owner: Owner, tunable: &Tunable, value: &str) -> Result<(Option<u64>, TunableRecord), TuneError> {
        let path = tunable.path();
        let refused = |why| TuneError::Refused { knob: path.to_owned(), requested: value.to_owned(), why };
        let mut state = State::lock(&self.folder)?;
        let before = self.root.read(path).map_err(refused)?;
        let id = self.write_down(&mut state, owner, JournaledChange::write(path, &before, value))?;
        match self.root.write(path, value).and_then(|()| self.root.read(path)) {
            Ok(effective) => {
                note_effective(&mut state, id, &effective);
                state.store()?;
                Ok((Some(id), record(path, before, value, Some(effective))))
            }
            Err(why) => {
                undo(&self.root, state.entries_mut(), id);
                state.store()?;
                // What is refused may be so already: then nothing has to be held either.
                if same_value(path, &before, value) {
                    return Ok((None, record(path, before.clone(), value, Some(before))));
                }
                Err(refused(why))
            }
        }
    }

    /// Makes a folder of the kernel's (a control group, an instance of its trace) and holds it: it is removed when its owner
    /// is gone.
    pub fn hold_folder(&self, path: &str) -> Result<Held, TuneError> {
        self.hold_made(JournaledChange::Folder { path: path.to_owned() }, "a new folder")
    }

    /// Makes a folder for temporary files of our user's alone, whose name begins with `prazo-cost-`, and holds it: it goes with all
    /// that is in it.
    pub fn hold_temporary_folder(&self, path: &Path) -> Result<Held, TuneError> {
        // Whatever is no text cannot be written down.
        let step = JournaledChange::TemporaryFolder { path: path.to_string_lossy().into_owned() };
        self.hold_made_by(step, "a folder for temporary files", |name| {
            temporary::make(path).map_err(|error| Unavailable::from_io(name, &error))
        })
    }

    /// Makes the folder that `step` is about, which is `what`, and holds it.
    pub(super) fn hold_made(&self, step: JournaledChange, what: &str) -> Result<Held, TuneError> {
        self.hold_made_by(step, what, |path| self.root.make_folder(path))
    }

    /// The same with another way to make it.
    pub(super) fn hold_made_by(
        &self,
        step: JournaledChange,
        what: &str,
        make: impl FnOnce(&str) -> Reading<()>,
    ) -> Result<Held, TuneError> {
        let owner = Owner::this_process().map_err(JournalError::from)?;
        let mut state = State::lock(&self.folder)?;
        let path = step.path().to_owned();
        // The next start would take a journal with such an entry for damaged.
        if !step.is_ours_to_undo() {
            let why = Unavailable::nonsense(&path, "a folder that prazo may make", &path);
            return Err(TuneError::NotMade { what: what.into(), why });
        }
        let id = self.write_down(&mut state, owner, step)?;
        if let Err(why) = make(&path) {
            state.entries_mut().retain(|entry| entry.id != id);
            state.store()?;
            return Err(TuneError::NotMade { what: what.into(), why });
        }
        Ok(Held::new(self.clone(), Some(id), TunableRecord::of_new(path, what)))
    }

    /// Writes a module down that is about to be loaded: it is removed when its owner is gone.
    pub(crate) fn note_module(&self, name: &str) -> Result<u64, JournalError> {
        let owner = Owner::this_process()?;
        let mut state = State::lock(&self.folder)?;
        self.write_down(&mut state, owner, JournaledChange::Module { path: format!("{MODULES}{name}") })
    }

    /// Crosses out what is undone, or was never done.
    pub(crate) fn cross_out(&self, id: u64) -> Result<(), JournalError> {
        let mut state = State::lock(&self.folder)?;
        state.entries_mut().retain(|entry| entry.id != id);
        state.store()
    }

    pub(super) fn write_down(
        &self,
        state: &mut State,
        owner: Owner,
        step: JournaledChange,
    ) -> Result<u64, JournalError> {
        let id = state.next_id();
        let (boot_id, tree) = (self.boot_id.clone(), self.root.base().to_owned());
        state.entries_mut().push(Entry { id, step, owner, boot_id, tree });
        state.store()?;
        Ok(id)
    }

    /// Undoes one entry; `None` where it is no longer there.
    pub(super) fn undo_entry(&self, id: u64) -> Result<Option<Undone>, JournalError> {
        let mut state = State::lock(&self.folder)?;
        if !state.entries().iter().any(|entry| entry.id == id) {
            return Ok(None);
        }
        let undone = undo(&self.root, state.entries_mut(), id);
        state.store()?;
        Ok(Some(undone))
    }

    /// Undoes the entries of this boot and tree that `is_due`, the last first; drops those of other boots.
    fn undo_where(&self, is_due: impl Fn(&Entry) -> bool) -> Result<Vec<Undone>, JournalError> {
        let mut state = State::lock(&self.folder)?;
        let mut all = self.discard_other_boots(&mut state);
        let due = |entry: &&Entry| entry.tree == self.root.base() && is_due(entry);
        let mut ids: Vec<u64> = state.entries().iter().filter(due).map(|entry| entry.id).collect();
        ids.sort_unstable_by(|left, right| right.cmp(left));
        all.extend(ids.into_iter().map(|id| undo(&self.root, state.entries_mut(), id)));
        if !all.is_empty() {
            state.store()?;
        }
        Ok(all)
    }

    fn discard_other_boots(&self, state: &mut State) -> Vec<Undone> {
        let (kept, other): (Vec<_>, Vec<_>) =
            state.entries_mut().drain(..).partition(|entry| entry.boot_id == self.boot_id);
        *state.entries_mut() = kept;
        other.iter().map(|entry| Undone::Discarded { path: entry.step.path().to_owned() }).collect()
    }
}

fn note_effective(state: &mut State, id: u64, value: &str) {
    let entry = state.entries_mut().iter_mut().find(|entry| entry.id == id);
    if let Some(Entry { step: JournaledChange::Write { effective, .. }, .. }) = entry {
        *effective = Some(value.to_owned());
    }
}

fn record(knob: &str, before: String, requested: &str, effective: Option<String>) -> TunableRecord {
    let (knob, requested) = (knob.to_owned(), requested.to_owned());
    TunableRecord { knob, before: Some(before), requested, effective, restored: false }
}

fn usual_folder() -> PathBuf {
    let named = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = named("PRAZO_STATE_DIR") {
        return folder;
    }
    match own_uid() {
        Ok(0) => PathBuf::from("/run/prazo"),
        Ok(uid) => named("XDG_RUNTIME_DIR")
            .map_or_else(|| std::env::temp_dir().join(format!("prazo-{uid}")), |folder| folder.join("prazo")),
        Err(_) => std::env::temp_dir().join("prazo"),
    }
}

fn own_uid() -> Reading<u32> {
    const FILE: &str = "/proc/self/status";
    let text = Root::system().read(FILE)?;
    let uid = text.lines().find_map(|line| line.strip_prefix("Uid:")?.split_whitespace().nth(1)?.parse().ok());
    uid.ok_or_else(|| Unavailable::nonsense(FILE, "the status of a process", &text))
}
