//! The caveats that importing can find, each with its figures; docs/caveats.md explains them under "Imported runs".

use crate::{Caveat, Severity};
use Severity::{Fatal, High, Info, Medium};
use prazo_core::text::counted;
use std::ops::RangeInclusive;

const STATED_FIGURES_DISAGREE: &str = "stated-figures-disagree";

pub(super) fn setitimer_label() -> Caveat {
    Caveat::new(
        "setitimer-label",
        Medium,
        "the file is labelled setitimer, but cyclictest's signal mode uses a POSIX timer (timer_create and sigwait); \
         rt-tests 0.84 used setitimer(2) only with --system, and 2.0 and later never use it",
        "treat the file as posix-timer; measure setitimer(2) itself with `prazo measure timer --method setitimer`",
    )
}

pub(super) fn feather_trace_discards() -> Caveat {
    Caveat::new(
        "feather-trace-discards",
        Medium,
        "ft2csv discarded pairs of stamps that an interrupt disturbed or that were incomplete, and the file does not say \
         how many",
        "compare the counts that ft2csv printed on standard error, and treat the maxima as maxima of undisturbed pairs",
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
    let stated = mean_us_stated.map_or(String::new(), |mean| format!(", and the file states {mean} µs"));
    Caveat::new(
        "xenomai-thread-line-disagrees",
        High,
        format!(
            "the thread line counts {}, but the histogram has {}; the mean is {mean_us_per_sample:.3} µs over the \
             samples, but {mean_us_per_cycle:.3} µs over the cycles{stated}",
            counted(*cycles, "cycle"),
            counted(*samples, "sample")
        ),
        "use the histogram and the mean recomputed from it, not the file's own mean",
    )
}

/// How many activations the source jumped over without counting them; `None` where it does not tell.
pub(super) fn skipped_not_counted(skipped: Option<u64>, how: &str) -> Caveat {
    let (severity, what) = match skipped {
        Some(skipped) => {
            let skipped = counted(skipped, "activation");
            (High, format!("the tool skipped {skipped} ({how}); skipped activations are the most delayed ones"))
        }
        None => (Medium, format!("the tool skips activations when it is late and does not count them ({how})")),
    };
    Caveat::new(
        "skipped-not-counted",
        severity,
        what,
        "the tool's percentiles are per served wake-up; to judge a deadline, measure with prazo, which counts \
         skipped activations",
    )
}

pub(super) fn relative_sleep_drifts(short: Option<u64>) -> Caveat {
    let amount = match short {
        Some(short) => {
            format!("; the run has {} fewer than the number of periods in its duration", counted(short, "activation"))
        }
        None => String::new(),
    };
    Caveat::new(
        "relative-sleep-drifts",
        Medium,
        format!(
            "the sleeps are relative: each starts when the previous one ended, so activations drift, and a late \
             activation delays all later activations{amount}"
        ),
        "do not compare the tail of this distribution with that of a timer with absolute instants",
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
    let bursts = found.bursts.map_or(String::new(), |bursts| {
        format!("; they came in {} of consecutive cycles", counted(bursts as u64, "burst"))
    });
    Caveat::new(
        "overflow-without-values",
        High,
        format!(
            "the histogram counts samples above its bound without their values: {} at or above {}{max}{bursts}",
            counted(found.count, "sample"),
            found.above
        ),
        "treat the mean as a lower bound and do not use quantiles that fall among these samples; measure with a larger \
         histogram",
    )
}

pub(super) fn gravity() -> Caveat {
    Caveat::new(
        "gravity",
        Medium,
        "the real-time core programs its timer early by a calibrated time (gravity), so latencies can be negative",
        "compare only maxima with those of Linux, not minima or means",
    )
}

pub(super) fn mean_truncated(unit: &str) -> Caveat {
    Caveat::new(
        "mean-truncated",
        Info,
        format!("the file's own mean is truncated to whole {unit}"),
        "use the mean recomputed from the histogram, if the file has a histogram",
    )
}

pub(super) fn jitterdebugger_drops(dropped: u64) -> Caveat {
    Caveat::new(
        "jitterdebugger-drops-from-1ms",
        High,
        format!("jitterdebugger dropped {} of 1 ms or more; prazo counts each as overflow", counted(dropped, "sample")),
        "use jitterdebugger's raw samples (-s), which contain every value",
    )
}

pub(super) fn garbage_refused(what: &str) -> Caveat {
    Caveat::new(
        "cyclictest-garbage-refused",
        High,
        format!("impossible values were rejected: {what}"),
        "repeat the run; the tool's arithmetic failed, and its other figures may be wrong too",
    )
}

pub(super) fn iterations_not_activations(what: &str) -> Caveat {
    Caveat::new(
        "iterations-not-activations",
        Medium,
        format!("the counts are {what}, not activations"),
        "do not compare this distribution with wake-up latencies; its quantiles are not quantiles of activations",
    )
}

pub(super) fn mode_switches(count: u64) -> Caveat {
    Caveat::new(
        "mode-switches",
        Fatal,
        format!(
            "the measuring thread switched to Linux {}, so some samples are latencies of Linux",
            counted(count, "time")
        ),
        "find the system call that causes the switch (`latency -b` of Xenomai 3 stops there) and repeat the run",
    )
}

pub(super) fn overruns(count: u64) -> Caveat {
    Caveat::new(
        "overruns",
        High,
        format!(
            "the tool overran {}; the activation of an overrun period is skipped and has no sample",
            counted(count, "period")
        ),
        "the tool's figures are per served wake-up; give a longer period or find the cause of the overruns",
    )
}

pub(super) fn run_ended_early(what: &str) -> Caveat {
    Caveat::new(
        "run-ended-early",
        Medium,
        format!("the run was shorter than planned: {what}"),
        "compare this run's maximum only with maxima of runs with as many samples",
    )
}

pub(super) fn no_histogram() -> Caveat {
    Caveat::new(
        "no-histogram",
        Medium,
        "the file has a minimum and a maximum, but no distribution",
        "repeat the run with a histogram; this file gives no quantile and no miss rate",
    )
}

pub(super) fn bucket_width_inferred(width: &str) -> Caveat {
    Caveat::new(
        "bucket-width-inferred",
        Info,
        format!(
            "the file does not state the width of its buckets; prazo assumed {width}, which fits the listed values"
        ),
        "give --resolution on import if you know the width; values are the lower edges of their buckets",
    )
}

pub(super) fn unit_assumed(unit: &str) -> Caveat {
    Caveat::new(
        "unit-assumed",
        Info,
        format!("the file does not state its unit; prazo assumed {unit}"),
        "give --resolution on import if the tool used another unit (-N means ns)",
    )
}

pub(super) fn rounded_up() -> Caveat {
    Caveat::new(
        "values-rounded-up",
        Info,
        "oslat rounds every gap up to whole µs, so 1 µs means at most 1 µs",
        "do not compare small values of oslat with those of tools that round down",
    )
}

pub(super) fn values_rounded_down(width: &str) -> Caveat {
    Caveat::new(
        "values-rounded-down",
        Info,
        format!(
            "each sample is represented by the lower edge of its histogram cell, so values, mean and quantiles are up \
             to {width} too small"
        ),
        "to compare means, use the tool's own mean, which is exact; for finer cells, give `latency` of \
         Xenomai 3 a smaller width with -B",
    )
}

pub(super) fn last_second_not_stated(count: u64) -> Caveat {
    Caveat::new(
        "last-second-not-stated",
        Info,
        format!(
            "the figures in the tool's last line exclude the last, incomplete second, which has {} below the minimum \
             or above the maximum of that line",
            counted(count, "sample")
        ),
        "use the figures recomputed from the histogram, which has every sample",
    )
}

pub(super) fn lines_not_read(count: u64) -> Caveat {
    Caveat::new(
        "lines-not-read",
        Info,
        format!("prazo ignored {} that the format does not define", counted(count, "line")),
        "if a figure is missing, look at these lines in the original file",
    )
}

pub(super) fn sign_folded() -> Caveat {
    Caveat::new(
        "sign-folded",
        High,
        "the file states a negative minimum, but the tool's histogram has no cells below zero; the histogram contains \
         negative values as positive values or as zero",
        "use the stated minimum, mean and maximum; the lower end of the histogram is an artefact",
    )
}

pub(super) fn stated_figures_disagree(what: &str) -> Caveat {
    Caveat::new(
        STATED_FIGURES_DISAGREE,
        High,
        format!("the file's own figures disagree with its histogram: {what}"),
        "use the figures recomputed from the histogram, and find out which of the two is wrong",
    )
}

/// Cells of a width that the figures rule out: of the width that was said, or of the tool's default.
pub(super) fn cells_do_not_fit(said_ns: Option<u64>, fits: &RangeInclusive<u64>) -> Caveat {
    let fitting = match fits.is_empty() {
        true => "no cell width fits the stated figures".to_owned(),
        false => format!("only cell widths from {} to {} ns fit the stated figures", fits.start(), fits.end()),
    };
    let what = match said_ns {
        Some(said_ns) => format!("a cell width of {said_ns} ns was given, but {fitting}"),
        None => format!(
            "the histogram was ignored, because the file does not state the width of the cells: 1 µs, the default of \
             `latency -B`, does not fit the stated minimum, mean and maximum; {fitting}"
        ),
    };
    let remedy = "import the file again with --resolution and the width that was given to `latency -B`";
    Caveat::new(STATED_FIGURES_DISAGREE, High, what, remedy)
}

pub(super) fn maximum_latency_exceeded() -> Caveat {
    Caveat::new(
        "maximum-latency-exceeded",
        Medium,
        "the tool ended the run because a latency exceeded its limit (`latency -m`)",
        "the maximum is the first latency above the limit; without the limit, larger latencies could have followed",
    )
}

pub(super) fn samples_missing(count: u64, how: &str) -> Caveat {
    Caveat::new(
        "samples-missing",
        High,
        format!("the file lacks {} ({how})", counted(count, "measured sample")),
        "use a histogram of cyclictest (-h), which contains every sample",
    )
}

pub(super) fn spikes_listed(count: usize, values: &str) -> Caveat {
    Caveat::new(
        "spikes-listed",
        Info,
        format!("the file lists {} above the tool's threshold for spikes: {values}", counted(count as u64, "sample")),
        "do not derive a distribution from these samples; they are only its tail",
    )
}

pub(super) fn thread_without_samples(thread: u64) -> Caveat {
    Caveat::new(
        "thread-without-samples",
        High,
        format!("thread {thread} never woke up during the run"),
        "find out why the thread did not run (its processor may be overloaded or offline); the run contains no data of \
         that thread",
    )
}

pub(super) fn processor_unknown(threads: usize) -> Caveat {
    Caveat::new(
        "processor-unknown",
        Info,
        format!("the file does not state on which processors its {} ran", counted(threads as u64, "thread")),
        "import the tool's JSON output, which states the processors",
    )
}

pub(super) fn cpu_not_isolated() -> Caveat {
    Caveat::new(
        "cpu-not-isolated",
        Info,
        "latmus ran on a processor that is not isolated",
        "if the final system will have isolated processors, isolate a processor (isolcpus=, evl.oobcpus=) and \
         repeat the run",
    )
}

pub(super) fn c_state_claim() -> Caveat {
    Caveat::new(
        "c-state-claim",
        Info,
        "latmus reports restricted C-states even if the write to /dev/cpu_dma_latency had no effect",
        "check on the machine itself which idle states the processor enters",
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
