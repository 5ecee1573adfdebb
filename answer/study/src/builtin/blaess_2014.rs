//! The tables of `blaess-2014`, embedded so that the study runs from anywhere.

/// Each table under the name that the study's TOML has for it.
macro_rules! tables {
    ($($name:literal,)*) => {
        &[$((
            concat!("blaess-2014/", $name, ".csv"),
            include_str!(concat!("../../../../studies/blaess-2014/", $name, ".csv")),
        ),)*]
    };
}

/// Name and content of all nineteen.
pub(super) const TABLES: &[(&str, &str)] = tables![
    "results-3.8.13+-fifo-setitimer",
    "results-3.8.13+-fifo-clocknanosleep",
    "results-3.8.13+-fifo-nanosleep",
    "results-3.8.13+-rr-setitimer",
    "results-3.8.13+-rr-clocknanosleep",
    "results-3.8.13+-rr-nanosleep",
    "results-3.8.13+-other-setitimer",
    "results-3.8.13+-other-clocknanosleep",
    "results-3.8.13+-other-nanosleep",
    "results-3.8.13-rt16+-fifo-setitimer",
    "results-3.8.13-rt16+-fifo-clocknanosleep",
    "results-3.8.13-rt16+-fifo-nanosleep",
    "results-3.8.13-rt16+-rr-setitimer",
    "results-3.8.13-rt16+-rr-clocknanosleep",
    "results-3.8.13-rt16+-rr-nanosleep",
    "results-3.8.13-rt16+-other-setitimer",
    "results-3.8.13-rt16+-other-clocknanosleep",
    "results-3.8.13-rt16+-other-nanosleep",
    "results-3.8.13-ipipe+",
];
