//! Any text through the reader of SimSo's configurations; what it accepts must survive being written as TOML.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prazo_scenario::read::{nothing_beside, simso, toml};
use prazo_scenario::write;

fuzz_target!(|text: &str| {
    match simso::read("x.xml", text) {
        Ok(scenario) => assert_eq!(toml::read("x.toml", &write::toml(&scenario), &nothing_beside), Ok(scenario)),
        Err(why) => drop(why.to_string()),
    }
});
