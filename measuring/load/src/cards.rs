//! The network cards that a flood crosses: two of this machine that one wire joins, or one whose wire leads to another machine.

use prazo_sys::socket::Mac;
use serde::{Deserialize, Serialize};
use std::io;
use std::net::Ipv4Addr;

pub(crate) const RECEIVER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);

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
                "network card {card} does not exist ({error}): the machine has too few cards, or the kernel has no \
                 driver for them"
            );
            io::Error::new(error.kind(), what)
        },
    )
}

/// A card's Ethernet address, or which card is missing.
pub fn ethernet_address(card: &str) -> io::Result<Mac> {
    address(card).and_then(|text| mac(&text))
}

/// Six bytes in hexadecimal, between colons.
fn mac(text: &str) -> io::Result<Mac> {
    let bytes: Option<Vec<u8>> = text.split(':').map(|byte| u8::from_str_radix(byte, 16).ok()).collect();
    let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or_else(|| io::Error::other(format!("'{text}' is not an Ethernet address such as 52:54:00:12:34:56")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_six_bytes() {
        assert_eq!(mac("52:54:00:00:00:02").unwrap(), [0x52, 0x54, 0, 0, 0, 2]);
        assert!(mac("52:54").is_err() && mac("52:54:00:00:00:0g").is_err());
    }

    #[test]
    fn a_card_has_an_address_and_one_that_is_not_there_is_named() {
        assert_eq!(address("lo").unwrap(), "00:00:00:00:00:00");
        assert!(address("eth77").unwrap_err().to_string().contains("eth77"));
    }
}
