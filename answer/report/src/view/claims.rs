//! A study's claims and what became of them.

use super::{Cell, Section, Table, Tone};
use crate::content::ReportContent;
use prazo_verdict::claim::{ClaimOutcome, ClaimResult, Tally};

/// The table of claims. Where another question is answered first, those that hold are folded away.
pub fn section(content: &ReportContent) -> Section {
    let section = Section::new("claims", "Claims");
    if content.claims.is_empty() {
        return section;
    }
    let section = section.say(format!("{}.", Tally::of(&content.claims)));
    let table = |caption: &str, claims: &mut dyn Iterator<Item = &ClaimResult>| {
        Table::new(caption, &["Outcome", "Claim", "What the data shows", "Name"]).with(claims.map(row))
    };
    let claims = || content.claims.iter();
    if super::is_answered_by_claims(content) {
        return section.show(table("Claims", &mut claims()));
    }
    let holds = |claim: &&ClaimResult| claim.outcome == ClaimOutcome::Held;
    section
        .show(table("Claims that do not hold or cannot be decided", &mut claims().filter(|claim| !holds(claim))))
        .show(table("Claims that hold", &mut claims().filter(holds)).folded())
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
