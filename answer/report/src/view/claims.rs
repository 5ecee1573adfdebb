//! A study's claims and what became of them.

use super::{Cell, Section, Table, Tone};
use crate::evidence::{ClaimOutcome, ClaimRow, Evidence};

/// The table of claims.
pub fn section(evidence: &Evidence) -> Section {
    let table = Table::new("Claims", &["Outcome", "Claim", "What the data says", "Name"]);
    Section::new("claims", "Claims").show(table.with(evidence.claims.iter().map(row)))
}

fn row(claim: &ClaimRow) -> Vec<Cell> {
    vec![outcome(claim.outcome), claim.text.as_str().into(), claim.evidence.as_str().into(), Cell::code(&claim.id)]
}

fn outcome(outcome: ClaimOutcome) -> Cell {
    match outcome {
        ClaimOutcome::Held => Cell::toned("held", Tone::Good),
        ClaimOutcome::NotHeld => Cell::toned("not held", Tone::Bad),
        ClaimOutcome::Undecidable => Cell::toned("not decidable", Tone::Unsure),
    }
}
