//! Any text through the reader of POET's workloads; what it accepts must survive being written as TOML.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prazo_scenario::read::{nothing_beside, poet, toml};
use prazo_scenario::write;

fuzz_target!(|text: &str| {
    match poet::read("x.yaml", text) {
        Ok(scenario) => assert_eq!(toml::read("x.toml", &write::toml(&scenario), &nothing_beside), Ok(scenario)),
        Err(why) => drop(why.to_string()),
    }
});
