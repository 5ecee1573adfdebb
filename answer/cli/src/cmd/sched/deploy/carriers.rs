//! Who carries each task: from the flags to threads.

use crate::exit::Failure;
use prazo_deploy::Carrier;
use prazo_deploy::carrier::{CarrierError, Found, Waiting, process_of_unit};
use prazo_platform::root::Root;

/// `NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    name: String,
    value: String,
}

impl std::str::FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() && !value.trim().is_empty() => {
                Ok(Self { name: name.to_owned(), value: value.to_owned() })
            }
            _ => Err("write the task's name, = and what carries it, as in gyro=1234".into()),
        }
    }
}

/// Who carries each task.
#[derive(clap::Args, Clone, Debug)]
pub struct Carriers {
    /// A task's running process, or one of its threads, by number
    #[arg(long, value_name = "TASK=PID")]
    pid: Vec<Named>,
    /// A command to start for a task: a program with its arguments; its output goes where it says itself (`>log`)
    #[arg(long, value_name = "TASK=CMD")]
    command: Vec<Named>,
    /// A task's running systemd unit; its first process
    #[arg(long, value_name = "TASK=UNIT")]
    unit: Vec<Named>,
}

impl Carriers {
    /// The carrier of each of `tasks`, in order; `None` where a task has none.
    pub fn of_tasks(&self, tasks: &[String]) -> Result<Vec<Option<Carrier>>, Failure> {
        let mut carriers = vec![None; tasks.len()];
        for (name, carrier) in self.all()? {
            let Some(task) = tasks.iter().position(|task| *task == name) else {
                let known = tasks.join(", ");
                return Err(Failure::usage(format!("there is no task '{name}' in the scenario; it has {known}")));
            };
            if carriers[task].replace(carrier).is_some() {
                return Err(Failure::usage(format!("task '{name}' is carried twice; name one carrier")));
            }
        }
        Ok(carriers)
    }

    fn all(&self) -> Result<Vec<(String, Carrier)>, Failure> {
        let number = |named: &Named| {
            let pid = named
                .value
                .parse()
                .map_err(|_| Failure::usage(format!("--pid {}={}: no number of a process", named.name, named.value)))?;
            Ok((named.name.clone(), Carrier::Pid(pid)))
        };
        let pids = self.pid.iter().map(number).collect::<Result<Vec<_>, Failure>>()?;
        let commands = self.command.iter().map(|one| (one.name.clone(), Carrier::Command(one.value.clone())));
        let units = self.unit.iter().map(|one| (one.name.clone(), Carrier::Unit(one.value.clone())));
        Ok(pids.into_iter().chain(commands).chain(units).collect())
    }
}

/// The carriers of all tasks as threads, with the commands that were started.
pub struct Resolved {
    pub found: Vec<Found>,
    pub waiting: Vec<Waiting>,
}

/// Looks for each carrier, and starts those that are commands; they wait, and end if they are dropped.
pub fn resolve(root: &Root, tasks: &[String], carriers: &[Carrier]) -> Result<Resolved, Failure> {
    let mut resolved = Resolved { found: Vec::new(), waiting: Vec::new() };
    for (task, carrier) in tasks.iter().zip(carriers) {
        let number = match carrier {
            Carrier::Pid(pid) => *pid,
            Carrier::Unit(unit) => process_of_unit(root, task, unit).map_err(usage)?,
            Carrier::Command(command) => {
                let waiting = Waiting::start(task, command).map_err(Failure::world)?;
                let pid = waiting.pid();
                resolved.waiting.push(waiting);
                pid
            }
        };
        let found = Found::look(root, task, number).map_err(usage)?;
        if resolved.found.iter().any(|other| other.thread == found.thread) {
            return Err(Failure::usage(format!("task '{task}': thread {number} carries another task already")));
        }
        resolved.found.push(found);
    }
    Ok(resolved)
}

/// A process or unit that is not there was named wrongly.
fn usage(error: CarrierError) -> Failure {
    match error {
        CarrierError::NoProcess { .. } | CarrierError::NoUnit { .. } => Failure::usage(error),
        other => Failure::world(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carriers(pid: &[&str], command: &[&str]) -> Carriers {
        let named = |all: &[&str]| all.iter().map(|one| one.parse().unwrap()).collect();
        Carriers { pid: named(pid), command: named(command), unit: Vec::new() }
    }

    #[test]
    fn each_task_has_at_most_one_carrier_and_each_carrier_a_task() {
        let tasks = ["a".to_owned(), "b".to_owned()];
        let found = carriers(&["a=7"], &["b=sleep 5 --x=1"]).of_tasks(&tasks).unwrap();
        assert_eq!(found, [Some(Carrier::Pid(7)), Some(Carrier::Command("sleep 5 --x=1".into()))]);
        assert_eq!(carriers(&["a=7"], &[]).of_tasks(&tasks).unwrap()[1], None);
        let refused = [carriers(&["c=7"], &[]), carriers(&["a=7"], &["a=x"]), carriers(&["a=x"], &[])];
        assert!(refused.iter().all(|one| matches!(one.of_tasks(&tasks), Err(Failure::Usage(_)))));
        assert!("a".parse::<Named>().is_err() && "=7".parse::<Named>().is_err());
    }
}
