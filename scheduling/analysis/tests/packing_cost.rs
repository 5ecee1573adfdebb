//! What packing costs, in evaluated terms: it stays within its budget, and it grows hardly faster than the tasks.

use prazo_analysis::partition::{Allowance, Candidate, Heuristic, Order, Strategy, UtilizationFirst};
use prazo_analysis::question::{Answer, JobRanking, Method, Question, Shape, answer};
use prazo_analysis::{Finding, Task, TimeModel, Verdict};
use prazo_core::behaviour::Behaviours;

/// Periods whose utilizations add up to equal sums again and again, which only exact fractions can tell.
const PERIODS: [u64; 10] =
    [1_000_000, 2_000_000, 3_000_000, 5_000_000, 6_000_000, 7_000_000, 9_000_000, 10_000_000, 11_000_000, 13_000_000];

/// `count` tasks of about equal utilization, `total` processors together, with deadlines of so many percent of the period.
fn tasks(count: usize, total: f64, deadline_percent: u64) -> Vec<Task> {
    let mut random = fastrand::Rng::with_seed(5);
    let mut task = |_| {
        let period = PERIODS[random.usize(0..PERIODS.len())];
        let cost = (period as f64 * total / count as f64) as u64;
        Task::new(cost, period, period * deadline_percent / 100)
    };
    (0..count).map(&mut task).collect()
}

fn answer_of(tasks: &[Task], sizes: &[u32], method: &Method) -> Answer {
    let shape = Shape::Clusters(sizes);
    answer(
        &Question {
            tasks,
            policy: JobRanking::Edf,
            shape,
            places: None,
            behaviours: Behaviours::PLAIN,
            overheads: None,
            time: TimeModel::Continuous,
        },
        method,
    )
    .unwrap()
}

#[test]
fn a_budget_bounds_all_packings_together() {
    let cases = [
        ("D = T", tasks(3_000, 8.3, 100), vec![1; 8]),
        ("D < T", tasks(3_000, 50.0, 90), vec![1; 64]),
        ("clusters", tasks(3_000, 15.0, 90), vec![4; 4]),
    ];
    let tests = Method::default().tests.len() as u64;
    for (name, tasks, sizes) in &cases {
        for budget in [0, 1, 100] {
            let found = answer_of(tasks, sizes, &Method { budget, packing_budget: budget, ..Method::default() });
            // Three heuristics, clusters by capacity and again step by step, and the search.
            let packings = 3 * 2 + 2;
            let limit = packings * budget * tests * sizes.len() as u64 + budget;
            assert!(found.work <= limit, "{name}: {} terms with a budget of {budget}", found.work);
            assert!(found.packings.iter().all(|packed| packed.proven || packed.budget_spent), "{name}, {budget}");
        }
    }
}

/// Never asked: all deadlines are periods.
fn no_other_test(_: &Candidate<'_>) -> Finding {
    Finding::not_applicable("none", "every deadline is a period")
}

/// Terms that packing so many tasks costs.
fn work(heuristic: Heuristic, order: Order, tasks: &[Task], processors: usize) -> u64 {
    let sizes = vec![1; processors];
    Strategy { heuristic, order }.pack(tasks, &sizes, &mut UtilizationFirst(no_other_test), Allowance::UNLIMITED).work
}

#[test]
fn packing_grows_no_faster_than_n_log_n_for_each_bin() {
    let orders = [Order::DecreasingUtilization, Order::AsGiven];
    for heuristic in [Heuristic::FirstFit, Heuristic::WorstFit, Heuristic::BestFit, Heuristic::NextFit] {
        for (order, total, processors) in orders.iter().flat_map(|order| [(*order, 8.3, 8), (*order, 60.0, 64)]) {
            let [small, large] =
                [1_000, 8_000].map(|count| work(heuristic, order, &tasks(count, total, 100), processors));
            // n log n grows from 1,000 to 8,000 by 8 * 13 / 10.
            let ratio = large as f64 / small as f64;
            assert!(ratio <= 10.4, "{heuristic:?} {order:?} on {processors}: {small} terms became {large}");
            let limit = 8_000 * 13 * processors as u64;
            assert!(large <= limit, "{heuristic:?} {order:?} on {processors}: {large} terms, at most {limit}");
        }
    }
}

#[test]
fn copies_of_every_task_for_every_bin_cost_no_more_than_others() {
    // After each round all bins are equal, with sums of as many unlike fractions as there were rounds.
    let copies = |rounds: u64| -> Vec<Task> {
        let task = |round: u64| Task::implicit(1_000, 8_000_000 + 2 * round + 1);
        (0..rounds).flat_map(|round| [task(round); 8]).collect()
    };
    let [small, large] =
        [100, 800].map(|rounds| work(Heuristic::WorstFit, Order::DecreasingUtilization, &copies(rounds), 8));
    assert!(large <= 11 * small, "{small} terms became {large}");
}

#[test]
fn no_other_packing_is_tried_where_the_tasks_ask_for_too_much() {
    let method = Method::default();
    for (sizes, deadline_percent) in [(vec![1; 8], 100), (vec![2; 4], 90)] {
        let tasks = tasks(500, 8.3, deadline_percent);
        let found = answer_of(&tasks, &sizes, &method);
        assert_eq!((found.verdict, found.packings.len()), (Verdict::Disproven, 1), "{sizes:?}");
        let every = answer_of(&tasks, &sizes, &Method { all_tests: true, ..method.clone() });
        assert_eq!((every.verdict, every.packings.len()), (Verdict::Disproven, 3), "{sizes:?}");
    }
}

#[test]
fn a_packing_that_ran_out_of_budget_says_so_and_is_not_disproven() {
    let tasks = tasks(400, 7.0, 100);
    let enough = answer_of(&tasks, &[1; 8], &Method::default());
    assert_eq!((enough.verdict, enough.packings[0].budget_spent), (Verdict::Proven, false));
    let little = answer_of(&tasks, &[1; 8], &Method { packing_budget: 60, ..Method::default() });
    assert_eq!(little.verdict, Verdict::Unknown);
    assert!(little.packings.iter().all(|packed| packed.budget_spent && !packed.misfits.is_empty()));
    let refusal = little.packings[0].misfits[0].refusal.as_ref().unwrap();
    assert_eq!(refusal.finding.reason, prazo_analysis::Reason::BudgetSpent);
}
