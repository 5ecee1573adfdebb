//! `prazo report`: runs as an HTML page, Markdown, text, a picture or JSON.

use super::files;
use crate::exit::{Exit, Failure};
use crate::flags::requirement::RequirementFlags;
use crate::out;
use crate::output;
use crate::paper::{self, Form};
use prazo::evidence;
use std::path::PathBuf;

/// Runs as an HTML page, Markdown, text, a picture or JSON.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo report runs/*.prazo -o report.html
  prazo report run.prazo --deadline 200us --kind hard --format markdown

Without --deadline nothing is judged, and misses are those of each run's own deadline. Exit status: that of the verdict, where there is one.")]
pub(super) struct Args {
    /// The runs
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    #[command(flatten)]
    requirement: RequirementFlags,
    /// The form [default: from the ending of -o, else html]
    #[arg(long, short, value_enum)]
    format: Option<Form>,
    /// The file [default: prazo-report.html; standard output for the other forms]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The heading
    #[arg(long, value_name = "TEXT", default_value = "prazo report")]
    title: String,
    /// Print JSON: the same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl Args {
    /// Writes the report.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        self.file().as_deref().map_or(Ok(()), output::free)?;
        let evidence =
            evidence::of_runs(&self.title, files::open_all(&self.runs)?, requirement, &super::command_line());
        let form = self.form();
        match self.file() {
            Some(file) => {
                paper::write(&evidence, form, &file)?;
                out::note(format_args!("report: {}", file.display()));
            }
            None => out::rendered(&paper::render(&evidence, form)?)?,
        }
        Ok(evidence.verdict.map_or(Exit::Pass, |verdict| verdict.outcome.into()))
    }

    fn file(&self) -> Option<PathBuf> {
        self.out.clone().or_else(|| (self.form() == Form::Html).then(|| "prazo-report.html".into()))
    }

    fn form(&self) -> Form {
        let of_out = self.out.as_deref().and_then(Form::of_file);
        if self.json { Form::Json } else { self.format.or(of_out).unwrap_or(Form::Html) }
    }
}
