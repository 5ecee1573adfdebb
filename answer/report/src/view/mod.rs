//! What a report says and in which order, as sections of sentences and tables; the sinks only decide how it looks.
//!
//! The verdict and the threats to it come first, since a figure without them misleads; then what it means and what became
//! of a study's claims; method and platform come last, where whoever doubts a number looks for them.

pub mod beside;
pub mod caveats;
pub mod claims;
pub mod comparisons;
pub mod cost;
pub mod figures;
pub mod headline;
pub mod latencies;
pub mod loads;
pub mod meaning;
pub mod method;
pub mod misses;
pub mod parts;
pub mod platform;
pub mod readiness;
pub mod repeat;
pub mod runs;
pub mod spreads;
pub mod table;

pub use headline::Headline;
pub use table::{Cell, Table, Tone};

use crate::evidence::Evidence;
use serde::Serialize;

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

    /// Adds a table unless it has no rows.
    pub fn show(mut self, table: Table) -> Self {
        if !table.rows.is_empty() {
            self.tables.push(table);
        }
        self
    }

    fn is_empty(&self) -> bool {
        self.sentences.is_empty() && self.tables.is_empty()
    }
}

/// The sections before the figures: what threatens the answer, what it means, and what became of the claims. Where
/// nothing was judged, the claims are the answer and come first.
pub fn opening(evidence: &Evidence) -> Vec<Section> {
    let (caveats, meaning, claims) =
        (caveats::section(evidence), meaning::section(evidence), claims::section(evidence));
    let beside = beside::section(evidence);
    with_content(match evidence.verdict {
        Some(_) => vec![caveats, meaning, claims, beside],
        None => vec![claims, beside, meaning, caveats],
    })
}

/// The sections behind the figures.
pub fn body(evidence: &Evidence) -> Vec<Section> {
    with_content(vec![
        latencies::section(evidence),
        parts::section(evidence),
        cost::section(evidence),
        spreads::section(evidence),
        misses::section(evidence),
        comparisons::section(evidence),
        runs::section(evidence),
        loads::section(evidence),
        readiness::section(evidence),
        platform::section(evidence),
        repeat::section(evidence),
        method::section(evidence),
    ])
}

fn with_content(sections: Vec<Section>) -> Vec<Section> {
    sections.into_iter().filter(|section| !section.is_empty()).collect()
}
