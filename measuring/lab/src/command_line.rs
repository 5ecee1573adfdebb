//! A machine and what it boots, as QEMU's own words.
//!
//! `-nodefaults -no-user-config` leaves only what the words say, so that neither the host's configuration nor another default
//! of another version changes the guest. The console goes to standard output, which the guest's starter gives as a file:
//! a pipe could fill, and the emulated serial line would retry in the guest's time.

use crate::boot::Medium;
use crate::machine::{Machine, Time};
use prazo_sys::child::handed_path;
use std::ffi::OsString;
use std::os::fd::RawFd;

/// What a machine's cards hang on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wiring {
    /// All of them on one hub of the machine's own.
    Hub,
    /// Each on a wire to another guest, whose end the emulator finds open under a number; the machine has no other cards.
    Sockets {
        /// Which of the guests it is, from 0: no two cards have one address.
        guest: u8,
        /// The numbers.
        ends: Vec<RawFd>,
    },
}

/// What becomes of the emulator's log of a counted processor's inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputLog {
    /// It is written to nowhere.
    Discarded,
    /// It is written to a file that the emulator finds open under a number.
    Recorded(RawFd),
    /// It is read from such a file: the guest repeats what the log says.
    Replayed(RawFd),
}

impl InputLog {
    fn words(self) -> String {
        match self {
            Self::Discarded => "rr=record,rrfile=/dev/null".to_owned(),
            Self::Recorded(number) => format!("rr=record,rrfile={}", handed_path(number)),
            Self::Replayed(number) => format!("rr=replay,rrfile={}", handed_path(number)),
        }
    }
}

/// Where a device of the guest's writes to whose bytes nobody wants: `isa-parallel,chardev=nowhere`.
const NOWHERE: [&str; 2] = ["-chardev", "null,id=nowhere"];

/// All words behind the program's name.
pub(crate) fn arguments(machine: &Machine, medium: &Medium, wiring: &Wiring, log: InputLog) -> Vec<OsString> {
    [
        what_it_is(machine),
        cards(machine.cards, wiring),
        clocks(machine, log),
        sound(machine),
        surroundings(),
        boots(medium),
    ]
    .concat()
}

fn what_it_is(machine: &Machine) -> Vec<OsString> {
    let processors = machine.processors.to_string();
    let memory = format!("{}M", machine.memory_mib);
    let fixed = ["-machine", &machine.board, "-cpu", &machine.model, "-smp", &processors, "-m", &memory];
    let devices = machine.devices.iter().flat_map(|device| ["-device", device]);
    words(["-nodefaults", "-no-user-config"].into_iter().chain(fixed).chain(NOWHERE).chain(devices))
}

/// The cards, as Realtek 8139s: e1000 loses frames and interrupts under counted time. They boot nothing.
fn cards(count: u8, wiring: &Wiring) -> Vec<OsString> {
    let (guest, wires): (u8, Vec<_>) = match wiring {
        Wiring::Hub => (0, (0..count).map(|number| format!("hubport,id=card{number},hubid=0")).collect()),
        Wiring::Sockets { guest, ends } => (*guest, ends.iter().enumerate().map(to_socket).collect()),
    };
    let one =
        |(number, wire): (u8, String)| ["-netdev".into(), wire.into(), "-device".into(), card(guest, number).into()];
    (0..).zip(wires).flat_map(one).collect()
}

fn to_socket((number, socket): (usize, &RawFd)) -> String {
    format!("stream,id=card{number},server=off,addr.type=fd,addr.str={socket}")
}

/// One card at the end of a wire of its number.
fn card(guest: u8, number: u8) -> String {
    let address = card_address(guest, number).map(|byte| format!("{byte:02x}")).join(":");
    format!("rtl8139,netdev=card{number},mac={address},romfile=,rombar=0")
}

/// The Ethernet address of a guest's card, both counted from 0; a guest for itself is the first one.
pub const fn card_address(guest: u8, card: u8) -> [u8; 6] {
    [0x52, 0x54, 0, 0, guest, card + 1]
}

/// Under counted time the guest's calendar starts at a fixed date and idle time costs nothing.
fn clocks(machine: &Machine, log: InputLog) -> Vec<OsString> {
    let seed = machine.seed.to_string();
    match machine.time {
        Time::Counted { shift } => {
            let log = if is_recorded(machine) { format!(",{}", log.words()) } else { String::new() };
            let counted = format!("shift={shift},sleep=off{log}");
            let calendar = "base=2000-01-01T00:00:00,clock=vm";
            words(["-accel", "tcg,thread=single", "-icount", &counted, "-rtc", calendar, "-seed", &seed])
        }
        Time::Free => words(["-accel", "tcg,thread=multi", "-seed", &seed]),
    }
}

/// The emulator's main thread moves the clock of a halted guest to its next timer. Where the host lets it, it does so just before the
/// instructions up to the halt are counted, which then come on top: one interrupt is late by them. While the emulator records, that thread
/// waits until they are counted. Only a debugger needs the record. Several processors cannot be recorded.
pub(crate) const fn is_recorded(machine: &Machine) -> bool {
    machine.processors == 1 && matches!(machine.time, Time::Counted { .. })
}

/// These boards have a sound chip, which gets no sound device of the host.
fn sound(machine: &Machine) -> Vec<OsString> {
    if machine.board.starts_with("vexpress-") { words(["-audio", "driver=none"]) } else { Vec::new() }
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
        let all = arguments(&Machine::find(name).unwrap(), medium, &Wiring::Hub, InputLog::Discarded);
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
    fn a_32_bit_arm_guest_is_counted_and_recorded_as_a_pc_is() {
        assert_eq!(
            line("linux-armv7-1", &Medium::kernel("k")),
            "-nodefaults -no-user-config -machine virt -cpu cortex-a15 -smp 1 -m 512M -chardev null,id=nowhere \
             -accel tcg,thread=single -icount shift=3,sleep=off,rr=record,rrfile=/dev/null \
             -rtc base=2000-01-01T00:00:00,clock=vm -seed 1 \
             -display none -monitor none -serial file:/dev/stdout -no-reboot -d cpu_reset -kernel k"
        );
    }

    #[test]
    fn one_counted_processor_is_recorded_to_nowhere() {
        let line = line("counted-1", &Medium::kernel("k"));
        assert!(line.contains("-icount shift=0,sleep=off,rr=record,rrfile=/dev/null -rtc"), "{line}");
    }

    #[test]
    fn a_log_is_written_to_and_read_from_the_same_open_file() {
        let line = |log| {
            let all = arguments(&Machine::find("counted-1").unwrap(), &Medium::kernel("k"), &Wiring::Hub, log);
            all.into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join(" ")
        };
        let recorded = line(InputLog::Recorded(103));
        assert!(recorded.contains("-icount shift=0,sleep=off,rr=record,rrfile=/proc/self/fd/103 -rtc"), "{recorded}");
        assert_eq!(line(InputLog::Replayed(103)), recorded.replace("rr=record", "rr=replay"));
    }

    #[test]
    fn two_cards_hang_on_one_hub() {
        let line = line("linux-1", &Medium::kernel("k"));
        for number in 0..2 {
            let wire = format!(
                "-netdev hubport,id=card{number},hubid=0 -device rtl8139,netdev=card{number},mac=52:54:00:00:00:0"
            );
            assert!(line.contains(&format!("{wire}{}", number + 1)), "{line}");
        }
        assert!(!line.contains("card2"), "{line}");
    }

    #[test]
    fn wired_to_others_a_machine_has_a_card_for_each_wire_and_no_hub() {
        let machine = Machine::find("linux-2-free").unwrap();
        let all = arguments(
            &machine,
            &Medium::kernel("k"),
            &Wiring::Sockets { guest: 1, ends: vec![110] },
            InputLog::Discarded,
        );
        let line = all.into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join(" ");
        assert!(line.contains("-netdev stream,id=card0,server=off,addr.type=fd,addr.str=110 -device rtl8139,netdev=card0,mac=52:54:00:00:01:01"), "{line}");
        assert!(!line.contains("hub") && !line.contains("card1"), "{line}");
    }

    #[test]
    fn a_free_machine_has_threads_of_its_own_and_no_counted_time() {
        let line = line("free-8", &Medium::Disc("prazo.iso".into()));
        assert!(line.contains("-accel tcg,thread=multi -seed 1") && !line.contains("icount"), "{line}");
        assert!(line.ends_with("-cdrom prazo.iso -boot d"), "{line}");
    }
}
