//! Rules for a watch: from a TOML file to what each activation is held against, and from the tallies to what is answered.

use super::find::matches;
use crate::error::Error;
use prazo_core::time::Duration;
use prazo_probe::activations::{
    About, ActivationRule, Breach, Condition, Place, Places, ProgramSection, SeenProcess, SeenThread, Tally,
    is_system_call,
};
use prazo_verdict::claim::document::{Document, DocumentError};
use prazo_verdict::watched::{WatchedBreach, WatchedRule, WatchedRuleThread};
use serde::{Deserialize, Deserializer};
use std::path::Path;

/// The rules that need no file.
const BUILT_IN: [(&str, &str); 1] = [("rtapp", include_str!("rtapp.toml"))];
/// Kernel priorities below this are real-time.
const REAL_TIME_BELOW: i16 = 100;

/// System calls that give a process memory, or take it back.
const ALLOCATIONS: [&str; 4] = ["brk", "mmap", "mremap", "munmap"];

/// The rules of one watch.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    rules: Vec<Rule>,
    /// The places that they are about.
    places: Places,
}

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
    calls_only: Option<Vec<String>>,
    #[serde(default, deserialize_with = "places")]
    never_reaches: Option<Vec<Place>>,
    /// What it is about, instead of activations.
    #[serde(default, deserialize_with = "section")]
    section: Option<ProgramSection>,
    #[serde(default, deserialize_with = "time")]
    within: Option<Duration>,
    #[serde(default)]
    any_thread: bool,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Never {
    PageFault,
    MajorPageFault,
    Migration,
    Preemption,
    Blocking,
    SystemCall,
    Allocation,
}

fn every_thread() -> String {
    "*".into()
}

fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map(Some).map_err(serde::de::Error::custom)
}

fn places<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<Place>>, D::Error> {
    let all = Vec::<String>::deserialize(from)?;
    all.iter().map(|text| text.parse().map_err(serde::de::Error::custom)).collect::<Result<_, _>>().map(Some)
}

fn section<'de, D: Deserializer<'de>>(from: D) -> Result<Option<ProgramSection>, D::Error> {
    String::deserialize(from)?.parse().map(Some).map_err(serde::de::Error::custom)
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
            return Err(document.error(0, "the file has no rule", "begin each rule with [[rule]]"));
        }
        let mut places = Places::default();
        let rules = file.rule.into_iter().enumerate().map(|(number, written)| {
            let at = written.span().start;
            let rule = rule(number, written.into_inner(), &mut places);
            rule.map_err(|(problem, remedy)| document.error(at, &problem, &remedy))
        });
        let rules = rules.collect::<Result<_, _>>()?;
        Ok(Self { rules, places })
    }

    /// The places that the rules are about, and these sections.
    pub(super) fn places(&self, sections: &[ProgramSection]) -> Places {
        let mut places = self.places.clone();
        for section in sections {
            number(&mut places.sections, section);
        }
        places
    }

    /// What each activation is held against, in this order.
    pub(super) fn of_activations(&self) -> Vec<ActivationRule> {
        self.rules.iter().map(|rule| rule.of_activations.clone()).collect()
    }

    /// True where the rule at this place is about a thread of this name and kernel priority.
    pub(super) fn is_about(&self, rule: usize, name: &str, priority: Option<i16>) -> bool {
        self.rules.get(rule).is_some_and(|rule| rule.is_about(name, priority))
    }

    /// How each rule was kept by the threads that it is about; by the processes, where it is about whatever thread.
    pub(super) fn judged(&self, seen: &[SeenThread], processes: &[SeenProcess]) -> Vec<WatchedRule> {
        let of = |(place, rule): (usize, &Rule)| {
            let about = || seen.iter().filter(|seen| rule.is_about(&seen.name, seen.priority));
            let (threads, section) = match (rule.of_activations.about, &rule.of_activations.condition) {
                (About::Section(number), Condition::Follows { any_thread: true, .. }) => {
                    let of_rule = processes.iter().filter(|process| process.rule == place);
                    (of_rule.filter_map(|process| of_process(process, about())).collect(), Some(number))
                }
                (About::Section(number), _) => {
                    (about().filter_map(|seen| of_section(place, number, seen)).collect(), Some(number))
                }
                (About::Activations, _) => (about().filter_map(|seen| of_thread(place, seen)).collect(), None),
            };
            let section = section.and_then(|number| self.places.sections.get(number)).map(ToString::to_string);
            WatchedRule::judged(rule.name.clone(), section, threads)
        };
        self.rules.iter().enumerate().map(of).collect()
    }
}

impl Rule {
    /// By a thread's name and its kernel priority.
    fn is_about(&self, name: &str, priority: Option<i16>) -> bool {
        let is_real_time = || priority.is_some_and(|priority| priority < REAL_TIME_BELOW);
        matches(&self.thread, name) && (!self.is_for_real_time || is_real_time())
    }
}

/// The place of an entry in a list, where it is put if it is not in it.
fn number<T: Clone + PartialEq>(list: &mut Vec<T>, wanted: &T) -> usize {
    list.iter().position(|known| known == wanted).unwrap_or_else(|| {
        list.push(wanted.clone());
        list.len() - 1
    })
}

/// What is wrong with a rule, and what to do.
type Wrong = (String, String);

fn rule(place: usize, written: Written, places: &mut Places) -> Result<Rule, Wrong> {
    let ns = |time: Duration| time.as_ns();
    let (section, any_thread) = (written.section, written.any_thread);
    let conditions = [
        written.latency.map(|limit| (format!("latency at most {limit}"), Condition::Latency(ns(limit)))),
        written.response.map(|limit| (format!("response at most {limit}"), Condition::Response(ns(limit)))),
        written.execution.map(|limit| (format!("execution at most {limit}"), Condition::Execution(ns(limit)))),
        written.never.map(never),
        written
            .blocks_only_in
            .map(|calls| (format!("blocks only in {}", calls.join(", ")), Condition::BlocksOnlyIn(calls))),
        written.calls_only.map(|calls| (format!("calls only {}", calls.join(", ")), Condition::CallsOnly(calls))),
        written.never_reaches.map(|all| never_reaches(&all, places)),
        written.within.map(|limit| within(limit, any_thread, section.as_ref())).transpose()?,
    ];
    let mut given = conditions.into_iter().flatten();
    let one = "give one of latency, response, execution, never, blocks-only-in, calls-only, never-reaches and within";
    let (Some((says, condition)), None) = (given.next(), given.next()) else {
        return Err((format!("rule {} has no condition, or several", place + 1), one.into()));
    };
    if let Condition::BlocksOnlyIn(calls) | Condition::CallsOnly(calls) = &condition
        && let Some(unknown) = calls.iter().find(|call| !is_system_call(call))
    {
        return Err((
            format!("'{unknown}' is not a system call that prazo knows"),
            "name the system call as in man 2 syscalls".into(),
        ));
    }
    let about = about(section.as_ref(), any_thread, written.within.is_some(), &condition, places)?;
    let after_ns = written.after.map_or(0, ns);
    let name = written.name.unwrap_or_else(|| match &section {
        Some(section) => format!("{section}: {says}"),
        None => says,
    });
    let of_activations = ActivationRule { about, condition, after_ns };
    Ok(Rule { name, thread: written.thread, is_for_real_time: written.real_time, of_activations })
}

/// What the rule is about; its section gets a place among the others.
fn about(
    section: Option<&ProgramSection>,
    any_thread: bool,
    is_within: bool,
    condition: &Condition,
    places: &mut Places,
) -> Result<About, Wrong> {
    if any_thread && !matches!(condition, Condition::Follows { .. }) {
        let remedy = "set `within`, and name two places as the section, as in section = \"A..B\"";
        return Err(("any-thread applies only to the time between two places".into(), remedy.into()));
    }
    let Some(section) = section else { return Ok(About::Activations) };
    match condition {
        Condition::Latency(_) => Err((
            "a section has no due instant, and so no latency".into(),
            "set `within` to limit the time that a section takes".into(),
        )),
        Condition::Response(_) if !is_within => {
            Err(("a section has no response time".into(), "set `within` to limit the time that a section takes".into()))
        }
        _ => Ok(About::Section(number(&mut places.sections, section))),
    }
}

/// The end of a section comes soon enough after its beginning.
fn within(limit: Duration, any_thread: bool, section: Option<&ProgramSection>) -> Result<(String, Condition), Wrong> {
    let says = format!("within {limit}");
    let limit_ns = limit.as_ns();
    match section {
        None => Err(("`within` is a limit for a section".into(), "give a section, as in section = \"A..B\"".into())),
        Some(ProgramSection { end: Some(_), .. }) => Ok((says, Condition::Follows { limit_ns, any_thread })),
        Some(_) => Ok((says, Condition::Response(limit_ns))),
    }
}

fn never_reaches(all: &[Place], places: &mut Places) -> (String, Condition) {
    let names: Vec<String> = all.iter().map(Place::to_string).collect();
    let numbered = all.iter().map(|place| number(&mut places.others, place)).zip(names.clone()).collect();
    (format!("never reaches {}", names.join(", ")), Condition::ReachesNone(numbered))
}

fn never(what: Never) -> (String, Condition) {
    let (name, condition) = match what {
        Never::PageFault => ("page-fault", Condition::NoPageFault),
        Never::MajorPageFault => ("major-page-fault", Condition::NoMajorPageFault),
        Never::Migration => ("migration", Condition::NoMigration),
        Never::Preemption => ("preemption", Condition::NoPreemption),
        Never::Blocking => ("blocking", Condition::BlocksOnlyIn(Vec::new())),
        Never::SystemCall => ("system-call", Condition::CallsOnly(Vec::new())),
        Never::Allocation => ("allocation", Condition::CallsNone(ALLOCATIONS.map(str::to_owned).to_vec())),
    };
    (format!("never {name}"), condition)
}

/// How a thread with a period kept the rule at this place.
fn of_thread(place: usize, seen: &SeenThread) -> Option<WatchedRuleThread> {
    let wait = seen.wait.as_ref()?;
    let tally = wait.tallies.get(place).cloned().unwrap_or_default();
    Some(row(seen, tally, wait.unseen + seen.lost_stretches + seen.lost_places))
}

/// How a thread that passed a section kept the rule at this place.
fn of_section(place: usize, number: usize, seen: &SeenThread) -> Option<WatchedRuleThread> {
    let section = seen.sections.iter().find(|section| section.number == number)?;
    let tally = section.passes.tallies.get(place).cloned().unwrap_or_default();
    let unseen = section.passes.unseen + section.unseen_of_rules.get(place).copied().unwrap_or(0);
    Some(row(seen, tally, unseen + seen.lost_stretches))
}

/// How a process kept a rule about whatever thread: a row of its first thread among those that the rule is about.
fn of_process<'a>(process: &SeenProcess, mut about: impl Iterator<Item = &'a SeenThread>) -> Option<WatchedRuleThread> {
    let first = about.find(|seen| seen.process_id == process.process_id)?;
    Some(row(first, process.tally.clone(), process.unseen))
}

fn row(seen: &SeenThread, tally: Tally, unseen: u64) -> WatchedRuleThread {
    let Tally { checked, broken, first, unseen: not_looked_at } = tally;
    let breach = |Breach { number, at_ns, seen }| WatchedBreach { activation: number, at_ns, seen };
    let row = WatchedRuleThread {
        thread_id: seen.thread_id,
        name: seen.name.clone(),
        checked,
        broken,
        unseen: unseen + not_looked_at,
        first: first.into_iter().map(breach).collect(),
        ..WatchedRuleThread::default()
    };
    row.judged()
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
        let [first, second] = &rules.rules[..] else { panic!("{rules:?}") };
        assert_eq!((first.name.as_str(), first.thread.as_str()), ("response at most 800us", "ctl*"));
        assert_eq!(
            first.of_activations,
            ActivationRule {
                about: About::Activations,
                condition: Condition::Response(800_000),
                after_ns: 2_000_000_000
            }
        );
        assert_eq!((second.name.as_str(), second.thread.as_str()), ("no faults", "*"));
        assert_eq!(second.of_activations.condition, Condition::NoPageFault);
    }

    #[test]
    fn a_rule_is_about_the_threads_that_it_names() {
        let rules = Rules::parse("r", "[[rule]]\nthread = 'ctl*'\nreal-time = true\nnever = 'migration'\n").unwrap();
        let is_about = |name, priority| rules.is_about(0, name, priority);
        assert_eq!(
            [is_about("ctl1", Some(49)), is_about("ctl1", Some(120)), is_about("log", Some(49))],
            [true, false, false]
        );
        assert!(!is_about("ctl1", None), "it never waited");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        assert!(error("").contains("the file has no rule"));
        assert!(error("[[rule]]\nnever = 'sleep'\n").starts_with("rules.toml:2: never:"));
        assert!(error("[[rule]]\nresponse = 'soon'\n").contains("rules.toml:2"));
        assert!(error("[[rule]]\nresponse = '1ms'\nlatency = '1ms'\n").contains("no condition, or several"));
        assert!(error("[[rule]]\nblocks-only-in = ['nap']\n").contains("'nap' is not a system call"));
        assert!(error("[[rule]]\ndead-line = '1ms'\n").contains("dead-line"));
        assert!(error("[[rule]]\nwithin = '1ms'\n").contains("`within` is a limit for a section"));
        assert!(error("[[rule]]\nsection = 'a..'\nwithin = '1ms'\n").contains("no symbol is named"));
        assert!(error("[[rule]]\nsection = 'a'\nresponse = '1ms'\n").contains("no response"));
        assert!(error("[[rule]]\nsection = 'a'\nlatency = '1ms'\n").contains("no latency"));
        assert!(error("[[rule]]\nsection = 'a'\nwithin = '1ms'\nany-thread = true\n").contains("any-thread"));
        assert!(error("[[rule]]\ncalls-only = ['nap']\n").contains("'nap' is not a system call"));
    }

    #[test]
    fn rules_name_their_places_once_and_those_that_are_asked_for_come_behind() {
        let text = "[[rule]]\nsection = 'a..b'\nwithin = '2ms'\nany-thread = true\n\
                    [[rule]]\nsection = 'step'\nwithin = '1ms'\n\
                    [[rule]]\nsection = 'a..b'\nnever = 'page-fault'\n\
                    [[rule]]\nnever-reaches = ['malloc', 'free']\n\
                    [[rule]]\nnever-reaches = ['free']\n";
        let rules = Rules::parse("rules.toml", text).unwrap();
        let (first, second) = (About::Section(0), About::Section(1));
        let reaches = |all: &[(usize, &str)]| {
            Condition::ReachesNone(all.iter().map(|(place, name)| (*place, (*name).to_owned())).collect())
        };
        let expected = [
            (first, Condition::Follows { limit_ns: 2_000_000, any_thread: true }),
            (second, Condition::Response(1_000_000)),
            (first, Condition::NoPageFault),
            (About::Activations, reaches(&[(0, "malloc"), (1, "free")])),
            (About::Activations, reaches(&[(1, "free")])),
        ];
        let found: Vec<_> = rules.of_activations().into_iter().map(|rule| (rule.about, rule.condition)).collect();
        assert_eq!(found, expected);
        assert_eq!(rules.rules[0].name, "a..b: within 2ms");
        let places = rules.places(&["step".parse().unwrap(), "other".parse().unwrap()]);
        let sections: Vec<String> = places.sections.iter().map(ToString::to_string).collect();
        assert_eq!((sections, places.others.len()), (["a..b", "step", "other"].map(str::to_owned).to_vec(), 2));
    }

    #[test]
    fn the_examples_rules_are_rules() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/watch/rules.toml");
        assert_eq!(Rules::read(&file).map(|rules| rules.rules.len()).unwrap(), 6);
    }

    #[test]
    fn built_in_rules_are_rules() {
        for (name, text) in BUILT_IN {
            assert!(Rules::parse(name, text).is_ok_and(|rules| rules.rules.iter().all(|rule| rule.is_for_real_time)));
        }
    }
}
