//! What a report says and in which order, as sections of sentences and tables; the sinks only decide how it looks.
//!
//! The verdict comes first, with the runs that it rests on and what made them late. Then come the latencies, what threatens them,
//! and what became of a study's claims; platform and method come last, where whoever doubts a number looks for them.

pub mod caveats;
pub mod claims;
pub mod comparisons;
pub mod cost;
pub mod culprits;
pub mod document;
pub mod figures;
pub mod first_screen;
pub mod headline;
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
pub mod stated_and_measured;
pub mod table;

pub use document::Document;
pub use headline::Headline;
pub use table::{Cell, Table, Tone};

use crate::content::ReportContent;
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
pub fn opening(content: &ReportContent) -> Vec<Section> {
    with_content(match is_answered_by_claims(content) {
        true => vec![claims::section(content), stated_and_measured::section(content)],
        false => vec![first_screen::section(content)],
    })
}

/// True where nothing was judged but a study's claims.
pub(crate) fn is_answered_by_claims(content: &ReportContent) -> bool {
    content.verdict.is_none() && !content.claims.is_empty()
}

/// The sections behind the figures.
pub fn body(content: &ReportContent) -> Vec<Section> {
    let claims = match is_answered_by_claims(content) {
        true => Vec::new(),
        false => vec![claims::section(content), stated_and_measured::section(content)],
    };
    let before = [
        latencies::section(content),
        noise::section(content),
        culprits::section(content),
        parts::section(content),
        misses::section(content),
        comparisons::section(content),
        cost::section(content),
        spreads::section(content),
        caveats::section(content),
    ];
    let after = [
        readiness::section(content),
        loads::section(content),
        plans_and_accounts::section(content),
        platform::section(content),
        repeat::section(content),
        meaning::section(content),
        method::section(content),
    ];
    with_content(before.into_iter().chain(claims).chain(after).collect())
}

/// Leaves out sections without content.
pub(crate) fn with_content(sections: Vec<Section>) -> Vec<Section> {
    sections.into_iter().filter(|section| !section.is_empty()).collect()
}
