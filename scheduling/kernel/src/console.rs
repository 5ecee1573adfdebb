//! Text to the serial line, one processor at a time.

use crate::arch;
use core::fmt::{self, Write};

static CONSOLE: arch::Lock<Console> = arch::Lock::new(Console);

struct Console;

impl Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(arch::write_byte);
        Ok(())
    }
}

/// Prints a line whole: no other processor's words come between.
pub fn line(arguments: fmt::Arguments<'_>) {
    let mut console = CONSOLE.lock();
    let _ = writeln!(console, "{arguments}");
}

/// Prints without asking for the lock, for a processor that panics, perhaps while it holds it.
pub fn last_line(arguments: fmt::Arguments<'_>) {
    let _ = writeln!(Console, "{arguments}");
}
