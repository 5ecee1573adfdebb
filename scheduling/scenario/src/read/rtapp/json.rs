//! JSON as rt-app takes it: with comments, with commas before a closing bracket, and with a key more than once.

use crate::error::{Problem, ReadError};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A value; objects keep the order of their entries and every entry of a repeated key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// `null`, or a number that is not whole.
    Other,
    Bool(bool),
    Whole(i64),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

/// Reads `text`; `file` is named in errors.
pub(super) fn parse(file: &str, text: &str) -> Result<Value, ReadError> {
    serde_json::from_str(&plain(text)).map_err(|cause| {
        Problem::new(cause.to_string(), "correct the JSON on this line").at(file, Some(cause.line() as u32))
    })
}

/// What a text is made of, as far as comments and commas care.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Code,
    Text,
    LineComment,
    BlockComment,
}

/// `text` with comments and superfluous commas turned into blanks, so that lines stay where they are.
fn plain(text: &str) -> String {
    let mut plain: Vec<char> = Vec::with_capacity(text.len());
    let mut inside = Inside::Code;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        let (now, taken) = step(inside, c, next);
        for c in std::iter::once(c).chain(if taken { rest.next() } else { None }) {
            plain.push(kept(c, inside, now));
        }
        if now == Inside::Code && matches!(c, '}' | ']') && inside == Inside::Code {
            drop_comma_before_last(&mut plain);
        }
        inside = now;
    }
    plain.into_iter().collect()
}

/// Where the text stands after `c`, and whether `next` belongs to it.
fn step(inside: Inside, c: char, next: Option<char>) -> (Inside, bool) {
    match (inside, c, next) {
        (Inside::Code, '"', _) => (Inside::Text, false),
        (Inside::Code, '/', Some('*')) => (Inside::BlockComment, true),
        (Inside::Code, '/', Some('/')) => (Inside::LineComment, true),
        (Inside::Text, '\\', Some(_)) => (Inside::Text, true),
        (Inside::Text, '"', _) => (Inside::Code, false),
        (Inside::LineComment, '\n', _) => (Inside::Code, false),
        (Inside::BlockComment, '*', Some('/')) => (Inside::Code, true),
        _ => (inside, false),
    }
}

/// `c`, or a blank in a comment and at its ends.
fn kept(c: char, before: Inside, after: Inside) -> char {
    let comment = |inside| matches!(inside, Inside::LineComment | Inside::BlockComment);
    if c != '\n' && (comment(before) || comment(after)) { ' ' } else { c }
}

/// Blanks a comma that has only blanks between itself and the last character.
fn drop_comma_before_last(plain: &mut [char]) {
    let Some((_, before)) = plain.split_last_mut() else { return };
    if let Some(last) = before.iter_mut().rev().find(|c| !c.is_whitespace()).filter(|c| **c == ',') {
        *last = ' ';
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
        Ok(Value::Other)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Whole(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(i64::try_from(value).map_or(Value::Other, Value::Whole))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Value::Object(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(key: &str, value: i64) -> (String, Value) {
        (key.to_owned(), Value::Whole(value))
    }

    #[test]
    fn comments_commas_and_repeated_keys_are_taken() {
        let text = "{ /* a, \"b\" */ \"run\": 1, // x }\n \"run\": 2, \"l\": [1, 2, /* end */ ], }";
        let list = Value::List(vec![Value::Whole(1), Value::Whole(2)]);
        let wanted = Value::Object(vec![whole("run", 1), whole("run", 2), ("l".to_owned(), list)]);
        assert_eq!(parse("a.json", text), Ok(wanted));
    }

    #[test]
    fn texts_may_look_like_comments_and_commas() {
        let text = r#"{"a": "/* no */ // ,]", "b": "\"/*"}"#;
        assert_eq!(plain(text), text);
    }

    #[test]
    fn a_broken_text_is_told_by_its_line() {
        assert_eq!(parse("a.json", "{\n/* \n */ \"a\" 1}").unwrap_err().line, Some(3));
    }
}
