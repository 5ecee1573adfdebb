//! Certificates with one digit, word or line changed: rejected, or still true.

use crate::random_sets::{missed, random, set, sets};
use crate::{TESTS, answer, claim, question, refined, refuses_longer_lines, resealed};
use prazo_analysis::demand::total_demand_bound;
use prazo_analysis::question::{JobRanking, Priorities, Question};
use prazo_analysis::{Finding, Task, TimeModel, certificate};
use prazo_checker::{Accepted, Verdict};
use prazo_oracle::{Order, any_miss, first_miss};

/// `text` with each digit replaced by others, and by two digits.
fn other_digits(text: &str) -> impl Iterator<Item = String> {
    let digits = text.char_indices().filter(|(_, letter)| letter.is_ascii_digit()).map(|(place, _)| place);
    digits.flat_map(move |place| {
        let others = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "21", ""];
        others.map(|other| format!("{}{other}{}", &text[..place], &text[place + 1..]))
    })
}

/// `text` with each line left out, doubled, or moved behind the next.
fn other_lines(text: &str) -> impl Iterator<Item = String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    (0..lines.len()).flat_map(move |place| {
        let (before, after) = lines.split_at(place);
        let without = [before, &after[1..]].concat().concat();
        let doubled = [before, &after[..1], after].concat().concat();
        let mut swapped = lines.clone();
        swapped.swap(place, (place + 1) % lines.len());
        [without, doubled, swapped.concat()]
    })
}

/// `text` for the other time model.
fn other_time(text: &str) -> impl Iterator<Item = String> {
    let [continuous, discrete] = [TimeModel::Continuous, TimeModel::Discrete].map(|time| format!("\ntime {time}\n"));
    [text.replace(&continuous, &discrete), text.replace(&discrete, &continuous)].into_iter()
}

/// True if what was accepted holds as far as schedules seen tick by tick can tell; deadlines are small.
fn holds(accepted: &Accepted, text: &str) -> bool {
    let (tasks, processors) = (&accepted.tasks[..], accepted.queues.iter().sum());
    let mut ranks: Vec<u32> = vec![0; tasks.len()];
    if let Some(order) = text.lines().find_map(|line| line.strip_prefix("order ")) {
        order.split(' ').enumerate().for_each(|(rank, task)| ranks[task.parse::<usize>().unwrap()] = rank as u32);
    }
    let rank = if accepted.policy == "edf" { Order::Edf } else { Order::Fixed(&ranks) };
    match accepted.verdict {
        Verdict::Proven => any_miss(&refined(tasks, accepted.time), processors, rank, 500).is_none(),
        Verdict::Disproven => {
            // Jitter is an upper bound: jobs that are released as they arrive are legal, too.
            let on_time: Vec<Task> = tasks.iter().map(|task| Task { jitter: 0, ..*task }).collect();
            let misses = |tasks: &[Task]| first_miss(tasks, processors, Order::Edf, 3_000).is_some();
            misses(tasks) || misses(&on_time) || is_overloaded(tasks, processors)
        }
    }
}

/// The long run asks for more than there is: seen in one hyperperiod.
fn is_overloaded(tasks: &[Task], processors: u32) -> bool {
    let gcd = |mut a: u64, mut b: u64| loop {
        (a, b) = (b, a % b);
        if b == 0 {
            return a;
        }
    };
    let hyperperiod = tasks.iter().fold(1, |all, task| all / gcd(all, task.period) * task.period);
    let implicit: Vec<Task> = tasks.iter().map(|task| Task::implicit(task.cost, task.period)).collect();
    total_demand_bound(&implicit, hyperperiod) > u128::from(processors) * u128::from(hyperperiod)
}

/// Counts of changed certificates.
#[derive(Default, Debug)]
pub(crate) struct Count {
    certificates: usize,
    rejected: usize,
    still_true: usize,
}

impl Count {
    /// Changes each digit of the charged tasks: under EDF the charge is one number, and no other is accepted.
    pub(crate) fn attack_charges(&mut self, text: &str) {
        self.certificates += 1;
        for changed in other_digits(text).map(|changed| resealed(&changed)).filter(|changed| changed != text) {
            let untouched = changed
                .lines()
                .filter(|line| !line.starts_with("charged"))
                .eq(text.lines().filter(|line| !line.starts_with("charged")));
            match prazo_checker::check(&changed) {
                Err(_) => self.rejected += 1,
                Ok(_) if untouched => panic!("accepted another charge:\n{changed}\nfrom\n{text}"),
                Ok(_) => self.still_true += 1,
            }
        }
    }

    /// Changes `text` in every way; nothing untrue may be accepted.
    fn attack(&mut self, text: &str) {
        assert!(prazo_checker::check(text).is_ok(), "{:?}\n{text}", prazo_checker::check(text));
        refuses_longer_lines(text);
        self.certificates += 1;
        let changes = other_digits(text).chain(other_lines(text)).chain(other_time(text));
        let changes = changes.filter(|changed| changed != text);
        for changed in changes.flat_map(|changed| [resealed(&changed), changed]).filter(|changed| changed != text) {
            match prazo_checker::check(&changed) {
                Err(_) => self.rejected += 1,
                Ok(accepted) => {
                    assert!(resealed(&changed) == changed, "accepted under another digest:\n{changed}\nfrom\n{text}");
                    assert!(holds(&accepted, &changed), "accepted, but untrue:\n{changed}\nfrom\n{text}");
                    self.still_true += 1;
                }
            }
        }
    }
}

/// The certificate for `test`, if the checker accepts it unchanged.
fn accepted(question: &Question<'_>, test: &'static str) -> Option<String> {
    claim(question, test).filter(|text| prazo_checker::check(text).is_ok())
}

#[test]
fn a_proof_for_whole_ticks_says_so_and_is_none_in_continuous_time() {
    let tasks = [(1, 2), (1, 2), (1, 6), (2, 4)].map(|(cost, period)| Task::implicit(cost, period));
    let as_given = JobRanking::FixedPriority(Priorities::Given(&[0, 1, 2, 3]));
    let continuous = question(&tasks, as_given, 2);
    assert_eq!(claim(&continuous, "Guan RTA"), None);
    let text = claim(&Question { time: TimeModel::Discrete, ..continuous }, "Guan RTA").unwrap();
    let rejection = prazo_checker::check(&text).unwrap().to_string();
    assert!(rejection.starts_with("proven for arrivals at whole ticks only: "), "{rejection}");
    assert!(rejection.contains("assuming: time passes in whole ticks"), "{rejection}");
    let relabelled = resealed(&text.replace("time discrete", "time continuous"));
    let relabelled = prazo_checker::check(&relabelled).unwrap_err().to_string();
    assert_eq!(relabelled, "the proof or disproof fails: task 3 may be delayed beyond 4");
}

#[test]
fn changed_certificates_of_global_edf_are_rejected_or_still_true() {
    let mut random = random();
    let mut counts: Vec<Count> = TESTS.iter().map(|_| Count::default()).collect();
    for round in 0..sets() / 8 {
        let (mut tasks, processors) = (set(&mut random, round % 3), random.u32(1..=3));
        tasks.iter_mut().for_each(|task| task.jitter = random.u64(0..=round as u64 / 2 % 2));
        let question = Question { time: TimeModel::VALUES[round % 2], ..question(&tasks, JobRanking::Edf, processors) };
        for (&test, count) in TESTS.iter().zip(&mut counts) {
            accepted(&question, test).iter().for_each(|text| count.attack(text));
        }
    }
    TESTS.iter().zip(&counts).for_each(|(test, count)| println!("{test}: {count:?}"));
}

#[test]
fn changed_certificates_of_one_processor_are_rejected_or_still_true() {
    let (mut random, mut count) = (random(), Count::default());
    for round in 0..sets() / 4 {
        let mut tasks = set(&mut random, round % 3);
        tasks.iter_mut().for_each(|task| task.jitter = random.u64(0..=1));
        let policy = match round % 4 {
            0 => JobRanking::Edf,
            1 => JobRanking::FixedPriority(Priorities::RateMonotonic),
            2 => JobRanking::FixedPriority(Priorities::DeadlineMonotonic),
            _ => JobRanking::FixedPriority(Priorities::Audsley),
        };
        accepted(&question(&tasks, policy, 1), "exact").iter().for_each(|text| count.attack(text));
    }
    println!("{count:?}");
}

#[test]
fn changed_disproofs_are_rejected_or_still_true() {
    let (mut random, mut count) = (random(), Count::default());
    for round in 0..sets() / 4 {
        let (tasks, processors) = (set(&mut random, round % 3), random.u32(1..=2));
        let question = question(&tasks, JobRanking::Edf, processors);
        let windows = [None].into_iter().chain((1..30).map(Some));
        let answers = windows.map(|window| answer(Finding::overdemand("demand", window, None, 0), None));
        let over = answers.into_iter().find_map(|answer| certificate::write(&question, &answer).ok());
        let miss = missed(&tasks, processors).map(|answer| certificate::write(&question, &answer).unwrap());
        over.into_iter().chain(miss).for_each(|text| count.attack(&text));
    }
    println!("{count:?}");
}
