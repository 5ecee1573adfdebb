//! The deployment watched for a while, shown each second, and judged.

use super::document::{Watched, rows};
use super::metrics;
use crate::error::Error;
use crate::progress::{Glance, Progress, Remark};
use crate::sched::deploy::{budget_ns, standing};
use crate::serve::{self, Page, unserved};
use prazo_core::time::Duration;
use prazo_deploy::check;
use prazo_deploy::deployment::{Deployed, DeploymentRecord};
use prazo_platform::root::Root;
use prazo_probe::activations::{FollowedTask, JobFollower};
use prazo_sys::scheduling::SCHED_DEADLINE;
use prazo_verdict::watched::{WatchedEvidence, WatchedTask, judge_watched};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Instant;

/// How often figures are shown.
const ROUND: std::time::Duration = std::time::Duration::from_secs(1);
/// How often the kernel's ring is emptied, and an end is waited for.
const GLANCE: std::time::Duration = std::time::Duration::from_millis(100);

/// How long to watch, and who else is shown the figures.
#[derive(Clone, Debug, Default)]
pub struct WatchRequest {
    /// How long; by default until the caller stops it.
    pub duration: Option<Duration>,
    /// The loopback address at which the figures are served as OpenMetrics.
    pub metrics: Option<SocketAddr>,
    /// The folder of the journal beside which the deployment's record lies; by default this user's.
    pub journal: Option<PathBuf>,
}

/// Watches what is deployed, and judges it.
pub fn watch(request: &WatchRequest, progress: &mut dyn Progress) -> Result<Watched, Error> {
    let root = Root::system();
    let record = standing(&request.journal, &root)?;
    let page = Page::default();
    if let Some(address) = request.metrics {
        page.show(metrics::text(&[]));
        let bound = serve::serve(address, serve::OPEN_METRICS, page.clone()).map_err(unserved)?;
        progress.remark(&Remark::Serving { url: format!("http://{bound}{}", serve::PATH) });
    }
    let tasks = record.tasks.iter().map(|task| followed(&record, task)).collect::<Result<_, _>>()?;
    let mut follower = JobFollower::attach(&root, tasks).map_err(|why| {
        let remedy = why.caveat().remedy;
        Error::failed(why.to_string()).attempting("the deployed tasks cannot be watched").with_remedy(remedy)
    })?;
    let tasks = look(request, &record, &mut follower, &page, progress)?;
    let watched_ns = follower.watched_ns();
    let differs: Vec<String> = check::differences(&root, &record).iter().map(ToString::to_string).collect();
    let evidence = WatchedEvidence { verdict: record.verdict, watched_ns, tasks: &tasks, differs: &differs };
    let (outcome, reasons) = judge_watched(&evidence);
    let no_causes = follower.no_causes().map(|why| format!("Causes were not recorded: {why}."));
    Ok(Watched {
        name: record.name,
        verdict: record.verdict,
        outcome,
        reasons,
        watched_s: std::time::Duration::from_nanos(watched_ns).as_secs_f64(),
        jobs: tasks.iter().map(|task| task.seen.jobs).sum(),
        misses: tasks.iter().map(|task| task.seen.misses).sum(),
        tasks,
        remarks: no_causes.into_iter().collect(),
    })
}

/// Shows the figures once a second; the last ones.
fn look(
    request: &WatchRequest,
    record: &DeploymentRecord,
    follower: &mut JobFollower,
    page: &Page,
    progress: &mut dyn Progress,
) -> Result<Vec<WatchedTask>, Error> {
    progress.stage(&format!("{} ({})", record.name, record.verdict));
    let stop = progress.stop().map_err(Error::failed)?;
    let begun = Instant::now();
    let length = request.duration.map(|length| std::time::Duration::from_nanos(length.as_ns()));
    let is_over = || stop.is_set() || length.is_some_and(|length| begun.elapsed() >= length);
    loop {
        let tasks = rows(record, follower.poll());
        page.show(metrics::text(&tasks));
        let (verdict, watched_ns) = (record.verdict, follower.watched_ns());
        let evidence = WatchedEvidence { verdict, watched_ns, tasks: &tasks, differs: &[] };
        let elapsed = Duration::from(begun.elapsed());
        let outcome = judge_watched(&evidence).0;
        progress.glance(&Glance { elapsed, length: request.duration, outcome, tasks: &tasks });
        let next = Instant::now() + ROUND;
        while !is_over() && Instant::now() < next {
            std::thread::sleep(GLANCE);
            follower.drain();
        }
        if is_over() {
            return Ok(rows(record, follower.poll()));
        }
    }
}

fn followed(record: &DeploymentRecord, task: &Deployed) -> Result<FollowedTask, Error> {
    let is_deadline = task.attr.policy == SCHED_DEADLINE;
    let cpus = &record.clusters[task.cluster].cpus;
    let unread = |error| {
        Error::failed(error).attempting(format!("cannot read the processors '{cpus}' in the record of the deployment"))
    };
    Ok(FollowedTask {
        thread_id: task.thread.id,
        cluster: cpus.parse().map_err(unread)?,
        period_ns: task.period_ns,
        deadline_ns: task.deadline_ns,
        budget_ns: Some(budget_ns(task)),
        priority: Some(if is_deadline { -1 } else { 99 - task.attr.priority as i16 }),
    })
}
