//! A task put together key by key, as TOML and CSV both write it.

use crate::behaviour::{Preemption, ResourceUse, TaskBehaviour};
use crate::error::Problem;
use crate::nearest;
use crate::set::{Arrival, Conduct, NamedTask, Reservation};
use crate::unit::{self, Scale, Unit};
use prazo_core::behaviour::{ArrivalCurve, ArrivalStep, Burst};
use prazo_core::cpu::CpuSet;
use prazo_core::task::{TICKS_MAX, Task, Ticks};

/// Keys whose values are times; each may end in `_ns`, `_us`, `_ms` or `_s`.
pub(super) const TIMES: [&str; 14] = [
    "cost",
    "cost_high",
    "period",
    "min_inter_arrival",
    "max_inter_arrival",
    "deadline",
    "jitter",
    "offset",
    "execution",
    "best_case",
    "server_budget",
    "server_period",
    "within",
    "suspends",
];
/// The other keys of a task.
const OTHERS: [&str; 10] = [
    "arrivals",
    "criticality",
    "working_set",
    "working_set_kib",
    "priority",
    "cluster",
    "affinity",
    "non_preemptive",
    "burst",
    "uses",
];

/// What has been said of a task so far.
#[derive(Clone, Debug, Default)]
pub(super) struct TaskDraft {
    pub cost: Option<Ticks>,
    pub cost_high: Option<Ticks>,
    pub criticality: Option<Criticality>,
    pub period: Option<Ticks>,
    pub min_inter_arrival: Option<Ticks>,
    pub max_inter_arrival: Option<Ticks>,
    pub deadline: Option<Ticks>,
    pub jitter: Option<Ticks>,
    pub offset: Option<Ticks>,
    pub execution: Option<Ticks>,
    pub best_case: Option<Ticks>,
    pub server_budget: Option<Ticks>,
    pub server_period: Option<Ticks>,
    pub working_set_kib: Option<u64>,
    pub priority: Option<u32>,
    pub cluster: Option<u32>,
    pub affinity: Option<CpuSet>,
    pub preemption: Option<Preemption>,
    pub burst: Option<u32>,
    pub curve: Option<ArrivalCurve>,
    pub within: Option<Ticks>,
    pub suspension: Option<Ticks>,
    pub sections: Option<Vec<ResourceUse>>,
}

impl TaskDraft {
    /// Takes what `key` says; `unit` is the set's tick.
    pub(super) fn set(&mut self, key: &str, text: &str, unit: Option<Unit>) -> Result<(), Problem> {
        let (name, scale) = unit::split_key(key);
        let taken = match name {
            "cost" => put(&mut self.cost, time(text, scale, unit)),
            "cost_high" => put(&mut self.cost_high, time(text, scale, unit)),
            "period" => put(&mut self.period, time(text, scale, unit)),
            "min_inter_arrival" => put(&mut self.min_inter_arrival, time(text, scale, unit)),
            "max_inter_arrival" => put(&mut self.max_inter_arrival, time(text, scale, unit)),
            "deadline" => put(&mut self.deadline, time(text, scale, unit)),
            "jitter" => put(&mut self.jitter, unit::ticks(text, scale, unit)),
            "offset" => put(&mut self.offset, unit::ticks(text, scale, unit)),
            "execution" => put(&mut self.execution, time(text, scale, unit)),
            "best_case" => put(&mut self.best_case, unit::ticks(text, scale, unit)),
            "server_budget" => put(&mut self.server_budget, time(text, scale, unit)),
            "server_period" => put(&mut self.server_period, time(text, scale, unit)),
            "within" => put(&mut self.within, time(text, scale, unit)),
            "suspends" => put(&mut self.suspension, unit::ticks(text, scale, unit)),
            "non_preemptive" => put(&mut self.preemption, preemption(text, scale, unit)),
            _ if scale != Scale::Unstated => Err(unknown(key)),
            "working_set" => put(&mut self.working_set_kib, unit::kib(text)),
            "working_set_kib" => put(&mut self.working_set_kib, bare_kib(text)),
            "priority" => put(&mut self.priority, number(text, "write 0 for the most urgent task")),
            "cluster" => put(&mut self.cluster, number(text, "write the number of a cluster, counted from 0")),
            "affinity" => put(&mut self.affinity, cpus(text)),
            "burst" => {
                put(&mut self.burst, number(text, "write the number of jobs that may arrive within the time `within`"))
            }
            "arrivals" => put(&mut self.curve, curve(text, unit)),
            "criticality" => put(&mut self.criticality, criticality(text)),
            "uses" => put(&mut self.sections, sections(text, unit)),
            _ => Err(unknown(key)),
        };
        taken.map_err(|problem| problem.of(key))
    }

    /// The task, if it is whole.
    pub(super) fn finish(self, name: &str) -> Result<NamedTask, Problem> {
        let (period, arrival, burst) = self.arrivals()?;
        let last_window = self.curve.as_ref().and_then(|curve| curve.steps().last()).map(|step| step.within);
        let cost = self.cost.ok_or_else(|| missing("cost", "state how long one job may run, as in cost = \"2ms\""))?;
        let deadline = self.deadline.or(last_window).unwrap_or(burst.map_or(period, |burst| burst.within));
        let behaviour = self.behaviour(cost, burst)?;
        let task = Task {
            cost,
            period,
            deadline,
            jitter: self.jitter.unwrap_or(0),
            working_set_kib: self.working_set_kib.unwrap_or(0),
        };
        if self.best_case.is_some_and(|least| least > cost) {
            return Err(
                Problem::new("the time is above the cost", "state the minimum execution time of a job").of("best_case")
            );
        }
        if self.best_case.zip(self.execution).is_some_and(|(least, execution)| execution < least) {
            return Err(Problem::new("execution is shorter than best_case", "lower best_case, or lengthen execution")
                .of("best_case"));
        }
        let conduct = Conduct {
            best_case: self.best_case,
            offset: self.offset,
            execution: self.execution,
            server: self.server()?,
            max_inter_arrival: self.longest_distance(period)?,
        };
        let Self { priority, cluster, affinity, .. } = self;
        Ok(NamedTask { name: name.to_owned(), task, arrival, priority, cluster, affinity, behaviour, conduct })
    }

    fn server(&self) -> Result<Option<Reservation>, Problem> {
        match (self.server_budget, self.server_period) {
            (None, None) => Ok(None),
            (Some(budget), Some(period)) if budget <= period => Ok(Some(Reservation { budget, period })),
            (Some(_), Some(_)) => {
                let remedy = "a server grants at most the whole processor; give it a longer period or a smaller budget";
                Err(Problem::new("the budget is longer than server_period", remedy).of("server_budget"))
            }
            (Some(_), None) => Err(missing("server_period", "state the period in which the server grants its budget")),
            (None, Some(_)) => {
                Err(missing("server_budget", "state how much processor time the server grants in every server_period"))
            }
        }
    }

    /// The longest distance of two arrivals, which are no less than `least` apart on average.
    fn longest_distance(&self, least: Ticks) -> Result<Option<Ticks>, Problem> {
        let problem = match self.max_inter_arrival {
            None => return Ok(None),
            Some(_) if self.period.is_some() => (
                "period is also given",
                "remove max_inter_arrival: with a period, jobs arrive exactly one period apart",
            ),
            Some(longest) if longest < least => (
                "the time is shorter than min_inter_arrival or, with a burst or arrivals, than the window divided by the \
                 number of jobs in this window",
                "lengthen max_inter_arrival",
            ),
            longest => return Ok(longest),
        };
        Err(Problem::new(problem.0, problem.1).of("max_inter_arrival"))
    }

    /// The period, or beside a burst that of evenly spaced jobs.
    fn arrivals(&self) -> Result<(Ticks, Arrival, Option<Burst>), Problem> {
        if let Some(burst) = self.burst()? {
            return Ok((burst.within.div_ceil(burst.jobs), Arrival::Sporadic, Some(burst)));
        }
        if let Some(curve) = &self.curve {
            let ArrivalStep { jobs, within } = curve.longest();
            return match (self.period, self.min_inter_arrival) {
                (None, None) => Ok((within.div_ceil(jobs), Arrival::Sporadic, None)),
                _ => Err(Problem::new(
                    "period or min_inter_arrival is also given",
                    "remove period and min_inter_arrival: the steps of arrivals state how often jobs arrive",
                )
                .of("arrivals")),
            };
        }
        match (self.period, self.min_inter_arrival) {
            (Some(period), None) => Ok((period, Arrival::Periodic, None)),
            (None, Some(distance)) => Ok((distance, Arrival::Sporadic, None)),
            (None, None) => {
                Err(missing("period", "state how often jobs arrive, as in period = \"10ms\" or min_inter_arrival"))
            }
            (Some(_), Some(_)) => {
                let remedy =
                    "keep period if jobs arrive exactly periodically, or min_inter_arrival if they may arrive later";
                Err(Problem::new("min_inter_arrival is also given", remedy).of("period"))
            }
        }
    }
}

impl TaskDraft {
    fn burst(&self) -> Result<Option<Burst>, Problem> {
        let (jobs, within) = match (self.burst, self.within) {
            (None, None) => return Ok(None),
            _ if self.curve.is_some() => {
                return Err(
                    Problem::new("arrivals are also given", "keep either burst and within, or arrivals").of("burst")
                );
            }
            (Some(0), _) => return Err(Problem::new("the burst has no job", "give at least one job").of("burst")),
            (Some(jobs), Some(within)) => (u64::from(jobs), within),
            (Some(_), None) => {
                return Err(missing("within", "state the length of the window in which the burst may arrive"));
            }
            (None, Some(_)) => return Err(missing("burst", "state how many jobs may arrive within the time `within`")),
        };
        if self.period.is_some() {
            let remedy = "remove period: a burst states how often jobs arrive; min_inter_arrival may state their minimum separation";
            return Err(Problem::new("burst is also given", remedy).of("period"));
        }
        let distance = self.min_inter_arrival.unwrap_or(0);
        let fits = |each: Ticks, most: Ticks| jobs.checked_mul(each).is_some_and(|all| all <= most);
        if !fits(distance, within) {
            let problem = "a burst of jobs with this inter-arrival time does not fit into `within`";
            return Err(Problem::new(problem, "shorten min_inter_arrival, or lengthen within").of("min_inter_arrival"));
        }
        if !fits(self.cost.unwrap_or(0), TICKS_MAX) {
            return Err(Problem::new(
                "the product of burst and cost exceeds 2^48 ticks",
                "write the task set in a coarser unit",
            )
            .of("burst"));
        }
        Ok(Some(Burst { jobs, within, distance }))
    }

    fn behaviour(&self, cost: Ticks, burst: Option<Burst>) -> Result<TaskBehaviour, Problem> {
        let preemption = self.preemption.clone().unwrap_or_default();
        match &preemption {
            Preemption::Floating(longest) if *longest > cost => {
                let remedy = "shorten the part; \"whole\" means that the job is never preempted";
                return Err(
                    Problem::new("the non-preemptive part is longer than the cost", remedy).of("non_preemptive")
                );
            }
            Preemption::Between(parts)
                if parts.iter().try_fold(0, |sum: Ticks, part| sum.checked_add(*part)) != Some(cost) =>
            {
                return Err(Problem::new(
                    "the parts do not add up to the cost",
                    "make the sum of the parts equal to the cost",
                )
                .of("non_preemptive"));
            }
            _ => {}
        }
        let sections = self.sections.clone().unwrap_or_default();
        match sections.iter().find(|section| section.length > cost) {
            Some(section) => {
                let problem = format!("the critical section of '{}' is longer than the cost", section.resource);
                Err(Problem::new(problem, "shorten the section, or raise the cost").of("uses"))
            }
            None => Ok(TaskBehaviour {
                preemption,
                burst,
                curve: self.curve,
                suspension: self.suspension.unwrap_or(0),
                cost_high: self.cost_high(cost)?,
                sections,
            }),
        }
    }
}

impl TaskDraft {
    /// What a job of a task of high criticality needs at most; `None` for a task of low criticality.
    fn cost_high(&self, cost: Ticks) -> Result<Option<Ticks>, Problem> {
        match (self.criticality.unwrap_or_default(), self.cost_high) {
            (Criticality::Low, None) => Ok(None),
            (Criticality::High, Some(high)) if high >= cost => Ok(Some(high)),
            (Criticality::High, Some(_)) => {
                let remedy = "set cost_high to at least cost: it is the certified worst-case execution time";
                Err(Problem::new("the time is below the cost", remedy).of("cost_high"))
            }
            (Criticality::High, None) => Err(missing(
                "cost_high",
                "a task of high criticality needs a second, larger cost, as in cost_high = \"4ms\"",
            )),
            (Criticality::Low, Some(_)) => {
                let remedy = "set criticality = \"high\", or remove cost_high: jobs of low criticality never run longer than cost";
                Err(Problem::new("the task is of low criticality", remedy).of("cost_high"))
            }
        }
    }
}

/// How much depends on a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Criticality {
    /// Its jobs are dropped in high mode.
    #[default]
    Low,
    /// Its jobs are in time in both modes.
    High,
}

prazo_core::words!(Criticality: Low => "low", High => "high");

fn criticality(text: &str) -> Result<Criticality, Problem> {
    let unknown = |known: prazo_core::words::UnknownWord| {
        Problem::new(format!("unknown value '{text}'"), nearest::remedy(text, known.choices))
    };
    text.trim().parse().map_err(unknown)
}

/// `whole`, one length, or parts as in `1ms + 2ms`.
fn preemption(text: &str, scale: Scale, unit: Option<Unit>) -> Result<Preemption, Problem> {
    if text.trim() == "whole" {
        return Ok(Preemption::Never);
    }
    let parts: Vec<Ticks> = text.split('+').map(|part| time(part, scale, unit)).collect::<Result<_, _>>()?;
    Ok(match parts[..] {
        [longest] => Preemption::Floating(longest),
        _ => Preemption::Between(parts),
    })
}

/// `1 in 1ms, 5 in 10ms`.
fn curve(text: &str, unit: Option<Unit>) -> Result<ArrivalCurve, Problem> {
    let step = |part: &str| {
        let (jobs, within) = part.trim().split_once(" in ").ok_or_else(|| {
            Problem::new(
                format!("'{}' does not state a number of jobs and a time", part.trim()),
                "write arrivals as in \"1 in 1ms, 5 in 10ms\"",
            )
        })?;
        let jobs = number(jobs, "write the largest number of jobs that may arrive")?.into();
        Ok(ArrivalStep { jobs, within: time(within.trim(), Scale::Unstated, unit)? })
    };
    let steps: Vec<ArrivalStep> = text.split(',').map(step).collect::<Result<_, _>>()?;
    ArrivalCurve::new(&steps).ok_or_else(|| {
        let problem = format!(
            "expected 1 to {} steps of 1 to {} jobs, each step with more jobs and a longer time than the step before",
            ArrivalCurve::STEPS_MAX,
            ArrivalCurve::JOBS_MAX
        );
        Problem::new(problem, "sort the steps, remove steps that other steps imply, and state fewer jobs per step if the limit is exceeded")
    })
}

/// `bus 500us, log 3 x 1ms`.
fn sections(text: &str, unit: Option<Unit>) -> Result<Vec<ResourceUse>, Problem> {
    let mut sections: Vec<ResourceUse> = Vec::new();
    for part in text.split(',') {
        let wrong = || {
            Problem::new(
                format!("'{}' does not state a resource (without quotation marks) and a time", part.trim()),
                "write resources with times as in \"bus 500us, log 3 x 1ms\"",
            )
        };
        let (resource, length) = part.trim().rsplit_once(' ').ok_or_else(wrong)?;
        let (resource, requests) = requested(resource.trim())?;
        let resource = resource.to_owned();
        if resource.is_empty() || resource.contains(['"', ',']) {
            return Err(wrong());
        }
        if sections.iter().any(|section| section.resource == resource) {
            return Err(Problem::new(
                format!("'{resource}' occurs twice"),
                "give the longest section of each resource once",
            ));
        }
        sections.push(ResourceUse { resource, length: time(length, Scale::Unstated, unit)?, requests });
    }
    Ok(sections)
}

/// `bus 3 x` is the resource `bus`, requested three times; without a number it is once.
fn requested(text: &str) -> Result<(&str, u32), Problem> {
    let counted = text.strip_suffix(" x").and_then(|rest| rest.trim_end().rsplit_once(' '));
    let Some((resource, count)) = counted else { return Ok((text, 1)) };
    match count.parse() {
        Ok(0) => {
            Err(Problem::new("a job requests the resource 0 times", "give at least 1 request, or remove the resource"))
        }
        Ok(requests) => Ok((resource.trim(), requests)),
        Err(_) => Ok((text, 1)),
    }
}

/// True if `text` is a task's key, with or without a unit.
pub(super) fn is_key(text: &str) -> bool {
    let (name, _) = unit::split_key(text);
    name == "name" || TIMES.contains(&name) || OTHERS.contains(&name)
}

fn missing(field: &str, remedy: &str) -> Problem {
    Problem::new("the key is missing", remedy).of(field)
}

/// All keys of a task, without units.
pub(super) fn keys() -> impl Iterator<Item = &'static str> {
    ["name"].into_iter().chain(TIMES).chain(OTHERS)
}

fn unknown(key: &str) -> Problem {
    let known: Vec<&str> = keys().collect();
    Problem::new("unknown key for a task", nearest::remedy(unit::split_key(key).0, &known))
}

/// Keeps `value`, unless there is one already.
fn put<T>(place: &mut Option<T>, value: Result<T, Problem>) -> Result<(), Problem> {
    match place.replace(value?) {
        None => Ok(()),
        Some(_) => Err(Problem::new("the key is given twice", "keep one of the two keys")),
    }
}

/// A time that must not be zero.
pub(super) fn time(text: &str, scale: Scale, unit: Option<Unit>) -> Result<Ticks, Problem> {
    match unit::ticks(text, scale, unit)? {
        0 => Err(Problem::new("the time is zero", "set the time to at least one tick")),
        ticks => Ok(ticks),
    }
}

/// A working set under a key that states its unit.
fn bare_kib(text: &str) -> Result<u64, Problem> {
    unit::kib(&format!("{text}KiB")).map_err(|_| {
        Problem::new(format!("'{text}' is not a number of KiB up to 2^48"), "write a number without unit, as in 64")
    })
}

fn number(text: &str, remedy: &str) -> Result<u32, Problem> {
    text.trim()
        .parse()
        .map_err(|_| Problem::new(format!("'{text}' is not a whole number from 0 to 4294967295"), remedy))
}

fn cpus(text: &str) -> Result<CpuSet, Problem> {
    text.parse().map_err(|cause| Problem::new(format!("'{text}': {cause}"), "write a list such as 0-3,5"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NS: Option<Unit> = Some(Unit::Nanosecond);

    fn task(pairs: &[(&str, &str)]) -> Result<NamedTask, Problem> {
        let mut draft = TaskDraft::default();
        pairs.iter().try_for_each(|(key, text)| draft.set(key, text, NS))?;
        draft.finish("gyro")
    }

    #[test]
    fn the_deadline_is_the_period_unless_told() {
        let named = task(&[("cost", "2us"), ("min_inter_arrival_us", "10")]).unwrap();
        assert_eq!(named.task, Task::implicit(2_000, 10_000));
        assert_eq!(named.arrival, Arrival::Sporadic);
    }

    #[test]
    fn a_cost_above_deadline_or_period_is_for_the_analysis_to_judge() {
        assert!(task(&[("cost", "12us"), ("period", "10us"), ("deadline", "5us")]).is_ok());
    }

    #[test]
    fn what_is_missing_zero_double_or_misspelt_is_said() {
        let message = |pairs: &[(&str, &str)]| task(pairs).unwrap_err().to_string();
        assert!(message(&[("cost", "2us")]).starts_with("period: the key is missing"));
        assert!(message(&[("period", "2us")]).starts_with("cost: the key is missing"));
        assert!(message(&[("cost", "0us")]).starts_with("cost: the time is zero"));
        assert!(message(&[("cost", "1us"), ("cost_us", "1")]).starts_with("cost_us: the key is given twice"));
        assert!(message(&[("perod", "1us")]).contains("did you mean 'period'?"));
        assert!(message(&[("priority", "-1")]).contains("not a whole number"));
        let size = message(&[("working_set_kib", "64KiB")]);
        assert!(size.contains("'64KiB' is not a number of KiB up to 2^48; write a number without unit"), "{size}");
        assert!(message(&[("affinity", "3-1")]).contains("ends before it starts"));
        assert!(message(&[("priority_us", "1")]).contains("unknown key for a task"));
    }

    #[test]
    fn what_departs_from_a_plain_task_is_read_or_refused() {
        let with = |keys: &[(&str, &str)]| task(&[&[("cost", "3us")], keys].concat());
        let behaviour = |keys: &[(&str, &str)]| with(&[&[("period", "10us")], keys].concat()).unwrap().behaviour;
        let preemption = |text| behaviour(&[("non_preemptive", text)]).preemption;
        assert_eq!(preemption("whole"), Preemption::Never);
        assert_eq!(preemption("2us"), Preemption::Floating(2_000));
        assert_eq!(preemption("1us + 2us"), Preemption::Between(vec![1_000, 2_000]));
        let sections = behaviour(&[("uses", "bus 500ns, log book 1us")]).sections;
        let named: Vec<_> = sections.iter().map(|section| (section.resource.as_str(), section.length)).collect();
        assert!(sections.iter().all(|section| section.requests == 1));
        let counted = behaviour(&[("uses", "bus 3 x 500ns, log book x 1us")]).sections;
        let of = |section: &ResourceUse| (section.resource.clone(), section.requests, section.length);
        assert_eq!(
            counted.iter().map(of).collect::<Vec<_>>(),
            [("bus".into(), 3, 500), ("log book x".into(), 1, 1_000)]
        );
        assert_eq!(named, [("bus", 500), ("log book", 1_000)]);
        let burst = with(&[("burst", "3"), ("within", "10us"), ("min_inter_arrival", "1us")]).unwrap();
        assert_eq!(burst.behaviour.burst, Some(Burst { jobs: 3, within: 10_000, distance: 1_000 }));
        assert_eq!((burst.task.period, burst.task.deadline), (3_334, 10_000));
        assert_eq!(behaviour(&[("suspends", "4us")]).suspension, 4_000);
        assert_eq!(behaviour(&[("suspends_ms", "0")]), TaskBehaviour::default());
        let message = |keys: &[(&str, &str)]| with(keys).unwrap_err().to_string();
        assert!(message(&[("period", "9us"), ("suspends", "4")]).contains("'4' has no unit"));
        assert!(message(&[("period", "9us"), ("suspends", "-4us")]).starts_with("suspends: "));
        assert!(message(&[("period", "9us"), ("non_preemptive", "4us")]).contains("longer than the cost"));
        assert!(message(&[("period", "9us"), ("non_preemptive", "1us + 1us")]).contains("do not add up"));
        assert!(message(&[("period", "9us"), ("uses", "bus")]).contains("'bus' does not state a resource"));
        assert!(message(&[("period", "9us"), ("uses", "bus 0 x 1us")]).contains("0 times"));
        assert!(message(&[("period", "9us"), ("uses", "bus 1us, bus 2us")]).contains("occurs twice"));
        assert!(message(&[("burst", "3")]).starts_with("within: the key is missing"));
        assert!(message(&[("period", "9us"), ("burst", "3"), ("within", "9us")]).contains("burst is also given"));
        assert!(message(&[("burst", "3"), ("within", "9us"), ("min_inter_arrival", "4us")]).contains("does not fit"));
    }

    #[test]
    fn steps_of_arrivals_are_read_or_refused() {
        let with = |keys: &[(&str, &str)]| task(&[&[("cost", "3us")], keys].concat());
        let named = with(&[("arrivals", "1 in 10us, 4 in 100us")]).unwrap();
        let steps: Vec<_> =
            named.behaviour.curve.unwrap().steps().iter().map(|step| (step.jobs, step.within)).collect();
        assert_eq!(steps, [(1, 10_000), (4, 100_000)]);
        assert_eq!((named.task.period, named.task.deadline, named.arrival), (25_000, 100_000, Arrival::Sporadic));
        let message = |keys: &[(&str, &str)]| with(keys).unwrap_err().to_string();
        assert!(message(&[("arrivals", "4 per 10us")]).contains("does not state a number of jobs and a time"));
        assert!(
            message(&[("arrivals", "4 in 10us, 2 in 20us")])
                .contains("each step with more jobs and a longer time than the step before")
        );
        assert!(message(&[("arrivals", "1 in 10us"), ("period", "9us")]).contains("min_inter_arrival is also given"));
        assert!(message(&[("arrivals", "1 in 10us"), ("burst", "2"), ("within", "9us")]).contains("keep either"));
        let rare = with(&[("min_inter_arrival", "10us"), ("max_inter_arrival", "12us")]).unwrap();
        assert_eq!(rare.conduct.max_inter_arrival, Some(12_000));
        assert!(
            message(&[("min_inter_arrival", "10us"), ("max_inter_arrival", "9us")]).contains("the time is shorter")
        );
        assert!(message(&[("period", "10us"), ("max_inter_arrival", "19us")]).contains("period is also given"));
    }

    #[test]
    fn a_server_is_whole_and_grants_no_more_than_there_is() {
        let with = |keys: &[(&str, &str)]| task(&[&[("cost", "2us"), ("period", "10us")], keys].concat());
        let named = with(&[("server_budget", "3us"), ("server_period_us", "8"), ("execution", "5us")]).unwrap();
        let server = Some(Reservation { budget: 3_000, period: 8_000 });
        assert_eq!(named.conduct, Conduct { execution: Some(5_000), server, ..Conduct::default() });
        assert_eq!(with(&[("offset", "0us")]).unwrap().conduct.offset, Some(0));
        assert_eq!(with(&[("best_case", "1us")]).unwrap().conduct.best_case, Some(1_000));
        let message = |keys: &[(&str, &str)]| with(keys).unwrap_err().to_string();
        assert!(message(&[("best_case", "1s")]).contains("best_case: the time is above the cost"));
        assert!(message(&[("best_case", "1us"), ("execution", "500ns")]).contains("execution is shorter"));
        assert!(message(&[("server_budget", "3us")]).starts_with("server_period: the key is missing"));
        assert!(message(&[("server_period", "3us")]).starts_with("server_budget: the key is missing"));
        assert!(message(&[("server_budget", "3us"), ("server_period", "2us")]).contains("longer than server_period"));
    }
}
