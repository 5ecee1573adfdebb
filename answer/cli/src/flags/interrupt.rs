//! The flags of an interrupt line: its trigger, its device, and the places of its handler and its task.

use super::{Meaning, Word, named, words};
use clap::Args;
use prazo_core::time::Duration;
use prazo_run::source::{HandlerPlace, InterruptDevice, InterruptSource, TaskSide, Trigger};

/// The line.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Interrupt line")]
pub(crate) struct LineFlags {
    /// Source of the interrupts
    #[arg(long, value_name = "WHAT", default_value = "hrtimer", value_parser = named(Trigger::name, TRIGGERS))]
    pub(crate) trigger: Trigger,
    /// Processor of the triggering timer [default: the measured processor; with other-cpu, the first other processor]
    #[arg(long, value_name = "CPU", hide_short_help = true)]
    pub(crate) trigger_cpu: Option<u32>,
    /// Network card that receives the triggering frames
    ///
    /// The frames have the type 0x88B5.
    #[arg(long, value_name = "NAME")]
    pub(crate) card: Option<String>,
    /// Random delay added to each period, uniform between 0 and this value; --seed sets the random sequence
    #[arg(long, value_name = "TIME", default_value = "500us", hide_short_help = true)]
    pub(crate) jitter: Duration,
    /// Device whose interrupt line is measured
    ///
    /// parallel-port, wired-parallel-port, edu or gpio:CHIP:OUTPUT:INPUT. parallel-port and edu are devices of QEMU. wired-parallel-port is a real port; connect its pin 9 to its pin 10. For gpio, connect the output line to the input line of the gpiochip.
    #[arg(long, value_name = "DEVICE", default_value = "parallel-port", hide_short_help = true, value_parser = parse_device)]
    pub(crate) device: InterruptDevice,
    /// First I/O address of the parallel port
    #[arg(long, value_name = "ADDRESS", default_value = "0x378", value_parser = parse_address, hide_short_help = true)]
    pub(crate) port: u32,
    /// Interrupt line of the parallel port
    #[arg(long, value_name = "LINE", default_value_t = 7, hide_short_help = true)]
    pub(crate) irq: u32,
    /// Context in which the interrupt handler runs
    #[arg(long, value_name = "PLACE", default_value = "kernel", value_parser = named(HandlerPlace::name, HANDLERS))]
    pub(crate) handler: HandlerPlace,
    /// Real-time priority of the handler thread, 1 to 99 [default: the kernel's, 50]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=99))]
    pub(crate) thread_priority: Option<u8>,
    /// Context of the task that the handler wakes
    #[arg(long, value_name = "PLACE", default_value = "kernel", value_parser = words(TASKS))]
    pub(crate) task: TaskSide,
}

const TRIGGERS: &[Meaning<Trigger>] = &[
    (Trigger::Hrtimer, "Timer interrupt on the measured processor"),
    (Trigger::OtherCpu, "Timer interrupt on another processor"),
    (Trigger::Frame, "Network frame from another station; in a guest, from the guest's second network card"),
];

const HANDLERS: &[Meaning<HandlerPlace>] = &[
    (HandlerPlace::Kernel, "The kernel's default: a thread under PREEMPT_RT or threadirqs"),
    (HandlerPlace::Hard, "Interrupt context on every kernel (IRQF_NO_THREAD)"),
    (HandlerPlace::Thread, "Thread on every kernel, with a stamp in interrupt context"),
];

const TASKS: &[Word<TaskSide>] =
    &[("kernel", "Kernel thread", TaskSide::Kernel), ("user", "User-space thread of prazo", TaskSide::User)];

impl LineFlags {
    /// As the library takes it; where no flag names the trigger's processor, the library chooses it.
    pub(crate) fn source(&self) -> InterruptSource {
        InterruptSource {
            trigger: self.trigger,
            trigger_cpu: self.trigger_cpu.unwrap_or_default(),
            card: self.card.clone(),
            jitter: self.jitter,
            device: self.device(),
            handler: self.handler,
            thread_priority: self.thread_priority,
            task: self.task,
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
        _ => gpio(text).ok_or_else(|| format!("'{text}' is not a device; choose from {known}")),
    }
}

fn gpio(text: &str) -> Option<InterruptDevice> {
    let (rest, input) = text.strip_prefix("gpio:")?.rsplit_once(':')?;
    let (chip, output) = rest.rsplit_once(':').filter(|(chip, _)| !chip.is_empty())?;
    Some(InterruptDevice::Gpio { chip: chip.into(), output: output.parse().ok()?, input: input.parse().ok()? })
}

fn parse_address(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix("0x").map_or_else(|| text.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok());
    number.filter(|port| *port <= 0xfffd).ok_or_else(|| format!("'{text}' is not an I/O address, such as 0x378"))
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
