//! Why the kernel does not let programs be watched, and what to do.

use crate::error::Error;
use prazo_probe::split::NoSplit;

/// The kernel refused a program or a thread.
pub(super) fn refused(why: NoSplit) -> Error {
    let remedy = why.caveat().remedy;
    Error::failed(why.to_string()).attempting("programs cannot be watched").with_remedy(remedy)
}
