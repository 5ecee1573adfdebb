//! Rules for a watch: from a TOML file to what each activation is held against, and from the tallies to what is answered.

use super::find::matches;
use crate::error::Error;
use prazo_core::time::Duration;
use prazo_probe::activations::{ActivationRule, Breach, Condition, SeenThread, Tally, is_system_call};
use prazo_verdict::claim::document::{Document, DocumentError};
use prazo_verdict::watched::{WatchedBreach, WatchedRule, WatchedRuleThread};
use serde::{Deserialize, Deserializer};
use std::path::Path;

/// The rules that need no file.
const BUILT_IN: [(&str, &str); 1] = [("rtapp", include_str!("rtapp.toml"))];
/// Kernel priorities below this are real-time.
const REAL_TIME_BELOW: i16 = 100;

/// The rules of one watch.
#[derive(Clone, Debug, Default)]
pub struct Rules(Vec<Rule>);

/// One rule: whom it is about, and what it asks.
#[derive(Clone, Debug)]
struct Rule {
    name: String,
    thread: String,
    is_for_real_time: bool,
    of_activations: ActivationRule,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    rule: Vec<toml::Spanned<Written>>,
}

/// A rule as it is written; exactly one of the conditions is given.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    name: Option<String>,
    #[serde(default = "every_thread")]
    thread: String,
    #[serde(default)]
    real_time: bool,
    #[serde(default, deserialize_with = "time")]
    after: Option<Duration>,
    #[serde(default, deserialize_with = "time")]
    latency: Option<Duration>,
    #[serde(default, deserialize_with = "time")]
    response: Option<Duration>,
    #[serde(default, deserialize_with = "time")]
    execution: Option<Duration>,
    never: Option<Never>,
    blocks_only_in: Option<Vec<String>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Never {
    PageFault,
    MajorPageFault,
    Migration,
    Preemption,
    Blocking,
}

fn every_thread() -> String {
    "*".into()
}

fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map(Some).map_err(serde::de::Error::custom)
}

impl Rules {
    /// Those of a file, or built-in ones by their name.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let name = file.display().to_string();
        if let Some((_, text)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
            return Self::parse(&name, text).map_err(Error::refused);
        }
        let built_in = BUILT_IN.map(|(name, _)| name).join(", ");
        let text = std::fs::read_to_string(file).map_err(|error| {
            let remedy = format!("name a TOML file with rules, or a built-in set: {built_in}");
            Error::refused(error).with_remedy(remedy).with_value(&name)
        })?;
        Self::parse(&name, &text).map_err(Error::refused)
    }

    fn parse(file: &str, text: &str) -> Result<Self, DocumentError> {
        let document = Document { file, text };
        let remedy = "docs/watch.md lists every key of a rule";
        let of_toml = |error: &toml::de::Error| DocumentError { remedy: remedy.into(), ..document.of_toml(error) };
        let file: File = toml::from_str(text).map_err(|error| of_toml(&error))?;
        if file.rule.is_empty() {
            return Err(document.error(0, "there is no rule", "begin each rule with [[rule]]"));
        }
        let rules = file.rule.into_iter().enumerate().map(|(place, written)| {
            let at = written.span().start;
            rule(place, written.into_inner()).map_err(|(problem, remedy)| document.error(at, &problem, &remedy))
        });
        rules.collect::<Result<_, _>>().map(Self)
    }

    /// What each activation is held against, in this order.
    pub(super) fn of_activations(&self) -> Vec<ActivationRule> {
        self.0.iter().map(|rule| rule.of_activations.clone()).collect()
    }

    /// How each rule was kept by the threads that it is about.
    pub(super) fn judged(&self, seen: &[SeenThread]) -> Vec<WatchedRule> {
        let of = |(place, rule): (usize, &Rule)| {
            let threads = seen.iter().filter(|seen| rule.is_about(seen)).filter_map(|seen| of_thread(place, seen));
            WatchedRule::judged(rule.name.clone(), threads.collect())
        };
        self.0.iter().enumerate().map(of).collect()
    }
}

impl Rule {
    fn is_about(&self, seen: &SeenThread) -> bool {
        let is_real_time = || seen.priority.is_some_and(|priority| priority < REAL_TIME_BELOW);
        matches(&self.thread, &seen.name) && (!self.is_for_real_time || is_real_time())
    }
}

fn rule(place: usize, written: Written) -> Result<Rule, (String, String)> {
    let ns = |time: Duration| time.as_ns();
    let conditions = [
        written.latency.map(|limit| (format!("latency at most {limit}"), Condition::Latency(ns(limit)))),
        written.response.map(|limit| (format!("response at most {limit}"), Condition::Response(ns(limit)))),
        written.execution.map(|limit| (format!("execution at most {limit}"), Condition::Execution(ns(limit)))),
        written.never.map(never),
        written
            .blocks_only_in
            .map(|calls| (format!("blocks only in {}", calls.join(", ")), Condition::BlocksOnlyIn(calls))),
    ];
    let mut given = conditions.into_iter().flatten();
    let one = "give one of latency, response, execution, never and blocks-only-in";
    let (Some((says, condition)), None) = (given.next(), given.next()) else {
        return Err((format!("rule {} has no condition, or several", place + 1), one.into()));
    };
    if let Condition::BlocksOnlyIn(calls) = &condition
        && let Some(unknown) = calls.iter().find(|call| !is_system_call(call))
    {
        return Err((format!("'{unknown}' is no system call that prazo knows"), "name it as in man 2 syscalls".into()));
    }
    let after_ns = written.after.map_or(0, ns);
    let name = written.name.unwrap_or(says);
    let of_activations = ActivationRule { condition, after_ns };
    Ok(Rule { name, thread: written.thread, is_for_real_time: written.real_time, of_activations })
}

fn never(what: Never) -> (String, Condition) {
    let (name, condition) = match what {
        Never::PageFault => ("page-fault", Condition::NoPageFault),
        Never::MajorPageFault => ("major-page-fault", Condition::NoMajorPageFault),
        Never::Migration => ("migration", Condition::NoMigration),
        Never::Preemption => ("preemption", Condition::NoPreemption),
        Never::Blocking => ("blocking", Condition::BlocksOnlyIn(Vec::new())),
    };
    (format!("never {name}"), condition)
}

/// How a thread with a period kept the rule at this place.
fn of_thread(place: usize, seen: &SeenThread) -> Option<WatchedRuleThread> {
    let wait = seen.wait.as_ref()?;
    let Tally { checked, broken, first } = wait.tallies.get(place).cloned().unwrap_or_default();
    let breach = |Breach { number, at_ns, seen }| WatchedBreach { activation: number, at_ns, seen };
    let row = WatchedRuleThread {
        thread_id: seen.thread_id,
        name: seen.name.clone(),
        checked,
        broken,
        unseen: wait.unseen + seen.lost_stretches,
        first: first.into_iter().map(breach).collect(),
        ..WatchedRuleThread::default()
    };
    Some(row.judged())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Rules::parse("rules.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn a_rule_is_read_with_what_it_is_about() {
        let text = "[[rule]]\nthread = 'ctl*'\nafter = '2s'\nresponse = '800us'\n\n[[rule]]\nname = 'no faults'\nnever = 'page-fault'\n";
        let rules = Rules::parse("rules.toml", text).unwrap();
        let [first, second] = &rules.0[..] else { panic!("{rules:?}") };
        assert_eq!((first.name.as_str(), first.thread.as_str()), ("response at most 800us", "ctl*"));
        assert_eq!(
            first.of_activations,
            ActivationRule { condition: Condition::Response(800_000), after_ns: 2_000_000_000 }
        );
        assert_eq!((second.name.as_str(), second.thread.as_str()), ("no faults", "*"));
        assert_eq!(second.of_activations.condition, Condition::NoPageFault);
    }

    #[test]
    fn a_rule_is_about_the_threads_that_it_names() {
        let seen = |name: &str, priority| SeenThread {
            serial: 1,
            thread_id: 7,
            process_id: 7,
            name: name.into(),
            is_over: false,
            priority,
            lost_stretches: 0,
            wait: None,
        };
        let rules = Rules::parse("r", "[[rule]]\nthread = 'ctl*'\nreal-time = true\nnever = 'migration'\n").unwrap();
        let is_about = |name, priority| rules.0[0].is_about(&seen(name, priority));
        assert_eq!(
            [is_about("ctl1", Some(49)), is_about("ctl1", Some(120)), is_about("log", Some(49))],
            [true, false, false]
        );
        assert!(!is_about("ctl1", None), "it never waited");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        assert!(error("").contains("there is no rule"));
        assert!(error("[[rule]]\nnever = 'sleep'\n").starts_with("rules.toml:2: never:"));
        assert!(error("[[rule]]\nresponse = 'soon'\n").contains("rules.toml:2"));
        assert!(error("[[rule]]\nresponse = '1ms'\nlatency = '1ms'\n").contains("no condition, or several"));
        assert!(error("[[rule]]\nblocks-only-in = ['nap']\n").contains("'nap' is no system call"));
        assert!(error("[[rule]]\ndead-line = '1ms'\n").contains("dead-line"));
    }

    #[test]
    fn built_in_rules_are_rules() {
        for (name, text) in BUILT_IN {
            assert!(Rules::parse(name, text).is_ok_and(|rules| rules.0.iter().all(|rule| rule.is_for_real_time)));
        }
    }
}
