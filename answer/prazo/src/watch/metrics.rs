//! What is watched now, as OpenMetrics over HTTP on loopback: the export of a run that is not over.

use super::request::WatchRequest;
use super::run_file;
use crate::error::Error;
use crate::progress::{Progress, Remark};
use crate::serve::{self, Page, unserved};
use prazo_core::time::Duration;
use prazo_probe::activations::Follower;
use prazo_run::Run;
use prazo_run::export::{self, Format};

/// The page of one watch.
pub(super) struct Metrics {
    page: Page,
    name: String,
}

/// Serves a page where that was asked for.
pub(super) fn served(request: &WatchRequest, progress: &mut dyn Progress) -> Result<Option<Metrics>, Error> {
    let Some(address) = request.metrics else { return Ok(None) };
    let metrics = Metrics { page: Page::default(), name: request.target.to_string() };
    metrics.page.show(text(&Run { name: metrics.name.clone(), ..Run::default() }));
    let bound = serve::serve(address, serve::OPEN_METRICS, metrics.page.clone()).map_err(unserved)?;
    progress.remark(&Remark::Serving { url: format!("http://{bound}{}", serve::PATH) });
    Ok(Some(metrics))
}

impl Metrics {
    /// Shows what was seen until now.
    pub(super) fn show(&self, follower: &Follower) {
        let seen = follower.seen();
        self.page.show(text(&Run {
            name: self.name.clone(),
            elapsed: Some(Duration::from_ns(follower.watched_ns())),
            series: run_file::series(&seen),
            watched: run_file::accounts(&seen, None),
            caveats: run_file::caveats(follower, &seen),
            ..Run::default()
        }));
    }
}

fn text(run: &Run) -> String {
    let mut text = Vec::new();
    // Memory takes everything, and every run has this form.
    let written = export::write(run, Format::Openmetrics, None, &mut text);
    debug_assert!(written.is_ok(), "{written:?}");
    String::from_utf8_lossy(&text).into_owned()
}
