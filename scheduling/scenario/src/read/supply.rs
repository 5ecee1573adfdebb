//! A supply in the words that people have for it: a budget and a period, a SCHED_DEADLINE reservation, the quota of a control group,
//! or what Linux's fair server leaves to real-time tasks.
//!
//! Most become a budget in every period, which may come at any instants of it (the periodic resource model of Shin, Lee, RTSS 2003); or a
//! rate and a delay are stated (the bounded-delay model of Mok, Feng, Chen, RTAS 2001). Linux sees that a budget is used up only at a tick of
//! its timer, of length h:
//!
//! | words | supply |
//! |---|---|
//! | `runtime`, `period`: a reservation of SCHED_DEADLINE | the runtime - h in every period |
//! | `cpu_max`: a quota q in every p, `slice` s | q - max(s, h) in every p |
//! | `fair_server`: r in every p for the tasks of the fair class; x = r + h | a rate of (p - x) / p after a delay of 2 x |
//!
//! A reservation that exceeds its runtime Q by o <= h in one period has Q - o in the next. So with overruns o(k), period k serves
//! `Q - o(k - 1) + o(k)`, which is at least Q - h. The fair server exceeds its runtime in the same way, and takes at most x = r + h in a period. If h is Q or
//! more, whole periods can be lost. A kernel with the scheduler feature HRTICK_DL needs no tick for a reservation: h is 0. The feature sets a timer only
//! where a thread of SCHED_DEADLINE runs or has its tick (`set_next_task_dl`, `task_tick_dl` in kernel/sched/deadline.c). The fair server's tasks and
//! those of a group are of the fair class, so h is above 0 for both.
//!
//! The fair server sleeps when no fair task is ready. When it wakes before its deadline d with c left, it keeps both if c / (d - now) <= r / p; else it
//! has r until now + p (`update_dl_entity` in kernel/sched/deadline.c). It starts deferred, at zero laxity, unless it has served starving tasks before
//! (`dl_defer_running`, which stopping does not clear): then it may take r at once. So its periods may be cut short, and p - x in each period of one
//! grid is not what it leaves: x at the end of a period, a little of the next, and x again after a wake-up.
//!
//! ```text
//! |......xxx|x..|xxx......|        x: the server runs; the second period is cut short
//!        |<- t ->|
//! ```
//!
//! A period that is cut short at length l < p has used less than l r / p of the processor, for that is what `c / (d - now) > r / p` says. So in an
//! interval of t, of which the first period has a and the last one b, the server runs for at most a' + b' + (t - a - b) x / p, with a' <= a, b' <= b
//! and both at most x; that is largest where a = b = x. It leaves at least (t - 2 x) (p - x) / p, wherever the periods lie and whether or not it
//! is deferred: a supply of bounded delay. Real-time tasks are ready throughout the intervals that count, so the server is not charged there for
//! fair tasks that run in the background, which could begin a new period too. The kernel compares in units of 1024 ns; that is not counted here.
//! Other deadline tasks on the processor could make the server late and take time themselves, so there must be none.
//!
//! When a reservation wakes after idling, Linux may start a new period at once. That gives the tasks more time than this model, never
//! less. Linux hands a quota out in slices, and a group may run up to a tick into the next period's quota: a period has lost a slice or
//! that tick (Documentation/scheduler/sched-bwc.rst).

use crate::error::Problem;
use crate::nearest;
use crate::supply_words::{SupplyKind, SupplyWords};
use crate::toml_entries::{Checked, Entry};
use crate::unit::{self, Scale, Unit};
use prazo_core::behaviour::Supply;
use prazo_core::ratio::Ratio;
use prazo_core::task::{TICKS_MAX, Ticks};

const KEYS: [&str; 9] = ["budget", "period", "runtime", "cpu_max", "slice", "tick", "fair_server", "rate", "delay"];

/// The slice of a quota that a processor takes at once, unless the system says otherwise: `kernel.sched_cfs_bandwidth_slice_us`.
const USUAL_SLICE_NS: u64 = 5_000_000;
/// The longest tick that Linux has: CONFIG_HZ=100.
const LONGEST_TICK_NS: u64 = 10_000_000;

const EXAMPLE: &str = "state both, as in supply = { budget = \"4ms\", period = \"10ms\" }; or runtime and period, or rate and delay, or cpu_max, or fair_server";

/// What was written.
#[derive(Default)]
struct Words {
    budget: Option<Ticks>,
    period: Option<Ticks>,
    runtime: Option<Ticks>,
    slice: Option<Ticks>,
    tick: Option<Ticks>,
    /// Quota and period.
    cpu_max: Option<(Ticks, Ticks)>,
    /// Runtime and period.
    fair_server: Option<(Ticks, Ticks)>,
    rate: Option<Ratio>,
    delay: Option<Ticks>,
}

/// The supply, and its words where they are not a budget and a period.
pub(super) fn supply(entry: &Entry<'_>, unit: Option<Unit>) -> Checked<(Supply, Option<SupplyWords>)> {
    let mut words = Words::default();
    for part in entry.entries()? {
        let (name, scale) = unit::split_key(part.key);
        let text = part.scalar()?;
        let here = |problem: Problem| (problem.of(part.key), part.at);
        let length = |scale| time(&text, scale, unit).map_err(here);
        let is_new = match name {
            "budget" => words.budget.replace(length(scale)?).is_none(),
            "period" => words.period.replace(length(scale)?).is_none(),
            "runtime" => words.runtime.replace(length(scale)?).is_none(),
            "slice" => words.slice.replace(length(scale)?).is_none(),
            "delay" => words.delay.replace(unit::ticks(&text, scale, unit).map_err(here)?).is_none(),
            "rate" if scale == Scale::Unstated => words.rate.replace(rate(&text).map_err(here)?).is_none(),
            "tick" => words.tick.replace(unit::ticks(&text, scale, unit).map_err(here)?).is_none(),
            "cpu_max" if scale == Scale::Unstated => {
                words.cpu_max.replace(cpu_max(&text, unit).map_err(here)?).is_none()
            }
            "fair_server" if scale == Scale::Unstated => {
                words.fair_server.replace(runtime_in_period(&text, unit).map_err(here)?).is_none()
            }
            _ => return Err(part.problem("unknown key for a supply", nearest::remedy(name, &KEYS))),
        };
        if !is_new {
            return Err(part.problem("the key is given twice", "keep one of the two keys"));
        }
    }
    words.check().and_then(|()| words.supply(unit)).map_err(|problem| entry.located(problem))
}

impl Words {
    /// Refuses words that contradict each other.
    fn check(&self) -> Result<(), Problem> {
        let stated = [
            ("budget", self.budget.is_some()),
            ("runtime", self.runtime.is_some()),
            ("cpu_max", self.cpu_max.is_some()),
            ("fair_server", self.fair_server.is_some()),
            ("rate", self.rate.is_some()),
        ];
        let stated: Vec<&str> = stated.into_iter().filter(|(_, is_stated)| *is_stated).map(|(word, _)| word).collect();
        let (extra, of) = match stated[..] {
            [] if self.delay.is_some() => {
                return Err(Problem::new("a supply with a delay needs a rate", "add 'rate', as in rate = \"2/5\""));
            }
            [] => return Err(Problem::new("a supply needs a budget and a period", EXAMPLE)),
            ["budget", "runtime", ..] => {
                return Err(Problem::new("'budget' and 'runtime' state two supplies", "keep one of the two keys"));
            }
            [first, second, ..] => {
                let problem = format!("'{first}' and '{second}' state two supplies");
                return Err(Problem::new(problem, "keep one of the two keys"));
            }
            [word @ ("cpu_max" | "fair_server")] if self.period.is_some() => {
                let problem = format!("'{word}' has a period of its own, and 'period' is also given");
                return Err(Problem::new(problem, "remove 'period'"));
            }
            ["rate"] if self.delay.is_none() => {
                return Err(Problem::new("a supply with a rate needs a delay", "add 'delay', as in delay = \"6ms\""));
            }
            ["rate"] if self.period.is_some() => ("period", "budget and runtime"),
            _ if self.delay.is_some() && self.rate.is_none() => ("delay", "rate"),
            ["budget" | "runtime"] if self.period.is_none() => {
                return Err(Problem::new("a supply needs a budget and a period", EXAMPLE));
            }
            ["cpu_max"] => return Ok(()),
            _ if self.slice.is_some() => ("slice", "cpu_max"),
            ["budget" | "rate"] if self.tick.is_some() => ("tick", "runtime, cpu_max and fair_server"),
            _ => return Ok(()),
        };
        Err(Problem::new(format!("'{extra}' applies only to {of}"), format!("remove '{extra}'")))
    }

    fn supply(&self, unit: Option<Unit>) -> Result<(Supply, Option<SupplyWords>), Problem> {
        let (kind, granted, period, less) = match *self {
            Self { budget: Some(budget), period: Some(period), .. } => {
                return within(budget, period).map(|supply| (supply, None));
            }
            Self { runtime: Some(runtime), period: Some(period), .. } => {
                within(runtime, period)?;
                (SupplyKind::Reservation, runtime, period, self.tick(unit)?)
            }
            Self { cpu_max: Some((quota, period)), .. } => {
                if quota >= period {
                    let problem = "the quota is no less than its period, so it does not limit a group on one processor";
                    return Err(Problem::new(problem, "remove [supply]"));
                }
                let slice = self.slice.unwrap_or_else(|| unit.map_or(0, |unit| USUAL_SLICE_NS.div_ceil(unit.ns())));
                (SupplyKind::Quota, quota, period, self.tick_of_fair_tasks(unit)?.max(slice))
            }
            Self { fair_server: Some((runtime, period)), .. } => {
                let rest = period.checked_sub(runtime).filter(|rest| *rest > 0);
                let rest = rest.ok_or_else(|| {
                    Problem::new("the fair server takes the whole processor", "lower its runtime below its period")
                })?;
                (SupplyKind::FairServer, rest, period, self.tick_of_fair_tasks(unit)?)
            }
            Self { rate: Some(rate), delay: Some(delay), .. } => {
                return Ok((Supply::BoundedDelay { rate, delay }, None));
            }
            _ => return Err(Problem::new("a supply needs a budget and a period", EXAMPLE)),
        };
        let budget = granted.checked_sub(less).filter(|budget| *budget > 0).ok_or_else(|| nothing_left(kind))?;
        let supply = kind.supply(budget, period);
        if !supply.is_possible() {
            let problem = "the fair server may take more than 2^47 ticks in its period";
            return Err(Problem::new(problem, "set a coarser unit (in TOML: unit = \"us\")"));
        }
        Ok((supply, Some(SupplyWords { kind, less })))
    }

    /// The tick at which Linux sees that a budget is used up.
    fn tick(&self, unit: Option<Unit>) -> Result<Ticks, Problem> {
        self.tick.or(unit.map(|unit| LONGEST_TICK_NS.div_ceil(unit.ns()))).ok_or_else(|| {
            Problem::new(
                "a set with unit = \"none\" must state the tick of the kernel",
                "add 'tick'; its length is 1 s / CONFIG_HZ",
            )
        })
    }

    /// The tick where tasks of the fair class use up the budget; Linux has no timer for its end.
    fn tick_of_fair_tasks(&self, unit: Option<Unit>) -> Result<Ticks, Problem> {
        match self.tick(unit)? {
            0 => Err(Problem::new(
                "the tick is zero, but Linux sees only at a tick that ordinary tasks have used up this time",
                "state the tick of the kernel (1 s / CONFIG_HZ); the scheduler feature HRTICK_DL does not help here",
            )),
            tick => Ok(tick),
        }
    }
}

fn within(budget: Ticks, period: Ticks) -> Result<Supply, Problem> {
    match budget <= period {
        true => Ok(Supply::Periodic { budget, period }),
        false => Err(Problem::new(
            "the budget of the supply is longer than its period",
            "a supply grants at most the whole processor; give it a longer period or a smaller budget",
        )),
    }
}

/// Linux may take all of the budget back.
fn nothing_left(kind: SupplyKind) -> Problem {
    match kind {
        SupplyKind::Reservation => Problem::new(
            "the runtime is at most one kernel tick; Linux may overrun a runtime by one tick and later withhold as much, so this runtime guarantees nothing",
            "raise the runtime, or state `tick`: 1 s / CONFIG_HZ, or \"0ms\" with the scheduler feature HRTICK_DL",
        ),
        SupplyKind::Quota => Problem::new(
            "the quota is no longer than a tick, or than the slices in which Linux hands out quotas, so this quota guarantees nothing",
            "raise the quota, or state `slice` (kernel.sched_cfs_bandwidth_slice_us) and `tick` (1 s / CONFIG_HZ) if they are smaller than the values that prazo used (by default 5 ms and 10 ms)",
        ),
        SupplyKind::FairServer => Problem::new(
            "the fair server leaves at most one kernel tick in its period, and may overrun its runtime by a tick",
            "lower its runtime, or state a smaller `tick` (1 s / CONFIG_HZ) if the kernel has one",
        ),
    }
}

/// A time that must not be zero.
fn time(text: &str, scale: Scale, unit: Option<Unit>) -> Result<Ticks, Problem> {
    match unit::ticks(text, scale, unit)? {
        0 => Err(Problem::new("the time is zero", "write a time above zero")),
        ticks => Ok(ticks),
    }
}

/// A part of the processor: `2/5` or `0.4`.
fn rate(text: &str) -> Result<Ratio, Problem> {
    let remedy = "write a fraction above 0 and up to 1, as in rate = \"2/5\"";
    let rate: Ratio = text.parse().map_err(|cause| Problem::new(format!("'{text}' is not a rate: {cause}"), remedy))?;
    match rate {
        rate if rate.is_zero() => Err(Problem::new("the rate is zero", remedy)),
        rate if rate > Ratio::ONE => Err(Problem::new("the rate is more than one processor", remedy)),
        rate if rate.denominator() > TICKS_MAX.into() => {
            Err(Problem::new("the denominator of the rate exceeds 2^48", "round the rate down"))
        }
        rate => Ok(rate),
    }
}

/// `20000 100000`, as the file cpu.max of a control group has it, in microseconds.
fn cpu_max(text: &str, unit: Option<Unit>) -> Result<(Ticks, Ticks), Problem> {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let Some(unit) = unit else {
        return Err(Problem::new("cpu_max is in µs, and this set has bare numbers", "state budget and period"));
    };
    let of = |text: &str| time(&format!("{text}us"), Scale::Unstated, Some(unit));
    match parts.as_slice() {
        ["max", _] | ["max"] => Err(Problem::new("the group has no quota", "remove [supply]")),
        [quota, period] if parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit())) => {
            Ok((of(quota)?, of(period)?))
        }
        _ => Err(Problem::new(
            format!("'{text}' is not a quota"),
            "write quota and period in µs, as in the file cpu.max: \"20000 100000\"",
        )),
    }
}

/// `50ms in 1s`.
fn runtime_in_period(text: &str, unit: Option<Unit>) -> Result<(Ticks, Ticks), Problem> {
    let Some((runtime, period)) = text.split_once(" in ") else {
        let remedy = "write its runtime and its period, as in fair_server = \"50ms in 1s\"";
        return Err(Problem::new(format!("'{text}' does not state a runtime and a period"), remedy));
    };
    let of = |text: &str| time(text.trim(), Scale::Unstated, unit);
    Ok((of(runtime)?, of(period)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// What somebody sets for the fair server, and the length of a tick of the timer.
    #[derive(Clone, Copy, Debug)]
    struct Limits {
        runtime: i64,
        period: i64,
        tick: i64,
    }

    /// The fair server between two steps of time.
    #[derive(Clone, Copy, PartialEq, Eq, Hash)]
    struct Server {
        /// Below zero after an overrun.
        runtime: i64,
        /// Until its deadline; 0 if that has passed.
        left: i64,
        /// Until the next tick.
        to_tick: i64,
        is_awake: bool,
        /// Linux has seen that the runtime is used up.
        is_throttled: bool,
    }

    impl Server {
        /// It has all of its runtime until a deadline one period away.
        fn renewed(self, limits: Limits) -> Self {
            Self { runtime: limits.runtime, left: limits.period, is_awake: true, is_throttled: false, ..self }
        }

        /// Its next period begins. What it took too much is missing there.
        fn replenished(mut self, limits: Limits) -> Self {
            if self.runtime > 0 {
                // It waits until zero laxity at most, so nothing is left of a runtime that it uses at all.
                return self.renewed(limits);
            }
            while self.runtime <= 0 {
                self.runtime += limits.runtime;
                self.left += limits.period;
            }
            Self { is_throttled: false, ..self }
        }

        /// A fair task wakes it up: the rule of `update_dl_entity`.
        fn woken(self, limits: Limits) -> Self {
            let overflows = !self.is_throttled && self.runtime * limits.period > limits.runtime * self.left;
            match self.left == 0 || overflows {
                true => self.renewed(limits),
                false => Self { is_awake: true, ..self },
            }
        }

        /// The last fair task sleeps; Linux looks at the runtime then.
        fn asleep(self) -> Self {
            Self { is_awake: false, is_throttled: self.is_throttled || self.runtime <= 0, ..self }
        }

        /// A step of time later, in which it ran or did not.
        fn later(mut self, runs: bool, limits: Limits) -> Self {
            self.runtime -= i64::from(runs);
            self.left = (self.left - 1).max(0);
            self.to_tick -= 1;
            if self.to_tick == 0 {
                self.to_tick = limits.tick;
                self.is_throttled |= self.is_awake && self.runtime <= 0;
            }
            self
        }

        /// Where it may be a step later, and what it took, whatever its fair tasks do and however it is deferred.
        fn moves(self, limits: Limits) -> impl Iterator<Item = (u64, Server)> {
            let due = if self.is_awake && self.left == 0 { self.replenished(limits) } else { self };
            let awake = if due.is_awake { due } else { due.woken(limits) };
            let runs = (!awake.is_throttled).then(|| (1, awake.later(true, limits)));
            [(0, due.asleep().later(false, limits)), (0, awake.later(false, limits))].into_iter().chain(runs)
        }
    }

    /// The most that the server takes in 0, 1, 2, ... steps.
    fn taken(limits: Limits, steps: usize) -> Vec<u64> {
        let first =
            |to_tick| Server { runtime: 0, left: 0, to_tick, is_awake: false, is_throttled: false }.renewed(limits);
        let mut states: Vec<Server> = (1..=limits.tick).map(first).collect();
        let mut places: HashMap<Server, usize> = states.iter().copied().zip(0..).collect();
        let mut moves: Vec<Vec<(u64, usize)>> = Vec::new();
        while let Some(&state) = states.get(moves.len()) {
            let to = state.moves(limits).map(|(took, next)| {
                let place = *places.entry(next).or_insert(states.len());
                if place == states.len() {
                    states.push(next);
                }
                (took, place)
            });
            moves.push(to.collect());
        }
        let mut best = vec![0; states.len()];
        let mut by_length = vec![0];
        for _ in 0..steps {
            let most = |to: &Vec<(u64, usize)>| to.iter().map(|&(took, place)| took + best[place]).max().unwrap_or(0);
            best = moves.iter().map(most).collect();
            by_length.extend(best.iter().max());
        }
        by_length
    }

    /// With a tick of one step, the server stops in time. With one of h, it takes up to h - 1 steps too much.
    #[test]
    fn the_fair_server_leaves_its_rate_after_its_delay_whenever_it_wakes_and_its_ticks_come() {
        let (mut beyond_the_grid, mut beyond_the_runtime, mut servers) = (0, 0, 0);
        let of_period =
            |period: i64| (1..period).flat_map(move |runtime| (1..=6).map(move |tick| (runtime, period, tick)));
        for (runtime, period, tick) in (2..=12).flat_map(of_period) {
            let most = (runtime + tick - 1) as u64;
            let Some(budget) = (period as u64).checked_sub(most).filter(|budget| *budget > 0) else { continue };
            let kind = SupplyKind::FairServer;
            let least = |budget: u64, length: u64| {
                let Supply::BoundedDelay { rate, delay } = kind.supply(budget, period as u64) else { unreachable!() };
                u128::from(length.saturating_sub(delay)) * rate.numerator() / rate.denominator()
            };
            let limits = Limits { runtime, period, tick };
            servers += 1;
            for (length, taken) in (0..).zip(taken(limits, 60)) {
                let served = length - taken;
                assert!(u128::from(served) >= least(budget, length), "{limits:?}: {served} of {length}");
                // A budget in every period of one grid, as late as possible, would be more than that.
                let on_a_grid = (0..length).filter(|at| *at >= most && (at - most) % period as u64 >= most).count();
                beyond_the_grid += u32::from(served < on_a_grid as u64);
                beyond_the_runtime += u32::from(u128::from(served) < least((period - runtime) as u64, length));
            }
        }
        println!(
            "{servers} servers, {beyond_the_grid} intervals with less than on a grid, {beyond_the_runtime} with less than the runtime leaves"
        );
        assert!(beyond_the_grid > 0, "the rule for wake-ups cuts periods short");
        assert!(beyond_the_runtime > 0, "the tick matters");
    }

    #[test]
    fn the_runtime_of_the_fair_server_is_found_again() {
        for (most, period) in (2..40).flat_map(|period| (1..period).map(move |most| (most, period))) {
            let supply = SupplyKind::FairServer.supply(period - most, period);
            let words = SupplyWords { kind: SupplyKind::FairServer, less: 0 };
            assert_eq!((words.reserved(supply), words.stated(supply)), ((period - most, period), most));
        }
    }
}
