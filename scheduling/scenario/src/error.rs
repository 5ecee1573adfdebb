//! What is wrong with a task set, where, and what to write instead.

use std::fmt;

/// A text that is not a task set: file, line, task, field, problem and remedy in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ReadError {
    /// The file as it was named.
    pub file: String,
    /// The line, counted from one; `None` where the problem has no one line.
    pub line: Option<u32>,
    /// What is wrong there.
    #[source]
    pub problem: Box<Problem>,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.problem),
            None => write!(f, "{}: {}", self.file, self.problem),
        }
    }
}

/// The same without a place: what one task or one field says that it must not.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
pub struct Problem {
    /// The task, where it belongs to one.
    pub task: Option<String>,
    /// The key or column, where it belongs to one.
    pub field: Option<String>,
    /// What was found.
    pub problem: String,
    /// What to write instead.
    pub remedy: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.field, &self.task) {
            (Some(field), Some(task)) => write!(f, "{field} of task '{task}': ")?,
            (Some(field), None) => write!(f, "{field}: ")?,
            (None, Some(task)) => write!(f, "task '{task}': ")?,
            (None, None) => {}
        }
        write!(f, "{}; {}", self.problem, self.remedy)
    }
}

impl Problem {
    /// A problem that belongs to no task and no field yet.
    pub fn new(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { task: None, field: None, problem: problem.into(), remedy: remedy.into() }
    }

    /// The same, of this field unless one is named already.
    pub fn of(mut self, field: &str) -> Self {
        self.field.get_or_insert_with(|| field.to_owned());
        self
    }

    /// The same, of this task unless one is named already.
    pub fn in_task(mut self, task: &str) -> Self {
        self.task.get_or_insert_with(|| task.to_owned());
        self
    }

    /// The same, at a place.
    pub fn at(self, file: &str, line: Option<u32>) -> ReadError {
        ReadError { file: file.to_owned(), line, problem: Box::new(self) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_file_line_field_task_and_remedy() {
        let problem = Problem::new("it is zero", "give it at least one tick").of("cost").in_task("gyro");
        let message = problem.at("copter.toml", Some(12)).to_string();
        assert_eq!(message, "copter.toml:12: cost of task 'gyro': it is zero; give it at least one tick");
    }
}
