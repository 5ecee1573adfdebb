//! A guest that is booted to be asked for its symbols: the job's kernel, words and modules, with another request.
//!
//! The answer is kept in the cache under a name that holds the checksum of everything that it depends on.

use super::symbols::Symbols;
use crate::checksum::sha256;
use crate::error::LabError;
use crate::guest::GuestLook;
use crate::guest_job::{GuestJob, Lab};
use crate::whole;
use prazo_abi::guest::SYMBOLS;
use std::fs;
use std::time::Duration;

/// What the name of a file of symbols begins with.
pub(crate) const FILE: &str = "kallsyms-";

/// A boot takes about ten seconds; a host that is busy with much else gets more.
const LIMIT: Duration = Duration::from_secs(600);

/// The symbols of a job's guest.
pub(super) fn symbols(job: &GuestJob, lab: &Lab, look: &mut dyn FnMut(GuestLook) -> bool) -> Result<Symbols, LabError> {
    let modules = job.modules(lab.cache())?;
    let modules = modules.iter().map(|module| format!("{} {}", sha256(&module.bytes), module.parameters));
    let kernel = crate::checksum::of_file(&job.platform.bootable(lab.cache())?)?;
    let words = job.platform.command_line(job.machine.architecture);
    let depends_on: Vec<String> =
        [kernel, words, format!("{:?}", job.machine.time), job.machine.architecture.to_string()]
            .into_iter()
            .chain(modules)
            .collect();
    let sum = sha256(depends_on.join("\n").as_bytes());
    let place = lab.cache().folder().join(format!("{FILE}{}", &sum[..16]));
    let parsed = |text: &[u8]| {
        Symbols::parse(&String::from_utf8_lossy(text)).ok_or_else(|| LabError::NoSymbols {
            platform: format!("lab:{}", job.platform.name),
            why: "the symbols contain no function".to_owned(),
        })
    };
    if place.is_file() {
        return parsed(&fs::read(&place).map_err(LabError::system(format!("read {}", place.display())))?);
    }
    let asked = GuestJob { request: SYMBOLS.into(), programs: Vec::new(), limit: LIMIT, ..job.clone() };
    let text = asked.run(lab, look)?.file;
    let symbols = parsed(&text)?;
    whole::write(&place, &text, 0o600).map_err(LabError::system(format!("write {}", place.display())))?;
    Ok(symbols)
}
