//! Puts the guests' agents inside where `PRAZO_AGENTS` names a folder with them, as `cargo xtask dist` packs them: for programs
//! that are copied without their sources. Without it there are none, and the agent beside the program is used.

use std::path::{Path, PathBuf};

/// Architectures, each with its agent's file.
const AGENTS: [(&str, &str); 2] = [("x86_64", "prazo-agent.lzma"), ("aarch64", "prazo-agent-aarch64.lzma")];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PRAZO_AGENTS");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let folder = std::env::var_os("PRAZO_AGENTS").map(PathBuf::from);
    let lines: String = AGENTS.iter().filter_map(|agent| line(*agent, folder.as_ref()?, &out)).collect();
    // A program that is copied names no folder of the machine that built it.
    let sources = if folder.is_some() { "None" } else { "Some(env!(\"CARGO_MANIFEST_DIR\"))" };
    let text = format!(
        "/// Architectures, each with its compressed agent.\nconst INSIDE: &[(&str, &[u8])] = &[\n{lines}];\n\n\
         /// This crate's folder, where this program was built to stand in its sources.\n\
         pub(super) const SOURCES: Option<&str> = {sources};\n"
    );
    std::fs::write(out.join("agents.rs"), text).expect("cargo's folder can be written");
}

/// The line that names one agent; `None` where it is not there.
fn line((architecture, file): (&str, &str), folder: &Path, out: &Path) -> Option<String> {
    let agent = folder.join(file);
    println!("cargo::rerun-if-changed={}", agent.display());
    std::fs::copy(&agent, out.join(file)).ok()?;
    Some(format!("    ({architecture:?}, include_bytes!({file:?})),\n"))
}
