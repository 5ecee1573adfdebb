//! What several checks read, read once; and the questions that several checks ask.

use super::check::Observation;
use super::result::Scenario;
use crate::cgroup::Cgroups;
use crate::cmdline::Cmdline;
use crate::kernel_config::KernelConfig;
use crate::process::{self, Process};
use crate::root::{Reading, Root, Unavailable};
use crate::topology::Topology;
use crate::tunable::Tunable;
use crate::{cpumask, virtualisation};
use prazo_core::cpu::CpuSet;
use prazo_core::text::counted;
use std::fmt;

/// The machine that is checked.
pub(super) struct Machine<'a> {
    pub root: &'a Root,
    pub scenario: &'a Scenario,
    pub config: Reading<KernelConfig>,
    pub cmdline: Reading<Cmdline>,
    pub topology: Reading<Topology>,
    pub groups: Reading<Cgroups>,
    /// All processes; an error where a container hides those of the machine.
    pub processes: Reading<Vec<Process>>,
}

/// Which processors are for real-time tasks, and which for all else.
pub(super) struct Parts {
    pub rt: CpuSet,
    pub housekeeping: Option<CpuSet>,
    pub origin: PartsOrigin,
}

/// How the real-time processors came to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PartsOrigin {
    /// The request names them.
    Given,
    /// The kernel isolates them.
    Isolated,
    /// None are named or isolated, so all are.
    All,
}

impl fmt::Display for PartsOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Given => "as selected",
            Self::Isolated => "isolated",
            Self::All => "all, because none are named or isolated",
        })
    }
}

impl<'a> Machine<'a> {
    pub(super) fn read(root: &'a Root, scenario: &'a Scenario) -> Self {
        Self {
            root,
            scenario,
            config: KernelConfig::read(root),
            cmdline: Cmdline::read(root),
            topology: Topology::read(root),
            groups: Cgroups::read(root),
            processes: all_processes(root),
        }
    }

    /// The real-time processors: named, else isolated, else all.
    pub(super) fn parts(&self) -> Result<Parts, Observation> {
        let topology = self.topology.as_ref().map_err(Observation::unreadable)?;
        let (rt, origin) = match (self.scenario.rt_cpus, topology.isolated) {
            (Some(named), _) => (named, PartsOrigin::Given),
            (None, Some(isolated)) => (isolated, PartsOrigin::Isolated),
            (None, None) => (topology.online, PartsOrigin::All),
        };
        Ok(Parts { rt, housekeeping: topology.online.difference(rt), origin })
    }

    /// Whether an option was built in; `None` where the configuration cannot be read.
    pub(super) fn has_option(&self, option: &str) -> Option<bool> {
        self.config.as_ref().ok().map(|config| config.is_on(option))
    }

    /// The last value of a boot parameter; `None` where it is not given or the command line cannot be read.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.cmdline.as_ref().ok()?.value(name)
    }

    /// True where a hypervisor is known to be below; `None` where nothing tells.
    pub(super) fn is_guest(&self) -> Option<bool> {
        virtualisation::hypervisor(self.root).ok().map(|hypervisor| hypervisor.name.is_some())
    }

    /// True where a process of one of these names runs (names are cut after 15 letters by the kernel).
    pub(super) fn running(&self, names: &[&str]) -> Result<Vec<String>, Observation> {
        let all = self.processes.as_ref().map_err(Observation::unreadable)?;
        let is_named = |process: &&Process| names.iter().any(|name| process.name == name[..name.len().min(15)]);
        Ok(all.iter().filter(is_named).map(|process| process.name.clone()).collect())
    }

    /// A knob that holds a number: judged by `is_good`, put right by `better`. A kernel built without `option` has no such
    /// knob; an absent knob of a kernel that has it, or whose configuration is hidden, is unknown.
    pub(super) fn number(
        &self,
        knob: Tunable,
        option: Option<&str>,
        is_good: impl Fn(i64) -> bool,
        better: &str,
    ) -> Observation {
        match self.root.read_number(knob.path()) {
            Ok(value) => {
                let text = value.to_string();
                Observation::judged(is_good(value), knob.path(), &text).with_change(knob, &text, better)
            }
            Err(error) => self.absent(&error, option),
        }
    }

    /// A file that is not there because the kernel was built without `option` does not apply; else it is unknown.
    pub(super) fn absent(&self, error: &Unavailable, option: Option<&str>) -> Observation {
        match (option, &self.config) {
            (Some(option), Ok(config)) if error.is_absent() && !config.has(option) => {
                Observation::not_applicable(&config.source, format!("the kernel was built without CONFIG_{option}"))
            }
            _ => Observation::unreadable(error),
        }
    }

    /// A knob that names processors: none of them should be a real-time one.
    pub(super) fn keeps_off(&self, knob: Tunable, option: Option<&str>) -> Observation {
        let text = match self.root.read(knob.path()) {
            Ok(text) => text,
            Err(error) => return self.absent(&error, option),
        };
        let parts = match self.parts() {
            Ok(parts) => parts,
            Err(seen) => return seen,
        };
        let is_list = knob.path().ends_with("watchdog_cpumask");
        let cpus: Option<CpuSet> = if is_list { text.trim().parse().ok() } else { cpumask::parse(&text) };
        let Some(cpus) = cpus else {
            return Observation::ok(
                knob.path(),
                format!("the setting is '{}', which contains no processors", text.trim()),
            );
        };
        let Some(both) = cpus.intersection(parts.rt) else {
            return Observation::ok(knob.path(), format!("processors {cpus}; real-time: {}", parts.rt));
        };
        let found = format!("processors {cpus}, including real-time processors {both} ({})", parts.origin);
        let seen = Observation::finding(knob.path(), found);
        match parts.housekeeping {
            Some(others) => {
                let better = knob.cpus_value(&others);
                seen.with_change(knob, text.trim(), better)
            }
            None => seen,
        }
    }
}

/// Where a container hides the machine's processes, their absence says nothing. Kernel threads are seen only from outside.
fn all_processes(root: &Root) -> Reading<Vec<Process>> {
    let all = process::all(root)?;
    if all.iter().any(|process| process.name == "kthreadd") {
        return Ok(all);
    }
    let why = format!("only the processes of this container are visible: {}", counted(all.len() as u64, "process"));
    Err(Unavailable::Failed { path: "/proc".into(), why })
}
