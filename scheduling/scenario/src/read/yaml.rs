//! YAML as task-set files have it: one document of mappings, lists and plain values, each with its line.
//!
//! Values stay texts, so that no number is rounded on the way. Anchors, aliases and tags are refused: no such file needs them, and
//! an alias of an alias makes a short text a very large value. So are two entries of one key, of which other readers keep one.

use crate::error::{Problem, ReadError};
use crate::nearest;
use crate::unit::{Scale, Unit};
use prazo_core::task::Ticks;
use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use std::collections::HashSet;

/// Mappings and lists inside one another; the formats have five.
const DEPTH_MAX: usize = 16;

/// A value and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub line: u32,
    pub kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A text without quotation marks, such as a number; empty if nothing is written.
    Plain(String),
    /// A text in quotation marks.
    Quoted(String),
    List(Vec<Value>),
    Map(Vec<Entry>),
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub key: String,
    pub line: u32,
    pub value: Value,
}

/// A problem and its line.
pub(super) type Placed<T> = Result<T, (Problem, u32)>;

/// `problem` of a value at `line`.
pub(super) fn at<T>(line: u32, problem: Result<T, Problem>) -> Placed<T> {
    problem.map_err(|problem| (problem, line))
}

/// Reads `text` as one mapping, and what `read` makes of it; `file` is named in errors.
pub(super) fn read<T>(file: &str, text: &str, read: impl FnOnce(&Value) -> Placed<T>) -> Result<T, ReadError> {
    let root = parse(text).and_then(|root| read(&root));
    root.map_err(|(problem, line)| problem.at(file, Some(line)))
}

/// A list or mapping that is not complete.
#[derive(Debug)]
enum Open {
    List(Vec<Value>),
    Map { entries: Vec<Entry>, keys: HashSet<String>, key: Option<(String, u32)> },
}

fn parse(text: &str) -> Placed<Value> {
    let mut open: Vec<(u32, Open)> = Vec::new();
    let mut root = None;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|cause| {
            let line = u32::try_from(cause.marker().line()).unwrap_or(u32::MAX);
            (Problem::new(cause.info().to_owned(), "correct the YAML on this line"), line)
        })?;
        let line = line(span);
        let complete = match event {
            Event::Alias(_) => return Err(refused(line, "an alias (*)", "write the value itself")),
            Event::Scalar(_, _, 1.., _) | Event::SequenceStart(1.., _) | Event::MappingStart(1.., _) => {
                return Err(refused(line, "an anchor (&)", "remove the anchor"));
            }
            Event::Scalar(.., Some(_)) | Event::SequenceStart(_, Some(_)) | Event::MappingStart(_, Some(_)) => {
                return Err(refused(line, "a tag (!)", "remove the tag"));
            }
            Event::DocumentStart(_) if root.is_some() => {
                return Err(refused(line, "a second document", "write each task set into a file of its own"));
            }
            Event::Scalar(text, style, ..) => Some((line, scalar(text.into_owned(), style))),
            Event::SequenceStart(..) => {
                open.push((line, Open::List(Vec::new())));
                None
            }
            Event::MappingStart(..) => {
                open.push((line, Open::Map { entries: Vec::new(), keys: HashSet::new(), key: None }));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(|(line, open)| (line, open.complete())),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {
                None
            }
        };
        if open.len() > DEPTH_MAX {
            let problem = format!("lists and mappings are nested more than {DEPTH_MAX} levels deep");
            return Err((Problem::new(problem, "reduce the nesting; no task set needs so many levels"), line));
        }
        if let Some((line, kind)) = complete {
            let value = Value { line, kind };
            match open.last_mut() {
                None => root = Some(value),
                Some((_, open)) => open.take(value)?,
            }
        }
    }
    root.ok_or_else(|| (Problem::new("the file is empty", "write a task set into the file"), 1))
}

fn line(span: Span) -> u32 {
    u32::try_from(span.start.line()).unwrap_or(u32::MAX)
}

fn refused(line: u32, what: &str, remedy: &str) -> (Problem, u32) {
    (Problem::new(format!("{what} is not read"), remedy), line)
}

fn scalar(text: String, style: ScalarStyle) -> Kind {
    match style {
        ScalarStyle::Plain => Kind::Plain(text),
        _ => Kind::Quoted(text),
    }
}

impl Open {
    fn complete(self) -> Kind {
        match self {
            Self::List(values) => Kind::List(values),
            Self::Map { entries, .. } => Kind::Map(entries),
        }
    }

    /// Adds `value`, which in a mapping is now a key and then its value.
    fn take(&mut self, value: Value) -> Placed<()> {
        let line = value.line;
        match self {
            Self::List(values) => values.push(value),
            Self::Map { entries, key: key @ Some(_), .. } => {
                entries.extend(key.take().map(|(key, line)| Entry { key, line, value }));
            }
            Self::Map { keys, key, .. } => {
                let (Kind::Plain(text) | Kind::Quoted(text)) = value.kind else {
                    let problem = Problem::new("a list or a mapping cannot be a key", "write a word before the colon");
                    return Err((problem, line));
                };
                if !keys.insert(text.clone()) {
                    return Err((Problem::new("the key occurs twice", "keep one of the two").of(&text), line));
                }
                *key = Some((text, line));
            }
        }
        Ok(())
    }
}

impl Value {
    /// The entries of a mapping, all of whose keys are among `known`.
    pub(super) fn entries(&self, known: &[&str]) -> Placed<&[Entry]> {
        let Kind::Map(entries) = &self.kind else {
            return Err((Problem::new("expected a mapping", "write keys and values, as in `period: 10`"), self.line));
        };
        match entries.iter().find(|entry| !known.contains(&entry.key.as_str())) {
            None => Ok(entries),
            Some(entry) => {
                let problem = Problem::new("unknown key", nearest::remedy(&entry.key, known));
                Err((problem.of(&entry.key), entry.line))
            }
        }
    }

    /// The values of a list.
    pub(super) fn list(&self) -> Placed<&[Value]> {
        match &self.kind {
            Kind::List(values) => Ok(values),
            _ => {
                Err((Problem::new("expected a list", "write [1, 2], or a line with a dash for each value"), self.line))
            }
        }
    }

    /// A text, with or without quotation marks.
    pub(super) fn text(&self) -> Result<&str, Problem> {
        match &self.kind {
            Kind::Plain(text) | Kind::Quoted(text) if !text.trim().is_empty() => Ok(text),
            _ => Err(Problem::new("expected text", "write a word")),
        }
    }

    /// The text of a number, which has no quotation marks and reads the same in YAML 1.1 and 1.2.
    pub(super) fn number(&self) -> Result<&str, Problem> {
        const EXAMPLE: &str = "write the number as in 1000";
        let Kind::Plain(text) = &self.kind else {
            return Err(Problem::new("expected a number without quotation marks", EXAMPLE));
        };
        let digits = text.trim_start_matches('-').as_bytes();
        match digits {
            [b'0', b'0'..=b'9', ..] => {
                let problem = format!("'{text}' has a leading zero, which some readers take for an octal number");
                Err(Problem::new(problem, "remove the zero"))
            }
            [] => Err(Problem::new("the value is missing", EXAMPLE)),
            _ => Ok(text),
        }
    }

    /// A whole number, perhaps below zero.
    pub(super) fn whole(&self) -> Result<i64, Problem> {
        let text = self.number()?;
        text.parse()
            .map_err(|_| Problem::new(format!("'{text}' is not a whole number"), "write a whole number, as in 10"))
    }

    /// A time above zero, of so many `scale`.
    pub(super) fn time(&self, scale: Scale, unit: Option<Unit>) -> Result<Ticks, Problem> {
        super::task_keys::time(self.number()?, scale, unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        let (problem, line) = parse(text).unwrap_err();
        problem.at("x.yaml", Some(line)).to_string()
    }

    #[test]
    fn values_keep_their_text_and_their_line() {
        let root = parse("# a set\na: 1.50\nb:\n  - [x, 'y']\n  - c: \"1\"\n").unwrap();
        let entries = root.entries(&["a", "b"]).unwrap();
        assert_eq!((entries[0].value.number(), entries[0].line), (Ok("1.50"), 2));
        let list = entries[1].value.list().unwrap();
        assert_eq!((list[0].line, list[1].line), (4, 5));
        assert_eq!(list[0].list().unwrap()[1].text(), Ok("y"));
        let inner = &list[1].entries(&["c"]).unwrap()[0].value;
        assert_eq!(inner.text(), Ok("1"));
        assert!(inner.number().is_err());
        let (unknown, line) = root.entries(&["a", "bb"]).unwrap_err();
        assert_eq!((unknown.to_string().as_str(), line), ("b: unknown key; did you mean 'a'?", 3));
    }

    #[test]
    fn what_makes_a_short_text_a_large_value_is_refused() {
        assert!(message("a: &x [1]\nb: *x\n").starts_with("x.yaml:1: an anchor (&) is not read"));
        assert!(message("b: *x\n").starts_with("x.yaml:1: "));
        assert!(message("a: !!python/object:os.system x\n").starts_with("x.yaml:1: a tag (!) is not read"));
        assert!(message("---\na: 1\n---\nb: 2\n").starts_with("x.yaml:3: a second document is not read"));
        assert!(message("a: 1\na: 2\n").starts_with("x.yaml:2: a: the key occurs twice"));
        assert!(message("? [1, 2]\n: 3\n").contains("cannot be a key"));
        assert!(message("").contains("the file is empty"));
    }

    #[test]
    fn deep_and_broken_texts_are_refused() {
        assert!(message(&"[".repeat(100)).contains("more than 16 levels deep"));
        // The parser has a limit of its own for such brackets.
        assert!(message(&"[".repeat(100_000)).starts_with("x.yaml:1: "));
        assert!(message(&"- ".repeat(1_000)).contains("more than 16 levels deep"));
        assert!(message("a: [1, 2").starts_with("x.yaml:"));
        assert!(message("a: 'b\n").starts_with("x.yaml:"));
    }

    #[test]
    fn a_number_that_two_yaml_versions_read_differently_is_refused() {
        let number = |text: &str| {
            let root = parse(&format!("a: {text}")).unwrap();
            root.entries(&["a"]).unwrap()[0].value.whole()
        };
        assert_eq!((number("0"), number("-12")), (Ok(0), Ok(-12)));
        for wrong in ["010", "-07", "1_000", "0x10", "1:30", "1.0", "'1'", "", "~", ".nan", "[1]"] {
            assert!(number(wrong).is_err(), "{wrong}");
        }
    }
}
