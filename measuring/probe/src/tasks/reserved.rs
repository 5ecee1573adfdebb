//! What ended deadline threads leave behind for a while: the kernel gives a share back only when its reservation would have been used up,
//! by a timer, and until then counts it to the root domain.
//!
//! A partition that is taken apart sooner has the share subtracted from a domain to which it was never added; the sum wraps around, and
//! whoever asks next is refused, however little he asks for. So nothing goes on before the last of these timers has fired.

use prazo_engine::StopFlag;
use prazo_run::jobs::SetPlan;
use prazo_sys::clock;

/// Beyond the last timer.
const MORE_NS: u64 = 10_000_000;
/// How often the wait looks for the user's wish to stop.
const LOOK_NS: u64 = 50_000_000;

/// Waits until the threads of a set, which have ended, have given everything back.
pub(super) fn wait(plan: &SetPlan, stop: &StopFlag) {
    let until_ns = clock::monotonic_ns() + given_back_ns(plan);
    while clock::monotonic_ns() < until_ns && !stop.is_set() {
        clock::sleep_until(until_ns.min(clock::monotonic_ns() + LOOK_NS));
    }
}

/// No scheduling deadline lies further ahead than a period.
fn given_back_ns(plan: &SetPlan) -> u64 {
    let periods = plan.tasks.iter().filter_map(|task| task.reservation.map(|of| of.period_ns));
    periods.max().map_or(0, |longest| longest + MORE_NS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::work::tests::plan;
    use prazo_run::jobs::Dispatch;

    #[test]
    fn deadline_threads_leave_their_shares_behind_for_the_longest_period() {
        let mut plan = plan(Dispatch::Deadline);
        assert_eq!(given_back_ns(&plan), 10_000_000 + MORE_NS);
        plan.tasks[0].reservation = None;
        assert_eq!(given_back_ns(&plan), 0, "fixed priorities reserve nothing");
    }
}
