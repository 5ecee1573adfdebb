//! What cannot turn a proof into none: one more processor, for all five; a longer period with the same deadline, for
//! all but BAK; a smaller cost, for GFB, BCL and BCLI.
//!
//! m - (m - 1) x grows with m for x <= 1, and interference is divided by m. A longer period leaves densities as they are
//! and work in a window no larger. Costs: GFB's sides move apart; in BCL and BCLI the sum of min(w, x) over x falls as
//! x = D - C grows. BAK does lose proofs, as the last test shows. For RTA and costs, whose carry-in window D - C - s grows
//! when C falls, we have neither a proof nor an example.

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
            for less in each_changed(tasks, |task| task.cost = (task.cost - 1).max(1)) {
                assert!(proves(test, &less, processors), "{} {processors} {less:?}, {origin}", test.name());
            }
        }
    });
}

#[test]
fn one_tick_more_period_keeps_the_proofs_of_all_but_bak() {
    let four = [Test::Gfb, Test::Bcl, Test::Bcli, Test::Rta];
    Sets::small().chain(Sets::long_periods()).each(|tasks, processors, origin| {
        for test in four.into_iter().filter(|test| proves(*test, tasks, processors)) {
            for longer in each_changed(tasks, |task| task.period += 1) {
                assert!(proves(test, &longer, processors), "{} {processors} {longer:?}, {origin}", test.name());
            }
        }
    });
}

#[test]
fn bak_loses_proofs_when_a_cost_falls_or_a_period_grows() {
    // A smaller lambda lets others carry in more; (T - D) u grows with T.
    let mut costs = [(3, 6), (2, 4), (1, 2), (4, 8)].map(|(cost, period)| Task::implicit(cost, period));
    assert!(proves(Test::Bak, &costs, 3));
    costs[1].cost = 1;
    assert!(!proves(Test::Bak, &costs, 3));
    let mut periods = [(2, 4), (5, 9), (3, 10)].map(|(cost, period)| Task::implicit(cost, period));
    assert!(proves(Test::Bak, &periods, 2));
    periods[2].period = 11;
    assert!(!proves(Test::Bak, &periods, 2));
}

/// The set with each task changed in turn.
fn each_changed(tasks: &[Task], change: impl Fn(&mut Task)) -> impl Iterator<Item = Vec<Task>> {
    (0..tasks.len()).map(move |index| {
        let mut changed = tasks.to_vec();
        change(&mut changed[index]);
        changed
    })
}
