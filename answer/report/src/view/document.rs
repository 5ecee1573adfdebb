//! What one page or one Markdown text shows: the answer, then what it rests on. A sink decides only how it looks.

use super::figures::Figure;
use super::{Cell, Headline, Section, Table};
use serde::Serialize;
use std::collections::BTreeMap;

/// All that a page shows.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Document {
    /// Its heading.
    pub title: String,
    /// When it was made, as text for people; empty where it shall not depend on the day.
    pub made_at: String,
    /// The verdict, what was asked, and why.
    pub headline: Headline,
    /// The sections before the figures; the section `answer` stands beside the chart that shows the answer.
    pub opening: Vec<Section>,
    /// The chart that shows the answer.
    pub answer: Option<Figure>,
    /// The other charts.
    pub figures: Vec<Figure>,
    /// The sections behind the figures.
    pub body: Vec<Section>,
    /// The colour of each run's lines, by its name, for the keys in the tables.
    #[serde(skip)]
    pub colours: BTreeMap<String, usize>,
}

/// The command that makes a document again; empty without one.
pub fn repeat(command: &str) -> Section {
    let rows = (!command.is_empty()).then(|| vec!["this report".into(), Cell::code(command)]);
    Section::new("repeat", "How to repeat this").show(Table::new("Commands", &["For", "Command"]).with(rows))
}
