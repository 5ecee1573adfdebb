//! Runs of any shape, for tests that must hold for all of them.

use prazo_core::time::Duration;
use prazo_platform::fingerprint::{Fact, Fingerprint};
use prazo_platform::tunable::TunableRecord;
use prazo_run::jobs::{
    CriticalSection, Dispatch, Executions, JobRecord, LockProtocol, Releases, Reservation, SetPlan, SetRun, Stretch,
    TaskPlan,
};
use prazo_run::noise::{Observed, ObservedCpu};
use prazo_run::overheads::{Mark, Marked, Traced, TracedKind};
use prazo_run::plan::{Length, LoadPlan, Policy, Rhythm, ThreadPlan};
use prazo_run::run::{
    Activations, Block, Ending, LoadRecord, Origin, Quantity, Second, Series, StatedFigures, WorstSample,
};
use prazo_run::source::Source;
use prazo_run::split::{SampleExplanation, Share, Split, SplitCounts, Splitter, Taker, Unsplit};
use prazo_run::watched::{MissCauses, SeriesThread, WatchedAccount, WatchedFigures, WatchedWorst};
use prazo_run::workload::{WorkloadFigure, WorkloadRecord};
use prazo_run::{Caveat, Histogram, Plan, Run, Severity};
use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;

/// Any run that a file can hold; `name` is never empty.
pub(crate) fn any_run() -> impl Strategy<Value = Run> {
    let head = ("\\PC{1,12}", any_origin(), of(any_plan()), "\\PC{0,20}", of(any::<i64>()), of(any_duration()));
    let tail = (any_ending(), any_platform(), any_platform(), (of(any_duration()), of(any_duration())));
    let lists = (
        (vec(any_split_series(), 0..4), vec(any_set(), 0..3)),
        vec(any_load(), 0..3),
        vec(any_tunable(), 0..3),
        vec(any_caveat(), 0..3),
        (vec(any_workload(), 0..3), of(any_traced()), of(any_observed()), vec(any_watched(), 0..3)),
    );
    (head, tail, lists).prop_map(|(head, tail, lists)| {
        let (name, origin, plan, command, started_at_unix_ns, elapsed) = head;
        let (ending, platform_before, platform_after, (recorder_delay_max, probe_cost)) = tail;
        let ((series, sets), loads, tunables, caveats, (workloads, overheads, noise, watched)) = lists;
        Run {
            name,
            origin,
            plan,
            command,
            started_at_unix_ns,
            elapsed,
            ending,
            platform_before,
            platform_after,
            series,
            sets,
            loads,
            workloads,
            tunables,
            recorder_delay_max,
            probe_cost,
            caveats,
            overheads,
            noise,
            watched,
        }
    })
}

fn any_watched() -> impl Strategy<Value = WatchedAccount> {
    let worst = ("\\PC{1,12}", of("\\PC{0,12}"), "\\PC{0,30}", any::<i64>(), 0u64..1 << 40);
    let worst = worst.prop_map(|(cause, who, sentence, due_ns, response_ns)| WatchedWorst {
        cause,
        who,
        sentence,
        due_ns,
        response_ns,
        ..WatchedWorst::default()
    });
    let causes = of(btree_map("\\PC{1,12}", any::<u32>().prop_map(u64::from), 0..4));
    ("\\PC{0,12}", vec(worst, 0..4), causes, any::<u32>()).prop_map(|(name, worst, causes, count)| {
        let causes = causes.map(|by_cause| MissCauses { by_cause, unnamed: count.into(), ..MissCauses::default() });
        let figures = WatchedFigures { worst, causes, blocked_ns: count.into(), ..WatchedFigures::default() };
        WatchedAccount { thread: SeriesThread { name, ..SeriesThread::default() }, figures }
    })
}

fn any_set() -> impl Strategy<Value = SetRun> {
    let jobs = vec((of(0u64..1 << 40), of(0u64..1 << 40), 0u64..1 << 40, of(any::<bool>())), 0..5);
    (any_set_plan(), of("\\PC{1,20}"), jobs, 0u64..9).prop_map(|(plan, refused, jobs, stretches_lost)| {
        let job = |(number, (start_ns, completion_ns, executed_ns, overran))| {
            let stamps = JobRecord { start_ns, completion_ns, executed_ns, overran, ..JobRecord::default() };
            JobRecord { number, release_ns: 20 * number, preemptions: 2, migrations: 1, ..stamps }
        };
        let jobs: Vec<JobRecord> = (0u64..).zip(jobs).map(job).collect();
        let stretch = |job: &JobRecord| Stretch {
            task: 0,
            job: job.number,
            cpu: 1,
            from_ns: 20 * job.number,
            to_ns: 20 * job.number + 7,
            waited: job.number == 1,
        };
        let stretches = jobs.iter().map(stretch).collect();
        SetRun { plan, refused, observed_ns: 1_000, jobs, stretches, stretches_lost }
    })
}

fn any_set_plan() -> impl Strategy<Value = SetPlan> {
    ("\\PC{0,9}", any::<bool>(), vec(0u64..1 << 40, 0..3), 1u8..99).prop_map(|(name, is_fifo, ns, priority)| {
        let task = TaskPlan {
            name: name.clone(),
            cluster: 0,
            period_ns: 20,
            deadline_ns: 10,
            releases: if is_fifo { Releases::Grid { first_ns: 3 } } else { Releases::Listed { at_ns: ns.clone() } },
            executions: if is_fifo { Executions::Constant { ns: 3 } } else { Executions::Listed { ns } },
            reservation: (!is_fifo).then_some(Reservation { budget_ns: 5, deadline_ns: 9, period_ns: 20 }),
            priority: is_fifo.then_some(priority),
            sections: if is_fifo { vec![CriticalSection { lock: 0, from_ns: 1, to_ns: 2 }] } else { Vec::new() },
        };
        let dispatch = if is_fifo { Dispatch::Fifo } else { Dispatch::Deadline };
        let (length_ns, step_ns, spare_ns) = (100, 5, is_fifo.then_some(2));
        SetPlan {
            name,
            dispatch,
            clusters: vec![vec![0, 1]],
            tasks: vec![task],
            length_ns,
            step_ns,
            spare_ns,
            protocol: LockProtocol::Inherit,
        }
    })
}

fn any_duration() -> impl Strategy<Value = Duration> {
    (0u64..1_000_000_000_000_000).prop_map(Duration::from_ns)
}

fn any_origin() -> impl Strategy<Value = Origin> {
    prop_oneof![
        Just(Origin::Measured),
        Just(Origin::Synthetic),
        ("\\PC{0,9}", "\\PC{0,9}").prop_map(|(tool, file)| Origin::Imported { tool, file }),
    ]
}

fn any_ending() -> impl Strategy<Value = Ending> {
    prop_oneof![
        Just(Ending::Complete),
        Just(Ending::Interrupted),
        Just(Ending::Died),
        (0u32..4, any::<i64>()).prop_map(|(cpu, latency_ns)| Ending::Threshold { cpu, latency_ns }),
    ]
}

fn any_plan() -> impl Strategy<Value = Plan> {
    (1u32..1_000_000, 1u32..4, 0u32..100_000_000, any::<bool>(), of(any_duration()), of(-1e9..1e9)).prop_map(
        |(hz, cpus, seconds, raw, deadline, rate)| {
            let rhythm = Rhythm { cycle: Duration::from_s(30), on_min: Duration::ZERO, on_max: Duration::from_s(1) };
            let load = LoadPlan { name: "disk-read".into(), rate, rhythm: raw.then_some(rhythm) };
            let period = Duration::from_ns(1_000_000_000 / u64::from(hz));
            let threads = (0..cpus).map(|cpu| ThreadPlan { cpu, period, phase: Duration::ZERO }).collect();
            let length = Length::Duration { length: Duration::from_s(u64::from(seconds)) };
            let plan = Plan::new(Source::Timer, Policy::Fifo { priority: 95 }, threads, length);
            Plan { warm_up: Duration::from_s(1), deadline, loads: vec![load], raw, ..plan }
        },
    )
}

fn any_platform() -> impl Strategy<Value = Option<Fingerprint>> {
    let fact = (of("\\PC{0,9}"), "\\PC{0,9}").prop_map(|(value, source)| Fact { value, source });
    of(btree_map("\\PC{1,9}", fact, 1..4).prop_map(|facts| Fingerprint { facts }))
}

fn any_load() -> impl Strategy<Value = LoadRecord> {
    (of(-1e9..1e9), of(0.0..1e300), vec((-9e9..9e9, -9e9..9e9), 0..3), "\\PC{0,9}").prop_map(
        |(asked, reached, on_s, note)| LoadRecord {
            name: "udp-flood".into(),
            generator: "iperf3 3.12".into(),
            unit: "packets/s".into(),
            asked,
            reached,
            note,
            on_s,
            contained: "namespaces".into(),
        },
    )
}

fn any_workload() -> impl Strategy<Value = WorkloadRecord> {
    let value = of(0u64..1 << 63);
    let figure = ("[a-z_]{1,9}", value, of("\\PC{0,9}"), of("\\PC{0,9}"), of("\\PC{0,9}")).prop_map(
        |(name, value, source, leaves_out, reason)| WorkloadFigure { name, value, source, leaves_out, reason },
    );
    ("\\PC{0,9}", 0u64..1 << 63, "\\PC{0,9}", vec(figure, 0..4))
        .prop_map(|(name, size, unit, figures)| WorkloadRecord { name, size, unit, figures })
}

fn any_observed() -> impl Strategy<Value = Observed> {
    let counts = (any_count(), any_count(), 0u64..9, of(any_count()), of(any_count()));
    let cpu = (any::<u32>(), any_duration(), counts).prop_map(
        |(cpu, observed, (reads, windows, windows_missed, smis, stolen_ns))| ObservedCpu {
            cpu,
            observed,
            reads,
            read_ns: smis,
            windows,
            windows_missed,
            smis,
            stolen_ns,
        },
    );
    (vec(cpu, 0..3), of("\\PC{0,9}")).prop_map(|(cpus, smis_unknown)| Observed { cpus, smis_unknown })
}

fn any_traced() -> impl Strategy<Value = Traced> {
    let mark = prop_oneof![Just(Mark::Interrupted), Just(Mark::Migrated), Just(Mark::Incomplete)];
    let marked = (0u64..1 << 40, of(0u64..1 << 40)).prop_map(|(count, max_ns)| Marked { count, max_ns });
    let kind = ("\\PC{0,9}", of("\\PC{0,9}"), btree_map(mark, marked, 0..3), of(0u64..1 << 40)).prop_map(
        |(between, untraced, marked, stamp_ns)| {
            let quantity = Quantity::ReleaseOverhead;
            TracedKind { quantity, between, untraced, marked, stamp_ns }
        },
    );
    (any::<u32>(), 0u64..1 << 40, 0u64..1 << 40, vec(kind, 0..3)).prop_map(|(tasks, jobs_due, jobs_served, kinds)| {
        Traced { tasks, jobs_due, jobs_served, kinds, ..Traced::default() }
    })
}

fn any_tunable() -> impl Strategy<Value = TunableRecord> {
    ("\\PC{1,9}", of("\\PC{0,9}"), "\\PC{0,9}", of("\\PC{0,9}"), any::<bool>()).prop_map(
        |(knob, before, requested, effective, restored)| TunableRecord { knob, before, requested, effective, restored },
    )
}

fn any_caveat() -> impl Strategy<Value = Caveat> {
    let severity =
        prop_oneof![Just(Severity::Info), Just(Severity::Medium), Just(Severity::High), Just(Severity::Fatal)];
    ("[a-z-]{1,9}", severity, "\\PC{0,20}", "\\PC{0,20}")
        .prop_map(|(id, severity, what, remedy)| Caveat::new(&id, severity, what, remedy))
}

fn any_latency() -> impl Strategy<Value = i64> {
    prop_oneof![-5_000i64..50_000, -100_000_000_000_000_000i64..=100_000_000_000_000_000]
}

fn any_count() -> impl Strategy<Value = u64> {
    1u64..1_000_000_000_000
}

fn any_histogram() -> impl Strategy<Value = Histogram> {
    (btree_map(any_latency(), any_count(), 0..20), 0u64..1_000).prop_map(|(cells, overflow)| {
        let mut histogram = Histogram::new();
        cells.into_iter().for_each(|(latency_ns, count)| histogram.add(latency_ns, count));
        histogram.add_overflow(overflow);
        histogram
    })
}

fn any_series() -> impl Strategy<Value = Series> {
    let head = (of(0u32..64), any_quantity(), of(any_duration()), any_duration(), any_activations(), any_stated());
    let blocks = vec(
        (0u32..100_000, 0u32..100, any_histogram()).prop_map(|(from_s, length_s, histogram)| Block {
            from_s,
            length_s,
            histogram,
        }),
        0..4,
    );
    (head, any_histogram(), any_histogram(), any_timeline(), blocks, any_worst()).prop_map(
        |((cpu, quantity, period, resolution, activations, stated), histogram, warm_up, timeline, blocks, worst)| {
            Series {
                thread: None,
                cpu,
                quantity,
                period,
                resolution,
                activations,
                histogram,
                warm_up,
                stated,
                timeline,
                blocks,
                worst,
                split: None,
            }
        },
    )
}

fn any_split_series() -> impl Strategy<Value = Series> {
    (any_series(), of(any_split())).prop_map(|(mut series, split)| {
        let Activations { served, skipped, outstanding, .. } = &mut series.activations;
        *served = split.as_ref().map_or(*served, |split| split.counts.served());
        let due = *served + skipped.unwrap_or(0) + *outstanding;
        series.activations.due = series.activations.due.map(|_| due);
        Series { split: split.map(Box::new), ..series }
    })
}

fn any_split() -> impl Strategy<Value = Split> {
    (any_split_counts(), vec(any_series(), 0..3), vec(any_cause(), 0..3)).prop_map(|(counts, parts, causes)| Split {
        counts,
        parts,
        causes,
    })
}

fn any_split_counts() -> impl Strategy<Value = SplitCounts> {
    let by = prop_oneof![Just(Splitter::Bpf), Just(Splitter::Module)];
    let reason = prop_oneof![Just(Unsplit::NoStamps), Just(Unsplit::RingFull), Just(Unsplit::OtherWakeUp)];
    (by, any_count(), any_count(), btree_map(reason, any_count(), 0..3))
        .prop_map(|(by, split, never_slept, unsplit)| SplitCounts { by, split, never_slept, unsplit })
}

fn any_cause() -> impl Strategy<Value = SampleExplanation> {
    let taker = prop_oneof![
        Just(Taker::Nmi),
        Just(Taker::Softirq),
        Just(Taker::Thread),
        Just(Taker::Throttled),
        Just(Taker::Unseen)
    ];
    let share = (taker, "\\PC{0,9}", 0u32..64, any_latency()).prop_map(|(taker, name, cpu, length_ns)| Share {
        taker,
        name,
        cpu,
        length_ns,
    });
    (any_latency(), any::<i64>(), 0u64..1 << 63, "\\PC{0,20}", vec(share, 0..3)).prop_map(
        |(latency_ns, at_ns, activation, sentence, shares)| SampleExplanation {
            sample: WorstSample { at_ns, latency_ns, activation },
            sentence,
            shares,
        },
    )
}

fn any_quantity() -> impl Strategy<Value = Quantity> {
    prop_oneof![
        Just(Quantity::ResponseLatency),
        Just(Quantity::InterruptLatency),
        Just(Quantity::ActivationLatency),
        Just(Quantity::ReturnToUser),
        Just(Quantity::Noise),
        Just(Quantity::NoiseThread),
    ]
}

/// What is due adds up, where it is known.
fn any_activations() -> impl Strategy<Value = Activations> {
    (any::<bool>(), 9u64..1_000_000_000_000, of(any_count()), of(0u64..9), 0u64..2, 0u64..9).prop_map(
        |(has_due, served, skipped, missed, outstanding, lost)| {
            let due = has_due.then(|| served + skipped.unwrap_or(0) + outstanding);
            Activations { due, served, skipped, missed, outstanding, lost }
        },
    )
}

fn any_stated() -> impl Strategy<Value = Option<StatedFigures>> {
    of((any_count(), of(any_latency()), of(-1e15..1e15), of(any_latency()))
        .prop_map(|(count, min_ns, mean_ns, max_ns)| StatedFigures { count: Some(count), min_ns, mean_ns, max_ns }))
}

fn any_timeline() -> impl Strategy<Value = Vec<Second>> {
    let second = (any::<bool>(), any_count(), any_count(), 0u64..9, of((any_latency(), any_latency())), any_latency());
    btree_map(any::<u32>(), second, 0..9).prop_map(|seconds| {
        let second =
            |(at_s, (warm_up, count, skipped, lost, ends, sum_ns)): (u32, (_, _, _, _, Option<(i64, i64)>, _))| {
                Second {
                    at_s,
                    warm_up,
                    count,
                    skipped,
                    missed: lost,
                    lost,
                    min_ns: ends.map(|ends| ends.0),
                    max_ns: ends.map(|ends| ends.1),
                    sum_ns,
                }
            };
        seconds.into_iter().map(second).collect()
    })
}

fn any_worst() -> impl Strategy<Value = Vec<WorstSample>> {
    vec((any_latency(), any::<i64>(), 0u64..1 << 63), 0..9).prop_map(|samples| {
        let keep = |(latency_ns, at_ns, activation)| WorstSample { at_ns, latency_ns, activation };
        let mut worst: Vec<WorstSample> = samples.into_iter().map(keep).collect();
        worst.sort_by_key(|sample| std::cmp::Reverse(sample.latency_ns));
        worst
    })
}
