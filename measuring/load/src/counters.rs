//! The kernel's own counters of what a load did, as differences over the time in which it was on.
//!
//! What processes used comes from `getrusage(RUSAGE_CHILDREN)` of the keeper, which adopts and collects every process of its
//! load: foreign processes are not in it, processes that ended are. System calls come from `system_calls`, where somebody asked for
//! them. Interrupts and softirqs are counted for the whole machine.

use std::fs;

use serde::{Deserialize, Serialize};

use super::system_calls::SystemCallCount;
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
    /// Calls that read or write, of whatever kind of file.
    pub read_write_calls: Option<u64>,
    /// System calls of all kinds.
    pub system_calls: SystemCallCount,
    /// Interrupts of all kinds and processors, whoever caused them.
    pub interrupts: Option<u64>,
    /// Softirqs of all kinds and processors, whoever caused them.
    pub softirqs: Option<u64>,
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
    /// Priority inversions that the load's own threads saw; the kernel counts none.
    pub inversions: Option<u64>,
}

impl Counters {
    /// Adds what the whole machine counts: to be read while the load still runs.
    pub(crate) fn read_machine(mut self, interface: Option<&str>) -> Self {
        let interrupts = fs::read_to_string("/proc/interrupts").ok();
        self.timer_interrupts = interrupts.as_deref().and_then(timer_interrupts);
        let totals = fs::read_to_string("/proc/stat").ok();
        let total = |name| totals.as_deref().and_then(|text| number_behind(text, name));
        (self.interrupts, self.softirqs) = (total("intr "), total("softirq "));
        self.card_interrupts = interrupts.zip(interface).and_then(|(text, name)| card_interrupts(&text, name));
        let devices = interface.and_then(|_| fs::read_to_string("/proc/thread-self/net/dev").ok());
        let received = devices.zip(interface).and_then(|(text, name)| received(&text, name));
        (self.network_bytes, self.packets) = received.unzip();
        self
    }

    /// Adds what collected processes used: complete once all of them have ended.
    pub(crate) fn read_processes(mut self) -> Self {
        let usage = sys::children_usage();
        let io = fs::read_to_string("/proc/self/io").ok();
        let accounted = io.is_some();
        let calls = |name| io.as_deref().and_then(|text| number_behind(text, name));
        self.read_write_calls = calls("syscr: ").zip(calls("syscw: ")).map(|(read, written)| read + written);
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
            read_write_calls: both(self.read_write_calls, other.read_write_calls),
            system_calls: self.system_calls.combined(&other.system_calls, with),
            interrupts: both(self.interrupts, other.interrupts),
            softirqs: both(self.softirqs, other.softirqs),
            timer_interrupts: both(self.timer_interrupts, other.timer_interrupts),
            packets: both(self.packets, other.packets),
            network_bytes: both(self.network_bytes, other.network_bytes),
            card_interrupts: both(self.card_interrupts, other.card_interrupts),
            passes: with(self.passes, other.passes),
            inversions: both(self.inversions, other.inversions),
        }
    }
}

/// One counter of the kernel's over the time in which a load was on.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedRate {
    /// What was counted.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// How much in a second; `None` where this machine does not count it, or the load has no such thing.
    pub per_second: Option<f64>,
    /// Why it was not counted, where that depends on rights or on the machine's set-up.
    pub missing: Option<String>,
    /// True where the machine counts it for everybody, not for the load alone.
    pub is_of_machine: bool,
}

impl Counters {
    /// Everything counted, a second.
    pub(crate) fn rates(&self, seconds: f64) -> Vec<CountedRate> {
        const MB: f64 = 1e6;
        let of_load = |name, unit, count: Option<f64>| CountedRate {
            name,
            unit,
            per_second: count.map(|count| count / seconds).filter(|rate| rate.is_finite()),
            missing: None,
            is_of_machine: false,
        };
        let of_machine =
            |name, count: Option<u64>| CountedRate { is_of_machine: true, ..of_load(name, "1/s", number(count)) };
        fn number(count: Option<u64>) -> Option<f64> {
            count.map(|count| count as f64)
        }
        let system_calls = CountedRate {
            missing: self.system_calls.missing().map(str::to_owned),
            ..of_load("system calls", "1/s", number(self.system_calls.count()))
        };
        vec![
            of_load("processor time", "processors", Some(self.busy_ns as f64 / 1e9)),
            of_load("context switches", "1/s", Some(self.switches as f64)),
            of_load("minor page faults", "1/s", Some(self.page_faults as f64)),
            system_calls,
            of_load("read and write calls", "1/s", number(self.read_write_calls)),
            of_load("read from disk", "MB/s", number(self.read_bytes).map(|bytes| bytes / MB)),
            of_load("written to disk", "MB/s", number(self.written_bytes).map(|bytes| bytes / MB)),
            of_load("priority inversions", "1/s", number(self.inversions)),
            of_load("packets", "1/s", number(self.packets)),
            of_load("received", "MB/s", number(self.network_bytes).map(|bytes| bytes / MB)),
            of_machine("interrupts", self.interrupts),
            of_machine("timer interrupts", self.timer_interrupts),
            of_machine("softirqs", self.softirqs),
        ]
    }
}

/// What the machine counts by itself for a while, with no load of ours.
pub fn idle_rates(length: std::time::Duration) -> Vec<CountedRate> {
    let (begun, before) = (std::time::Instant::now(), Counters::default().read_machine(None));
    std::thread::sleep(length);
    let counted = Counters::default().read_machine(None).since(&before);
    let rates = counted.rates(begun.elapsed().as_secs_f64());
    rates.into_iter().filter(|rate| rate.is_of_machine).collect()
}

/// The first number in the line that begins with `name`.
fn number_behind(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
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
    fn totals_are_the_first_numbers_of_their_lines() {
        let text = "cpu  1 2\nintr 500 3 4\nctxt 9\nsoftirq 700 1 2\n";
        assert_eq!((number_behind(text, "intr "), number_behind(text, "softirq ")), (Some(500), Some(700)));
        assert_eq!(number_behind(text, "sof"), None);
        assert_eq!(number_behind("rchar: 1\nsyscr: 42\n", "syscr: "), Some(42));
    }

    #[test]
    fn a_rate_is_a_count_over_seconds_and_what_is_not_counted_has_none() {
        let counted = Counters { switches: 500, read_write_calls: None, interrupts: Some(70), ..Counters::default() };
        let rates = counted.rates(2.0);
        let rate = |name| rates.iter().find(|rate| rate.name == name).unwrap().per_second;
        assert_eq!((rate("context switches"), rate("interrupts")), (Some(250.0), Some(35.0)));
        assert_eq!(rate("read and write calls"), None);
        assert!(counted.rates(0.0).iter().all(|rate| rate.per_second.is_none()));
    }

    #[test]
    fn system_calls_have_a_rate_or_a_reason_or_nobody_asked() {
        let calls = |system_calls| {
            let rates = Counters { system_calls, ..Counters::default() }.rates(2.0);
            let rate = rates.into_iter().find(|rate| rate.name == "system calls").unwrap();
            (rate.per_second, rate.missing)
        };
        assert_eq!(calls(SystemCallCount::Count(9)), (Some(4.5), None));
        assert_eq!(calls(SystemCallCount::Missing("no".into())), (None, Some("no".into())));
        assert_eq!(calls(SystemCallCount::NotRequested), (None, None));
    }

    #[test]
    fn what_one_reading_lacks_is_unknown_in_the_difference() {
        let earlier = Counters { busy_ns: 5, packets: Some(7), ..Counters::default() };
        let later = Counters { busy_ns: 8, packets: None, ..Counters::default() };
        let difference = later.since(&earlier);
        assert_eq!((difference.busy_ns, difference.packets), (3, None));
    }
}
