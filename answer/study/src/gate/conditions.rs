//! Under which conditions a trajectory was won: what must be the same on both sides, but for the thing under test.
//!
//! Each condition is a few facts `lab.…` of a guest's run, a few of a board's own, or the plan without the seed; facts that name no condition belong to the
//! machine, so that a fact that is added later is compared without being listed here.

use crate::on_board::ADDRESS;
use prazo_run::{Plan, Run};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A condition that influences the figures of a run, so that it must be the same in baseline and run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// The kernel: its image and modules in a guest, its release and version on a board.
    Kernel,
    /// The kernel's command line.
    CommandLine,
    /// The programs in a guest's initramfs, and the user's own initramfs.
    Image,
    /// The agent: the program of prazo that measures in a guest.
    Agent,
    /// The emulator that runs a guest.
    Emulator,
    /// The machine: the emulated hardware of a guest, or a board's model and processors.
    Machine,
    /// The plan of the measurement, without its seed.
    Plan,
}

/// A condition of a cell that differs between the baseline and this run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Different {
    /// Id of the cell.
    pub cell: String,
    /// The condition that differs.
    pub condition: Condition,
    /// The condition's value in the baseline, without the words that this run has too; several values, joined by "and",
    /// where the runs in the baseline have different values.
    pub baseline: String,
    /// The condition's value in this run, without the words that the baseline has too.
    pub found: String,
    /// True if the baseline or this run has several values: the spread then has two causes, so the comparison is always
    /// refused.
    pub mixed: bool,
}

/// Facts that are no conditions: labels, the seed, and what is told by a condition of its own.
const NONE: [&str; 6] =
    ["lab.platform", "lab.machine", "lab.seed", "lab.emulator", "lab.emulator_pinned", "lab.initramfs_sha256"];

prazo_core::words! {
    Condition:
    Kernel => "kernel", CommandLine => "command-line", Image => "image", Agent => "agent", Emulator => "emulator",
    Machine => "machine", Plan => "plan",
}

/// The facts of a board that are conditions.
const BOARD: [(&str, Condition); 9] = [
    ("kernel.release", Condition::Kernel),
    ("kernel.version", Condition::Kernel),
    ("cmdline", Condition::CommandLine),
    ("board.model", Condition::Machine),
    ("board.product_name", Condition::Machine),
    ("cpu.model", Condition::Machine),
    ("cpu.part", Condition::Machine),
    ("cpu.online", Condition::Machine),
    ("kernel.machine", Condition::Machine),
];

/// True for a run that a board measured for a study.
pub(super) fn is_on_board(run: &Run) -> bool {
    run.platform_before.as_ref().is_some_and(|platform| platform.get(ADDRESS).is_some())
}

impl Condition {
    /// The condition that a fact of a board belongs to.
    fn of_board(fact: &str) -> Option<Self> {
        BOARD.iter().find(|(name, _)| *name == fact).map(|(_, condition)| *condition)
    }

    /// The condition that a fact of a guest belongs to.
    fn of_fact(fact: &str) -> Option<Self> {
        match fact {
            "lab.kernel_sha256" | "lab.modules_sha256" => Some(Self::Kernel),
            "lab.command_line" => Some(Self::CommandLine),
            "lab.image_sha256" => Some(Self::Image),
            "lab.agent_sha256" => Some(Self::Agent),
            "lab.emulator_sha256" => Some(Self::Emulator),
            fact if fact.starts_with("lab.") && !NONE.contains(&fact) => Some(Self::Machine),
            _ => None,
        }
    }
}

/// The conditions of a run, each as text that is equal where the condition is.
pub(super) fn of(run: &Run) -> BTreeMap<Condition, String> {
    let mut all: BTreeMap<Condition, String> = BTreeMap::new();
    let facts = run.platform_before.iter().flat_map(|platform| &platform.facts);
    let condition_of = if is_on_board(run) { Condition::of_board } else { Condition::of_fact };
    for (name, fact) in facts {
        let Some(condition) = condition_of(name) else { continue };
        let value = fact.value.as_deref().unwrap_or("unknown");
        let text = all.entry(condition).or_default();
        *text += &format!("{}{}={value}", if text.is_empty() { "" } else { " " }, name.trim_start_matches("lab."));
    }
    all.extend(run.plan.as_ref().map(|plan| (Condition::Plan, without_seed(plan))));
    all
}

fn without_seed(plan: &Plan) -> String {
    serde_json::to_string(&Plan { seed: 0, ..plan.clone() }).expect("a plan is plain data")
}

/// What differs between the conditions of two sides of a cell.
pub(super) fn differences<'a>(
    cell: &str,
    baseline: impl Iterator<Item = &'a BTreeMap<Condition, String>> + Clone,
    found: impl Iterator<Item = &'a BTreeMap<Condition, String>> + Clone,
) -> Vec<Different> {
    let differs = |condition: Condition| {
        let (before, now) = (values(baseline.clone(), condition), values(found.clone(), condition));
        let is_same = before.len() == 1 && before == now;
        let (baseline, found) = (told(&before), told(&now));
        (!is_same).then(|| Different {
            cell: cell.to_owned(),
            condition,
            baseline: only(&baseline, &found),
            found: only(&found, &baseline),
            mixed: before.len() > 1 || now.len() > 1,
        })
    };
    Condition::VALUES.iter().copied().filter_map(differs).collect()
}

/// The conditions that have several values among these runs.
pub(super) fn mixed<'a>(side: impl Iterator<Item = &'a BTreeMap<Condition, String>> + Clone) -> Vec<Condition> {
    Condition::VALUES.iter().copied().filter(|condition| values(side.clone(), *condition).len() > 1).collect()
}

fn values<'a>(
    side: impl Iterator<Item = &'a BTreeMap<Condition, String>>,
    condition: Condition,
) -> BTreeSet<Option<&'a str>> {
    side.map(|conditions| conditions.get(&condition).map(String::as_str)).collect()
}

fn told(values: &BTreeSet<Option<&str>>) -> String {
    values.iter().map(|value| value.unwrap_or("not recorded")).collect::<Vec<_>>().join(" and ")
}

/// The words of a text that another lacks; of a long plan or command line only what matters.
fn only(text: &str, other: &str) -> String {
    let words = |text: &'_ str| text.split([' ', ',']).map(str::to_owned).collect::<Vec<_>>();
    let others = words(other);
    let own: Vec<String> = words(text).into_iter().filter(|word| !others.contains(word)).collect();
    if own.is_empty() { "nothing".into() } else { own.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_platform::fingerprint::{Fact, Fingerprint};

    fn side(words: &str) -> BTreeMap<Condition, String> {
        [(Condition::Kernel, "kernel_sha256=aa".to_owned()), (Condition::CommandLine, words.to_owned())].into()
    }

    #[test]
    fn what_differs_is_told_by_the_words_that_only_one_side_has() {
        let (a, b) = (side("quiet preempt=none"), side("quiet preempt=full threadirqs"));
        let found = differences("a.b.c", [&a, &a].into_iter(), [&b].into_iter());
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].condition, found[0].baseline.as_str()), (Condition::CommandLine, "preempt=none"));
        assert_eq!(found[0].found, "preempt=full threadirqs");
        assert!(differences("a.b.c", [&a].into_iter(), [&a].into_iter()).is_empty());
    }

    #[test]
    fn a_condition_that_one_side_did_not_record_differs() {
        let (a, b) = (side("quiet"), BTreeMap::new());
        let found = differences("a.b.c", [&a].into_iter(), [&b].into_iter());
        let conditions: Vec<_> = found.iter().map(|one| one.condition).collect();
        assert_eq!(conditions, [Condition::Kernel, Condition::CommandLine]);
        assert!(found[0].found.contains("not"), "{found:?}");
    }

    #[test]
    fn a_side_of_two_kernels_is_mixed_even_where_the_other_is_too() {
        let (a, b) = (side("quiet"), [(Condition::Kernel, "kernel_sha256=bb".to_owned())].into());
        let found = differences("a.b.c", [&a, &b].into_iter(), [&a, &b].into_iter());
        assert!(found[0].mixed && found[0].condition == Condition::Kernel, "{found:?}");
        assert!(!differences("a.b.c", [&a].into_iter(), [&b].into_iter())[0].mixed);
    }

    #[test]
    fn a_boards_conditions_are_its_own_facts_and_not_its_address() {
        let fact = |value: &str| Fact { value: Some(value.into()), source: "test".into() };
        let of = |address: Option<&str>, release: &str| {
            let named = [("kernel.release", fact(release)), ("cpu.model", fact("A72")), ("clock.source", fact("tsc"))];
            let address = address.map(|address| (ADDRESS, fact(address)));
            let facts = named.into_iter().chain(address).map(|(name, fact)| (name.to_owned(), fact)).collect();
            super::of(&Run { platform_before: Some(Fingerprint { facts }), ..Run::default() })
        };
        let (one, other) = (of(Some("ssh://a"), "6.1"), of(Some("ssh://b"), "6.1"));
        assert_eq!(one, other);
        assert_eq!(one[&Condition::Kernel], "kernel.release=6.1");
        assert_eq!(one[&Condition::Machine], "cpu.model=A72");
        let newer = differences("a", [&one].into_iter(), [&of(Some("ssh://a"), "6.12")].into_iter());
        assert_eq!(newer.iter().map(|one| one.condition).collect::<Vec<_>>(), [Condition::Kernel]);
        assert_eq!(of(None, "6.1"), BTreeMap::new(), "facts of this machine are no conditions");
    }

    #[test]
    fn every_condition_has_one_word_and_a_fact_without_one_is_the_machines() {
        for condition in Condition::VALUES {
            assert_eq!(serde_json::to_value(condition).unwrap(), condition.name());
        }
        assert_eq!(Condition::of_fact("lab.cards"), Some(Condition::Machine));
        assert_eq!((Condition::of_fact("lab.seed"), Condition::of_fact("kernel.release")), (None, None));
    }
}
