//! The journal puts knobs back: in any order, for any dead owner, and never for a live one or another boot.

use prazo_platform::Root;
use prazo_platform::tunable::{Journal, JournalError, Owner, Tunable, TuneError, Undone};
use proptest::prelude::*;
use std::path::Path;

const KNOB: &str = "/proc/sys/kernel/timer_migration";

struct Machine {
    folder: tempfile::TempDir,
    journal: Journal,
}

fn machine() -> Machine {
    let folder = tempfile::tempdir().unwrap();
    let knob = folder.path().join(&KNOB[1..]);
    std::fs::create_dir_all(knob.parent().unwrap()).unwrap();
    std::fs::write(&knob, "1\n").unwrap();
    let journal = Journal::open_in(&folder.path().join("state"), &Root::at(folder.path())).unwrap();
    Machine { folder, journal }
}

impl Machine {
    fn value(&self) -> String {
        self.journal.root().read(KNOB).unwrap()
    }

    fn journal_file(&self) -> std::path::PathBuf {
        self.journal.folder().join("journal.json")
    }

    /// Changes the journal's text, as another boot or another process would have written it.
    fn rewrite(&self, from: &str, to: &str) {
        let text = std::fs::read_to_string(self.journal_file()).unwrap();
        assert!(text.contains(from), "{text}");
        std::fs::write(self.journal_file(), text.replace(from, to)).unwrap();
    }
}

fn knob() -> Tunable {
    Tunable::file(KNOB).unwrap()
}

#[test]
fn a_held_knob_is_set_read_back_recorded_and_put_back() {
    let machine = machine();
    let held = machine.journal.hold(&knob(), "0").unwrap();
    assert_eq!((machine.value().as_str(), machine.journal.entries().unwrap().len()), ("0", 1));
    let record = held.release();
    assert_eq!((record.before.as_deref(), record.effective.as_deref()), (Some("1"), Some("0")));
    assert!(record.restored && record.took_effect());
    assert_eq!((machine.value().as_str(), machine.journal.entries().unwrap().len()), ("1", 0));
    drop(machine.journal.hold(&knob(), "0").unwrap());
    assert_eq!(machine.value(), "1", "dropping is releasing");
}

#[test]
fn a_knob_that_is_going_to_be_set_is_put_back_whether_it_was_or_not() {
    let machine = machine();
    for sets in [true, false] {
        let held = machine.journal.hold_ahead(&knob(), "0").unwrap();
        assert_eq!((machine.value().as_str(), machine.journal.entries().unwrap().len()), ("1", 1));
        if sets {
            machine.journal.root().write(KNOB, "0").unwrap();
        }
        assert!(held.release().restored);
        assert_eq!((machine.value().as_str(), machine.journal.entries().unwrap().len()), ("1", 0));
    }
}

#[test]
fn a_live_owner_is_never_undone_by_somebody_else() {
    let machine = machine();
    let held = machine.journal.hold(&knob(), "0").unwrap();
    assert_eq!(machine.journal.recover().unwrap(), []);
    assert_eq!(machine.journal.undo_applied().unwrap(), []);
    assert_eq!(machine.value(), "0");
    drop(held);
}

#[test]
fn a_dead_owner_is_undone_at_the_next_start() {
    let machine = machine();
    let held = machine.journal.hold(&knob(), "0").unwrap();
    let pid = format!("\"pid\": {}", std::process::id());
    machine.rewrite(&pid, &format!("\"pid\": {}", u32::MAX));
    let again = Journal::open_in(machine.journal.folder(), machine.journal.root()).unwrap();
    assert_eq!(again.recover().unwrap(), [Undone::Restored { path: KNOB.into() }]);
    assert_eq!(machine.value(), "1");
    assert!(held.release().restored, "the owner, were it still there, finds it done");
}

#[test]
fn another_boots_change_ended_with_it() {
    let machine = machine();
    machine.journal.apply(&knob(), "0").unwrap();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    machine.rewrite(boot.trim(), "00000000-0000-0000-0000-000000000000");
    assert_eq!(machine.journal.undo_applied().unwrap(), [Undone::Discarded { path: KNOB.into() }]);
    assert_eq!(machine.value(), "0", "it is whoever booted with that value who wants it");
    assert_eq!(machine.journal.entries().unwrap(), []);
}

#[test]
fn what_was_applied_stays_until_it_is_undone() {
    let machine = machine();
    let record = machine.journal.apply(&knob(), "0").unwrap();
    assert!(record.took_effect() && !record.restored);
    assert_eq!(machine.journal.recover().unwrap(), []);
    assert_eq!(machine.journal.entries().unwrap()[0].owner, Owner::Applied);
    assert_eq!(machine.journal.undo_applied().unwrap(), [Undone::Restored { path: KNOB.into() }]);
    assert_eq!(machine.value(), "1");
    assert_eq!(machine.journal.undo_applied().unwrap(), [], "undoing twice does nothing");
}

#[test]
fn a_change_by_hand_is_left_alone() {
    let machine = machine();
    let held = machine.journal.hold(&knob(), "0").unwrap();
    machine.journal.root().write(KNOB, "7").unwrap();
    assert!(!held.release().restored);
    assert_eq!(machine.value(), "7");
    assert_eq!(machine.journal.entries().unwrap(), []);
}

/// Found by tests/killed.rs: the later holder dies after it has put the knob back and before it has crossed out its entry,
/// and then the earlier one lets go.
#[test]
fn a_holder_that_dies_while_it_puts_back_is_not_taken_for_a_change_by_hand() {
    let machine = machine();
    let (earlier, later) = (machine.journal.hold(&knob(), "5").unwrap(), machine.journal.hold(&knob(), "8").unwrap());
    std::mem::forget(later);
    machine.journal.root().write(KNOB, "5").unwrap();
    assert!(!earlier.release().restored, "the later one answers for it now");
    machine.rewrite(&format!("\"pid\": {}", std::process::id()), &format!("\"pid\": {}", u32::MAX));
    assert_eq!(machine.journal.recover().unwrap(), [Undone::Restored { path: KNOB.into() }]);
    assert_eq!(machine.value(), "1");
}

#[test]
fn a_refused_change_is_an_error_and_leaves_no_entry() {
    let machine = machine();
    let absent = machine.journal.hold(&Tunable::swappiness(), "1").unwrap_err();
    assert!(matches!(&absent, TuneError::Refused { .. }));
    assert_eq!(absent.to_string(), "cannot set /proc/sys/vm/swappiness to '1': /proc/sys/vm/swappiness does not exist");
    let folder = machine.journal.hold_folder("/sys/fs/cgroup/absent/prazo").unwrap_err().to_string();
    assert_eq!(folder, "cannot make a new folder: /sys/fs/cgroup/absent/prazo does not exist");
    assert_eq!(machine.journal.entries().unwrap(), []);
}

#[test]
fn a_knob_that_cannot_be_put_back_stays_in_the_journal() {
    let machine = machine();
    machine.journal.apply(&knob(), "0").unwrap();
    let path = machine.folder.path().join(&KNOB[1..]);
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert!(matches!(machine.journal.undo_applied().unwrap()[..], [Undone::Failed { .. }]));
    std::fs::remove_dir(&path).unwrap();
    std::fs::write(&path, "0").unwrap();
    assert_eq!(machine.journal.undo_applied().unwrap(), [Undone::Restored { path: KNOB.into() }]);
    assert_eq!(machine.value(), "1");
}

#[test]
fn a_journal_of_another_version_asks_for_the_prazo_that_wrote_it() {
    let machine = machine();
    machine.journal.apply(&knob(), "0").unwrap();
    std::fs::write(machine.journal_file(), r#"{"version": 2, "settings": []}"#).unwrap();
    let refused = machine.journal.recover().unwrap_err();
    assert!(matches!(refused, JournalError::OtherVersion { found: 2, read: 1, .. }), "{refused}");
    assert!(refused.to_string().contains("with the prazo that wrote it"), "{refused}");
    assert_eq!(machine.value(), "0");
}

#[test]
fn a_damaged_journal_stops_every_change() {
    let machine = machine();
    machine.journal.apply(&knob(), "0").unwrap();
    let whole = std::fs::read(machine.journal_file()).unwrap();
    std::fs::write(machine.journal_file(), &whole[..whole.len() / 2]).unwrap();
    assert!(matches!(machine.journal.recover(), Err(JournalError::Damaged { .. })));
    assert!(matches!(machine.journal.hold(&knob(), "5"), Err(TuneError::Journal(JournalError::Damaged { .. }))));
    assert_eq!(machine.value(), "0");
    std::fs::write(machine.journal_file(), &whole).unwrap();
    machine.rewrite(KNOB, "/etc/passwd");
    assert!(
        machine
            .journal
            .recover()
            .unwrap_err()
            .to_string()
            .contains("'/etc/passwd' is not a setting that prazo changes")
    );
}

#[test]
fn a_folder_that_others_may_write_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let machine = machine();
    let folder = machine.folder.path().join("open");
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    let refused = Journal::open_in(&folder, machine.journal.root()).unwrap_err();
    assert!(matches!(refused, JournalError::Shared { .. }), "{refused}");
    assert!(matches!(
        Journal::open_in(Path::new("/proc/none/state"), machine.journal.root()),
        Err(JournalError::Folder { .. })
    ));
}

#[test]
fn another_trees_entries_are_not_ours_to_undo() {
    let (machine, other) = (machine(), tempfile::tempdir().unwrap());
    machine.journal.apply(&knob(), "0").unwrap();
    let elsewhere = Journal::open_in(machine.journal.folder(), &Root::at(other.path())).unwrap();
    assert_eq!(elsewhere.undo_applied().unwrap(), []);
    assert_eq!(machine.value(), "0");
}

#[derive(Clone, Debug)]
enum Act {
    Hold(u8),
    Release(usize),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![(2_u8..6).prop_map(Act::Hold), (0_usize..4).prop_map(Act::Release)];
    proptest::collection::vec(act, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// The twin is one sentence: while anybody holds, the last of those who came decides (unless they came to a value and
    /// a later one left it); when nobody holds, it is as it was in the beginning.
    #[test]
    fn holders_who_leave_in_any_order_end_where_it_began(acts in acts()) {
        let machine = machine();
        let mut holders = Vec::new();
        for act in acts {
            match act {
                Act::Hold(value) => {
                    holders.push((value, machine.journal.hold(&knob(), &value.to_string()).unwrap()));
                    prop_assert_eq!(machine.value(), value.to_string());
                }
                Act::Release(index) if index < holders.len() => {
                    let (_, held) = holders.remove(index);
                    drop(held);
                    let expected = holders.last().map_or("1".to_owned(), |(value, _)| value.to_string());
                    prop_assert_eq!(machine.value(), expected);
                }
                Act::Release(_) => {}
            }
        }
        holders.into_iter().for_each(drop);
        prop_assert_eq!(machine.value(), "1");
        prop_assert_eq!(machine.journal.entries().unwrap().len(), 0);
    }
}

/// What a process that was killed leaves of a module that it had loaded.
fn module_of_the_dead(machine: &Machine, path: &str) {
    let kept = machine.journal.apply(&knob(), "0").unwrap();
    assert!(kept.took_effect());
    let text = std::fs::read_to_string(machine.journal_file()).unwrap();
    let mut all: serde_json::Value = serde_json::from_str(&text).unwrap();
    all["entries"][0]["step"] = serde_json::json!({ "kind": "module", "path": path });
    all["entries"][0]["owner"] =
        serde_json::json!({ "kind": "process", "pid": u32::MAX, "started_ticks": 1, "pid_namespace": namespace() });
    std::fs::write(machine.journal_file(), all.to_string()).unwrap();
}

fn namespace() -> String {
    std::fs::read_link("/proc/self/ns/pid").unwrap().display().to_string()
}

#[test]
fn a_dead_owners_module_is_removed_and_crossed_out() {
    const PATH: &str = "/sys/module/prazo_test_no_such_module";
    let machine = machine();
    module_of_the_dead(&machine, PATH);
    assert_eq!(machine.journal.recover().unwrap(), [Undone::Restored { path: PATH.into() }]);
    assert_eq!(machine.journal.entries().unwrap(), []);
}

#[test]
fn a_module_that_the_kernel_keeps_stays_in_the_journal() {
    const PATH: &str = "/sys/module/prazo_test_no_such_module";
    let machine = machine();
    let folder = machine.folder.path().join(&PATH[1..]);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("refcnt"), "1\n").unwrap();
    module_of_the_dead(&machine, PATH);
    assert!(matches!(machine.journal.recover().unwrap()[..], [Undone::Failed { .. }]));
    assert_eq!(machine.journal.entries().unwrap().len(), 1, "the next start tries again");
}

#[test]
fn a_journal_that_names_no_module_is_damaged() {
    let machine = machine();
    module_of_the_dead(&machine, "/sys/module/../kernel");
    assert!(matches!(machine.journal.recover(), Err(JournalError::Damaged { .. })));
}
