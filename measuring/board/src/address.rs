//! `ssh://[USER@]HOST[:PORT][/FOLDER]`: where a board is.

use std::fmt;
use std::str::FromStr;

/// What was given is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{address}' is not the address of a board: {what}; write it as in ssh://root@board or ssh://root@10.0.0.2:2222"
)]
pub struct AddressError {
    /// What was given.
    address: String,
    /// What is wrong with it.
    pub what: &'static str,
}

/// Where a board is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Who logs in; `None` leaves it to OpenSSH's configuration.
    pub user: Option<String>,
    /// Name or number of the board, or a `Host` of OpenSSH's configuration.
    pub host: String,
    /// The port; `None` leaves it to OpenSSH's configuration.
    pub port: Option<u16>,
    /// A folder on the board; `None` lets prazo choose.
    pub folder: Option<String>,
}

impl Address {
    /// What ssh(1) takes as its destination.
    pub(crate) fn destination(&self) -> String {
        self.user.as_ref().map_or_else(|| self.host.clone(), |user| format!("{user}@{}", self.host))
    }

    /// A name for folders and lines of output: the host, and the port where one was given.
    pub fn label(&self) -> String {
        self.port.map_or_else(|| self.host.clone(), |port| format!("{}-{port}", self.host))
    }

    /// The same board with a folder on it.
    pub(crate) fn at(&self, folder: &str) -> Self {
        Self { folder: Some(folder.to_owned()), ..self.clone() }
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let wrong = |what: &'static str| AddressError { address: text.to_owned(), what };
        let rest = text.strip_prefix("ssh://").ok_or_else(|| wrong("the address does not begin with ssh://"))?;
        let (login, folder) = match rest.find('/') {
            Some(at) if rest.len() > at + 1 => (&rest[..at], Some(rest[at..].to_owned())),
            Some(at) => (&rest[..at], None),
            None => (rest, None),
        };
        let (user, place) = match login.rsplit_once('@') {
            Some((user, place)) => (Some(user.to_owned()), place),
            None => (None, login),
        };
        let (host, port) = host_and_port(place)
            .ok_or_else(|| wrong("the port is not a number from 1 to 65535, or an IPv6 address is not in brackets"))?;
        if host.is_empty() || user.as_deref() == Some("") {
            return Err(wrong("the user or the host is empty"));
        }
        // A word that begins with a hyphen would be an option of ssh(1).
        let is_word = |word: &str| !word.starts_with('-') && word.chars().all(|c| c.is_ascii_graphic());
        if !is_word(host) || user.as_deref().is_some_and(|user| !is_word(user)) {
            return Err(wrong(
                "the user or the host begins with a hyphen or contains a blank or a non-ASCII character",
            ));
        }
        if folder.as_deref().is_some_and(|folder| folder.chars().any(char::is_control)) {
            return Err(wrong("the folder contains a control character"));
        }
        Ok(Self { user, host: host.to_owned(), port, folder })
    }
}

/// `host`, `host:22`, `[::1]` or `[::1]:22`; `None` where the port is none.
fn host_and_port(place: &str) -> Option<(&str, Option<u16>)> {
    let number = |text: &str| text.parse::<u16>().ok().filter(|port| *port > 0).map(Some);
    if let Some(rest) = place.strip_prefix('[') {
        let (host, behind) = rest.split_once(']')?;
        return Some((host, behind.strip_prefix(':').map_or(Some(None), number)?));
    }
    match place.split_once(':') {
        Some((host, port)) => Some((host, number(port)?)),
        None => Some((place, None)),
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ssh://")?;
        if let Some(user) = &self.user {
            write!(f, "{user}@")?;
        }
        match self.host.contains(':') {
            true => write!(f, "[{}]", self.host)?,
            false => f.write_str(&self.host)?,
        }
        if let Some(port) = self.port {
            write!(f, ":{port}")?;
        }
        f.write_str(self.folder.as_deref().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_and_printed_as_it_was_written() {
        for text in ["ssh://board", "ssh://root@10.0.0.2:2222", "ssh://pi@[fe80::1]:22/mnt/data", "ssh://[::1]"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        let address: Address = "ssh://root@board:22/dev/shm".parse().unwrap();
        assert_eq!((address.destination().as_str(), address.port), ("root@board", Some(22)));
        assert_eq!((address.label().as_str(), address.folder.as_deref()), ("board-22", Some("/dev/shm")));
        assert_eq!("ssh://board/".parse::<Address>().unwrap().folder, None);
    }

    #[test]
    fn what_is_no_address_is_refused_with_its_reason() {
        for (text, reason) in [
            ("root@board", "ssh://"),
            ("ssh://", "empty"),
            ("ssh://@board", "empty"),
            ("ssh://board:0", "port"),
            ("ssh://board:seventy", "port"),
            ("ssh://-oProxyCommand=reboot", "hyphen"),
            ("ssh://-x@board", "hyphen"),
            ("ssh://a board", "non-ASCII"),
            ("ssh://board/a\nb", "control"),
        ] {
            let error = text.parse::<Address>().unwrap_err().to_string();
            assert!(error.contains(reason) && error.contains("ssh://root@board"), "{text}: {error}");
        }
    }
}
