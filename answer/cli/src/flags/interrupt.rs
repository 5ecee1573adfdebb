//! The flags of an interrupt line: who raises it, which one, where its handler and its task run.

use crate::exit::Failure;
use clap::{Args, ValueEnum};
use prazo_core::time::Duration;
use prazo_run::source::{HandlerPlace, InterruptDevice, InterruptSource, TaskSide, Trigger};

/// The line.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "The line")]
pub(crate) struct LineFlags {
    /// What raises it
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = TriggerFlag::Hrtimer)]
    pub trigger: TriggerFlag,
    /// The timer's processor [default: the measured one; with other-cpu the first other]
    #[arg(long, value_name = "CPU")]
    pub trigger_cpu: Option<u32>,
    /// The card on which frames (type 0x88B5) trigger
    #[arg(long, value_name = "NAME")]
    pub card: Option<String>,
    /// A timer's period is longer by up to this, evenly and drawn from --seed; in a guest, its own frames leave up to this late
    #[arg(long, value_name = "TIME", default_value = "500us")]
    pub jitter: Duration,
    /// The device whose line it is: parallel-port (QEMU's), wired-parallel-port (pin 9 to pin 10), edu (QEMU's), or
    /// gpio:CHIP:OUTPUT:INPUT, two wired lines of a gpiochip
    #[arg(long, value_name = "DEVICE", default_value = "parallel-port", value_parser = parse_device)]
    pub device: InterruptDevice,
    /// The parallel port's first I/O address
    #[arg(long, value_name = "ADDRESS", default_value = "0x378", value_parser = parse_address)]
    pub port: u32,
    /// The parallel port's interrupt line
    #[arg(long, value_name = "LINE", default_value_t = 7)]
    pub irq: u32,
    /// Where the handler runs
    #[arg(long, value_enum, value_name = "WHERE", default_value_t = HandlerFlag::Kernel)]
    pub handler: HandlerFlag,
    /// Real-time priority of the handler's thread [default: the kernel's, 50]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=99))]
    pub thread_priority: Option<u8>,
    /// Where the task lives that the handler wakes
    #[arg(long, value_enum, value_name = "WHERE", default_value_t = TaskFlag::Kernel)]
    pub task: TaskFlag,
}

/// What raises the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TriggerFlag {
    /// A timer's interrupt.
    Hrtimer,
    /// A timer's interrupt on another processor.
    OtherCpu,
    /// A frame of another station; in a guest, of its own second card.
    Frame,
}

/// Where the handler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HandlerFlag {
    /// Where the kernel puts handlers: a thread under PREEMPT_RT or threadirqs.
    Kernel,
    /// In the interrupt on every kernel (IRQF_NO_THREAD).
    Hard,
    /// In a thread on every kernel, with a stamp in the interrupt.
    Thread,
}

/// Where the task lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TaskFlag {
    /// A thread of the kernel.
    Kernel,
    /// A thread of prazo's.
    User,
}

impl LineFlags {
    /// The source of a plan that measures on processor `cpu` of this machine.
    pub(crate) fn source(&self, cpu: u32, others: impl IntoIterator<Item = u32>) -> Result<InterruptSource, Failure> {
        let source = self.source_in_guest(cpu, others)?;
        // Another station's frames have its jitter.
        let jitter = if source.trigger == Trigger::Frame { Duration::ZERO } else { source.jitter };
        Ok(InterruptSource { jitter, ..source })
    }

    /// The same in a guest, which sends itself the frames that trigger.
    pub(crate) fn source_in_guest(
        &self,
        cpu: u32,
        others: impl IntoIterator<Item = u32>,
    ) -> Result<InterruptSource, Failure> {
        Ok(InterruptSource {
            trigger: self.trigger.into(),
            trigger_cpu: self.trigger_cpu(cpu, others)?,
            card: self.card.clone(),
            jitter: self.jitter,
            device: self.device(),
            handler: self.handler.into(),
            thread_priority: self.thread_priority,
            task: self.task.into(),
        })
    }

    fn trigger_cpu(&self, cpu: u32, others: impl IntoIterator<Item = u32>) -> Result<u32, Failure> {
        match (self.trigger_cpu, self.trigger) {
            (Some(given), TriggerFlag::OtherCpu) if given == cpu => Err(Failure::usage(format!(
                "--trigger other-cpu --trigger-cpu {given} is the measured processor; give another, or --trigger hrtimer"
            ))),
            (Some(given), _) => Ok(given),
            (None, TriggerFlag::OtherCpu) => others.into_iter().find(|other| *other != cpu).ok_or_else(|| {
                Failure::usage("--trigger other-cpu takes a second processor, and there is none; use --trigger hrtimer")
            }),
            (None, _) => Ok(cpu),
        }
    }

    fn device(&self) -> InterruptDevice {
        match &self.device {
            InterruptDevice::ParallelPort { wired, .. } => {
                InterruptDevice::ParallelPort { port: self.port, line: self.irq, wired: *wired }
            }
            device => device.clone(),
        }
    }
}

fn parse_device(text: &str) -> Result<InterruptDevice, String> {
    let known = "parallel-port, wired-parallel-port, edu, gpio:CHIP:OUTPUT:INPUT";
    let port = |wired| InterruptDevice::ParallelPort { port: 0, line: 0, wired };
    match text {
        "parallel-port" => Ok(port(false)),
        "wired-parallel-port" => Ok(port(true)),
        "edu" => Ok(InterruptDevice::Edu),
        _ => gpio(text).ok_or_else(|| format!("no device '{text}'; there are {known}")),
    }
}

fn gpio(text: &str) -> Option<InterruptDevice> {
    let (rest, input) = text.strip_prefix("gpio:")?.rsplit_once(':')?;
    let (chip, output) = rest.rsplit_once(':').filter(|(chip, _)| !chip.is_empty())?;
    Some(InterruptDevice::Gpio { chip: chip.into(), output: output.parse().ok()?, input: input.parse().ok()? })
}

fn parse_address(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix("0x").map_or_else(|| text.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok());
    number.filter(|port| *port <= 0xfffd).ok_or_else(|| format!("'{text}' is no I/O address, such as 0x378"))
}

impl From<TriggerFlag> for Trigger {
    fn from(flag: TriggerFlag) -> Self {
        match flag {
            TriggerFlag::Hrtimer => Self::Hrtimer,
            TriggerFlag::OtherCpu => Self::OtherCpu,
            TriggerFlag::Frame => Self::Frame,
        }
    }
}

impl From<HandlerFlag> for HandlerPlace {
    fn from(flag: HandlerFlag) -> Self {
        match flag {
            HandlerFlag::Kernel => Self::Kernel,
            HandlerFlag::Hard => Self::Hard,
            HandlerFlag::Thread => Self::Thread,
        }
    }
}

impl From<TaskFlag> for TaskSide {
    fn from(flag: TaskFlag) -> Self {
        match flag {
            TaskFlag::Kernel => Self::Kernel,
            TaskFlag::User => Self::User,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpiochips_label_may_hold_colons_and_its_lines_are_numbers() {
        let device = parse_device("gpio:pinctrl:0:17:27").unwrap();
        assert_eq!(device, InterruptDevice::Gpio { chip: "pinctrl:0".into(), output: 17, input: 27 });
        assert!(parse_device("gpio::1:2").is_err() && parse_device("gpio:chip:1").is_err());
    }

    #[test]
    fn an_unknown_device_is_answered_with_those_there_are() {
        assert!(parse_device("serial").unwrap_err().contains("wired-parallel-port"));
    }

    #[test]
    fn addresses_are_hexadecimal_or_decimal_and_fit_the_bus() {
        assert_eq!((parse_address("0x378"), parse_address("888")), (Ok(0x378), Ok(888)));
        assert!(parse_address("0xffff").is_err() && parse_address("378h").is_err());
    }
}
