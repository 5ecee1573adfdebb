//! The network cards that a flood crosses: two of this machine that one wire joins, or one whose wire leads to another machine.

use serde::{Deserialize, Serialize};
use std::io;

/// Their names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cards {
    /// Where packets come in.
    pub receiving: String,
    /// Where they leave; `None` where another machine sends them.
    pub sending: Option<String>,
}

/// A card's Ethernet address as text, or which card is missing.
pub(super) fn address(card: &str) -> io::Result<String> {
    std::fs::read_to_string(format!("/sys/class/net/{card}/address")).map(|text| text.trim().to_owned()).map_err(
        |error| {
            let what = format!(
                "there is no network card {card} ({error}): the machine has too few, or its kernel lacks their driver"
            );
            io::Error::new(error.kind(), what)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_has_an_address_and_one_that_is_not_there_is_named() {
        assert_eq!(address("lo").unwrap(), "00:00:00:00:00:00");
        assert!(address("eth77").unwrap_err().to_string().contains("eth77"));
    }
}
