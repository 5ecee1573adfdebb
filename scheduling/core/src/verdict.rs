//! Does a task set meet its deadlines? The three answers of a schedulability test, wherever they are kept or printed.

/// Does the set meet its deadlines?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Every job of every legal arrival sequence meets its deadline.
    Proven,
    /// Some legal arrival sequence makes a job miss; the reason holds the proof.
    Disproven,
    /// This test cannot tell.
    Unknown,
}

crate::words!(Verdict: Proven => "proven", Disproven => "disproven", Unknown => "unknown");
