//! What a run file is made of, by version.

/// `PRAGMA application_id` of a run file: "PRZO".
pub const APPLICATION_ID: u32 = 0x5052_5A4F;

/// `PRAGMA user_version` of the files this version writes; it reads those of every version up to it.
pub const SCHEMA_VERSION: u32 = 3;

/// The tables and views of a run file: what version 1 has, and what each later version adds.
pub const SCHEMA: [&str; SCHEMA_VERSION as usize] =
    [include_str!("schema.sql"), include_str!("split.sql"), include_str!("jobs.sql")];
