//! One task set's answer as sections: the verdict and why, each test, where each task runs, what to change.

use super::answered::{order_of, shape_name};
use super::chains::AnsweredChain;
use super::dossier::Dossier;
use super::why::{headroom, why};
use crate::view::{Cell, Section, Table, Tone, with_content};
use prazo_analysis::chain::{Bound, ChainBounds};
use prazo_analysis::overheads::Charged;
use prazo_analysis::partition::split::{Piece, SplitPacking};
use prazo_analysis::partition::{Bin, Misfit, Packed, PlacedBy};
use prazo_analysis::question::{Answer, Edge, JobRanking, Lateness, LockBound, Shape};
use prazo_analysis::sensitivity::region::Axis;
use prazo_analysis::sensitivity::search::Boundary;
use prazo_analysis::tardiness::NoBound;
use prazo_analysis::{Finding, Reason, Task, Ticks, TimeModel, Verdict};
use prazo_core::behaviour::CriticalityMode;
use prazo_core::text::counted;

/// All that is worth saying, most important first.
pub fn sections(dossier: &Dossier<'_>) -> Vec<Section> {
    let parts = [
        verdict(dossier),
        chains(dossier),
        linux(dossier),
        tests(dossier),
        packings(dossier, &dossier.answer, "Where each task runs"),
        split(dossier),
        partitioned(dossier),
        locks(dossier),
        modes(dossier),
        tasks(dossier),
        tardiness(dossier),
        sensitivity(dossier),
        region(dossier),
    ];
    with_content(parts.into())
}

/// What is said of a set that is proven with split tasks.
pub(super) const SPLIT_PROVEN: &str = "Placed with split tasks; every processor is proven.";

/// "PROVEN", with its colour.
pub fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Proven => Tone::Good,
        Verdict::Disproven => Tone::Bad,
        Verdict::Unknown => Tone::Unsure,
    }
}

/// "PROVEN: schedulable under global EDF on 2 processors".
pub fn headline(dossier: &Dossier<'_>) -> String {
    let under = under(dossier);
    match dossier.answer.verdict {
        Verdict::Proven if dossier.question.time == TimeModel::Discrete => {
            format!("PROVEN for arrivals at whole ticks only: {} under {under}", required(dossier))
        }
        Verdict::Proven => format!("PROVEN: {} under {under}", required(dossier)),
        Verdict::Disproven => match dossier.answer.decided_by.as_ref().and_then(|finding| finding.mode) {
            None => format!("DISPROVEN: some job misses its deadline under {under}"),
            Some(CriticalityMode::Low) => format!("DISPROVEN in low mode: some job misses its deadline under {under}"),
            Some(CriticalityMode::High) => {
                format!("DISPROVEN in high mode: some job of high criticality misses its deadline under {under}")
            }
        },
        Verdict::Unknown => format!("UNKNOWN: no test here decides whether deadlines are met under {under}"),
    }
}

/// What a proof shows of the jobs.
pub(super) fn required(dossier: &Dossier<'_>) -> &'static str {
    if dossier.question.behaviours.is_mixed() {
        "every job meets its deadline in low mode, and every job of high criticality in high mode,"
    } else {
        "every job meets its deadline"
    }
}

/// "global EDF on 2 processors", "fixed priorities on clusters of 2, 2 processors".
pub(super) fn under(dossier: &Dossier<'_>) -> String {
    let policy = match dossier.question.policy {
        JobRanking::Edf => "EDF",
        JobRanking::FixedPriority(_) => "fixed priorities",
    };
    // A disproof never rests on overheads: they are upper bounds, and a job that misses without them misses with them.
    let overheads = match (dossier.answer.verdict, dossier.question.overheads) {
        (Verdict::Disproven, _) => "even without overheads",
        (_, Some(_)) => "overheads charged",
        (_, None) => "without overheads",
    };
    let offsets = if dossier.question.behaviours.phases.is_empty() { "" } else { " with the given offsets" };
    let overheads = format!("{offsets}, {overheads}");
    let shape = dossier.question.shape;
    match shape {
        Shape::Global { processors: 1 } => format!("{policy} on one processor{overheads}"),
        Shape::Global { processors } => format!("global {policy} on {processors} processors{overheads}"),
        Shape::Clusters(sizes) if shape_name(shape) == "partitioned" => {
            // A disproof holds for split tasks, too.
            let kind = if dossier.answer.split.is_some() { "semi-partitioned" } else { "partitioned" };
            format!("{kind} {policy} on {}{overheads}", counted(sizes.len() as u64, "processor"))
        }
        Shape::Clusters(sizes) => {
            let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
            format!("{policy} on clusters of {} processors{overheads}", sizes.join(", "))
        }
    }
}

fn verdict(dossier: &Dossier<'_>) -> Section {
    let mut section = Section::new("answer", "Why").say(facts(dossier));
    if let Some(finding) = &dossier.answer.decided_by {
        section = section.say(format!("{}: {}.", finding.test, why(dossier, finding)));
    }
    if let Some(packed) = dossier.answer.packings.iter().find(|packed| packed.proven) {
        section = section.say(format!("Placed by {}; every queue is proven.", packing_name(packed)));
    }
    if dossier.answer.proven_split().is_some() {
        section = section.say(SPLIT_PROVEN);
    }
    for caveat in &dossier.answer.caveats {
        section = section.say(format!("Caveat {}: {}.", caveat.id(), caveat.sentence()));
    }
    section
}

/// "3 tasks, utilization 1.46 of 2 processors (73 %), largest 0.97; deadlines arbitrary".
pub(super) fn facts(dossier: &Dossier<'_>) -> String {
    let utilization = |task: &Task| task.cost as f64 / task.period as f64;
    let all: f64 = dossier.tasks().iter().map(utilization).sum();
    let largest = dossier.tasks().iter().map(utilization).fold(0.0, f64::max);
    let processors = dossier.question.shape.processors();
    let deadlines = match prazo_analysis::DeadlineKind::of(dossier.tasks()) {
        prazo_analysis::DeadlineKind::Implicit => "equal to the periods",
        prazo_analysis::DeadlineKind::Constrained => "no longer than the periods",
        prazo_analysis::DeadlineKind::Arbitrary => "some longer than the periods",
    };
    let high: f64 = (dossier.tasks().iter().zip(dossier.question.behaviours.of_tasks))
        .filter_map(|(task, behaviour)| Some(behaviour.cost_high? as f64 / task.period as f64))
        .sum();
    let modes = if dossier.question.behaviours.is_mixed() {
        format!(" in low mode, {high:.4} of the tasks of high criticality in high mode")
    } else {
        String::new()
    };
    format!(
        "{}; utilization {all:.4} of {processors}{modes}, largest {largest:.4}; deadlines {deadlines}.",
        counted(dossier.tasks().len() as u64, "task")
    )
}

/// A row for each time of each chain.
fn chains(dossier: &Dossier<'_>) -> Section {
    if dossier.chains.is_empty() {
        return Section::default();
    }
    let columns = ["chain", "time", "#bound", "#required", "verdict", "#headroom", "tasks"];
    let rows = dossier.chains.iter().flat_map(|one| {
        let ChainBounds { reaction, age } = one.bounds;
        [chain_row(dossier, one, "reaction", reaction), chain_row(dossier, one, "data age", age)]
    });
    let table = Table::new("Cause-effect chains", &columns).with(rows).note(
        "Reaction: time from an event to the first output that it has influenced. \
         Data age: time from reading an input to writing the output that is made from it.",
    );
    let whys = dossier.chains.iter().flat_map(|one| chain_whys(dossier, one));
    whys.fold(Section::new("chains", "Chains").show(table), Section::say)
}

fn chain_row(dossier: &Dossier<'_>, one: &AnsweredChain, time: &'static str, bound: Bound) -> Vec<Cell> {
    let names: Vec<&str> = one.chain.stages.iter().map(|stage| dossier.name(stage.task)).collect();
    let known = |time: Option<Ticks>| time.map_or_else(Cell::absent, |ticks| dossier.time(ticks).into());
    let verdict = bound.verdict().map_or_else(Cell::absent, |verdict| Cell::toned(verdict.name(), tone(verdict)));
    let headroom = bound
        .at_most
        .ok()
        .zip(bound.required)
        .map(|(at_most, required)| percent((required as f64 - at_most as f64) / required.max(1) as f64).into());
    vec![
        one.chain.name.as_str().into(),
        time.into(),
        known(bound.at_most.ok()),
        known(bound.required),
        verdict,
        headroom.unwrap_or_else(Cell::absent),
        names.join(" > ").into(),
    ]
}

/// Why there is no bound, or what shows that a requirement is not kept.
fn chain_whys(dossier: &Dossier<'_>, one: &AnsweredChain) -> Vec<String> {
    let of = |(time, bound): (&str, Bound)| {
        let name = &one.chain.name;
        match (bound.at_most, bound.verdict()) {
            (_, Some(Verdict::Disproven)) => {
                let least = dossier.time(bound.at_least);
                Some(format!(
                    "The {time} of '{name}' can exceed the required bound: with arrivals and execution times that the \
                     task set allows, it reaches {least} or comes arbitrarily close to it."
                ))
            }
            (Err(why), _) => {
                let why = why.sentence(|task| dossier.name(task).to_owned());
                Some(format!("No bound on the {time} of '{name}': {why}."))
            }
            _ => None,
        }
    };
    [("reaction time", one.bounds.reaction), ("data age", one.bounds.age)].into_iter().filter_map(of).collect()
}

fn tests(dossier: &Dossier<'_>) -> Section {
    let rows = one_row_a_refusal(&dossier.answer.findings).into_iter().map(|alike| test_row(dossier, &alike));
    let table = Table::new("Tests, in the order they ran", &["test", "verdict", "#headroom", "why"]).with(rows);
    let open = dossier.answer.findings.iter().any(|finding| finding.verdict == Verdict::Unknown);
    let note = if open { "A test that does not hold decides nothing: it is sufficient, not necessary." } else { "" };
    Section::new("tests", "Tests").show(table.note(note))
}

/// The findings with those that refuse for one reason put together, at the place of the first.
fn one_row_a_refusal(findings: &[Finding]) -> Vec<Vec<&Finding>> {
    let mut rows: Vec<Vec<&Finding>> = Vec::new();
    for finding in findings {
        let is_refusal = matches!(finding.reason, Reason::NotApplicable(_) | Reason::Overloaded(_));
        match rows.iter_mut().find(|row| is_refusal && row[0].reason == finding.reason) {
            Some(row) => row.push(finding),
            None => rows.push(vec![finding]),
        }
    }
    rows
}

fn test_row(dossier: &Dossier<'_>, alike: &[&Finding]) -> Vec<Cell> {
    let finding = alike[0];
    let names: Vec<&str> = alike.iter().map(|finding| finding.test).collect();
    vec![
        names.join(", ").into(),
        Cell::toned(finding.verdict.name(), tone(finding.verdict)),
        headroom(finding).map_or_else(Cell::absent, |share| percent(share).into()),
        why(dossier, finding).into(),
    ]
}

/// A headroom in percent; one that rounds to zero keeps its sign, and zero has none.
pub(super) fn percent(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0.0 %".into(),
        percent if percent.abs() < 0.05 && percent < 0.0 => "> -0.1 %".into(),
        percent if percent.abs() < 0.05 => "< 0.1 %".into(),
        percent => format!("{percent:.1} %"),
    }
}

fn partitioned(dossier: &Dossier<'_>) -> Section {
    match &dossier.partitioned {
        Some(answer) => packings(dossier, answer, "If each processor had its own queue"),
        None => Section::default(),
    }
}

fn packings(dossier: &Dossier<'_>, answer: &Answer, heading: &'static str) -> Section {
    if answer.packings.is_empty() {
        return Section::default();
    }
    let rows = answer.packings.iter().map(|packed| packing_row(dossier, packed));
    let table = Table::new("Heuristics", &["heuristic", "outcome", "obstacle"]).with(rows);
    let section = Section::new("partition", heading).show(table);
    match (answer.packings.iter().find(|packed| packed.proven), answer.verdict) {
        (Some(packed), _) => {
            let caption = format!("Assignment by {}", packing_name(packed));
            let own = |bin: &Bin| bin.tasks.iter().map(|&task| dossier.tasks()[task]).collect();
            section.show(assignment(dossier, caption, packed.bins.iter().map(|bin| (bin, own(bin)))))
        }
        (None, Verdict::Disproven) if answer.decided_by.is_none() => {
            section.say("Every assignment of tasks to queues was tried, and none meets every deadline.")
        }
        (None, _) => section,
    }
}

pub(super) fn packing_name(packed: &Packed) -> String {
    match (packed.placed_by, order_of(packed.placed_by)) {
        (placed_by, Some(order)) => format!("{}, {}", placed_by.name(), order.replace('-', " ")),
        (PlacedBy::Author, None) => "the set's own assignment".to_owned(),
        (placed_by, None) => placed_by.name().to_owned(),
    }
}

fn packing_row(dossier: &Dossier<'_>, packed: &Packed) -> Vec<Cell> {
    let (outcome, tone) = if packed.proven { ("proven", Tone::Good) } else { ("not proven", Tone::Unsure) };
    vec![packing_name(packed).into(), Cell::toned(outcome, tone), obstacle(dossier, packed).into()]
}

/// The tasks without a place, or the first queue that is not proven.
fn obstacle(dossier: &Dossier<'_>, packed: &Packed) -> String {
    if let Some(first) = packed.misfits.first() {
        return format!("no queue has room for {}; {}", homeless(dossier, packed), refusal(dossier, first));
    }
    let unproven = packed.bins.iter().enumerate().find_map(|(index, bin)| {
        let finding = bin.finding.as_ref().filter(|finding| !finding.is_proven())?;
        Some(format!("queue {index}: {}", why(dossier, finding)))
    });
    unproven.unwrap_or_default()
}

/// Up to four tasks without a place, in the order of the file.
fn homeless(dossier: &Dossier<'_>, packed: &Packed) -> String {
    let homeless = packed.assignment.iter().enumerate().filter(|(_, bin)| bin.is_none()).map(|(task, _)| task);
    let names: Vec<&str> = homeless.map(|task| dossier.name(task)).collect();
    let rest = names.len().saturating_sub(4);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{}{more}", names[..names.len().min(4)].join(", "))
}

/// Why the task that was tried first went nowhere.
fn refusal(dossier: &Dossier<'_>, misfit: &Misfit) -> String {
    let name = dossier.name(misfit.task);
    match &misfit.refusal {
        Some(refusal) => format!("queue {} with '{name}': {}", refusal.bin, why(dossier, &refusal.finding)),
        None => format!("no queue has enough utilization left for '{name}'"),
    }
}

/// The queues, each with its tasks as it sees them.
fn assignment<'a>(dossier: &Dossier<'_>, caption: String, bins: impl Iterator<Item = (&'a Bin, Vec<Task>)>) -> Table {
    let columns = ["#queue", "#processors", "tasks", "#utilization", "test", "#headroom"];
    let rows = bins.enumerate().map(|(index, (bin, seen))| {
        let names: Vec<&str> = bin.tasks.iter().map(|task| dossier.name(*task)).collect();
        let utilization = |task: &Task| task.cost as f64 / task.period as f64;
        // The floats' own sum of nothing is -0.
        let sum = seen.iter().map(utilization).fold(0.0, |sum, one| sum + one);
        let share = bin.finding.as_ref().and_then(headroom);
        vec![
            index.to_string().into(),
            bin.processors.to_string().into(),
            names.join(", ").into(),
            format!("{sum:.4}").into(),
            bin.finding.as_ref().map_or("empty", |finding| finding.test).into(),
            share.map_or_else(Cell::absent, |share| percent(share).into()),
        ]
    });
    Table::new(caption, &columns).with(rows)
}

/// The pieces of split tasks, and where the others run.
fn split(dossier: &Dossier<'_>) -> Section {
    let Some(split) = &dossier.answer.split else { return Section::default() };
    let section = Section::new("split", "Split tasks");
    if !split.proven {
        let why = if split.budget_spent {
            "The budget was used up before all attempts were made."
        } else {
            "No attempt to split tasks is proven."
        };
        return section.say(why);
    }
    let queues = split.bins.iter().enumerate().map(|(index, bin)| (bin, split.seen(dossier.tasks(), index)));
    section.show(pieces(dossier, split)).show(assignment(dossier, "Assignment with split tasks".into(), queues)).say(
        "A job of a split task runs its pieces one after the other. Each piece is released at its offset after the job's release. It is ranked by its own deadline and runs for its cost.",
    )
}

fn pieces(dossier: &Dossier<'_>, split: &SplitPacking) -> Table {
    let column = |of: fn(&Piece) -> Ticks| dossier.times(split.pieces.iter().map(|piece| Some(of(piece))));
    let columns = [column(|piece| piece.cost), column(|piece| piece.deadline), column(|piece| piece.offset)];
    let rows = split.pieces.iter().enumerate().map(|(at, piece)| {
        let times = columns.iter().map(|column| column[at].clone());
        let name: Cell = dossier.name(piece.task).to_owned().into();
        [name, piece.processor.to_string().into()].into_iter().chain(times).collect::<Vec<Cell>>()
    });
    Table::new("Pieces", &["task", "#queue", "#cost", "#deadline", "#offset"]).with(rows)
}

/// How long jobs wait for what they share with tasks of other processors.
fn locks(dossier: &Dossier<'_>) -> Section {
    let Some(bounds) = &dossier.answer.locks else { return Section::default() };
    let column = |of: fn(&LockBound) -> Option<Ticks>| dossier.times(bounds.iter().map(of));
    let columns =
        [column(|bound| Some(bound.remote)), column(|bound| Some(bound.local)), column(|bound| bound.response)];
    let row = |index: usize| {
        let times = columns.iter().map(|column| column[index].clone());
        [Cell::from(dossier.name(index).to_owned())].into_iter().chain(times).collect::<Vec<Cell>>()
    };
    let names = ["task", "#other processors", "#own processor", "#response time"];
    Section::new("locks", "How long jobs wait for resources")
        .show(Table::new("Bounds for one job", &names).with((0..bounds.len()).map(row)))
}

/// With two criticalities, the bounds of each mode.
fn modes(dossier: &Dossier<'_>) -> Section {
    let (Some(bounds), Some(order)) = (&dossier.answer.responses_by_mode, &dossier.answer.priorities) else {
        return Section::default();
    };
    let low = dossier.times(bounds.iter().map(|bound| bound.low));
    let high = dossier.times(bounds.iter().map(|bound| bound.high));
    let deadlines = dossier.times(order.iter().map(|task| Some(dossier.tasks()[*task].deadline)));
    let cells = low.into_iter().zip(high).zip(deadlines);
    let rows = order.iter().zip(cells).map(|(task, ((low, high), deadline))| {
        let is_high = dossier.question.behaviours.of(*task).cost_high.is_some();
        let criticality = if is_high { "high" } else { "low" };
        vec![dossier.name(*task).to_owned().into(), criticality.into(), low, high, deadline]
    });
    let columns = ["task", "criticality", "#in low mode", "#in both modes", "#deadline"];
    let table = Table::new("Response-time bounds, most urgent task first", &columns).with(rows);
    let is_open = dossier.answer.verdict != Verdict::Proven;
    let note =
        "A bound is missing if it exceeds the deadline. Then the bounds of all less urgent tasks are missing, too.";
    Section::new("modes", "Response times in each mode").show(table.note(if is_open { note } else { "" }))
}

fn tasks(dossier: &Dossier<'_>) -> Section {
    let charged = dossier.answer.charged.as_ref();
    let mut columns = vec!["task", "#cost", "#period", "#deadline", "#utilization"];
    let behaviours = &dossier.question.behaviours;
    let in_high_mode = behaviours.is_mixed().then(|| dossier.times(behaviours.iter().map(|of| of.cost_high)));
    if in_high_mode.is_some() {
        columns.push("#cost in high mode");
    }
    if charged.is_some() {
        columns.extend(["#cost with overheads", "#period", "#deadline"]);
    }
    let tasks = dossier.tasks();
    let given = times(dossier, tasks.iter().map(Some));
    let charged =
        charged.map(|charged| times(dossier, (0..tasks.len()).map(|index| as_charged(dossier, charged, index))));
    let rows = tasks.iter().zip(given).enumerate().map(|(index, (task, given))| {
        let utilization = format!("{:.4}", task.cost as f64 / task.period as f64);
        let mut row: Vec<Cell> = vec![dossier.name(index).to_owned().into()];
        row.extend(given.into_iter().chain([utilization.into()]));
        row.extend(in_high_mode.iter().map(|costs| costs[index].clone()));
        row.extend(charged.iter().flat_map(|charged| charged[index].clone()));
        row
    });
    Section::new("tasks", "Tasks").show(Table::new("Tasks as given", &columns).with(rows).folded())
}

/// Cost, period and deadline of each task, each column in one unit.
fn times<'a>(dossier: &Dossier<'_>, tasks: impl Iterator<Item = Option<&'a Task>>) -> Vec<[Cell; 3]> {
    let tasks: Vec<Option<&Task>> = tasks.collect();
    let column = |of: fn(&Task) -> Ticks| dossier.times(tasks.iter().map(|task| task.map(of)));
    let (costs, periods, deadlines) =
        (column(|task| task.cost), column(|task| task.period), column(|task| task.deadline));
    costs.into_iter().zip(periods).zip(deadlines).map(|((cost, period), deadline)| [cost, period, deadline]).collect()
}

/// A task with the overheads that were charged to it; fixed priorities have brought the tasks into their order.
pub(super) fn as_charged<'a>(dossier: &Dossier<'_>, charged: &'a Charged, index: usize) -> Option<&'a Task> {
    let order = dossier.answer.priorities.as_ref();
    let at = order.map_or(Some(index), |order| order.iter().position(|task| *task == index));
    charged.tasks.get(charged.first_real + at?)
}

fn tardiness(dossier: &Dossier<'_>) -> Section {
    // Tasks that never miss a deadline have no tardiness.
    if dossier.answer.verdict == Verdict::Proven {
        return Section::default();
    }
    let Some(tardiness) = &dossier.lateness else { return Section::default() };
    let section = Section::new("tardiness", "How late jobs can be");
    match (&tardiness.bounds, tardiness.reason) {
        (Some(bounds), _) => section
            .say("Under EDF no job exceeds its bound on tardiness, whether or not the tests above hold (Devi and Anderson 2005; Erickson and others 2010, 2012).")
            .show(tardiness_table(dossier, tardiness, bounds)),
        // Charged tasks may be in another order, behind pseudo-tasks.
        (None, Some(NoBound::TaskAboveOne(task))) if dossier.question.overheads.is_none() => section.say(format!(
            "No bound on tardiness: '{}' needs more than one processor, so its tardiness grows without bound.",
            dossier.name(task)
        )),
        (None, Some(reason)) => section.say(format!("No bound on tardiness: {reason}.")),
        (None, None) => section,
    }
}

fn tardiness_table(dossier: &Dossier<'_>, tardiness: &Lateness, bounds: &[u64]) -> Table {
    let late = dossier.times(bounds.iter().copied().map(Some));
    let responses = tardiness.response_edf.as_ref();
    let responses = dossier.times((0..bounds.len()).map(|index| responses.map(|all| all[index])));
    let rows = late.into_iter().zip(responses).enumerate();
    let rows = rows.map(|(index, (late, response))| vec![dossier.name(index).to_owned().into(), late, response]);
    Table::new("Bounds", &["task", "#tardiness", "#response time"]).with(rows).folded()
}

fn linux(dossier: &Dossier<'_>) -> Section {
    let Some(admission) = &dossier.linux else { return Section::default() };
    let kernel = if admission.admitted { "would admit" } else { "would refuse" };
    let sure = match (admission.admitted, dossier.answer.verdict) {
        (false, _) => "",
        (true, Verdict::Proven) => ", and the deadlines are proven as stated above",
        (true, Verdict::Disproven) => ", but a job can miss, as shown above: admission guarantees no deadline",
        (true, Verdict::Unknown) => ", but the deadlines are not proven, and admission does not guarantee them",
    };
    let section = Section::new("linux", "Linux").say(format!("SCHED_DEADLINE {kernel} these tasks{sure}."));
    admission.refused.iter().fold(section, |section, (task, refusal)| {
        section.say(format!("'{}' would be refused: {refusal}.", dossier.name(*task)))
    })
}

fn sensitivity(dossier: &Dossier<'_>) -> Section {
    let Some(edge) = &dossier.edge else { return Section::default() };
    Section::new("sensitivity", "How much can change before the proof fails").show(factors(dossier, edge)).say(format!(
        "Found with {} of the tests. Each figure is proven. The next larger one (for processors, the next smaller one) is \
         not proven, or was not tried because it exceeds min(D, T) or a factor of 1,000.",
        counted(edge.questions(), "run")
    ))
}

/// "brake.cost" as a task set writes it.
pub(super) fn parameter(dossier: &Dossier<'_>, axis: &Axis) -> String {
    format!("{}.{}", dossier.name(axis.task), axis.field.name())
}

fn region(dossier: &Dossier<'_>) -> Section {
    let Some(region) = &dossier.region else { return Section::default() };
    let along = |axis: &Axis| {
        let [first, last] =
            [axis.values.first(), axis.values.last()].map(|end| dossier.time(end.copied().unwrap_or(0)));
        format!("{} from {first} to {last}", parameter(dossier, axis))
    };
    let all = || region.verdicts.iter().flatten();
    let count = |verdict| all().filter(|found| **found == verdict).count();
    let [proven, disproven, unknown] = [Verdict::Proven, Verdict::Disproven, Verdict::Unknown].map(count);
    Section::new("region", "Schedulable region").say(format!(
        "{} and {}: of {} combinations, {proven} are proven, {disproven} disproven and {unknown} unknown. The report \
         (--report FILE.html) shows this region as a chart.",
        along(&region.x),
        along(&region.y),
        all().count(),
    ))
}

fn factors(dossier: &Dossier<'_>, edge: &Edge) -> Table {
    let factor = |boundary: &Boundary| {
        boundary.proven.map_or_else(Cell::absent, |value| format!("{:.3} times", value as f64 / 1_000.0).into())
    };
    let mut rows: Vec<Vec<Cell>> =
        edge.costs.iter().map(|boundary| vec!["all costs".into(), factor(boundary)]).collect();
    if let Some(found) = edge.processors {
        let fewest = found.fewest.map_or_else(Cell::absent, |count| count.to_string().into());
        rows.push(vec!["processors, at least".into(), fewest]);
    }
    rows.extend(edge.overheads.iter().map(|(kind, boundary)| {
        vec![format!("overhead '{}'", kind.name().replace('_', " ")).into(), factor(boundary)]
    }));
    rows.extend(edge.tasks.iter().enumerate().map(|(task, boundary)| {
        let critical = edge.critical.is_some_and(|critical| critical.task == task);
        let mark = if critical { ", the critical task" } else { "" };
        let cost = boundary.proven.map_or_else(Cell::absent, |ticks| dossier.time(ticks).into());
        vec![format!("cost of '{}'{mark}", dossier.name(task)).into(), cost]
    }));
    let note = if edge.is_monotone() {
        ""
    } else {
        "The tests are not monotone here. For at least one row, a larger cost or overhead is also proven, a smaller \
         one is not proven, or more processors are not proven."
    };
    Table::new("Still proven with", &["what", "#limit"]).with(rows).note(note)
}
