//! A set as a table: a header row with the keys of a task, then one task a row.
//!
//! Units stand in the header (`cost_us`) or in the cells (`200us`); an empty cell says nothing. Lines that begin with
//! `#` are comments.

use super::task_keys::{self, TaskDraft};
use super::{stem, whole};
use crate::error::{Problem, ReadError};
use crate::set::{NamedTask, Scenario};
use crate::unit::Unit;
use csv::{ErrorKind, Position, ReaderBuilder, StringRecord, Trim};

const UNIT: Option<Unit> = Some(Unit::Nanosecond);

/// Reads `text`; `file` is named in errors.
pub fn read(file: &str, text: &str) -> Result<Scenario, ReadError> {
    let mut reader = ReaderBuilder::new().comment(Some(b'#')).trim(Trim::All).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|cause| broken(file, text, &cause))?.clone();
    if let Some(problem) = misread(&header) {
        return Err(problem.at(file, line(text, header.position())));
    }
    let mut tasks = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|cause| broken(file, text, &cause))?;
        let line = line(text, row.position());
        tasks.push(task(tasks.len(), &header, &row).map_err(|problem| problem.at(file, line))?);
    }
    let scenario = Scenario { name: stem(file), unit: UNIT, tasks, ..Scenario::default() };
    whole::checked(scenario).map_err(|problem| problem.at(file, None))
}

/// Why the first row is not a header of this format: another separator, a task already, or a column twice.
fn misread(header: &StringRecord) -> Option<Problem> {
    let is_column = |cell: &str| task_keys::is_key(cell);
    if let Some(separator) = [';', '\t'].into_iter().find(|sign| header.iter().any(|cell| cell.contains(*sign))) {
        let name = if separator == ';' { "semicolons" } else { "tabs" };
        return Some(Problem::new(format!("{name} separate the columns"), "separate the columns with commas"));
    }
    if !header.is_empty() && !header.iter().any(is_column) {
        let problem = "the first row is not a header: it names no column of a task";
        return Some(Problem::new(problem, "begin the file with a header such as name,cost_us,period_us"));
    }
    let twice = header.iter().enumerate().find(|(at, cell)| header.iter().take(*at).any(|earlier| earlier == *cell));
    twice.map(|(_, cell)| Problem::new(format!("column '{cell}' occurs twice"), "keep one of the two columns"))
}

pub(super) fn broken(file: &str, text: &str, cause: &csv::Error) -> ReadError {
    let line = line(text, cause.position());
    let problem = match cause.kind() {
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("number of cells: {len} in this row, {expected_len} in the header")
        }
        _ => cause.to_string(),
    };
    Problem::new(problem, "give every row as many cells as the header has").at(file, line)
}

/// The line of the row at `position`, which is where the row before it ended: blank lines and comments may follow there.
pub(super) fn line(text: &str, position: Option<&Position>) -> Option<u32> {
    let position = position?;
    let behind = text.get(position.byte() as usize..).unwrap_or_default();
    let skipped = behind.split_inclusive('\n').take_while(|line| {
        let line = line.trim_start_matches(['\u{feff}', '\r', '\n']);
        line.is_empty() || line.starts_with('#')
    });
    Some(position.line() as u32 + skipped.count() as u32)
}

/// The `index`-th task, called by its name or, without one, by its number.
fn task(index: usize, header: &StringRecord, row: &StringRecord) -> Result<NamedTask, Problem> {
    let cells = || header.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
    let name = cells().find(|(key, _)| *key == "name").map_or_else(|| index.to_string(), |(_, cell)| cell.to_owned());
    let mut draft = TaskDraft::default();
    for (key, cell) in cells().filter(|(key, _)| *key != "name") {
        draft.set(key, cell, UNIT).map_err(|problem| problem.in_task(&name))?;
    }
    draft.finish(&name).map_err(|problem| problem.in_task(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::task::Task;

    #[test]
    fn units_stand_in_the_header_or_in_the_cells() {
        let text = "# from a spreadsheet\nname, cost_us, period, deadline_ms, working_set, affinity\n\
                    gyro, 250.5, 2ms, , 64KiB,\"0,2\"\nlog, 900, 10ms, 20, ,\n";
        let scenario = read("copter.csv", text).unwrap();
        let gyro = Task { working_set_kib: 64, ..Task::implicit(250_500, 2_000_000) };
        assert_eq!(scenario.tasks(), [gyro, Task::new(900_000, 10_000_000, 20_000_000)]);
        assert_eq!((scenario.name.as_str(), scenario.tasks[0].name.as_str()), ("copter", "gyro"));
        assert_eq!(scenario.tasks[0].affinity.unwrap().to_string(), "0,2");
    }

    #[test]
    fn an_error_names_its_line_its_task_and_its_column() {
        let message = |text: &str| read("copter.csv", text).unwrap_err().to_string();
        assert_eq!(
            message("name,cost_us,perid_us\ngyro,1,2\n"),
            "copter.csv:2: perid_us of task 'gyro': unknown key for a task; did you mean 'period'?"
        );
        assert!(message("name,cost,period\ngyro,1,2us\n").contains("cost of task 'gyro': '1' has no unit"));
        assert!(message("name,cost_us,period_us\ngyro,1\n").contains(":2: "));
        assert!(message("name,cost_us,period_us\r\n\r\n# one\r\ngyro,1\r\n").starts_with("copter.csv:4: "));
        assert!(message("name,cost_us,perid_us\n# one\ngyro,1,2\n").starts_with("copter.csv:3: perid_us"));
        assert!(message("name,cost_us,period_us\n").contains("there is no task"));
        assert!(message("").contains("there is no task"));
    }

    #[test]
    fn another_separator_no_header_and_a_column_twice_are_named_as_such() {
        let message = |text: &str| read("copter.csv", text).unwrap_err().to_string();
        assert_eq!(
            message("name;cost_us;period_us\ngyro;1;2\n"),
            "copter.csv:1: semicolons separate the columns; separate the columns with commas"
        );
        assert!(message("name\tcost_us\tperiod_us\ngyro\t1\t2\n").contains("tabs separate the columns"));
        assert!(message("gyro,250us,2ms\nlog,1ms,10ms\n").starts_with("copter.csv:1: the first row is not a header"));
        assert_eq!(
            message("# copter\nname,cost_us,cost_us,period_us\ngyro,1,2,3\n"),
            "copter.csv:2: column 'cost_us' occurs twice; keep one of the two columns"
        );
    }
}
