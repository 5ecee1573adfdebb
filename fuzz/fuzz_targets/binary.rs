//! Any bytes through the reader that the kernel has too; what it accepts must survive being written, bit for bit.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prazo_scenario::binary::{TaskRecord, TaskTable, bytes};

fuzz_target!(|table: &[u8]| {
    match TaskTable::read(table) {
        Ok(read) => {
            let tasks: Vec<TaskRecord> = read.tasks().collect();
            assert_eq!(bytes(read.processors() as u16, read.queues() as u16, &tasks).as_deref(), Ok(table));
        }
        Err(why) => drop(why.to_string()),
    }
});
