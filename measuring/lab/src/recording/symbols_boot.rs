//! A guest that is booted to be asked for its symbols: the job's kernel, words and modules, with another process 1.
//!
//! The answer is kept in the cache under a name that holds the checksum of everything that it hangs on.

use super::sources;
use super::symbols::Symbols;
use crate::boot::{Boot, Medium};
use crate::checksum::sha256;
use crate::command_line::Wiring;
use crate::cpio::Archive;
use crate::ending::GuestEnding;
use crate::error::LabError;
use crate::guest::{Guest, GuestLook, Watch};
use crate::guest_job::{GuestJob, Lab};
use crate::modules::Module;
use crate::whole;
use prazo_abi::guest::{AGENT, MODULES, in_archive};
use prazo_sys::child as sys;
use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::os::fd::RawFd;
use std::path::Path;
use std::time::Duration;

/// What the name of a file of symbols begins with.
pub(crate) const FILE: &str = "kallsyms-";

/// The descriptors under which the emulator finds what it is handed.
const SENT: RawFd = 103;
const INITRAMFS: RawFd = 104;

/// A boot takes about ten seconds; a host that is busy with much else gets more.
const LIMIT: Duration = Duration::from_secs(600);

/// The symbols of a job's guest.
pub(super) fn symbols(job: &GuestJob, lab: &Lab, look: &mut dyn FnMut(GuestLook) -> bool) -> Result<Symbols, LabError> {
    let (kernel, modules) = (job.platform.bootable(lab.cache())?, job.modules(lab.cache())?);
    let words = job.platform.command_line(job.machine.architecture);
    let archive = archive(&sources::SYMBOLS.built(lab.cache())?, &modules)?;
    let hangs_on =
        [sha256(&archive), crate::checksum::of_file(&kernel)?, words.clone(), format!("{:?}", job.machine.time)];
    let sum = sha256(hangs_on.join("\n").as_bytes());
    let place = lab.cache().folder().join(format!("{FILE}{}", &sum[..16]));
    if !place.is_file() {
        let medium =
            Medium::Kernel { file: kernel, append: Some(words), initrd: Some(sys::handed_path(INITRAMFS).into()) };
        keep(&sent(job, lab, &medium, &archive, look)?, &place)?;
    }
    let text = fs::read(&place).map_err(LabError::system(format!("read {}", place.display())))?;
    Symbols::parse(&String::from_utf8_lossy(&text)).ok_or_else(|| none(job, "the symbols contain no function"))
}

fn none(job: &GuestJob, why: &str) -> LabError {
    LabError::NoSymbols { platform: format!("lab:{}", job.platform.name), why: why.to_owned() }
}

/// Process 1 lies where the agent does, so that the kernel's words are the same.
fn archive(program: &Path, modules: &[Module]) -> Result<Vec<u8>, LabError> {
    let program = fs::read(program).map_err(LabError::system(format!("read {}", program.display())))?;
    let mut archive = Archive::new();
    archive.folder("proc");
    archive.folder("dev");
    archive.device("dev/console", 5, 1);
    archive.file(in_archive(AGENT), program, true);
    let folder = in_archive(MODULES);
    for (number, module) in modules.iter().enumerate() {
        archive.file(&format!("{folder}/{number:02}.ko"), module.bytes.clone(), false);
        let parameters = module.parameters.clone().into_bytes();
        archive.file(&format!("{folder}/{number:02}.txt"), parameters, false);
    }
    Ok(archive.bytes())
}

/// Boots, and gives back what the guest sent.
fn sent(
    job: &GuestJob,
    lab: &Lab,
    medium: &Medium,
    archive: &[u8],
    look: &mut dyn FnMut(GuestLook) -> bool,
) -> Result<Vec<u8>, LabError> {
    let failed = || LabError::system("make a file for a guest's symbols");
    let (mut initramfs, mut sent) = (tempfile::tempfile().map_err(failed())?, tempfile::tempfile().map_err(failed())?);
    initramfs.write_all(archive).map_err(failed())?;
    let mut command = lab.emulator().boot(&job.machine, medium, &Wiring::Hub);
    sys::hand_over(&mut command, initramfs, INITRAMFS).map_err(failed())?;
    sys::hand_over(&mut command, sent.try_clone().map_err(failed())?, SENT).map_err(failed())?;
    command.arg("-chardev").arg(format!("file,id=symbols,path={}", sys::handed_path(SENT)));
    command.args(["-device", "isa-debugcon,iobase=0xe9,chardev=symbols"]);
    let mut watch = Watch { console: &mut |_| {}, look };
    let ended = Guest::start(command, Boot::CONSOLE_MAX)?.see_end(LIMIT, &mut watch)?;
    match ended.ending {
        GuestEnding::Exit { value: GuestEnding::PASS } => text(&mut sent).map_err(failed()),
        GuestEnding::Stopped => Err(LabError::Stopped),
        // Not a matter of the kernel's options: the emulator failed, or the time limit was reached.
        other => Err(LabError::NoAnswer {
            platform: format!("lab:{}", job.platform.name),
            why: format!("the boot that reads the symbols ended early: {other}"),
            console: String::new(),
        }),
    }
}

fn text(sent: &mut File) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    sent.rewind()?;
    sent.read_to_end(&mut bytes).map(|_| bytes)
}

fn keep(text: &[u8], place: &Path) -> Result<(), LabError> {
    whole::write(place, text, 0o600).map_err(LabError::system(format!("write {}", place.display())))
}
