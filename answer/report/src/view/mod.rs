//! What a report says and in which order, as sections of sentences and tables; the sinks only decide how it looks.
//!
//! The verdict comes first, with the runs that it rests on and what made them late. Then come the latencies, what threatens them,
//! and what became of a study's claims; platform and method come last, where whoever doubts a number looks for them.

pub mod beside;
pub mod caveats;
pub mod claims;
pub mod comparisons;
pub mod cost;
pub mod culprits;
pub mod document;
pub mod figures;
pub mod headline;
pub mod judged_runs;
pub mod latencies;
pub mod loads;
pub mod meaning;
pub mod method;
pub mod misses;
pub mod noise;
pub mod parts;
pub mod plans_and_accounts;
pub mod platform;
pub mod readiness;
pub mod repeat;
pub mod spreads;
pub mod table;

pub use document::Document;
pub use headline::Headline;
pub use table::{Cell, Table, Tone};

use crate::evidence::Evidence;
use serde::Serialize;

/// Tables with more rows are folded on a page.
const ROWS_OPEN: usize = 12;

/// One part of a report.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Section {
    /// A name for links, in kebab-case.
    pub id: &'static str,
    /// Its heading.
    pub heading: &'static str,
    /// Sentences before the tables.
    pub sentences: Vec<String>,
    /// Its tables.
    pub tables: Vec<Table>,
}

impl Section {
    /// A section without content; [`sections`] leaves such out.
    pub fn new(id: &'static str, heading: &'static str) -> Self {
        Self { id, heading, ..Self::default() }
    }

    /// Adds a sentence.
    pub fn say(mut self, sentence: impl Into<String>) -> Self {
        self.sentences.push(sentence.into());
        self
    }

    /// Adds a table unless it has no rows; a long one is folded.
    pub fn show(mut self, table: Table) -> Self {
        if !table.rows.is_empty() {
            let folded = table.folded || table.rows.len() > ROWS_OPEN;
            self.tables.push(Table { folded, ..table.in_one_unit() });
        }
        self
    }

    fn is_empty(&self) -> bool {
        self.sentences.is_empty() && self.tables.is_empty()
    }
}

/// The sections before the figures: the judged runs. Where nothing was judged, a study's claims are the answer.
pub fn opening(evidence: &Evidence) -> Vec<Section> {
    with_content(match is_answered_by_claims(evidence) {
        true => vec![claims::section(evidence), beside::section(evidence)],
        false => vec![judged_runs::section(evidence)],
    })
}

/// True where nothing was judged but a study's claims.
pub(crate) fn is_answered_by_claims(evidence: &Evidence) -> bool {
    evidence.verdict.is_none() && !evidence.claims.is_empty()
}

/// The sections behind the figures.
pub fn body(evidence: &Evidence) -> Vec<Section> {
    let claims = match is_answered_by_claims(evidence) {
        true => Vec::new(),
        false => vec![claims::section(evidence), beside::section(evidence)],
    };
    let before = [
        latencies::section(evidence),
        noise::section(evidence),
        culprits::section(evidence),
        parts::section(evidence),
        misses::section(evidence),
        comparisons::section(evidence),
        cost::section(evidence),
        spreads::section(evidence),
        caveats::section(evidence),
    ];
    let after = [
        readiness::section(evidence),
        loads::section(evidence),
        plans_and_accounts::section(evidence),
        platform::section(evidence),
        repeat::section(evidence),
        meaning::section(evidence),
        method::section(evidence),
    ];
    with_content(before.into_iter().chain(claims).chain(after).collect())
}

/// Leaves out sections without content.
pub(crate) fn with_content(sections: Vec<Section>) -> Vec<Section> {
    sections.into_iter().filter(|section| !section.is_empty()).collect()
}
