//! A verdict's certificate, written for `verify`.

use crate::error::Error;
use crate::output;
use crate::progress::{FileKind, Progress, Remark};
use prazo_analysis::certificate;
use prazo_analysis::question::{Answer, Question};
use std::path::Path;

/// Writes what is needed to re-check the verdict; refuses where there is nothing to certify.
pub(crate) fn write(
    title: &str,
    question: &Question<'_>,
    answer: &Answer,
    file: &Path,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    let unwritten = |why| Error::failed(why).attempting(format!("{title}: no certificate was written"));
    let text = certificate::write(question, answer).map_err(unwritten)?;
    output::write(file, text)?;
    progress.remark(&Remark::Written { what: FileKind::Certificate, file: file.to_owned() });
    Ok(())
}
