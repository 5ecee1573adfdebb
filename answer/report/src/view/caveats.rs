//! What threatens the result, weightiest first, each threat once, with what to do about it.
//!
//! Six runs of one machine share most of their caveats: a row a run would bury the one that matters.

use super::{Cell, Section, Table, Tone};
use crate::content::{ReportContent, RunEvidence};
use crate::words;
use prazo_core::text::counted;
use prazo_run::{Caveat, Severity};

/// One caveat with everything that the runs say of it.
pub struct Threat<'a> {
    /// The weightiest of its statements on the runs that are judged, or on the control runs if it is on these alone; the earliest run's
    /// first.
    pub worst: &'a Caveat,
    /// True if only control runs have it: it does not threaten the verdict.
    pub is_of_controls: bool,
    /// Run and statement, in the order of the runs; a run may have several.
    pub said: Vec<(&'a str, &'a Caveat)>,
}

impl Threat<'_> {
    /// The runs that have it, each once.
    pub fn runs(&self) -> Vec<&str> {
        let mut runs: Vec<&str> = self.said.iter().map(|(run, _)| *run).collect();
        runs.dedup();
        runs
    }

    /// Which runs have it: `all runs`, `2 of 6 runs`, `2 control runs`; one alone by its name.
    pub fn on(&self, content: &ReportContent) -> String {
        let (names, all) = (self.runs(), content.runs.len());
        match (names.as_slice(), self.is_of_controls) {
            ([one], false) => (*one).to_owned(),
            (many, true) => counted(many.len() as u64, "control run").to_string(),
            (many, false) if many.len() == all => "all runs".to_owned(),
            (many, false) => format!("{} of {}", many.len(), counted(all as u64, "run")),
        }
    }

    /// What else is said under this name in the run of the worst.
    pub fn others(&self) -> Vec<&str> {
        let run = self.said.iter().find(|(_, caveat)| std::ptr::eq(*caveat, self.worst)).map(|(run, _)| *run);
        let of_run = self.said.iter().filter(|(name, _)| Some(*name) == run);
        of_run.map(|(_, caveat)| caveat.what.as_str()).filter(|what| *what != self.worst.what).collect()
    }

    /// What each run says, where they do not all say the same.
    fn statements(&self) -> Vec<String> {
        let differ = self.said.iter().any(|(_, caveat)| caveat.what != self.worst.what);
        let statements = self.said.iter().map(|(run, caveat)| format!("{run}: {}", caveat.what));
        if differ { statements.collect() } else { Vec::new() }
    }
}

/// The caveats of all runs, by name: first those of runs that are judged, weightiest first.
pub fn threats(content: &ReportContent) -> Vec<Threat<'_>> {
    let mut threats: Vec<Threat<'_>> = Vec::new();
    for (run, caveat) in content.runs.iter().flat_map(caveats) {
        match threats.iter_mut().find(|known| known.worst.id == caveat.id) {
            Some(known) => known.add(run, caveat),
            None => threats.push(Threat {
                worst: caveat,
                is_of_controls: run.is_control,
                said: vec![(run.run.name.as_str(), caveat)],
            }),
        }
    }
    threats.sort_by_key(|threat| (threat.is_of_controls, std::cmp::Reverse(threat.worst.severity)));
    threats
}

impl<'a> Threat<'a> {
    fn add(&mut self, run: &'a RunEvidence, caveat: &'a Caveat) {
        self.said.push((&run.run.name, caveat));
        let is_weightier = match (self.is_of_controls, run.is_control) {
            (true, false) => true,
            (false, true) => false,
            _ => caveat.severity > self.worst.severity,
        };
        if is_weightier {
            self.worst = caveat;
        }
        self.is_of_controls &= run.is_control;
    }
}

fn caveats(run: &RunEvidence) -> impl Iterator<Item = (&RunEvidence, &Caveat)> {
    run.run.caveats.iter().map(move |caveat| (run, caveat))
}

/// The caveats of all runs, one row each.
pub fn section(content: &ReportContent) -> Section {
    let columns = ["Severity", "What was found", "What to do", "Runs", "Name"];
    let is_weighty = |threat: &Threat<'_>| threat.worst.severity >= Severity::High && !threat.is_of_controls;
    let (weighty, light): (Vec<_>, Vec<_>) = threats(content).into_iter().partition(is_weighty);
    let table = |caption, threats: Vec<Threat<'_>>| {
        Table::new(caption, &columns).with(threats.iter().map(|threat| row(threat, content)))
    };
    Section::new("caveats", "Threats to this result")
        .show(table("Fatal and high caveats", weighty))
        .show(table("Other caveats: medium and info, and all of control runs", light).folded())
}

fn row(threat: &Threat<'_>, content: &ReportContent) -> Vec<Cell> {
    let (names, all) = (threat.runs(), content.runs.len());
    let runs = Cell::from(threat.on(content));
    let names = names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    vec![
        severity(threat.worst.severity),
        Cell::from(threat.worst.what.as_str()).with_more(threat.statements()),
        threat.worst.remedy.as_str().into(),
        if names.len() > 1 && names.len() < all { runs.with_more(names) } else { runs },
        Cell::code(&threat.worst.id),
    ]
}

/// A severity with its tone.
pub fn severity(severity: Severity) -> Cell {
    let tone = match severity {
        Severity::Fatal => Tone::Bad,
        Severity::High => Tone::Unsure,
        Severity::Medium => Tone::Plain,
        Severity::Info => Tone::Quiet,
    };
    Cell::toned(words::severity(severity), tone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::Run;
    use prazo_stats::summarise;

    fn run(name: &str, caveats: Vec<Caveat>) -> RunEvidence {
        let run = Run { name: name.into(), caveats, ..Run::default() };
        RunEvidence { summary: summarise(&run), misses: None, run, is_control: false }
    }

    fn steal(what: &str, severity: Severity) -> Caveat {
        Caveat::new("steal", severity, what, "measure on bare metal")
    }

    #[test]
    fn a_caveat_is_one_row_at_its_highest_weight_and_hides_no_statement() {
        let runs = vec![
            run("a", vec![steal("30 ms", Severity::Medium), Caveat::new("short", Severity::Info, "short", "longer")]),
            run("b", vec![steal("160 ms", Severity::High)]),
            run("c", vec![]),
        ];
        let section = section(&ReportContent { runs, ..ReportContent::default() });
        let rows = &section.tables[0].rows;
        let text = |row: &[Cell]| row.iter().map(|cell| cell.text.clone()).collect::<Vec<_>>();
        assert_eq!(text(&rows[0]), ["high", "160 ms", "measure on bare metal", "2 of 3 runs", "steal"]);
        assert_eq!(rows[0][1].more, ["a: 30 ms", "b: 160 ms"]);
        assert_eq!(rows[0][3].more, ["a", "b"]);
        let light = &section.tables[1];
        assert!(light.folded && light.rows[0][1].more.is_empty());
        assert_eq!(text(&light.rows[0]), ["info", "short", "longer", "a", "short"]);
    }

    #[test]
    fn what_control_runs_alone_have_does_not_threaten_the_verdict() {
        let control = |name: &str, caveats| RunEvidence { is_control: true, ..run(name, caveats) };
        let slow = Caveat::new("not-real-time", Severity::High, "slow", "be root");
        let runs = vec![
            run("a", vec![steal("30 ms", Severity::Medium)]),
            control("b", vec![steal("160 ms", Severity::High), slow.clone()]),
            control("c", vec![slow]),
        ];
        let section = section(&ReportContent { runs, ..ReportContent::default() });
        let text = |row: &[Cell]| row.iter().map(|cell| cell.text.clone()).collect::<Vec<_>>();
        assert!(section.tables.len() == 1 && section.tables[0].folded, "nothing stands before the judged runs");
        let rows: Vec<_> = section.tables[0].rows.iter().map(|row| text(row)).collect();
        assert_eq!(rows[0], ["medium", "30 ms", "measure on bare metal", "2 of 3 runs", "steal"]);
        assert_eq!(rows[1], ["high", "slow", "be root", "2 control runs", "not-real-time"]);
    }
}
