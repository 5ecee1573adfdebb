//! cyclictest's text histogram, printed at the end of a run or written by `--histfile`, of rt-tests 0.84 to 2.x.
//!
//! ```text
//! # /dev/cpu_dma_latency set to 0us
//! # Histogram
//! 000007 000000   000001          latency, then one count a thread; -H adds their sum
//! # Total: 000001998 000001983    without the overflows
//! # Avg Latencies: 00013 00018    with the overflows, cut to whole microseconds
//! # Histogram Overflows: 00002 00017
//! # Thread 1: 00093 00891 # 00015 others
//! ```
//!
//! Old versions print `policy: fifo: loadavg: ...` and `T:` lines before; the Article's Xenomai file has a `#T:` line there
//! that contradicts the totals.
//!
//! `cyclictest_run` makes a run of the table and adds the caveats.

use super::context::Context;
use super::cyclictest_run;
use super::cyclictest_table::{Figure, Table};
use super::error::Problem;
use super::input::Input;
use super::tally::SERIES_MAX;
use super::text::{number, numbers};
use super::thread_line::ThreadLine;
use crate::Run;
use prazo_core::time::Duration;

/// The most cycle numbers that are kept of one thread; cyclictest lists no more than its histogram has rows.
const CYCLES_MAX: usize = 1 << 20;

/// Reads the file.
pub(super) fn read(input: &mut Input, context: &Context) -> Result<Run, Problem> {
    let table = parse(input, context.unit())?;
    cyclictest_run::run(&table, context, context.run())
}

/// Reads the file into a table.
pub(super) fn parse(input: &mut Input, unit: Duration) -> Result<Table, Problem> {
    parse_from(Stage::Preamble, input, Table::default(), unit)
}

/// Reads what follows the line `# Histogram`; what stood before it is in `table`.
pub(super) fn parse_rows(input: &mut Input, table: Table, unit: Duration) -> Result<Table, Problem> {
    parse_from(Stage::Rows, input, table, unit)
}

fn parse_from(stage: Stage, input: &mut Input, table: Table, unit: Duration) -> Result<Table, Problem> {
    let mut parser = Parser { table, unit, stage, totals: Vec::new(), figures: Figures::default() };
    while let Some(line) = input.next_line()? {
        parser.take(line)?;
    }
    parser.finish()
}

/// Where in the file the next line stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Preamble,
    Rows,
    Footer,
}

struct Parser {
    table: Table,
    unit: Duration,
    stage: Stage,
    totals: Vec<u64>,
    figures: Figures,
}

/// The footer's lines, one entry a column.
#[derive(Default)]
struct Figures {
    min: Vec<Figure>,
    mean: Vec<Figure>,
    max: Vec<Figure>,
    overflow: Option<Vec<u64>>,
    cycles: Vec<(usize, Vec<u64>, u64)>,
    lists_cycles: bool,
}

impl Parser {
    fn take(&mut self, line: &str) -> Result<(), Problem> {
        if line.is_empty() {
            return Ok(());
        }
        if let Some(thread) = ThreadLine::parse(line, self.unit) {
            return self.table.thread(thread?);
        }
        match (self.stage, line.strip_prefix('#').map(str::trim)) {
            (Stage::Preamble, Some("Histogram")) => self.stage = Stage::Rows,
            (Stage::Preamble, _) => self.table.preamble(line),
            (_, Some("Histogram")) => return Err(second()),
            (Stage::Rows, None) => return self.row(line),
            (_, Some(comment)) => {
                self.stage = Stage::Footer;
                return self.footer(comment);
            }
            (Stage::Footer, None) => self.table.unread += 1,
        }
        Ok(())
    }

    fn row(&mut self, line: &str) -> Result<(), Problem> {
        let (latency, counts) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let latency = number(latency, "a latency")?;
        let counts = numbers(counts, SERIES_MAX + 1, "the threads' counts")?;
        if counts.is_empty() {
            return Err(Problem::malformed(line, "a latency and a count for each thread"));
        }
        self.table.row(latency, &counts, line)
    }

    fn footer(&mut self, comment: &str) -> Result<(), Problem> {
        let (key, rest) = comment.split_once(':').unwrap_or((comment, ""));
        match key {
            "Total" => self.totals = numbers(rest, SERIES_MAX + 1, "the threads' totals")?,
            "Min Latencies" => self.figures.min = figures(rest)?,
            "Avg Latencies" => self.figures.mean = figures(rest)?,
            "Max Latencies" => self.figures.max = figures(rest)?,
            "Histogram Overflows" => {
                self.figures.overflow = Some(numbers(rest, SERIES_MAX + 1, "the threads' overflows")?);
            }
            "Histogram Overflow at cycle number" => self.figures.lists_cycles = true,
            _ => return self.cycles(key, rest),
        }
        Ok(())
    }

    /// `Thread 0: 00093 00891 # 00015 others`
    fn cycles(&mut self, key: &str, rest: &str) -> Result<(), Problem> {
        let Some(thread) = key.strip_prefix("Thread ") else {
            self.table.unread += 1;
            return Ok(());
        };
        let (listed, others) = rest.split_once('#').unwrap_or((rest, "0"));
        let others = others.trim().trim_end_matches("others");
        let listed = numbers(listed, CYCLES_MAX, "cycle numbers")?;
        self.figures.cycles.push((
            number(thread, "a thread's number")?,
            listed,
            number(others, "a count before `others`")?,
        ));
        if self.figures.cycles.len() > SERIES_MAX {
            return Err(Problem::TooMuch { what: "too many threads".into(), limit: SERIES_MAX as u64 });
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Table, Problem> {
        if self.totals.is_empty() {
            return Err(Problem::Truncated { wanted: "the line `# Total:`" });
        }
        let overflow =
            self.figures.overflow.take().ok_or(Problem::Truncated { wanted: "the line `# Histogram Overflows:`" })?;
        self.take_off_sum()?;
        self.spread(overflow)?;
        self.spread_cycles()?;
        self.table.settle()?;
        Ok(self.table)
    }

    /// `-H` adds a column to the rows, the totals and the maxima, but not to the minima.
    fn take_off_sum(&mut self) -> Result<(), Problem> {
        let threads = if self.figures.min.is_empty() { self.table.columns.len() } else { self.figures.min.len() };
        let columns = self.table.columns.len();
        if columns != threads && columns != threads + 1 {
            let minima = threads;
            return Err(Problem::Contradiction(format!(
                "the table has {columns} columns, but the file states {minima} minima"
            )));
        }
        if columns > threads {
            let sum =
                self.table.columns.pop().map_or(0, |column| column.cells.iter().map(|cell| u128::from(cell.1)).sum());
            let parts: u128 =
                self.table.columns.iter().flat_map(|column| &column.cells).map(|cell| u128::from(cell.1)).sum();
            if sum != parts {
                return Err(Problem::Contradiction(format!(
                    "the sum column has {sum} samples, but the other columns have {parts}"
                )));
            }
        }
        Ok(())
    }

    fn spread(&mut self, overflow: Vec<u64>) -> Result<(), Problem> {
        let columns = self.table.columns.len();
        let Figures { min, mean, max, .. } = &mut self.figures;
        for figures in [&mut *min, mean, max].into_iter().filter(|figures| figures.is_empty()) {
            figures.resize(columns, Figure::Absent);
        }
        let shortest = [min.len(), mean.len(), max.len(), self.totals.len(), overflow.len()].into_iter().min();
        if shortest < Some(columns) {
            return Err(Problem::Contradiction(format!(
                "the table has {columns} threads, but a line below it has fewer figures"
            )));
        }
        for (index, column) in self.table.columns.iter_mut().enumerate() {
            column.total = self.totals[index];
            column.overflow = overflow[index];
            column.min = std::mem::take(&mut min[index]);
            column.mean = std::mem::take(&mut mean[index]);
            column.max = std::mem::take(&mut max[index]);
        }
        Ok(())
    }

    fn spread_cycles(&mut self) -> Result<(), Problem> {
        for (thread, cycles, others) in std::mem::take(&mut self.figures.cycles) {
            let column = self.table.columns.get_mut(thread);
            let column = column.ok_or_else(|| {
                Problem::Contradiction(format!("a line lists cycles of thread {thread}, which has no column"))
            })?;
            (column.cycles, column.others) = (cycles, others);
        }
        let listed =
            |column: &super::cyclictest_table::Column| (column.cycles.len() as u64).saturating_add(column.others);
        if self.figures.lists_cycles && self.table.columns.iter().any(|column| listed(column) < column.overflow) {
            return Err(Problem::Truncated { wanted: "the cycle numbers of all overflows" });
        }
        Ok(())
    }
}

fn figures(words: &str) -> Result<Vec<Figure>, Problem> {
    let figures: Vec<Figure> =
        words.split_whitespace().take(SERIES_MAX + 2).map(Figure::parse).collect::<Result<_, _>>()?;
    if figures.len() > SERIES_MAX + 1 {
        return Err(Problem::TooMuch { what: "too many figures".into(), limit: SERIES_MAX as u64 });
    }
    Ok(figures)
}

fn second() -> Problem {
    Problem::malformed("# Histogram", "the rest of the first histogram")
}
