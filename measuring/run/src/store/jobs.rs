//! Rows of a run file about task sets, in both directions; a file older than schema version 3 has none of them.

use super::error::Fault;
use super::read::rows;
use crate::jobs::{JobRecord, SetRun, Stretch};
use rusqlite::{Connection, Result, params};

/// Most sets of one run.
pub(super) const SETS_MAX: usize = 1 << 16;
/// Most jobs, and most stretches, of a whole run.
pub(super) const JOBS_MAX: usize = 1 << 24;

/// Writes sets that were run.
pub(super) fn write(connection: &Connection, sets: &[SetRun]) -> Result<()> {
    sets.iter().enumerate().try_for_each(|(id, set)| one(connection, id, set))
}

fn one(connection: &Connection, id: usize, set: &SetRun) -> Result<()> {
    let plan =
        serde_json::to_string(&set.plan).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    connection.prepare_cached("INSERT INTO task_set VALUES (?, ?, ?, ?, ?)")?.execute(params![
        id,
        plan,
        set.refused,
        set.observed_ns,
        set.stretches_lost
    ])?;
    let mut statement = connection.prepare_cached("INSERT INTO job VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    for of in &set.jobs {
        let stamps = (of.release_ns, of.start_ns, of.completion_ns, of.executed_ns);
        statement.execute(params![
            id,
            of.task,
            of.number,
            stamps.0,
            stamps.1,
            stamps.2,
            stamps.3,
            of.preemptions,
            of.migrations,
            of.overran
        ])?;
    }
    let mut statement = connection.prepare_cached("INSERT INTO stretch VALUES (?, ?, ?, ?, ?, ?, ?)")?;
    set.stretches.iter().try_for_each(|of| {
        statement.execute(params![id, of.task, of.from_ns, of.to_ns, of.job, of.cpu, of.waited]).map(drop)
    })
}

/// The sets of a file.
pub(super) fn read(connection: &Connection) -> std::result::Result<Vec<SetRun>, Fault> {
    if super::version(connection)? < 3 {
        return Ok(Vec::new());
    }
    let mut room = JOBS_MAX;
    let sql = "SELECT plan, refused, observed_ns, stretches_lost, id FROM task_set ORDER BY id";
    rows(connection, sql, [], SETS_MAX, |row| {
        let (plan, id): (String, i64) = (row.get(0)?, row.get(4)?);
        let plan = serde_json::from_str(&plan).map_err(|error| Fault::Content(format!("task set {id}: {error}")))?;
        let (jobs, stretches) = (jobs(connection, id, room)?, stretches(connection, id, room)?);
        room -= jobs.len().max(stretches.len());
        Ok(SetRun {
            plan,
            refused: row.get(1)?,
            observed_ns: row.get(2)?,
            jobs,
            stretches,
            stretches_lost: row.get(3)?,
        })
    })
}

fn jobs(connection: &Connection, id: i64, room: usize) -> std::result::Result<Vec<JobRecord>, Fault> {
    let sql = "SELECT task, number, release_ns, start_ns, completion_ns, executed_ns, preemptions, migrations, overran
        FROM job WHERE task_set = ? ORDER BY task, number";
    rows(connection, sql, [id], room, |row| {
        Ok(JobRecord {
            task: row.get(0)?,
            number: row.get(1)?,
            release_ns: row.get(2)?,
            start_ns: row.get(3)?,
            completion_ns: row.get(4)?,
            executed_ns: row.get(5)?,
            preemptions: row.get(6)?,
            migrations: row.get(7)?,
            overran: row.get(8)?,
        })
    })
}

fn stretches(connection: &Connection, id: i64, room: usize) -> std::result::Result<Vec<Stretch>, Fault> {
    let sql = "SELECT task, job, cpu, from_ns, to_ns, waited FROM stretch WHERE task_set = ? ORDER BY task, from_ns";
    rows(connection, sql, [id], room, |row| {
        Ok(Stretch {
            task: row.get(0)?,
            job: row.get(1)?,
            cpu: row.get(2)?,
            from_ns: row.get(3)?,
            to_ns: row.get(4)?,
            waited: row.get(5)?,
        })
    })
}

/// Says what in the sets cannot be, if anything.
pub(super) fn check(sets: &[SetRun]) -> std::result::Result<(), String> {
    sets.iter()
        .enumerate()
        .try_for_each(|(id, set)| check_one(set).map_err(|what| format!("task set {id} with {what}")))
}

fn check_one(set: &SetRun) -> std::result::Result<(), String> {
    let tasks = set.plan.tasks.len();
    let want = |holds: bool, what: &str| if holds { Ok(()) } else { Err(what.to_owned()) };
    want(set.jobs.iter().all(|job| (job.task as usize) < tasks), "a job whose task does not exist")?;
    want(
        set.stretches.iter().all(|of| (of.task as usize) < tasks && of.from_ns <= of.to_ns),
        "an interval of execution whose task does not exist, or that ends before it begins",
    )?;
    let in_order = set.jobs.windows(2).all(|two| (two[0].task, two[0].number) < (two[1].task, two[1].number));
    want(in_order, "jobs that are not ordered by task and number")?;
    let clusters = set.plan.clusters.len();
    want(set.plan.tasks.iter().all(|task| (task.cluster as usize) < clusters), "a task whose cluster does not exist")?;
    let instants = set.jobs.iter().flat_map(|job| [job.release_ns, job.executed_ns, job.number]);
    let instants = instants.chain(set.jobs.iter().flat_map(|job| job.start_ns.into_iter().chain(job.completion_ns)));
    let spans = set.plan.tasks.iter().flat_map(|task| [task.deadline_ns, task.period_ns]);
    want(
        instants.chain(spans).all(|ns| ns <= i64::MAX as u64 / 4),
        "an instant, a duration or a job number that is too large",
    )
}
