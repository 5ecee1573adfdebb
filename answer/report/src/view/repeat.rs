//! The commands that make this evidence again.

use super::{Cell, Section, Table};
use crate::content::{ReportContent, RunEvidence};
use prazo_core::time::Duration;
use prazo_run::plan::{Length, Plan, Policy, Splitting};
use prazo_run::run::Origin;
use prazo_run::source::Source;

/// The report's command and each run's own.
pub fn section(content: &ReportContent) -> Section {
    let row = |(name, command): (&str, String)| vec![name.into(), Cell::code(command)];
    let columns = ["For", "Command"];
    let report = [("this report", content.command.clone())].into_iter().filter(|(_, command)| !command.is_empty());
    let report = Table::new("The command of this report", &columns).with(report.map(row));
    let runs = content.runs.iter().map(|run| (run.run.name.as_str(), of_run(run, &content.command)));
    let runs = runs.filter(|(_, command)| !command.is_empty()).map(row);
    let has_rhythm =
        |run: &RunEvidence| run.run.plan.iter().flat_map(|plan| &plan.loads).any(|load| load.rhythm.is_some());
    let rhythm = "A run's own command applies its loads without pauses; the command of the report keeps their pauses.";
    let table = Table::new("The command of each run", &columns).with(runs);
    let is_rebuilt = |run: &RunEvidence| alone_of(run, &content.command).is_some();
    let loses_pauses = content.runs.iter().any(|run| has_rhythm(run) && is_rebuilt(run));
    let table = if loses_pauses { table.note(rhythm) } else { table };
    let table = if report.rows.is_empty() { table } else { table.folded() };
    Section::new("repeat", "How to repeat this").show(report).show(table)
}

/// The command that was recorded in the run; where that is the whole report's, one that measures this run alone.
fn of_run(evidence: &RunEvidence, report: &str) -> String {
    alone_of(evidence, report).unwrap_or_else(|| evidence.run.command.clone())
}

/// The command that measures this run alone; `None` for a run that keeps the command it has.
fn alone_of(evidence: &RunEvidence, report: &str) -> Option<String> {
    let run = &evidence.run;
    let own = (run.command == report && run.origin == Origin::Measured).then_some(run.plan.as_ref()).flatten();
    own.and_then(alone)
}

/// The command for the plan of a timer run; `None` where no flags say it.
fn alone(plan: &Plan) -> Option<String> {
    let first = plan.threads.first()?;
    let is_alike = plan.threads.iter().all(|one| (one.period, one.phase) == (first.period, Duration::ZERO));
    if plan.source != Source::Timer || !plan.workloads.is_empty() || !is_alike {
        return None;
    }
    let cpus = plan.threads.iter().map(|one| one.cpu.to_string()).collect::<Vec<_>>().join(",");
    let mut words = vec!["prazo measure timer".to_owned(), format!("--policy {}", plan.policy.name())];
    match plan.policy {
        Policy::Other => {}
        Policy::Fifo { priority } | Policy::Rr { priority } => words.push(format!("--priority {priority}")),
        Policy::Deadline { runtime } => words.push(format!("--runtime {runtime}")),
    }
    words.push(format!("--cpus {cpus} --period {} --warm-up {}", first.period, plan.warm_up));
    words.push(match plan.length {
        Length::Duration { length } => format!("--duration {length}"),
        Length::Activations { count } => format!("--count {count}"),
    });
    words.extend(match plan.split {
        Splitting::Off => None,
        Splitting::Parts => Some("--split=parts".to_owned()),
        Splitting::Causes => Some("--split=causes".to_owned()),
    });
    words.extend(plan.deadline.map(|deadline| format!("--deadline {deadline}")));
    words.extend(plan.loads.iter().map(|load| match load.rate {
        Some(rate) => format!("--load {}={rate}", load.name),
        None => format!("--load {}", load.name),
    }));
    Some(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::Run;
    use prazo_run::plan::{LoadPlan, Rhythm};

    /// A run of a study, whose command is that of the whole.
    fn of_study(plan: Plan) -> RunEvidence {
        let run =
            Run { origin: Origin::Measured, plan: Some(plan), command: "prazo evaluate".into(), ..Run::default() };
        RunEvidence::of(run, None)
    }

    fn plan() -> Plan {
        let text = r#"{"method":"clock-nanosleep","policy":{"name":"fifo","priority":90},"when_late":"skip",
            "threads":[{"cpu":0,"period_ns":1000000,"phase_ns":0},{"cpu":2,"period_ns":1000000,"phase_ns":0}],
            "length":{"kind":"duration","length_ns":20000000000},"warm_up_ns":1000000000,"lead_in_ns":0,"loads":[],
            "deadline_ns":200000,"stop_above_ns":null,"looks_for_ns":null,"housekeeping_cpu":null,"raw":false,
            "hold_dma_latency":true,"timer_slack_ns":null,"histogram_bound_ns":10000000,"beside_pid":null,"seed":1}"#;
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_run_of_an_evaluation_has_a_command_of_its_own() {
        let load = LoadPlan { name: "udp-flood".into(), rate: Some(20_000.0), rhythm: None };
        let command = of_run(&of_study(Plan { loads: vec![load], ..plan() }), "prazo evaluate");
        let expected = "prazo measure timer --policy fifo --priority 90 --cpus 0,2 --period 1ms --warm-up 1s --duration 20s \
                        --deadline 200us --load udp-flood=20000";
        assert_eq!(command, expected);
    }

    #[test]
    fn a_run_with_a_command_of_its_own_keeps_it() {
        assert_eq!(of_run(&of_study(plan()), "prazo report a.prazo b.prazo"), "prazo evaluate");
    }

    #[test]
    fn only_a_command_that_was_made_without_pauses_has_a_note_on_them() {
        let [cycle, on_min, on_max] = [20, 5, 10].map(Duration::from_ms);
        let rhythm = Some(Rhythm { cycle, on_min, on_max });
        let load = LoadPlan { name: "cpu".into(), rate: None, rhythm };
        let notes = |command: &str| {
            let runs = vec![of_study(Plan { loads: vec![load.clone()], ..plan() })];
            let evidence = ReportContent { runs, command: command.into(), ..ReportContent::default() };
            section(&evidence).tables.iter().map(|table| table.notes.len()).sum::<usize>()
        };
        assert_eq!((notes("prazo evaluate"), notes("prazo report a.prazo")), (1, 0));
    }
}
