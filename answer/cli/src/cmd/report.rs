//! `prazo report`: runs as text on the terminal, or as an HTML page, Markdown, a picture or JSON.

use crate::command_line::command_line;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::flags::requirement::RequirementFlags;
use crate::flags::words;
use crate::{out, text_report};
use prazo::output;
use prazo::report::{self, Form};
use std::path::PathBuf;

/// Show runs on the terminal, or write an HTML page, Markdown, a picture or JSON
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo report run.prazo                        figures, histogram and caveats
  prazo report runs/*.prazo -o report.html      one self-contained page
  prazo report run.prazo --deadline 200us --kind hard --format markdown

Without --deadline nothing is judged, and misses are counted against each run's
own deadline. Exit status: that of the verdict if there is one, else 0.")]
pub(super) struct Args {
    /// Run files
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    #[command(flatten)]
    requirement: RequirementFlags,
    #[arg(long, short, value_name = "FILE", help_heading = "Output", help = format!("File to write; its extension selects the format: {}", Form::ENDINGS))]
    output: Option<PathBuf>,
    /// Format of the report [default: from the extension of -o, else a short text]
    #[arg(long, short, value_name = "FORM", value_parser = words(Form::ALL), help_heading = "Output")]
    format: Option<Form>,
    /// Title of the report
    #[arg(long, value_name = "TEXT", default_value = "prazo report", help_heading = "Output", hide_short_help = true)]
    title: String,
    /// Print JSON: the same as --format json
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    json: bool,
}

impl Args {
    /// Writes or prints the report.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        let form = Form::chosen(self.json.then_some(Form::Json).or(self.format), self.output.as_deref())?;
        self.output.as_deref().map_or(Ok(()), output::free)?;
        let content = report::of_files(&self.title, &self.runs, requirement, &command_line())?;
        match (&self.output, form) {
            (Some(file), form) => report::write(&content, form, file, &mut Console::default())?,
            (None, Form::Text) if self.format.is_some() => text_report::print_all(&content)?,
            (None, Form::Text) => text_report::print(&content)?,
            (None, form) => out::rendered(&report::render(&content, form)?)?,
        }
        Ok(content.verdict.map_or(Exit::Pass, |verdict| verdict.outcome.into()))
    }
}
