//! Groups of flags that several commands share, and the values they make.

pub(crate) mod carriers;
pub(crate) mod cpus;
pub(crate) mod gate;
pub(crate) mod guest;
pub(crate) mod interrupt;
pub(crate) mod load;
pub(crate) mod overheads;
pub(crate) mod plan;
pub(crate) mod recording;
pub(crate) mod requirement;
pub(crate) mod sched;
pub(crate) mod schedule;
pub(crate) mod station;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::str::FromStr;

/// A parser for some of the words that a type is read from, which help and completions list.
pub(crate) fn one_of<T>(words: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::fmt::Debug> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).map(|word| word.parse().expect("each listed word is one of the type's"))
}
