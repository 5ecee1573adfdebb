//! The search of all states against every pattern of arrivals at whole ticks, halves and thirds of a tick: nothing proven misses, and
//! each disproof's arrivals, run tick by tick, make that job late.
//!
//! `PRAZO_SETS=100000 cargo test --release --test reach` is the long form; `PRAZO_SEED` repeats a run.

use prazo_analysis::question::{Caveat, Inflate, JobRanking, Method, Priorities, Question, Shape, answer};
use prazo_analysis::reach::{self, Ranking, SharedQueue};
use prazo_analysis::{Budget, Finding, LatePattern, Reason, Task, TaskSet, TimeModel, Verdict, certificate};
use prazo_core::behaviour::Behaviours;
use prazo_core::overheads::{Overhead, Overheads};
use prazo_core::ratio::Ratio;
use prazo_oracle::any_arrival::{MissSearch, Order, search};
use prazo_oracle::{Job, Platform, random, scaled, schedule};

#[path = "../../checker/tests/support/mod.rs"]
mod sealed;

/// Two to five tasks with C <= D <= T <= 7, in random order.
fn tiny_set(random: &mut fastrand::Rng, most: usize) -> Vec<Task> {
    let constrained = random.bool();
    let task = |random: &mut fastrand::Rng| {
        let period = random.u64(1..=7);
        let most = if random.bool() { period } else { period.div_ceil(3) };
        let cost = random.u64(1..=most);
        Task::new(cost, period, if constrained { random.u64(cost..=period) } else { period })
    };
    (0..random.usize(2..=most)).map(|_| task(random)).collect()
}

fn implicit<const N: usize>(tasks: [(u64, u64); N]) -> Vec<Task> {
    tasks.map(|(cost, period)| Task::implicit(cost, period)).to_vec()
}

fn found(tasks: &[Task], processors: u32, ranking: Ranking, budget: u64) -> Finding {
    let queue = SharedQueue { tasks: TaskSet::new(tasks).unwrap(), processors, ranking };
    reach::test(queue, TimeModel::Continuous, &mut Budget::new(budget))
}

/// True if the pattern is legal and its job is late, computed from one part of a tick to the next.
fn is_late(tasks: &[Task], processors: u32, ranking: Ranking, pattern: &LatePattern) -> bool {
    let finer = scaled(tasks, pattern.parts);
    let job = |arrival: &prazo_analysis::Arrival| {
        let of = &finer[arrival.task];
        let (at, due) = (arrival.at as i64, (arrival.at + of.deadline) as i64);
        Job { task: arrival.task, arrival: at, release: at, due, cost: of.cost }
    };
    let jobs: Vec<Job> = pattern.arrivals.iter().map(job).collect();
    let apart = |task: usize| {
        let own: Vec<i64> = jobs.iter().filter(|job| job.task == task).map(|job| job.arrival).collect();
        own.windows(2).all(|two| two[1] - two[0] >= finer[task].period as i64)
    };
    let due = pattern.job.deadline as i64;
    let ran = match ranking {
        Ranking::Edf => schedule(jobs.clone(), Platform::preemptive(processors), due, |job| job.due),
        Ranking::AsOrdered => schedule(jobs.clone(), Platform::preemptive(processors), due, |job| job.task as i64),
    };
    let late = |job: &Job| (job.task, job.arrival as u64) == (pattern.job.task, pattern.job.arrival);
    (0..tasks.len()).all(apart) && ran.unfinished.iter().any(late)
}

#[test]
fn what_is_proven_never_misses_and_what_is_disproven_does() {
    let mut random = random::seeded("state search", 91);
    let sets = random::sets(60);
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..sets {
        let (tasks, processors) = (tiny_set(&mut random, 4), random.u32(2..=3));
        for (order, ranking) in [(Order::Edf, Ranking::Edf), (Order::Fixed, Ranking::AsOrdered)] {
            let found = found(&tasks, processors, ranking, 1_000_000);
            let seen = [1, 2, 3].map(|parts| search(&scaled(&tasks, parts), processors, order, 3_000));
            let misses = seen.contains(&MissSearch::Miss);
            // Where the proof needs the rule for ties, the twin keeps it, too.
            let misses_by_rule = match found.test {
                reach::NAME_BY_INDEX => [1, 2, 3].iter().any(|parts| {
                    search(&scaled(&tasks, *parts), processors, Order::EdfByIndex, 3_000) == MissSearch::Miss
                }),
                _ => misses,
            };
            assert!(!(found.is_proven() && misses_by_rule), "{tasks:?} on {processors}, {ranking:?}: {found:?}");
            if let Reason::MissedIn(pattern) = &found.reason {
                assert!(is_late(&tasks, processors, ranking, pattern), "{tasks:?} on {processors}: {found:?}");
                assert!(!seen.iter().all(|seen| *seen == MissSearch::NoMiss) || pattern.parts > 3, "{tasks:?}");
            }
            *counts.entry((ranking == Ranking::Edf, found.verdict.name(), misses)).or_insert(0) += 1;
        }
    }
    eprintln!("{sets} sets (EDF, verdict, a miss at a third of a tick or coarser): {counts:?}");
    let decided: usize =
        counts.iter().filter(|((_, verdict, _), _)| *verdict != "unknown").map(|(_, count)| count).sum();
    assert!(decided * 10 > sets * 2 * 9, "more than one in ten sets stays unknown");
}

#[test]
fn a_set_that_misses_at_half_ticks_only_is_disproven_with_these() {
    let tasks = implicit([(1, 2), (1, 2), (1, 6), (2, 4)]);
    let found = found(&tasks, 2, Ranking::AsOrdered, 5_000_000);
    let Reason::MissedIn(pattern) = &found.reason else { panic!("{found:?}") };
    assert_eq!((pattern.parts, pattern.job.task), (2, 3));
    assert!(is_late(&tasks, 2, Ranking::AsOrdered, pattern));
}

fn question<'a>(tasks: &'a [Task], policy: JobRanking<'a>) -> Question<'a> {
    Question {
        tasks,
        policy,
        shape: Shape::Global { processors: 2 },
        places: None,
        behaviours: Behaviours::PLAIN,
        overheads: None,
        time: TimeModel::Continuous,
    }
}

/// The scenario `global-only`: no partitioning works, and no sufficient test accepts it.
#[test]
fn the_set_that_only_global_edf_serves_is_proven_with_a_certificate() {
    let tasks = implicit([(1, 2), (2, 3), (2, 3)]);
    let question = question(&tasks, JobRanking::Edf);
    let cheap = answer(&question, &Method { states: 0, ..Method::default() }).unwrap();
    assert_eq!(cheap.verdict, Verdict::Unknown);
    let answer = answer(&question, &Method::default()).unwrap();
    assert_eq!(answer.verdict, Verdict::Proven);
    assert_eq!(answer.decided_by.as_ref().unwrap().test, reach::NAME_BY_INDEX);
    assert_eq!(answer.caveats, [Caveat::TiesByIndex]);
    let text = certificate::write(&question, &answer).unwrap();
    prazo_checker::check(&text).unwrap();
}

#[test]
fn certificates_of_both_verdicts_are_accepted_and_no_changed_number_is() {
    let fixed = JobRanking::FixedPriority(Priorities::Given(&[0, 1, 2, 3]));
    let sets = [
        (implicit([(1, 2), (2, 3), (2, 3)]), JobRanking::Edf, Verdict::Proven),
        (implicit([(1, 2), (1, 2), (1, 6), (2, 4)]), fixed, Verdict::Disproven),
    ];
    let mut refused = 0;
    for (tasks, policy, verdict) in sets {
        let question = question(&tasks, policy);
        let answer = answer(&question, &Method::default()).unwrap();
        assert_eq!(answer.verdict, verdict);
        let text = certificate::write(&question, &answer).unwrap();
        prazo_checker::check(&text).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let evidence = lines.iter().position(|line| line.starts_with("verdict")).unwrap();
        // Without any one line, no certificate shows its verdict; a set of states may have more sides than it needs.
        let tried = |at: &usize| at.is_multiple_of(lines.len() / 25 + 1) || *at < evidence + 6;
        for left_out in (evidence..lines.len()).filter(tried) {
            let changed: String = lines
                .iter()
                .enumerate()
                .filter(|(at, _)| *at != left_out)
                .map(|(_, line)| format!("{line}\n"))
                .collect();
            let needless = lines[left_out].starts_with("facet");
            let outcome = prazo_checker::check(&changed);
            assert!(outcome.is_err() || needless || is_still_true(&outcome.unwrap(), verdict), "{}", lines[left_out]);
            refused += usize::from(prazo_checker::check(&changed).is_err());
        }
    }
    assert!(refused > 10, "{refused}");
}

/// What is accepted all the same says what was known.
fn is_still_true(accepted: &prazo_checker::Accepted, verdict: Verdict) -> bool {
    (accepted.verdict == prazo_checker::Verdict::Proven) == (verdict == Verdict::Proven)
}

#[test]
fn random_verdicts_have_certificates_that_the_checker_accepts() {
    let mut random = random::seeded("certified states", 92);
    let mut certified = [0; 2];
    for _ in 0..random::sets(40) {
        let tasks = tiny_set(&mut random, 4);
        let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
        for policy in [JobRanking::Edf, JobRanking::FixedPriority(Priorities::Given(&ranks))] {
            let question = question(&tasks, policy);
            let method = Method { states: 500_000, simulated_jobs: 50, ..Method::default() };
            let answer = answer(&question, &method).unwrap();
            let by = answer.decided_by.as_ref().filter(|finding| reach::NAMES.contains(&finding.test));
            let Some(by) = by else { continue };
            let text = certificate::write(&question, &answer).unwrap();
            let accepted = prazo_checker::check(&text);
            assert!(accepted.is_ok(), "{tasks:?} {policy:?}: {accepted:?}\n{text}");
            if text.lines().count() < 60 {
                sealed::refuses_longer_lines(&text);
            }
            certified[usize::from(by.is_proven())] += 1;
            assert_eq!(answer.caveats.contains(&Caveat::TiesByIndex), by.test == reach::NAME_BY_INDEX);
        }
    }
    eprintln!("certified (disproven, proven): {certified:?}");
    assert!(certified.iter().all(|count| *count > 0), "{certified:?}");
}

/// The sets of a proof, claimed of other tasks: what is accepted all the same misses in no pattern.
#[test]
fn a_proof_is_accepted_of_no_set_that_misses() {
    let mut random = random::seeded("forged states", 94);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..random::sets(12) {
        let tasks = tiny_set(&mut random, 3);
        let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
        let policies = [
            (JobRanking::Edf, Order::EdfByIndex),
            (JobRanking::FixedPriority(Priorities::Given(&ranks)), Order::Fixed),
        ];
        for (policy, order) in policies {
            let question = question(&tasks, policy);
            let mut answer = answer(&question, &Method { states: 300_000, ..Method::default() }).unwrap();
            if answer.verdict != Verdict::Proven {
                continue;
            }
            // Whatever has proven it: the states of a set that is proven are searched here.
            answer.decided_by = Some(Finding::proven(reach::NAME, None, None, 0));
            let Ok(text) = certificate::write(&question, &answer) else { continue };
            for (index, task) in tasks.iter().enumerate() {
                let longer = Task { cost: task.cost + 1, ..*task };
                let denser = Task { period: task.period - 1, deadline: task.deadline.min(task.period - 1), ..*task };
                for other in
                    [longer, denser].into_iter().filter(|other| other.period > 0 && other.cost <= other.deadline)
                {
                    let line = |task: &Task| {
                        format!("task {index} cost {} period {} deadline {} ", task.cost, task.period, task.deadline)
                    };
                    let forged = sealed::resealed(&text.replace(&line(task), &line(&other)));
                    let mut others = tasks.clone();
                    others[index] = other;
                    let misses = [1, 2].map(|parts| search(&scaled(&others, parts), 2, order, 3_000));
                    match prazo_checker::check(&forged) {
                        Ok(_) => assert!(!misses.contains(&MissSearch::Miss), "{others:?} is accepted and misses"),
                        Err(_) => refused += 1,
                    }
                    accepted += 1;
                }
            }
        }
    }
    eprintln!("{refused} of {accepted} forged certificates refused");
    assert!(refused > 10, "{refused} of {accepted}");
}

#[test]
fn few_small_sets_stay_unknown() {
    let mut random = random::seeded("unknown sets", 93);
    let (sets, mut unknown) = (random::sets(40), [[0; 2]; 2]);
    for _ in 0..sets {
        let (tasks, processors) = (tiny_set(&mut random, 5), random.u32(2..=3));
        let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
        let policies = [JobRanking::Edf, JobRanking::FixedPriority(Priorities::Given(&ranks))];
        for (policy, counts) in policies.into_iter().zip(&mut unknown) {
            let question = Question { shape: Shape::Global { processors }, ..question(&tasks, policy) };
            let verdict = |states| answer(&question, &Method { states, ..Method::default() }).unwrap().verdict;
            let before = verdict(0);
            let after = if before == Verdict::Unknown { verdict(2_000_000) } else { before };
            counts[0] += usize::from(before == Verdict::Unknown);
            counts[1] += usize::from(after == Verdict::Unknown);
        }
    }
    eprintln!(
        "{sets} sets, unknown before and after the search: EDF {:?}, fixed priorities {:?}",
        unknown[0], unknown[1]
    );
    let [before, after] = [0, 1].map(|when| unknown[0][when] + unknown[1][when]);
    assert!(after * 2 <= before && before > 0, "{after} of {before} stay unknown");
}

#[test]
fn a_spent_budget_is_unknown_and_the_answer_does_not_depend_on_the_run() {
    let tasks = implicit([(2, 4), (2, 6), (2, 6), (1, 3), (1, 6)]);
    let spent = found(&tasks, 2, Ranking::Edf, 20_000);
    assert_eq!((spent.verdict, &spent.reason), (Verdict::Unknown, &Reason::BudgetSpent));
    assert_eq!(spent.work, found(&tasks, 2, Ranking::Edf, 20_000).work);
    let many = vec![Task::implicit(1, 10); 7];
    assert!(matches!(found(&many, 2, Ranking::Edf, 1_000).reason, Reason::NotApplicable(_)));
    let late = [Task::new(1, 2, 3), Task::implicit(1, 2), Task::implicit(1, 2)];
    assert!(matches!(found(&late, 2, Ranking::Edf, 1_000).reason, Reason::NotApplicable(_)));
}

#[test]
fn in_discrete_time_only_whole_ticks_count() {
    let tasks = implicit([(1, 2), (1, 2), (1, 6), (2, 4)]);
    let queue = SharedQueue { tasks: TaskSet::new(&tasks).unwrap(), processors: 2, ranking: Ranking::AsOrdered };
    let found = reach::test(queue, TimeModel::Discrete, &mut Budget::new(5_000_000));
    assert_eq!((found.verdict, found.test), (Verdict::Proven, reach::NAME_DISCRETE));
}

/// The certificate that `sets` are never left, with the digest that it ought to have.
fn claimed(policy: &str, tasks: &[Task], sets: &str) -> String {
    let line = |(index, task): (usize, &Task)| {
        let Task { cost, period, deadline, .. } = task;
        format!("task {index} cost {cost} period {period} deadline {deadline} jitter 0 working-set 0\n")
    };
    let lines: String = tasks.iter().enumerate().map(line).collect();
    let members: String = (0..tasks.len()).map(|index| format!(" {index}")).collect();
    let digest = "0".repeat(64);
    let order = if policy == "edf" { String::new() } else { format!("order{members}\n") };
    sealed::resealed(&format!(
        "prazo-certificate 2\ntime continuous\npolicy {policy}\nshape global 1\n{lines}overheads none\ndigest sha256 {digest}\n\
         verdict proven\nbin 0 processors 1 tasks{members}\n{order}test state-search\n{sets}end\n"
    ))
}

/// The less urgent task misses at 12. In no vertex of what follows does a pending job have anything to do; along its directions it has.
#[test]
fn sets_of_states_that_are_unbounded_hide_no_successor() {
    let tasks = [Task::implicit(5, 10), Task::implicit(6, 12)];
    let sets = "ties any\n\
        states\nequal 0 0 0 1 0\nequal 0 0 0 0 1\nfacet 0 1 0 0 0\nfacet 0 0 1 0 0\n\
        states 0\nequal 0 0 0 0 1\nfacet -5 1 0 -1 0\nfacet 0 0 0 1 0\nfacet 0 0 1 0 0\n\
        states 1\nequal 0 0 0 1 0\nfacet -6 0 1 0 -1\nfacet 0 0 0 0 1\nfacet 0 1 0 0 0\n";
    let refused =
        prazo_checker::check(&claimed("fixed-priority given 0 1", &tasks, sets)).expect_err("a miss is proven");
    assert_eq!(
        refused.to_string(),
        "the proof or disproof fails: an arrival or a completion leads to a state that is in no set of the certificate"
    );
}

/// By the rule for ties, who runs depends on who has run: the states that jobs of full length reach do not cover shorter ones.
#[test]
fn by_the_rule_for_ties_a_set_must_hold_shorter_jobs() {
    let tasks = implicit([(1, 2), (2, 3), (2, 3)]);
    let question = question(&tasks, JobRanking::Edf);
    let text = certificate::write(&question, &answer(&question, &Method::default()).unwrap()).unwrap();
    let (before, behind) = text.split_once("states 0\n").expect("a set with a job of the first task alone");
    let equal = behind.lines().take_while(|line| line.starts_with("equal")).map(|line| line.len() + 1).sum();
    let (equal, behind) = behind.split_at(equal);
    let narrowed = format!("{before}states 0\n{equal}facet 0 0 0 0 1 0 0\n{behind}");
    let refused = prazo_checker::check(&narrowed).expect_err("short jobs are left out").to_string();
    assert!(
        refused.ends_with("a set of states must not have a lower bound on the remaining cost of a job"),
        "{refused}"
    );
}

/// Jobs that need less than C may end between ticks and meet other ties: under EDF whole ticks prove nothing.
#[test]
fn under_edf_a_proof_in_discrete_time_is_one_for_any_instant_and_names_its_rule_for_ties() {
    let tasks = implicit([(1, 2), (2, 3), (2, 3)]);
    let question = Question { time: TimeModel::Discrete, ..question(&tasks, JobRanking::Edf) };
    let answer = answer(&question, &Method::default()).unwrap();
    assert_eq!((answer.verdict, answer.decided_by.unwrap().test), (Verdict::Proven, reach::NAME_BY_INDEX));
    assert!(answer.caveats.contains(&Caveat::TiesByIndex), "{:?}", answer.caveats);
}

/// By how much the latencies of two events differ, EDF may rank their jobs in another order than the searched states have.
#[test]
fn under_edf_the_search_proves_nothing_where_events_have_a_latency() {
    let searched = implicit([(1, 2), (2, 3), (2, 3)]);
    let tasks: Vec<Task> = searched.iter().map(|task| Task::implicit(task.cost, task.period + 1)).collect();
    let late = Overheads { event_latency: Overhead::constant(Ratio::ONE), ..Overheads::NONE };
    let question = Question { overheads: Some(late), ..question(&tasks, JobRanking::Edf) };
    for sizes in [&[2][..], &[2, 1]] {
        let inflate_once = Method { inflate: Inflate::WholeSetOnce, ..Method::default() };
        for method in [Method::default(), inflate_once] {
            let places: Option<&[Option<u32>]> = (sizes.len() > 1).then_some(&[Some(0); 3]);
            let clustered = Question { shape: Shape::Clusters(sizes), places, ..question };
            assert_eq!(answer(&clustered, &method).unwrap().verdict, Verdict::Unknown, "{sizes:?}");
            let punctual = Question { tasks: &searched, overheads: None, ..clustered };
            assert_eq!(answer(&punctual, &method).unwrap().verdict, Verdict::Proven, "{sizes:?}");
        }
    }
    let mut found = answer(&question, &Method::default()).unwrap();
    assert_eq!(found.charged.as_ref().unwrap().tasks, searched, "without the latency they would be proven");
    assert_eq!((found.verdict, &found.decided_by), (Verdict::Unknown, &None));
    // Nor does the checker believe it.
    found.verdict = Verdict::Proven;
    found.decided_by = Some(Finding::proven(reach::NAME_BY_INDEX, None, None, 0));
    let text = certificate::write(&question, &found).unwrap();
    let refused = prazo_checker::check(&text).unwrap_err().to_string();
    assert!(refused.ends_with("under EDF, the state search does not cover event latency"), "{refused}");
}
