//! The kernel's admission test for deadline threads, in the kernel's own arithmetic.
//!
//! A thread is refused (EINVAL) unless runtime <= deadline <= period, the runtime is at least 1,024 ns and the period
//! within limits of the machine's settings; and (EBUSY) if the bandwidths of its root domain would exceed what real-time
//! work may have of all processors there. A bandwidth is runtime * 2^20 / period without its fraction, so that a small
//! one counts less than it is, or nothing. Linux, kernel/sched/deadline.c (`__checkparam_dl`, `__dl_overflow`),
//! kernel/sched/core.c (`to_ratio`), and Documentation/scheduler/sched-deadline.rst section 4. Processors of one root
//! domain are taken to be equally fast.

use prazo_core::ratio::Ratio;
use prazo_core::task::Task;

/// The whole of a processor in the kernel's fixed point (`BW_UNIT`).
const WHOLE: u128 = 1 << 20;
/// The shortest runtime in nanoseconds (`DL_SCALE`).
const RUNTIME_NS_MIN: u64 = 1024;

/// What one thread asks for with sched_setattr(2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// `sched_runtime`.
    pub runtime_ns: u64,
    /// `sched_deadline`.
    pub deadline_ns: u64,
    /// `sched_period`.
    pub period_ns: u64,
    /// Index of the root domain that its affinity covers.
    pub domain: usize,
}

impl Reservation {
    /// What `task` needs, its ticks being `ns_per_tick` long: C rounded up, D and T down. `None` beyond 64 bits.
    pub fn of(task: &Task, ns_per_tick: Ratio, domain: usize) -> Option<Self> {
        let ns = |ticks| Ratio::whole(ticks).checked_mul(ns_per_tick);
        let down = |ticks| u64::try_from(ns(ticks)?.floor()).ok();
        let runtime_ns = u64::try_from(ns(task.cost)?.ceil()).ok()?;
        Some(Self { runtime_ns, deadline_ns: down(task.deadline)?, period_ns: down(task.period)?, domain })
    }
}

/// A reservation of the kernel's own on every processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its runtime.
    pub runtime_ns: u64,
    /// Its period.
    pub period_ns: u64,
}

impl Server {
    /// What keeps ordinary threads alive since Linux 6.12: 50 ms in each second.
    pub const FAIR: Server = Server { runtime_ns: 50_000_000, period_ns: 1_000_000_000 };
}

/// The settings of the machine under `/proc/sys/kernel` that admission reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `sched_rt_runtime_us`; `None` for -1, which switches the bandwidth test off.
    pub rt_runtime_us: Option<u64>,
    /// `sched_rt_period_us`; not zero.
    pub rt_period_us: u64,
    /// `sched_deadline_period_min_us`.
    pub period_us_min: u64,
    /// `sched_deadline_period_max_us`.
    pub period_us_max: u64,
    /// A server that takes its bandwidth from the same account.
    pub server: Option<Server>,
}

/// What the kernel comes with, and no server, as before 6.12.
impl Default for Limits {
    fn default() -> Self {
        Self {
            rt_runtime_us: Some(950_000),
            rt_period_us: 1_000_000,
            period_us_min: 100,
            period_us_max: 1 << 22,
            server: None,
        }
    }
}

/// Why a thread is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// EINVAL: the runtime is below 1,024 ns.
    RuntimeTooShort,
    /// EINVAL: the deadline is shorter than the runtime.
    DeadlineBeforeRuntime,
    /// EINVAL: the deadline is longer than the period.
    DeadlineBeyondPeriod,
    /// EINVAL: the period is below `sched_deadline_period_min_us`.
    PeriodTooShort,
    /// EINVAL: the period is above `sched_deadline_period_max_us`.
    PeriodTooLong,
    /// EBUSY: the root domain has not so much bandwidth left.
    NoBandwidth,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::RuntimeTooShort => "EINVAL, the runtime is below 1,024 ns",
            Self::DeadlineBeforeRuntime => "EINVAL, the deadline is shorter than the runtime",
            Self::DeadlineBeyondPeriod => "EINVAL, the deadline is longer than the period",
            Self::PeriodTooShort => "EINVAL, the period is below sched_deadline_period_min_us",
            Self::PeriodTooLong => "EINVAL, the period is above sched_deadline_period_max_us",
            Self::NoBandwidth => "EBUSY, the root domain has too little bandwidth left",
        })
    }
}

/// The account of one root domain, in units of 2^-20 of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bandwidth {
    /// Processors in the domain.
    pub processors: u32,
    /// What the admitted threads and the servers have, truncated as the kernel does.
    pub used: u128,
    /// What may be had; `None` where the test is switched off.
    pub available: Option<u128>,
}

/// What the kernel would say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admission {
    /// True if no thread is refused.
    pub admitted: bool,
    /// The refused threads by index, with the reason, in the order in which they asked.
    pub refused: Vec<(usize, Refusal)>,
    /// The account of each root domain afterwards.
    pub domains: Vec<Bandwidth>,
}

/// What the kernel says when `reservations` ask one after the other, in root domains of so many processors each.
///
/// A refused thread takes nothing, so that a later and smaller one may still be admitted. Each reservation's domain must
/// exist.
pub fn admission(reservations: &[Reservation], domains: &[u32], limits: &Limits) -> Admission {
    let mut accounts: Vec<Bandwidth> = domains.iter().map(|processors| account(*processors, limits)).collect();
    let mut refused = Vec::new();
    for (index, reservation) in reservations.iter().enumerate() {
        let requested = refusal_of_parameters(reservation, limits)
            .map_or_else(|| accounts[reservation.domain].take(reservation), Err);
        if let Err(refusal) = requested {
            refused.push((index, refusal));
        }
    }
    Admission { admitted: refused.is_empty(), refused, domains: accounts }
}

/// The account before any thread asks.
fn account(processors: u32, limits: &Limits) -> Bandwidth {
    let server = limits.server.map_or(0, |server| fixed_point(server.runtime_ns, server.period_ns));
    let available = limits.rt_runtime_us.map(|runtime| fixed_point(runtime, limits.rt_period_us));
    let of_all = |of_one: u128| of_one * u128::from(processors);
    Bandwidth { processors, used: of_all(server), available: available.map(of_all) }
}

impl Bandwidth {
    /// True if threads that have this bandwidth together would be admitted, too.
    pub fn has_room_for(&self, bandwidth: u128) -> bool {
        self.available.is_none_or(|available| self.used + bandwidth <= available)
    }

    fn take(&mut self, reservation: &Reservation) -> Result<(), Refusal> {
        let bandwidth = fixed_point(reservation.runtime_ns, reservation.period_ns);
        if !self.has_room_for(bandwidth) {
            return Err(Refusal::NoBandwidth);
        }
        self.used += bandwidth;
        Ok(())
    }
}

/// `to_ratio`: runtime over period, the fraction cut off.
pub(crate) fn fixed_point(runtime: u64, period: u64) -> u128 {
    u128::from(runtime) * WHOLE / u128::from(period)
}

/// `__checkparam_dl`, in its order.
fn refusal_of_parameters(requested: &Reservation, limits: &Limits) -> Option<Refusal> {
    if requested.runtime_ns < RUNTIME_NS_MIN {
        Some(Refusal::RuntimeTooShort)
    } else if requested.period_ns < requested.deadline_ns {
        Some(Refusal::DeadlineBeyondPeriod)
    } else if requested.deadline_ns < requested.runtime_ns {
        Some(Refusal::DeadlineBeforeRuntime)
    } else if requested.period_ns < limits.period_us_min.saturating_mul(1000) {
        Some(Refusal::PeriodTooShort)
    } else if requested.period_ns > limits.period_us_max.saturating_mul(1000) {
        Some(Refusal::PeriodTooLong)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn thread(runtime_ns: u64, deadline_ns: u64, period_ns: u64) -> Reservation {
        Reservation { runtime_ns, deadline_ns, period_ns, domain: 0 }
    }

    fn refused(threads: &[Reservation], domains: &[u32], limits: &Limits) -> Vec<(usize, Refusal)> {
        admission(threads, domains, limits).refused
    }

    #[test]
    fn one_processor_gives_95_per_cent_and_no_more() {
        let (fits, above) = (thread(95 * MS, 100 * MS, 100 * MS), thread(951 * MS, 1000 * MS, 1000 * MS));
        assert_eq!(refused(&[fits], &[1], &Limits::default()), []);
        assert_eq!(refused(&[above], &[1], &Limits::default()), [(0, Refusal::NoBandwidth)]);
        assert_eq!(refused(&[above], &[2], &Limits::default()), []);
        assert_eq!(refused(&[above], &[1], &Limits { rt_runtime_us: None, ..Limits::default() }), []);
    }

    #[test]
    fn the_fair_server_takes_its_part_first() {
        let limits = Limits { server: Some(Server::FAIR), ..Limits::default() };
        assert_eq!(refused(&[thread(92 * MS, 100 * MS, 100 * MS)], &[1], &limits), [(0, Refusal::NoBandwidth)]);
        let found = admission(&[thread(90 * MS, 100 * MS, 100 * MS)], &[1], &limits);
        // 52,428 of the server and 943,718 of the thread, out of 996,147.
        assert_eq!(found.domains, [Bandwidth { processors: 1, used: 996_146, available: Some(996_147) }]);
        assert!(found.admitted);
    }

    #[test]
    fn a_refused_thread_leaves_room_for_a_smaller_one() {
        let threads =
            [thread(60 * MS, 100 * MS, 100 * MS), thread(50 * MS, 100 * MS, 100 * MS), thread(MS, 2 * MS, 4 * MS)];
        assert_eq!(refused(&threads, &[1], &Limits::default()), [(1, Refusal::NoBandwidth)]);
    }

    #[test]
    fn root_domains_have_accounts_of_their_own() {
        let heavy = thread(60 * MS, 100 * MS, 100 * MS);
        let other = Reservation { domain: 1, ..heavy };
        assert_eq!(refused(&[heavy, other], &[1, 1], &Limits::default()), []);
        assert_eq!(refused(&[heavy, heavy], &[1, 1], &Limits::default()), [(1, Refusal::NoBandwidth)]);
    }

    #[test]
    fn parameters_are_checked_before_bandwidth() {
        for (thread, refusal) in [
            (thread(1023, MS, MS), Refusal::RuntimeTooShort),
            (thread(2000, 1500, MS), Refusal::DeadlineBeforeRuntime),
            (thread(2000, 2 * MS, MS), Refusal::DeadlineBeyondPeriod),
            (thread(2000, 99_999, 99_999), Refusal::PeriodTooShort),
            (thread(2000, MS, 4_194_304_001), Refusal::PeriodTooLong),
        ] {
            assert_eq!(refused(&[thread], &[1], &Limits::default()), [(0, refusal)]);
        }
        assert_eq!(refused(&[thread(1024, 4_194_304_000, 4_194_304_000)], &[1], &Limits::default()), []);
    }

    #[test]
    fn the_deadline_does_not_count_and_small_threads_count_nothing() {
        let tight = thread(10 * MS, 10 * MS, 100 * MS);
        assert_eq!(refused(&[tight; 9], &[1], &Limits::default()), []);
        let tiny = thread(1024, 4_000 * MS, 4_000 * MS);
        assert_eq!(admission(&[tiny; 1000], &[1], &Limits::default()).domains[0].used, 0);
    }

    #[test]
    fn ticks_become_nanoseconds_on_the_safe_side() {
        let task = Task::new(10, 31, 29);
        let third = Ratio::new(1000, 3).unwrap();
        let found = Reservation::of(&task, third, 0).unwrap();
        assert_eq!((found.runtime_ns, found.deadline_ns, found.period_ns), (3334, 9666, 10_333));
    }
}
