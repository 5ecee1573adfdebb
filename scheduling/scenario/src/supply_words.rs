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

impl SupplyWords {
    /// What somebody sets on Linux for `supply`: the runtime of the reservation or of the fair server, or the quota.
    pub fn stated(&self, supply: Supply) -> Ticks {
        let granted = supply.budget.saturating_add(self.less);
        match self.kind {
            SupplyKind::Reservation | SupplyKind::Quota => granted,
            SupplyKind::FairServer => supply.period.saturating_sub(granted),
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
        let (stated, period, less) = (time(self.stated(supply)), time(supply.period), time(self.less));
        match self.kind {
            SupplyKind::Reservation => format!(
                "The supply is a SCHED_DEADLINE reservation of {stated} in every {period}, less {less} for a tick. Linux must have \
                 admitted it, and nothing else may run in it. The reservation's deadline must be its period, and its root domain must be one \
                 processor, or the reservations there must be proven (`prazo sched test`). Prove other reservations of the root domain with \
                 budgets one tick longer."
            ),
            SupplyKind::Quota => format!(
                "The supply is a cpu.max quota of {stated} in every {period}, less {less} for a slice or a tick. A quota is a limit and \
                 guarantees no processor time: the answer holds only if all threads of the group share one processor and nothing else can delay them \
                 there. The answer covers tasks that one thread of the group schedules itself by this policy (a virtual processor, an executor), \
                 not threads of the group."
            ),
            SupplyKind::FairServer => format!(
                "Linux's fair server may take {stated} in every {period} from these real-time tasks, and {less} more for a tick. They \
                 get the rest of the processor time."
            ),
        }
    }
}

/// Ticks in a microsecond, at least one.
fn per_us(unit: Option<Unit>) -> Ticks {
    unit.map_or(1, |unit| (1_000 / unit.ns()).max(1))
}
