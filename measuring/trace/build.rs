//! Compiles the BPF programs, where there is a clang; without one prazo is built without them, and says so when it should split.

use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

const PROGRAMS: [&str; 5] = ["split", "events", "answer", "overheads", "activations"];

fn main() {
    println!("cargo::rerun-if-changed=bpf");
    println!("cargo::rerun-if-env-changed=CLANG");
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let lines: Vec<String> = PROGRAMS.iter().map(|name| line(name, &compile(name, Path::new(&out)))).collect();
    std::fs::write(Path::new(&out).join("objects.rs"), lines.concat()).expect("cargo's folder can be written");
}

/// The line of Rust that names one program's object.
fn line(name: &str, object: &Option<String>) -> String {
    let value = match object {
        Some(path) => format!("Some(aya::include_bytes_aligned!({path:?}))"),
        None => "None".into(),
    };
    format!("/// The object of `bpf/{name}.bpf.c`.\npub const {}: Option<&[u8]> = {value};\n", name.to_uppercase())
}

/// The object file's path; `None` where there is no clang that can make one. A program that does not compile is an error.
fn compile(name: &str, out: &Path) -> Option<String> {
    let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang".into());
    let object = out.join(format!("{name}.bpf.o"));
    // The object's line information shall not name this machine's folders: a guest's trajectory is the same from whatever folder.
    let here = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let made = Command::new(&clang)
        .arg(format!("-ffile-prefix-map={here}=."))
        .args(["-target", "bpf", "-mcpu=v3", "-O2", "-g", "-Wall", "-Werror", "-Wno-unused-variable"])
        .arg(format!(
            "-DPRAZO_ARCH_{}",
            std::env::var("CARGO_CFG_TARGET_ARCH").expect("cargo sets CARGO_CFG_TARGET_ARCH")
        ))
        .args(["-c", &format!("bpf/{name}.bpf.c"), "-o"])
        .arg(&object)
        .output();
    match made {
        Ok(output) if output.status.success() => object.to_str().map(str::to_owned),
        Ok(output) => {
            let printed = String::from_utf8_lossy(&output.stderr);
            assert!(!printed.contains("bpf.c:"), "{clang} does not compile bpf/{name}.bpf.c:\n{printed}");
            println!("cargo::warning=built without BPF: {clang} has no such target: {}", printed.trim());
            None
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // With a clang, another search path changes nothing, and a guest's agent would be built again for it.
            println!("cargo::rerun-if-env-changed=PATH");
            println!("cargo::warning=built without BPF: there is no {clang}");
            None
        }
        Err(error) => panic!("{clang} cannot be run: {error}"),
    }
}
