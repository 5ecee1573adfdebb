//! `prazo measure wakeup`: how late a thread runs after another has woken it.

use super::outlet::Outlet;
use crate::exit::{Exit, Failure};
use crate::flags::load::LoadFlags;
use crate::flags::measuring::MeasuringFlags;
use crate::flags::requirement::RequirementFlags;
use crate::flags::{Word, words};
use prazo::guest::GuestOptions;
use prazo::measure::{Instrument, WakeupRequest};
use prazo_core::time::Duration;
use prazo_run::defaults;
use prazo_run::source::{WakeMethod, WakerCpu};

/// Measure how late a thread runs after another has woken it
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure wakeup                         futex, every processor, 30 s
  prazo measure wakeup --method mutex --inherit --waker-cpu other
  prazo measure wakeup --method mqueue -D 8h --deadline 100us --load memory
  prazo measure wakeup --method signal -c 1 -i 200us -n 100000 --json
  prazo measure wakeup --method all -D 10s     one table
  prazo measure wakeup --method migrate        duration of a move to another processor")]
pub(crate) struct Wakeup {
    /// Call that wakes the thread, or that moves it
    ///
    /// `migrate` and `push` measure the migration latency: the woken thread moves to the next processor, because it
    /// calls sched_setaffinity(2) or because a more urgent thread takes its processor. `all` measures the calls that
    /// wake, one after the other, each for --duration or --count and into its own run file: -o wakes.prazo writes
    /// wakes-futex.prazo and so on. With `all`, --inherit applies to the calls that use a mutex.
    #[arg(long, value_name = "METHOD", default_value = "futex", value_parser = words(METHODS))]
    method: Wakes,
    /// Use a mutex with priority inheritance (methods mutex and condvar)
    #[arg(long)]
    inherit: bool,
    /// Processor of the waking thread: same, other or a number
    ///
    /// `same` is the processor of the woken thread, `other` the next processor that this process may use.
    #[arg(long, value_name = "CPU", default_value = "same", value_parser = parse_waker_cpu)]
    waker_cpu: WakerCpu,
    /// Real-time priority of the waking thread, 1 to 99 [default: one below --priority; one above with push]
    ///
    /// On the same processor, a waking thread with a lower priority is preempted as soon as it wakes the other thread.
    /// A waking thread with the same priority runs on until it sleeps, as in ptsematest.
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=99))]
    waker_priority: Option<u8>,
    /// Period of the wake-ups
    #[arg(long, help_heading = "Measuring", short = 'i', value_name = "TIME", default_value_t = defaults::PERIOD)]
    period: Duration,
    /// Number of wake-ups of each thread, instead of a duration
    #[arg(long, help_heading = "Measuring", short = 'n', value_name = "N", conflicts_with = "duration")]
    count: Option<u64>,
    #[command(flatten)]
    measuring: MeasuringFlags,
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
    ("migrate", "sched_setaffinity(2): the woken thread moves itself", Wakes::By(WakeMethod::Migrate)),
    ("push", "A more urgent thread, so that the scheduler moves the woken one", Wakes::By(WakeMethod::Push)),
    ("all", "All calls that wake, one after the other", Wakes::ByEach),
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
        let request = WakeupRequest {
            method: WakeMethod::Futex,
            inherit: self.inherit,
            waker_cpu: self.waker_cpu,
            waker_priority: self.waker_priority,
            cpus: self.measuring.cpus,
            period: self.period,
            plan: self.measuring.plan(self.count, self.period, &self.loads),
            guest: self.guest,
        };
        match self.method {
            Wakes::By(method) => {
                let request = WakeupRequest { method, ..request };
                self.outlet.measure(Instrument::Wakeup(Box::new(request)), requirement)
            }
            Wakes::ByEach => self.outlet.measure_in_turn(request.by_each_method(), requirement),
        }
    }
}
