//! What the module shall do, in its own words: from a plan's source, processor, period and number of triggers.

use crate::event::frame::Offer;
use prazo_abi::irqlat;
use prazo_core::time::Duration;
use prazo_run::source::{HandlerPlace, InterruptDevice, InterruptSource, TaskSide, Trigger};

/// Room for the samples of a tenth of a second at 160 kHz, or of sixteen seconds at 1 kHz.
const RING_RECORDS: u32 = 1 << 14;

/// A raised line is lost when nothing came for so long.
pub const LOST_AFTER: Duration = Duration::from_s(1);

/// One measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Who raises which line, and how handler and task run.
    pub source: InterruptSource,
    /// The line's and the task's processor.
    pub cpu: u32,
    /// SCHED_FIFO priority of the task.
    pub task_priority: u8,
    /// Between two triggers of a timer.
    pub period: Duration,
    /// The measurement ends when so many triggers were sent.
    pub triggers: u64,
    /// What the jitter is drawn from.
    pub seed: u64,
    /// Frames that this machine sends itself; `None` where a timer or another station triggers.
    pub own_frames: Option<OwnFrames>,
}

/// Frames that this machine sends itself: their cards, and when they leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnFrames {
    pub(super) through: String,
    pub(super) to: String,
    pub(super) offer: Offer,
}

impl Setting {
    /// The module's words for it; what does not fit, otherwise.
    pub(super) fn to_plan(&self) -> Result<irqlat::Plan, String> {
        let InterruptSource { trigger, trigger_cpu, jitter, handler, task, .. } = self.source;
        let mut plan = irqlat::Plan {
            abi: irqlat::ABI,
            trigger: trigger_number(trigger),
            handler: handler_number(handler),
            task: task_number(task),
            trigger_cpu,
            measured_cpu: i32::try_from(self.cpu).map_err(|_| format!("processor {} does not exist", self.cpu))?,
            ring_records: RING_RECORDS,
            triggers: self.triggers,
            period_ns: self.period.as_ns(),
            jitter_ns: jitter.as_ns(),
            seed: self.seed,
            lost_after_ns: LOST_AFTER.as_ns(),
            ..irqlat::Plan::default()
        };
        self.fill_device(&mut plan)?;
        self.fill_card(&mut plan)?;
        Ok(plan)
    }

    fn fill_device(&self, plan: &mut irqlat::Plan) -> Result<(), String> {
        plan.source = device_number(&self.source.device);
        match &self.source.device {
            InterruptDevice::ParallelPort { port, line, .. } => (plan.port, plan.irq) = (*port, *line),
            InterruptDevice::Edu => {}
            InterruptDevice::Gpio { chip, output, input } => {
                plan.device = named("gpiochip", chip)?;
                (plan.gpio_out, plan.gpio_in) = (*output, *input);
            }
        }
        Ok(())
    }

    /// A card and a gpiochip would want the same field.
    fn fill_card(&self, plan: &mut irqlat::Plan) -> Result<(), String> {
        match (&self.source.card, self.source.trigger, &self.source.device) {
            (Some(_), Trigger::Frame, InterruptDevice::Gpio { .. }) => {
                Err("frames cannot raise a gpiochip's line; use a timer (--trigger hrtimer)".into())
            }
            (Some(card), Trigger::Frame, _) => named("card", card).map(|name| plan.device = name),
            (None, Trigger::Frame, _) => Err("give the card that receives the frames, as in --card eth1".into()),
            (Some(card), ..) => Err(format!("--card {card} has no effect when a timer triggers; omit --card")),
            (None, ..) => Ok(()),
        }
    }

    /// What triggers, in words.
    pub(super) fn trigger(&self) -> String {
        match (&self.source.card, self.source.trigger) {
            (Some(card), Trigger::Frame) => format!("frames on the card '{card}'"),
            _ => format!("a timer on processor {}", self.source.trigger_cpu),
        }
    }
}

fn named(what: &str, name: &str) -> Result<[u8; irqlat::NAME_MAX], String> {
    irqlat::Plan::device_named(name)
        .ok_or_else(|| format!("the {what}'s name '{name}' is longer than {} bytes", irqlat::NAME_MAX - 1))
}

const fn trigger_number(trigger: Trigger) -> u32 {
    match trigger {
        Trigger::Hrtimer => irqlat::TRIGGER_HRTIMER,
        Trigger::OtherCpu => irqlat::TRIGGER_PROCESSOR,
        Trigger::Frame => irqlat::TRIGGER_ETHERNET,
    }
}

const fn device_number(device: &InterruptDevice) -> u32 {
    match device {
        InterruptDevice::ParallelPort { wired: false, .. } => irqlat::SOURCE_PARPORT,
        InterruptDevice::ParallelPort { wired: true, .. } => irqlat::SOURCE_LOOPBACK,
        InterruptDevice::Edu => irqlat::SOURCE_EDU,
        InterruptDevice::Gpio { .. } => irqlat::SOURCE_GPIO,
    }
}

const fn handler_number(handler: HandlerPlace) -> u32 {
    match handler {
        HandlerPlace::Kernel => irqlat::HANDLER_KERNEL,
        HandlerPlace::Hard => irqlat::HANDLER_HARD,
        HandlerPlace::Thread => irqlat::HANDLER_THREAD,
    }
}

const fn task_number(task: TaskSide) -> u32 {
    match task {
        TaskSide::Kernel => irqlat::TASK_KERNEL,
        TaskSide::User => irqlat::TASK_USER,
    }
}
