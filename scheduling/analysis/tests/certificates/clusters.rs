//! Bins of several tasks, each with its own test and its own charge, and overheads that somebody has changed.

use crate::adversary::Count;
use crate::random_sets::{random, set, sets};
use prazo_analysis::partition::{Bin, Packed, PlacedBy};
use prazo_analysis::question::{Answer, JobRanking, Method, Priorities, Question, Shape};
use prazo_analysis::{Finding, Task, TimeModel, Verdict, certificate};
use prazo_core::behaviour::Behaviours;
use prazo_core::overheads::{Function, Overhead, Overheads};
use prazo_core::ratio::Ratio;
use prazo_oracle::{Order, any_miss};

/// The answer that `bins` prove the tasks.
fn packed(bins: Vec<Bin>, tasks: usize) -> Answer {
    let assignment = (0..tasks).map(|task| bins.iter().position(|bin| bin.tasks.contains(&task)));
    let assignment = assignment.map(|bin| bin.map(|bin| bin as u32)).collect();
    let placed_by = PlacedBy::Author;
    let packed =
        Packed { placed_by, assignment, bins, misfits: Vec::new(), proven: true, budget_spent: false, work: 0 };
    Answer { verdict: Verdict::Proven, packings: vec![packed], ..Answer::open() }
}

/// A bin that `test` is said to prove.
fn bin(processors: u32, tasks: Vec<usize>, inflated: Option<Vec<Task>>, test: &'static str) -> Bin {
    let finding = (!tasks.is_empty()).then(|| Finding::proven(test, None, None, 0));
    Bin { processors, tasks, inflated, finding }
}

#[test]
fn each_cluster_is_shown_by_itself() {
    let (mut random, mut shown) = (random(), 0);
    for round in 0..sets() {
        let tasks = set(&mut random, round % 3);
        let to: Vec<usize> = tasks.iter().map(|_| random.usize(0..3)).collect();
        let members = |bin: usize| (0..tasks.len()).filter(|&task| to[task] == bin).collect::<Vec<_>>();
        let bins =
            vec![bin(2, members(0), None, "RTA"), bin(1, members(1), None, "QPA"), bin(1, members(2), None, "QPA")];
        let shape = Shape::Clusters(&[2, 1, 1]);
        let question = Question {
            tasks: &tasks,
            policy: JobRanking::Edf,
            shape,
            places: None,
            behaviours: Behaviours::PLAIN,
            overheads: None,
            time: TimeModel::Continuous,
        };
        let Ok(text) = certificate::write(&question, &packed(bins.clone(), tasks.len())) else { continue };
        if prazo_checker::check(&text).is_err() {
            continue;
        }
        shown += 1;
        for bin in bins {
            let own: Vec<Task> = bin.tasks.iter().map(|&task| tasks[task]).collect();
            assert_eq!(any_miss(&own, bin.processors, Order::Edf, 500), None, "{text}");
        }
    }
    println!("{shown} shown");
}

#[test]
fn a_task_must_stand_in_exactly_one_bin() {
    let tasks = [Task::implicit(1, 4); 3];
    let shape = Shape::Clusters(&[1, 1]);
    let question = Question {
        tasks: &tasks,
        policy: JobRanking::Edf,
        shape,
        places: None,
        behaviours: Behaviours::PLAIN,
        overheads: None,
        time: TimeModel::Continuous,
    };
    let check = |left: &[usize], right: &[usize]| {
        let bins = vec![bin(1, left.to_vec(), None, "QPA"), bin(1, right.to_vec(), None, "QPA")];
        prazo_checker::check(&certificate::write(&question, &packed(bins, 3)).unwrap())
    };
    assert!(check(&[0, 2], &[1]).is_ok());
    assert!(check(&[0, 1, 2], &[]).is_ok());
    assert!(check(&[0, 2], &[]).is_err());
    assert!(check(&[0, 1, 2], &[1]).is_err());
    assert!(check(&[2, 0], &[1]).is_err());
}

/// Small overheads with a table and a line among them.
struct Platform {
    release: Ratio,
    switch: Vec<(u64, Ratio)>,
    delay: Vec<(u64, Ratio)>,
}

impl Platform {
    fn any(random: &mut fastrand::Rng) -> Self {
        let mut ratio = || Ratio::new(random.u128(0..20), random.u128(1..7)).unwrap();
        let (release, low, high) = (ratio(), ratio(), ratio());
        let points = |from: u64| vec![(from, low.min(high)), (from + 3, low.max(high))];
        Self { release, switch: points(1), delay: points(16) }
    }

    /// One amount a little larger.
    fn nudged(&self, random: &mut fastrand::Rng) -> Self {
        let bit = Ratio::new(1, random.u128(1..400)).unwrap();
        let more = |points: &[(u64, Ratio)]| {
            points.iter().map(|(at, amount)| (*at, amount.checked_add(bit).unwrap())).collect()
        };
        let Self { release, switch, delay } = self;
        match random.u8(0..3) {
            0 => Self { release: release.checked_add(bit).unwrap(), switch: switch.clone(), delay: delay.clone() },
            1 => Self { release: *release, switch: more(switch), delay: delay.clone() },
            _ => Self { release: *release, switch: switch.clone(), delay: more(delay) },
        }
    }

    fn overheads(&self, dedicated: bool) -> Overheads<'_> {
        let of = |amount| Overhead { amount, ..Overhead::NONE };
        Overheads {
            release: Overhead::constant(self.release),
            scheduling: of(Function::Table(&self.switch)),
            context_switch: of(Function::Affine { base: self.release, slope: Ratio::ONE }),
            tick: Overhead::constant(Ratio::new(5, 2).unwrap()),
            tick_period: Some(100),
            ipi_latency: Overhead::constant(Ratio::whole(2)),
            event_latency: Overhead::constant(Ratio::new(7, 3).unwrap()),
            cache_delay: of(Function::Linear(&self.delay)),
            initial_cache_load: Overhead::constant(Ratio::ONE),
            dedicated_interrupt_processor: dedicated,
        }
    }
}

/// Preemption-centric accounting once more, with fractions of 128 bits and two divisions.
fn charged_by_hand(tasks: &[Task], overheads: &Overheads<'_>, processors: u32) -> Option<Vec<Task>> {
    let (count, zero) = (tasks.len() as u64, Ratio::ZERO);
    let at = |overhead: &Overhead<'_>| overhead.at(count).map(|amount| amount.value);
    let sum = |terms: &[Ratio]| terms.iter().try_fold(zero, |sum, term| sum.checked_add(*term));
    let here = if overheads.dedicated_interrupt_processor { zero } else { at(&overheads.release)? };
    let rates: Vec<Ratio> = tasks.iter().map(|task| Ratio::new(1, task.period.into()).unwrap()).collect();
    let ticks = overheads.tick_period.map_or(zero, |period| Ratio::new(1, period.into()).unwrap());
    let share = at(&overheads.tick)?.checked_mul(ticks)?.checked_add(here.checked_mul(sum(&rates)?)?)?;
    let event = at(&overheads.event_latency)?;
    let speed = Ratio::ONE.checked_sub(share).filter(|speed| !speed.is_zero())?;
    let tick = if overheads.tick_period.is_some() { at(&overheads.tick)? } else { zero };
    let burst = sum(&[tick, here.checked_mul(Ratio::whole(count))?, event.checked_mul(share)?])?.checked_div(speed)?;
    let ipi =
        if processors > 1 || overheads.dedicated_interrupt_processor { at(&overheads.ipi_latency)? } else { zero };
    let there = if overheads.dedicated_interrupt_processor { at(&overheads.release)? } else { zero };
    let switch = at(&overheads.scheduling)?.checked_add(at(&overheads.context_switch)?)?;
    let charge = |(index, task): (usize, &Task)| {
        let delays = tasks.iter().enumerate().filter(|(other, _)| *other != index);
        let delays = delays.map(|(_, task)| overheads.cache_delay.at(task.working_set_kib).unwrap().value);
        let load = overheads.initial_cache_load.at(task.working_set_kib)?.value;
        let own = sum(&[Ratio::whole(task.cost), load, switch, switch, delays.max().unwrap_or(zero)])?;
        let cost = sum(&[own.checked_div(speed)?, burst, burst, ipi, there])?.ceil() as u64;
        let shorter = event.ceil() as u64;
        let (period, deadline) = (task.period.checked_sub(shorter)?, task.deadline.checked_sub(shorter)?);
        Some(Task { working_set_kib: 0, ..Task::new(cost, period, deadline) })
    };
    tasks.iter().enumerate().map(charge).collect()
}

#[test]
fn changed_overheads_are_rejected_or_charged_the_same() {
    let (mut random, mut count, mut nudges) = (random(), Count::default(), [0, 0]);
    for round in 0..sets() / 40 {
        let times = set(&mut random, round % 3);
        let longer = |task: &Task| Task::new(task.cost * 20, task.period * 97, task.deadline * 98);
        let tasks: Vec<Task> =
            times.iter().map(|task| Task { working_set_kib: random.u64(8..24), ..longer(task) }).collect();
        let (platform, processors) = (Platform::any(&mut random), random.u32(1..=2));
        let overheads = platform.overheads(random.bool());
        let Some(inflated) = charged_by_hand(&tasks, &overheads, processors) else { continue };
        let shape = Shape::Clusters(if processors == 1 { &[1] } else { &[2] });
        let question = Question {
            tasks: &tasks,
            policy: JobRanking::Edf,
            shape,
            places: None,
            behaviours: Behaviours::PLAIN,
            overheads: Some(overheads),
            time: TimeModel::Continuous,
        };
        let test = if processors == 1 { "QPA" } else { "RTA" };
        let bins = vec![bin(processors, (0..tasks.len()).collect(), Some(inflated.clone()), test)];
        let Ok(text) = certificate::write(&question, &packed(bins, tasks.len())) else { continue };
        let rejection = prazo_checker::check(&text);
        assert!(!matches!(rejection, Err(prazo_checker::Rejected::WronglyCharged(_))), "{rejection:?}\n{text}");
        if rejection.is_ok() {
            count.attack_charges(&text);
        }
        for _ in 0..20 {
            let nudged = platform.nudged(&mut random);
            let overheads = nudged.overheads(overheads.dedicated_interrupt_processor);
            let same = charged_by_hand(&tasks, &overheads, processors).as_ref() == Some(&inflated);
            let question = Question { overheads: Some(overheads), ..question };
            let bins = vec![bin(processors, (0..tasks.len()).collect(), Some(inflated.clone()), "GFB")];
            let text = certificate::write(&question, &packed(bins, tasks.len())).unwrap();
            let refused = matches!(prazo_checker::check(&text), Err(prazo_checker::Rejected::WronglyCharged(_)));
            assert_eq!(refused, !same, "{text}");
            nudges[usize::from(same)] += 1;
        }
    }
    println!("{count:?}; overheads changed a little: {} charge otherwise, {} the same", nudges[0], nudges[1]);
}

/// One cluster of all processors is one queue: what is disproven there has a certificate under either name.
#[test]
fn a_miss_in_the_only_queue_is_certified() {
    let tasks: Vec<Task> = [(1, 2), (3, 5)].into_iter().map(|(cost, period)| Task::new(cost, period, period)).collect();
    for shape in [Shape::Global { processors: 1 }, Shape::Clusters(&[1])] {
        let question = Question {
            tasks: &tasks,
            policy: JobRanking::FixedPriority(Priorities::RateMonotonic),
            shape,
            places: None,
            behaviours: Behaviours::PLAIN,
            overheads: None,
            time: TimeModel::Continuous,
        };
        let answer = prazo_analysis::question::answer(&question, &Method::default()).unwrap();
        assert_eq!(answer.verdict, Verdict::Disproven);
        let text = certificate::write(&question, &answer).unwrap();
        assert!(prazo_checker::check(&text).is_ok(), "{text}");
    }
}
