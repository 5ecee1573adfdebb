//! A made-up source of latencies, for tests and for sizing: quick, seeded, and shaped like a real run.
//!
//! A body of a few microseconds, a tail that halves every 1.5 us, rare stalls of up to a hundred milliseconds, and a slow
//! alternation every thirty seconds as a load would cause. A wake-up later than a period skips activations, counted.
//! Whatever is made of it carries [`Origin::Synthetic`].

use prazo_core::time::Duration;
use prazo_run::caveat::Caveat;
use prazo_run::plan::{Length, Plan, Policy, ThreadPlan};
use prazo_run::run::{Origin, Quantity};
use prazo_run::source::Source;
use prazo_run::store::{Opening, Sample, SeriesOpening, SeriesSecond};

/// Latencies of one series.
#[derive(Clone, Debug)]
pub(crate) struct Synthetic {
    series: usize,
    state: u64,
    period_ns: i64,
    deadline_ns: i64,
    warm_up_s: u32,
    /// The number of the next activation.
    pub(crate) next: u64,
}

/// The shape of a synthetic run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Activations a second of each series, 1 to 1,000,000.
    pub hz: u32,
    /// How many processors, one series each.
    pub cpus: u32,
    /// How many seconds.
    pub seconds: u32,
    /// Seconds of warm-up at the beginning.
    pub warm_up_s: u32,
    /// Keep every sample.
    pub raw: bool,
}

impl Shape {
    fn period(self) -> Duration {
        Duration::from_ns(1_000_000_000 / u64::from(self.hz))
    }

    /// The plan of such a run; its deadline is one period.
    pub(crate) fn plan(self) -> Plan {
        let threads = (0..self.cpus).map(|cpu| ThreadPlan { cpu, period: self.period(), phase: Duration::ZERO });
        let length = Length::Duration { length: Duration::from_s(u64::from(self.seconds)) };
        Plan {
            warm_up: Duration::from_s(u64::from(self.warm_up_s)),
            deadline: Some(self.period()),
            raw: self.raw,
            hold_dma_latency: false,
            histogram_bound: Duration::from_ms(10),
            seed: 0,
            ..Plan::new(Source::Timer, Policy::Fifo { priority: 95 }, threads.collect(), length)
        }
    }

    /// What a writer wants to know before the first sample.
    pub(crate) fn opening(self, caveats: Vec<Caveat>) -> Opening {
        let series = |cpu| SeriesOpening {
            cpu: Some(cpu),
            quantity: Quantity::ResponseLatency,
            period: Some(self.period()),
            resolution: Duration::from_ns(1),
            part_of: None,
        };
        Opening {
            name: String::new(),
            origin: Origin::Synthetic,
            plan: self.plan(),
            command: format!("synthetic --hz {} --cpus {} --seconds {}", self.hz, self.cpus, self.seconds),
            started_at_unix_ns: None,
            platform_before: None,
            tunables: Vec::new(),
            caveats,
            series: (0..self.cpus).map(series).collect(),
            split_by: None,
        }
    }

    /// One source for each series.
    pub(crate) fn sources(self, seed: u64) -> Vec<Synthetic> {
        let period_ns = self.period().as_ns() as i64;
        let source = |series: usize| Synthetic {
            series,
            state: seed.wrapping_add(series as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            period_ns,
            deadline_ns: period_ns,
            warm_up_s: self.warm_up_s,
            next: 0,
        };
        (0..self.cpus as usize).map(source).collect()
    }
}

impl Synthetic {
    /// The activations due in second `at_s`; seconds are asked for in order.
    pub(crate) fn second(&mut self, at_s: u32) -> SeriesSecond {
        let mut second = SeriesSecond { series: self.series, at_s, ..SeriesSecond::default() };
        second.warm_up = at_s < self.warm_up_s;
        let end_ns = (i64::from(at_s) + 1) * 1_000_000_000;
        while self.next as i64 * self.period_ns < end_ns {
            let latency_ns = self.latency_ns(at_s);
            second.samples.push(Sample {
                activation: self.next,
                due_ns: self.next as i64 * self.period_ns,
                latency_ns,
            });
            let skipped = (latency_ns / self.period_ns) as u64;
            second.skipped += skipped;
            second.missed += u64::from(latency_ns > self.deadline_ns);
            self.next += 1 + skipped;
        }
        second
    }

    fn latency_ns(&mut self, at_s: u32) -> i64 {
        let random = self.random();
        let halvings = random.leading_zeros().min(40);
        let load = i64::from(at_s / 30 % 2) * 1_500;
        let stall = if halvings < 12 { 0 } else { 3_000i64 << (halvings - 12).min(15) };
        2_000 + load + i64::from(halvings) * 1_500 + (random & 0xfff) as i64 / 2 + stall
    }

    /// The splitmix64 generator (Steele, Lea, Flood 2014).
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
