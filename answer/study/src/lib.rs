//! Studies: platforms, loads and probes as data, and claims about the outcome.
