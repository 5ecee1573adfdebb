//! What cannot turn a proof into none: a processor more for all five, a smaller cost for GFB, BCL and BCLI.
//!
//! m - (m - 1) x grows with m for x <= 1, and interference is divided by m. Costs: GFB's sides move apart; in BCL and BCLI the
//! sum of min(w, x) over x falls as x = D - C grows. BAK's lambda falls with its own task's cost, which lets others carry in
//! more, and RTA's carry-in window D - C - s grows when C falls: for those two nothing is promised.

use super::sets::Sets;
use super::{FIVE, proves};
use prazo_analysis::Task;
use prazo_analysis::gedf::Test;

#[test]
fn one_processor_more_keeps_every_proof() {
    Sets::small().chain(Sets::long_periods()).each(|tasks, processors, origin| {
        for test in FIVE.into_iter().filter(|test| proves(*test, tasks, processors)) {
            assert!(proves(test, tasks, processors + 1), "{} {processors} {tasks:?}, {origin}", test.name());
        }
    });
}

#[test]
fn one_tick_less_cost_keeps_the_proofs_of_gfb_bcl_and_bcli() {
    Sets::small().chain(Sets::long_periods()).each(|tasks, processors, origin| {
        for test in [Test::Gfb, Test::Bcl, Test::Bcli].into_iter().filter(|test| proves(*test, tasks, processors)) {
            for less in one_tick_less(tasks) {
                assert!(proves(test, &less, processors), "{} {processors} {less:?}, {origin}", test.name());
            }
        }
    });
}

/// The set with each task's cost lowered in turn.
fn one_tick_less(tasks: &[Task]) -> impl Iterator<Item = Vec<Task>> {
    (0..tasks.len()).filter(|index| tasks[*index].cost > 1).map(|index| {
        let mut less = tasks.to_vec();
        less[index].cost -= 1;
        less
    })
}
