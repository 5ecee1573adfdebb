//! Re-checks certificates of the schedulability analysis without trusting any of its code.
#![forbid(unsafe_code)]
