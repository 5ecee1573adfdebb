//! Re-checks certificates of the schedulability analysis without trusting any of its code.
//!
//! A certificate is a text (docs/certificates.md) with the tasks, what the platform adds, who shares which processors,
//! and the numbers that a proof needs: the points at which a demand was looked at, response times, a job that misses.
//! The checker reads it with a parser of its own, charges overheads itself, computes every formula again with integers
//! and exact fractions, and searches for nothing: where the analysis had to find a number, the checker only puts it
//! in.
//!
//! What it cannot check it rejects with the reason. Accepting a wrong certificate would be the worst error here, so
//! there is no number and no word in a certificate that goes unread.
//!
//! ```text
//! text ─► parse (digest) ─► Certificate ─► charge (overheads, for each bin) ─► proof, one file a test ─► Accepted ─► against
//!                                         └► disproof ──────────────────────────────────────────────┘
//! ```
#![forbid(unsafe_code)]

mod accept;
mod against;
mod behaviour;
mod certificate;
mod charge;
mod coverage;
mod curve;
mod demand;
mod digest;
mod disproof;
mod fraction;
mod locks;
mod natural;
mod parse;
mod pieces;
mod proof;
mod rejected;

pub use accept::{Accepted, Verdict};
pub use against::{Difference, Pair, Scenario};
pub use behaviour::{Behaviour, Behaviours};
pub use certificate::{JobRanking, Priorities};
pub use digest::{Digest, of_scenario as digest_of_scenario};
pub use rejected::Rejected;

/// The version of the format that this checker reads: the number in a certificate's first line.
pub const FORMAT_VERSION: u32 = 2;

/// Checks the certificate `text`: what it shows, or why it shows nothing.
///
/// Never panics, whatever the text. A rejection does not mean that the verdict is wrong, only that this text does not
/// show it.
pub fn check(text: &str) -> Result<Accepted, Rejected> {
    accept::certificate(&parse::certificate(text)?)
}
