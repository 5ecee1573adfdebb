//! What a supply is on Linux: a reservation, a quota, or what the fair server leaves.

use crate::unit::Unit;
use prazo_core::behaviour::Supply;
use prazo_core::task::Ticks;
use prazo_core::time::Duration;

/// Who gives a supply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SupplyKind {
    /// A reservation of SCHED_DEADLINE.
    Reservation,
    /// The quota of a control group.
    Quota,
    /// What Linux's fair server leaves to real-time tasks.
    FairServer,
}

/// How a supply was stated, where that is not a budget and a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SupplyWords {
    /// Who gives it.
    pub kind: SupplyKind,
    /// What of the stated time the tasks may lose in a period: the tick, or the slice of a quota.
    pub less: Ticks,
}

impl SupplyKind {
    /// What the tasks have at least where they have `budget` of each period.
    ///
    /// The fair server's periods may begin anew whenever it wakes, so what it leaves is the rate of the long run after two of what it may take
    /// in a period (see `read/supply.rs`).
    pub fn supply(self, budget: Ticks, period: Ticks) -> Supply {
        let reserved = Supply::Periodic { budget, period };
        match self {
            Self::Reservation | Self::Quota => reserved,
            Self::FairServer => {
                Supply::BoundedDelay { rate: reserved.rate(), delay: period.saturating_sub(budget).saturating_mul(2) }
            }
        }
    }
}

impl SupplyWords {
    /// The budget and the period of which [`SupplyKind::supply`] made `supply`.
    pub fn reserved(&self, supply: Supply) -> (Ticks, Ticks) {
        match supply {
            Supply::Periodic { budget, period } => (budget, period),
            Supply::BoundedDelay { rate, delay } => {
                let taken = u128::from(delay / 2);
                let of_taken = rate.denominator().saturating_sub(rate.numerator()).max(1);
                let period = taken.saturating_mul(rate.denominator()) / of_taken;
                let ticks = |value: u128| Ticks::try_from(value).unwrap_or(Ticks::MAX);
                (ticks(period.saturating_sub(taken)), ticks(period))
            }
        }
    }

    /// What somebody sets on Linux for `supply`: the runtime of the reservation or of the fair server, or the quota.
    pub fn stated(&self, supply: Supply) -> Ticks {
        let (budget, period) = self.reserved(supply);
        let granted = budget.saturating_add(self.less);
        match self.kind {
            SupplyKind::Reservation | SupplyKind::Quota => granted,
            SupplyKind::FairServer => period.saturating_sub(granted),
        }
    }

    /// The least budget from `budget` on that can be set: a quota is in whole microseconds.
    pub fn settable(&self, budget: Ticks, unit: Option<Unit>) -> Ticks {
        match self.kind {
            SupplyKind::Quota => budget.saturating_add(self.less).next_multiple_of(per_us(unit)) - self.less,
            SupplyKind::Reservation | SupplyKind::FairServer => budget,
        }
    }

    /// The largest budget in `period` that can be set.
    pub fn most(&self, period: Ticks, unit: Option<Unit>) -> Ticks {
        let less = match self.kind {
            SupplyKind::Reservation => 0,
            // A quota of a whole period is none, and a server without a runtime too.
            SupplyKind::Quota => per_us(unit),
            SupplyKind::FairServer => 1,
        };
        period.saturating_sub(self.less).saturating_sub(less)
    }

    /// What the analysis assumes of `supply`.
    pub fn remark(&self, supply: Supply, unit: Option<Unit>) -> String {
        let time = |ticks: Ticks| match unit {
            Some(unit) => Duration::from_ns(ticks.saturating_mul(unit.ns())).to_string(),
            None => ticks.to_string(),
        };
        let (stated, period, less) = (time(self.stated(supply)), time(self.reserved(supply).1), time(self.less));
        match self.kind {
            SupplyKind::Reservation => format!(
                "The supply is a SCHED_DEADLINE reservation of {stated} in every {period}, less {less} for a tick. Linux must have \
                 admitted it, and nothing else may run in it. The reservation's deadline must equal its period. Its root domain must have only one processor, or the reservations in it must be proven schedulable (`prazo sched test`). In that test, make the budgets of the other reservations one kernel tick longer."
            ),
            SupplyKind::Quota => format!(
                "The supply is a cpu.max quota of {stated} in every {period}, less {less} for a slice or a tick. A quota is a limit and \
                 guarantees no processor time: the answer holds only if all threads of the group share one processor and nothing else can delay them \
                 there. The answer is for tasks inside one thread of the group that schedules them by this policy (a virtual processor, an executor). It is not for the group's threads."
            ),
            SupplyKind::FairServer => format!(
                "Linux's fair server may take {stated} in every {period} from these real-time tasks, and {less} more for a tick. It may \
                 start a new period whenever an ordinary task wakes up. The answer assumes that no SCHED_DEADLINE task and no sched_ext \
                 scheduler uses this processor. It also assumes that the server's runtime is elapsed time and that a server without budget \
                 waits for its next period. Some kernels from 6.12 on break this: those without the fixes fc975cfb3639 (a lower frequency or \
                 capacity stretches the runtime) and cccb45d7c429 (a stopped server forgets that it has no budget)."
            ),
        }
    }
}

/// Ticks in a microsecond, at least one.
fn per_us(unit: Option<Unit>) -> Ticks {
    unit.map_or(1, |unit| (1_000 / unit.ns()).max(1))
}
