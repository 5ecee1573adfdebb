//! Packing against a slow, obvious twin, and what always holds whatever is packed.

use super::*;
use crate::exact::Rational;
use crate::overheads::{FixedPriority, Overload, PreemptionCentric};
use crate::{Finding, Reason, Verdict};
use prazo_core::overheads::{Function, Overhead, Overheads};
use prazo_core::ratio::Ratio;

fn utilization(tasks: &[Task]) -> Rational {
    Rational::sum(tasks.iter().map(|task| (task.cost, task.period)))
}

/// Takes bins whose density is at most the number of processors: coarse, but it refuses differently from capacity.
fn density(tasks: &[Task], processors: u32) -> Finding {
    let sum = Rational::sum(tasks.iter().map(|task| (task.cost, task.window())));
    if sum <= Rational::from(u64::from(processors)) {
        Finding::proven("density", Some(tasks.len() - 1), None, 1)
    } else {
        Finding::does_not_hold("density", Some(tasks.len() - 1), None, 1)
    }
}

fn density_of(candidate: &Candidate<'_>) -> Finding {
    density(candidate.tasks, candidate.processors)
}

/// Packs with everything recomputed from the tasks of each bin whenever it is looked at.
fn twin(strategy: Strategy, tasks: &[Task], sizes: &[u32]) -> Vec<Option<u32>> {
    let mut bins: Vec<Vec<Task>> = vec![Vec::new(); sizes.len()];
    let mut assignment = vec![None; tasks.len()];
    let mut last = 0;
    for index in strategy.order.of(tasks) {
        let with = |bin: usize| [&bins[bin][..], &[tasks[index]]].concat();
        let fits = |bin: &usize| {
            let capacity = Rational::from(u64::from(sizes[*bin]));
            utilization(&with(*bin)) <= capacity && density(&with(*bin), sizes[*bin]).is_proven()
        };
        let spare = |bin: usize| Rational::from(u64::from(sizes[bin])) - utilization(&with(bin));
        let mut fitting = (0..sizes.len()).filter(fits);
        let chosen = match strategy.heuristic {
            Heuristic::FirstFit => fitting.next(),
            Heuristic::NextFit => fitting.find(|bin| *bin >= last),
            Heuristic::BestFit => fitting.min_by_key(|bin| spare(*bin)),
            // `max_by_key` answers the last of equals, so the bins are gone through backwards.
            Heuristic::WorstFit => (0..sizes.len()).rev().filter(fits).max_by_key(|bin| spare(*bin)),
        };
        if let Some(bin) = chosen {
            bins[bin].push(tasks[index]);
            assignment[index] = Some(bin as u32);
            last = bin;
        }
    }
    assignment
}

/// Every heuristic in every order.
fn strategies() -> Vec<Strategy> {
    let in_order = |&order: &Order| Heuristic::VALUES.iter().map(move |&heuristic| Strategy { heuristic, order });
    Order::VALUES.iter().flat_map(in_order).collect()
}

/// Small numbers, so that ties and exactly full bins are frequent.
fn random_tasks(random: &mut fastrand::Rng) -> Vec<Task> {
    (0..random.usize(1..14))
        .map(|_| {
            let period: u64 = [3, 6, 7, 12, 20][random.usize(0..5)];
            let cost = random.u64(1..=period.div_ceil(2));
            Task::new(cost, period, random.u64(1..=period + 2))
        })
        .collect()
}

#[test]
fn every_heuristic_in_every_order_agrees_with_its_twin() {
    let seed = 1_973;
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut misfits = 0;
    for _ in 0..1_000 {
        let tasks = random_tasks(&mut random);
        let sizes: Vec<u32> = (0..random.usize(1..5)).map(|_| random.u32(1..4)).collect();
        for strategy in strategies() {
            let packed = strategy.pack(&tasks, &sizes, &mut density_of, Allowance::UNLIMITED);
            assert_eq!(packed.assignment, twin(strategy, &tasks, &sizes), "{strategy:?} {tasks:?} into {sizes:?}");
            assert_eq!(packed.proven, packed.misfits.is_empty());
            misfits += usize::from(!packed.proven);
        }
    }
    assert!((2_000..18_000).contains(&misfits), "{misfits} of 20,000 packings left something over");
}

#[test]
fn bins_hold_what_the_assignment_says_and_never_too_much() {
    let seed = 1_974;
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..2_000 {
        let tasks = random_tasks(&mut random);
        let strategy = random.choice(strategies()).expect("there are strategies");
        let packed = strategy.pack(&tasks, &[1, 2, 1], &mut Capacity, Allowance::UNLIMITED);
        for (number, bin) in packed.bins.iter().enumerate() {
            let assigned = (0..tasks.len()).filter(|task| packed.assignment[*task] == Some(number as u32));
            assert!(assigned.eq(bin.tasks.iter().copied()));
            let held: Vec<Task> = bin.tasks.iter().map(|task| tasks[*task]).collect();
            assert!(utilization(&held) <= Rational::from(u64::from(bin.processors)));
        }
        let left: Vec<usize> = packed.misfits.iter().map(|misfit| misfit.task).collect();
        assert!(left.iter().all(|task| packed.assignment[*task].is_none()));
        assert_eq!(left.len(), packed.assignment.iter().filter(|bin| bin.is_none()).count());
        assert!(!packed.proven, "capacity alone proves nothing");
    }
}

#[test]
fn so_many_bins_as_needed_suffice_and_one_fewer_does_not() {
    let seed = 1_975;
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    // Worst fit is not among them: where bins are there from the start, it begins with the empty ones.
    for heuristic in [Heuristic::FirstFit, Heuristic::BestFit, Heuristic::NextFit] {
        for _ in 0..500 {
            let tasks = random_tasks(&mut random);
            let strategy =
                Strategy { heuristic, order: random.choice(Order::VALUES.iter().copied()).expect("there are orders") };
            let Some(bins) = strategy.bins_needed(&tasks, 1, &mut density_of, Allowance::UNLIMITED) else {
                assert!(tasks.iter().any(|task| task.cost > task.window()));
                continue;
            };
            let fits = |count: u32| {
                strategy.pack(&tasks, &vec![1; count as usize], &mut density_of, Allowance::UNLIMITED).proven
            };
            assert!(fits(bins) && !fits(bins - 1), "{strategy:?} {tasks:?} needs {bins}");
        }
    }
}

fn first_fit() -> Strategy {
    Strategy { heuristic: Heuristic::FirstFit, order: Order::DecreasingUtilization }
}

#[test]
fn three_thirds_fill_a_processor_exactly() {
    let thirds = [Task::implicit(1, 3); 6];
    assert_eq!(first_fit().bins_needed(&thirds, 1, &mut Capacity, Allowance::UNLIMITED), Some(2));
    let mut over = thirds;
    over[5] = Task::implicit((1 << 46) + 1, 3 << 46);
    assert_eq!(first_fit().bins_needed(&over, 1, &mut Capacity, Allowance::UNLIMITED), Some(3));
}

#[test]
fn a_cheaper_task_can_break_a_packing() {
    let proven = |heuristic, costs: &[u64], period, processors: usize| {
        let tasks: Vec<Task> = costs.iter().map(|cost| Task::implicit(*cost, period)).collect();
        let strategy = Strategy { heuristic, order: Order::DecreasingUtilization };
        strategy.pack(&tasks, &vec![1; processors], &mut UtilizationFirst(density_of), Allowance::UNLIMITED).proven
    };
    let mut costs = [9, 16, 3, 5, 3, 16, 5, 9, 6];
    assert!(proven(Heuristic::BestFit, &costs, 24, 3));
    costs[0] = 8;
    assert!(!proven(Heuristic::BestFit, &costs, 24, 3));
    let mut costs = [23, 4, 13, 12, 5, 14, 8, 9, 6, 19, 20, 7, 11];
    assert!(proven(Heuristic::FirstFit, &costs, 38, 4));
    costs[9] = 18;
    assert!(!proven(Heuristic::FirstFit, &costs, 38, 4));
}

#[test]
fn a_task_that_fits_nowhere_is_named_and_the_rest_is_placed() {
    let tasks = [Task::implicit(3, 4), Task::implicit(3, 4), Task::implicit(3, 4), Task::new(1, 8, 1)];
    let packed = first_fit().pack(&tasks, &[1, 1], &mut density_of, Allowance::UNLIMITED);
    assert_eq!(packed.assignment, [Some(0), Some(1), None, None]);
    assert_eq!(packed.misfits[0], Misfit { task: 2, refusal: None });
    let refusal = packed.misfits[1].refusal.as_ref().unwrap();
    assert_eq!((packed.misfits[1].task, refusal.bin), (3, 1));
    assert_eq!(refusal.finding.task, Some(3), "tasks are named by their index in the whole set");
}

#[test]
fn edf_with_deadlines_at_the_period_asks_no_further() {
    let mut questions = 0;
    let mut test = UtilizationFirst(|candidate: &Candidate<'_>| {
        questions += 1;
        density_of(candidate)
    });
    let implicit = [Task::implicit(1, 2), Task::implicit(1, 2)];
    assert!(first_fit().pack(&implicit, &[1], &mut test, Allowance::UNLIMITED).proven);
    let late = Task { jitter: 1, ..Task::implicit(1, 4) };
    assert!(first_fit().pack(&[implicit[0], late], &[1], &mut test, Allowance::UNLIMITED).proven);
    assert!(first_fit().pack(&implicit, &[2], &mut test, Allowance::UNLIMITED).proven);
    assert_eq!(questions, 1 + 2, "once for the bin with jitter, twice for the cluster");
}

#[test]
fn clusters_are_packed_by_capacity_and_judged_afterwards() {
    let tasks = [Task::implicit(1, 2), Task::new(2, 4, 2), Task::implicit(1, 2)];
    let mut packed = first_fit().pack(&tasks, &[2], &mut Capacity, Allowance::UNLIMITED);
    assert_eq!((packed.bins[0].finding.as_ref(), packed.proven), (None, false));
    packed.judge(&tasks, &mut density_of, u64::MAX);
    assert!(packed.proven);
    packed.judge(&tasks, &mut |candidate: &Candidate<'_>| density(candidate.tasks, 1), u64::MAX);
    assert!(!packed.proven);
}

/// Ten ticks for each release interrupt, and a cache delay of one tick per KiB.
fn platform() -> Overheads<'static> {
    let delay = Function::Affine { base: Ratio::ZERO, slope: Ratio::ONE };
    Overheads {
        release: Overhead::constant(Ratio::whole(10)),
        cache_delay: Overhead { amount: delay, ..Overhead::NONE },
        ..Overheads::NONE
    }
}

#[test]
fn a_bin_is_charged_for_those_who_share_it_only() {
    // Alone, a task pays for its own release; the large working set is felt by its neighbours only.
    let large = Task { working_set_kib: 300, ..Task::implicit(500, 1_000) };
    let tasks = [large, Task::implicit(400, 1_000), Task::implicit(400, 1_000)];
    let accounting = PreemptionCentric::new(&tasks, &platform()).unwrap();
    let mut test = Inflating::new(accounting, UtilizationFirst(density_of));
    let packed = first_fit().pack(&tasks, &[1, 1], &mut test, Allowance::UNLIMITED);
    assert_eq!(packed.assignment, [Some(0), Some(1), Some(1)]);
    // s = 1 - 10/1000: C' = (500 + 2 10)/s = 525.3; s = 1 - 20/1000: C' = (400 + 2 20)/s = 449.0.
    assert_eq!(packed.bins[0].inflated.as_deref(), Some(&[Task { cost: 526, ..large }][..]));
    assert_eq!(packed.bins[1].inflated.as_deref(), Some(&[Task::implicit(449, 1_000); 2][..]));
    // Charged all at once, as if one queue held them, three releases and the large working set no longer fit.
    let at_once = crate::overheads::preemption_centric(&tasks, 1, &platform()).unwrap();
    assert_eq!([0, 1, 2].map(|task| at_once.tasks[task].cost), [578, 784, 784]);
    assert_eq!(first_fit().bins_needed(&at_once.tasks, 1, &mut Capacity, Allowance::UNLIMITED), Some(3));
    assert!(!first_fit().pack(&at_once.tasks, &[1, 1], &mut UtilizationFirst(density_of), Allowance::UNLIMITED).proven);
}

#[test]
fn an_overload_while_packing_refuses_and_says_why() {
    let tasks = [Task::implicit(1, 100), Task::implicit(1, 12)];
    let accounting = PreemptionCentric::new(&tasks, &platform()).unwrap();
    let mut test = Inflating::new(accounting, UtilizationFirst(density_of));
    let packed = first_fit().pack(&tasks, &[1], &mut test, Allowance::UNLIMITED);
    assert_eq!(packed.assignment, [Some(0), None]);
    let finding = &packed.misfits[0].refusal.as_ref().unwrap().finding;
    assert_eq!((finding.task, finding.verdict), (Some(1), Verdict::Unknown));
    assert!(matches!(finding.reason, Reason::Overloaded(Overload::Task { task: 1, .. })), "{finding:?}");
}

#[test]
fn interrupts_of_fixed_priorities_are_told_from_tasks() {
    let tasks = [Task::implicit(1, 100), Task::implicit(1, 120)];
    let accounting = FixedPriority::new(&tasks, &platform()).unwrap();
    let mut seen = Vec::new();
    let last = |candidate: &Candidate<'_>| {
        seen.push((candidate.tasks.len(), candidate.interrupts, candidate.members.to_vec()));
        density_of(candidate)
    };
    let packed = first_fit().pack(&tasks, &[1], &mut Inflating::new(accounting, last), Allowance::UNLIMITED);
    assert_eq!(seen, [(2, 1, vec![0]), (4, 2, vec![0, 1])]);
    assert_eq!(packed.bins[0].finding.as_ref().unwrap().task, Some(1), "the last of two interrupts and two tasks");
}

#[test]
fn a_disproof_of_charged_tasks_is_none_of_the_tasks_themselves() {
    let tasks = [Task::implicit(1, 100)];
    let verdict = |overheads: &Overheads<'_>| {
        let accounting = PreemptionCentric::new(&tasks, overheads).unwrap();
        let refuse = |_: &Candidate<'_>| Finding::overdemand("refuses", None, None, 1);
        let packed = first_fit().pack(&tasks, &[1], &mut Inflating::new(accounting, refuse), Allowance::UNLIMITED);
        packed.misfits[0].refusal.as_ref().unwrap().finding.verdict
    };
    assert_eq!(verdict(&Overheads::NONE), Verdict::Disproven);
    assert_eq!(verdict(&platform()), Verdict::Unknown);
}

#[test]
fn a_spent_budget_refuses_and_says_so() {
    let tasks = [Task::implicit(1, 100), Task::implicit(1, 120)];
    let accounting = PreemptionCentric::new(&tasks, &platform()).unwrap();
    let mut test = Inflating::new(accounting, UtilizationFirst(density_of));
    let allowance = Allowance { each_test: 1, all: u64::MAX };
    let packed = first_fit().pack(&tasks, &[1], &mut test, allowance);
    assert_eq!(packed.assignment.iter().flatten().count(), 1);
    assert_eq!(packed.misfits[0].refusal.as_ref().unwrap().finding.reason, Reason::BudgetSpent);
}

/// Asked at each step, whatever is sure.
struct AtEachStep<T>(T);

impl<T: BinTest> BinTest for AtEachStep<T> {
    fn fits(&mut self, candidate: &Candidate<'_>) -> Fit {
        self.0.fits(candidate)
    }
}

#[test]
fn what_is_sure_without_a_look_at_the_tasks_is_what_the_test_says_at_each_step() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    for round in 0..2_000 {
        let mut tasks = random_tasks(&mut random);
        if round % 2 == 0 {
            // All bins are sure; in the other sets some are.
            tasks.iter_mut().for_each(|task| task.deadline = task.period);
        }
        let sizes: Vec<u32> = (0..random.usize(1..5)).map(|_| random.u32(1..3)).collect();
        for strategy in strategies() {
            let all = Allowance::UNLIMITED;
            let quickly = strategy.pack(&tasks, &sizes, &mut UtilizationFirst(density_of), all);
            let slowly = strategy.pack(&tasks, &sizes, &mut AtEachStep(UtilizationFirst(density_of)), all);
            assert_eq!(quickly, slowly, "{strategy:?} {tasks:?} into {sizes:?}");
            let quickly = strategy.pack(&tasks, &sizes, &mut Capacity, all);
            let slowly = strategy.pack(&tasks, &sizes, &mut AtEachStep(Capacity), all);
            assert_eq!(quickly, slowly, "{strategy:?} {tasks:?} into {sizes:?}");
        }
    }
}
