//! Accounts of real commands on this machine: whole trees, every ending, nothing left.

use prazo_cost::command::{Output, Streams, Task};
use prazo_cost::{Account, CostError, Exit, cost};
use prazo_testing::{Need, Skipped, or_skip, skip, skipped};
use std::sync::Mutex;
use std::time::Duration;

/// A process has one tree of descendants, so accounts are taken one at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn task(words: &[&str]) -> Task {
    let streams = Streams { no_input: true, output: Output::Discarded };
    Task { streams, ..Task::new(words.iter().copied()).unwrap() }
}

fn account(task: &Task) -> Result<Account, CostError> {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    cost(task)
}

/// The account with its exit records; a skip where this machine gives none.
fn with_records(account: &Account) -> Result<&Account, Skipped> {
    if account.processes.value.is_none() {
        return Err(skipped(Need::ExitRecords, account.processes.reason.as_deref().unwrap_or_default()));
    }
    Ok(account)
}

#[test]
fn a_shell_with_two_children_is_three_processes() {
    let account = account(&task(&["sh", "-c", "/bin/true; /bin/true; exit 3"])).unwrap();
    assert_eq!((account.exit.exit, account.exit.status), (Exit::Exited { code: 3 }, 3));
    if let Ok(account) = with_records(&account) {
        assert_eq!((account.processes.value, account.tasks.value), (Some(3), Some(3)));
    }
}

#[test]
fn a_sleeping_command_is_blocked_and_a_busy_one_is_not() {
    let sleeps = account(&task(&["sleep", "0.3"])).unwrap();
    let works = account(&task(&["sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"])).unwrap();
    let (sleeps, works) = (or_skip!(with_records(&sleeps)), or_skip!(with_records(&works)));
    let share =
        |account: &Account| account.blocked_ns.value.unwrap_or(0) as f64 / account.wall_ns.value.unwrap() as f64;
    assert!(share(sleeps) > 0.5, "{sleeps:#?}");
    assert!(share(works) < 0.2, "{works:#?}");
    assert!(sleeps.blocked_ns.value.unwrap() >= 290_000_000, "a sleep is never shorter than asked");
}

/// What holds the command back until its counters are open is not the command. The least of several, since a page that is
/// read from a device is a sleep of the command's own.
#[test]
fn a_command_that_never_sleeps_has_no_sleep_of_ours_in_its_account() {
    let accounts: Vec<Account> = (0..8).map(|_| account(&task(&["/bin/true"])).unwrap()).collect();
    let _account = or_skip!(with_records(&accounts[0]));
    let least = |figure: fn(&Account) -> Option<u64>| accounts.iter().filter_map(figure).min();
    assert_eq!(least(|account| account.voluntary_switches.value), Some(0), "{:#?}", accounts[0]);
    assert!(accounts.iter().all(|account| account.processes.value == Some(1)), "what held it back is no process of it");
    let share = |account: &Account| Some(account.blocked_ns.value? * 10 / account.wall_ns.value?);
    assert_eq!(least(share), Some(0), "less than a tenth of it was blocked: {:#?}", accounts[0]);
}

/// What /proc says of a child that has ended and is not collected yet: its switches, the last one included.
fn switches_when_ended(words: &[&str]) -> u64 {
    let mut child = std::process::Command::new(words[0]).args(&words[1..]).spawn().unwrap();
    let status = loop {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        if status.contains("State:\tZ") {
            break status;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    // It may still be on its way out of its processor.
    std::thread::sleep(Duration::from_millis(20));
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or(status);
    child.wait().unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    line.unwrap().trim().parse().unwrap()
}

/// `sleep` sleeps once. The least of several, as above.
#[test]
fn the_switch_away_from_a_process_that_has_ended_is_left_out_and_said_to_be() {
    let nap = ["sleep", "0.02"];
    let accounts: Vec<Account> = (0..8).map(|_| account(&task(&nap)).unwrap()).collect();
    or_skip!(with_records(&accounts[0]));
    assert_eq!(accounts.iter().filter_map(|account| account.voluntary_switches.value).min(), Some(1));
    // An account collects every child of this process, so a child of our own must not run beside one.
    let turn = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    assert_eq!((0..8).map(|_| switches_when_ended(&nap)).min(), Some(2), "the kernel counts one more");
    drop(turn);
    let left_out = accounts[0].voluntary_switches.leaves_out.expect("something is left out");
    assert!(left_out.contains("the switch away from a task that has ended"), "{left_out}");
}

#[test]
fn commands_that_do_not_exist_or_cannot_be_executed_give_the_statuses_of_env() {
    let missing = account(&task(&["/nowhere/at/all"])).unwrap_err();
    let folder = account(&task(&["/"])).unwrap_err();
    assert_eq!((missing.status(), folder.status()), (127, 126), "{missing} {folder}");
    assert_eq!(account(&task(&["no-such-command-anywhere"])).unwrap_err().status(), 127);
    assert!(Task::new(Vec::<String>::new()).is_err() && Task::new(["a\0b"]).is_err());
}

#[test]
fn a_killed_command_passes_on_what_a_shell_would() {
    let account = account(&task(&["sh", "-c", "kill -KILL $$"])).unwrap();
    assert_eq!((account.exit.exit, account.exit.status), (Exit::Killed { signal: 9 }, 137));
}

#[test]
fn a_command_that_was_stopped_and_continued_is_seen_to_have_been() {
    let account = account(&task(&["sh", "-c", "(sleep 0.2; kill -CONT $$) & kill -STOP $$; wait"])).unwrap();
    assert_eq!((account.exit.status, account.exit.stops), (0, 1));
}

#[test]
fn a_command_beyond_its_limit_is_ended_with_its_descendants() {
    let limited = Task { limit: Some(Duration::from_millis(300)), ..task(&["sh", "-c", "sleep 61 & sleep 61; true"]) };
    let account = account(&limited).unwrap();
    assert!(account.exit.limit_reached);
    assert_eq!((account.exit.exit, account.exit.ended_by_us), (Exit::Killed { signal: 15 }, 2), "{:?}", account.exit);
}

#[test]
fn a_command_beyond_its_limit_may_clean_up_and_one_that_will_not_end_is_killed() {
    let limited = |script| Task { limit: Some(Duration::from_millis(300)), ..task(&["sh", "-c", script]) };
    let cleans = account(&limited("trap 'exit 6' TERM; sleep 61 & wait")).unwrap();
    assert_eq!((cleans.exit.exit, cleans.exit.limit_reached), (Exit::Exited { code: 6 }, true));
    let refuses = account(&limited("trap '' TERM; sleep 61; true")).unwrap();
    assert_eq!((refuses.exit.exit, refuses.exit.ended_by_us), (Exit::Killed { signal: 9 }, 1), "{:?}", refuses.exit);
}

#[test]
fn waiting_for_devices_is_part_of_being_blocked() {
    let account = account(&task(&["sh", "-c", "cat /usr/bin/* | wc -c"])).unwrap();
    let Some(io_wait_ns) = account.io_wait_ns.value else {
        skip!(Need::SchedulerStatistics, "{}", account.io_wait_ns.reason.unwrap_or_default());
    };
    assert!(account.blocked_ns.value.is_none_or(|blocked_ns| io_wait_ns <= blocked_ns), "{account:#?}");
}

#[test]
fn children_left_behind_are_counted_until_their_limit_and_then_ended() {
    let leaves = "setsid sleep 61 >&- 2>&- & sleep 62 & (sleep 0.1; /bin/true; :) & exit 0";
    let limited = Task { left_behind_limit: Duration::from_secs(3), ..task(&["sh", "-c", leaves]) };
    let account = account(&limited).unwrap();
    assert_eq!((account.exit.status, account.exit.limit_reached), (0, false));
    assert!(account.exit.left_behind >= 2, "{:?}", account.exit);
    assert_eq!(account.exit.ended_by_us, 2, "the long sleeps alone were ended");
    assert!(account.wall_ns.value.unwrap() < 3_000_000_000, "the wall time is the command's own");
    if let Ok(account) = with_records(&account) {
        assert_eq!(account.processes.value, Some(6), "the shell, two sleeps, the subshell and its two children");
    }
}

/// The command ignores SIGCHLD, so that the kernel collects its 5,000 children itself and rusage never hears of them; each
/// leaves a grandchild that is adopted.
const TEN_THOUSAND: &str = r"
import os, signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(5000):
    if os.fork() == 0:
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
";

#[test]
fn ten_thousand_short_lived_descendants_that_nobody_collects_are_all_counted() {
    let account = account(&task(&["/usr/bin/env", "python3", "-c", TEN_THOUSAND])).unwrap();
    assert_eq!(account.exit.status, 0, "python3 runs");
    let account = or_skip!(with_records(&account));
    let processes = account.processes.value.unwrap();
    // A shim before the interpreter may add a few of its own.
    assert!((10_001..10_100).contains(&processes), "{processes} processes");
    assert_eq!(account.exit.ended_by_us, 0);
}

#[test]
fn what_runs_apart_is_not_in_the_account_and_has_its_own_figure() {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut server = std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
    let result = cost(&Task { apart: vec![server.id()], ..task(&["sleep", "0.2"]) });
    server.kill().unwrap();
    server.wait().unwrap();
    let account = result.unwrap();
    assert_eq!((account.exit.left_behind, account.exit.ended_by_us), (0, 0));
    let apart_ns = account.apart_ns.as_ref().and_then(|figure| figure.value).unwrap();
    let own_ns = account.user_ns.value.unwrap() + account.system_ns.value.unwrap();
    assert!(apart_ns > own_ns, "it worked all the time: {apart_ns} ns, and the sleep {own_ns} ns");
    if let Ok(account) = with_records(&account) {
        assert_eq!(account.processes.value, Some(1));
    }
}

#[test]
fn what_runs_apart_and_ends_ends_the_run() {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut server = std::process::Command::new("sh").args(["-c", "sleep 0.2; exit 3"]).spawn().unwrap();
    let apart = vec![server.id()];
    let error = cost(&Task { apart, ..task(&["sleep", "61"]) }).unwrap_err();
    assert!(matches!(error, CostError::Apart { exit: Exit::Exited { code: 3 }, .. }), "{error}");
    assert_eq!(error.status(), 125);
    assert!(server.wait().is_err(), "the account has collected it");
}
