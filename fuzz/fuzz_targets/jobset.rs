//! Any text through the reader of SAG's job sets, as YAML and as CSV; what it accepts must survive being written as TOML.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prazo_scenario::read::{jobset, nothing_beside, toml};
use prazo_scenario::write;

fuzz_target!(|text: &str| {
    for read in [jobset::read("x.yaml", text), jobset::read_csv("x.csv", text)] {
        match read {
            Ok(scenario) => assert_eq!(toml::read("x.toml", &write::toml(&scenario), &nothing_beside), Ok(scenario)),
            Err(why) => drop(why.to_string()),
        }
    }
});
