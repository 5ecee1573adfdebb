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
        let wrong = || "write the task's name before the value, as in TASK=VALUE".to_owned();
        let (name, value) = text.split_once('=').ok_or_else(wrong)?;
        if name.is_empty() || value.trim().is_empty() {
            return Err(wrong());
        }
        let value = value.parse().map_err(|_| format!("'{value}' is not a process id"))?;
        Ok(Self { name: name.to_owned(), value })
    }
}

/// What carries each task.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Tasks")]
pub(crate) struct CarrierFlags {
    /// Id of the process or thread that runs a task
    #[arg(long, value_name = "TASK=PID")]
    pid: Vec<Named<u32>>,
    /// Command to start for a task
    ///
    /// A program and its arguments; `>FILE` redirects its output.
    #[arg(long, value_name = "TASK=CMD")]
    command: Vec<Named<String>>,
    /// Running systemd unit of a task
    ///
    /// The main process of the unit is deployed.
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
