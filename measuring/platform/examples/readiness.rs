//! Checks this machine, or a copied tree: `cargo run -p prazo-platform --example readiness [TREE]`.

use prazo_platform::Root;
use prazo_platform::readiness::{Scenario, check};

fn main() {
    let root = std::env::args().nth(1).map_or_else(Root::system, Root::at);
    for result in check(&root, &Scenario::default()) {
        let (outcome, severity, id) = (result.outcome, result.severity, result.id);
        println!("{outcome:<14} {severity:<6} {id:<22} {} [{}]", result.found, result.source);
        for change in result.tunable {
            println!("{:>24} {} = {} (now {})", "tune:", change.knob, change.to, change.from);
        }
    }
}
