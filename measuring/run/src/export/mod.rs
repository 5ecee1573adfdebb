//! Writers of other formats, one file a format.
