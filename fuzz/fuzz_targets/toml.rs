//! Any text through the TOML reader; what it accepts must read back the same after it is written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prazo_scenario::read::{nothing_beside, toml};
use prazo_scenario::write;

fuzz_target!(|text: &str| {
    match toml::read("x.toml", text, &nothing_beside) {
        Ok(scenario) => assert_eq!(toml::read("x.toml", &write::toml(&scenario), &nothing_beside), Ok(scenario)),
        Err(why) => drop(why.to_string()),
    }
});
