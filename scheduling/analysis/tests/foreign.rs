//! Files in the formats of other tools have the verdict of the TOML set that says the same: `scheduling/scenario/tests/foreign/`.

use prazo_analysis::Verdict;
use prazo_analysis::question::{Answer, JobRanking, Method, Priorities, Question, Shape, answer};
use prazo_core::time_model::TimeModel;
use prazo_scenario::ResolvedBehaviours;
use prazo_scenario::read;
use prazo_scenario::set::{self, Scenario};
use std::path::{Path, PathBuf};

/// Each file with the verdict of the system that it states.
const FILES: [(&str, Verdict); 9] = [
    ("gimbal.xml", Verdict::Proven),
    ("partitions.xml", Verdict::Proven),
    ("loom.xml", Verdict::Proven),
    ("kiln.xml", Verdict::Disproven),
    ("bus.yaml", Verdict::Proven),
    // Task 3 blocks task 1 for 7, whose job takes 2 and may be released 1 late: just in time for 10.
    ("press.csv", Verdict::Proven),
    // With other first arrivals task 9 blocks task 4 for 4, which is late then; with these it never is.
    ("valve.yaml", Verdict::Proven),
    ("mixer.yaml", Verdict::Proven),
    ("desk.csv", Verdict::Proven),
];

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenario/tests/foreign").join(name)
}

/// What is answered about the set as it states its system, on `processors` if it states none.
fn answered(scenario: &Scenario, processors: u32) -> Answer {
    let (tasks, ranks) = (scenario.tasks(), scenario.ranks().unwrap_or_default());
    let places: Vec<Option<u32>> = scenario.tasks.iter().map(|named| named.cluster).collect();
    let behaviours = ResolvedBehaviours::of(scenario);
    let question = Question {
        tasks: &tasks,
        policy: match scenario.policy {
            None | Some(set::JobRanking::Edf) => JobRanking::Edf,
            Some(set::JobRanking::FixedPriority(set::Priorities::RateMonotonic)) => {
                JobRanking::FixedPriority(Priorities::RateMonotonic)
            }
            Some(set::JobRanking::FixedPriority(_)) => JobRanking::FixedPriority(Priorities::Given(&ranks)),
        },
        shape: match &scenario.clusters {
            Some(sizes) => Shape::Clusters(sizes),
            None => Shape::Global { processors: scenario.processors.unwrap_or(processors) },
        },
        places: places.iter().any(Option::is_some).then_some(&places),
        behaviours: behaviours.borrow(),
        overheads: None,
        time: TimeModel::Continuous,
    };
    answer(&question, &Method::default()).unwrap()
}

#[test]
fn each_file_has_the_verdict_of_its_twin() {
    for (name, verdict) in FILES {
        let read = |name: &str| read::file(&file(name)).unwrap_or_else(|why| panic!("{why}"));
        let (set, twin) = (read(name), read(&format!("{name}.toml")));
        for processors in [1, 2] {
            let (one, other) = (answered(&set, processors), answered(&twin, processors));
            assert_eq!(one.verdict, other.verdict, "{name}");
            assert_eq!(one.findings, other.findings, "{name}");
            if processors == 1 {
                assert_eq!(one.verdict, verdict, "{name}: {:?}", one.findings);
            }
        }
    }
}

/// One tick more of cost for the least urgent task of the POET workload, and a job of its first task is late.
#[test]
fn a_verdict_depends_on_what_the_file_says() {
    let name = file("bus.yaml");
    let text = std::fs::read_to_string(&name).unwrap();
    let verdict = |cost: u32| {
        let tail = "worst-case execution time: 4\n  period: 40";
        assert!(text.contains(tail));
        let text = text.replace(tail, &format!("worst-case execution time: {cost}\n  period: 40"));
        answered(&read::any(&name, &text).unwrap(), 1).verdict
    };
    let costs: Vec<Verdict> = (1..=12).map(verdict).collect();
    let proven = costs.iter().take_while(|verdict| **verdict == Verdict::Proven).count();
    assert!(proven >= 4 && costs[proven..].iter().all(|verdict| *verdict == Verdict::Disproven), "{costs:?}");
    assert!(proven < costs.len());
}
