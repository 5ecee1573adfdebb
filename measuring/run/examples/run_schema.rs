//! Prints the JSON schema of an exported run: `cargo run -p prazo-run --example run_schema > docs/run.schema.json`.

fn main() {
    println!("{:#}", prazo_run::export::json::schema().as_value());
}
