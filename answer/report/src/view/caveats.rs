//! What threatens the result, weightiest first, each threat once, with what to do about it.
//!
//! Six runs of one machine share most of their caveats: a row a run would bury the one that matters.

use super::{Cell, Section, Table, Tone};
use crate::evidence::{Evidence, RunEvidence};
use crate::words;
use prazo_run::{Caveat, Severity};

/// One caveat with everything that the runs say of it.
pub struct Threat<'a> {
    /// The weightiest of its statements, the earliest run's first.
    pub worst: &'a Caveat,
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

    /// What each run says, where they do not all say the same.
    fn statements(&self) -> Vec<String> {
        let differ = self.said.iter().any(|(_, caveat)| caveat.what != self.worst.what);
        let statements = self.said.iter().map(|(run, caveat)| format!("{run}: {}", caveat.what));
        if differ { statements.collect() } else { Vec::new() }
    }
}

/// The caveats of all runs, by name, weightiest first.
pub fn threats(evidence: &Evidence) -> Vec<Threat<'_>> {
    let mut threats: Vec<Threat<'_>> = Vec::new();
    for (run, caveat) in evidence.runs.iter().flat_map(caveats) {
        match threats.iter_mut().find(|known| known.worst.id == caveat.id) {
            Some(known) => known.add(run, caveat),
            None => threats.push(Threat { worst: caveat, said: vec![(run, caveat)] }),
        }
    }
    threats.sort_by_key(|threat| std::cmp::Reverse(threat.worst.severity));
    threats
}

impl<'a> Threat<'a> {
    fn add(&mut self, run: &'a str, caveat: &'a Caveat) {
        self.said.push((run, caveat));
        if caveat.severity > self.worst.severity {
            self.worst = caveat;
        }
    }
}

fn caveats(run: &RunEvidence) -> impl Iterator<Item = (&str, &Caveat)> {
    run.run.caveats.iter().map(|caveat| (run.run.name.as_str(), caveat))
}

/// The caveats of all runs, one row each.
pub fn section(evidence: &Evidence) -> Section {
    let columns = ["Weight", "What was found", "What to do", "Runs", "Name"];
    let (weighty, light): (Vec<_>, Vec<_>) =
        threats(evidence).into_iter().partition(|threat| threat.worst.severity >= Severity::High);
    let table = |caption, threats: Vec<Threat<'_>>| {
        Table::new(caption, &columns).with(threats.iter().map(|threat| row(threat, evidence.runs.len())))
    };
    Section::new("caveats", "Threats to this result")
        .show(table("Fatal and high caveats", weighty))
        .show(table("Medium caveats and information", light).folded())
}

fn row(threat: &Threat<'_>, all: usize) -> Vec<Cell> {
    let names = threat.runs();
    let runs = Cell::from(of_runs(&names, all));
    let names = names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    vec![
        severity(threat.worst.severity),
        Cell::from(threat.worst.what.as_str()).with_more(threat.statements()),
        threat.worst.remedy.as_str().into(),
        if names.len() > 1 && names.len() < all { runs.with_more(names) } else { runs },
        Cell::code(&threat.worst.id),
    ]
}

/// How many runs of how many; one alone by its name.
pub fn of_runs(names: &[&str], all: usize) -> String {
    match names {
        [one] => (*one).to_owned(),
        many if many.len() == all => format!("all {all}"),
        many => format!("{} of {all}", many.len()),
    }
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
        let section = section(&Evidence { runs, ..Evidence::default() });
        let rows = &section.tables[0].rows;
        let text = |row: &[Cell]| row.iter().map(|cell| cell.text.clone()).collect::<Vec<_>>();
        assert_eq!(text(&rows[0]), ["high", "160 ms", "measure on bare metal", "2 of 3", "steal"]);
        assert_eq!(rows[0][1].more, ["a: 30 ms", "b: 160 ms"]);
        assert_eq!(rows[0][3].more, ["a", "b"]);
        let light = &section.tables[1];
        assert!(light.folded && light.rows[0][1].more.is_empty());
        assert_eq!(text(&light.rows[0]), ["info", "short", "longer", "a", "short"]);
    }
}
