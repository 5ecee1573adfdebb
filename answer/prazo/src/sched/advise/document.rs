//! The advice as scripts and people read it.

use super::advice::{Advice, AdviseAnswer};
use prazo_core::text::counted;
use prazo_core::verdict::Verdict;
use prazo_verdict::Outcome;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// The advice of one task set, as `--json` prints it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Advised {
    /// The file of the task set, as it was named in the request.
    pub file: String,
    /// The verdict of the set as it is: `proven`, `disproven` or `unknown`.
    #[serde(serialize_with = "prazo_platform::as_text::serialize")]
    #[schemars(with = "String")]
    pub verdict: Verdict,
    /// Changes that each make the set provable, in the order supply, scheduler, priorities, periods, costs, processors; empty where no change was found. For a set
    /// that is proven without a change: the smallest budget of its supply; or the smallest rate with the stated delay, and
    /// the longest delay with the stated rate; where they differ from the stated ones.
    pub changes: Vec<AdvisedChange>,
    /// Kinds of change that were tried but gave no proof.
    pub in_vain: Vec<&'static str>,
    /// Number of analyses of the given task set and of changed sets; some sets are analysed twice.
    pub questions: u64,
}

impl AdviseAnswer {
    /// Pass where the set is proven as it is, or with a change.
    pub fn outcome(&self) -> Outcome {
        let fits = self.verdict == Verdict::Proven || !self.advice.is_empty();
        if fits { Outcome::Pass } else { Outcome::Inconclusive }
    }
}

/// One change with which the set is proven.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AdvisedChange {
    /// Kind of the change: `scheduler`, `priorities`, `periods`, `costs`, `processors` or `supply`.
    pub kind: &'static str,
    /// The change in words.
    pub change: String,
    /// The test that proves the changed set; null where each of several queues is proven by its own test.
    pub decided_by: Option<&'static str>,
    /// Conditions of the proof that need attention, such as `ties-by-index`.
    pub caveats: Vec<&'static str>,
    /// The changed set, as the TOML of a scenario.
    pub scenario: String,
    /// File to which the changed set was written; null where no folder was named.
    pub file: Option<String>,
    /// File with the certificate of the changed set's proof; null where no folder was named, or there is no
    /// certificate.
    pub certificate: Option<String>,
}

impl AdviseAnswer {
    /// What scripts read.
    pub fn document(&self) -> Advised {
        Advised {
            file: self.title.clone(),
            verdict: self.verdict,
            changes: self.advice.iter().map(AdvisedChange::of).collect(),
            in_vain: self.in_vain.iter().map(|kind| kind.name()).collect(),
            questions: self.questions,
        }
    }
}

impl AdvisedChange {
    fn of(advice: &Advice) -> Self {
        let path = |file: &std::path::PathBuf| file.display().to_string();
        Self {
            kind: advice.kind.name(),
            change: advice.text.clone(),
            decided_by: advice.decided_by,
            caveats: advice.caveats.iter().map(|caveat| caveat.id()).collect(),
            scenario: prazo_scenario::write::toml(&advice.scenario),
            file: advice.file.as_ref().map(path),
            certificate: advice.certificate.as_ref().map(path),
        }
    }
}

/// The verdict, then one paragraph for each change.
impl fmt::Display for AdviseAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.title, self.verdict)?;
        if self.verdict == Verdict::Proven {
            writeln!(
                f,
                "The set is proven as it is. `prazo sched test --sensitivity` shows by how much costs may grow."
            )?;
        }
        match self.advice.len() {
            _ if self.verdict == Verdict::Proven => {}
            0 => writeln!(f, "No change that was tried makes the set provable.")?,
            1 => writeln!(f, "With this change the set is proven:")?,
            count => writeln!(f, "With any one of these {} the set is proven:", counted(count as u64, "change"))?,
        }
        for advice in &self.advice {
            write!(f, "\n{:<11} {}.", advice.kind.name(), advice.text)?;
            if let Some(test) = advice.decided_by {
                write!(f, " Proven by {test}.")?;
            }
            writeln!(f)?;
            for caveat in &advice.caveats {
                writeln!(f, "{:<11} Caveat {}: {}.", "", caveat.id(), caveat.sentence())?;
            }
            for file in advice.file.iter().chain(&advice.certificate) {
                writeln!(f, "{:<11} {}", "", file.display())?;
            }
        }
        if !self.in_vain.is_empty() {
            let kinds: Vec<&str> = self.in_vain.iter().map(|kind| kind.name()).collect();
            writeln!(f, "\nKinds of change that were tried but gave no proof: {}.", kinds.join(", "))?;
        }
        if self.verdict == Verdict::Proven && self.advice.is_empty() {
            return Ok(());
        }
        writeln!(f, "{} analysed.", counted(self.questions, "task set"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::change::ChangeKind;
    use super::*;
    use prazo_scenario::Scenario;

    fn answer(changes: usize) -> String {
        let advice = Advice {
            kind: ChangeKind::Costs,
            text: "Divide all costs by 2".into(),
            decided_by: None,
            caveats: Vec::new(),
            scenario: Scenario::default(),
            file: None,
            certificate: None,
        };
        let (title, verdict) = ("set.toml".to_owned(), Verdict::Disproven);
        let advice = vec![advice; changes];
        AdviseAnswer { title, verdict, advice, in_vain: Vec::new(), questions: 3 }.to_string()
    }

    #[test]
    fn one_change_is_not_counted() {
        assert!(answer(1).contains("\nWith this change the set is proven:\n"), "{}", answer(1));
        assert!(answer(2).contains("\nWith any one of these 2 changes the set is proven:\n"), "{}", answer(2));
    }
}
