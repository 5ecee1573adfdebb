//! Every job needs its bound.

/// What any job needs.
pub fn of_job(bound_ns: u64) -> u64 {
    bound_ns
}
