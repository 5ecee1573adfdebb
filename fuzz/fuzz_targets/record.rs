//! Any line through the reader of batch records; what it accepts must survive being written as TOML.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prazo_scenario::read::{nothing_beside, record, toml};
use prazo_scenario::write;

fuzz_target!(|line: &str| {
    match record::parse(line) {
        Ok(record) => {
            let scenario = record.into_scenario("x");
            assert_eq!(toml::read("x.toml", &write::toml(&scenario), &nothing_beside), Ok(scenario));
        }
        Err(why) => drop(why.to_string()),
    }
});
