//! For serde: a value as the text that it displays as and is parsed from, for types of crates that know no serde.
//!
//! `#[serde(with = "prazo_platform::as_text")]`, or `as_text::optional` for an `Option`.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::Serializer;
use std::fmt::Display;
use std::str::FromStr;

/// Writes the value's text.
pub fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Reads the value from its text.
pub fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(|error| D::Error::custom(format_args!("'{text}': {error}")))
}

/// The same for a value that may be missing, which is null.
pub mod optional {
    use super::*;

    /// Writes the value's text, or null.
    pub fn serialize<T: Display, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => serializer.collect_str(value),
            None => serializer.serialize_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use prazo_core::verdict::Verdict;

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Kept {
        #[serde(with = "super")]
        verdict: Verdict,
    }

    #[test]
    fn a_value_is_kept_as_its_text_and_another_text_is_refused_by_name() {
        let kept = Kept { verdict: Verdict::Disproven };
        let text = serde_json::to_string(&kept).unwrap();
        assert_eq!(text, r#"{"verdict":"disproven"}"#);
        assert_eq!(serde_json::from_str::<Kept>(&text).unwrap(), kept);
        let refused = serde_json::from_str::<Kept>(r#"{"verdict":"perhaps"}"#).unwrap_err();
        assert!(refused.to_string().contains("'perhaps': choose one of proven, disproven, unknown"), "{refused}");
    }
}
