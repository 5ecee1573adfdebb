//! Certificates: an answer written down so that a program that trusts none of this crate can check it.
//!
//! The tests of other modules search, and keep no trace. Once one of them said Proven, the files here find the few
//! numbers that the proof needs once more, by the simplest way: the points at which demand must be looked at, response
//! times, a speed. The checker only puts them in. The format is described in docs/certificates.md.
//!
//! ```text
//! Question + Answer ─► text (tasks, overheads) + bins ─► evidence, one file a kind of number ─► certificate
//! ```

mod bar;
mod blocking;
mod completions;
mod demand_line;
mod descent;
mod digest;
mod disproof;
mod ffdbf;
mod graph;
mod guan;
mod load;
mod mixed;
mod order;
mod qpa;
mod slack;
mod states;
mod text;

use crate::gedf::Test;
use crate::partition::Bin;
use crate::question::{Answer, JobRanking, Question, Shape};
use crate::reach::{self, Ranking};
use crate::{Finding, Task, TaskSet, TimeModel, Verdict, gedf, gfp, schedule_graph};
use order::Ranked;
use std::fmt;

/// Why there is no certificate for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCertificate {
    /// The answer is Unknown: there is nothing to show.
    Undecided,
    /// The answer names no proof: no finding, no packing that succeeded.
    NoProof,
    /// The checker knows no proof by the test of this name.
    UnknownTest(&'static str),
    /// The numbers that this test's proof needs were not found again.
    NotFoundAgain(&'static str),
    /// The proof has more than a million numbers.
    TooLong(&'static str),
    /// The verdict holds only with overheads charged; those are upper bounds, so nothing is disproven.
    OnlyWhenCharged,
    /// The job misses when releases are as late as their jitter; the checker computes schedules without.
    LateReleases,
    /// The job misses under one order of priorities; the verdict is about all of them.
    OneOrder,
}

impl fmt::Display for NoCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undecided => f.write_str("the verdict is unknown, so there is nothing to certify"),
            Self::NoProof => f.write_str("the result has no proof or disproof that a certificate can state"),
            Self::UnknownTest(test) => write!(f, "the checker cannot check a proof by {test}"),
            Self::NotFoundAgain(test) => write!(f, "the numbers for a proof by {test} could not be computed again"),
            Self::TooLong(test) => write!(f, "a certificate of a proof by {test} would need more than a million \
                                              numbers"),
            Self::LateReleases => {
                f.write_str("the miss depends on release jitter, and the checker computes schedules without release \
                             jitter")
            }
            Self::OneOrder => f.write_str("a miss under one order of priorities does not disprove other orders"),
            Self::OnlyWhenCharged => {
                f.write_str(
                    "the verdict holds only with overheads charged, and overheads are upper bounds: the task set itself is not \
                     disproven",
                )
            }
        }
    }
}

impl std::error::Error for NoCertificate {}

/// Writes down why `answer` is right for `question`.
///
/// The tasks must be those that were answered for; what the text says is not checked here, that is the checker's part.
pub fn write(question: &Question<'_>, answer: &Answer) -> Result<String, NoCertificate> {
    let mut certificate = text::head(question);
    certificate += &digest::line(&certificate);
    certificate += &match answer.verdict {
        Verdict::Proven => proven(question, answer)?,
        Verdict::Disproven => disproof::because(question, answer)?,
        Verdict::Unknown => return Err(NoCertificate::Undecided),
    };
    Ok(certificate + "end\n")
}

fn proven(question: &Question<'_>, answer: &Answer) -> Result<String, NoCertificate> {
    let whole;
    let bins = match question.shape {
        Shape::Global { processors } => {
            whole = whole_queue(question, answer, processors);
            std::slice::from_ref(&whole)
        }
        Shape::Clusters(&[processors]) if answer.decided_by.as_ref().is_some_and(Finding::is_proven) => {
            whole = whole_queue(question, answer, processors);
            std::slice::from_ref(&whole)
        }
        Shape::Clusters(_) if answer.split.is_some() => return split_tasks(question, answer),
        Shape::Clusters(_) => {
            let packed = answer.packings.iter().find(|packed| packed.proven);
            &packed.ok_or(NoCertificate::NoProof)?.bins[..]
        }
    };
    let mut lines = String::from("verdict proven\n");
    for (index, bin) in bins.iter().enumerate() {
        lines += &text::bin(index, bin);
        if !bin.tasks.is_empty() {
            lines += &proof(question, bins, bin)?;
        }
    }
    Ok(lines)
}

/// Each processor with its pieces of tasks.
fn split_tasks(question: &Question<'_>, answer: &Answer) -> Result<String, NoCertificate> {
    let split = answer.proven_split().ok_or(NoCertificate::NoProof)?;
    let mut lines = String::from("verdict proven\n");
    for (index, bin) in split.bins.iter().enumerate() {
        lines += &text::bin(index, bin);
        lines +=
            &split.pieces.iter().filter(|piece| piece.processor as usize == index).map(text::piece).collect::<String>();
        if let Some(finding) = &bin.finding {
            lines += &edf(finding, bin, &split.seen(question.tasks, index), question.time)?;
        }
    }
    Ok(lines)
}

/// All tasks on one queue.
fn whole_queue(question: &Question<'_>, answer: &Answer, processors: u32) -> Bin {
    Bin {
        processors,
        tasks: (0..question.tasks.len()).collect(),
        inflated: answer.charged.as_ref().map(|charged| charged.tasks.clone()),
        finding: answer.decided_by.clone(),
    }
}

/// The order of a bin's priorities, its test and the test's numbers.
fn proof(question: &Question<'_>, bins: &[Bin], bin: &Bin) -> Result<String, NoCertificate> {
    let finding = bin.finding.as_ref().filter(|finding| finding.is_proven()).ok_or(NoCertificate::NoProof)?;
    let charged = Charged::of(question, bin);
    if schedule_graph::NAMES.contains(&finding.test) {
        return graph_states(question, finding, bin, charged);
    }
    if question.behaviours.is_mixed() {
        return mixed::evidence(question, bin, charged).ok_or(NoCertificate::NotFoundAgain(finding.test));
    }
    if !question.behaviours.is_plain() {
        return behaved(question, bins, bin, charged).ok_or(NoCertificate::NotFoundAgain(finding.test));
    }
    let searched = [reach::NAME, reach::NAME_BY_INDEX].contains(&finding.test);
    match question.policy {
        JobRanking::Edf if searched => {
            let tasks: Vec<(usize, Task)> = bin.tasks.iter().copied().zip(charged.tasks).collect();
            states::evidence(finding, bin, &tasks, Ranking::Edf)
        }
        JobRanking::FixedPriority(priorities) if searched => {
            let ranked = Ranked::of(priorities, question.tasks, bin, charged);
            Ok(ranked.line() + &states::evidence(finding, bin, &ranked.tasks, Ranking::AsOrdered)?)
        }
        JobRanking::Edf => match moved(finding.test, bin, &charged.tasks) {
            Some(moved) => edf(finding, bin, &moved, question.time),
            None => edf(finding, bin, &charged.tasks, question.time),
        },
        JobRanking::FixedPriority(priorities) => {
            let ranked = Ranked::of(priorities, question.tasks, bin, charged);
            Ok(ranked.line() + &fixed_priority(finding, bin, &ranked, question.time)?)
        }
    }
}

/// By a schedule graph.
fn graph_states(
    question: &Question<'_>,
    finding: &Finding,
    bin: &Bin,
    tasks: Charged,
) -> Result<String, NoCertificate> {
    let (order, tasks, ranking) = match question.policy {
        JobRanking::Edf => (String::new(), bin.tasks.iter().copied().zip(tasks.tasks).collect(), Ranking::Edf),
        JobRanking::FixedPriority(priorities) => {
            let ranked = Ranked::of(priorities, question.tasks, bin, tasks);
            (ranked.line(), ranked.tasks, Ranking::AsOrdered)
        }
    };
    Ok(order + &graph::evidence(question, finding, bin, &tasks, ranking)?)
}

/// Of tasks that block each other or come in bursts.
fn behaved(question: &Question<'_>, bins: &[Bin], bin: &Bin, tasks: Charged) -> Option<String> {
    let processors = blocking::Processors { question, bins };
    let JobRanking::FixedPriority(priorities) = question.policy else { return processors.demand(bin) };
    let ranked = Ranked::of(priorities, question.tasks, bin, tasks);
    let order: Vec<usize> = ranked.tasks.iter().map(|(index, _)| *index).collect();
    Some(ranked.line() + &processors.responses(&order)?)
}

/// The tasks without jitter, as a test for several processors sees them; `None` where it sees them as they are.
fn moved(test: &str, bin: &Bin, tasks: &[Task]) -> Option<Vec<Task>> {
    let set = TaskSet::new(tasks).ok().filter(|set| bin.processors > 1 && set.has_jitter())?;
    gedf::moved(test.parse().ok()?, set).ok()
}

/// On one processor the exact test, on several the finding's own or another that the checker knows.
///
/// Each test must be named here. The checker knows Guan's bounds only; a set that another test proves need not have them.
fn fixed_priority(finding: &Finding, bin: &Bin, ranked: &Ranked, time: TimeModel) -> Result<String, NoCertificate> {
    let evidence = if bin.processors == 1 {
        completions::evidence(ranked)
    } else {
        match finding.test.parse::<gfp::Test>().map_err(|_| NoCertificate::UnknownTest(finding.test))? {
            gfp::Test::RmUs | gfp::Test::Density | gfp::Test::Guan => guan::evidence(ranked, bin, time),
        }
    };
    evidence.ok_or(NoCertificate::NotFoundAgain(finding.test))
}

/// The finding's own test, or on one processor the exact one.
fn edf(finding: &Finding, bin: &Bin, tasks: &[Task], time: TimeModel) -> Result<String, NoCertificate> {
    let ordinary = tasks.iter().all(|task| task.cost <= task.window() && task.deadline <= task.period);
    let test = match finding.test.parse() {
        Ok(test) => test,
        Err(_) if bin.processors == 1 => return qpa::evidence(tasks),
        Err(_) => return Err(NoCertificate::UnknownTest(finding.test)),
    };
    match test {
        Test::Gfb | Test::Bak | Test::Bcl => Ok(format!("test {test}\n")),
        Test::Bcli | Test::Rta | Test::Bar | Test::FfDbf if !ordinary => Err(NoCertificate::NotFoundAgain(test.name())),
        Test::Bcli => numbers(test, slack::bcli(tasks, bin, time)),
        Test::Rta => numbers(test, slack::rta(tasks, bin, time)),
        Test::Bar => bar::evidence(tasks, bin),
        Test::Load => load::evidence(tasks, bin.processors),
        Test::FfDbf => ffdbf::evidence(tasks, bin.processors),
    }
}

/// A test's name and its numbers.
fn numbers(test: Test, lines: Option<String>) -> Result<String, NoCertificate> {
    lines.map(|lines| format!("test {test}\n{lines}")).ok_or(NoCertificate::NotFoundAgain(test.name()))
}

/// A bin's tasks as its test saw them.
struct Charged {
    /// Pseudo-tasks for interrupts, before all others.
    interrupts: Vec<Task>,
    /// The bin's tasks.
    tasks: Vec<Task>,
}

impl Charged {
    fn of(question: &Question<'_>, bin: &Bin) -> Self {
        match bin.charged() {
            None => {
                Self { interrupts: Vec::new(), tasks: bin.tasks.iter().map(|&task| question.tasks[task]).collect() }
            }
            Some((interrupts, tasks)) => Self { interrupts: interrupts.to_vec(), tasks: tasks.to_vec() },
        }
    }
}
