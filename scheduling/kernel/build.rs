//! Hands the linker script to the linker, for the kernel's target only.

fn main() {
    println!("cargo::rerun-if-changed=kernel.ld");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "none") {
        let folder = std::env::var("CARGO_MANIFEST_DIR").expect("cargo names the package's folder");
        println!("cargo::rustc-link-arg-bins=-T{folder}/kernel.ld");
    }
}
