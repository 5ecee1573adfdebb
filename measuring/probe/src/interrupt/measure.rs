//! The course of one measurement: prepare, set priorities, arm, read until all triggers were sent, stop.

use super::device::Device;
use super::error::InterruptError;
use super::own_frames::Sender;
use super::priority;
use super::setting::{LOST_AFTER, OwnFrames, Setting};
use super::user_task::UserTask;
use prazo_abi::irqlat::{CONTEXT_THREAD, Counts, Ready, Sample};
use prazo_core::time::Duration;
use prazo_engine::follow::{self, Followed, FollowedThread};
use prazo_engine::{SinkError, StopFlag, Surroundings, not_followed};
use prazo_run::Caveat;
use prazo_run::source::TaskSide;
use prazo_sys::clock;

/// How often the reader looks.
const LOOKS: Duration = Duration::from_ms(100);
/// A trigger is waited for so long, beyond its period.
const PATIENCE: Duration = Duration::from_s(10);

/// Takes samples as they come, in order, with the counts at that time.
pub(super) type Taking<'a> = dyn FnMut(&[Sample], &Counts) -> Result<(), SinkError> + 'a;

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterruptOutcome {
    /// What was found out before the first trigger.
    pub ready: Ready,
    /// What became of the triggers.
    pub counts: Counts,
    /// The priority of the thread that handled the line, as read back; `None` without one, or where it has none.
    pub thread_priority: Option<u8>,
    /// The task's, as read back.
    pub task_priority: u8,
    /// How it ended.
    pub end: End,
    /// The reader's longest delay behind its planned looks.
    pub reader_delay_max: Duration,
    /// What others and the machine did meanwhile to its threads and its processor.
    pub changes: Vec<Caveat>,
}

/// How a measurement ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All triggers were sent.
    AllSent,
    /// The user stopped it.
    Stopped,
    /// No trigger came any more.
    TriggersCeased,
}

/// Measures; `samples` is called at each look, with or without samples.
pub fn measure(
    setting: &Setting,
    samples: &mut Taking<'_>,
    stop: &StopFlag,
) -> Result<InterruptOutcome, InterruptError> {
    let plan = setting.to_plan().map_err(InterruptError::Setting)?;
    let mut device = Device::open()?;
    let ready = device.prepare(&plan).map_err(|(ready, error)| InterruptError::refused(setting, &ready, error))?;
    let thread_priority = handled_at(setting, &ready)?;
    let (task, task_priority) = start_task(setting, &device, &ready)?;
    let armed = device.arm().and_then(|()| setting.own_frames.as_ref().map(OwnFrames::start).transpose());
    let task_id = task.as_ref().map_or(ready.task_pid, |task| task.pid);
    let read = armed.and_then(|sender| {
        let around = Surroundings::default();
        let read = follow::during(&around, followed(setting, &ready, task_id), || {
            read_all(setting, &mut device, samples, stop)
        });
        sender.map_or(Ok(()), Sender::stop).and(read.map_err(|source| InterruptError::Process(not_followed(source))))
    });
    // Stopped also after an error, so that the user task's thread ends.
    device.stop()?;
    task.map_or(Ok(()), UserTask::join)?;
    let (read, changes) = read?;
    let (end, reader_delay_max) = read?;
    let counts = hand_on(&mut device, samples)?;
    Ok(InterruptOutcome { ready, counts, thread_priority, task_priority, end, reader_delay_max, changes })
}

/// The task, and the thread that handles the line where there is one.
fn followed(setting: &Setting, ready: &Ready, task_id: i32) -> Followed {
    let task = FollowedThread { name: "the measured task".into(), id: task_id };
    let handler = FollowedThread { name: "the interrupt thread of the line".into(), id: ready.irq_thread_pid };
    let is_threaded = ready.context == CONTEXT_THREAD;
    Followed {
        cpus: vec![setting.cpu],
        threads: std::iter::once(task).chain(is_threaded.then_some(handler)).collect(),
        rival_priority: setting.task_priority.into(),
        move_themselves: false,
    }
}

/// Sets the priority of the thread that handles the line, where there is one; what it has.
fn handled_at(setting: &Setting, ready: &Ready) -> Result<Option<u8>, InterruptError> {
    const WHO: &str = "the interrupt thread of the line";
    match (ready.context == CONTEXT_THREAD, setting.source.thread_priority) {
        (true, Some(wanted)) => priority::set(WHO, ready.irq_thread_pid, wanted).map(Some),
        (true, None) => priority::of(WHO, ready.irq_thread_pid),
        (false, _) => Ok(None),
    }
}

fn start_task(setting: &Setting, device: &Device, ready: &Ready) -> Result<(Option<UserTask>, u8), InterruptError> {
    const WHO: &str = "the measured task";
    if setting.source.task == TaskSide::Kernel {
        return Ok((None, priority::set(WHO, ready.task_pid, setting.task_priority)?));
    }
    let (task, go) = UserTask::start(device, setting.cpu)?;
    let effective = priority::set(WHO, task.pid, setting.task_priority)?;
    go.go();
    Ok((Some(task), effective))
}

fn read_all(
    setting: &Setting,
    device: &mut Device,
    samples: &mut Taking<'_>,
    stop: &StopFlag,
) -> Result<(End, Duration), InterruptError> {
    let mut watch = Watch::new(setting);
    let mut delay_max_ns = 0;
    loop {
        let due_ns = clock::monotonic_ns() + LOOKS.as_ns();
        stop.alarm().wait_until(due_ns, &[]);
        delay_max_ns = delay_max_ns.max(clock::monotonic_ns().saturating_sub(due_ns));
        let counts = hand_on(device, samples)?;
        if let Some(end) = watch.end(&counts, stop.is_set()) {
            return Ok((end, Duration::from_ns(delay_max_ns)));
        }
    }
}

fn hand_on(device: &mut Device, samples: &mut Taking<'_>) -> Result<Counts, InterruptError> {
    // Counted first: a sample that comes meanwhile is taken with the next look, or now, and never missed.
    let counts = device.counts()?;
    let mut taken = Vec::new();
    device.take(&mut taken)?;
    samples(&taken, &counts).map_err(InterruptError::Sink)?;
    Ok(counts)
}

/// Decides when it is over: on triggers sent, never on samples, which lost ones would keep waiting.
struct Watch {
    triggers: u64,
    grace_ns: u64,
    patience_ns: u64,
    sent: u64,
    since_ns: u64,
}

impl Watch {
    fn new(setting: &Setting) -> Self {
        let gap = setting.period + setting.source.jitter;
        Self {
            triggers: setting.triggers,
            grace_ns: LOST_AFTER.as_ns(),
            patience_ns: PATIENCE.as_ns().saturating_add(gap.as_ns()),
            sent: 0,
            since_ns: clock::monotonic_ns(),
        }
    }

    fn end(&mut self, counts: &Counts, stopped: bool) -> Option<End> {
        let now_ns = clock::monotonic_ns();
        if counts.sent != self.sent {
            (self.sent, self.since_ns) = (counts.sent, now_ns);
        }
        let quiet_ns = now_ns - self.since_ns;
        let all_sent = counts.sent >= self.triggers;
        match (all_sent, counts.outstanding) {
            (true, 0) => Some(End::AllSent),
            (true, _) if quiet_ns > self.grace_ns => Some(End::AllSent),
            _ if stopped => Some(End::Stopped),
            (false, _) if quiet_ns > self.patience_ns => Some(End::TriggersCeased),
            _ => None,
        }
    }
}
