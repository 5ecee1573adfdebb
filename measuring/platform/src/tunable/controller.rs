//! A controller that a control group of version 2 offers to those below it (`+cpuset`), taken back when nobody uses it.
//!
//! The kernel takes one back from groups with settings without a word, and their settings with it; only groups that offer it on
//! keep it. So it is looked below first. Several may hold one controller: an offer that prazo made already is written down once
//! more, and whoever lets go last takes it back.

use super::TunableRecord;
use super::entry::JournaledChange;
use super::held::Held;
use super::journal::{Journal, JournalError, TuneError};
use super::owner::Owner;
use super::state::State;
use super::undo::Undone;
use crate::root::{Reading, Root, Unavailable};

/// What the file is called that lists what a group offers.
pub(super) const FILE: &str = "/cgroup.subtree_control";

/// What a cpuset of nobody's has in each of these files.
const UNSET: [(&str, &str); 4] =
    [("cpuset.cpus", ""), ("cpuset.cpus.exclusive", ""), ("cpuset.mems", ""), ("cpuset.cpus.partition", "member")];

impl Journal {
    /// Offers a controller to the groups below, by the file that lists what is offered; `None` where somebody else offers it
    /// already.
    pub fn hold_controller(&self, file: &str, controller: &str) -> Result<Option<Held>, TuneError> {
        let owner = Owner::this_process().map_err(JournalError::from)?;
        let mut state = State::lock(self.folder())?;
        let requested = format!("+{controller}");
        let refused = |why| TuneError::Refused { knob: file.to_owned(), requested: requested.clone(), why };
        let before = self.root().read(file).map_err(refused)?;
        let step = JournaledChange::Controller { path: file.to_owned(), controller: controller.to_owned() };
        let is_offered = lists(&before, controller);
        if is_offered && !state.entries().iter().any(|entry| entry.step == step && self.is_of_here(entry)) {
            return Ok(None);
        }
        let id = self.write_down(&mut state, owner, step)?;
        if let Err(why) = offer(self.root(), file, &requested, is_offered) {
            state.entries_mut().retain(|entry| entry.id != id);
            state.store()?;
            return Err(refused(why));
        }
        let effective = self.root().read(file).ok();
        let (knob, before) = (file.to_owned(), Some(before));
        let record = TunableRecord { knob, before, requested, effective, restored: false };
        Ok(Some(Held::new(self.clone(), Some(id), record)))
    }
}

fn offer(root: &Root, file: &str, word: &str, is_offered: bool) -> Reading<()> {
    if is_offered { Ok(()) } else { root.write(file, word) }
}

fn lists(text: &str, controller: &str) -> bool {
    text.split_whitespace().any(|name| name == controller)
}

/// Takes it back, unless somebody below uses it. A group that `is_ours` is no stranger who relies on it: once that is gone, the
/// offer can be taken back.
pub(super) fn take_back(root: &Root, file: &str, controller: &str, is_ours: &dyn Fn(&str) -> bool) -> Undone {
    let path = file.to_owned();
    match root.read(file) {
        Ok(offered) if lists(&offered, controller) => {}
        Ok(_) | Err(Unavailable::Absent { .. }) => return Undone::Restored { path },
        Err(error) => return Undone::Failed { path, why: error.to_string() },
    }
    match user_below(root, file.trim_end_matches(FILE), controller) {
        Some(group) if is_ours(&group) => {
            return Undone::Failed { path, why: format!("the control group {group}, which prazo made, still exists") };
        }
        Some(group) => return Undone::InUse { path, by: format!("the control group {group}") },
        None => {}
    }
    match root.write(file, &format!("-{controller}")).and_then(|()| root.read(file)) {
        Ok(now) if !lists(&now, controller) => Undone::Restored { path },
        Ok(now) => Undone::Failed { path, why: format!("wrote '-{controller}', read back '{now}'") },
        Err(error) => Undone::Failed { path, why: error.to_string() },
    }
}

/// A group right below that offers the controller on, or has settings of its own where it is the cpusets'.
fn user_below(root: &Root, folder: &str, controller: &str) -> Option<String> {
    let names = root.list(folder).unwrap_or_default();
    let mut groups = names.iter().map(|name| format!("{folder}/{name}"));
    groups.find(|group| {
        let read = |file: &str| root.read(&format!("{group}/{file}")).ok();
        let is_set = |(file, unset): &(&str, &str)| read(file).is_some_and(|found| found.trim() != *unset);
        read(&FILE[1..]).is_some_and(|offered| lists(&offered, controller))
            || (controller == "cpuset" && UNSET.iter().any(is_set))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree_of_files::tree;

    const ROOTS: &str = "/sys/fs/cgroup/cgroup.subtree_control";

    /// What becomes of the offer among these groups, and what the file holds then.
    fn taken_back(offered: &str, groups: &[(&str, &str)]) -> (Undone, String) {
        let below: Vec<_> = groups.iter().map(|(file, text)| (format!("sys/fs/cgroup/{file}"), *text)).collect();
        let mut files = vec![(&ROOTS[1..], offered)];
        files.extend(below.iter().map(|(file, text)| (file.as_str(), *text)));
        let (_folder, root) = tree(&files);
        (take_back(&root, ROOTS, "cpuset", &|_| false), root.read(ROOTS).unwrap())
    }

    #[test]
    fn an_offer_is_taken_back_where_nobody_has_settings() {
        let unused =
            [("a/cpuset.cpus", "\n"), ("a/cpuset.cpus.partition", "member\n"), ("a/cgroup.subtree_control", "\n")];
        let (undone, file) = taken_back("cpuset cpu\n", &unused);
        assert_eq!((undone.is_restored(), file.as_str()), (true, "-cpuset"), "a copied tree keeps the word");
        let (undone, file) = taken_back("cpu\n", &unused);
        assert_eq!((undone.is_restored(), file.as_str()), (true, "cpu"), "it is gone already");
    }

    #[test]
    fn an_offer_that_a_group_relies_on_is_left_and_the_group_is_named() {
        let uses = [
            ("a/cpuset.cpus", "1-2\n"),
            ("a/cpuset.mems", "0\n"),
            ("a/cpuset.cpus.partition", "root invalid (Cpu list is empty)\n"),
            ("a/cgroup.subtree_control", "cpuset memory\n"),
        ];
        for one in uses {
            let (undone, file) = taken_back("cpuset cpu\n", &[("b/cpuset.cpus", "\n"), one]);
            let by = "the control group /sys/fs/cgroup/a".to_owned();
            assert_eq!((undone, file.as_str()), (Undone::InUse { path: ROOTS.into(), by }, "cpuset cpu"), "{one:?}");
        }
    }

    #[test]
    fn a_group_of_our_own_that_would_not_go_is_waited_for() {
        let (folder, root) = tree(&[(&ROOTS[1..], "cpu\n")]);
        let journal = Journal::open_in(&folder.path().join("state"), &root).unwrap();
        let offer = journal.hold_controller(ROOTS, "cpuset").unwrap().expect("it was not offered");
        root.write(ROOTS, "cpuset cpu").unwrap();
        let group = journal.hold_folder("/sys/fs/cgroup/prazo-1-cpu1-one").unwrap();
        let set = folder.path().join("sys/fs/cgroup/prazo-1-cpu1-one/cpuset.cpus");
        std::fs::write(&set, "1\n").unwrap();
        assert!(!offer.release().restored, "its group has settings");
        std::fs::remove_file(&set).unwrap();
        assert!(group.release().restored);
        assert_eq!(journal.entries().unwrap().len(), 1, "the offer is still to be taken back");
    }

    #[test]
    fn somebody_elses_offer_is_nobodys_to_take_back_and_ours_stands_until_the_last_lets_go() {
        let (folder, root) = tree(&[(&ROOTS[1..], "cpuset cpu\n")]);
        let journal = Journal::open_in(&folder.path().join("state"), &root).unwrap();
        assert!(journal.hold_controller(ROOTS, "cpuset").unwrap().is_none());
        root.write(ROOTS, "cpu").unwrap();
        let first = journal.hold_controller(ROOTS, "cpuset").unwrap().expect("it was not offered");
        assert_eq!(root.read(ROOTS).unwrap(), "+cpuset", "which a kernel would answer with both");
        root.write(ROOTS, "cpuset cpu").unwrap();
        let second = journal.hold_controller(ROOTS, "cpuset").unwrap().expect("prazo offers it");
        assert!(!first.release().restored, "the second relies on it");
        assert_eq!(root.read(ROOTS).unwrap(), "cpuset cpu");
        assert!(second.release().restored);
        assert_eq!((root.read(ROOTS).unwrap().as_str(), journal.entries().unwrap().len()), ("-cpuset", 0));
    }
}
