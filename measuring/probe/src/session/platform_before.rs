//! The platform before and after a run, and what its changes mean for the result.

use prazo_platform::fingerprint::{Fingerprint, capture};
use prazo_platform::root::Root;
use prazo_platform::tunable::{Journal, Undone};
use prazo_run::{Caveat, Severity};

/// Facts whose change has a caveat of its own, with the id of that.
const OWN_CAVEATS: [(&str, &str); 1] = [("clock.source", "clocksource-changed")];

/// The platform before the run, and what was put right before it.
pub struct PlatformBefore {
    /// The platform.
    pub fingerprint: Fingerprint,
    /// What a killed run had left behind, or why that could not be put back.
    pub caveats: Vec<Caveat>,
}

impl PlatformBefore {
    /// Puts back what a killed run left, then looks at the platform.
    pub fn capture(root: &Root) -> Self {
        let caveats = undo_leftovers(root);
        Self { fingerprint: capture(root), caveats }
    }

    /// What moved between then and `after`, without what the run's other caveats say already.
    pub fn drift(&self, after: &Fingerprint, others: &[Caveat]) -> Option<Caveat> {
        let has = |id: &str| others.iter().any(|caveat| caveat.id == id);
        let is_said = |fact: &str| OWN_CAVEATS.iter().any(|(own, id)| *own == fact && has(id));
        let moved: Vec<String> = self
            .fingerprint
            .drift(after)
            .iter()
            .filter(|one| !is_said(&one.fact))
            .map(|one| {
                let value = |side: &Option<String>| side.clone().unwrap_or_else(|| "unknown".into());
                format!("{} ({} -> {})", one.fact, value(&one.before), value(&one.after))
            })
            .collect();
        (!moved.is_empty()).then(|| {
            Caveat::new(
                "platform-changed",
                Severity::High,
                format!("a platform setting changed during the run: {}", moved.join("; ")),
                "find the program that changed the setting, stop that program and measure again",
            )
        })
    }
}

fn undo_leftovers(root: &Root) -> Vec<Caveat> {
    let undone = Journal::open(root).and_then(|journal| journal.recover());
    match undone {
        Ok(list) => list.iter().filter_map(failure).collect(),
        Err(error) => vec![unchecked(&error.to_string())],
    }
}

fn failure(undone: &Undone) -> Option<Caveat> {
    match undone {
        Undone::Failed { path, why } => Some(leftover(
            &format!("{path}: {why}"),
            "run `prazo tune undo` with the privileges of that run, or restart the machine",
        )),
        // Its entry has left the journal, so that nothing is left for `prazo tune undo` to do.
        Undone::LeftAlone { path, found, before } => Some(leftover(
            &format!("{path} was {before} before that run, but another program has changed it since then to {found}"),
            "set the value by hand if it is not what you want",
        )),
        Undone::Restored { .. } | Undone::HandedDown { .. } | Undone::InUse { .. } | Undone::Discarded { .. } => None,
    }
}

fn leftover(what: &str, remedy: &str) -> Caveat {
    let what = format!("the changes of an earlier run that was killed could not be undone: {what}");
    Caveat::new("leftover-not-restored", Severity::Medium, what, remedy)
}

/// The journal cannot be opened or read; there may be nothing in it.
fn unchecked(why: &str) -> Caveat {
    Caveat::new(
        "leftover-not-restored",
        Severity::Medium,
        format!("prazo could not check whether an earlier run left changed settings: {why}"),
        "run `prazo tune undo` as the user that can read this journal",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_platform::fingerprint::Fact;

    fn platform(clock: &str, governor: &str) -> Fingerprint {
        let fact = |value: &str| Fact { value: Some(value.into()), source: "a test".into() };
        let facts = [("clock.source", clock), ("power.governor", governor)];
        Fingerprint { facts: facts.map(|(name, value)| (name.to_owned(), fact(value))).into() }
    }

    #[test]
    fn a_setting_that_others_changed_is_left_to_the_user() {
        let path = || "/proc/sys/vm/stat_interval".to_owned();
        let failed = failure(&Undone::Failed { path: path(), why: "refused".into() }).unwrap();
        assert!(failed.remedy.contains("prazo tune undo"), "{}", failed.remedy);
        let left = failure(&Undone::LeftAlone { path: path(), found: "7".into(), before: "1".into() }).unwrap();
        assert_eq!((left.id, left.remedy.as_str()), (failed.id, "set the value by hand if it is not what you want"));
    }

    #[test]
    fn a_journal_that_cannot_be_read_says_nothing_of_a_killed_run() {
        let caveat = unchecked("Permission denied");
        assert!(caveat.what.starts_with("prazo could not check whether an earlier run left changed settings: "));
        assert!(!caveat.what.contains("killed") && caveat.remedy.contains("can read this journal"));
    }

    #[test]
    fn a_changed_fact_has_one_caveat() {
        let before = PlatformBefore { fingerprint: platform("tsc", "performance"), caveats: Vec::new() };
        let said = |clock, governor, others: &[Caveat]| {
            before.drift(&platform(clock, governor), others).map(|caveat| caveat.what)
        };
        let changed = "a platform setting changed during the run: ";
        let (clock, governor) = ("clock.source (tsc -> hpet)", "power.governor (performance -> powersave)");
        let own = [Caveat::new("clocksource-changed", Severity::High, "", "")];
        assert_eq!(said("tsc", "performance", &[]), None);
        assert_eq!(said("hpet", "performance", &own), None);
        assert_eq!(said("hpet", "powersave", &own), Some(format!("{changed}{governor}")));
        let both = Some(format!("{changed}{clock}; {governor}"));
        assert_eq!(said("hpet", "powersave", &[]), both, "a watched program's run has no other caveat about it");
    }
}
