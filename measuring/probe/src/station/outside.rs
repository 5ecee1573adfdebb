//! A run as seen from the triggering side, and the paper's delta, which comes off its means only.
//!
//! Pure. Regnier 2008, section 3.2: L_irq = t2 - t1 - delta, where delta is what the triggering station takes to notice an answer,
//! estimated as a mean. A mean may be corrected by a mean; minima and maxima cannot, and stay as they were measured.

use super::answers::{Answered, Answers};
use prazo_core::text::counted;
use prazo_run::run::{Activations, Quantity, Run, Series, WORST_KEPT, WorstSample};
use prazo_run::{Caveat, Severity};

/// What the triggering station takes to notice an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delta {
    /// Its mean.
    pub mean_ns: f64,
    /// How many samples it is the mean of; `None` where somebody just said it.
    pub count: Option<u64>,
}

impl Delta {
    /// Half of the handler's mean answer time in a run between two alike and idle stations: "the measurements obtained for the
    /// interrupt latency equals the double" (Regnier 2008, section 4.3.1).
    pub fn of_symmetric(run: &Run) -> Option<Self> {
        let series = run.of(Quantity::InterruptLatency).find(|series| series.cpu.is_none())?;
        let (sum, count) = sum_and_count(series);
        (count > 0).then(|| Self { mean_ns: sum as f64 / count as f64 / 2.0, count: Some(count) })
    }
}

fn sum_and_count(series: &Series) -> (i128, u64) {
    let add = |(sum, count): (i128, u64), (value, times): (i64, u64)| {
        (sum + i128::from(value) * i128::from(times), count + times)
    };
    series.histogram.cells().fold((0, 0), add)
}

/// One latency of an answered trigger.
type Latency = fn(&Answered) -> Option<i64>;

/// The latencies of each answered trigger: from the trigger to the handler's answer, between the two answers, and to the task's.
pub fn series(answers: &Answers) -> Vec<Series> {
    let kinds: [(Quantity, Latency); 3] = [
        (Quantity::ResponseLatency, |answered| difference(answered.sent_ns?, answered.task_ns?)),
        (Quantity::InterruptLatency, |answered| difference(answered.sent_ns?, answered.handler_ns?)),
        (Quantity::ActivationLatency, |answered| difference(answered.handler_ns?, answered.task_ns?)),
    ];
    let made = kinds.map(|(quantity, latency)| one(answers, quantity, latency));
    made.into_iter().filter(|series| !series.histogram.is_empty()).collect()
}

fn difference(from_ns: u64, to_ns: u64) -> Option<i64> {
    Some(to_ns.wrapping_sub(from_ns) as i64)
}

fn one(answers: &Answers, quantity: Quantity, latency: impl Fn(&Answered) -> Option<i64>) -> Series {
    let mut series = Series { quantity, resolution: prazo_core::time::Duration::from_ns(1), ..Series::default() };
    let first_ns = answers.answered.iter().find_map(|answered| answered.sent_ns).unwrap_or(0);
    let mut sent = 0;
    for (number, answered) in answers.answered.iter().enumerate() {
        let Some(sent_ns) = answered.sent_ns else { continue };
        sent += 1;
        let Some(latency_ns) = latency(answered) else { continue };
        series.histogram.add(latency_ns, 1);
        let at_ns = sent_ns.wrapping_sub(first_ns) as i64;
        series.worst.push(WorstSample { at_ns, latency_ns, activation: number as u64 });
    }
    series.worst.sort_by_key(|sample| std::cmp::Reverse(sample.latency_ns));
    series.worst.truncate(WORST_KEPT);
    let served = series.histogram.total();
    series.activations =
        Activations { due: Some(sent), served, skipped: Some(sent - served), ..Activations::default() };
    series
}

/// What the figures of such a run contain, and what they do not.
pub fn caveats(answers: &Answers, delta: Option<Delta>) -> Vec<Caveat> {
    [Some(includes_delta(delta)), queued(answers), not_taken(answers), stepped(answers)].into_iter().flatten().collect()
}

/// `includes-delta`.
fn includes_delta(delta: Option<Delta>) -> Caveat {
    let known = match delta {
        Some(Delta { mean_ns, count: Some(count) }) => {
            format!(
                "the mean of delta is {mean_ns:.0} ns (half the mean interrupt latency of {} between two idle stations) and is subtracted from means only",
                counted(count, "answer")
            )
        }
        Some(Delta { mean_ns, count: None }) => {
            format!("the mean of delta was given as {mean_ns:.0} ns and is subtracted from means only")
        }
        None => "the mean of delta is unknown".into(),
    };
    Caveat::new(
        "includes-delta",
        Severity::Medium,
        format!(
            "measured from outside: every latency that ends with an answer contains the transmission time and the triggering \
             station's detection delay (delta); {known}"
        ),
        "--delta RUN takes the mean of delta from a run between two identical idle stations; do not subtract delta from minima or maxima",
    )
}

/// `answers-queued`: two answers closer to each other than delta are handled in a row, and their distance shows the handler's.
fn queued(answers: &Answers) -> Option<Caveat> {
    const CLOSE_NS: i64 = 10_000;
    let distances = answers.answered.iter().filter_map(|answered| difference(answered.handler_ns?, answered.task_ns?));
    let (close, all) =
        distances.fold((0u64, 0u64), |(close, all), distance| (close + u64::from(distance < CLOSE_NS), all + 1));
    (close * 2 > all).then(|| {
        Caveat::new(
            "answers-queued",
            Severity::Medium,
            format!(
                "in {close} of {}, the two answers arrived less than 10 µs apart; the second answer may have waited \
                 for the first, so the time between them is not an activation latency",
                counted(all, "answer pair")
            ),
            "repeat with --answer-delay 10us on the measuring side and subtract 10 µs from the mean (Regnier 2008, \
             section 4.3.2)",
        )
    })
}

/// `answers-not-taken`.
fn not_taken(answers: &Answers) -> Option<Caveat> {
    let Answers { duplicates, unstamped, foreign, .. } = *answers;
    (duplicates + unstamped + foreign > 0).then(|| {
        Caveat::new(
            "answers-not-taken",
            Severity::Info,
            format!(
                "{} arrived twice, and {unstamped} arrived without a time stamp; {} did not carry an answer of this \
                 measurement",
                counted(duplicates, "answer"),
                counted(foreign, "frame")
            ),
            "connect the two stations with a dedicated cable",
        )
    })
}

/// `wall-clock-stepped`.
fn stepped(answers: &Answers) -> Option<Caveat> {
    (answers.stepped_ns != 0).then(|| {
        Caveat::new(
            "wall-clock-stepped",
            Severity::High,
            format!("CLOCK_REALTIME, which stamps frames, was stepped by {} ns during the run", answers.stepped_ns),
            "stop the program that steps the clock (slewing does no harm) and measure again",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(latencies: &[(u64, u64)]) -> Answers {
        let answered = |(at, (handler, task)): (usize, &(u64, u64))| {
            let sent = at as u64 * 1_000_000;
            Answered { sent_ns: Some(sent), handler_ns: Some(sent + handler), task_ns: Some(sent + task) }
        };
        Answers { answered: latencies.iter().enumerate().map(answered).collect(), ..Answers::default() }
    }

    #[test]
    fn each_quantity_is_the_difference_that_it_is_named_after() {
        let mut answers = answers(&[(18_200, 24_700), (18_000, 25_000)]);
        answers.answered.push(Answered { sent_ns: Some(3_000_000), ..Answered::default() });
        let series = series(&answers);
        let cells = |at: usize| series[at].histogram.cells().collect::<Vec<_>>();
        assert_eq!(cells(0), [(24_700, 1), (25_000, 1)]);
        assert_eq!(cells(1), [(18_000, 1), (18_200, 1)]);
        assert_eq!(cells(2), [(6_500, 1), (7_000, 1)]);
        let activations = series[1].activations;
        assert_eq!((activations.due, activations.served, activations.skipped), (Some(3), 2, Some(1)));
        assert_eq!(series[0].worst[0].latency_ns, 25_000);
    }

    #[test]
    fn delta_is_half_of_a_symmetric_idle_answer_as_in_the_paper() {
        let run = Run { series: series(&answers(&[(18_200, 24_700); 10])), ..Run::default() };
        assert_eq!(Delta::of_symmetric(&run), Some(Delta { mean_ns: 9_100.0, count: Some(10) }));
        assert_eq!(Delta::of_symmetric(&Run::default()), None);
    }

    #[test]
    fn answers_in_a_row_are_told_and_those_put_off_are_not() {
        let has = |answers: &Answers| caveats(answers, None).iter().any(|caveat| caveat.id == "answers-queued");
        assert!(has(&answers(&[(18_200, 24_700), (18_200, 24_700)])));
        assert!(!has(&answers(&[(18_200, 30_500), (18_200, 30_500)])));
    }
}
