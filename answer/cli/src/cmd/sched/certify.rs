//! A verdict's certificate, written for `prazo sched verify`.

use crate::exit::Failure;
use prazo_analysis::certificate::{self, NoCertificate};
use prazo_report::schedulability::Dossier;
use std::path::Path;

/// Writes what is needed to re-check the verdict. Where nothing was decided it says that there is nothing to write.
pub fn write(dossier: &Dossier<'_>, file: &Path) -> Result<(), Failure> {
    let text = match certificate::write(&dossier.question, &dossier.answer) {
        Ok(text) => text,
        Err(NoCertificate::Undecided) => {
            eprintln!("no certificate is written to {}: nothing was decided", file.display());
            return Ok(());
        }
        Err(why) => return Err(Failure::world(format!("{}: no certificate was written: {why}", dossier.title))),
    };
    crate::cmd::files::make_parent(file)?;
    let failed = |error| Failure::world(format!("cannot write the certificate {}: {error}", file.display()));
    std::fs::write(file, text).map_err(failed)?;
    eprintln!("certificate: {} (prazo sched verify {})", file.display(), file.display());
    Ok(())
}
