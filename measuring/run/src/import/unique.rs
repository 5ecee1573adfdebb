//! A JSON object whose keys are whole numbers, each of them once.
//!
//! A plain map would let the second of two equal keys win in silence, and a histogram would lose samples.

use super::tally::DISTINCT_MAX;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// Entries by their number.
#[derive(Clone, Debug)]
pub(super) struct Unique<V>(pub BTreeMap<u64, V>);

impl<V> Default for Unique<V> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Unique<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData)).map(Self)
    }
}

struct Entries<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
    type Value = BTreeMap<u64, V>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object whose keys are whole numbers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut entries = BTreeMap::new();
        while let Some((key, value)) = access.next_entry()? {
            if entries.insert(key, value).is_some() {
                return Err(A::Error::custom(format_args!("the key {key} occurs twice")));
            }
            if entries.len() > DISTINCT_MAX {
                return Err(A::Error::custom(format_args!("an object has more than {DISTINCT_MAX} entries")));
            }
        }
        Ok(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_numbers_and_stand_once() {
        let read =
            |text| serde_json::from_str::<Unique<u64>>(text).map(|unique| unique.0.into_iter().collect::<Vec<_>>());
        assert_eq!(read(r#"{"8": 2, "7": 1}"#).unwrap(), [(7, 1), (8, 2)]);
        assert!(read(r#"{"8": 2, "8": 1}"#).unwrap_err().to_string().contains("8 occurs twice"));
        assert!(read(r#"{"-8": 2}"#).is_err());
        assert!(read(r#"{"8": -2}"#).is_err());
        assert!(read(r#"[8, 2]"#).is_err());
    }
}
