//! A supply in the words that people have for it: a budget and a period, a SCHED_DEADLINE reservation, the quota of a control group,
//! or what Linux's fair server leaves to real-time tasks.
//!
//! All become a budget in every period, which may come at any instants of it (the periodic resource model of Shin, Lee, RTSS 2003).
//! Linux sees that a budget is used up only at a tick of its timer, of length h:
//!
//! | words | budget | period |
//! |---|---|---|
//! | `runtime`, `period`: a reservation of SCHED_DEADLINE | the runtime - h | the period |
//! | `cpu_max`: a quota q in every p, `slice` s | q - max(s, h) | p |
//! | `fair_server`: r in every p for the tasks of the fair class | p - r - h | p |
//!
//! A reservation that exceeds its runtime Q by o <= h in one period has Q - o in the next. So with overruns o(k), period k serves
//! `Q - o(k - 1) + o(k)`, which is at least Q - h. The fair server exceeds its runtime in the same way, and takes at most r + h in a period. If h is Q or
//! more, whole periods can be lost. A kernel with the scheduler feature HRTICK_DL needs no tick for a reservation: h is 0.
//!
//! When a reservation wakes after idling, Linux may start a new period at once. That gives the tasks more time than this model, never
//! less. Linux hands a quota out in slices, and a group may run up to a tick into the next period's quota: a period has lost a slice or
//! that tick (Documentation/scheduler/sched-bwc.rst). The fair server may run at any place of its period (Documentation/scheduler/
//! sched-deadline.rst).

use crate::error::Problem;
use crate::nearest;
use crate::supply_words::{SupplyKind, SupplyWords};
use crate::tree::{Checked, Entry};
use crate::unit::{self, Scale, Unit};
use prazo_core::behaviour::Supply;
use prazo_core::task::Ticks;

const KEYS: [&str; 7] = ["budget", "period", "runtime", "cpu_max", "slice", "tick", "fair_server"];

/// The slice of a quota that a processor takes at once, unless the system says otherwise: `kernel.sched_cfs_bandwidth_slice_us`.
const USUAL_SLICE_NS: u64 = 5_000_000;
/// The longest tick that Linux has: CONFIG_HZ=100.
const LONGEST_TICK_NS: u64 = 10_000_000;

const EXAMPLE: &str = "state both, as in supply = { budget = \"4ms\", period = \"10ms\" }; or runtime and period, or cpu_max, or fair_server";

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
            "tick" => words.tick.replace(unit::ticks(&text, scale, unit).map_err(here)?).is_none(),
            "cpu_max" if scale == Scale::Unstated => {
                words.cpu_max.replace(cpu_max(&text, unit).map_err(here)?).is_none()
            }
            "fair_server" if scale == Scale::Unstated => {
                words.fair_server.replace(share(&text, unit).map_err(here)?).is_none()
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
        ];
        let stated: Vec<&str> = stated.into_iter().filter(|(_, is_stated)| *is_stated).map(|(word, _)| word).collect();
        let (extra, of) = match stated[..] {
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
            ["budget" | "runtime"] if self.period.is_none() => {
                return Err(Problem::new("a supply needs a budget and a period", EXAMPLE));
            }
            ["cpu_max"] => return Ok(()),
            _ if self.slice.is_some() => ("slice", "cpu_max"),
            ["budget"] if self.tick.is_some() => ("tick", "runtime, cpu_max and fair_server"),
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
                (SupplyKind::Quota, quota, period, self.tick(unit)?.max(slice))
            }
            Self { fair_server: Some((runtime, period)), .. } => {
                let rest = period.checked_sub(runtime).filter(|rest| *rest > 0);
                let rest = rest.ok_or_else(|| {
                    Problem::new("the fair server takes the whole processor", "lower its runtime below its period")
                })?;
                (SupplyKind::FairServer, rest, period, self.tick(unit)?)
            }
            _ => return Err(Problem::new("a supply needs a budget and a period", EXAMPLE)),
        };
        let budget = granted.checked_sub(less).filter(|budget| *budget > 0).ok_or_else(|| nothing_left(kind))?;
        Ok((Supply { budget, period }, Some(SupplyWords { kind, less })))
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
}

fn within(budget: Ticks, period: Ticks) -> Result<Supply, Problem> {
    match budget <= period {
        true => Ok(Supply { budget, period }),
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
            "raise the quota, or state `slice` (kernel.sched_cfs_bandwidth_slice_us) and `tick` (1 s / CONFIG_HZ) if they are smaller than the values used",
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
fn share(text: &str, unit: Option<Unit>) -> Result<(Ticks, Ticks), Problem> {
    let Some((runtime, period)) = text.split_once(" in ") else {
        let remedy = "write its runtime and its period, as in fair_server = \"50ms in 1s\"";
        return Err(Problem::new(format!("'{text}' does not state a runtime and a period"), remedy));
    };
    let of = |text: &str| time(text.trim(), Scale::Unstated, unit);
    Ok((of(runtime)?, of(period)?))
}
