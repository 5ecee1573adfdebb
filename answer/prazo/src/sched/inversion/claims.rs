//! What Marsal 2013 says of inversion, held against what each system did.

use super::row::{Row, Seen, System};
use prazo_run::jobs::LockProtocol;
use schemars::JsonSchema;
use serde::Serialize;

/// What two responses to the same work may differ by, and the least by which an unbounded wait grows, as a share of what the middle
/// task executes more.
const SAME_SHARE: f64 = 0.1;
const GROWTH_SHARE: f64 = 0.9;
/// Marsal 2013's number of switches that are of no use, for three nested tasks.
const OF_NO_USE: u64 = 4;

/// One claim, and whether it holds on one system.
#[derive(Serialize, JsonSchema)]
pub struct Claim {
    /// The claim, as a sentence.
    pub claim: &'static str,
    /// The system on which the claim was checked.
    pub system: System,
    /// Whether the claim holds; null if the runs on the system cannot decide it, for example with a single execution
    /// time of the middle task.
    pub holds: Option<bool>,
}

/// A row with what a system did.
type Ran<'a> = (&'a Row, Seen);

/// A sentence, the rows that decide it, and how.
struct Test {
    claim: &'static str,
    is_decided_by: fn(&Row) -> bool,
    /// `None` where these rows cannot tell.
    holds: fn(&[Ran<'_>]) -> Option<bool>,
}

const TESTS: [Test; 3] = [
    Test {
        claim: "without inheritance the most urgent task waits while the middle task executes (Marsal 2013)",
        is_decided_by: |row| row.middle_ns.is_some() && row.protocol == LockProtocol::Plain,
        holds: is_unbounded,
    },
    Test {
        claim: "with inheritance or a ceiling the most urgent task waits only for the critical section, however long \
                the middle task executes (Marsal 2013)",
        is_decided_by: |row| row.middle_ns.is_some() && row.protocol != LockProtocol::Plain,
        holds: is_bounded,
    },
    Test {
        claim: "with nested locks, inheritance adds four context switches until the most urgent of three tasks completes, compared with a run without locks (Marsal 2013)",
        is_decided_by: |row| row.middle_ns.is_none() && row.protocol != LockProtocol::Protect,
        holds: takes_four_more,
    },
];

/// Every claim on every system.
pub(crate) fn of(rows: &[Row]) -> Vec<Claim> {
    let on = |test: &Test, system: System| {
        let ran = ran(rows, system, test.is_decided_by);
        Claim { claim: test.claim, system, holds: ran.and_then(|ran| (test.holds)(&ran)) }
    };
    TESTS.iter().flat_map(|test| System::ALL.map(|system| on(test, system))).collect()
}

/// What a system did of some rows; `None` where it did not run one that it could.
fn ran(rows: &[Row], system: System, which: fn(&Row) -> bool) -> Option<Vec<Ran<'_>>> {
    let asked = rows.iter().filter(|row| which(row) && system.has(row.protocol));
    asked.map(|row| Some((row, row.seen(system)?))).collect()
}

/// What the middle task executed, and the response; `None` where the most urgent one did not end.
fn responses(ran: &[Ran<'_>]) -> Option<Vec<(u64, u64)>> {
    ran.iter().map(|(row, seen)| Some((row.middle_ns?, seen.response_ns?))).collect()
}

/// One time of the middle task alone shows that the wait is as long, and not that it grows.
fn is_unbounded(ran: &[Ran<'_>]) -> Option<bool> {
    let Some(mut all) = responses(ran) else { return Some(false) };
    all.sort_unstable();
    all.dedup_by_key(|(middle, _)| *middle);
    let grew =
        |two: &[(u64, u64)]| two[1].1.saturating_sub(two[0].1) as f64 >= GROWTH_SHARE * (two[1].0 - two[0].0) as f64;
    let is_as_long = all.iter().all(|(middle, response)| response >= middle) && all.windows(2).all(grew);
    if is_as_long && all.len() < 2 { None } else { Some(is_as_long) }
}

/// All responses alike, and like the simulator's, in which nothing else takes time.
fn is_bounded(ran: &[Ran<'_>]) -> Option<bool> {
    let responses = responses(ran).unwrap_or_default();
    let simulated = ran.iter().filter_map(|(row, _)| row.simulator.response_ns);
    let all: Vec<u64> = responses.iter().map(|of| of.1).chain(simulated).collect();
    let (least, most) = (all.iter().min()?, all.iter().max()?);
    Some(responses.len() == ran.len() && (most - least) as f64 <= SAME_SHARE * *least as f64)
}

fn takes_four_more(ran: &[Ran<'_>]) -> Option<bool> {
    let switches = |protocol: LockProtocol| {
        ran.iter()
            .find(|(row, seen)| row.protocol == protocol && seen.response_ns.is_some())
            .map(|(_, seen)| seen.switches)
    };
    let (locked, unlocked) = (switches(LockProtocol::Inherit), switches(LockProtocol::Plain));
    Some(locked.zip(unlocked).is_some_and(|(locked, unlocked)| locked == unlocked + OF_NO_USE))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn row(protocol: LockProtocol, middle_ms: Option<u64>, (response_ms, switches): (u64, u64)) -> Row {
        let seen = Seen { response_ns: Some(response_ms * MS), switches };
        Row {
            name: String::new(),
            protocol,
            middle_ns: middle_ms.map(|ms| ms * MS),
            bound_ns: None,
            bound_why_not: Some("no protocol"),
            linux: seen,
            simulator: seen,
            kernel: None,
            kernel_why_not: Some("no image".into()),
        }
    }

    fn rows(wait_ms: u64, bound_ms: u64, nested: u64) -> Vec<Row> {
        vec![
            row(LockProtocol::Plain, Some(40), (54, 5)),
            row(LockProtocol::Plain, Some(80), (54 + wait_ms, 5)),
            row(LockProtocol::Inherit, Some(40), (14, 3)),
            row(LockProtocol::Protect, Some(80), (bound_ms, 2)),
            row(LockProtocol::Plain, None, (10, 2)),
            row(LockProtocol::Inherit, None, (55, nested)),
            row(LockProtocol::Protect, None, (40, 1)),
        ]
    }

    fn on(rows: &[Row], system: System) -> Vec<Option<bool>> {
        of(rows).iter().filter(|claim| claim.system == system).map(|claim| claim.holds).collect()
    }

    #[test]
    fn a_claim_holds_or_does_not_by_what_was_seen() {
        assert_eq!(on(&rows(40, 14, 6), System::Linux), [Some(true); 3]);
        assert_eq!(on(&rows(30, 14, 6), System::Linux), [Some(false), Some(true), Some(true)]);
        assert_eq!(on(&rows(40, 18, 6), System::Linux), [Some(true), Some(false), Some(true)]);
        assert_eq!(on(&rows(40, 14, 5), System::Linux), [Some(true), Some(true), Some(false)]);
    }

    #[test]
    fn four_switches_more_are_counted_from_the_run_without_locks() {
        let mut rows = rows(40, 14, 6);
        rows[4].linux.switches = 3;
        assert_eq!(on(&rows, System::Linux)[2], Some(false));
        assert_eq!(on(&rows, System::Simulator)[2], Some(true));
    }

    #[test]
    fn what_a_system_did_not_run_decides_nothing_and_what_it_cannot_run_is_not_missed() {
        let mut rows = rows(40, 14, 6);
        assert_eq!(on(&rows, System::Kernel), [None; 3]);
        rows.iter_mut()
            .filter(|row| row.protocol != LockProtocol::Protect)
            .for_each(|row| row.kernel = Some(row.linux));
        assert_eq!(on(&rows, System::Kernel), [Some(true); 3]);
    }

    #[test]
    fn one_time_of_the_middle_task_shows_no_growth_and_a_long_wait_is_not_bounded_by_being_alone() {
        let mut rows = rows(40, 14, 6);
        rows.retain(|row| row.middle_ns.is_none_or(|ns| ns == 40 * MS));
        assert_eq!(on(&rows, System::Linux), [None, Some(true), Some(true)]);
        rows[1].linux.response_ns = Some(54 * MS);
        assert_eq!(on(&rows, System::Linux)[1], Some(false), "the simulator has 14 ms");
    }

    #[test]
    fn a_wait_that_shrinks_does_not_grow() {
        let mut rows = rows(40, 14, 6);
        rows[0].linux.response_ns = Some(140 * MS);
        assert_eq!(on(&rows, System::Linux)[0], Some(false));
    }

    #[test]
    fn a_task_that_never_ended_holds_no_claim() {
        let mut rows = rows(40, 14, 6);
        rows.iter_mut().for_each(|row| row.linux.response_ns = None);
        assert_eq!(on(&rows, System::Linux), [Some(false); 3]);
    }
}
