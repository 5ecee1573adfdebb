//! Makes the sparse tables that a study carries from a folder of cyclictest text histograms.
//!
//! `cargo run -p prazo-run --example sparse -- FOLDER OUT ORIGIN`; one `NAME.csv` in OUT for each `NAME.txt` in FOLDER.

use prazo_run::import::sparse;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, out, origin] = &words[..] else {
        return Err("usage: sparse FOLDER OUT ORIGIN".into());
    };
    std::fs::create_dir_all(out)?;
    for file in histograms(Path::new(folder))? {
        let target = Path::new(out).join(file.with_extension("csv").file_name().unwrap_or_default());
        std::fs::write(&target, sparse::from_cyclictest(&file, origin)?)?;
        println!("{}", target.display());
    }
    Ok(())
}

fn histograms(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let files = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    let mut files: Vec<PathBuf> =
        files.into_iter().filter(|file| file.extension().is_some_and(|end| end == "txt")).collect();
    files.sort();
    Ok(files)
}
