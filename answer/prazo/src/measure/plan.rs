//! The plan of a file, measured once more or for the first time.

use super::target::Target;
use crate::error::Error;
use crate::output::make_parent;
use crate::progress::Progress;
use crate::study;
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_probe::session::RecordedRun;
use prazo_run::plan::{Plan, ThreadPlan};
use prazo_run::store;
use prazo_study::PlanFile;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// A plan that is in a file.
#[derive(Clone, Debug)]
pub struct PlanRequest {
    /// A run file, whose plan is taken, or a JSON file.
    pub plan: PathBuf,
    /// Processors instead of the plan's, each with a thread like the plan's first.
    pub cpus: Option<CpuSet>,
}

impl PlanRequest {
    pub(super) fn measure(
        &self,
        target: &Target<'_>,
        deadline: Option<Duration>,
        progress: &mut dyn Progress,
    ) -> Result<RecordedRun, Error> {
        let plan = self.resolved(read(&self.plan)?)?;
        let plan = Plan { deadline: deadline.or(plan.deadline), ..plan };
        make_parent(target.file)?;
        let title = format!("the plan of {}, {}", self.plan.display(), plan.policy.name());
        target.execute(plan, &title, progress)
    }

    /// The plan with the processors of this machine where it does not name its own.
    fn resolved(&self, file: PlanFile) -> Result<Plan, Error> {
        let PlanFile { plan, every_cpu } = file;
        let (cpus, housekeeping_cpu) = match self.cpus {
            Some(cpus) => (cpus, plan.housekeeping_cpu),
            None if every_cpu => {
                let here = study::here(None, None)?;
                (here.cpus, here.housekeeping_cpu)
            }
            None => return Ok(plan),
        };
        let Some(first) = plan.threads.first().copied() else {
            return Err(Error::refused(format!("{}: the plan has no thread", self.plan.display())));
        };
        let threads = cpus.iter().map(|cpu| ThreadPlan { cpu: cpu.number(), ..first }).collect();
        Ok(Plan { threads, housekeeping_cpu, ..plan })
    }
}

/// The plan of a run file, or one as JSON.
fn read(file: &Path) -> Result<PlanFile, Error> {
    let unreadable = |error: &dyn std::fmt::Display| Error::refused(format!("{}: {error}", file.display()));
    let mut bytes = BufReader::new(File::open(file).map_err(|error| unreadable(&error))?);
    if bytes.fill_buf().map_err(|error| unreadable(&error))?.first() == Some(&b'{') {
        return serde_json::from_reader(bytes).map_err(|error| unreadable(&format!("the file is not a plan: {error}")));
    }
    let run = store::open(file).map_err(|error| unreadable(&error))?;
    let imported = || unreadable(&"this run file has no plan that can be measured again");
    run.plan.map(|plan| PlanFile { plan, every_cpu: false }).ok_or_else(imported)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::plan::{Length, Policy};
    use prazo_run::source::Source;

    fn plan(cpus: &[u32]) -> Plan {
        let thread = |cpu: &u32| ThreadPlan { cpu: *cpu, period: Duration::from_ms(2), phase: Duration::ZERO };
        let threads = cpus.iter().map(thread).collect();
        let length = Length::Activations { count: 5 };
        Plan { housekeeping_cpu: Some(9), ..Plan::new(Source::Timer, Policy::Other, threads, length) }
    }

    #[test]
    fn a_plan_keeps_its_processors_unless_others_are_named_or_all_are_meant() {
        let resolve = |cpus: Option<&str>, every_cpu| {
            let request = PlanRequest { plan: "a.json".into(), cpus: cpus.map(|list| list.parse().unwrap()) };
            let plan = request.resolved(PlanFile { plan: plan(&[7]), every_cpu }).unwrap();
            let cpus: Vec<u32> = plan.threads.iter().map(|thread| thread.cpu).collect();
            (cpus, plan.housekeeping_cpu)
        };
        assert_eq!(resolve(None, false), (vec![7], Some(9)));
        assert_eq!(resolve(Some("1,3"), true), (vec![1, 3], Some(9)));
        let here = study::here(None, None).unwrap();
        let all = here.cpus.iter().map(|cpu| cpu.number()).collect();
        assert_eq!(resolve(None, true), (all, here.housekeeping_cpu));
    }

    #[test]
    fn what_is_no_plan_is_refused_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let refusal = |text: &str| {
            let file = folder.path().join("plan.json");
            std::fs::write(&file, text).unwrap();
            read(&file).unwrap_err().to_string()
        };
        for (text, reason) in [("{}", "not a plan: missing field `plan`"), ("plan", "plan.json")] {
            let error = refusal(text);
            assert!(error.contains(reason) && error.contains("plan.json"), "{error}");
        }
        let request = PlanRequest { plan: "empty.json".into(), cpus: Some("0".parse().unwrap()) };
        let error = request.resolved(PlanFile { plan: plan(&[]), every_cpu: false }).unwrap_err().to_string();
        assert!(error.contains("no thread"), "{error}");
    }
}
