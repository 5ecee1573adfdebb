//! `prazo measure wakeup`: how late a thread runs after another has woken it.

use super::outlet::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::load::LoadFlags;
use crate::flags::plan::{POLICIES, PolicyName, length};
use crate::flags::recording::RecordingFlags;
use crate::flags::requirement::RequirementFlags;
use crate::flags::{Word, station, under, words};
use prazo::guest::GuestOptions;
use prazo::measure::{Instrument, WakeupRequest};
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_run::plan::Plan;
use prazo_run::source::{Source, WakeMethod, WakerCpu};

/// Measure how late a thread runs after another has woken it
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure wakeup                         futex, every processor, 30 s
  prazo measure wakeup --method mutex --inherit --waker-cpu other
  prazo measure wakeup --method mqueue -D 8h --deadline 100us --load memory
  prazo measure wakeup --method signal -c 1 -i 200us -n 100000 --json
  prazo measure wakeup --method all -D 10s     one table")]
pub(crate) struct Wakeup {
    /// Call that wakes the thread
    ///
    /// all measures each in turn, for --duration or --count each, into a file of its own: -o wakes.prazo gives
    /// wakes-futex.prazo and so on. --inherit then applies where there is a mutex.
    #[arg(long, value_name = "METHOD", default_value = "futex", value_parser = words(METHODS))]
    method: Wakes,
    /// Give the mutex priority inheritance (mutex, condvar)
    #[arg(long)]
    inherit: bool,
    /// Processor of the waking thread: same, other or a number
    ///
    /// same is the processor of the thread that it wakes. other is the next processor that this process may use.
    #[arg(long, value_name = "CPU", default_value = "same", value_parser = parse_waker_cpu)]
    waker_cpu: WakerCpu,
    /// Real-time priority of the waking thread, 1 to 99 [default: one below --priority]
    ///
    /// On the same processor, a thread with a lower priority is preempted as soon as it wakes the other. One with the same
    /// priority first runs on until it sleeps, as in ptsematest.
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=99))]
    waker_priority: Option<u8>,
    /// Scheduling policy of the threads
    #[arg(long, short, help_heading = "Measuring", value_name = "POLICY", default_value = "fifo", value_parser = words(POLICIES))]
    policy: PolicyName,
    /// Real-time priority of the woken threads under fifo and rr, 1 to 99
    #[arg(long, help_heading = "Measuring", hide_short_help = true, value_name = "N", default_value_t = 95)]
    priority: u8,
    /// Processors of the woken threads, for example 0-3,5 [default: all]
    ///
    /// One thread is woken on each. The default is every processor that this process may use.
    #[arg(long, short, help_heading = "Measuring", value_name = "LIST")]
    cpus: Option<CpuSet>,
    /// Period of the wakes
    #[arg(long, help_heading = "Measuring", short = 'i', value_name = "TIME", default_value = "1ms")]
    period: Duration,
    /// Duration of the measurement, after the warm-up
    #[arg(
        long,
        help_heading = "Measuring",
        short = 'D',
        value_name = "TIME",
        default_value = "30s",
        conflicts_with = "count"
    )]
    duration: Duration,
    /// Number of wakes of each thread, instead of a duration
    #[arg(long, help_heading = "Measuring", short = 'n', value_name = "N")]
    count: Option<u64>,
    /// Stop at the first latency above this
    ///
    /// A mark is written to the kernel's trace.
    #[arg(long, help_heading = "Measuring", short = 'b', value_name = "TIME")]
    stop_above: Option<Duration>,
    /// Wake for this long before measuring (rounded up to whole seconds)
    ///
    /// The samples are kept, labelled warm-up, and excluded from the figures.
    #[arg(long, help_heading = "Measuring", hide_short_help = true, value_name = "TIME", default_value = "1s")]
    warm_up: Duration,
    /// Processor of the recording thread [default: one that is not measured, if there is one]
    #[arg(long, help_heading = "Measuring", hide_short_help = true, value_name = "CPU")]
    housekeeping_cpu: Option<u32>,
    #[command(flatten)]
    recording: RecordingFlags,
    #[command(flatten)]
    loads: LoadFlags,
    #[command(flatten)]
    requirement: RequirementFlags,
    #[command(flatten)]
    guest: GuestOptions,
    #[command(flatten)]
    outlet: Outlet,
}

/// One method, or each.
#[derive(Clone, Copy, Debug)]
enum Wakes {
    By(WakeMethod),
    ByEach,
}

const METHODS: &[Word<Wakes>] = &[
    ("futex", "futex(2)", Wakes::By(WakeMethod::Futex)),
    ("mutex", "pthread_mutex_unlock(3)", Wakes::By(WakeMethod::Mutex)),
    ("condvar", "pthread_cond_signal(3)", Wakes::By(WakeMethod::Condvar)),
    ("semaphore", "sem_post(3)", Wakes::By(WakeMethod::Semaphore)),
    ("sysv-semaphore", "semop(2)", Wakes::By(WakeMethod::SysvSemaphore)),
    ("mqueue", "mq_send(3)", Wakes::By(WakeMethod::Mqueue)),
    ("pipe", "write(2) to a pipe", Wakes::By(WakeMethod::Pipe)),
    ("eventfd", "write(2) to an eventfd", Wakes::By(WakeMethod::Eventfd)),
    ("signal", "tgkill(2), as pthread_kill(3) does", Wakes::By(WakeMethod::Signal)),
    ("all", "Each of them in turn", Wakes::ByEach),
];

fn parse_waker_cpu(text: &str) -> Result<WakerCpu, String> {
    match text {
        "same" => Ok(WakerCpu::Same),
        "other" => Ok(WakerCpu::Other),
        number => number
            .parse()
            .map(|cpu| WakerCpu::Cpu { cpu })
            .map_err(|_| format!("'{text}' is not a processor; give same, other or a processor number")),
    }
}

impl Wakeup {
    /// Measures.
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        match self.method {
            Wakes::By(method) => {
                let instrument = self.instrument(method, self.inherit)?;
                self.outlet.measure(instrument, requirement)
            }
            Wakes::ByEach => {
                let each = WakeMethod::VALUES.iter().map(|method| {
                    let inherit = self.inherit && method.has_mutex();
                    Ok((method.name(), self.instrument(*method, inherit)?))
                });
                let instruments = each.collect::<Result<Vec<_>, Failure>>()?;
                self.outlet.measure_in_turn(instruments, requirement)
            }
        }
    }

    fn instrument(&self, method: WakeMethod, inherit: bool) -> Result<Instrument, Failure> {
        let policy = station::policy(self.policy, self.priority)?;
        let plan = Plan::new(Source::default(), policy, Vec::new(), length(self.count, self.duration));
        let request = WakeupRequest {
            method,
            inherit,
            waker_cpu: self.waker_cpu,
            waker_priority: self.waker_priority,
            cpus: self.cpus,
            period: self.period,
            plan: Plan {
                stop_above: self.stop_above,
                housekeeping_cpu: self.housekeeping_cpu,
                ..under(plan, self.warm_up, &self.loads, self.recording)
            },
            guest: self.guest.clone(),
        };
        Ok(Instrument::Wakeup(Box::new(request)))
    }
}
