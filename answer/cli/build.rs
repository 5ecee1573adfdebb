//! Passes on what `cargo xtask dist` says to the linker of `prazo` alone: the guests' agents, which it builds in the same call, keep their bytes.

fn main() {
    let arguments = "PRAZO_LINK_ARGUMENTS";
    println!("cargo::rerun-if-env-changed={arguments}");
    println!("cargo::rerun-if-changed=build.rs");
    for argument in std::env::var(arguments).unwrap_or_default().split_whitespace() {
        println!("cargo::rustc-link-arg-bin=prazo={argument}");
    }
}
