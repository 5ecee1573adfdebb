//! Readers of other tools' outputs, one file a format.
