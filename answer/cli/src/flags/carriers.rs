//! The flags that say what carries each task: `--pid gyro=1234`, `--command gyro=CMD`, `--unit gyro=UNIT`.

use prazo_deploy::Carrier;
use std::str::FromStr;

/// `NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Named<T> {
    name: String,
    value: T,
}

impl<T: FromStr> FromStr for Named<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "write the task's name, = and what carries it, as in gyro=1234".to_owned();
        let (name, value) = text.split_once('=').ok_or_else(wrong)?;
        if name.is_empty() || value.trim().is_empty() {
            return Err(wrong());
        }
        let value = value.parse().map_err(|_| format!("'{value}' is not the number of a process"))?;
        Ok(Self { name: name.to_owned(), value })
    }
}

/// What carries each task.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct CarrierFlags {
    /// A task's running process, or one of its threads, by number
    #[arg(long, value_name = "TASK=PID")]
    pid: Vec<Named<u32>>,
    /// A command to start for a task: a program with its arguments; its output goes where it says itself (`>log`)
    #[arg(long, value_name = "TASK=CMD")]
    command: Vec<Named<String>>,
    /// A task's running systemd unit; its first process
    #[arg(long, value_name = "TASK=UNIT")]
    unit: Vec<Named<String>>,
}

impl CarrierFlags {
    /// As the library takes them.
    pub(crate) fn carriers(&self) -> Vec<(String, Carrier)> {
        let pids = self.pid.iter().map(|one| (one.name.clone(), Carrier::Pid(one.value)));
        let commands = self.command.iter().map(|one| (one.name.clone(), Carrier::Command(one.value.clone())));
        let units = self.unit.iter().map(|one| (one.name.clone(), Carrier::Unit(one.value.clone())));
        pids.chain(commands).chain(units).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_carrier_has_a_name_and_a_value_of_its_kind() {
        let read = "b=sleep 5 --x=1".parse::<Named<String>>();
        assert_eq!(read, Ok(Named { name: "b".into(), value: "sleep 5 --x=1".into() }));
        for wrong in ["a", "=7", "a=", "a=x"] {
            assert!(wrong.parse::<Named<u32>>().is_err(), "{wrong}");
        }
    }
}
