//! What cyclictest's command line tells about its run: policy, method, each thread's period, when it should end.

use super::command::{CYCLICTEST, Flags};
use super::context::note;
use super::tally::VALUE_NS_MAX;
use super::text::option_duration;
use crate::Run;
use prazo_core::time::Duration;

/// What the command line says; defaults are those of rt-tests 2.x.
pub(super) struct Command {
    flags: Flags,
}

impl Command {
    /// Reads the line; `None` where another program, such as prazo's own export, wrote the file in cyclictest's form.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let program = line.split_whitespace().next()?.rsplit('/').next()?;
        program.starts_with("cyclictest").then(|| Self { flags: Flags::parse(line, &CYCLICTEST) })
    }

    /// The period of thread `index`: threads are 500 us apart by default, and 0 with a histogram.
    pub(super) fn period(&self, index: u64) -> Option<Duration> {
        let histogram = ['h', 'H', 'G'].iter().any(|name| self.flags.has(*name));
        let distance = if histogram { 0 } else { self.flags.number('d').unwrap_or(500) };
        let us = self.flags.number('i').unwrap_or(1_000).checked_add(distance.checked_mul(index)?)?;
        (1..=VALUE_NS_MAX / 1_000).contains(&us).then(|| Duration::from_us(us))
    }

    /// `-D`.
    pub(super) fn duration(&self) -> Option<Duration> {
        self.flags.value('D').and_then(option_duration).filter(|duration| !duration.is_zero())
    }

    /// `-l`.
    pub(super) fn loops(&self) -> Option<u64> {
        self.flags.number('l').filter(|loops| *loops > 0)
    }

    /// `-b`: the latency in microseconds that ends the run.
    pub(super) fn stop_above_us(&self) -> Option<u64> {
        self.flags.number('b').filter(|us| *us > 0)
    }

    /// Rows of the histogram, in the file's unit.
    pub(super) fn bound(&self) -> Option<u64> {
        self.flags.number('h').or_else(|| self.flags.number('H'))
    }

    /// Notes policy, priority and method.
    pub(super) fn record(&self, run: &mut Run) {
        let source = "command line";
        let priority = self.flags.number('p').unwrap_or(0);
        note(run, "import.policy", self.policy(priority), source);
        note(run, "import.priority", priority.to_string(), source);
        note(run, "import.method", self.method(), source);
    }

    /// A priority without a policy means fifo.
    fn policy(&self, priority: u64) -> String {
        match self.flags.value('y').map(str::to_ascii_lowercase).as_deref() {
            Some("normal" | "other") | None if priority == 0 => "other".into(),
            Some("normal" | "other") | None => "fifo".into(),
            Some(policy) => policy.chars().take(32).collect(),
        }
    }

    /// `-s -x` falls back to clock_nanosleep with a warning.
    fn method(&self) -> &'static str {
        match (self.flags.has('x'), self.flags.has('s'), self.flags.has('r')) {
            (true, false, _) => "posix-timer",
            (false, true, _) => "nanosleep",
            (_, _, true) => "clock-nanosleep-relative",
            _ => "clock-nanosleep",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::noted;
    use super::*;

    fn facts(line: &str) -> [String; 3] {
        let mut run = Run::default();
        Command::parse(line).unwrap().record(&mut run);
        ["import.policy", "import.priority", "import.method"].map(|name| noted(&run, name).unwrap().to_owned())
    }

    #[test]
    fn policy_and_method_follow_from_the_options() {
        assert_eq!(facts("cyclictest -m -p95"), ["fifo", "95", "clock-nanosleep"]);
        assert_eq!(facts("cyclictest -smp 80 --policy=rr"), ["rr", "80", "nanosleep"]);
        assert_eq!(facts("cyclictest -x"), ["other", "0", "posix-timer"]);
        assert_eq!(facts("cyclictest -s -x --policy=other -r"), ["other", "0", "clock-nanosleep-relative"]);
    }

    #[test]
    fn threads_are_apart_unless_there_is_a_histogram() {
        let period = |line: &str, index| Command::parse(line).unwrap().period(index).map(Duration::as_ns);
        assert_eq!(period("cyclictest -i200", 0), Some(200_000));
        assert_eq!(period("cyclictest -t2", 1), Some(1_500_000));
        assert_eq!(period("cyclictest -t2 -d0", 1), Some(1_000_000));
        assert_eq!(period("cyclictest -t2 -h 60", 1), Some(1_000_000));
        assert_eq!(period("cyclictest -d 18446744073709551615", 2), None);
        assert_eq!(period("cyclictest -i 0", 0), None);
    }

    #[test]
    fn another_program_s_options_are_not_taken_for_cyclictest_s() {
        assert!(Command::parse("prazo measure timer -p fifo -D 4s").is_none());
        assert!(Command::parse("").is_none());
        assert_eq!(Command::parse("/usr/bin/cyclictest -D 4").unwrap().duration(), Some(Duration::from_s(4)));
    }
}
