//! Which exit records belong to the command's tree: those whose parents, by the records, lead to this process.
//!
//! A child either ends before its parent, or is adopted (by this process, which adopts orphans, or by a descendant that
//! does) and then names whoever adopted it. So the parent that a record names is this process, or ends later; except that a
//! parent's own record may just precede its child's when both end at once. Numbers are used again, so of several processes
//! with the parent's number the next to end is the parent, and the one before only where none ends later.

use super::record::Record;
use std::collections::HashMap;

/// For each record, in the order of arrival, whether its task descends from `root`. Processes `apart` do not, nor what
/// is below them.
pub(crate) fn descends(records: &[Record], root: u32, apart: &[u32]) -> Vec<bool> {
    let ends = ends_by_process(records);
    let mut known: Vec<Option<bool>> = vec![None; records.len()];
    for index in 0..records.len() {
        let (mut path, mut at) = (vec![], index);
        let answer = loop {
            if let Some(answer) = known[at].or_else(|| decided(&records[at], root, apart)) {
                break answer;
            }
            path.push(at);
            match parent_of(records, &ends, at) {
                // A longer way than there are records goes in a circle, which is none of ours.
                Some(parent) if path.len() <= records.len() => at = parent,
                _ => break false,
            }
        };
        known[at] = Some(answer);
        path.into_iter().for_each(|on_the_way| known[on_the_way] = Some(answer));
    }
    known.into_iter().map(|answer| answer == Some(true)).collect()
}

fn decided(record: &Record, root: u32, apart: &[u32]) -> Option<bool> {
    match record {
        record if apart.contains(&record.process) => Some(false),
        record if record.process == root => Some(false),
        record => (record.parent == root).then_some(true),
    }
}

/// For each process number, the places of the records that ended a process of this number, ascending.
fn ends_by_process(records: &[Record]) -> HashMap<u32, Vec<usize>> {
    let mut ends = HashMap::<u32, Vec<usize>>::new();
    for (index, record) in records.iter().enumerate().filter(|(_, record)| record.is_last) {
        ends.entry(record.process).or_default().push(index);
    }
    ends
}

/// The record that ended the parent of the task at `child`.
fn parent_of(records: &[Record], ends: &HashMap<u32, Vec<usize>>, child: usize) -> Option<usize> {
    let places = ends.get(&records[child].parent)?;
    let later = places.partition_point(|place| *place <= child);
    places.get(later).or_else(|| places.last()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn process(process: u32, parent: u32) -> Record {
        Record { task: process, process, parent, is_last: true, ..Record::default() }
    }

    fn thread(task: u32, process: u32, parent: u32) -> Record {
        Record { task, process, parent, ..Record::default() }
    }

    #[test]
    fn children_that_end_first_are_found_through_their_parents() {
        let records = [process(12, 11), process(99, 98), thread(13, 11, 10), process(11, 10), process(10, 1)];
        assert_eq!(descends(&records, 1, &[]), [true, false, true, true, true]);
    }

    #[test]
    fn an_orphan_names_the_one_who_adopted_it() {
        assert_eq!(descends(&[process(10, 1), process(12, 1)], 1, &[]), [true, true]);
    }

    #[test]
    fn a_parent_that_ends_at_the_same_moment_may_come_first() {
        assert_eq!(descends(&[process(11, 10), process(12, 11), process(10, 1)], 1, &[]), [true, true, true]);
    }

    #[test]
    fn a_number_used_again_means_the_next_process_to_end() {
        // 11 was a stranger first, then a child of ours with the child 12.
        let records = [process(11, 98), process(12, 11), process(11, 1)];
        assert_eq!(descends(&records, 1, &[]), [false, true, true]);
    }

    #[test]
    fn what_is_apart_does_not_descend_nor_what_is_below_it() {
        assert_eq!(descends(&[process(12, 11), process(11, 1), process(13, 1)], 1, &[11]), [false, false, true]);
    }

    #[test]
    fn records_that_name_each_other_end_the_search() {
        assert_eq!(descends(&[process(11, 12), process(12, 11), process(13, 13)], 1, &[]), [false, false, false]);
    }

    proptest! {
        /// The slow twin knows the tree: a random forest, ended leaves first, each orphan adopted by nobody.
        #[test]
        fn a_forest_that_ends_leaves_first_is_told_apart(parents in prop::collection::vec(0usize..30, 1..30)) {
            let parent = |index: usize| parents[index] % (index + 1);
            // Process index + 2 has the parent of a smaller number; 1 is this process, 0 a stranger.
            let number = |index: usize| index as u32 + 2;
            let named = |index: usize| if parent(index) < 2 { parent(index) as u32 } else { number(parent(index) - 2) };
            let records: Vec<Record> = (0..parents.len()).rev().map(|index| process(number(index), named(index))).collect();
            let ours = |mut pid: u32| loop {
                match pid { 0 => break false, 1 => break true, _ => pid = named(pid as usize - 2) }
            };
            let slow: Vec<bool> = records.iter().map(|record| ours(record.process)).collect();
            prop_assert_eq!(descends(&records, 1, &[]), slow);
        }
    }
}
