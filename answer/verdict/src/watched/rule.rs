//! Rules that watched threads were held against: what was seen of each, and whether it held; pure.

use super::reasons::reason;
use crate::verdict::{Outcome, Reason};
use prazo_core::text::{counted, grouped};
use prazo_core::words;
use schemars::JsonSchema;
use serde::Serialize;

words!(RuleState: Held => "held", Broken => "broken", Unknown => "unknown");

/// Whether a watched thread or program kept a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RuleState {
    /// All activations, or passes of the section, were seen, and none broke the rule; that is an observation, not a proof.
    Held,
    /// At least one activation, or pass of the section, broke the rule.
    Broken,
    /// No activation, or pass of the section, broke the rule, but not all were seen, or the rule was checked on none.
    #[default]
    Unknown,
}

/// A rule of `--rules`, with the result for each thread that it applies to.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "RuleRow")]
pub struct WatchedRule {
    /// Name of the rule.
    pub name: String,
    /// Section whose passes the rule is about; null where the rule is about activations.
    pub section: Option<String>,
    /// Whether all threads kept the rule.
    pub state: RuleState,
    /// The threads that the rule applies to. With `any-thread`, the first thread of each process represents the process.
    pub threads: Vec<WatchedRuleThread>,
}

/// Result of a rule for one watched thread.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct WatchedRuleThread {
    /// Id of the thread.
    pub thread_id: u32,
    /// Name of the thread.
    pub name: String,
    /// Whether the thread kept the rule.
    pub state: RuleState,
    /// Number of activations, or of passes of the section, on which the rule was checked.
    pub checked: u64,
    /// Number of checked activations or passes that broke the rule.
    pub broken: u64,
    /// Number of gaps in the record that may hide a violation, such as activations whose beginning or end was not
    /// recorded.
    pub unseen: u64,
    /// The first activations or passes that broke the rule, at most ten.
    pub first: Vec<WatchedBreach>,
}

/// An activation, or a pass of a section, that broke a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WatchedBreach {
    /// Number of the activation among the thread's served activations, or of the pass among all passes that began; both
    /// count from 0.
    pub activation: u64,
    /// When the activation was due, on the thread's own clock; for an activation without a due instant, when it was released,
    /// and for a pass, when it began (both on `monotonic`).
    pub at_ns: i64,
    /// What the thread did that broke the rule, such as "was blocked for 120 µs in read".
    pub seen: String,
}

impl WatchedRuleThread {
    /// The same with its state, which follows from the counts.
    pub fn judged(self) -> Self {
        let state = match (self.broken, self.checked, self.unseen) {
            (1.., ..) => RuleState::Broken,
            (_, 1.., 0) => RuleState::Held,
            _ => RuleState::Unknown,
        };
        Self { state, ..self }
    }
}

impl WatchedRule {
    /// A rule with its state, which follows from those of the threads.
    pub fn judged(name: String, section: Option<String>, threads: Vec<WatchedRuleThread>) -> Self {
        let any = |state| threads.iter().any(|thread| thread.state == state);
        let state = match () {
            () if any(RuleState::Broken) => RuleState::Broken,
            () if any(RuleState::Unknown) || threads.is_empty() => RuleState::Unknown,
            () => RuleState::Held,
        };
        Self { name, section, state, threads }
    }

    /// What it is checked on: activations, or passes of a section.
    pub const fn unit(&self) -> [&'static str; 2] {
        match self.section {
            Some(_) => ["pass", "passes"],
            None => ["activation", "activations"],
        }
    }

    /// Activations that it was checked on, of all threads.
    pub fn checked(&self) -> u64 {
        self.threads.iter().map(|thread| thread.checked).sum()
    }

    /// Those that broke it.
    pub fn broken(&self) -> u64 {
        self.threads.iter().map(|thread| thread.broken).sum()
    }
}

/// What a rule says for or against the program; nothing where it held.
pub(super) fn of_rule(rule: &WatchedRule) -> Vec<Reason> {
    let unknown = |text| reason("rule-unknown", Outcome::Inconclusive, text);
    if rule.threads.is_empty() {
        return vec![unknown(match &rule.section {
            Some(section) => format!("rule '{}': no thread that the rule applies to reached {section}", rule.name),
            None => format!("rule '{}' applies to none of the watched threads", rule.name),
        })];
    }
    let [one, many] = rule.unit();
    let of_thread = |thread: &WatchedRuleThread| {
        let about = format!("rule '{}', {} (thread {})", rule.name, thread.name, thread.thread_id);
        match thread.state {
            RuleState::Held => None,
            RuleState::Broken => {
                let first = thread.first.first().map_or_else(String::new, |first| {
                    format!(", first by {one} {}, which {}", grouped(first.activation), first.seen)
                });
                let (broken, checked) = (grouped(thread.broken), grouped(thread.checked));
                let unit = if thread.checked == 1 { one } else { many };
                let text = format!("{about}: broken by {broken} of {checked} {unit}{first}");
                Some(reason("rule-broken", Outcome::Fail, text))
            }
            RuleState::Unknown if thread.checked == 0 => Some(unknown(format!("{about}: there was no {one} to check"))),
            RuleState::Unknown => {
                let gaps = counted(thread.unseen, "gap");
                Some(unknown(format!("{about}: {gaps} in the record may hide a violation")))
            }
        }
    };
    rule.threads.iter().filter_map(of_thread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(threads: &[(u64, u64, u64)]) -> WatchedRule {
        let thread = |&(checked, broken, unseen)| {
            WatchedRuleThread { checked, broken, unseen, name: "ctl".into(), ..WatchedRuleThread::default() }.judged()
        };
        WatchedRule::judged("quick".into(), None, threads.iter().map(thread).collect())
    }

    #[test]
    fn a_rule_holds_only_where_all_was_seen_and_something_was_checked() {
        let cases = [
            (rule(&[(10, 0, 0), (5, 0, 0)]), RuleState::Held, None),
            (rule(&[(10, 0, 0), (5, 1, 0)]), RuleState::Broken, Some((1, Outcome::Fail))),
            (rule(&[(10, 0, 3), (5, 1, 9)]), RuleState::Broken, Some((2, Outcome::Inconclusive))),
            (rule(&[(10, 0, 1)]), RuleState::Unknown, Some((1, Outcome::Inconclusive))),
            (rule(&[(0, 0, 0)]), RuleState::Unknown, Some((1, Outcome::Inconclusive))),
            (rule(&[]), RuleState::Unknown, Some((1, Outcome::Inconclusive))),
        ];
        for (rule, state, reasons) in cases {
            let found = of_rule(&rule);
            assert_eq!(rule.state, state);
            assert_eq!(found.first().map(|first| (found.len(), first.speaks_for)), reasons, "{rule:?}");
        }
    }

    #[test]
    fn a_broken_rule_states_how_many_of_what_broke_it_and_which_was_the_first() {
        let breach =
            || WatchedBreach { activation: 1_041, seen: "was blocked for 120 µs".into(), ..Default::default() };
        let cases = [
            (None, [1, 1], vec![], "broken by 1 of 1 activation"),
            (None, [2, 1], vec![], "broken by 1 of 2 activations"),
            (Some("step"), [1, 1], vec![], "broken by 1 of 1 pass"),
            (
                Some("step"),
                [4_000, 1_200],
                vec![breach(), WatchedBreach::default()],
                "broken by 1,200 of 4,000 passes, first by pass 1,041, which was blocked for 120 µs",
            ),
        ];
        for (section, [checked, broken], first, wanted) in cases {
            let (thread_id, name) = (7, "ctl".into());
            let thread =
                WatchedRuleThread { thread_id, name, checked, broken, first, ..WatchedRuleThread::default() }.judged();
            let found = of_rule(&WatchedRule::judged("quick".into(), section.map(str::to_owned), vec![thread]));
            assert_eq!(found[0].text, format!("rule 'quick', ctl (thread 7): {wanted}"));
        }
    }
}
