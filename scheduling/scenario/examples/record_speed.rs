//! How many records a second the reader takes: `cargo run --release -p prazo-scenario --example record_speed FILE.jsonl...`

use prazo_scenario::read::record;
use std::time::Instant;

const ROUNDS: usize = 200;

fn main() {
    for file in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(cause) => {
                eprintln!("{file}: could not be read: {cause}");
                continue;
            }
        };
        let began = Instant::now();
        let tasks: usize = (0..ROUNDS).flat_map(|_| text.lines()).map(tasks_in).sum();
        let (seconds, records) = (began.elapsed().as_secs_f64(), ROUNDS * text.lines().count());
        println!("{file}: {:.0} records/s, {:.1} tasks each", records as f64 / seconds, tasks as f64 / records as f64);
    }
}

fn tasks_in(line: &str) -> usize {
    record::parse(line).map_or(0, |record| record.tasks.len())
}
