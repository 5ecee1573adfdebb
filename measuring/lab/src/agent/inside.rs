//! The agents behind this program's own bytes, where it was built to be copied, or in a file that was installed with it.
//!
//! ```text
//! program │ packed agent │ record │ packed agent │ record
//! ```
//! A record says what lies before it, so the file is read from its end. `cargo xtask dist` puts them there when the program
//! is linked: an agent can change without building the program again, and what a system loads is the program alone. A program that
//! Python's wheel installed has none; they are in a file of the wheel `prazo-lab`, in the same order and with the same records.

use crate::architecture::Architecture;
use crate::checksum::is_short;
use crate::error::LabError;
use crate::fetch::Cache;
use crate::whole;
use lzma_rust2::LzmaReader;
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// This crate's folder, where this program was built to stand in its sources. One that is copied names no folder of the
/// machine that built it.
pub(super) const SOURCES: Option<&str> =
    if option_env!("PRAZO_COPIED").is_some() { None } else { Some(env!("CARGO_MANIFEST_DIR")) };

/// What ends a record: a program without agents ends otherwise.
const MARK: [u8; 8] = *b"\0agent\0\x01";

/// The architecture's name, filled up with zeros; the packed agent's bytes, little-endian; the mark.
const RECORD: usize = NAME + 8 + MARK.len();
const NAME: usize = 16;

/// The file that runs. Its name may belong to a newer program by now, or to none.
const RUNNING: &str = "/proc/self/exe";

/// The file of agents that was installed with a program, seen from the folder above the program's.
const INSTALLED: &str = "share/prazo/agents";

/// That file of this program, whether it is there or not.
pub(super) fn installed() -> Option<PathBuf> {
    installed_with(&std::env::current_exe().ok()?)
}

fn installed_with(program: &Path) -> Option<PathBuf> {
    Some(program.parent()?.parent()?.join(INSTALLED))
}

/// The packed agent of this program, inside it or installed with it.
fn carried(architecture: Architecture) -> io::Result<Option<Vec<u8>>> {
    let inside = packed(Path::new(RUNNING), architecture)?;
    match installed().filter(|file| inside.is_none() && file.is_file()) {
        Some(file) => packed(&file, architecture),
        None => Ok(inside),
    }
}

/// True where this program has an agent inside, or installed with it.
pub fn has(architecture: Architecture) -> bool {
    matches!(carried(architecture), Ok(Some(_)))
}

/// How many bytes of a program are before its agents.
pub fn length_without(program: &Path) -> io::Result<u64> {
    let mut file = File::open(program)?;
    let mut end = file.seek(SeekFrom::End(0))?;
    while let Some(record) = last_record(&mut file, end)? {
        end = record.begin;
    }
    Ok(end)
}

/// Puts a packed agent behind a program.
pub fn append(program: &Path, architecture: Architecture, packed: &[u8]) -> io::Result<()> {
    let mut record = [0; RECORD];
    record[..architecture.name().len()].copy_from_slice(architecture.name().as_bytes());
    record[NAME..NAME + 8].copy_from_slice(&(packed.len() as u64).to_le_bytes());
    record[NAME + 8..].copy_from_slice(&MARK);
    OpenOptions::new().append(true).open(program)?.write_all(&[packed, &record].concat())
}

/// What the record before a place says.
struct Record {
    name: [u8; NAME],
    /// Where the agent begins, and its length.
    begin: u64,
    length: u64,
}

/// The record that ends at `end`; `None` if none does.
fn last_record(file: &mut File, end: u64) -> io::Result<Option<Record>> {
    let Some(place) = end.checked_sub(RECORD as u64) else { return Ok(None) };
    let mut record = [0; RECORD];
    file.seek(SeekFrom::Start(place))?;
    file.read_exact(&mut record)?;
    let (name, rest) = record.split_at(NAME);
    let (length, mark) = rest.split_at(8);
    if mark != MARK {
        return Ok(None);
    }
    let length = u64::from_le_bytes(length.try_into().expect("these are eight bytes"));
    let begin = place.checked_sub(length).ok_or(io::ErrorKind::InvalidData)?;
    Ok(Some(Record { name: name.try_into().expect("it is split there"), begin, length }))
}

/// The packed agent in a file; `None` where there is none.
fn packed(program: &Path, architecture: Architecture) -> io::Result<Option<Vec<u8>>> {
    let mut file = File::open(program)?;
    let mut end = file.seek(SeekFrom::End(0))?;
    while let Some(Record { name, begin, length }) = last_record(&mut file, end)? {
        if name.strip_prefix(architecture.name().as_bytes()).is_some_and(|rest| rest.iter().all(|byte| *byte == 0)) {
            let mut packed = vec![0; usize::try_from(length).map_err(|_| io::ErrorKind::InvalidData)?];
            file.seek(SeekFrom::Start(begin))?;
            file.read_exact(&mut packed)?;
            return Ok(Some(packed));
        }
        end = begin;
    }
    Ok(None)
}

/// The agent in full. Jumps name their goals by distance; packed, they name them by place, which repeats itself more often.
pub fn unpack(packed: &[u8], architecture: Architecture) -> io::Result<Vec<u8>> {
    let packed = LzmaReader::new_mem_limit(packed, u32::MAX, None)?;
    let mut agent = Vec::new();
    architecture.with_distances(packed).read_to_end(&mut agent).map(|_| agent)
}

/// The agent of this program as a file of the lab's cache; `None` where there is none inside.
pub(super) fn file(architecture: Architecture) -> Result<Option<PathBuf>, LabError> {
    let found = carried(architecture).map_err(LabError::system("read the agents of this program"))?;
    let Some(packed) = found else { return Ok(None) };
    unpacked(&packed, architecture, &Cache::of_user()?.folder().join(FOLDER)).map(Some)
}

/// Where agents are unpacked, in the cache.
pub(crate) const FOLDER: &str = "agents";

/// The names of the files that this program's agents are unpacked to.
pub(crate) fn file_names() -> Result<Vec<String>, LabError> {
    let packed = |architecture: &Architecture| carried(*architecture).transpose();
    let all: io::Result<Vec<Vec<u8>>> = Architecture::VALUES.iter().filter_map(packed).collect();
    let all = all.map_err(LabError::system("read the agents of this program"))?;
    Ok(all.iter().map(|packed| name_of(packed)).collect())
}

/// What the name of an unpacked agent begins with, before its checksum.
const UNPACKED: &str = "prazo-agent-";

/// True for the name of a file that an agent was unpacked to.
pub(crate) fn is_agent(name: &str) -> bool {
    name.strip_prefix(UNPACKED).is_some_and(is_short)
}

fn name_of(packed: &[u8]) -> String {
    let digest: String = Sha256::digest(packed).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{UNPACKED}{digest}")
}

/// Under a name that says what it holds, so that another prazo's agent is another file.
fn unpacked(packed: &[u8], architecture: Architecture, folder: &Path) -> Result<PathBuf, LabError> {
    let place = folder.join(name_of(packed));
    if place.is_file() {
        return Ok(place);
    }
    let failed = |step: &str| LabError::system(format!("{step} {}", place.display()));
    let agent = unpack(packed, architecture).map_err(failed("unpack the agent to"))?;
    whole::write(&place, &agent, 0o755).map_err(failed("write"))?;
    Ok(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lzma_rust2::filter::bcj::BcjWriter;
    use lzma_rust2::{LzmaOptions, LzmaWriter};
    use std::fs;
    use std::process::Command;

    fn pack(agent: &[u8]) -> Vec<u8> {
        let packed = LzmaWriter::new_use_header(Vec::new(), &LzmaOptions::with_preset(0), None).unwrap();
        let mut writer = BcjWriter::new_x86(packed, 0);
        writer.write_all(agent).unwrap();
        writer.finish().unwrap().finish().unwrap()
    }

    #[test]
    fn an_agent_is_unpacked_once_and_can_be_started() {
        let folder = tempfile::tempdir().unwrap();
        let (packed, agents) = (pack(b"#!/bin/sh\nexit 7\n"), folder.path().join("agents"));
        let place = unpacked(&packed, Architecture::X86_64, &agents).unwrap();
        assert_eq!(Command::new(&place).status().unwrap().code(), Some(7));
        let made = fs::metadata(&place).unwrap().modified().unwrap();
        assert_eq!(unpacked(&packed, Architecture::X86_64, &agents).unwrap(), place);
        assert_eq!(fs::metadata(&place).unwrap().modified().unwrap(), made);
        assert_eq!(fs::read_dir(place.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn agents_behind_a_program_are_found_and_the_program_still_runs() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::copy("/bin/true", &program).unwrap();
        let find = |architecture| packed(&program, architecture);
        assert_eq!(find(Architecture::X86_64).unwrap(), None);
        append(&program, Architecture::Aarch64, b"for arm").unwrap();
        append(&program, Architecture::X86_64, b"").unwrap();
        assert_eq!(find(Architecture::Aarch64).unwrap().as_deref(), Some(&b"for arm"[..]));
        assert_eq!(find(Architecture::X86_64).unwrap().as_deref(), Some(&b""[..]));
        assert!(Command::new(&program).status().unwrap().success());
        // What is before them is the program, and what is behind it is a file of agents.
        let (all, own) = (fs::read(&program).unwrap(), fs::metadata("/bin/true").unwrap().len());
        assert_eq!(length_without(&program).unwrap(), own);
        assert_eq!(length_without(Path::new("/bin/true")).unwrap(), own);
        let agents = installed_with(&folder.path().join("bin/prazo")).unwrap();
        assert_eq!(agents, folder.path().join("share/prazo/agents"));
        fs::create_dir_all(agents.parent().unwrap()).unwrap();
        fs::write(&agents, &all[own as usize..]).unwrap();
        assert_eq!(packed(&agents, Architecture::Aarch64).unwrap().as_deref(), Some(&b"for arm"[..]));
        assert_eq!((packed(&agents, Architecture::Riscv64).unwrap(), length_without(&agents).unwrap()), (None, 0));
    }

    #[test]
    fn a_running_program_keeps_its_agents_when_its_file_is_replaced() {
        const REPLACED: &str = "PRAZO_TEST_REPLACED";
        if std::env::var_os(REPLACED).is_some() {
            let own = std::env::current_exe().unwrap();
            fs::remove_file(&own).unwrap();
            fs::write(&own, "a newer program, without agents").unwrap();
            return assert!(has(Architecture::X86_64) && !has(Architecture::Aarch64));
        }
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::copy(RUNNING, &program).unwrap();
        append(&program, Architecture::X86_64, b"packed").unwrap();
        let name = "agent::inside::tests::a_running_program_keeps_its_agents_when_its_file_is_replaced";
        let ended = Command::new(&program).args(["--exact", name]).env(REPLACED, "").output().unwrap();
        let said = String::from_utf8_lossy(&ended.stdout);
        assert!(ended.status.success() && said.contains("1 passed"), "{said}");
    }

    #[test]
    fn a_file_that_was_cut_off_has_no_agents_or_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        fs::write(&program, "program").unwrap();
        append(&program, Architecture::X86_64, b"packed").unwrap();
        let whole = fs::read(&program).unwrap();
        for length in 0..whole.len() {
            fs::write(&program, &whole[..length]).unwrap();
            assert_eq!(packed(&program, Architecture::X86_64).unwrap(), None, "{length} bytes");
        }
        fs::write(&program, &whole[whole.len() - RECORD..]).unwrap();
        assert_eq!(packed(&program, Architecture::X86_64).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
