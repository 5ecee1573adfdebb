//! Puts the guests' agents inside, compressed, where `PRAZO_AGENTS` names a folder with them: for programs that are copied
//! without their sources. Without it there are none, and the agent beside the program is used.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Architectures, each with its agent's file.
const AGENTS: [(&str, &str); 2] = [("x86_64", "prazo-agent"), ("aarch64", "prazo-agent-aarch64")];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PRAZO_AGENTS");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let folder = std::env::var_os("PRAZO_AGENTS").map(PathBuf::from);
    let lines = AGENTS.iter().filter_map(|(architecture, file)| {
        let agent = folder.as_ref()?.join(file);
        println!("cargo::rerun-if-changed={}", agent.display());
        agent.is_file().then(|| {
            let name = format!("{file}.gz");
            pack(&agent, &out.join(&name));
            format!("    ({architecture:?}, include_bytes!({name:?})),\n")
        })
    });
    let list = lines.collect::<String>();
    let text =
        format!("/// Architectures, each with its compressed agent.\nconst INSIDE: &[(&str, &[u8])] = &[\n{list}];\n");
    std::fs::write(out.join("agents.rs"), text).expect("cargo's folder can be written");
}

fn pack(from: &Path, to: &Path) {
    let agent = std::fs::read(from).expect("the agent can be read");
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&agent).expect("memory takes it");
    std::fs::write(to, packed.finish().expect("memory takes it")).expect("cargo's folder can be written");
}
