//! Bundles the page's script where Node and its modules are present; elsewhere the report does without, and says so.
//!
//! Never installs anything: `npm ci` in web/ is the set-up's task, so that a build works offline and changes no file.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

const OUTPUTS: [&str; 3] = ["charts.js", "charts.css", "charts.sha256"];

fn main() {
    let web = Path::new(&env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("web");
    let out = env::var_os("OUT_DIR").expect("cargo sets it");
    inputs(&web);
    if let Err(why) = bundle(&web, Path::new(&out)) {
        println!("cargo::warning=reports will have static pictures instead of charts: {why}");
        OUTPUTS.iter().for_each(|name| fs::write(Path::new(&out).join(name), "").expect("OUT_DIR is writable"));
    }
}

/// Names what a new bundle depends on. A file that is absent would make cargo build this crate anew each time, so that
/// without modules the whole folder is watched: it changes when they come.
fn inputs(web: &Path) {
    let modules = web.join("node_modules/.package-lock.json");
    if !modules.exists() {
        println!("cargo::rerun-if-changed={}", web.display());
        return;
    }
    for input in [web.join("src"), web.join("build.mjs"), web.join("package-lock.json"), modules] {
        println!("cargo::rerun-if-changed={}", input.display());
    }
}

fn bundle(web: &Path, out: &Path) -> Result<(), String> {
    if !web.join("node_modules").exists() {
        return Err("web/node_modules is absent; run `npm ci` in answer/report/web".into());
    }
    let run = Command::new("node").arg(web.join("build.mjs")).arg(out).output();
    let output = run.map_err(|error| format!("node could not be run ({error}); install Node 18 or later"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("web/build.mjs failed: {}", said.lines().find(|line| !line.trim().is_empty()).unwrap_or("no message")))
}
