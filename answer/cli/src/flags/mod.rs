//! Groups of flags that several commands share, and the values they make.

pub(crate) mod carriers;
pub(crate) mod gate;
pub(crate) mod interrupt;
pub(crate) mod load;
pub(crate) mod measuring;
pub(crate) mod overheads;
pub(crate) mod requirement;
pub(crate) mod sched;
pub(crate) mod station;
pub(crate) mod timer;
pub(crate) mod variation;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::str::FromStr;

/// A parser for some of the words that a type is read from, which help and completions list.
pub(crate) fn one_of<T>(words: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::fmt::Debug> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).map(|word| word.parse().expect("each listed word is one of the type's"))
}

/// What a value means that has a word of its own.
pub(crate) type Meaning<T> = (T, &'static str);

/// A parser for values by their own words, which are also those of files; help and completions show what each means.
pub(crate) fn named<T: Copy + Send + Sync + 'static>(
    name: fn(T) -> &'static str,
    list: impl IntoIterator<Item = &'static Meaning<T>>,
) -> impl TypedValueParser<Value = T> {
    let list: Vec<&'static Meaning<T>> = list.into_iter().collect();
    let shown = list.iter().map(|(value, meaning)| PossibleValue::new(name(*value)).help(*meaning));
    PossibleValuesParser::new(shown).map(move |word| {
        let found = list.iter().find(|(value, _)| name(*value) == word);
        found.map(|(value, _)| *value).expect("clap takes only words of the list")
    })
}

/// A word on the command line, what it means, and the value that it stands for, which has no word of its own or another one.
pub(crate) type Word<T> = (&'static str, &'static str, T);

/// A parser for the words of a list, which help and completions show with what each means.
pub(crate) fn words<T: Clone + Send + Sync + 'static>(
    list: impl IntoIterator<Item = &'static Word<T>>,
) -> impl TypedValueParser<Value = T> {
    let list: Vec<&'static Word<T>> = list.into_iter().collect();
    let shown = list.iter().map(|(word, meaning, _)| PossibleValue::new(*word).help(*meaning));
    PossibleValuesParser::new(shown).map(move |word| {
        let found = list.iter().find(|(name, ..)| *name == word);
        found.map(|(.., value)| value.clone()).expect("clap takes only words of the list")
    })
}
