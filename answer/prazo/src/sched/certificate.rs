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
    let text = match certificate::write(question, answer) {
        Ok(text) => text,
        Err(NoCertificate::Undecided) => {
            progress.remark(&Remark::NoCertificate { file: file.to_owned() });
            return Ok(());
        }
        Err(why) => return Err(Error::failed(why).attempting(format!("{title}: no certificate was written"))),
    };
    output::write(file, text)?;
    progress.remark(&Remark::Written { what: FileKind::Certificate, file: file.to_owned() });
    Ok(())
}
