//! A verdict's certificate, written for `verify`.

use crate::error::Error;
use crate::output;
use crate::progress::{FileKind, Progress, Remark};
use prazo_analysis::certificate::{self, NoCertificate};
use prazo_analysis::question::{Answer, Question};
use std::path::Path;

/// Writes what is needed to re-check the verdict. Where nothing was decided it says that there is nothing to write.
pub(crate) fn write(
    title: &str,
    question: &Question<'_>,
    answer: &Answer,
    file: &Path,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    let Some(text) = text(title, question, answer)? else {
        progress.remark(&Remark::NoCertificate { file: file.to_owned() });
        return Ok(());
    };
    output::write(file, text)?;
    progress.remark(&Remark::Written { what: FileKind::Certificate, file: file.to_owned() });
    Ok(())
}

/// What is needed to re-check the verdict; `None` where nothing was decided.
pub(crate) fn text(title: &str, question: &Question<'_>, answer: &Answer) -> Result<Option<String>, Error> {
    match certificate::write(question, answer) {
        Ok(text) => Ok(Some(text)),
        Err(NoCertificate::Undecided) => Ok(None),
        Err(why) => Err(Error::failed(why).attempting(format!("{title}: no certificate was written"))),
    }
}
