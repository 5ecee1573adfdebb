//! What Xenomai's and EVL's tools say about themselves: mode, period, priority, processor.

use super::context::note;
use super::error::shown;
use super::tally::VALUE_NS_MAX;
use crate::Run;
use crate::run::Quantity;
use prazo_core::time::Duration;

/// The text in parentheses: mode, period, priority, processor.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    /// `periodic user-mode task`, `in-kernel timer handler`, `user`, `irq`.
    pub mode: Option<String>,
    /// The sampling period.
    pub period: Option<Duration>,
    /// The task's priority.
    pub priority: Option<u32>,
    /// latmus alone: the processor.
    pub cpu: Option<u32>,
    /// latmus alone: the processor is not isolated.
    pub not_isolated: bool,
}

impl Setting {
    /// Reads `periodic user-mode task, 1000 us period, priority 99)` or `user, 1000 us period, priority 98, CPU0-noisol)`.
    pub(super) fn parse(&mut self, text: &str) {
        for (index, part) in text.trim_end_matches(')').split(", ").enumerate() {
            if index == 0 && !part.is_empty() {
                self.mode = Some(shown(part));
            } else if let Some(us) = part.strip_suffix(" us period") {
                self.period = period(us);
            } else if let Some(priority) = part.strip_prefix("priority ") {
                self.priority = priority.parse().ok();
            } else {
                self.place(part);
            }
        }
    }

    /// Reads `CPU0-noisol` or `... on CPU0 (not isolated)`.
    pub(super) fn place(&mut self, text: &str) {
        if let Some((_, rest)) = text.split_once("CPU") {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            self.cpu = rest[..digits].parse().ok();
            self.not_isolated = rest.contains("noisol") || rest.contains("not isolated");
        }
    }

    /// A timer handler measures up to the interrupt; tasks, also those in the kernel, up to their own first instruction.
    pub(super) fn quantity(&self) -> Quantity {
        match self.mode.as_deref() {
            Some(mode) if mode.contains("timer handler") || mode.contains("irq") => Quantity::InterruptLatency,
            _ => Quantity::ResponseLatency,
        }
    }

    /// Notes mode and priority.
    pub(super) fn record(&self, run: &mut Run) {
        if let Some(mode) = &self.mode {
            note(run, "import.mode", mode.clone(), "the tool's header");
        }
        if let Some(priority) = self.priority {
            note(run, "import.priority", priority.to_string(), "the tool's header");
        }
    }
}

/// `1000` or `1000 us` or `1000 microseconds`.
pub(super) fn period(text: &str) -> Option<Duration> {
    let us = text.split_whitespace().next()?.parse().ok()?;
    (1..=VALUE_NS_MAX / 1_000).contains(&us).then(|| Duration::from_us(us))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_both_tools_are_read() {
        let mut setting = Setting::default();
        setting.parse("user, 1000 us period, priority 98, CPU3-noisol)");
        assert_eq!((setting.cpu, setting.not_isolated, setting.priority), (Some(3), true, Some(98)));
        assert_eq!(setting.period, Some(Duration::from_ms(1)));
        assert_eq!(setting.quantity(), Quantity::ResponseLatency);
        setting.parse("in-kernel timer handler, 1000 us period, priority 99)");
        assert_eq!(setting.quantity(), Quantity::InterruptLatency);
    }
}
