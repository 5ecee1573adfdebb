//! The prazo command.

fn main() {}
