//! What a killed prazo left behind.

use crate::out;
use prazo_platform::Root;
use prazo_platform::tunable::{Journal, Undone};

/// Removes what a killed prazo had made. A journal that cannot be used is for those commands to report that need it.
pub(crate) fn remove() {
    let Ok(Some(journal)) = Journal::open_existing(&Root::system()) else { return };
    let stays = |undone: &Undone| matches!(undone, Undone::Failed { .. } | Undone::LeftAlone { .. });
    for undone in journal.recover_made().unwrap_or_default().iter().filter(|one| stays(one)) {
        out::note(format_args!("prazo: left behind by a prazo that was killed: {undone}"));
    }
}
