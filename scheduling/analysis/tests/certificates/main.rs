//! Certificates are written here and checked by a crate that trusts nothing of this one.

mod adversary;
mod clusters;
mod overheads;
mod random_sets;
mod reference;
#[path = "../../../checker/tests/support/mod.rs"]
mod sealed;

use prazo_analysis::certificate;
use prazo_analysis::overheads::Charged;
use prazo_analysis::question::{Answer, JobRanking, Priorities, Question, Shape};
use prazo_analysis::{Finding, Task, TimeModel, Verdict};
use prazo_core::behaviour::Behaviours;
use prazo_oracle::scaled;
use sealed::{refuses_longer_lines, resealed};

/// The tests for global EDF, as the literature calls them.
const TESTS: &[&str] = prazo_analysis::gedf::Test::NAMES;

/// The tasks in ticks that show the arrivals of `time`: a proof in continuous time holds between ticks, so each becomes two.
fn refined(tasks: &[Task], time: TimeModel) -> Vec<Task> {
    scaled(tasks, if time == TimeModel::Continuous { 2 } else { 1 })
}

/// An answer that `finding` decided, with these tasks charged.
fn answer(finding: Finding, inflated: Option<Vec<Task>>) -> Answer {
    let charged = inflated.map(|tasks| Charged { tasks, first_real: 0, extrapolated: false });
    Answer { verdict: finding.verdict, decided_by: Some(finding), charged, ..Answer::open() }
}

/// The question whether `tasks` meet their deadlines on processors that share one queue.
fn question<'a>(tasks: &'a [Task], policy: JobRanking<'a>, processors: u32) -> Question<'a> {
    Question {
        tasks,
        policy,
        shape: Shape::Global { processors },
        places: None,
        behaviours: Behaviours::PLAIN,
        overheads: None,
        time: TimeModel::Continuous,
    }
}

/// The certificate that `test` proves the question's tasks, if its numbers can be found.
fn claim(question: &Question<'_>, test: &'static str) -> Option<String> {
    certificate::write(question, &answer(Finding::proven(test, None, None, 0), None)).ok()
}

/// True if `test`'s proof can be written, and the checker accepts it.
fn is_shown(question: &Question<'_>, test: &'static str) -> bool {
    claim(question, test).is_some_and(|text| prazo_checker::check(&text).is_ok())
}

#[test]
fn an_unknown_answer_has_no_certificate() {
    let tasks = [Task::implicit(1, 2)];
    let unknown = Finding::does_not_hold("GFB", None, None, 0);
    assert_eq!(unknown.verdict, Verdict::Unknown);
    let written = certificate::write(&question(&tasks, JobRanking::Edf, 1), &answer(unknown, None));
    assert_eq!(written, Err(certificate::NoCertificate::Undecided));
}

#[test]
fn a_global_fixed_priority_proof_has_a_certificate_only_if_its_test_is_known() {
    let tasks = [Task::implicit(1, 4), Task::implicit(1, 5)];
    let question = question(&tasks, JobRanking::FixedPriority(Priorities::RateMonotonic), 2);
    for &test in prazo_analysis::gfp::Test::NAMES {
        assert!(is_shown(&question, test), "{test}");
    }
    let unknown = Finding::proven("GFB", None, None, 0);
    let written = certificate::write(&question, &answer(unknown, None));
    assert_eq!(written, Err(certificate::NoCertificate::UnknownTest("GFB")));
}
