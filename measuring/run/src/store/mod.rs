//! The run file: one SQLite database for one run, written while measuring and read by anybody.
//!
//! [`Writer`] takes one batch a second and keeps memory flat; [`open`] reads a file that nobody vouches for; [`save`]
//! writes a run that was imported or made up. The tables are in `schema.sql`, the words about them in docs/run-file.md.
//!
//! ```text
//! Writer: append ─► packed + timeline ─(each minute)─► histogram, block, worst ─► finish ─► one file
//! open:   header ─► settle (write-ahead log, half-folded samples of a killed run) ─► read ─► check ─► Run
//! ```

mod amend;
mod backlog;
mod batch;
mod block;
mod check;
mod checkpoint;
mod connection;
mod error;
mod fold;
mod header;
mod jobs;
mod live;
mod open;
mod packed;
mod read;
mod recover;
mod rows;
mod save;
mod split;
mod varint;
mod worst;
mod writer;

pub use amend::{Amendment, add_workloads, amend};
pub use batch::{Closing, Opening, SeriesOpening, SeriesSecond};
pub use error::StoreError;
pub use open::{open, samples};
pub use packed::Sample;
pub use save::{SecondOfSamples, save, save_with_samples};
pub use writer::{Finished, Recorded, Writer};

/// `PRAGMA application_id` of a run file: "PRZO".
pub const APPLICATION_ID: u32 = 0x5052_5A4F;

/// `PRAGMA user_version` of the files this version writes; it reads those of every version up to it.
pub const SCHEMA_VERSION: u32 = 3;

/// The tables and views of a run file: what version 1 has, and what each later version adds.
pub const SCHEMA: [&str; SCHEMA_VERSION as usize] =
    [include_str!("schema.sql"), include_str!("split.sql"), include_str!("jobs.sql")];

/// The schema version of an open file.
fn version(connection: &rusqlite::Connection) -> rusqlite::Result<u32> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}
