//! A study's claims and what became of them.

use super::{Cell, Section, Table, Tone};
use crate::evidence::{ClaimOutcome, ClaimRow, Evidence};

/// The table of claims.
pub fn section(evidence: &Evidence) -> Section {
    let section = Section::new("claims", "Claims");
    if evidence.claims.is_empty() {
        return section;
    }
    let table = Table::new("Claims", &["Outcome", "Claim", "What the data says", "Name"]);
    section.say(format!("{}.", tally(evidence))).show(table.with(evidence.claims.iter().map(row)))
}

/// `45 claims: 31 held, 13 did not, 1 could not be decided`.
pub fn tally(evidence: &Evidence) -> String {
    let of = |outcome| evidence.claims.iter().filter(|claim| claim.outcome == outcome).count();
    format!(
        "{}: {} held, {} did not, {} could not be decided",
        crate::words::counted(evidence.claims.len() as u64, "claim"),
        of(ClaimOutcome::Held),
        of(ClaimOutcome::NotHeld),
        of(ClaimOutcome::Undecidable)
    )
}

fn row(claim: &ClaimRow) -> Vec<Cell> {
    vec![outcome(claim.outcome), claim.text.as_str().into(), claim.evidence.as_str().into(), Cell::code(&claim.id)]
}

/// An outcome with its tone.
pub fn outcome(outcome: ClaimOutcome) -> Cell {
    match outcome {
        ClaimOutcome::Held => Cell::toned("held", Tone::Good),
        ClaimOutcome::NotHeld => Cell::toned("not held", Tone::Bad),
        ClaimOutcome::Undecidable => Cell::toned("not decidable", Tone::Unsure),
    }
}
