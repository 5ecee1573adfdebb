//! Groups of flags that several commands share, and the values they make.

pub mod carriers;
pub mod cpus;
pub mod gate;
pub mod guest;
pub mod interrupt;
pub mod load;
pub mod overheads;
pub mod plan;
pub mod recording;
pub mod requirement;
pub mod sched;
pub mod schedule;
pub mod station;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::str::FromStr;

/// A parser for some of the words that a type is read from, which help and completions list.
pub fn one_of<T>(words: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::fmt::Debug> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).map(|word| word.parse().expect("each listed word is one of the type's"))
}
