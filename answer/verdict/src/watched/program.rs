//! Threads of any program that were watched: what was seen of each, and the verdict; pure.
//!
//! A miss fails. A pass says no more than that none was observed: nothing that is watched proves a deadline. What could not be
//! seen may have missed, so that it leaves no pass.

use super::reasons::{bound_exceeded, decided, not_proven, of_difference, reason};
use super::rule::{WatchedRule, of_rule};
use super::unplaced::{UnplacedPlace, of_unplaced};
use super::work::{WatchedPart, WatchedQuantiles, WatchedWork};
use crate::verdict::{Outcome, Reason};
use prazo_core::text::{counted, grouped};
use prazo_core::time::{Duration, Exact};
use prazo_core::verdict::Verdict;
use prazo_run::split::SplitCounts;
use schemars::JsonSchema;
use serde::Serialize;

/// Observations of one watched thread that waits periodically.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "ThreadRow")]
pub struct WatchedThread {
    /// Id of the thread.
    pub thread_id: u32,
    /// Id of the thread's process.
    pub process_id: u32,
    /// Name of the thread.
    pub name: String,
    /// The system call in which the thread waits, such as `clock_nanosleep` or `epoll_wait(timerfd)`.
    pub wait: String,
    /// How the thread's due instants are found: `absolute`, `timer`, `relative` (the thread has none) or `event` (the instant
    /// at which the thread was woken).
    pub rule: String,
    /// Clock of the thread's due instants: `monotonic`, `realtime`, `boottime` or `tai`.
    pub clock: String,
    /// Period of the thread: the given period or that of the deployed task, else the period set in the kernel, else the period that prazo found. For
    /// `relative` and `event`, a found period is the usual time between activations. Null until a period is known.
    pub period_ns: Option<u64>,
    /// Deadline against which misses are counted: the given deadline or that of the deployed task, else the given period, else the deadline set in the
    /// kernel, else the period. For `event`, only a given deadline or period is used. Null if there is none, and for
    /// `relative`.
    pub deadline_ns: Option<u64>,
    /// True if the deadline is the period that prazo found, which differs from the program's own period by a few ns.
    #[serde(skip)]
    pub is_deadline_found: bool,
    /// The proven bound on the response time of a deployed task; null for other threads, and where nothing is proven.
    pub bound_ns: Option<u64>,
    /// Number of activations that should have happened, `served` plus `skipped`; null where activations have no due
    /// instant.
    pub due: Option<u64>,
    /// Number of activations that began.
    pub served: u64,
    /// Number of periods that passed between two waits of the thread without an activation.
    pub skipped: u64,
    /// Number of served activations that ended after their deadline; null without a deadline.
    pub missed: Option<u64>,
    /// Number of activations whose beginning or end was not recorded.
    pub unseen: u64,
    /// 1 if an activation, or the wait before it, was under way when the watch began; this activation is not judged and is in
    /// no other count. It is in `unseen` instead if the thread was found later, or if the wait ended more than a period after
    /// the watch began.
    pub under_way_at_start: u64,
    /// Number of activations that used more processor time than the budget; null without a budget.
    pub overruns: Option<u64>,
    /// Latency of the served activations: from the due instant until the thread ran; null without due instants.
    pub latency: Option<WatchedQuantiles>,
    /// Response time of the served activations: from the due instant to the next wait; null without due instants.
    pub response: Option<WatchedQuantiles>,
    /// Parts of the latency, from the due instant to the thread's return from its wait; empty where no latency was
    /// split. Timer slack, interrupt latency and activation latency add up to the latency; activation latency is
    /// the sum of handling, wake-up latency and own stamp. Own stamp is
    /// the time from the switch to the thread until its wait returns.
    pub parts: Vec<WatchedPart>,
    /// Number of served activations whose latency was split into parts, and of those whose latency was not split, by reason;
    /// null without due instants.
    pub split: Option<SplitCounts>,
    /// Execution and waiting within the thread's activations.
    #[serde(flatten)]
    pub work: WatchedWork,
}

/// What a verdict on a program rests on.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProgramEvidence<'a> {
    /// Its threads that wait again and again.
    pub threads: &'a [WatchedThread],
    /// Its rules.
    pub rules: &'a [WatchedRule],
    /// Threads that found no room.
    pub unfollowed: u64,
    /// Places that were found nowhere.
    pub unplaced: &'a [UnplacedPlace],
    /// The deployment, where its tasks are what is watched.
    pub deployed: Option<DeployedTasks<'a>>,
}

/// A deployment whose tasks are watched.
#[derive(Clone, Copy, Debug)]
pub struct DeployedTasks<'a> {
    /// What the analysis said when they were deployed.
    pub verdict: Verdict,
    /// The name and the thread of each.
    pub tasks: &'a [(String, u32)],
    /// What is not as it was deployed, a sentence each.
    pub differs: &'a [String],
}

/// The outcome and its reasons, most decisive first.
pub fn judge_program(evidence: ProgramEvidence<'_>) -> (Outcome, Vec<Reason>) {
    let ProgramEvidence { threads, rules, unfollowed, unplaced, deployed } = evidence;
    let judged: Vec<&WatchedThread> = threads.iter().filter(|thread| thread.deadline_ns.is_some()).collect();
    let mut reasons: Vec<Reason> = judged.iter().flat_map(|thread| of_thread(thread, deployed.is_some())).collect();
    reasons.extend(threads.iter().filter_map(|thread| of_budget(thread, deployed.is_some())));
    reasons.extend(rules.iter().flat_map(of_rule));
    reasons.extend(unplaced.iter().map(of_unplaced));
    reasons.extend(deployed.iter().flat_map(|deployed| of_deployment(deployed, threads)));
    if unfollowed > 0 {
        let text = format!("{} could not be followed and may have missed a deadline", counted(unfollowed, "thread"));
        reasons.push(reason("not-followed", Outcome::Inconclusive, text));
    }
    if judged.is_empty() && rules.is_empty() && deployed.is_none() {
        let text = match threads.len() {
            0 => {
                "no thread was seen to wait periodically: check that the program runs and is the right one, or give a longer -D".to_owned()
            }
            many => {
                format!(
                    "{} waited periodically, but none has a deadline: give one with --deadline, which does not apply to threads that sleep for a relative time",
                    counted(many as u64, "thread")
                )
            }
        };
        reasons.push(reason("no-deadline", Outcome::Inconclusive, text));
    }
    if reasons.is_empty() && !judged.is_empty() {
        // Nothing was skipped, and threads that events wake have activations without any that were due.
        let served: u64 = judged.iter().map(|thread| thread.served).sum();
        let text = format!("no miss was observed in {}", counted(served, "activation"));
        reasons.push(reason("none-observed", Outcome::Pass, text));
    }
    if reasons.iter().all(|reason| reason.speaks_for == Outcome::Pass) && !rules.is_empty() {
        let checked: u64 = rules.iter().map(WatchedRule::checked).sum();
        let text =
            format!("{} held: no violation in {}", counted(rules.len() as u64, "rule"), counted(checked, "check"));
        reasons.push(reason("rules-held", Outcome::Pass, text));
    }
    decided(reasons)
}

fn name_of(thread: &WatchedThread) -> String {
    format!("{} (thread {})", thread.name, thread.thread_id)
}

/// What leaves no pass of a deployment: it is not proven, it has changed, or a task was not judged.
fn of_deployment(deployed: &DeployedTasks<'_>, threads: &[WatchedThread]) -> Vec<Reason> {
    let not_judged = |(name, id): &(String, u32)| {
        let row = threads.iter().find(|thread| thread.thread_id == *id);
        let why = match row {
            Some(row) if row.deadline_ns.is_some() => return None,
            Some(_) => {
                "it sleeps for a relative time, so nothing says when it was due; `prazo sched watch` judges such tasks"
            }
            None => "fewer than three activations were seen",
        };
        Some(reason("not-judged", Outcome::Inconclusive, format!("{name} (thread {id}) was not judged: {why}")))
    };
    let differs = deployed.differs.iter().map(|sentence| of_difference(sentence));
    not_proven(deployed.verdict)
        .into_iter()
        .chain(differs)
        .chain(deployed.tasks.iter().filter_map(not_judged))
        .collect()
}

/// Exceeding a budget that a flag gave fails. The budget of a deployed task is an assumption of the proof, so exceeding it is
/// inconclusive.
fn of_budget(thread: &WatchedThread, is_deployed: bool) -> Option<Reason> {
    let overruns = thread.overruns.filter(|overruns| *overruns > 0)?;
    let text =
        format!("{}: {} used more processor time than the budget", name_of(thread), counted(overruns, "activation"));
    Some(match is_deployed {
        true => reason("budget-exceeded", Outcome::Inconclusive, text + "; the proof assumes that none does"),
        false => reason("budget-exceeded", Outcome::Fail, text),
    })
}

fn of_thread(thread: &WatchedThread, is_deployed: bool) -> Vec<Reason> {
    let name = name_of(thread);
    let mut reasons = Vec::new();
    if let Some(missed @ 1..) = thread.missed {
        let worst_ns = thread.response.as_ref().map_or(0, |response| response.max_ns.max(0).unsigned_abs());
        let text = format!(
            "{name}: {} of {} missed the deadline of {}; the worst took {}",
            grouped(missed),
            counted(thread.served, "activation"),
            Exact(shown_deadline(thread, worst_ns)),
            Exact(Duration::from_ns(worst_ns))
        );
        reasons.push(reason("miss-observed", Outcome::Fail, text));
    }
    if let (Some(response), Some(bound_ns)) = (&thread.response, thread.bound_ns)
        && response.max_ns > bound_ns.cast_signed()
    {
        reasons.push(bound_exceeded(&name, response.max_ns.cast_unsigned(), bound_ns));
    }
    if thread.skipped > 0 && thread.due.is_some() {
        reasons.push(match is_deployed {
            // The period of a deployed task is a minimum.
            true => {
                let periods = counted(thread.skipped, "period");
                let text = format!(
                    "{name}: {periods} passed without an activation: the task was late, or is activated less often"
                );
                reason("skipped", Outcome::Inconclusive, text)
            }
            false => {
                let skipped = counted(thread.skipped, "due activation");
                reason("skipped", Outcome::Fail, format!("{name}: {skipped} never began, because the thread was late"))
            }
        });
    }
    if thread.unseen > 0 {
        let text = format!(
            "{name}: the record lacks {}, which may have missed the deadline",
            counted(thread.unseen, "activation")
        );
        reasons.push(reason("unseen", Outcome::Inconclusive, text));
    }
    if thread.missed == Some(0) && thread.response.is_none() {
        reasons.push(reason("no-activation", Outcome::Inconclusive, format!("{name}: no activation ended")));
    }
    reasons
}

/// The deadline as it is written. A period that was found is a few ns off the program's own, and is shown in whole µs
/// as in the table of threads, except where the worst activation would then seem to have met it.
fn shown_deadline(thread: &WatchedThread, worst_ns: u64) -> Duration {
    const US: u64 = 1_000;
    let ns = thread.deadline_ns.unwrap_or_default();
    let rounded = ns.saturating_add(US / 2) / US * US;
    let is_rounded = thread.is_deadline_found && ns >= US && worst_ns > rounded;
    Duration::from_ns(if is_rounded { rounded } else { ns })
}

#[cfg(test)]
mod tests {
    use super::super::rule::WatchedRuleThread;
    use super::*;

    fn thread() -> WatchedThread {
        WatchedThread {
            deadline_ns: Some(1_000),
            due: Some(10),
            served: 10,
            missed: Some(0),
            response: Some(WatchedQuantiles::default()),
            ..WatchedThread::default()
        }
    }

    fn judged(thread: WatchedThread) -> (Outcome, String) {
        let (outcome, reasons) = judge_program(ProgramEvidence { threads: &[thread], ..ProgramEvidence::default() });
        (outcome, reasons[0].id.clone())
    }

    #[test]
    fn a_response_beyond_the_proven_bound_fails_though_no_deadline_was_missed() {
        let bounded = |bound_ns| {
            let response = Some(WatchedQuantiles { max_ns: 900, ..WatchedQuantiles::default() });
            judged(WatchedThread { bound_ns, response, ..thread() })
        };
        assert_eq!(bounded(Some(899)), (Outcome::Fail, "bound-exceeded".into()));
        assert_eq!(bounded(Some(900)), (Outcome::Pass, "none-observed".into()));
    }

    #[test]
    fn of_a_deployment_whatever_was_not_judged_leaves_no_pass() {
        let deployed = |verdict, differs: &[String], arm: WatchedThread| {
            let tasks = &[("arm".to_owned(), 0), ("eye".to_owned(), 7)][..];
            let threads = &[arm, WatchedThread { thread_id: 7, ..thread() }][..];
            let deployed = Some(DeployedTasks { verdict, tasks, differs });
            let (outcome, reasons) = judge_program(ProgramEvidence { threads, deployed, ..ProgramEvidence::default() });
            (outcome, reasons[0].id.clone())
        };
        let open = |id: &str| (Outcome::Inconclusive, id.to_owned());
        let proven = |arm| deployed(Verdict::Proven, &[], arm);
        assert_eq!(proven(thread()), (Outcome::Pass, "none-observed".into()));
        assert_eq!(deployed(Verdict::Unknown, &[], thread()), open("not-proven"));
        assert_eq!(deployed(Verdict::Proven, &["arm: another policy".into()], thread()), open("not-as-deployed"));
        assert_eq!(proven(WatchedThread { thread_id: 3, ..thread() }), open("not-judged"));
        let relative = WatchedThread { deadline_ns: None, due: None, missed: None, ..thread() };
        assert_eq!(proven(relative.clone()), open("not-judged"));
        assert_eq!(proven(WatchedThread { overruns: Some(1), ..thread() }), open("budget-exceeded"));
        assert_eq!(proven(WatchedThread { skipped: 1, ..thread() }), open("skipped"));
        assert_eq!(proven(WatchedThread { missed: Some(1), ..thread() }), (Outcome::Fail, "miss-observed".into()));
        let with_budget = WatchedThread { overruns: Some(2), ..relative };
        assert_eq!(judged(with_budget), (Outcome::Fail, "budget-exceeded".into()), "also without a deadline");
    }

    #[test]
    fn a_miss_a_skip_and_a_broken_budget_fail_and_what_was_not_seen_leaves_no_pass() {
        let cases = [
            (thread(), Outcome::Pass, "none-observed"),
            (WatchedThread { missed: Some(1), ..thread() }, Outcome::Fail, "miss-observed"),
            (WatchedThread { skipped: 1, ..thread() }, Outcome::Fail, "skipped"),
            (WatchedThread { overruns: Some(2), ..thread() }, Outcome::Fail, "budget-exceeded"),
            (WatchedThread { unseen: 1, ..thread() }, Outcome::Inconclusive, "unseen"),
            (WatchedThread { response: None, ..thread() }, Outcome::Inconclusive, "no-activation"),
            (WatchedThread { deadline_ns: None, missed: None, ..thread() }, Outcome::Inconclusive, "no-deadline"),
        ];
        for (thread, outcome, id) in cases {
            assert_eq!(judged(thread), (outcome, id.into()));
        }
        let woken = [WatchedThread { due: None, ..thread() }, thread()];
        let (_, reasons) = judge_program(ProgramEvidence { threads: &woken, ..ProgramEvidence::default() });
        assert_eq!(reasons[0].text, "no miss was observed in 20 activations");
        let (threads, unplaced) = ([thread()], [UnplacedPlace { place: "step".into(), why: "absent".into() }]);
        let seen = ProgramEvidence { threads: &threads, ..ProgramEvidence::default() };
        for evidence in [
            ProgramEvidence { unfollowed: 3, ..seen },
            ProgramEvidence { unplaced: &unplaced, ..seen },
            ProgramEvidence::default(),
        ] {
            assert_eq!(judge_program(evidence).0, Outcome::Inconclusive);
        }
    }

    #[test]
    fn a_deadline_that_is_a_found_period_is_written_as_in_the_table() {
        let text = |deadline_ns, is_deadline_found, max_ns| {
            let response = Some(WatchedQuantiles { max_ns, ..WatchedQuantiles::default() });
            let (deadline_ns, period_ns) = (Some(deadline_ns), Some(deadline_ns));
            let late =
                WatchedThread { missed: Some(1), deadline_ns, is_deadline_found, period_ns, response, ..thread() };
            of_thread(&late, false).remove(0).text
        };
        let found = text(9_999_990, true, 35_012_408);
        assert!(
            found.ends_with("1 of 10 activations missed the deadline of 10 ms; the worst took 35,012.408 µs"),
            "{found}"
        );
        let given = text(1_234_567, false, 35_012_408);
        assert!(given.contains("missed the deadline of 1,234.567 µs;"), "{given}");
        let narrow = text(9_999_990, true, 9_999_995);
        assert!(narrow.ends_with("missed the deadline of 9,999.99 µs; the worst took 9,999.995 µs"), "{narrow}");
    }

    #[test]
    fn rules_are_said_to_hold_where_there_are_some_and_nothing_speaks_against_a_pass() {
        let rule = |checked, broken| {
            let thread = WatchedRuleThread { checked, broken, ..WatchedRuleThread::default() }.judged();
            WatchedRule::judged("quick".into(), None, vec![thread])
        };
        let late = || WatchedThread { missed: Some(1), ..thread() };
        let cases: [(Vec<WatchedThread>, Vec<WatchedRule>, &[&str]); 7] = [
            (vec![thread()], vec![], &["none-observed"]),
            (vec![], vec![rule(1, 0)], &["rules-held"]),
            (vec![thread()], vec![rule(5, 0)], &["none-observed", "rules-held"]),
            (vec![late()], vec![rule(5, 0)], &["miss-observed"]),
            (vec![thread()], vec![rule(5, 0), rule(5, 1)], &["rule-broken"]),
            (vec![thread()], vec![rule(0, 0)], &["rule-unknown"]),
            (vec![], vec![], &["no-deadline"]),
        ];
        for (threads, rules, wanted) in &cases {
            let (_, reasons) = judge_program(ProgramEvidence { threads, rules, ..ProgramEvidence::default() });
            let ids: Vec<&str> = reasons.iter().map(|reason| reason.id.as_str()).collect();
            assert_eq!(ids, *wanted, "{threads:?} {rules:?}");
        }
        let text = |rules: &[WatchedRule]| {
            let (outcome, mut reasons) = judge_program(ProgramEvidence { rules, ..ProgramEvidence::default() });
            (outcome, reasons.remove(0).text)
        };
        assert_eq!(text(&[rule(1, 0)]), (Outcome::Pass, "1 rule held: no violation in 1 check".into()));
        assert_eq!(text(&[rule(1, 0), rule(4, 0)]), (Outcome::Pass, "2 rules held: no violation in 5 checks".into()));
    }
}
