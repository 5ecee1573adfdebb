//! A verdict's certificate, written for `prazo sched verify`.

use crate::exit::Failure;
use prazo_analysis::certificate;
use prazo_report::schedulability::Dossier;
use std::path::Path;

/// Writes what is needed to re-check the verdict; refuses where there is nothing to certify.
pub fn write(dossier: &Dossier<'_>, file: &Path) -> Result<(), Failure> {
    let text = certificate::write(&dossier.question, &dossier.answer)
        .map_err(|why| Failure::world(format!("{}: no certificate was written: {why}", dossier.title)))?;
    crate::output::write(file, text)?;
    eprintln!("certificate: {} (prazo sched verify {})", file.display(), file.display());
    Ok(())
}
