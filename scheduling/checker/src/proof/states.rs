//! Several processors, EDF or fixed priorities: sets of states that no arrival and no completion leaves, and in which no job is late.
//!
//! A state has for each task a number t, the time to its job's deadline or, where none is pending, the time until it may arrive again (not
//! below 0); and for each pending job a number r, what it still needs. The certificate names sets of states by linear inequalities
//! over (1, t..., r...), each with the jobs that are pending in it, most urgent first. For each set the checker
//!
//! - adds what becomes of it while time passes: all t, and the r of the first m pending jobs, fall at the rate 1, until the first r or the
//!   first t of a task that may arrive is 0;
//! - requires r <= t of every pending job in all of that;
//! - requires that what an end (r = 0) or an arrival (t = 0) makes of it is in the named sets.
//!
//! The state before the first arrival must be in a set, too. Then every state that jobs of length C reach is in one, by induction over the
//! events. Jobs that need less end no later (Ha and Liu, ICDCS 1994). Under EDF, `ties any` stands for every rule for equal deadlines: a job is
//! then tried at each place among its equals, and neighbours of equal deadline change places. `ties by-index` is this project's rule.
//!
//! A set in which some pending job has nothing left to do, in all of it, is passed over: it is reached by that job's end as well.
//!
//! Vertices are found from inequalities by the double description method (Motzkin and others 1953), in integers of 128 bits.

use super::Queue;
use crate::certificate::{States, Ties};
use crate::rejected::{Rejected, applies, consistent, overflow, show};
use prazo_core::ratio::gcd;
use prazo_core::task::Task;
use std::collections::HashMap;

/// The most tasks of a queue, inequalities of a set, and sets.
const TASKS_MAX: usize = 8;
const NORMALS_MAX: usize = 400;
const SETS_MAX: usize = 50_000;

/// A point (first coordinate above 0), a direction, or the normal of a half-space.
type Vector = Vec<i128>;

pub(super) fn check(queue: &Queue<'_>, ties: Ties, sets: &[States]) -> Result<(), Rejected> {
    queue.applies_to_constrained_deadlines()?;
    applies(queue.interrupts.is_empty(), "the state search does not cover charged interrupts")?;
    let small = queue.tasks.len() <= TASKS_MAX && sets.len() <= SETS_MAX;
    let small = small && sets.iter().all(|set| set.facets.len() + 2 * set.equal.len() <= NORMALS_MAX);
    if !small {
        return Err(Rejected::TooLarge(
            "there are more than 8 tasks or too many sets of states, or a set has too many inequalities".into(),
        ));
    }
    let order: Vec<usize> = queue.order.clone().unwrap_or_else(|| (0..queue.tasks.len()).collect());
    let model = Model {
        tasks: order.iter().map(|&position| queue.tasks[position]).collect(),
        processors: queue.processors as usize,
        by_deadline: queue.order.is_none(),
        ties,
    };
    let names: Vec<usize> = order.iter().map(|&position| queue.names[position]).collect();
    let mut known: HashMap<Vec<usize>, Vec<Set>> = HashMap::new();
    for set in sets {
        let set = model.read(set, &names)?;
        known.entry(set.pending.clone()).or_default().push(set);
    }
    let mut idle = vec![0; model.coordinates()];
    idle[0] = 1;
    let begins = known.get(&Vec::new()).is_some_and(|sets| sets.iter().any(|set| set.has(&idle)));
    show(begins, || "the state before the first arrival is in no set".into())?;
    known.values().flatten().try_for_each(|set| model.check_set(set, &known))
}

/// What is to be shown of.
struct Model {
    /// Most urgent first under fixed priorities.
    tasks: Vec<Task>,
    processors: usize,
    by_deadline: bool,
    ties: Ties,
}

/// One set: x with n x >= 0 for each normal n.
struct Set {
    /// Positions of the tasks whose jobs are pending, most urgent first.
    pending: Vec<usize>,
    normals: Vec<Vector>,
}

impl Set {
    fn has(&self, vector: &Vector) -> bool {
        self.normals.iter().all(|normal| dot(normal, vector).is_some_and(|product| product >= 0))
    }
}

impl Model {
    fn coordinates(&self) -> usize {
        2 * self.tasks.len() + 1
    }

    fn t(&self, task: usize) -> usize {
        1 + task
    }

    fn r(&self, task: usize) -> usize {
        1 + self.tasks.len() + task
    }

    fn axis(&self, coordinate: usize, entry: i128) -> Vector {
        (0..self.coordinates()).map(|other| if other == coordinate { entry } else { 0 }).collect()
    }

    /// A set of the certificate, whose tasks have these `names`.
    fn read(&self, set: &States, names: &[usize]) -> Result<Set, Rejected> {
        let place = |task: &usize| names.iter().position(|name| name == task);
        let pending: Option<Vec<usize>> = set.pending.iter().map(place).collect();
        let pending =
            pending.ok_or_else(|| Rejected::Inconsistent("a pending job belongs to no task of the bin".into()))?;
        let once = (1..pending.len()).all(|index| !pending[..index].contains(&pending[index]));
        consistent(once, || "a task has two pending jobs".into())?;
        let by_rank = self.by_deadline || pending.is_sorted();
        consistent(by_rank, || "pending jobs are not in the order of their priorities".into())?;
        let long = set.facets.iter().chain(&set.equal).all(|normal| normal.len() == self.coordinates());
        consistent(long, || "an inequality of a set of states does not have one number for each coordinate".into())?;
        let wide = |normal: &Vec<i64>| -> Vector { normal.iter().map(|&entry| entry.into()).collect() };
        let both =
            set.equal.iter().flat_map(|normal| [wide(normal), wide(normal).iter().map(|entry| -entry).collect()]);
        let normals: Vec<Vector> = set.facets.iter().map(wide).chain(both).collect();
        // While time passes, a t that would fall below 0 stays there: the state with a greater t must be in the set as well.
        let idle = (0..self.tasks.len()).filter(|task| !pending.contains(task));
        let rises = idle.map(|task| self.t(task)).all(|t| normals.iter().all(|normal| normal[t] >= 0));
        consistent(rises, || {
            "a set of states must not have an upper bound on the time until a task may arrive again".into()
        })?;
        // Under a rule for ties that names tasks, a shorter job is no easier by itself: its state must be in the set, too.
        let falls = pending.iter().map(|&task| self.r(task)).all(|r| normals.iter().all(|normal| normal[r] <= 0));
        consistent(self.ties == Ties::Any || falls, || {
            "with ties by index, a set of states must not have a lower bound on the remaining cost of a job".into()
        })?;
        Ok(Set { pending, normals })
    }

    /// No job is late on the way from `set` to the next event, and what follows is in `known`.
    fn check_set(&self, set: &Set, known: &HashMap<Vec<usize>, Vec<Set>>) -> Result<(), Rejected> {
        let passed = self.passed(set)?;
        let all = generators(self.coordinates(), &passed)?;
        for &task in &set.pending {
            let in_time = all.iter().all(|state| state[self.r(task)] <= state[self.t(task)]);
            show(in_time, || "a job may be late in a set of states".into())?;
        }
        for place in 0..set.pending.len().min(self.processors) {
            let (mut pending, task) = (set.pending.clone(), set.pending[place]);
            pending.remove(place);
            let ended = all.iter().filter(|state| state[self.r(task)] == 0).map(|state| self.ended(task, state));
            self.check_follows(pending, ended.collect::<Option<_>>().ok_or_else(overflow)?, known)?;
        }
        for place in self.yielding(set) {
            let (mut pending, [task, next]) = (set.pending.clone(), [set.pending[place], set.pending[place + 1]]);
            pending.swap(place, place + 1);
            let equal = all.iter().filter(|state| state[self.t(task)] == state[self.t(next)]);
            self.check_follows(pending, equal.cloned().collect(), known)?;
        }
        for task in (0..self.tasks.len()).filter(|task| !set.pending.contains(task)) {
            self.check_arrivals(set, &passed, task, known)?;
        }
        Ok(())
    }

    /// The sides of what `set` becomes until the next event: the time that has passed is eliminated from them.
    fn passed(&self, set: &Set) -> Result<Vec<Vector>, Rejected> {
        let mut flow = vec![0; self.coordinates()];
        (0..self.tasks.len()).for_each(|task| flow[self.t(task)] = -1);
        set.pending.iter().take(self.processors).for_each(|&task| flow[self.r(task)] = -1);
        let mut sides = vec![self.axis(0, 1)];
        for task in 0..self.tasks.len() {
            let coordinate = if set.pending.contains(&task) { self.r(task) } else { self.t(task) };
            sides.push(self.axis(coordinate, 1));
        }
        let rate = |normal: &Vector| dot(normal, &flow).ok_or_else(overflow);
        let rates = set.normals.iter().map(rate).collect::<Result<Vec<_>, _>>()?;
        for (upper, &falls) in set.normals.iter().zip(&rates).filter(|(_, rate)| **rate >= 0) {
            sides.push(upper.clone());
            for (lower, &rises) in set.normals.iter().zip(&rates).filter(|(_, rate)| **rate < 0) {
                if falls > 0 {
                    sides.push(combined([(-rises, upper), (falls, lower)]).ok_or_else(overflow)?);
                }
            }
        }
        // Pending jobs are in the order of their deadlines; so states of equal deadlines are a face.
        if self.by_deadline {
            for pair in set.pending.windows(2) {
                let mut side = self.axis(self.t(pair[1]), 1);
                side[self.t(pair[0])] = -1;
                sides.push(side);
            }
        }
        Ok(sides)
    }

    fn check_arrivals(
        &self,
        set: &Set,
        passed: &[Vector],
        task: usize,
        known: &HashMap<Vec<usize>, Vec<Set>>,
    ) -> Result<(), Rejected> {
        let deadline = i128::from(self.tasks[task].deadline);
        let above = set.pending.iter().filter(|&&other| other < task).count();
        let places = if self.by_deadline { 0..=set.pending.len() } else { above..=above };
        for place in places {
            let mut sides = passed.to_vec();
            let neighbours = [(place.checked_sub(1), -1), (Some(place), 1)];
            let neighbours = neighbours.into_iter().filter(|_| self.by_deadline);
            let neighbours: Vec<(usize, i128)> =
                neighbours.filter_map(|(at, sign)| Some((at.filter(|&at| at < set.pending.len())?, sign))).collect();
            for &(at, sign) in &neighbours {
                let mut side = self.axis(self.t(set.pending[at]), sign);
                side[0] = -sign * deadline;
                sides.push(side);
            }
            let mut states = generators(self.coordinates(), &sides)?;
            states.retain(|state| state[self.t(task)] == 0);
            let stands = neighbours.iter().all(|&(at, sign)| {
                let equal_goes_first = at < self.processors || set.pending[at] < task;
                let by_rule = self.ties == Ties::Any || equal_goes_first == (sign < 0);
                by_rule || states.iter().any(|state| state[self.t(set.pending[at])] != deadline * state[0])
            });
            if !stands {
                continue;
            }
            for state in &mut states {
                let of = &self.tasks[task];
                let times = |ticks: u64| state[0].checked_mul(ticks.into()).ok_or_else(overflow);
                let (due, left) = (times(of.deadline)?, times(of.cost)?);
                (state[self.t(task)], state[self.r(task)]) = (due, left);
            }
            let mut pending = set.pending.clone();
            pending.insert(place, task);
            self.check_follows(pending, states, known)?;
        }
        Ok(())
    }

    /// What the end of `task` makes of a state: the time to its deadline turns into the time to its next arrival.
    fn ended(&self, task: usize, state: &Vector) -> Option<Vector> {
        let apart = i128::from(self.tasks[task].period - self.tasks[task].deadline);
        let mut state = state.clone();
        state[self.t(task)] = state[self.t(task)].checked_add(state[0].checked_mul(apart)?)?;
        Some(state)
    }

    /// Places of jobs that may change with the next.
    fn yielding(&self, set: &Set) -> Vec<usize> {
        let may = |&place: &usize| match self.ties {
            Ties::Any => true,
            Ties::ByIndex => {
                let both_run_or_wait = place + 1 < self.processors || place >= self.processors;
                both_run_or_wait && set.pending[place] > set.pending[place + 1]
            }
        };
        let pairs = if self.by_deadline { set.pending.len().saturating_sub(1) } else { 0 };
        (0..pairs).filter(may).collect()
    }

    /// All of `states` are in one set.
    fn check_follows(
        &self,
        pending: Vec<usize>,
        states: Vec<Vector>,
        known: &HashMap<Vec<usize>, Vec<Set>>,
    ) -> Result<(), Rejected> {
        // Directions count as well: along one of them, the job may have more to do than at every vertex.
        let done = |&task: &usize| states.iter().all(|state| state[self.r(task)] <= 0);
        if !states.iter().any(|state| state[0] > 0) || pending.iter().any(done) {
            return Ok(());
        }
        let covers = |set: &&Set| states.iter().all(|state| set.has(state));
        let covered = known.get(&pending).is_some_and(|sets| sets.iter().any(|set| covers(&set)));
        show(covered, || "an arrival or a completion leads to a state that is in no set of the certificate".into())
    }
}

/// The inner product; `None` beyond 128 bits.
fn dot(left: &Vector, right: &Vector) -> Option<i128> {
    left.iter().zip(right).try_fold(0i128, |sum, (left, right)| sum.checked_add(left.checked_mul(*right)?))
}

/// The sum of two multiples over its greatest common divisor.
fn combined(terms: [(i128, &Vector); 2]) -> Option<Vector> {
    let [(first, left), (second, right)] = terms;
    let entry = |(left, right): (&i128, &i128)| left.checked_mul(first)?.checked_add(right.checked_mul(second)?);
    let sum: Vector = left.iter().zip(right).map(entry).collect::<Option<_>>()?;
    let common = sum.iter().fold(0u128, |common, entry| gcd(common, entry.unsigned_abs()));
    let common = i128::try_from(common.max(1)).ok()?;
    Some(sum.into_iter().map(|entry| entry / common).collect())
}

/// The most sides of a set on the way to its next event.
const SIDES_MAX: usize = 1_024;

/// Sides, as bits.
type Sides = [u64; SIDES_MAX / 64];

/// A generator with the sides that it lies on.
struct Generator {
    vector: Vector,
    on: Sides,
}

/// `sides` with one more.
fn with(mut sides: Sides, side: usize) -> Sides {
    sides[side / 64] |= 1 << (side % 64);
    sides
}

/// The vertices and extreme directions of the cone that `sides` bound; it must hold no line.
fn generators(coordinates: usize, sides: &[Vector]) -> Result<Vec<Vector>, Rejected> {
    let axis = |index: usize| -> Vector { (0..coordinates).map(|other| i128::from(other == index)).collect() };
    let mut lines: Vec<Vector> = (0..coordinates).map(axis).collect();
    let mut rays: Vec<Generator> = Vec::new();
    if sides.len() > SIDES_MAX {
        return Err(Rejected::TooLarge("a set of states has too many inequalities".into()));
    }
    for (number, side) in sides.iter().enumerate() {
        let product = |vector: &Vector| dot(side, vector).ok_or_else(overflow);
        let of_lines = lines.iter().map(product).collect::<Result<Vec<_>, _>>()?;
        if let Some(index) = of_lines.iter().position(|product| *product != 0) {
            let (mut line, along) = (lines.swap_remove(index), of_lines[index]);
            if along < 0 {
                line.iter_mut().for_each(|entry| *entry = -*entry);
            }
            let onto = |vector: &Vector| -> Result<Vector, Rejected> {
                combined([(along.abs(), vector), (-product(vector)?, &line)]).ok_or_else(overflow)
            };
            lines = lines.iter().map(onto).collect::<Result<_, _>>()?;
            for ray in &mut rays {
                *ray = Generator { vector: onto(&ray.vector)?, on: with(ray.on, number) };
            }
            rays.push(Generator { vector: line, on: (0..number).fold([0; SIDES_MAX / 64], with) });
            continue;
        }
        let products = rays.iter().map(|ray| product(&ray.vector)).collect::<Result<Vec<_>, _>>()?;
        let mut made = Vec::new();
        for above in (0..rays.len()).filter(|&index| products[index] > 0) {
            for below in (0..rays.len()).filter(|&index| products[index] < 0) {
                if adjacent(&rays, above, below) {
                    let terms = [(products[above], &rays[below].vector), (-products[below], &rays[above].vector)];
                    let vector = combined(terms).ok_or_else(overflow)?;
                    made.push(Generator { vector, on: with(common(&rays[above].on, &rays[below].on), number) });
                }
            }
        }
        let kept = rays.into_iter().zip(products).filter(|(_, product)| *product >= 0);
        let kept = kept.map(|(ray, product)| match product {
            0 => Generator { on: with(ray.on, number), ..ray },
            _ => ray,
        });
        rays = kept.chain(made).collect();
    }
    consistent(lines.is_empty(), || "a set of states is unbounded in two opposite directions".into())?;
    Ok(rays.into_iter().map(|ray| ray.vector).collect())
}

/// The sides on which both lie.
fn common(left: &Sides, right: &Sides) -> Sides {
    std::array::from_fn(|word| left[word] & right[word])
}

/// True if no third lies on all sides on which both lie.
fn adjacent(rays: &[Generator], above: usize, below: usize) -> bool {
    let both = common(&rays[above].on, &rays[below].on);
    let lies_on_both = |ray: &Generator| common(&ray.on, &both) == both;
    !rays.iter().enumerate().any(|(index, ray)| index != above && index != below && lies_on_both(ray))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::time_model::TimeModel;

    /// One processor and `count` tasks that execute 1 every 2.
    fn checked(count: usize, sets: &[States]) -> Result<(), Rejected> {
        let (tasks, names): (Vec<Task>, Vec<usize>) = (0..count).map(|name| (Task::implicit(1, 2), name)).unzip();
        let time = TimeModel::Continuous;
        let queue = Queue {
            processors: 1,
            tasks: &tasks,
            names: &names,
            interrupts: &[],
            order: None,
            behaviours: None,
            phases: &[],
            time,
        };
        check(&queue, Ties::Any, sets)
    }

    /// The states of one task, over (1, t, r). Idle: t >= 0 and r = 0, with this many sides. Pending: 0 <= r <= 1 and r <= t + `late`.
    fn sets(sides: usize, late: i64) -> [States; 2] {
        let idle = States { pending: Vec::new(), facets: vec![vec![0, 1, 0]; sides - 2], equal: vec![vec![0, 0, 1]] };
        let facets = vec![vec![0, 0, 1], vec![1, 0, -1], vec![late, 1, -1]];
        [idle, States { pending: vec![0], facets, equal: Vec::new() }]
    }

    #[test]
    fn a_job_may_end_at_its_deadline_and_not_after_it() {
        assert_eq!(checked(1, &sets(3, 0)), Ok(()));
        let late = Rejected::NotShown("a job may be late in a set of states".into());
        assert_eq!(checked(1, &sets(3, 1)), Err(late));
    }

    #[test]
    fn an_equality_counts_as_two_sides_of_a_set() {
        assert_eq!(checked(1, &sets(NORMALS_MAX, 0)), Ok(()));
        let refused = checked(1, &sets(NORMALS_MAX + 1, 0));
        assert!(matches!(refused, Err(Rejected::TooLarge(_))), "{refused:?}");
    }

    #[test]
    fn so_many_tasks_are_checked_and_no_more() {
        // Without a set there is none for the state before the first arrival.
        let checks = checked(TASKS_MAX, &[]);
        assert!(matches!(checks, Err(Rejected::NotShown(_))), "{checks:?}");
        let refused = checked(TASKS_MAX + 1, &[]);
        assert!(matches!(refused, Err(Rejected::TooLarge(_))), "{refused:?}");
    }

    #[test]
    fn as_many_sides_as_there_are_bits_bound_a_cone() {
        let cone = |sides: usize| generators(1, &vec![vec![1]; sides]);
        assert_eq!(cone(SIDES_MAX), Ok(vec![vec![1]]));
        let refused = cone(SIDES_MAX + 1);
        assert!(matches!(refused, Err(Rejected::TooLarge(_))), "{refused:?}");
    }
}
