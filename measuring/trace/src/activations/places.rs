//! Places of a program as a person names them, `[FILE:]SYMBOL[+BYTES]` or `[FILE:]SOURCE:LINE`, the sections between two of them, and their numbers; pure.

use std::fmt;
use std::str::FromStr;

/// A place of a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file that has the symbol, by its name or its path; by default the program, else its libraries.
    pub file: Option<String>,
    /// What is looked for.
    pub target: PlaceTarget,
}

/// What a place is named by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlaceTarget {
    /// A function or a label, as the linker names it or as its source does, and so many bytes behind it.
    Symbol {
        /// Its name.
        name: String,
        /// Bytes.
        offset: u64,
    },
    /// A line of a source file, by the debug information.
    Line {
        /// The source file's name, or the end of its path.
        source: String,
        /// Its line, counted from 1.
        line: u32,
    },
    /// A static probe (USDT): a note in the file.
    Probe {
        /// Its provider.
        provider: String,
        /// Its name.
        name: String,
    },
}

/// A section: from a place to another, or from the entry of a function to its return.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProgramSection {
    /// Where it begins.
    pub begin: Place,
    /// Where it ends; `None` is the return of the function that it begins with.
    pub end: Option<Place>,
}

/// Why a file does not have a place, or not one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// It has nothing of that name; names that are like it.
    Absent(Vec<String>),
    /// It has no line table, in which a line of a source file is looked for; in words.
    NoLines(String),
    /// It has it, but it cannot be looked at.
    Unusable(String),
}

/// Names that an answer lists.
pub(super) const LISTED: usize = 4;

/// `a, b, c, d and 3 more`.
pub(super) fn listed(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(LISTED);
    let first = names.take(LISTED).collect::<Vec<_>>().join(", ");
    if more == 0 { first } else { format!("{first} and {more} more") }
}

/// What is wrong with the name of a place or section.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WrongPlace(&'static str);

impl FromStr for Place {
    type Err = WrongPlace;

    fn from_str(text: &str) -> Result<Self, WrongPlace> {
        if let Some(probe) = text.strip_prefix("usdt:") {
            let probe = probe.split_once(':').filter(|(provider, name)| !provider.is_empty() && !name.is_empty());
            let (provider, name) = probe.ok_or(WrongPlace("a static probe must be written usdt:PROVIDER:NAME"))?;
            let target = PlaceTarget::Probe { provider: provider.into(), name: name.into() };
            return Ok(Self { file: None, target });
        }
        if let Some((source, line)) = line(text) {
            let (file, source) = match file_end(source) {
                Some(at) => (Some(source[..at].to_owned()), &source[at + 1..]),
                None => (None, source),
            };
            let line = line.ok_or(WrongPlace("a line of a source file is a number from 1 to 4294967295"))?;
            if file.is_some() && source.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(WrongPlace("a line has no column; write [FILE:]SOURCE:LINE"));
            }
            return match source.is_empty() || file.as_ref().is_some_and(String::is_empty) {
                true => Err(WrongPlace("no source file is named before the line; write [FILE:]SOURCE:LINE")),
                false => Ok(Self { file, target: PlaceTarget::Line { source: source.into(), line } }),
            };
        }
        let (file, symbol) = match file_end(text) {
            Some(0) => return Err(WrongPlace("no file is named before the colon; write FILE:SYMBOL or SYMBOL")),
            Some(at) => (Some(text[..at].to_owned()), &text[at + 1..]),
            None => (None, text),
        };
        let (name, offset) =
            symbol.rsplit_once('+').and_then(|(name, bytes)| Some((name, number(bytes)?))).unwrap_or((symbol, 0));
        match name.is_empty() {
            true => Err(WrongPlace("no symbol is named; write [FILE:]SYMBOL[+BYTES]")),
            false => Ok(Self { file, target: PlaceTarget::Symbol { name: name.into(), offset } }),
        }
    }
}

/// The source file and the line of `[FILE:]SOURCE:LINE`: no symbol has digits alone. The line is `None` where it is no line's number.
fn line(text: &str) -> Option<(&str, Option<u32>)> {
    let (source, digits) = text.rsplit_once(':')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    (is_number && !source.ends_with(':')).then(|| (source, digits.parse().ok().filter(|line| *line > 0)))
}

/// Where the one colon is that stands alone: two are part of a C++ or Rust name.
fn file_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_colon = |at: usize| bytes.get(at) == Some(&b':');
    (0..bytes.len()).find(|at| is_colon(*at) && !is_colon(at + 1) && (*at == 0 || !is_colon(at - 1)))
}

/// `16`, `0x10`.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:")?;
        }
        match &self.target {
            PlaceTarget::Symbol { name, offset: 0 } => f.write_str(name),
            PlaceTarget::Symbol { name, offset } => write!(f, "{name}+{offset:#x}"),
            PlaceTarget::Line { source, line } => write!(f, "{source}:{line}"),
            PlaceTarget::Probe { provider, name } => write!(f, "usdt:{provider}:{name}"),
        }
    }
}

impl FromStr for ProgramSection {
    type Err = WrongPlace;

    fn from_str(text: &str) -> Result<Self, WrongPlace> {
        let Some((begin, end)) = text.split_once("..") else {
            let begin: Place = text.parse()?;
            return match begin.target {
                PlaceTarget::Symbol { offset: 0, .. } => Ok(Self { begin, end: None }),
                _ => Err(WrongPlace(
                    "a section that names one place must be a whole function; for any other section, name a second place, as in A..B",
                )),
            };
        };
        Ok(Self { begin: begin.parse()?, end: Some(end.parse()?) })
    }
}

impl fmt::Display for ProgramSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.end {
            Some(end) => write!(f, "{}..{end}", self.begin),
            None => self.begin.fmt(f),
        }
    }
}

/// All places that one watch looks at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The sections.
    pub sections: Vec<ProgramSection>,
    /// Places that rules are about.
    pub others: Vec<Place>,
}

/// What it means that a thread reached a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    /// This section begins.
    Begin(usize),
    /// It ends.
    End(usize),
    /// One of the others.
    Other(usize),
}

/// A place with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point<'a> {
    pub number: u32,
    pub place: &'a Place,
    /// It is reached when the function returns.
    pub is_return: bool,
    /// It stands in one file only: a section has one beginning.
    pub is_single: bool,
}

impl Places {
    /// Every place that is looked for. Two of each section come first.
    pub(super) fn points(&self) -> Vec<Point<'_>> {
        let of_sections = self.sections.iter().flat_map(|section| {
            let end = section.end.as_ref();
            [(&section.begin, false), (end.unwrap_or(&section.begin), end.is_none())]
        });
        let others = self.others.iter().map(|place| (place, false));
        let edges = 2 * self.sections.len();
        let all = of_sections.chain(others).zip(0_u32..);
        all.map(|((place, is_return), number)| Point { number, place, is_return, is_single: (number as usize) < edges })
            .collect()
    }

    /// What the number of a place means; `None` for a number that no place has.
    pub(super) fn reached(&self, number: u32) -> Option<Reached> {
        let number = number as usize;
        let edges = 2 * self.sections.len();
        match (number < edges, number % 2) {
            (true, 0) => Some(Reached::Begin(number / 2)),
            (true, _) => Some(Reached::End(number / 2)),
            (false, _) => Some(Reached::Other(number - edges)).filter(|_| number - edges < self.others.len()),
        }
    }

    /// True where nothing is looked for.
    pub(super) fn is_empty(&self) -> bool {
        self.sections.is_empty() && self.others.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_written_the_same() {
        let symbol = |file: Option<&str>, name: &str, offset| Place {
            file: file.map(str::to_owned),
            target: PlaceTarget::Symbol { name: name.into(), offset },
        };
        for (text, expected) in [
            ("step", symbol(None, "step", 0)),
            ("libctl.so:step", symbol(Some("libctl.so"), "step", 0)),
            ("/opt/ctl/libctl.so.2:ctl::Loop::step+0x10", symbol(Some("/opt/ctl/libctl.so.2"), "ctl::Loop::step", 16)),
            ("ctl::step", symbol(None, "ctl::step", 0)),
            ("operator+", symbol(None, "operator+", 0)),
        ] {
            assert_eq!(text.parse(), Ok(expected.clone()));
            assert_eq!(expected.to_string(), text);
        }
        assert_eq!("step+16".parse::<Place>().unwrap().to_string(), "step+0x10");
        assert_eq!("usdt:ctl:cycle".parse::<Place>().unwrap().to_string(), "usdt:ctl:cycle");
        for (text, file, source, line) in [
            ("loop.c:12", None, "loop.c", 12),
            ("src/loop.c:12", None, "src/loop.c", 12),
            ("/home/u/loop.c:4294967295", None, "/home/u/loop.c", u32::MAX),
            ("libctl.so:loop.cpp:1", Some("libctl.so"), "loop.cpp", 1),
        ] {
            let target = PlaceTarget::Line { source: source.into(), line };
            let expected = Place { file: file.map(str::to_owned), target };
            assert_eq!((text.parse(), expected.to_string().as_str()), (Ok(expected.clone()), text));
        }
        for wrong in [
            "",
            ":step",
            "usdt:ctl",
            "usdt::x",
            "lib.so:",
            ":12",
            ":loop.c:12",
            "loop.c:0",
            "loop.c:12:5",
            "loop.c:4294967296",
        ] {
            assert!(wrong.parse::<Place>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_section_is_a_function_or_two_places() {
        for text in ["step", "a..b", "lib.so:a..ctl::b+0x4", "usdt:p:a..usdt:p:b", "a.c:7..b.c:9"] {
            assert_eq!(text.parse::<ProgramSection>().unwrap().to_string(), text);
        }
        for wrong in ["..b", "a..", "step+4", "usdt:p:a", "a.c:7"] {
            assert!(wrong.parse::<ProgramSection>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_place_has_a_number_that_leads_back() {
        let section = |text: &str| text.parse::<ProgramSection>().unwrap();
        let places = Places { sections: vec![section("a..b"), section("f")], others: vec!["malloc".parse().unwrap()] };
        let points = places.points();
        let names: Vec<_> = points.iter().map(|point| (point.place.to_string(), point.is_return)).collect();
        let name = |name: &str, is_return| (name.to_owned(), is_return);
        assert_eq!(
            names,
            [name("a", false), name("b", false), name("f", false), name("f", true), name("malloc", false)]
        );
        let meant: Vec<_> = points.iter().filter_map(|point| places.reached(point.number)).collect();
        use Reached::{Begin, End, Other};
        assert_eq!(meant, [Begin(0), End(0), Begin(1), End(1), Other(0)]);
        assert_eq!(places.reached(5), None);
    }
}
