//! A network card told to stamp every frame that it receives: a knob that is a call and no file, put back like the others.
//!
//! The setting outlives the process that made it, so it is in the journal before it is made. A card whose driver does not
//! say how it is set is not touched, since it could not be put back.

use super::TunableRecord;
use super::entry::JournaledChange;
use super::held::Held;
use super::journal::{Journal, JournalError, TuneError};
use super::owner::Owner;
use super::state::State;
use super::undo::{self, Undone};
use crate::root::Unavailable;
use prazo_sys::card as sys;
use serde::{Deserialize, Serialize};
use std::{fmt, io};

/// The kernel's number for "stamp every received frame".
const EVERY_FRAME: i32 = 1;

/// Which frames a card stamps, in the kernel's numbers (`hwtstamp_config`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StampSetting {
    /// Frames that it sends.
    pub transmit: i32,
    /// Frames that it receives: 0 none, 1 every one, others some.
    pub filter: i32,
}

impl StampSetting {
    fn every_frame(self) -> Self {
        Self { filter: EVERY_FRAME, ..self }
    }
}

impl fmt::Display for StampSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rx_filter {}, tx_type {}", self.filter, self.transmit)
    }
}

/// What the knob of an interface is called.
pub(super) fn knob(interface: &str) -> String {
    format!("SIOCSHWTSTAMP of {interface}")
}

/// Where the setting is: the kernel's driver, or a test's.
trait Card {
    fn get(&self) -> io::Result<StampSetting>;
    fn set(&self, setting: StampSetting) -> io::Result<()>;
}

/// A card of the caller's network namespace.
struct Interface<'a>(&'a str);

impl Card for Interface<'_> {
    fn get(&self) -> io::Result<StampSetting> {
        sys::card_stamps(self.0).map(|(transmit, filter)| StampSetting { transmit, filter })
    }

    fn set(&self, setting: StampSetting) -> io::Result<()> {
        sys::set_card_stamps(self.0, (setting.transmit, setting.filter))
    }
}

impl Journal {
    /// Has a card of this network namespace stamp every frame that it receives, for as long as the returned value lives.
    pub fn hold_receive_stamps(&self, interface: &str) -> Result<Held, TuneError> {
        let refused = |error| refused(interface, &error);
        let owner = Owner::this_process().map_err(JournalError::from)?;
        let mut state = State::lock(self.folder())?;
        let card = Interface(interface);
        let before = card.get().map_err(refused)?;
        let requested = before.every_frame();
        let step = JournaledChange::ReceiveStamps {
            path: knob(interface),
            interface: interface.to_owned(),
            network: network().map_err(refused)?,
            before,
            requested,
        };
        let id = self.write_down(&mut state, owner, step)?;
        if let Err(error) = apply(&card, requested) {
            undo::undo(self.root(), state.entries_mut(), id);
            state.store()?;
            return Err(refused(error));
        }
        Ok(Held::new(self.clone(), Some(id), record(interface, before, requested)))
    }
}

fn apply(card: &impl Card, requested: StampSetting) -> io::Result<()> {
    card.set(requested)?;
    match card.get()? {
        effective if effective == requested => Ok(()),
        effective => Err(io::Error::other(format!("read back '{effective}' after the change"))),
    }
}

fn record(interface: &str, before: StampSetting, requested: StampSetting) -> TunableRecord {
    TunableRecord {
        knob: knob(interface),
        before: Some(before.to_string()),
        requested: requested.to_string(),
        effective: Some(requested.to_string()),
        restored: false,
    }
}

fn refused(interface: &str, error: &io::Error) -> TuneError {
    TuneError::Refused {
        knob: knob(interface),
        requested: "a time stamp on every received frame".into(),
        why: Unavailable::Failed { path: interface.to_owned(), why: error.to_string() },
    }
}

/// The network namespace of this process, as the kernel names it.
fn network() -> io::Result<String> {
    std::fs::read_link("/proc/self/ns/net").map(|name| name.to_string_lossy().into_owned())
}

/// The later holder now answers for the setting from before this one.
pub(super) fn hand_down(later: &mut JournaledChange, step: &JournaledChange, path: &str) -> Undone {
    if let (
        JournaledChange::ReceiveStamps { before: later_before, .. },
        JournaledChange::ReceiveStamps { before, requested, .. },
    ) = (later, step)
        && later_before == requested
    {
        *later_before = *before;
    }
    Undone::HandedDown { path: path.to_owned() }
}

/// Puts the setting from before back, unless somebody else has changed it since.
pub(super) fn undo(step: &JournaledChange, path: &str) -> Undone {
    let owned = path.to_owned();
    let JournaledChange::ReceiveStamps { interface, network: of, before, requested, .. } = step else {
        return Undone::Failed { path: owned, why: "this journal entry is not a setting of a network card".into() };
    };
    match network() {
        Ok(here) if here == *of => put_back(&Interface(interface), *before, *requested, owned),
        _ => {
            let why = format!(
                "the network card belongs to the network namespace {of}; run `prazo tune undo` in that namespace"
            );
            Undone::Failed { path: owned, why }
        }
    }
}

fn put_back(card: &impl Card, before: StampSetting, requested: StampSetting, path: String) -> Undone {
    let failed = |path, error: &io::Error| match error.raw_os_error() {
        // The card is gone, and its setting with it.
        Some(libc::ENODEV) => Undone::Restored { path },
        _ => Undone::Failed { path, why: error.to_string() },
    };
    match card.get() {
        Ok(found) if found == before => Undone::Restored { path },
        Ok(found) if found != requested => {
            Undone::LeftAlone { path, found: found.to_string(), before: before.to_string() }
        }
        Ok(_) => match apply(card, before) {
            Ok(()) => Undone::Restored { path },
            Err(error) => failed(path, &error),
        },
        Err(error) => failed(path, &error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A driver that takes what it is told, or refuses, or rounds up to a filter of its own.
    struct Driver {
        now: Cell<StampSetting>,
        answer: fn(StampSetting) -> io::Result<StampSetting>,
    }

    impl Card for Driver {
        fn get(&self) -> io::Result<StampSetting> {
            Ok(self.now.get())
        }

        fn set(&self, setting: StampSetting) -> io::Result<()> {
            (self.answer)(setting).map(|taken| self.now.set(taken))
        }
    }

    const OFF: StampSetting = StampSetting { transmit: 1, filter: 0 };
    const SOME: StampSetting = StampSetting { transmit: 1, filter: 12 };

    fn driver(now: StampSetting, answer: fn(StampSetting) -> io::Result<StampSetting>) -> Driver {
        Driver { now: Cell::new(now), answer }
    }

    fn undone(card: &Driver) -> Undone {
        put_back(card, OFF, OFF.every_frame(), "knob".into())
    }

    #[test]
    fn a_setting_is_read_back_and_put_back() {
        let card = driver(OFF, Ok);
        apply(&card, OFF.every_frame()).unwrap();
        assert_eq!(card.now.get(), StampSetting { transmit: 1, filter: 1 });
        assert!(undone(&card).is_restored());
        assert_eq!(card.now.get(), OFF);
    }

    #[test]
    fn a_driver_that_stamps_something_else_is_not_believed() {
        let error = apply(&driver(OFF, |_| Ok(SOME)), OFF.every_frame()).unwrap_err();
        assert!(error.to_string().contains("rx_filter 12"), "{error}");
    }

    #[test]
    fn a_change_by_hand_is_left_alone_and_a_refusal_stays_in_the_journal() {
        assert!(matches!(undone(&driver(SOME, Ok)), Undone::LeftAlone { .. }));
        let refuses = driver(OFF.every_frame(), |_| Err(io::Error::from_raw_os_error(libc::EPERM)));
        assert!(undone(&refuses).is_pending());
        let gone = driver(OFF.every_frame(), |_| Err(io::Error::from_raw_os_error(libc::ENODEV)));
        assert!(undone(&gone).is_restored(), "its setting went with it");
    }

    #[test]
    fn two_holders_end_at_the_setting_from_before_the_first() {
        let step = |before: StampSetting| JournaledChange::ReceiveStamps {
            path: knob("x"),
            interface: "x".into(),
            network: String::new(),
            before,
            requested: OFF.every_frame(),
        };
        let mut later = step(OFF.every_frame());
        hand_down(&mut later, &step(OFF), "knob");
        assert_eq!(later, step(OFF));
    }

    #[test]
    fn an_interface_that_stamps_nothing_is_refused_by_name_and_leaves_no_entry() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open_in(folder.path(), &crate::root::Root::system()).unwrap();
        let error = journal.hold_receive_stamps("lo").unwrap_err().to_string();
        assert!(error.contains("SIOCSHWTSTAMP of lo"), "{error}");
        assert!(journal.entries().unwrap().is_empty());
    }
}
