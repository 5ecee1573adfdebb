//! Where a cell is measured if not on this machine: in a guest of the lab, or on a board.

use prazo_board::{Address, AddressError};
use prazo_lab::Platform;
use serde::{Serialize, Serializer};
use std::fmt;

/// What the name of a guest's platform begins with, in `--platform` and in a study's `on`.
pub const LAB: &str = "lab:";

/// What a board's address begins with.
const BOARD: &str = "ssh:";

/// Another place than this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteTarget {
    /// A guest of the lab.
    Guest(Platform),
    /// A board reached over SSH.
    Board(Address),
}

impl RemoteTarget {
    /// Reads `lab:NAME` or `ssh://BOARD`; an error is what is wrong with it.
    pub fn named(name: &str) -> Result<Self, String> {
        if name.starts_with(BOARD) {
            let wrong = |error: AddressError| format!("'{name}' is not the address of a board: {}", error.what);
            return name.parse().map(Self::Board).map_err(wrong);
        }
        guest_named(name).map(Self::Guest)
    }

    /// The guest's platform, if it is one.
    pub fn guest(&self) -> Option<&Platform> {
        match self {
            Self::Guest(platform) => Some(platform),
            Self::Board(_) => None,
        }
    }

    /// The board, if it is one.
    pub fn board(&self) -> Option<&Address> {
        match self {
            Self::Guest(_) => None,
            Self::Board(address) => Some(address),
        }
    }
}

/// What to write instead of `name`, which names no place.
pub(crate) fn remedy(name: &str) -> &'static str {
    if name.starts_with(BOARD) {
        "write ssh://USER@HOST, such as ssh://root@board or ssh://root@10.0.0.2:2222"
    } else {
        "`prazo lab list` prints the names of the platforms"
    }
}

/// The platform of the lab that is called `lab:NAME`.
pub(crate) fn guest_named(name: &str) -> Result<Platform, String> {
    let wrong = || format!("'{name}' is neither a platform of the lab (lab:NAME) nor a board (ssh://root@board)");
    let named = name.strip_prefix(LAB).ok_or_else(wrong);
    named.and_then(|name| Platform::find(name).map_err(|error| error.to_string()))
}

impl fmt::Display for RemoteTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Guest(platform) => write!(f, "{LAB}{}", platform.name),
            Self::Board(address) => address.fmt(f),
        }
    }
}

/// As a journal keeps it: a guest's platform whole, since its kernel may change under its name; a board's address.
impl Serialize for RemoteTarget {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Guest(platform) => platform.serialize(serializer),
            Self::Board(address) => serializer.collect_str(address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_printed_as_it_is_written() {
        for name in ["lab:rt-full", "ssh://root@board", "ssh://pi@10.0.0.2:2222/mnt"] {
            assert_eq!(RemoteTarget::named(name).unwrap().to_string(), name);
        }
        for (name, reason) in [("rt-full", "lab:NAME"), ("lab:nowhere", "nowhere"), ("ssh://", "empty")] {
            let error = RemoteTarget::named(name).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
