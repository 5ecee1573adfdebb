//! The run file: one SQLite database for one run.
