//! Questions to terminals.

use rustix::termios::tcgetwinsize;
use std::os::fd::AsFd;

/// How many characters a line of this terminal has; `None` where it is no terminal, or does not know.
pub fn width(stream: &impl AsFd) -> Option<usize> {
    let columns = tcgetwinsize(stream).ok()?.ws_col;
    (columns > 0).then_some(columns.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::pty::{OpenptFlags, openpt};
    use rustix::termios::{Winsize, tcsetwinsize};

    #[test]
    fn a_terminal_has_its_width_and_anything_else_has_none() {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        let width_of = |ws_col| {
            tcsetwinsize(&terminal, Winsize { ws_row: 24, ws_col, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
            width(&terminal)
        };
        assert_eq!([width_of(0), width_of(97)], [None, Some(97)]);
        assert_eq!(width(&std::fs::File::open("/dev/null").unwrap()), None);
    }
}
