//! `cargo xtask bench-probe`: what the timer probe costs next to cyclictest, on the same processor in interleaved pairs.
//!
//! Both programs are watched the same way: while they measure, the measuring thread's processor time (`schedstat`) and its
//! voluntary switches are read twice from /proc, so that start-up and end do not count. The unit of replication is the run;
//! figures are medians over pairs in ABBA order, and the pairs are printed too.

mod contestant;
mod watch;

use contestant::{Contestant, Settings};
use prazo_stats::repeats::middle;
use std::fmt::Write;

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Pairs of runs; the order within them alternates (ABBA)
    #[arg(long, default_value_t = 10)]
    pairs: usize,
    /// Activations of each run
    #[arg(long, default_value_t = 50_000)]
    loops: u64,
    /// Period in microseconds
    #[arg(long, default_value_t = 200)]
    period_us: u64,
    /// The processor that both measure on
    #[arg(long, default_value_t = 1)]
    cpu: u32,
    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,
}

/// What one run showed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    /// Processor time of the measuring thread for each activation, in nanoseconds.
    pub cpu_ns_per_activation: f64,
    /// Voluntary switches of the measuring thread for each activation.
    pub switches_per_activation: f64,
    /// Minor and major faults of the process while it was watched.
    pub faults: u64,
    /// Median latency in nanoseconds.
    pub median_ns: f64,
    /// Smallest latency in nanoseconds.
    pub min_ns: f64,
}

/// One pair: prazo and cyclictest, run one after the other.
struct Pair {
    prazo: Figures,
    cyclictest: Figures,
}

impl Args {
    /// Runs the pairs and prints what they show.
    pub(crate) fn run(self) -> Result<(), String> {
        let settings = Settings { loops: self.loops, period_us: self.period_us, cpu: self.cpu };
        let pairs = (0..self.pairs).map(|number| one_pair(number, settings)).collect::<Result<Vec<_>, _>>()?;
        println!("{}", if self.json { json(&pairs, settings) } else { table(&pairs, settings) });
        Ok(())
    }
}

/// A B, then B A, and so on: a drift of the machine falls on both alike.
fn one_pair(number: usize, settings: Settings) -> Result<Pair, String> {
    eprintln!("pair {}", number + 1);
    if number.is_multiple_of(2) {
        let prazo = Contestant::Prazo.measure(settings)?;
        Ok(Pair { prazo, cyclictest: Contestant::Cyclictest.measure(settings)? })
    } else {
        let cyclictest = Contestant::Cyclictest.measure(settings)?;
        Ok(Pair { prazo: Contestant::Prazo.measure(settings)?, cyclictest })
    }
}

fn over(pairs: &[Pair], figure: impl Fn(&Pair) -> f64) -> f64 {
    let each: Vec<f64> = pairs.iter().map(figure).collect();
    middle(&each).expect("there is a pair")
}

fn cpu_ratio(pairs: &[Pair]) -> f64 {
    over(pairs, |pair| pair.prazo.cpu_ns_per_activation / pair.cyclictest.cpu_ns_per_activation)
}

fn median_difference_ns(pairs: &[Pair]) -> f64 {
    over(pairs, |pair| pair.prazo.median_ns - pair.cyclictest.median_ns)
}

fn table(pairs: &[Pair], settings: Settings) -> String {
    let mut text = format!(
        "{} pairs, {} activations each, {} us, SCHED_FIFO 95, processor {}\n\n\
         pair        processor time/activation ns     median latency us       switches/activation   faults\n\
         {:18}prazo  cyclictest        prazo  cyclictest      prazo  cyclictest\n",
        pairs.len(),
        settings.loops,
        settings.period_us,
        settings.cpu,
        ""
    );
    for (number, Pair { prazo, cyclictest }) in pairs.iter().enumerate() {
        let _ = writeln!(
            text,
            "{:>4}{:>19.0}{:>12.0}{:>13.2}{:>12.2}{:>11.4}{:>12.4}{:>7}/{}",
            number + 1,
            prazo.cpu_ns_per_activation,
            cyclictest.cpu_ns_per_activation,
            prazo.median_ns / 1e3,
            cyclictest.median_ns / 1e3,
            prazo.switches_per_activation,
            cyclictest.switches_per_activation,
            prazo.faults,
            cyclictest.faults
        );
    }
    let _ = write!(
        text,
        "\nmedian of paired ratios, processor time: {:.4} (wanted: at most 1.05)\n\
         median of paired differences, median latency: {:+.3} us (wanted: within 5 % or 1 us)\n\
         median of paired differences, smallest latency: {:+.3} us",
        cpu_ratio(pairs),
        median_difference_ns(pairs) / 1e3,
        over(pairs, |pair| pair.prazo.min_ns - pair.cyclictest.min_ns) / 1e3
    );
    text
}

fn json(pairs: &[Pair], settings: Settings) -> String {
    let figures = |f: &Figures| {
        serde_json::json!({
            "cpu_ns_per_activation": f.cpu_ns_per_activation, "switches_per_activation": f.switches_per_activation,
            "faults": f.faults, "median_ns": f.median_ns, "min_ns": f.min_ns,
        })
    };
    let rows: Vec<_> = pairs
        .iter()
        .map(|pair| serde_json::json!({ "prazo": figures(&pair.prazo), "cyclictest": figures(&pair.cyclictest) }))
        .collect();
    serde_json::json!({
        "loops": settings.loops, "period_us": settings.period_us, "cpu": settings.cpu,
        "cpu_time_ratio_median": cpu_ratio(pairs), "median_difference_ns": median_difference_ns(pairs), "pairs": rows,
    })
    .to_string()
}
