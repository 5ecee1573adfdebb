//! A knob that this process holds, and puts back when it lets go.

use super::journal::Journal;
use super::{TunableRecord, Undone};

/// A knob held at a value. Dropping it puts the value before back, and says on standard error if that fails.
#[derive(Debug)]
#[must_use = "the knob is put back as soon as this is dropped"]
pub struct Held {
    journal: Journal,
    id: Option<u64>,
    /// The process that holds it: a copy of this value in a forked child must not put anything back.
    pid: u32,
    record: TunableRecord,
}

impl Held {
    pub(super) fn new(journal: Journal, id: Option<u64>, record: TunableRecord) -> Self {
        Self { journal, id, pid: std::process::id(), record }
    }

    /// What was asked, what is effective.
    pub fn record(&self) -> &TunableRecord {
        &self.record
    }

    /// Puts the value before back and says what became of it. `restored` stays false where another owner still holds the
    /// knob, where somebody relies on it, where somebody else changed it, or where it failed.
    pub fn release(mut self) -> TunableRecord {
        self.put_back();
        self.record.clone()
    }

    /// Its entry in the journal.
    pub(super) fn entry(&self) -> Option<u64> {
        self.id
    }

    /// Lets go without putting anything back: the entry is another owner's now.
    pub(super) fn forget(mut self) {
        self.id = None;
    }

    fn put_back(&mut self) {
        let Some(id) = self.id.take().filter(|_| self.pid == std::process::id()) else {
            return;
        };
        match self.journal.undo_entry(id) {
            Ok(Some(undone)) => {
                self.record.restored = undone.is_restored();
                if let Undone::Failed { .. } | Undone::LeftAlone { .. } | Undone::InUse { .. } = undone {
                    eprintln!("prazo: {undone}");
                }
            }
            // Somebody ran `prazo tune undo` by force, or another process found us dead: it is back already.
            Ok(None) => self.record.restored = true,
            Err(error) => eprintln!("prazo: {} could not be restored: {error}", self.record.knob),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.put_back();
    }
}
