//! A set back to TOML, so that what was read elsewhere can be kept, changed and read again.
//!
//! What is written reads back as the same set, bit for bit: times in the largest unit that is exact, overheads as
//! fractions.

use crate::behaviour::{Preemption, ResourceUse, TaskBehaviour};
use crate::chain::{Chain, Communication};
use crate::overheads::{Function, Overhead, OverheadTable, Point};
use crate::set::{Arrival, Expect, JobRanking, NamedTask, Scenario};
use crate::supply_words::{SupplyKind, SupplyWords};
use crate::unit::Unit;
use prazo_core::behaviour::{ArrivalCurve, Supply};
use prazo_core::ratio::Ratio;
use prazo_core::task::Ticks;
use prazo_core::time::Duration;
use std::fmt::{Display, Write};

/// `scenario` as TOML.
pub fn toml(scenario: &Scenario) -> String {
    let mut out = Lines { text: String::new(), unit: scenario.unit };
    out.head(scenario);
    for named in &scenario.tasks {
        out.task(named);
    }
    for chain in &scenario.chains {
        out.chain(chain, &scenario.tasks);
    }
    if let Some(supply) = scenario.supply {
        out.section("supply");
        out.supply(supply, scenario.supply_words);
    }
    if let Some(table) = &scenario.overheads {
        out.section("overheads");
        out.overheads(table);
    }
    if let Some(expect) = &scenario.expect {
        out.expect(expect);
    }
    out.text
}

/// `table` as a TOML file of its own; its ticks are of `unit`.
pub fn overhead_toml(table: &OverheadTable, unit: Option<Unit>) -> String {
    let mut out = Lines { text: String::new(), unit };
    out.overheads(table);
    out.text
}

/// `text` in quotation marks, escaped.
fn quoted(text: &str) -> String {
    ::toml::Value::String(text.to_owned()).to_string()
}

/// `text` as a key, which may not span lines.
fn quoted_key(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

/// `[a, b]`.
fn list(values: impl Iterator<Item = String>) -> String {
    format!("[{}]", values.collect::<Vec<_>>().join(", "))
}

struct Lines {
    text: String,
    unit: Option<Unit>,
}

impl Lines {
    fn line(&mut self, key: &str, value: impl Display) {
        writeln!(self.text, "{key} = {value}").expect("writing to a text does not fail");
    }

    fn maybe(&mut self, key: &str, value: Option<impl Display>) {
        if let Some(value) = value {
            self.line(key, value);
        }
    }

    fn section(&mut self, name: &str) {
        writeln!(self.text, "\n[{name}]").expect("writing to a text does not fail");
    }

    fn head(&mut self, scenario: &Scenario) {
        self.line("name", quoted(&scenario.name));
        self.maybe("origin", scenario.origin.as_deref().map(quoted));
        self.maybe("note", scenario.note.as_deref().map(quoted));
        if !scenario.remarks.is_empty() {
            self.line("remarks", list(scenario.remarks.iter().map(|remark| quoted(remark))));
        }
        self.line("unit", quoted(self.unit.map_or("none", Unit::name)));
        self.maybe("processors", scenario.processors);
        self.maybe("clusters", scenario.clusters.as_deref().map(|sizes| list(sizes.iter().map(u32::to_string))));
        match scenario.policy {
            Some(JobRanking::Edf) => self.line("policy", quoted("edf")),
            Some(JobRanking::FixedPriority(priorities)) => {
                self.line("policy", quoted("fixed-priority"));
                self.line("priorities", quoted(priorities.name()));
            }
            None => {}
        }
        self.maybe("synchronized", scenario.synchronized.then_some(true));
        self.maybe("locking", scenario.locking.map(|locking| quoted(locking.name())));
    }

    fn task(&mut self, named: &NamedTask) {
        self.text.push_str("\n[[task]]\n");
        let task = &named.task;
        self.line("name", quoted(&named.name));
        self.line("cost", self.time(task.cost));
        let usual_deadline = match (named.behaviour.burst, named.arrival) {
            _ if named.behaviour.curve.is_some() => {
                let steps = named.behaviour.curve.iter().flat_map(ArrivalCurve::steps);
                let texts: Vec<String> =
                    steps.clone().map(|step| format!("{} in {}", step.jobs, self.bare_time(step.within))).collect();
                self.line("arrivals", quoted(&texts.join(", ")));
                steps.last().map_or(0, |step| step.within)
            }
            (Some(burst), _) => {
                self.line("burst", burst.jobs);
                self.line("within", self.time(burst.within));
                self.maybe("min_inter_arrival", (burst.distance > 0).then(|| self.time(burst.distance)));
                burst.within
            }
            (None, Arrival::Periodic) => {
                self.line("period", self.time(task.period));
                task.period
            }
            (None, Arrival::Sporadic) => {
                self.line("min_inter_arrival", self.time(task.period));
                task.period
            }
        };
        self.maybe("max_inter_arrival", named.conduct.max_inter_arrival.map(|longest| self.time(longest)));
        self.maybe("deadline", (task.deadline != usual_deadline).then(|| self.time(task.deadline)));
        self.maybe("jitter", (task.jitter > 0).then(|| self.time(task.jitter)));
        self.maybe("working_set_kib", (task.working_set_kib > 0).then_some(task.working_set_kib));
        self.behaviour(&named.behaviour);
        self.maybe("priority", named.priority);
        self.maybe("cluster", named.cluster);
        self.maybe("offset", named.conduct.offset.map(|ticks| self.time(ticks)));
        self.maybe("execution", named.conduct.execution.map(|ticks| self.time(ticks)));
        self.maybe("best_case", named.conduct.best_case.map(|ticks| self.time(ticks)));
        if let Some(server) = named.conduct.server {
            self.line("server_budget", self.time(server.budget));
            self.line("server_period", self.time(server.period));
        }
        self.maybe("affinity", named.affinity.map(|cpus| quoted(&cpus.to_string())));
    }

    fn supply(&mut self, supply: Supply, words: Option<SupplyWords>) {
        let Some(words) = words else {
            match supply {
                Supply::Periodic { budget, period } => {
                    self.line("budget", self.time(budget));
                    self.line("period", self.time(period));
                }
                Supply::BoundedDelay { rate, delay } => {
                    self.line("rate", quoted(&rate.to_string()));
                    self.line("delay", self.time(delay));
                }
            }
            return;
        };
        let (stated, (_, period)) = (words.stated(supply), words.reserved(supply));
        match words.kind {
            SupplyKind::Reservation => {
                self.line("runtime", self.time(stated));
                self.line("period", self.time(period));
            }
            SupplyKind::Quota => {
                let us = |ticks: Ticks| ticks.saturating_mul(self.unit.map_or(1, Unit::ns)).div_ceil(1_000);
                self.line("cpu_max", quoted(&format!("{} {}", us(stated), us(period))));
                self.line("slice", self.time(words.less));
            }
            SupplyKind::FairServer => {
                let runtime = format!("{} in {}", self.bare_time(stated), self.bare_time(period));
                self.line("fair_server", quoted(&runtime));
            }
        }
        self.line("tick", self.time(words.less));
    }

    fn behaviour(&mut self, behaviour: &TaskBehaviour) {
        let preemption = match &behaviour.preemption {
            Preemption::Anywhere => None,
            Preemption::Never => Some(quoted("whole")),
            Preemption::Floating(longest) => Some(self.time(*longest)),
            Preemption::Between(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.bare_time(*part)).collect();
                Some(quoted(&parts.join(" + ")))
            }
        };
        self.maybe("non_preemptive", preemption);
        self.maybe("criticality", behaviour.cost_high.map(|_| quoted("high")));
        self.maybe("cost_high", behaviour.cost_high.map(|cost| self.time(cost)));
        self.maybe("suspends", (behaviour.suspension > 0).then(|| self.time(behaviour.suspension)));
        if !behaviour.sections.is_empty() {
            let section = |section: &ResourceUse| {
                let times = if section.requests > 1 { format!(" {} x", section.requests) } else { String::new() };
                format!("{}{times} {}", section.resource, self.bare_time(section.length))
            };
            let sections: Vec<String> = behaviour.sections.iter().map(section).collect();
            self.line("uses", quoted(&sections.join(", ")));
        }
    }

    fn chain(&mut self, chain: &Chain, tasks: &[NamedTask]) {
        self.text.push_str("\n[[chain]]\n");
        let name = |task: usize| quoted(&tasks[task].name);
        self.line("name", quoted(&chain.name));
        self.line("tasks", list(chain.stages.iter().map(|stage| name(stage.task))));
        if chain.communication != Communication::default() {
            self.line("communication", quoted(chain.communication.name()));
        }
        let activated: Vec<String> =
            chain.stages.iter().filter(|stage| stage.activated).map(|stage| name(stage.task)).collect();
        self.maybe("activated", (!activated.is_empty()).then(|| list(activated.into_iter())));
        let hop =
            |stage: &crate::chain::Stage| format!("{} = {}", quoted_key(&tasks[stage.task].name), self.time(stage.hop));
        let hops: Vec<String> = chain.stages.iter().filter(|stage| stage.hop > 0).map(hop).collect();
        self.maybe("hops", (!hops.is_empty()).then(|| format!("{{ {} }}", hops.join(", "))));
        self.maybe("synchronized", chain.synchronized.then_some(true));
        self.maybe("max_reaction", chain.max_reaction.map(|time| self.time(time)));
        self.maybe("max_age", chain.max_age.map(|time| self.time(time)));
    }

    /// A time without quotation marks.
    fn bare_time(&self, ticks: Ticks) -> String {
        self.time(ticks).trim_matches('"').to_owned()
    }

    /// A time with its unit, or bare in a set without one.
    fn time(&self, ticks: Ticks) -> String {
        match self.unit {
            None => ticks.to_string(),
            Some(Unit::Nanosecond) => quoted(&Duration::from_ns(ticks).to_string()),
            Some(unit) => quoted(&format!("{ticks}{}", unit.name())),
        }
    }

    /// An amount, perhaps a fraction, with its unit or bare.
    fn amount(&self, amount: Ratio) -> String {
        match (self.unit, u64::try_from(amount.numerator())) {
            (_, Ok(ticks)) if amount.denominator() == 1 => self.time(ticks),
            (unit, _) => quoted(&format!("{amount}{}", unit.map_or("", Unit::name))),
        }
    }

    fn overheads(&mut self, table: &OverheadTable) {
        self.line("name", quoted(&table.name));
        self.maybe("note", table.note.as_deref().map(quoted));
        self.maybe("tick_period", table.overheads.tick_period.map(|period| self.time(period)));
        self.line("dedicated_interrupt_processor", table.overheads.dedicated_interrupt_processor);
        for (key, overhead) in table.named() {
            if *overhead != Overhead::default() {
                self.line(key, self.overhead(overhead));
            }
        }
    }

    fn overhead(&self, overhead: &Overhead) -> String {
        let amount = match &overhead.amount {
            Function::Constant(value) => format!("constant = {}", self.amount(*value)),
            Function::Affine { base, slope } => {
                format!("base = {}, per_task = {}", self.amount(*base), self.amount(*slope))
            }
            Function::Table(points) => format!("table = {}", self.points(points)),
            Function::Linear(points) => format!("linear = {}", self.points(points)),
        };
        let origin = &overhead.provenance;
        let (source, statistic) = (quoted(&origin.source), quoted(&origin.statistic));
        format!("{{ {amount}, source = {source}, statistic = {statistic}, samples = {} }}", origin.samples)
    }

    fn points(&self, points: &[Point]) -> String {
        list(points.iter().map(|(count, amount)| format!("[{count}, {}]", self.amount(*amount))))
    }

    fn expect(&mut self, expect: &Expect) {
        self.section("expect");
        for (scheduler, outcome) in &expect.outcomes {
            self.line(scheduler.name(), quoted(outcome.name()));
        }
        self.maybe("why", expect.why.as_deref().map(quoted));
    }
}
