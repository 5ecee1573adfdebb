//! The curves as one HTML file, in the look of the reports and by the same template and script.

use super::{CostPanel, Figure, Panel, sections};
use crate::html;
use crate::svg::{self, Setting};
use crate::view::{Document, figures};
use crate::words;

/// The whole page.
pub fn render(figure: &Figure) -> String {
    html::document(&Document {
        title: if figure.title.is_empty() { "Acceptance curves".into() } else { figure.title.clone() },
        made_at: figure.made_at.clone(),
        headline: sections::headline(figure),
        figures: figure.panels.iter().map(|panel| chart(figure, panel)).chain(figure.costs.iter().map(costs)).collect(),
        body: sections::body(figure),
        ..Document::default()
    })
}

fn chart(figure: &Figure, panel: &Panel) -> figures::Figure {
    let confidence = words::decimals(figure.confidence * 100.0, 1);
    figures::Figure {
        id: panel.id.clone(),
        title: panel.title.clone(),
        caption: format!(
            "{} Colour: scheduler. Dashes: platform. Band: {confidence} % CI of each point's share (Clopper and Pearson).",
            panel.caption
        ),
        notes: vec![],
        picture: svg::acceptance(panel, Setting::InPage),
        table: sections::shares(panel),
    }
}

/// Nothing to zoom: a dozen points a line.
fn costs(panel: &CostPanel) -> figures::Figure {
    figures::Figure {
        id: panel.id.clone(),
        title: panel.title.clone(),
        caption: format!("{} Colour: scheduler. The vertical axis is logarithmic.", panel.caption),
        notes: vec![],
        picture: svg::costs(panel, Setting::InPage),
        table: sections::costs(panel),
    }
}
