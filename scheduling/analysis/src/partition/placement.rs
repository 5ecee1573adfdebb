//! A bin for every task, also where no packing has room for all of them: for those who run a set that is not proven.
//!
//! The best packing is kept. Tasks that it left over go to the bin with the least load for each processor. Loads are the
//! bandwidths that Linux sums up, in units of 2^-20 of a processor, fractions cut off: they choose between
//! placements, and prove nothing. The loads of placed tasks include the overheads charged in the packing.

use super::packed::Packed;
use crate::Task;
use crate::linux::Bandwidth;
use crate::linux::admission::fixed_point;
use std::cmp::Reverse;

/// A bin for every task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    /// The bin of each task.
    pub places: Vec<u32>,
    /// The tasks that no bin had room for, ascending.
    pub misfits: Vec<usize>,
}

/// The best packing of `tasks` into bins with these accounts, where there is one.
///
/// A proven packing is better than another, then one that places more tasks, then one whose fullest bin is less full.
pub fn best<'a>(packings: &'a [Packed], tasks: &[Task], accounts: &[Bandwidth]) -> Option<&'a Packed> {
    let order = |packed: &&Packed| {
        let placed = packed.assignment.iter().flatten().count();
        (packed.proven, placed, Reverse(fullest(tasks, accounts, packed)))
    };
    packings.iter().max_by_key(order)
}

/// True if Linux would admit what each bin of `packed` asks for.
pub fn is_admitted(packed: &Packed, tasks: &[Task], accounts: &[Bandwidth]) -> bool {
    let loads = loads(tasks, accounts.len(), packed);
    accounts.iter().zip(loads).all(|(account, load)| account.has_room_for(load))
}

/// Gives each task that `packed` left over, in turn, the bin whose load for each processor is least; the first of
/// equals. Without a packing that is every task.
///
/// There is at least one bin, and none of them has no processor.
pub fn completed(tasks: &[Task], sizes: &[u32], packed: Option<&Packed>) -> Completed {
    let mut loads = packed.map_or_else(|| vec![0; sizes.len()], |packed| loads(tasks, sizes.len(), packed));
    let mut misfits = Vec::new();
    let mut choose = |index: usize| {
        packed.and_then(|packed| packed.assignment[index]).unwrap_or_else(|| {
            misfits.push(index);
            let least = (0..sizes.len()).min_by_key(|at| loads[*at] / u128::from(sizes[*at])).unwrap_or(0);
            loads[least] += load(&tasks[index]);
            least as u32
        })
    };
    let places = (0..tasks.len()).map(&mut choose).collect();
    Completed { places, misfits }
}

/// What a task asks of a processor.
fn load(task: &Task) -> u128 {
    fixed_point(task.cost, task.period)
}

/// The load of each bin, with the overheads that were charged.
fn loads(tasks: &[Task], bins: usize, packed: &Packed) -> Vec<u128> {
    let mut tasks = tasks.to_vec();
    for bin in &packed.bins {
        let charged = bin.charged().map_or(&[][..], |(_, tasks)| tasks);
        bin.tasks.iter().zip(charged).for_each(|(&index, task)| tasks[index].cost = task.cost);
    }
    let mut loads = vec![0; bins];
    let placed = tasks.iter().zip(&packed.assignment).filter_map(|(task, place)| Some((task, (*place)?)));
    placed.for_each(|(task, place)| loads[place as usize] += load(task));
    loads
}

/// The load for each processor of the fullest bin, with what others have there.
fn fullest(tasks: &[Task], accounts: &[Bandwidth], packed: &Packed) -> u128 {
    let loads = loads(tasks, accounts.len(), packed);
    let share = |(account, load): (&Bandwidth, u128)| (account.used + load) / u128::from(account.processors);
    accounts.iter().zip(loads).map(share).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::packed::{Bin, PlacedBy};
    use super::*;
    use crate::linux::{Limits, Reservation, Server, admission};

    const PERIOD: u64 = 16;

    fn packed(assignment: &[Option<u32>], proven: bool) -> Packed {
        Packed {
            placed_by: PlacedBy::Search,
            assignment: assignment.to_vec(),
            bins: Vec::new(),
            misfits: Vec::new(),
            proven,
            budget_spent: false,
            work: 0,
        }
    }

    /// The accounts of bins of these sizes, by the limits that kernels come with.
    fn accounts(sizes: &[u32]) -> Vec<Bandwidth> {
        admission(&[], sizes, &Limits::default()).domains
    }

    #[test]
    fn what_fits_nowhere_goes_where_the_least_load_is() {
        let tasks = [Task::implicit(6, 10), Task::implicit(5, 10), Task::implicit(6, 10)];
        let found = completed(&tasks, &[1, 1], Some(&packed(&[Some(0), Some(1), None], false)));
        assert_eq!(found, Completed { places: vec![0, 1, 1], misfits: vec![2] });
    }

    #[test]
    fn a_larger_cluster_takes_more_before_its_load_is_the_same() {
        let tasks = [Task::implicit(3, 10); 4];
        let found = completed(&tasks, &[1, 2], None);
        assert_eq!(found, Completed { places: vec![0, 1, 1, 0], misfits: vec![0, 1, 2, 3] });
    }

    #[test]
    fn a_proof_counts_more_than_places_and_places_more_than_evenness() {
        let tasks = [Task::implicit(5, 10), Task::implicit(4, 10), Task::implicit(3, 10)];
        let accounts = accounts(&[1, 1]);
        let best = |packings: &[Packed]| best(packings, &tasks, &accounts).map(|packed| packed.assignment.clone());
        let (even, uneven) = ([Some(0), Some(1), Some(1)], [Some(0), Some(0), Some(1)]);
        let part = [Some(0), Some(1), None];
        assert_eq!(best(&[packed(&uneven, false), packed(&even, false)]), Some(even.to_vec()));
        assert_eq!(best(&[packed(&even, false), packed(&uneven, false)]), Some(even.to_vec()));
        assert_eq!(best(&[packed(&part, false), packed(&uneven, false)]), Some(uneven.to_vec()));
        assert_eq!(best(&[packed(&uneven, true), packed(&even, false)]), Some(uneven.to_vec()));
        assert_eq!(best(&[]), None);
    }

    #[test]
    fn every_bin_must_have_room_beside_the_servers_and_the_other_threads() {
        let tasks = [Task::implicit(95, 100), Task::implicit(96, 100), Task::implicit(90, 100)];
        let admitted = |accounts: &[Bandwidth], assignment: &[Option<u32>]| {
            is_admitted(&packed(assignment, false), &tasks, accounts)
        };
        assert!(admitted(&accounts(&[1, 1]), &[Some(0), None, None]));
        assert!(!admitted(&accounts(&[1, 1]), &[None, Some(1), None]));
        assert!(admitted(&accounts(&[1, 2]), &[None, Some(1), None]));
        let with_server = Limits { server: Some(Server::FAIR), ..Limits::default() };
        let fair = admission(&[], &[1, 1], &with_server).domains;
        assert!(admitted(&fair, &[None, None, Some(0)]) && !admitted(&fair, &[Some(0), None, None]));
        let other = Reservation { runtime_ns: 10_000, deadline_ns: 100_000, period_ns: 100_000, domain: 0 };
        let taken = admission(&[other], &[1, 1], &Limits::default()).domains;
        assert!(admitted(&taken, &[None, None, Some(1)]) && !admitted(&taken, &[None, None, Some(0)]));
        let off = admission(&[], &[1, 1], &Limits { rt_runtime_us: None, ..Limits::default() }).domains;
        assert!(admitted(&off, &[None, Some(1), None]));
    }

    #[test]
    fn what_other_threads_have_counts_in_how_full_a_bin_is() {
        let tasks = [Task::implicit(4, 10), Task::implicit(5, 10)];
        let other = Reservation { runtime_ns: 30_000, deadline_ns: 100_000, period_ns: 100_000, domain: 0 };
        let taken = admission(&[other], &[1, 1], &Limits::default()).domains;
        let (heavy_first, light_first) = (packed(&[Some(1), Some(0)], true), packed(&[Some(0), Some(1)], true));
        let packings = [heavy_first.clone(), light_first.clone()];
        assert_eq!(best(&packings, &tasks, &taken), Some(&light_first));
        let packings = [light_first.clone(), heavy_first];
        assert_eq!(best(&packings, &tasks, &taken), Some(&light_first));
    }

    #[test]
    fn overheads_that_are_charged_count_as_load_and_interrupts_do_not() {
        let tasks = [Task::implicit(94, 100)];
        let admitted = |cost| {
            let inflated = Some(vec![Task::implicit(50, 100), Task::implicit(cost, 100)]);
            let bins = vec![Bin { processors: 1, tasks: vec![0], inflated, finding: None }];
            is_admitted(&Packed { bins, ..packed(&[Some(0)], true) }, &tasks, &accounts(&[1]))
        };
        assert_eq!([admitted(95), admitted(96)], [true, false]);
    }

    #[test]
    fn what_fits_nowhere_goes_where_charged_overheads_leave_the_most_room() {
        let tasks = [Task::implicit(5, 10), Task::implicit(6, 10), Task::implicit(6, 10)];
        let inflated = Some(vec![Task::implicit(7, 10)]);
        let bins = vec![Bin { processors: 1, tasks: vec![0], inflated, finding: None }];
        let packed = Packed { bins, ..packed(&[Some(0), Some(1), None], false) };
        assert_eq!(completed(&tasks, &[1, 1], Some(&packed)), Completed { places: vec![0, 1, 1], misfits: vec![2] });
    }

    /// Loads in sixteenths of a processor, and bins of 1 or 2: exact in whole numbers.
    #[test]
    fn each_task_is_placed_as_if_all_loads_were_added_up_again() {
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..1_000 {
            let sizes: Vec<u32> = (0..random.usize(1..5)).map(|_| random.u32(1..=2)).collect();
            let tasks: Vec<Task> =
                (0..random.usize(1..10)).map(|_| Task::implicit(random.u64(1..=PERIOD), PERIOD)).collect();
            let assignment: Vec<Option<u32>> =
                tasks.iter().map(|_| random.bool().then(|| random.u32(0..sizes.len() as u32))).collect();
            let found = completed(&tasks, &sizes, Some(&packed(&assignment, false)));
            let mut twin = assignment.clone();
            for index in (0..tasks.len()).filter(|&index| assignment[index].is_none()) {
                let halves = |bin: &u32| {
                    let members = twin.iter().zip(&tasks).filter(|(place, _)| **place == Some(*bin));
                    members.map(|(_, task)| task.cost).sum::<u64>() * 2 / u64::from(sizes[*bin as usize])
                };
                let least = (0..sizes.len() as u32).min_by_key(halves);
                twin[index] = least;
            }
            assert_eq!(found.places.iter().copied().map(Some).collect::<Vec<_>>(), twin, "{tasks:?} {sizes:?}");
            assert!(found.misfits.iter().all(|index| assignment[*index].is_none()));
        }
    }
}
