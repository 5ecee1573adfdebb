//! Any text through the reader of overhead tables, lent and asked for amounts; what it accepts must read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prazo_scenario::{Unit, overheads, write};

fuzz_target!(|text: &str| {
    let unit = Some(Unit::Microsecond);
    match overheads::read("x.toml", text, unit) {
        Ok(table) => {
            for count in [0, 1, 7, 160, u64::MAX] {
                let _ = table.borrow().release.at(count);
            }
            assert_eq!(overheads::read("x.toml", &write::overhead_toml(&table, unit), unit), Ok(table));
        }
        Err(why) => drop(why.to_string()),
    }
});
