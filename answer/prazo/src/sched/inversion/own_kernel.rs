//! The same jobs on prazo's own kernel, booted in the lab; or why they cannot be had there.
//!
//! Its mutex has inheritance; without it a semaphore, which lends nothing, takes the mutex's place. Ceilings it has none.

use super::sets::Setting;
use crate::error::Error;
use prazo_core::cpu::Cpu;
use prazo_core::event::{Event, EventKind};
use prazo_core::job::TaskIndex;
use prazo_core::time::Instant;
use prazo_lab::own_kernel::{self, Console, Session};
use prazo_lab::{Emulator, LabError, Medium};
use prazo_run::jobs::LockProtocol;
use std::path::{Path, PathBuf};
use std::time::Duration;

const MS: u64 = 1_000_000;
/// One processor, jobs ranked by deadlines, which are as their urgencies.
const SHAPE: &str = "single-edf";
/// An instruction takes 2^3 ns, so that a boot takes a second or two.
const SHIFT: u8 = 3;
/// Wall time after which a boot is given up; many times what one takes on a busy host.
const LIMIT: Duration = Duration::from_secs(240);

/// What happened, or what the kernel has not that the setting takes.
pub(crate) type Ran = Result<Vec<Event>, String>;

/// The kernel and what boots it.
pub(crate) struct OwnKernel {
    image: PathBuf,
    emulator: Emulator,
}

impl OwnKernel {
    /// What an instruction takes in its time.
    pub(crate) const INSTRUCTION_NS: u64 = 1 << SHIFT;

    /// The image that the environment names or that was built, and the lab's emulator.
    pub(crate) fn find() -> Result<Self, LabError> {
        Ok(Self { image: own_kernel::find(SHAPE)?, emulator: Emulator::find()? })
    }

    /// Its file.
    pub(crate) fn image(&self) -> &Path {
        &self.image
    }

    /// Boots it for one setting; an error where it did not run to its end, which is a failure of the kernel or of the emulator.
    pub(crate) fn run(&self, setting: &Setting) -> Result<Ran, Error> {
        let words = match words(setting) {
            Ok(words) => format!("{words} duration_ms={}", lasts_ms(setting)),
            Err(why) => return Ok(Err(why)),
        };
        let medium = Medium::Kernel { file: self.image.clone(), append: Some(words), initrd: None };
        let machine = own_kernel::machine(1, SHIFT).map_err(Error::failed)?;
        let session = Session::make(self.emulator.clone(), machine, medium, LIMIT).map_err(Error::failed)?;
        session.passed().map_err(Error::failed)?;
        let console = Console::read(&session.text()).map_err(Error::failed)?;
        Ok(Ok(console.events.iter().filter_map(in_core).collect()))
    }
}

/// What the kernel is told.
fn words(setting: &Setting) -> Result<String, String> {
    let middle_ms = setting.middle_ns.map(|ns| (ns / MS, ns % MS));
    match (setting.protocol, middle_ms) {
        (LockProtocol::Protect, _) => Err("the kernel's mutex does not support a priority ceiling".into()),
        (_, Some((_, 1..))) => Err("the kernel's middle task can execute only for whole milliseconds".into()),
        (protocol, Some((ms, 0))) => {
            Ok(format!("inversion middle_ms={ms} plain={}", u8::from(protocol == LockProtocol::Plain)))
        }
        (protocol, None) => Ok(format!("nested locks={}", u8::from(protocol != LockProtocol::Plain))),
    }
}

/// Long enough for all.
fn lasts_ms(setting: &Setting) -> u64 {
    100 + setting.jobs().iter().map(|job| (job.release + job.execution).as_ns() / MS).sum::<u64>()
}

/// An event of the console as core has it, as far as a chart takes them.
fn in_core(printed: &own_kernel::Event) -> Option<Event> {
    let cpu = Cpu::new(printed.cpu as u32)?;
    let drawn = [
        EventKind::Arrival,
        EventKind::Release,
        EventKind::Dispatch { cpu },
        EventKind::Preemption { cpu },
        EventKind::Suspension,
        EventKind::Resumption,
        EventKind::Completion { cpu },
        EventKind::Inheritance,
        EventKind::Disinheritance,
    ];
    let kind = drawn.into_iter().find(|kind| kind.name() == printed.event)?;
    let (at, task) = (Instant::from_ns(printed.at_ns), TaskIndex::new(printed.task as usize)?);
    Some(Event { at, task, job: printed.job, kind })
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::time::Duration;

    #[test]
    fn each_setting_has_its_words_or_the_reason_why_not() {
        let told: Vec<Result<String, String>> =
            Setting::all(&[Duration::from_ms(40), Duration::from_us(500)]).iter().map(words).collect();
        let word = |place: usize| told[place].clone().unwrap_or_else(|why| why);
        assert_eq!(word(0), "inversion middle_ms=40 plain=1");
        assert!(word(1).contains("whole milliseconds") && told[1].is_err());
        assert_eq!(word(2), "inversion middle_ms=40 plain=0");
        assert!(word(4).contains("does not support a priority ceiling") && told[4].is_err());
        assert_eq!([word(6), word(7)], ["nested locks=0", "nested locks=1"]);
        assert!(told[8].is_err() && told.len() == 9);
    }
}
