//! Any text through the reader of SchedCAT's task sets; what it accepts must survive being written as TOML.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prazo_scenario::read::{nothing_beside, schedcat, toml};
use prazo_scenario::write;

fuzz_target!(|text: &str| {
    match schedcat::read("x.xml", text) {
        Ok(scenario) => assert_eq!(toml::read("x.toml", &write::toml(&scenario), &nothing_beside), Ok(scenario)),
        Err(why) => drop(why.to_string()),
    }
});
