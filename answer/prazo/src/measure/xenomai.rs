//! A Xenomai core's own tool, run and read: on this machine or in a guest.

use super::target::Target;
use crate::error::Error;
use crate::guest::GuestOptions;
use crate::output::make_parent;
use crate::progress::Progress;
use prazo_core::time::Duration;
use prazo_platform::root::Root;
use prazo_probe::session::{RecordedRun, SessionOptions};
use prazo_run::plan::Plan;
use prazo_run::source::Source;
use std::path::PathBuf;

/// What a core's tool is to measure, and where.
#[derive(Clone, Debug)]
pub struct XenomaiRequest {
    /// What is measured: its source is [`Source::Xenomai`], and its one thread names processor and period.
    pub plan: Plan,
    /// Where, if not on this machine.
    pub guest: GuestOptions,
    /// The root of this machine's files; another one is a copied system.
    pub root: PathBuf,
}

impl XenomaiRequest {
    pub(super) fn measure(
        &self,
        target: &Target<'_>,
        deadline: Option<Duration>,
        progress: &mut dyn Progress,
    ) -> Result<RecordedRun, Error> {
        let guest = self.guest.resolve()?;
        let plan = Plan { deadline, ..self.plan.clone() };
        make_parent(target.file)?;
        match guest {
            Some(platform) => target.execute_in(&platform, plan, self.guest.timeout, progress),
            None => target.execute_at(plan, &SessionOptions::default(), &self.root(), &self.title(), progress),
        }
    }

    fn root(&self) -> Root {
        if self.root.as_os_str() == "/" { Root::system() } else { Root::at(&self.root) }
    }

    fn title(&self) -> String {
        match &self.plan.source {
            Source::Xenomai(source) => {
                format!(
                    "xenomai, {}, {}",
                    source.tool.map_or("the Xenomai core's tool", |tool| tool.name()),
                    source.context.name()
                )
            }
            _ => "xenomai".into(),
        }
    }
}
