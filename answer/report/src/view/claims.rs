//! A study's claims and what became of them.

use super::{Cell, Section, Table, Tone};
use crate::evidence::Evidence;
use prazo_verdict::claim::{ClaimOutcome, ClaimResult, Tally};

/// The table of claims.
pub fn section(evidence: &Evidence) -> Section {
    let section = Section::new("claims", "Claims");
    if evidence.claims.is_empty() {
        return section;
    }
    let table = Table::new("Claims", &["Outcome", "Claim", "Claims checked against the data", "Name"]);
    section.say(format!("{}.", Tally::of(&evidence.claims))).show(table.with(evidence.claims.iter().map(row)))
}

fn row(claim: &ClaimResult) -> Vec<Cell> {
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
