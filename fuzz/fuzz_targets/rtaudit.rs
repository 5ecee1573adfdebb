//! Any text through the reader of rt-audit's task sets, as YAML and as CSV; what it accepts must survive being written as TOML.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prazo_scenario::read::{nothing_beside, rtaudit, toml};
use prazo_scenario::write;

fuzz_target!(|text: &str| {
    for read in [rtaudit::read("x.yaml", text), rtaudit::read_csv("x.csv", text)] {
        match read {
            Ok(scenario) => assert_eq!(toml::read("x.toml", &write::toml(&scenario), &nothing_beside), Ok(scenario)),
            Err(why) => drop(why.to_string()),
        }
    }
});
