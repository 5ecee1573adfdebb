//! The platform before and after a run, and what its changes mean for the result.

use prazo_platform::fingerprint::{Fingerprint, capture};
use prazo_platform::root::Root;
use prazo_platform::tunable::{Journal, Undone};
use prazo_run::{Caveat, Severity};

/// The platform before the run, and what was put right before it.
pub struct PlatformBefore {
    /// The platform.
    pub before: Fingerprint,
    /// What a killed run had left behind, or why that could not be put back.
    pub caveats: Vec<Caveat>,
}

impl PlatformBefore {
    /// Puts back what a killed run left, then looks at the platform.
    pub fn before(root: &Root) -> Self {
        let caveats = undo_leftovers(root);
        Self { before: capture(root), caveats }
    }

    /// What moved between then and `after`.
    pub fn drift(&self, after: &Fingerprint) -> Option<Caveat> {
        let moved = self.before.drift(after);
        let restored: Vec<String> = moved
            .iter()
            .map(|one| {
                let value = |side: &Option<String>| side.clone().unwrap_or_else(|| "unknown".into());
                format!("{} ({} -> {})", one.fact, value(&one.before), value(&one.after))
            })
            .collect();
        (!restored.is_empty()).then(|| {
            Caveat::new(
                "platform-changed",
                Severity::High,
                format!("the platform was not the same after the run: {}", restored.join("; ")),
                "find out who changed it, and measure again without that",
            )
        })
    }
}

fn undo_leftovers(root: &Root) -> Vec<Caveat> {
    let undone = Journal::open(root).and_then(|journal| journal.recover());
    match undone {
        Ok(list) => list.iter().filter_map(failure).collect(),
        Err(error) => vec![leftover(&error.to_string())],
    }
}

fn failure(undone: &Undone) -> Option<Caveat> {
    match undone {
        Undone::Failed { path, why } => Some(leftover(&format!("{path}: {why}"))),
        Undone::LeftAlone { path, found, before } => {
            Some(leftover(&format!("{path} was {before}, and somebody else has set it to {found} since")))
        }
        Undone::Restored { .. } | Undone::HandedDown { .. } | Undone::InUse { .. } | Undone::Discarded { .. } => None,
    }
}

fn leftover(what: &str) -> Caveat {
    Caveat::new(
        "leftover-not-restored",
        Severity::Medium,
        format!("what an earlier, killed run had changed could not be put back: {what}"),
        "run `prazo tune undo` with the same privileges as that run, or restart the machine",
    )
}
