//! Whole sets: the cap is exact, costs are whole and never zero, a seed means one set for ever.

use super::*;
use std::num::NonZeroU16;

fn ratio(text: &str) -> Ratio {
    text.parse().unwrap()
}

fn exact_utilization(tasks: &[Task]) -> Ratio {
    let shares = tasks.iter().map(|task| Ratio::new(task.cost.into(), task.period.into()).unwrap());
    shares.fold(Ratio::ZERO, |sum, share| sum.checked_add(share).expect("periods in whole ms of [3, 33] fit"))
}

fn families() -> Vec<Family> {
    let tasks = NonZeroU16::new(24).unwrap();
    let spreads = [
        Utilizations::Uniform(Uniform::LIGHT),
        Utilizations::Uniform(Uniform::MEDIUM),
        Utilizations::Uniform(Uniform::HEAVY),
        Utilizations::Exponential(Exponential::LIGHT),
        Utilizations::Exponential(Exponential::MEDIUM),
        Utilizations::Exponential(Exponential::HEAVY),
        Utilizations::Bimodal(Bimodal::LIGHT),
        Utilizations::Bimodal(Bimodal::MEDIUM),
        Utilizations::Bimodal(Bimodal::HEAVY),
        Utilizations::UUniFastDiscard(UUniFastDiscard { tasks }),
        Utilizations::RandFixedSum(RandFixedSum { tasks, range: None }),
    ];
    let deadlines = [Deadlines::Implicit, Deadlines::UniConstrained, Deadlines::UniArbitrary];
    let family = |utilization, deadlines| Family { utilization, periods: Periods::SHORT, deadlines };
    spreads.into_iter().flat_map(|spread| deadlines.map(|deadlines| family(spread, deadlines))).collect()
}

#[test]
fn no_set_of_any_family_crosses_its_cap() {
    for (number, family) in families().into_iter().enumerate() {
        for index in 0..30 {
            let cap = ratio(["2", "7.9", "1/3", "5.55"][index as usize % 4]);
            let tasks = family.draw(&mut set_rng(10, number as u64, index), cap);
            let total = exact_utilization(&tasks);
            assert!(total <= cap, "{family:?} set {index}: {total} > {cap}");
            let short = cap.checked_sub(total).unwrap().to_f64();
            assert!(short < 0.0004, "{family:?} set {index} falls short of {cap} by {short}");
        }
    }
}

#[test]
fn costs_are_at_least_one_microsecond_and_fit_their_window() {
    for (number, family) in families().into_iter().enumerate() {
        let tasks = family.draw(&mut set_rng(11, number as u64, 0), ratio("4"));
        assert!(!tasks.is_empty());
        assert!(tasks.iter().all(|task| task.cost >= 1 && task.cost <= task.window()), "{family:?}: {tasks:?}");
        assert!(tasks.iter().all(|task| task.period % 1_000 == 0 && (3_000..=33_000).contains(&task.period)));
    }
}

#[test]
fn the_sets_of_vitor_2013_have_about_twenty_tasks_a_processor() {
    let mean = |cap: &str| {
        let sizes = (0..200).map(|index| Family::PAPERS_004.draw(&mut set_rng(12, 0, index), ratio(cap)).len());
        sizes.sum::<usize>() as f64 / 200.0
    };
    assert!((mean("2.0") - 40.0).abs() < 1.5);
    assert!((mean("7.9") - 157.0).abs() < 2.0);
}

#[test]
fn a_cap_no_microsecond_fits_into_yields_no_task() {
    assert!(Family::PAPERS_004.draw(&mut set_rng(13, 0, 0), ratio("0.00001")).is_empty());
    assert!(Family::PAPERS_004.draw(&mut set_rng(13, 0, 0), Ratio::ZERO).is_empty());
}

#[test]
fn more_utilization_than_tasks_yields_no_set() {
    let tasks = NonZeroU16::new(3).unwrap();
    let family =
        Family { utilization: Utilizations::RandFixedSum(RandFixedSum { tasks, range: None }), ..Family::PAPERS_004 };
    assert!(family.draw(&mut set_rng(13, 0, 1), ratio("3.5")).is_empty());
    assert_eq!(family.draw(&mut set_rng(13, 0, 1), ratio("3")).len(), 3);
}

/// Pinned once: if this fails, a stored experiment can no longer be repeated, and CHANGELOG.md needs a line under
/// Method.
#[test]
fn a_seed_means_the_same_set_for_ever() {
    let first = |family: &Family| {
        let tasks = family.draw(&mut set_rng(2013, 79, 999), ratio("7.9"));
        let head: Vec<_> = tasks.iter().take(2).map(|task| (task.cost, task.period, task.deadline)).collect();
        (tasks.len(), head)
    };
    let families = families();
    assert_eq!(first(&families[0]), (153, vec![(1_175, 14_000, 14_000), (978, 24_000, 24_000)]));
    assert_eq!(first(&families[10]), (86, vec![(2_545, 14_000, 10_421), (97, 15_000, 8_655)]));
    assert_eq!(first(&families[20]), (30, vec![(4_817, 14_000, 12_188), (932, 4_000, 4_092)]));
    assert_eq!(first(&families[28]), (24, vec![(952, 6_000, 1_194), (13_508, 22_000, 14_124)]));
    assert_eq!(first(&families[32]), (24, vec![(723, 7_000, 9_468), (20_022, 25_000, 29_214)]));
}

#[test]
fn a_family_is_read_from_toml_and_written_back() {
    let text = "utilization = { kind = \"bimodal\", parts = [8, 1] }\nperiods = { us = [3_000, 33_000] }\n";
    let family: Family = toml::from_str(text).unwrap();
    assert_eq!(family, Family { utilization: Utilizations::Bimodal(Bimodal::LIGHT), ..Family::PAPERS_004 });
    for family in families() {
        assert_eq!(toml::from_str::<Family>(&toml::to_string(&family).unwrap()).unwrap(), family);
    }
}

#[test]
fn a_wrong_family_is_refused_with_its_field() {
    let refused = |text: &str| toml::from_str::<Family>(text).unwrap_err().to_string();
    let periods = "periods = { us = [3_000, 33_000] }\n";
    assert!(
        refused(&format!("{periods}utilization = {{ kind = \"uniform\", range = [0.0, 0.1] }}")).contains("above 0")
    );
    assert!(refused(&format!("{periods}utilization = {{ kind = \"unifrom\" }}")).contains("unifrom"));
    assert!(refused(&format!("{periods}utilization = {{ kind = \"rand-fixed-sum\", tasks = 0 }}")).contains("nonzero"));
    assert!(
        refused(&format!("{periods}utilization = {{ kind = \"uniform\", range = [0.1, 0.2], mean = 1 }}"))
            .contains("mean")
    );
}
