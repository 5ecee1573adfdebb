//! Prints the fingerprint of this machine, or of a copied tree: `cargo run -p prazo-platform --example fingerprint [TREE]`.

use prazo_platform::{Root, fingerprint};

fn main() {
    let root = std::env::args().nth(1).map_or_else(Root::system, Root::at);
    for (name, fact) in fingerprint::capture(&root).facts {
        match fact.value {
            Some(value) => println!("{name} = {value}    [{}]", fact.source),
            None => println!("{name} is unknown: {}", fact.source),
        }
    }
}
