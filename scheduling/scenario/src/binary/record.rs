//! One task of a table: its fields, their places among 64 bytes, and what each may be.

use super::fault::Fault;
use super::{LONGEST, RECORD, SHORTEST_PERIOD, bytes_at};
use core::num::NonZero;
use prazo_core::overrun::OverrunPolicy;
use prazo_core::time::Duration;

/// One task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskRecord {
    /// Processor time that each of its jobs takes.
    pub cost: Duration,
    /// Distance of two arrivals.
    pub period: Duration,
    /// Counted from the arrival.
    pub relative_deadline: Duration,
    /// The first arrival, counted from the beginning of the run.
    pub offset: Duration,
    /// How many jobs arrive; `None` for no end.
    pub jobs: Option<NonZero<u64>>,
    /// The server that keeps its demand from other tasks.
    pub server: Option<ServerTimes>,
    /// 0 is the most urgent, where the criterion has nothing else to go by.
    pub priority: u32,
    /// The queue it belongs to.
    pub queue: u16,
    /// What becomes of a job whose deadline passes.
    pub overrun: OverrunPolicy,
}

/// Q in every P.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerTimes {
    /// Q.
    pub budget: Duration,
    /// P.
    pub period: Duration,
}

/// The policy's number in a record. A match, so that the compiler asks for the number of a new one.
const fn number(policy: OverrunPolicy) -> u8 {
    match policy {
        OverrunPolicy::Continue => 0,
        OverrunPolicy::Abort => 1,
        OverrunPolicy::SkipNext => 2,
    }
}

impl TaskRecord {
    /// The record as it stands in a table.
    pub fn to_bytes(&self) -> [u8; RECORD] {
        let [budget, period] = self.server.map_or([0; 2], |server| [server.budget, server.period].map(Duration::as_ns));
        let [cost, distance, deadline, offset] =
            [self.cost, self.period, self.relative_deadline, self.offset].map(Duration::as_ns);
        let numbers = [cost, distance, deadline, offset, self.jobs.map_or(0, NonZero::get), budget, period];
        let mut bytes = [0; RECORD];
        for (place, number) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(numbers) {
            *place = number.to_le_bytes();
        }
        bytes[56..60].copy_from_slice(&self.priority.to_le_bytes());
        bytes[60..62].copy_from_slice(&self.queue.to_le_bytes());
        bytes[62] = number(self.overrun);
        bytes
    }

    /// Reads 64 bytes, every field checked, for a table of `queues` queues.
    pub(super) fn read(bytes: &[u8], queues: u16) -> Result<Self, Fault> {
        let number = |place: usize| u64::from_le_bytes(bytes_at(bytes, 8 * place));
        let record = Self {
            cost: time("cost", number(0), 1)?,
            period: time("period", number(1), 1)?,
            relative_deadline: time("deadline", number(2), 1)?,
            offset: time("offset", number(3), 0)?,
            jobs: NonZero::new(number(4)),
            server: server(number(5), number(6))?,
            priority: u32::from_le_bytes(bytes_at(bytes, 56)),
            queue: u16::from_le_bytes(bytes_at(bytes, 60)),
            overrun: overrun(bytes[62])?,
        };
        if bytes[63] != 0 { Err(Fault::Reserved) } else { record.fits(queues) }
    }

    /// The record itself, if its fields go together.
    fn fits(self, queues: u16) -> Result<Self, Fault> {
        let Self { cost, period, queue, server, .. } = self;
        let periods = core::iter::once(period).chain(server.map(|server| server.period));
        if let Some(short) = periods.into_iter().find(|period| *period < SHORTEST_PERIOD) {
            return Err(Fault::Period(short.as_ns()));
        }
        if cost > period && server.is_none() {
            return Err(Fault::Cost { cost: cost.as_ns(), period: period.as_ns() });
        }
        if queue < queues { Ok(self) } else { Err(Fault::Queue { queue, queues }) }
    }
}

fn overrun(given: u8) -> Result<OverrunPolicy, Fault> {
    OverrunPolicy::VALUES.iter().copied().find(|policy| number(*policy) == given).ok_or(Fault::Overrun(given))
}

fn time(name: &'static str, ns: u64, least_ns: u64) -> Result<Duration, Fault> {
    let fits = (least_ns..=LONGEST.as_ns()).contains(&ns);
    if fits { Ok(Duration::from_ns(ns)) } else { Err(Fault::Time(name, ns)) }
}

/// Both zero: none. Else a budget that fits into its period.
fn server(budget: u64, period: u64) -> Result<Option<ServerTimes>, Fault> {
    if (budget, period) == (0, 0) {
        return Ok(None);
    }
    let fits = 0 < budget && budget <= period && period <= LONGEST.as_ns();
    let times = ServerTimes { budget: Duration::from_ns(budget), period: Duration::from_ns(period) };
    if fits { Ok(Some(times)) } else { Err(Fault::Server { budget, period }) }
}
