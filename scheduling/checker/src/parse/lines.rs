//! Lines and words of a text, with the line's number in every refusal.

use crate::rejected::Rejected;
use prazo_core::ratio::Ratio;
use std::fmt::Display;
use std::str::{FromStr, Split};

/// The lines of a text, with one line of foresight.
pub(super) struct Lines<'t> {
    lines: Split<'t, char>,
    next: Option<&'t str>,
    number: usize,
}

impl<'t> Lines<'t> {
    /// The lines of `text`, whose last one must be ended like the others.
    pub(super) fn of(text: &'t str) -> Self {
        let mut lines = text.split('\n');
        let next = lines.next();
        Self { lines, next, number: 1 }
    }

    /// The words behind `keyword`, if it opens the next line.
    pub(super) fn next_if(&mut self, keyword: &str) -> Option<Words<'t>> {
        let line = self.next?;
        let mut words = line.split(' ');
        if words.next() != Some(keyword) {
            return None;
        }
        let taken = Words { line: self.number, words };
        self.next = self.lines.next();
        self.number += 1;
        Some(taken)
    }

    /// The words behind `keyword`, which must open the next line.
    pub(super) fn expect(&mut self, keyword: &str) -> Result<Words<'t>, Rejected> {
        self.next_if(keyword).ok_or_else(|| self.missing(&format!("a line that begins with `{keyword}`")))
    }

    /// The refusal where `what` is missing.
    pub(super) fn missing(&self, what: &str) -> Rejected {
        Rejected::Unreadable { line: self.number, why: format!("{what} is missing here") }
    }

    /// Refuses whatever follows the last line's end.
    pub(super) fn nothing_more(mut self) -> Result<(), Rejected> {
        let ended = self.next == Some("") && self.lines.next().is_none();
        if ended {
            Ok(())
        } else {
            let why = "the certificate must end with one line break after `end`, and nothing may follow".into();
            Err(Rejected::Unreadable { line: self.number, why })
        }
    }
}

/// What is left of one line, in words with one space between.
pub(super) struct Words<'t> {
    line: usize,
    words: Split<'t, char>,
}

impl<'t> Words<'t> {
    /// The refusal of this line.
    pub(super) fn unreadable(&self, why: impl Into<String>) -> Rejected {
        Rejected::Unreadable { line: self.line, why: why.into() }
    }

    /// The next word.
    pub(super) fn word(&mut self, what: &str) -> Result<&'t str, Rejected> {
        self.words.next().ok_or_else(|| self.unreadable(format!("{what} is missing")))
    }

    /// The next word, which must be `keyword`.
    pub(super) fn literal(&mut self, keyword: &str) -> Result<(), Rejected> {
        let word = self.word(keyword)?;
        if word == keyword { Ok(()) } else { Err(self.unreadable(format!("expected `{keyword}`, found `{word}`"))) }
    }

    /// The next word as a number.
    pub(super) fn number<N: FromStr + Display>(&mut self, what: &str) -> Result<N, Rejected> {
        let word = self.word(what)?;
        self.exactly(word, what)
    }

    /// The next word, which must be the number of the `next` one of at most `most` things that are numbered from 0.
    pub(super) fn index(&mut self, what: &str, next: usize, most: usize) -> Result<(), Rejected> {
        let index: usize = self.number(&format!("the {what}'s index"))?;
        if next >= most {
            return Err(self.unreadable(format!("a certificate has at most {most} {what}s")));
        }
        if index == next {
            Ok(())
        } else {
            Err(self.unreadable(format!("expected {what} {next}, found {what} {index}")))
        }
    }

    /// All words left, as numbers.
    pub(super) fn numbers<N: FromStr + Display>(&mut self, what: &str) -> Result<Vec<N>, Rejected> {
        let words = self.words.by_ref().collect::<Vec<_>>();
        words.into_iter().map(|word| self.exactly(word, what)).collect()
    }

    /// All words left, as pairs `count:amount`.
    pub(super) fn pairs(&mut self) -> Result<Vec<(u64, Ratio)>, Rejected> {
        let words = self.words.by_ref().collect::<Vec<_>>();
        let pair = |word: &'t str| {
            let parts = word.split_once(':').ok_or_else(|| self.unreadable("a point must be written `count:amount`"));
            let (count, amount) = parts?;
            Ok((self.exactly(count, "a count")?, self.exactly(amount, "an amount")?))
        };
        words.into_iter().map(pair).collect()
    }

    /// `word` as a number that is written in the one way it is written here.
    fn exactly<N: FromStr + Display>(&self, word: &str, what: &str) -> Result<N, Rejected> {
        let value: Option<N> = word.parse().ok();
        let value = value.filter(|value| value.to_string() == word);
        value.ok_or_else(|| self.unreadable(format!("expected {what} as a plain number, found `{word}`")))
    }

    /// True if no word is left.
    pub(super) fn is_at_end(&self) -> bool {
        self.words.clone().next().is_none()
    }

    /// Refuses words that are left.
    pub(super) fn end(&mut self) -> Result<(), Rejected> {
        match self.words.next() {
            None => Ok(()),
            Some(word) => Err(self.unreadable(format!("unexpected word `{word}`"))),
        }
    }
}
