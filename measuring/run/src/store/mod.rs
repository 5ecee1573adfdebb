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
mod ring;
mod rows;
mod save;
mod schema;
mod split;
mod varint;
mod watched;
mod worst;
mod writer;

pub use amend::{Amendment, add_workloads, amend};
pub use batch::{
    ClosedSplit, ClosedThread, Closing, Opening, SeriesOpening, SeriesSecond, ThreadOpening, WatchedClosing,
};
pub use check::ACCOUNT_BYTES_MAX;
pub use error::StoreError;
pub use open::{SampleReader, open, samples};
pub use packed::Sample;
pub use ring::{RingBounds, RingCounts, only_the_end};
pub use save::{SecondOfSamples, save, save_with_samples};
pub use schema::{APPLICATION_ID, SCHEMA, SCHEMA_VERSION};
pub use writer::{Finished, Recorded, Writer};

/// The schema version of an open file.
fn version(connection: &rusqlite::Connection) -> rusqlite::Result<u32> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}
