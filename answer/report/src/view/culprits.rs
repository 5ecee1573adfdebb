//! Who made the activations of watched threads late: the worst ones, the causes of all, and who took the time.

use super::{Cell, Section, Table};
use crate::content::{ReportContent, RunEvidence};
use crate::words;
use prazo_core::text::counted;
use prazo_run::watched::{WatchedAccount, WatchedWorst};

/// How many of the worst activations a report lists.
const WORST_SHOWN: usize = 12;
/// Names in one cell; the others are summed.
const NAMES_SHOWN: usize = 5;

/// The tables of watched threads; nothing where no thread was watched.
pub fn section(content: &ReportContent) -> Section {
    Section::new("culprits", "Causes of late activations of watched threads")
        .show(worst(content))
        .show(causes(content))
        .show(taken(content))
}

fn accounts(content: &ReportContent) -> impl Iterator<Item = (&RunEvidence, &WatchedAccount)> {
    content.runs.iter().flat_map(|run| run.run.watched.iter().map(move |account| (run, account)))
}

/// The worst activations of all watched threads with a deadline, longest response first; without one, of all threads.
pub fn worst_activations(content: &ReportContent) -> Vec<(&RunEvidence, &WatchedAccount, &WatchedWorst)> {
    let is_judged = |account: &WatchedAccount| account.thread.deadline_ns.is_some();
    let any_judged = accounts(content).any(|(_, account)| is_judged(account));
    let mut all: Vec<_> = accounts(content)
        .filter(|(_, account)| is_judged(account) || !any_judged)
        .flat_map(|(run, account)| account.figures.worst.iter().map(move |worst| (run, account, worst)))
        .collect();
    all.sort_by_key(|(.., worst)| std::cmp::Reverse(worst.response_ns));
    all
}

fn worst(content: &ReportContent) -> Table {
    let all = worst_activations(content);
    let rows = all.iter().take(WORST_SHOWN).map(|(run, account, worst)| {
        let ns = |ns: u64| Cell::latency(Some(i64::try_from(ns).unwrap_or(i64::MAX)));
        vec![
            run.run.name.as_str().into(),
            account.thread.to_string().into(),
            ns(worst.response_ns),
            worst.cause.as_str().into(),
            worst.who.as_deref().unwrap_or(words::ABSENT).into(),
            worst.sentence.as_str().into(),
        ]
    });
    let shown = all.len().min(WORST_SHOWN);
    let caption = format!("The {shown} worst of {}", counted(all.len() as u64, "explained activation"));
    let table = Table::new(caption, &["Run", "Thread", "#Response", "Cause", "Who", "What took the time"]).with(rows);
    table.note("The words for causes are explained in docs/watch.md.")
}

fn causes(content: &ReportContent) -> Table {
    let row = |(run, account): (&RunEvidence, &WatchedAccount)| {
        let causes = account.figures.causes.as_ref().filter(|causes| !causes.by_cause.is_empty())?;
        let missed: u64 = causes.by_cause.values().sum();
        Some(vec![
            run.run.name.as_str().into(),
            account.thread.to_string().into(),
            Cell::count(Some(missed)),
            causes.texts().join(", ").into(),
            causes.who_texts(NAMES_SHOWN).join(", ").into(),
        ])
    };
    Table::new("Causes of all missed activations", &["Run", "Thread", "#Missed", "By cause", "Caused by"])
        .with(accounts(content).filter_map(row))
        .note("Counts are those of the whole watch, even if the run file keeps only the end of the watch.")
}

fn taken(content: &ReportContent) -> Table {
    let row = |(run, account): (&RunEvidence, &WatchedAccount)| {
        let of = &account.figures;
        let texts = [&of.preempted_by, &of.blocked_in].map(|taken| taken.texts(NAMES_SHOWN).join(", "));
        let [preempted, blocked] = texts.map(|text| if text.is_empty() { words::ABSENT.to_owned() } else { text });
        vec![
            run.run.name.as_str().into(),
            account.thread.to_string().into(),
            preempted.into(),
            blocked.into(),
            Cell::count(Some(of.migrations)),
        ]
    };
    let columns = ["Run", "Thread", "Preempted or interrupted by", "Blocked in", "#Migrations"];
    Table::new("Time taken within activations, with the number of activations", &columns)
        .with(accounts(content).map(row))
        .note("Interrupts and softirqs are counted only in activations for which the processors' events were read.")
        .folded()
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::Run;
    use prazo_run::watched::{MissCauses, MissesBy, SeriesThread, TakenBy, TimeTaken, WatchedFigures};

    const SENTENCE: &str = "ran after 20 µs, waited again after 18,177 µs: 18,091 µs hog ran instead";

    fn account(deadline_ns: Option<u64>) -> WatchedAccount {
        let worst = WatchedWorst {
            response_ns: 18_177_000,
            cause: "thread".into(),
            who: Some("hog".into()),
            sentence: SENTENCE.into(),
            ..WatchedWorst::default()
        };
        let by_who = vec![MissesBy { cause: "thread".into(), who: "hog".into(), count: 7 }];
        let by_cause = [("thread".to_owned(), 7), ("unknown".to_owned(), 2)].into();
        let hog = TakenBy { cause: "thread".into(), wait: None, who: Some("hog".into()), count: 9, total_ns: 30_000 };
        WatchedAccount {
            thread: SeriesThread { thread_id: 8, name: "ctl".into(), deadline_ns, ..SeriesThread::default() },
            figures: WatchedFigures {
                causes: Some(MissCauses { by_cause, by_who, others: 0, unnamed: 2 }),
                preempted_by: TimeTaken { by: vec![hog], others: 1, others_ns: 5_000 },
                worst: vec![worst],
                ..WatchedFigures::default()
            },
        }
    }

    fn evidence(watched: Vec<WatchedAccount>) -> ReportContent {
        let run = Run { name: "one".into(), watched, ..Run::default() };
        let summary = prazo_stats::summarise(&run);
        ReportContent {
            runs: vec![RunEvidence { run, summary, misses: None, is_control: false }],
            ..ReportContent::default()
        }
    }

    #[test]
    fn a_watched_run_shows_who_made_it_late_and_how_often() {
        let section = section(&evidence(vec![account(Some(1_000_000))]));
        let rows = section.tables.iter().flat_map(|table| &table.rows);
        let texts: Vec<Vec<&str>> = rows.map(|row| row.iter().map(|cell| cell.text.as_str()).collect()).collect();
        assert_eq!((texts[0][1], &texts[0][3..]), ("8 ctl", &["thread", "hog", SENTENCE][..]));
        assert_eq!(texts[1][2..], ["9", "thread 7, unknown 2", "hog 7, not known 2"]);
        assert_eq!(texts[2][2..], ["thread hog 30 µs (9), others 5 µs (1)", words::ABSENT, "0"]);
    }

    #[test]
    fn threads_without_a_deadline_are_named_only_where_none_has_one() {
        let named = |deadlines: [Option<u64>; 2]| worst_activations(&evidence(deadlines.map(account).to_vec())).len();
        assert_eq!([named([None, None]), named([None, Some(1)])], [2, 1]);
        assert!(section(&evidence(Vec::new())).tables.is_empty(), "other runs have no such section");
    }
}
