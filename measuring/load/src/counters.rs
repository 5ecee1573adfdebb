//! The kernel's own counters of what a load did, as differences over the time in which it was on.
//!
//! What processes used comes from `getrusage(RUSAGE_CHILDREN)` of the keeper, which adopts and collects every process of its
//! load: foreign processes are not in it, processes that ended are. Interrupts are counted for the whole machine.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use prazo_sys::containment as sys;

/// A reading of the counters, or the difference of two. `None` is what this machine does not count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counters {
    /// Processor time, in nanoseconds.
    pub busy_ns: u64,
    /// Fetched from storage.
    pub read_bytes: Option<u64>,
    /// Sent to storage.
    pub written_bytes: Option<u64>,
    /// Context switches, voluntary or not.
    pub switches: u64,
    /// Page faults that needed no disk.
    pub page_faults: u64,
    /// Timer interrupts of all processors, whoever caused them.
    pub timer_interrupts: Option<u64>,
    /// Packets received by the interface.
    pub packets: Option<u64>,
    /// Bytes received by the interface.
    pub network_bytes: Option<u64>,
    /// Interrupts of the interface's line; a virtual interface has none.
    pub card_interrupts: Option<u64>,
    /// Passes of finite programs.
    pub passes: u64,
}

impl Counters {
    /// Adds what the whole machine counts: to be read while the load still runs.
    pub(crate) fn read_machine(mut self, interface: Option<&str>) -> Self {
        let interrupts = fs::read_to_string("/proc/interrupts").ok();
        self.timer_interrupts = interrupts.as_deref().and_then(timer_interrupts);
        self.card_interrupts = interrupts.zip(interface).and_then(|(text, name)| card_interrupts(&text, name));
        let devices = interface.and_then(|_| fs::read_to_string("/proc/thread-self/net/dev").ok());
        let received = devices.zip(interface).and_then(|(text, name)| received(&text, name));
        (self.network_bytes, self.packets) = received.unzip();
        self
    }

    /// Adds what collected processes used: complete once all of them have ended.
    pub(crate) fn read_processes(mut self) -> Self {
        let usage = sys::children_usage();
        let accounted = Path::new("/proc/self/io").exists();
        self.busy_ns = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
        self.read_bytes = accounted.then_some(usage.ru_inblock as u64 * BLOCK_BYTES);
        self.written_bytes = accounted.then_some(usage.ru_oublock as u64 * BLOCK_BYTES);
        self.switches = (usage.ru_nvcsw + usage.ru_nivcsw) as u64;
        self.page_faults = usage.ru_minflt as u64;
        self
    }

    /// What was counted between `earlier` and this reading.
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        self.combined(earlier, u64::saturating_sub)
    }

    /// Both together.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        self.combined(other, u64::saturating_add)
    }

    fn combined(&self, other: &Self, with: fn(u64, u64) -> u64) -> Self {
        let both = |a: Option<u64>, b: Option<u64>| a.zip(b).map(|(a, b)| with(a, b));
        Self {
            busy_ns: with(self.busy_ns, other.busy_ns),
            read_bytes: both(self.read_bytes, other.read_bytes),
            written_bytes: both(self.written_bytes, other.written_bytes),
            switches: with(self.switches, other.switches),
            page_faults: with(self.page_faults, other.page_faults),
            timer_interrupts: both(self.timer_interrupts, other.timer_interrupts),
            packets: both(self.packets, other.packets),
            network_bytes: both(self.network_bytes, other.network_bytes),
            card_interrupts: both(self.card_interrupts, other.card_interrupts),
            passes: with(self.passes, other.passes),
        }
    }
}

/// `ru_inblock` and `ru_oublock` count in this unit whatever the device's block size (getrusage(2), kernel/sys.c).
const BLOCK_BYTES: u64 = 512;

fn nanoseconds(time: libc::timeval) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000
}

/// All timer interrupts in the text of /proc/interrupts: the line `LOC` on x86, those that name a timer elsewhere.
fn timer_interrupts(text: &str) -> Option<u64> {
    let of = |wanted: fn(&str) -> bool| {
        let lines: Vec<u64> = text.lines().skip(1).filter(|line| wanted(line)).map(sum_of_processors).collect();
        (!lines.is_empty()).then(|| lines.iter().sum())
    };
    of(|line| line.trim_start().starts_with("LOC:"))
        .or_else(|| of(|line| line.to_ascii_lowercase().contains("timer") && !line.contains("Broadcast")))
}

/// The interrupts of all lines that a card of this name has asked for; a line may be shared.
fn card_interrupts(text: &str, card: &str) -> Option<u64> {
    let names = |line: &&str| line.split([' ', ',']).any(|word| word == card);
    let lines: Vec<u64> = text.lines().skip(1).filter(names).map(sum_of_processors).collect();
    (!lines.is_empty()).then(|| lines.iter().sum())
}

fn sum_of_processors(line: &str) -> u64 {
    let numbers = line.split_whitespace().skip(1).map_while(|word| word.parse::<u64>().ok());
    numbers.sum()
}

/// Bytes and packets that an interface has received, from the text of /proc/net/dev.
fn received(text: &str, interface: &str) -> Option<(u64, u64)> {
    let (_, numbers) =
        text.lines().filter_map(|line| line.split_once(':')).find(|(name, _)| name.trim() == interface)?;
    let mut numbers = numbers.split_whitespace().map(str::parse::<u64>);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timer_interrupts_are_summed_over_processors_on_x86() {
        let text = "           CPU0       CPU1\n 24:  1 0 IO-APIC 5-edge ACPI:Ged\nLOC:  69983  69568   Local timer interrupts\n";
        assert_eq!(timer_interrupts(text), Some(139_551));
    }

    #[test]
    fn timer_interrupts_are_found_by_name_on_arm() {
        let text = "      CPU0  CPU1\n 11:  100  200  GICv3  30 Level  arch_timer\n 12:  7  7  GICv3  4 Edge  eth0\n";
        assert_eq!(timer_interrupts(text), Some(300));
        assert_eq!(timer_interrupts("      CPU0\n 12:  7  GICv3  4 Edge  eth0\n"), None);
    }

    #[test]
    fn a_card_s_interrupts_are_those_of_its_line_shared_or_not() {
        let text = "  CPU0 CPU1\n 10: 7 2 IO-APIC 10-fasteoi eth1, eth0\n 11: 5 0 IO-APIC 11-fasteoi eth01\n";
        assert_eq!(card_interrupts(text, "eth0"), Some(9));
        assert_eq!(card_interrupts(text, "load0"), None);
    }

    #[test]
    fn an_interface_is_found_by_its_whole_name() {
        let text = "Inter-|   Receive\n face |bytes    packets errs\n    lo: 10 1 0\nload0: 6400 100 0 0 0 0 0 0 5 5\n load01:9 9 9\n";
        assert_eq!(received(text, "load0"), Some((6400, 100)));
        assert_eq!(received(text, "load"), None);
        assert_eq!(received("load0: 12", "load0"), None);
    }

    #[test]
    fn what_one_reading_lacks_is_unknown_in_the_difference() {
        let earlier = Counters { busy_ns: 5, packets: Some(7), ..Counters::default() };
        let later = Counters { busy_ns: 8, packets: None, ..Counters::default() };
        let difference = later.since(&earlier);
        assert_eq!((difference.busy_ns, difference.packets), (3, None));
    }
}
