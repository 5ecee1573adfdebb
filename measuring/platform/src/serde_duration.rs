//! How times cross an edge that has no types: as integers whose field name ends in the unit.
//!
//! Use with `#[serde(rename = "period_ns", with = "serde_duration::duration_ns")]` and `#[schemars(with = "u64")]`.

/// A [`prazo_core::time::Duration`] as a whole number of nanoseconds.
pub mod duration_ns {
    use prazo_core::time::Duration;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes the nanoseconds.
    pub fn serialize<S: Serializer>(value: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(value.as_ns())
    }

    /// Reads the nanoseconds.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_ns)
    }
}

/// An optional [`prazo_core::time::Duration`] as nanoseconds or null.
pub mod option_duration_ns {
    use prazo_core::time::Duration;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes the nanoseconds, or null.
    pub fn serialize<S: Serializer>(value: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        value.map(Duration::as_ns).serialize(serializer)
    }

    /// Reads the nanoseconds, or null.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<u64>::deserialize(deserializer)?.map(Duration::from_ns))
    }
}
