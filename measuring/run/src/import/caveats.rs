//! The caveats that importing can find, each with its figures; docs/caveats.md explains them under "Imported runs".

use crate::{Caveat, Severity};
use Severity::{Fatal, High, Info, Medium};
use std::ops::RangeInclusive;

const STATED_FIGURES_DISAGREE: &str = "stated-figures-disagree";

pub(super) fn setitimer_label() -> Caveat {
    Caveat::new(
        "setitimer-label",
        Medium,
        "the file is labelled setitimer, and cyclictest's signal mode is a POSIX timer (timer_create and sigwait); \
         setitimer(2) needed --system alone in rt-tests 0.84 and is unreachable since 2.0",
        "read it as posix-timer; measure setitimer(2) itself with `prazo measure timer --method setitimer`",
    )
}

/// What a `T:` line says against the histogram: its cycles, the histogram's samples, and the two means in microseconds.
pub(super) struct ThreadLineDisagrees {
    pub cycles: u64,
    pub samples: u64,
    pub mean_us_per_sample: f64,
    pub mean_us_per_cycle: f64,
    pub mean_us_stated: Option<f64>,
}

pub(super) fn thread_line_disagrees(found: &ThreadLineDisagrees) -> Caveat {
    let ThreadLineDisagrees { cycles, samples, mean_us_per_sample, mean_us_per_cycle, mean_us_stated } = found;
    let stated = mean_us_stated.map_or(String::new(), |mean| format!(", and the file states {mean}"));
    Caveat::new(
        "xenomai-thread-line-disagrees",
        High,
        format!(
            "the thread line counts {cycles} cycles and the histogram holds {samples} samples; the samples' sum over the \
             samples is {mean_us_per_sample:.3} us, over the cycles {mean_us_per_cycle:.3} us{stated}"
        ),
        "trust the histogram and the mean recomputed from it, not the file's own mean",
    )
}

/// How many activations the source jumped over without counting them; `None` where it does not tell.
pub(super) fn skipped_not_counted(skipped: Option<u64>, how: &str) -> Caveat {
    let (severity, what) = match skipped {
        Some(skipped) => (High, format!("{skipped} activations are missing ({how}); they would be the latest ones")),
        None => (Medium, format!("the tool jumps over activations when it is late and does not count them ({how})")),
    };
    Caveat::new(
        "skipped-not-counted",
        severity,
        what,
        "read its percentiles per served wake-up; for a deadline, measure with prazo or jitterdebugger, which count them",
    )
}

pub(super) fn relative_sleep_drifts(short: Option<u64>) -> Caveat {
    let amount = match short {
        Some(short) => format!(": {short} activations fewer than periods in the run's length"),
        None => String::new(),
    };
    Caveat::new(
        "relative-sleep-drifts",
        Medium,
        format!(
            "each sleep starts when the last one ended, so the activations drift and none is ever due twice{amount}"
        ),
        "do not compare its tail with that of an absolute timer",
    )
}

/// Samples beyond a histogram: how many, from where on, the largest, and in how many runs of consecutive cycles they came.
pub(super) struct Overflow {
    pub count: u64,
    pub above: String,
    pub max: Option<String>,
    pub bursts: Option<usize>,
}

pub(super) fn overflow_without_values(found: &Overflow) -> Caveat {
    let max = found.max.as_ref().map_or(String::new(), |max| format!(", the largest {max}"));
    let bursts = found.bursts.map_or(String::new(), |bursts| format!("; bursts of consecutive cycles: {bursts}"));
    Caveat::new(
        "overflow-without-values",
        High,
        format!("{} samples lie at or above {} and have no value{max}{bursts}", found.count, found.above),
        "read the mean as a lower bound and no quantile inside them; measure with a higher bound",
    )
}

pub(super) fn gravity() -> Caveat {
    Caveat::new(
        "gravity",
        Medium,
        "the real-time core programs its timer early by a calibrated gravity, so that latencies can be negative",
        "compare maxima with Linux if at all, never minima or means",
    )
}

pub(super) fn mean_truncated(unit: &str) -> Caveat {
    Caveat::new(
        "mean-truncated",
        Info,
        format!("the file's own mean is cut to whole {unit}"),
        "use the mean recomputed from the histogram",
    )
}

pub(super) fn jitterdebugger_drops(dropped: u64) -> Caveat {
    Caveat::new(
        "jitterdebugger-drops-from-1ms",
        High,
        format!("jitterdebugger dropped {dropped} samples of 1 ms and more; they are counted as overflow"),
        "use its raw samples (-s), which hold every value",
    )
}

pub(super) fn garbage_refused(what: &str) -> Caveat {
    Caveat::new(
        "cyclictest-garbage-refused",
        High,
        format!("figures that no measurement can have were refused: {what}"),
        "repeat the run; the tool's arithmetic went wrong and its other figures may have too",
    )
}

pub(super) fn iterations_not_activations(what: &str) -> Caveat {
    Caveat::new(
        "iterations-not-activations",
        Medium,
        format!("the counts are {what}, not activations"),
        "never mix them with wake-up latencies; no quantile of them is one of activations",
    )
}

pub(super) fn mode_switches(count: u64) -> Caveat {
    Caveat::new(
        "mode-switches",
        Fatal,
        format!("the measuring thread fell back to Linux {count} times, so that some samples are Linux's latencies"),
        "find the system call that causes it (latency -b breaks there) and repeat the run",
    )
}

pub(super) fn overruns(count: u64) -> Caveat {
    Caveat::new(
        "overruns",
        High,
        format!("{count} periods were overrun: those activations were jumped over, and have no sample"),
        "read the figures per served wake-up; lengthen the period or find the cause",
    )
}

pub(super) fn run_ended_early(what: &str) -> Caveat {
    Caveat::new(
        "run-ended-early",
        Medium,
        format!("the run did not last as long as planned: {what}"),
        "compare its maximum only with runs of the same number of samples",
    )
}

pub(super) fn no_histogram() -> Caveat {
    Caveat::new(
        "no-histogram",
        Medium,
        "the file states a minimum, a mean and a maximum, and no distribution",
        "repeat the run with a histogram; no quantile and no miss rate can be had from this file",
    )
}

pub(super) fn bucket_width_inferred(width: &str) -> Caveat {
    Caveat::new(
        "bucket-width-inferred",
        Info,
        format!("the file does not state the width of its buckets; {width} fits the values that it lists"),
        "give the resolution on import if you know it; values are the lower edges of their buckets",
    )
}

pub(super) fn unit_assumed(unit: &str) -> Caveat {
    Caveat::new(
        "unit-assumed",
        Info,
        format!("the file does not state its unit; {unit} was assumed"),
        "give the resolution on import if the tool counted in another unit (-N is nanoseconds)",
    )
}

pub(super) fn rounded_up() -> Caveat {
    Caveat::new(
        "values-rounded-up",
        Info,
        "oslat rounds every gap up to the next microsecond, so that 1 us stands for anything below",
        "do not compare its small values with those of tools that round down",
    )
}

pub(super) fn lines_not_read(count: u64) -> Caveat {
    Caveat::new(
        "lines-not-read",
        Info,
        format!("{count} lines that are no part of the format were passed over"),
        "look at them in the original if you miss something",
    )
}

pub(super) fn sign_folded() -> Caveat {
    Caveat::new(
        "sign-folded",
        High,
        "the tool's histogram has no cells below zero, and the file states a negative minimum: negative values stand in \
         it as positive ones or as zero",
        "trust the stated minimum, mean and maximum; the histogram's lower end is an artefact",
    )
}

pub(super) fn stated_figures_disagree(what: &str) -> Caveat {
    Caveat::new(
        STATED_FIGURES_DISAGREE,
        High,
        format!("the file's own figures do not follow from its histogram: {what}"),
        "trust the figures recomputed from the histogram, and find out which of the two is wrong",
    )
}

/// Cells of a width that the figures rule out: of the width that was said, or of the tool's default.
pub(super) fn cells_do_not_fit(said_ns: Option<u64>, fits: &RangeInclusive<u64>) -> Caveat {
    let fitting = match fits.is_empty() {
        true => "no width fits them".to_owned(),
        false => format!("widths from {} to {} ns fit them", fits.start(), fits.end()),
    };
    match said_ns {
        Some(said_ns) => stated_figures_disagree(&format!("its cells are said to be {said_ns} ns wide, and {fitting}")),
        None => Caveat::new(
            STATED_FIGURES_DISAGREE,
            High,
            format!(
                "the file does not say how wide its cells are: 1 us, the default of `latency -B`, does not fit its \
                 minimum, mean and maximum; {fitting}; its histogram was left out"
            ),
            "import it again with --resolution and the width that was given to `latency -B`",
        ),
    }
}

pub(super) fn maximum_latency_exceeded() -> Caveat {
    Caveat::new(
        "maximum-latency-exceeded",
        Medium,
        "the tool ended the run because a latency exceeded its limit (`latency -m`)",
        "read the maximum as the first latency beyond the limit; later ones might have been larger",
    )
}

pub(super) fn samples_missing(count: u64, how: &str) -> Caveat {
    Caveat::new(
        "samples-missing",
        High,
        format!("{count} samples were taken and are not in the file ({how})"),
        "use the tool's histogram, which drops none",
    )
}

pub(super) fn spikes_listed(count: usize, values: &str) -> Caveat {
    Caveat::new(
        "spikes-listed",
        Info,
        format!("the file lists {count} samples above its threshold: {values}"),
        "they are the tail without the body: no distribution can be made of them",
    )
}

pub(super) fn thread_without_samples(thread: u64) -> Caveat {
    Caveat::new(
        "thread-without-samples",
        High,
        format!("thread {thread} never woke up while the others ran"),
        "find out what kept it from running: its processor may be starved or offline, and the run shows nothing of it",
    )
}

pub(super) fn processor_unknown(threads: usize) -> Caveat {
    Caveat::new(
        "processor-unknown",
        Info,
        format!("the file numbers its {threads} threads and does not say on which processors they ran"),
        "use the tool's JSON, which does",
    )
}

pub(super) fn cpu_not_isolated() -> Caveat {
    Caveat::new(
        "cpu-not-isolated",
        Info,
        "latmus ran on a processor that is not isolated",
        "isolate a processor (isolcpus=, evl.oobcpus=) if the system under test will",
    )
}

pub(super) fn c_state_claim() -> Caveat {
    Caveat::new(
        "c-state-claim",
        Info,
        "latmus prints that C-states are restricted also where the write to /dev/cpu_dma_latency had no effect",
        "check the processor's idle states on the machine itself",
    )
}

#[cfg(test)]
mod tests {
    /// The ids of this file, by its own text.
    fn ids() -> Vec<&'static str> {
        let ids = include_str!("caveats.rs").split("Caveat::new(\n        \"").skip(1);
        ids.map(|rest| rest.split('"').next().unwrap()).chain([super::STATED_FIGURES_DISAGREE]).collect()
    }

    #[test]
    fn every_caveat_is_documented_and_every_documented_one_exists() {
        let page = include_str!("../../../../docs/caveats.md");
        let section = page.split("\n## Imported runs").nth(1).unwrap().split("\n## ").next().unwrap();
        let documented: Vec<_> =
            section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
        let (mut ids, mut documented) = (ids(), documented);
        ids.sort_unstable();
        documented.sort_unstable();
        assert_eq!(ids, documented);
    }
}
