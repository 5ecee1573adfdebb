//! A machine and what it boots, as QEMU's own words.
//!
//! `-nodefaults -no-user-config` leaves only what the words say, so that neither the host's configuration nor another default
//! of another version changes the guest. The console goes to standard output, which the guest's starter gives as a file:
//! a pipe could fill, and the emulated serial line would retry in the guest's time.

use crate::boot::Medium;
use crate::machine::{Machine, Time};
use std::ffi::OsString;

/// Where a device of the guest's writes to whose bytes nobody wants: `isa-parallel,chardev=nowhere`.
const NOWHERE: [&str; 2] = ["-chardev", "null,id=nowhere"];

/// All words behind the program's name.
pub(crate) fn arguments(machine: &Machine, medium: &Medium) -> Vec<OsString> {
    [what_it_is(machine), clocks(machine), surroundings(), boots(medium)].concat()
}

fn what_it_is(machine: &Machine) -> Vec<OsString> {
    let processors = machine.processors.to_string();
    let memory = format!("{}M", machine.memory_mib);
    let fixed = ["-machine", &machine.board, "-cpu", &machine.model, "-smp", &processors, "-m", &memory];
    let devices = machine.devices.iter().flat_map(|device| ["-device", device]);
    words(["-nodefaults", "-no-user-config"].into_iter().chain(fixed).chain(NOWHERE).chain(devices))
}

/// Under counted time the guest's calendar starts at a fixed date and idle time costs nothing.
fn clocks(machine: &Machine) -> Vec<OsString> {
    let seed = machine.seed.to_string();
    match machine.time {
        Time::Counted { shift } => {
            let counted = format!("shift={shift},sleep=off");
            let calendar = "base=2000-01-01T00:00:00,clock=vm";
            words(["-accel", "tcg,thread=single", "-icount", &counted, "-rtc", calendar, "-seed", &seed])
        }
        Time::Free => words(["-accel", "tcg,thread=multi", "-seed", &seed]),
    }
}

/// No window and no monitor; a reset ends the guest, and resets are logged, so that a triple fault can be told from an end.
fn surroundings() -> Vec<OsString> {
    words(["-display", "none", "-monitor", "none", "-serial", "file:/dev/stdout", "-no-reboot", "-d", "cpu_reset"])
}

fn boots(medium: &Medium) -> Vec<OsString> {
    match medium {
        Medium::Kernel { file, append, initrd } => {
            let mut all = vec!["-kernel".into(), file.into()];
            if let Some(append) = append {
                all.extend(["-append".into(), append.into()]);
            }
            if let Some(initrd) = initrd {
                all.extend(["-initrd".into(), initrd.into()]);
            }
            all
        }
        Medium::Disc(file) => vec!["-cdrom".into(), file.into(), "-boot".into(), "d".into()],
    }
}

fn words<'a>(all: impl IntoIterator<Item = &'a str>) -> Vec<OsString> {
    all.into_iter().map(OsString::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, medium: &Medium) -> String {
        let all = arguments(&Machine::find(name).unwrap(), medium);
        all.into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_counted_machine_is_told_everything_that_its_trajectory_hangs_on() {
        let kernel = Medium::Kernel { file: "k.elf".into(), append: Some("a b".into()), initrd: Some("i.cpio".into()) };
        assert_eq!(
            line("counted-4", &kernel),
            "-nodefaults -no-user-config -machine q35 -cpu max -smp 4 -m 128M -chardev null,id=nowhere -device isa-debug-exit,iobase=0xf4,iosize=4 \
             -accel tcg,thread=single -icount shift=0,sleep=off -rtc base=2000-01-01T00:00:00,clock=vm -seed 1 \
             -display none -monitor none -serial file:/dev/stdout -no-reboot -d cpu_reset \
             -kernel k.elf -append a b -initrd i.cpio"
        );
    }

    #[test]
    fn a_free_machine_has_threads_of_its_own_and_no_counted_time() {
        let line = line("free-8", &Medium::Disc("prazo.iso".into()));
        assert!(line.contains("-accel tcg,thread=multi -seed 1") && !line.contains("icount"), "{line}");
        assert!(line.ends_with("-cdrom prazo.iso -boot d"), "{line}");
    }
}
