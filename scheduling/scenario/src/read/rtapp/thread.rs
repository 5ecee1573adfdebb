//! One thread of a workload, its phase included, and the tasks that it stands for.

use super::json::Value;
use super::object;
use crate::behaviour::TaskBehaviour;
use crate::error::Problem;
use crate::nearest;
use crate::read::record::TASKS_MAX;
use crate::set::{Arrival, Conduct, JobRanking, NamedTask, Priorities};
use crate::unit::{self, Scale, Unit};
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_core::task::{Task, Ticks};

/// What a thread says, in microseconds as rt-app has them.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub name: String,
    pub class: Class,
    pub priority: u32,
    pub instances: u32,
    /// What was assumed.
    pub remarks: Vec<String>,
    affinity: Option<CpuSet>,
    run_us: u64,
    timer: Option<Timer>,
    reservation: Reservation,
}

/// A scheduling class of Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Other,
    Fifo,
    RoundRobin,
    Deadline,
}

#[derive(Clone, Debug)]
struct Timer {
    name: String,
    period_us: u64,
    absolute: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Reservation {
    runtime_us: Option<u64>,
    period_us: Option<u64>,
    deadline_us: Option<u64>,
}

/// Keys that say something of a thread; events may carry a number behind them.
const KEYS: [&str; 12] = [
    "instance",
    "loop",
    "delay",
    "run",
    "runtime",
    "timer",
    "cpus",
    "policy",
    "priority",
    "dl-runtime",
    "dl-period",
    "dl-deadline",
];

impl Class {
    /// The class that a policy's name says.
    pub(super) fn read(value: &Value) -> Result<Self, Problem> {
        match text(value)? {
            "SCHED_OTHER" | "SCHED_IDLE" | "SCHED_BATCH" => Ok(Self::Other),
            "SCHED_FIFO" => Ok(Self::Fifo),
            "SCHED_RR" => Ok(Self::RoundRobin),
            "SCHED_DEADLINE" => Ok(Self::Deadline),
            other => {
                let known = ["SCHED_OTHER", "SCHED_FIFO", "SCHED_RR", "SCHED_DEADLINE"];
                Err(Problem::new(format!("unknown scheduling policy '{other}'"), nearest::remedy(other, &known)))
            }
        }
    }

    /// As Linux calls it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Other => "SCHED_OTHER",
            Self::Fifo => "SCHED_FIFO",
            Self::RoundRobin => "SCHED_RR",
            Self::Deadline => "SCHED_DEADLINE",
        }
    }

    /// How it ranks jobs; `None` where it promises nothing.
    pub(super) fn ranks(self) -> Option<JobRanking> {
        match self {
            Self::Other => None,
            Self::Fifo | Self::RoundRobin => Some(JobRanking::FixedPriority(Priorities::Given)),
            Self::Deadline => Some(JobRanking::Edf),
        }
    }
}

impl Thread {
    /// Reads the object of the thread `name`, which has `class` unless it says otherwise.
    pub(super) fn read(name: &str, value: &Value, class: Class) -> Result<Self, Problem> {
        let mut thread = Self {
            name: name.to_owned(),
            class,
            priority: 10, // rt-app's default for real-time classes
            instances: 1,
            remarks: Vec::new(),
            affinity: None,
            run_us: 0,
            timer: None,
            reservation: Reservation::default(),
        };
        for (key, value) in object(value, "the thread")? {
            match key.as_str() {
                "phases" => thread.take_phases(value)?,
                _ => thread.take(key, value).map_err(|problem| problem.of(key))?,
            }
        }
        thread.judged()
    }

    fn take_phases(&mut self, value: &Value) -> Result<(), Problem> {
        match object(value, "phases")? {
            [(_, phase)] => object(phase, "phases")?
                .iter()
                .try_for_each(|(key, value)| self.take(key, value).map_err(|problem| problem.of(key))),
            phases => {
                let problem = format!(
                    "the thread has {} phases, but a periodic task does the same in every period",
                    phases.len()
                );
                Err(Problem::new(problem, "give each phase its own thread, or keep only the phase that runs longest")
                    .of("phases"))
            }
        }
    }

    /// One property or event.
    fn take(&mut self, key: &str, value: &Value) -> Result<(), Problem> {
        match key.trim_end_matches(|c: char| c.is_ascii_digit()) {
            "run" | "runtime" => self.run_us = self.run_us.saturating_add(whole(value)?),
            "timer" => self.take_timer(value)?,
            "instance" => self.instances = instances(value)?,
            "loop" => self.remark_loops(value),
            "delay" => {
                self.remarks
                    .push(format!("thread '{}' starts with a delay; the analysis covers any start time", self.name));
            }
            "cpus" => self.affinity = Some(cpus(value)?),
            "policy" => self.class = Class::read(value)?,
            "priority" => self.priority = u32::try_from(whole(value)?).unwrap_or(u32::MAX),
            "dl-runtime" => self.reservation.runtime_us = Some(whole(value)?),
            "dl-period" => self.reservation.period_us = Some(whole(value)?),
            "dl-deadline" => self.reservation.deadline_us = Some(whole(value)?),
            "util_min" | "util_max" | "membind_nodes" | "dl-reclaim" => {
                self.remarks.push(format!("the analysis ignores the key '{key}' of thread '{}'", self.name));
            }
            other => return Err(refusal(other)),
        }
        Ok(())
    }

    fn take_timer(&mut self, value: &Value) -> Result<(), Problem> {
        let timer = Timer::read(value)?;
        match self.timer.replace(timer) {
            None => Ok(()),
            Some(_) => Err(Problem::new(
                "this is the second timer of the thread",
                "keep one timer: a periodic task waits once in a period",
            )),
        }
    }

    fn remark_loops(&mut self, value: &Value) {
        if let Value::Whole(loops @ 0..) = value {
            self.remarks.push(format!(
                "thread '{}' ends after {loops} loops; the analysis assumes that it continues",
                self.name
            ));
        }
    }

    /// Refuses what makes no periodic task.
    fn judged(self) -> Result<Self, Problem> {
        match self.class {
            Class::Deadline => self.fits_reservation()?,
            Class::Fifo | Class::RoundRobin if !(1..=99).contains(&self.priority) => {
                let problem = format!("{} is not a real-time priority", self.priority);
                return Err(Problem::new(problem, "give 1 to 99, where 99 is the most urgent").of("priority"));
            }
            _ if self.reservation.is_stated() => {
                let problem = format!("a reservation has no meaning under {}", self.class.word());
                return Err(Problem::new(problem, "set policy to SCHED_DEADLINE, or remove the dl- keys"));
            }
            _ => self.is_periodic()?,
        }
        Ok(self)
    }

    fn is_periodic(&self) -> Result<(), Problem> {
        if self.timer.is_none() {
            return Err(Problem::new("without a timer the thread has no period", "add \"timer\" with ref and period"));
        }
        if self.run_us == 0 {
            return Err(Problem::new("the thread never runs", "add \"run\" with its execution time in µs"));
        }
        Ok(())
    }

    fn fits_reservation(&self) -> Result<(), Problem> {
        let Some(runtime) = self.reservation.runtime_us else {
            return Err(Problem::new("the key is missing", "give the time that is reserved in every period, in µs")
                .of("dl-runtime"));
        };
        let period = self.reservation.period_us.unwrap_or(runtime);
        if self.run_us > runtime {
            let problem = format!(
                "the thread runs {} µs, more than its reservation of {runtime} µs, so the kernel throttles it",
                self.run_us
            );
            return Err(Problem::new(problem, "reserve at least the run time of the thread").of("dl-runtime"));
        }
        match &self.timer {
            Some(timer) if timer.period_us < period => {
                let problem = format!(
                    "the thread's timer expires every {} µs, more often than its reservation is replenished",
                    timer.period_us
                );
                Err(Problem::new(problem, "make dl-period at most the timer's period").of("dl-period"))
            }
            _ => Ok(()),
        }
    }

    /// The timer that other threads could wait for too; rt-app keeps those apart whose name begins with "unique".
    pub(super) fn shared_timer(&self) -> Option<&str> {
        self.timer.as_ref().map(|timer| timer.name.as_str()).filter(|name| !name.starts_with("unique"))
    }

    /// Adds one task for each instance.
    pub(super) fn add_tasks(&self, tasks: &mut Vec<NamedTask>) -> Result<(), Problem> {
        let task = self.task().map_err(|problem| problem.in_task(&self.name))?;
        let arrival = match &self.timer {
            Some(Timer { absolute: true, .. }) if self.class != Class::Deadline => Arrival::Periodic,
            _ => Arrival::Sporadic,
        };
        let ranked = matches!(self.class, Class::Fifo | Class::RoundRobin);
        tasks.extend((0..self.instances).map(|instance| NamedTask {
            name: if self.instances == 1 { self.name.clone() } else { format!("{}-{instance}", self.name) },
            task,
            arrival,
            priority: ranked.then(|| 99 - self.priority),
            cluster: None,
            affinity: self.affinity,
            behaviour: TaskBehaviour::default(),
            conduct: Conduct::default(),
        }));
        Ok(())
    }

    fn task(&self) -> Result<Task, Problem> {
        let Reservation { runtime_us, period_us, deadline_us } = self.reservation;
        match (self.class, &self.timer) {
            (Class::Deadline, _) => {
                let runtime = runtime_us.unwrap_or_default();
                let period = period_us.unwrap_or(runtime);
                let deadline = deadline_us.unwrap_or(period);
                Ok(Task::new(
                    ticks("dl-runtime", runtime)?,
                    ticks("dl-period", period)?,
                    ticks("dl-deadline", deadline)?,
                ))
            }
            (_, timer) => {
                let period = timer.as_ref().map_or(0, |timer| timer.period_us);
                Ok(Task::implicit(ticks("run", self.run_us)?, ticks("timer", period)?))
            }
        }
    }
}

impl Reservation {
    fn is_stated(&self) -> bool {
        self.runtime_us.is_some() || self.period_us.is_some() || self.deadline_us.is_some()
    }
}

impl Timer {
    fn read(value: &Value) -> Result<Self, Problem> {
        let mut timer = Self { name: String::new(), period_us: 0, absolute: false };
        for (key, value) in object(value, "timer")? {
            match key.as_str() {
                "ref" => timer.name = text(value)?.to_owned(),
                "period" => timer.period_us = whole(value)?,
                "mode" => timer.absolute = is_absolute(text(value)?)?,
                other => {
                    let remedy = nearest::remedy(other, &["ref", "period", "mode"]);
                    return Err(Problem::new(format!("unknown key '{other}' for a timer"), remedy));
                }
            }
        }
        match (timer.name.is_empty(), timer.period_us) {
            (false, 1..) => Ok(timer),
            _ => Err(Problem::new(
                "expected a timer with a ref and a period above zero",
                "write { \"ref\": \"unique\", \"period\": 10000 }",
            )),
        }
    }
}

fn is_absolute(mode: &str) -> Result<bool, Problem> {
    match mode {
        "absolute" => Ok(true),
        "relative" => Ok(false),
        other => Err(Problem::new(format!("unknown timer mode '{other}'"), "write absolute or relative")),
    }
}

/// Why `key` makes no periodic task.
fn refusal(key: &str) -> Problem {
    match key {
        "sleep" => {
            Problem::new("a sleep begins when the run ends, so the thread has no fixed period", "use a timer instead")
        }
        "mem" | "iorun" => {
            Problem::new("the event's run time is unknown", "replace the key with \"run\" and its execution time in µs")
        }
        "lock" | "unlock" | "wait" | "signal" | "broad" | "sync" | "barrier" | "suspend" | "resume" | "yield"
        | "fork" | "lock_order" | "resources" => Problem::new(
            "a thread that depends on others is not an independent task",
            "remove this key, and add any waiting time to run",
        ),
        "taskgroup" => Problem::new("a task set cannot express a group's bandwidth", "remove taskgroup"),
        "exec" | "period" | "deadline" | "budget" => Problem::new(
            "this key belongs to an older format, which different versions of rt-app interpret differently",
            "write run and timer, or dl-runtime, dl-period and dl-deadline",
        ),
        other => Problem::new("unknown key for a thread", nearest::remedy(other, &KEYS)),
    }
}

fn whole(value: &Value) -> Result<u64, Problem> {
    match value {
        Value::Whole(number @ 0..) => Ok(number.unsigned_abs()),
        Value::Text(_) => {
            Err(Problem::new("expected a whole number of at least zero, found text", "remove the quotation marks"))
        }
        _ => Err(Problem::new("expected a whole number of at least zero", "write the number as in 1000")),
    }
}

fn text(value: &Value) -> Result<&str, Problem> {
    match value {
        Value::Text(text) => Ok(text),
        _ => Err(Problem::new("expected text", "write the value in quotation marks")),
    }
}

fn instances(value: &Value) -> Result<u32, Problem> {
    match whole(value)? {
        0 => Err(Problem::new("instance is zero: the thread exists only to be forked", "remove the thread")),
        count if count <= TASKS_MAX as u64 => Ok(count as u32),
        count => Err(Problem::new(
            format!("{count} instances exceed the limit"),
            format!("a task set has at most {TASKS_MAX} tasks"),
        )),
    }
}

fn cpus(value: &Value) -> Result<CpuSet, Problem> {
    let wrong =
        || Problem::new("expected a list of processor numbers from 0 to 1023", "write the processors as in [0, 2]");
    let Value::List(list) = value else { return Err(wrong()) };
    let cpus: Result<Vec<Cpu>, Problem> =
        list.iter().map(|cpu| u32::try_from(whole(cpu)?).ok().and_then(Cpu::new).ok_or_else(wrong)).collect();
    CpuSet::from_cpus(cpus?).ok_or_else(wrong)
}

/// Ticks of `us` microseconds, which must be above zero and not too long.
fn ticks(field: &str, us: u64) -> Result<Ticks, Problem> {
    let ticks =
        unit::ticks(&us.to_string(), Scale::Ns(1_000), Some(Unit::Nanosecond)).map_err(|problem| problem.of(field))?;
    if ticks == 0 {
        Err(Problem::new("the time is zero", "set the time to at least 1 µs").of(field))
    } else {
        Ok(ticks)
    }
}
