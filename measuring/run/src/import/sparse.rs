//! The sparse table: a cyclictest histogram without its zeros, as a CSV that a study can carry.
//!
//! It holds the figures of the original and nothing else, and reading it gives the same run as reading the original.
//!
//! ```text
//! # prazo sparse histogram 1
//! # origin: where the original is from
//! # file: results-3.8.13+-fifo-clocknanosleep.txt
//! # bound: 10000                      first latency beyond the histogram
//! # total: 7199932                    one figure for each thread, as the original states them
//! # cycles of overflow 0: 1122851 1122852
//! latency_us,count
//! 14,5
//! ```

use super::context::{Context, US};
use super::cyclictest_table::{Column, Figure, Table};
use super::error::{ImportError, Problem};
use super::input::Input;
use super::tally::SERIES_MAX;
use super::text::{number, numbers};
use super::thread_line::ThreadLine;
use super::{cyclictest_histogram, cyclictest_run};
use crate::Run;
use std::fmt::Write as _;
use std::path::Path;

/// How a sparse table begins.
pub(super) const FIRST_LINE: &str = "# prazo sparse histogram 1";

/// The most cycle numbers of one thread.
const CYCLES_MAX: usize = 1 << 20;

/// The sparse form of the cyclictest text histogram at `path`; `origin` says in one line where that is from.
pub fn from_cyclictest(path: &Path, origin: &str) -> Result<String, ImportError> {
    let at = |line| move |problem| ImportError::new(path, line, problem);
    let mut input = Input::open(path).map_err(at(None))?;
    let table = cyclictest_histogram::parse(&mut input, US);
    let table = table.map_err(at(input.line()))?;
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(write(&table, &one_line(&file), &one_line(origin)))
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// Writes the table; a `String` takes every write.
fn write(table: &Table, file: &str, origin: &str) -> String {
    let mut out = format!("{FIRST_LINE}\n# origin: {origin}\n# file: {file}\n");
    let mut line = |key: &str, value: String| {
        let _ = writeln!(out, "# {key}: {value}");
    };
    if let Some(us) = table.dma_latency_us {
        line("dma_latency_us", us.to_string());
    }
    if let Some(policy) = &table.policy {
        line("policy", policy.clone());
    }
    for thread in table.threads.values() {
        line(if thread.closing { "closing thread line" } else { "thread line" }, thread_line(thread));
    }
    line("unread", table.unread.to_string());
    line("bound", table.bound.to_string());
    let all = |of: &dyn Fn(&Column) -> String| table.columns.iter().map(of).collect::<Vec<_>>().join(" ");
    line("total", all(&|column| column.total.to_string()));
    line("min", all(&|column| figure(&column.min)));
    line("mean", all(&|column| figure(&column.mean)));
    line("max", all(&|column| figure(&column.max)));
    line("overflow", all(&|column| column.overflow.to_string()));
    line("overflow without cycle", all(&|column| column.others.to_string()));
    for (thread, column) in table.columns.iter().enumerate().filter(|(_, column)| !column.cycles.is_empty()) {
        let cycles: Vec<String> = column.cycles.iter().map(u64::to_string).collect();
        line(&format!("cycles of overflow {thread}"), cycles.join(" "));
    }
    rows(&mut out, &table.columns);
    out
}

fn figure(figure: &Figure) -> String {
    match figure {
        Figure::Absent => "-".into(),
        Figure::Value(value) => value.to_string(),
        Figure::Refused(word) => word.clone(),
    }
}

fn thread_line(line: &ThreadLine) -> String {
    let optional = |label: &str, value: Option<u64>| value.map_or(String::new(), |value| format!(" {label}{value}"));
    let figures = match (&line.figures, &line.refused) {
        (Some([min, mean, max]), _) => format!("Min:{min} Avg:{mean} Max:{max}"),
        (None, Some(refused)) => refused.clone(),
        (None, None) => "Min:0 Avg:0 Max:0".into(),
    };
    let (priority, interval) = (optional("P:", line.priority.map(u64::from)), optional("I:", line.interval_us));
    format!("T: {}{priority}{interval} C:{} {figures}", line.thread, line.cycles)
}

/// One row for each latency that any thread has.
fn rows(out: &mut String, columns: &[Column]) {
    out.push_str("latency_us");
    for thread in 0..columns.len() {
        let _ = if columns.len() == 1 { write!(out, ",count") } else { write!(out, ",count_{thread}") };
    }
    out.push('\n');
    let mut merged = std::collections::BTreeMap::new();
    for (thread, column) in columns.iter().enumerate() {
        for (latency, count) in &column.cells {
            merged.entry(*latency).or_insert_with(|| vec![0; columns.len()])[thread] = *count;
        }
    }
    for (latency, counts) in merged {
        let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
        let _ = writeln!(out, "{latency},{}", counts.join(","));
    }
}

/// Reads the file.
pub(super) fn read(input: &mut Input, context: &Context) -> Result<Run, Problem> {
    let mut parser = Parser::default();
    while let Some(line) = input.next_line()? {
        parser.take(line)?;
    }
    let file = parser.file.take().ok_or(Problem::Truncated { wanted: "the line `# file:`" })?;
    let table = parser.finish()?;
    let stem = Path::new(&file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    cyclictest_run::run(&table, context, context.run_of(&stem))
}

#[derive(Default)]
struct Parser {
    table: Table,
    file: Option<String>,
    threads: usize,
    bound: Option<u64>,
    header: Vec<(String, String)>,
}

impl Parser {
    fn take(&mut self, line: &str) -> Result<(), Problem> {
        match line.strip_prefix("# ") {
            Some(comment) => self.comment(comment)?,
            None if line.is_empty() => {}
            None if self.threads == 0 => self.heading(line)?,
            None => self.row(line)?,
        }
        Ok(())
    }

    fn comment(&mut self, comment: &str) -> Result<(), Problem> {
        let Some((key, value)) = comment.split_once(':') else {
            return Ok(());
        };
        let value = value.trim();
        match key {
            "file" => self.file = Some(value.to_owned()),
            "dma_latency_us" => self.table.dma_latency_us = Some(number(value, "a time in µs")?),
            "policy" => self.table.policy = Some(value.to_owned()),
            "thread line" => self.thread(value)?,
            "closing thread line" => self.thread(&format!("#{value}"))?,
            "unread" => self.table.unread = number(value, "a count of lines")?,
            "bound" => self.bound = Some(number(value, "a latency")?),
            _ => self.header.push((key.to_owned(), value.to_owned())),
        }
        if self.header.len() > SERIES_MAX + 16 {
            return Err(Problem::TooMuch { what: "too many lines before the table".into(), limit: SERIES_MAX as u64 });
        }
        Ok(())
    }

    fn thread(&mut self, line: &str) -> Result<(), Problem> {
        let thread = ThreadLine::parse(line, US)
            .ok_or_else(|| Problem::malformed(line, "a thread line that begins with T:"))??;
        self.table.thread(thread)
    }

    fn heading(&mut self, line: &str) -> Result<(), Problem> {
        let mut names = line.split(',');
        if names.next() != Some("latency_us") {
            return Err(Problem::malformed(line, "the heading latency_us,count"));
        }
        self.threads = names.take(SERIES_MAX + 1).count();
        if self.threads == 0 || self.threads > SERIES_MAX {
            return Err(Problem::malformed(line, "a count for each of at most 4096 threads"));
        }
        Ok(())
    }

    fn row(&mut self, line: &str) -> Result<(), Problem> {
        let mut fields = line.split(',').take(SERIES_MAX + 2);
        let latency = number(fields.next().unwrap_or_default(), "a latency")?;
        let counts = fields.map(|field| number(field, "a count")).collect::<Result<Vec<u64>, _>>()?;
        if counts.len() != self.threads {
            return Err(Problem::malformed(line, "a latency and a count for each thread"));
        }
        self.table.row(latency, &counts, line)
    }

    fn finish(mut self) -> Result<Table, Problem> {
        self.table.columns.resize(self.threads, Column::default());
        for (key, value) in std::mem::take(&mut self.header) {
            self.figures(&key, &value)?;
        }
        let bound = self.bound.ok_or(Problem::Truncated { wanted: "the line `# bound:`" })?;
        if bound < self.table.bound {
            return Err(Problem::Contradiction(format!(
                "the row at {} µs is not below the stated bound of {bound} µs",
                self.table.bound - 1
            )));
        }
        self.table.bound = bound;
        self.table.settle()?;
        Ok(self.table)
    }

    fn figures(&mut self, key: &str, value: &str) -> Result<(), Problem> {
        let columns = &mut self.table.columns;
        match key {
            "total" => set(columns, &whole(value)?, |column, value| column.total = *value),
            "overflow" => set(columns, &whole(value)?, |column, value| column.overflow = *value),
            "overflow without cycle" => set(columns, &whole(value)?, |column, value| column.others = *value),
            "min" => set(columns, &figures(value)?, |column, value| column.min = value.clone()),
            "mean" => set(columns, &figures(value)?, |column, value| column.mean = value.clone()),
            "max" => set(columns, &figures(value)?, |column, value| column.max = value.clone()),
            _ => self.cycles(key, value),
        }
    }

    fn cycles(&mut self, key: &str, value: &str) -> Result<(), Problem> {
        let Some(thread) = key.strip_prefix("cycles of overflow ") else {
            return Ok(());
        };
        let thread: usize = number(thread, "a thread's number")?;
        let column = self.table.columns.get_mut(thread);
        let column = column.ok_or_else(|| {
            Problem::Contradiction(format!("a line lists cycles of thread {thread}, which has no column"))
        })?;
        column.cycles = numbers(value, CYCLES_MAX, "cycle numbers")?;
        Ok(())
    }
}

fn whole(value: &str) -> Result<Vec<u64>, Problem> {
    numbers(value, SERIES_MAX, "one whole number for each thread")
}

fn figures(value: &str) -> Result<Vec<Figure>, Problem> {
    let figure = |word| if word == "-" { Ok(Figure::Absent) } else { Figure::parse(word) };
    value.split_whitespace().take(SERIES_MAX + 1).map(figure).collect()
}

fn set<T>(columns: &mut [Column], values: &[T], put: impl Fn(&mut Column, &T)) -> Result<(), Problem> {
    if columns.len() != values.len() {
        return Err(Problem::Contradiction(format!(
            "the table has {} threads, but a line has {} figures",
            columns.len(),
            values.len()
        )));
    }
    columns.iter_mut().zip(values).for_each(|(column, value)| put(column, value));
    Ok(())
}
