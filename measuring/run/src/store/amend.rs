//! Adds to a finished run file what only its starter knows: a guest cannot look at the emulator that it runs in.

use super::error::StoreError;
use super::{check, connection, open, rows};
use crate::Caveat;
use crate::workload::WorkloadRecord;
use prazo_platform::fingerprint::Fingerprint;
use rusqlite::{Connection, Result};
use std::path::Path;

/// What is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amendment {
    /// The run's name, in place of what the file says.
    pub name: String,
    /// The command line that repeats it, in place of what the file says.
    pub command: String,
    /// What its starter knows to threaten the result.
    pub caveats: Vec<Caveat>,
    /// Facts of the platform, before the run and after it alike.
    pub facts: Fingerprint,
    /// When it was started, by a clock that knows the date; `None` leaves what the file says.
    pub started_at_unix_ns: Option<i64>,
}

/// Adds to the finished run file at `path`; its samples stay as they are. A fact that is there already is refused.
pub fn amend(path: &Path, amendment: &Amendment) -> std::result::Result<(), StoreError> {
    // It is read first with all care, since nobody vouches for a file that a guest wrote.
    open(path)?;
    let path = connection::absolute(path)?;
    connection::read_write(&path)
        .and_then(|connection| add(connection, amendment))
        .map_err(|source| StoreError::database(&path, "add to the file", source))
}

/// Adds what workloads cost to the finished run file that was written beside them; it has none yet.
pub fn add_workloads(path: &Path, workloads: &[WorkloadRecord]) -> std::result::Result<(), StoreError> {
    let path = connection::absolute(path)?;
    check::workloads(workloads).map_err(|what| StoreError::contains(&path, &what))?;
    connection::read_write(&path)
        .and_then(|connection| rows::workloads(&connection, workloads))
        .map_err(|source| StoreError::database(&path, "add to the file", source))
}

fn add(mut connection: Connection, amendment: &Amendment) -> Result<()> {
    let transaction = connection.transaction()?;
    for moment in ["before", "after"] {
        rows::facts(&transaction, moment, Some(&amendment.facts))?;
    }
    rows::caveats(&transaction, &amendment.caveats)?;
    rows::meta(&transaction, "name", &amendment.name)?;
    rows::meta(&transaction, "command", &amendment.command)?;
    rows::meta_if(&transaction, "started_at_unix_ns", amendment.started_at_unix_ns)?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Run, store};
    use prazo_core::time::Duration;
    use prazo_platform::fingerprint::Fact;

    fn facts(value: &str) -> Fingerprint {
        let fact = Fact { value: Some(value.to_owned()), source: "prazo lab".to_owned() };
        Fingerprint { facts: [("lab.seed".to_owned(), fact)].into() }
    }

    #[test]
    fn a_run_file_gets_a_name_and_facts_and_keeps_everything_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.prazo");
        let run = Run { name: "guest".into(), elapsed: Some(Duration::from_ms(7)), ..Run::default() };
        store::save(&run, &path).unwrap();
        let (name, command) = ("idle".to_owned(), "prazo measure timer".to_owned());
        let amendment =
            Amendment { name, command, caveats: Vec::new(), facts: facts("7"), started_at_unix_ns: Some(5) };
        amend(&path, &amendment).unwrap();
        let expected = Run {
            name: "idle".into(),
            command: "prazo measure timer".into(),
            started_at_unix_ns: Some(5),
            platform_before: Some(facts("7")),
            platform_after: Some(facts("7")),
            ..run
        };
        assert_eq!(store::open(&path).unwrap(), expected);
        assert!(amend(&path, &amendment).is_err(), "a fact is stated once");
    }

    #[test]
    fn what_is_no_run_file_is_not_touched() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "Kernel panic").unwrap();
        let (name, command) = (String::new(), String::new());
        let amendment = Amendment { name, command, caveats: Vec::new(), facts: facts("7"), started_at_unix_ns: None };
        assert!(amend(file.path(), &amendment).is_err());
        assert_eq!(std::fs::read(&file).unwrap(), b"Kernel panic");
    }
}
