//! Where run files come from and go to.

use crate::error::Error;
use prazo_run::Run;
use std::path::{Path, PathBuf};

/// The folder that results go to unless `-o` names another.
pub const RESULTS: &str = "prazo-results";

/// Opens run files in the order given.
pub fn open_all(files: &[PathBuf]) -> Result<Vec<Run>, Error> {
    files.iter().map(|file| open(file)).collect()
}

/// Opens one run file.
pub fn open(file: &Path) -> Result<Run, Error> {
    prazo_run::store::open(file).map_err(Error::failed)
}

/// The file's name without its ending.
pub fn name_of(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Makes the folder that `file` shall lie in.
pub fn make_parent(file: &Path) -> Result<(), Error> {
    match file.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => make_folder(parent),
        None => Ok(()),
    }
}

/// Makes a folder and those above it.
pub fn make_folder(folder: &Path) -> Result<(), Error> {
    let failed = |error| {
        let attempt = format!("cannot create the folder {}", folder.display());
        Error::failed(error).attempting(attempt).with_remedy("name another with -o")
    };
    std::fs::create_dir_all(folder).map_err(failed)
}

/// `prazo-results/NAME-DATE.prazo`.
pub fn default_run_file(name: &str) -> PathBuf {
    Path::new(RESULTS).join(format!("{name}-{}.prazo", stamp()))
}

/// `20261121-063000`, in universal time: sorts by age.
pub fn stamp() -> String {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let seconds = since_1970.as_secs();
    let (year, month, day) = civil_date(seconds / 86_400);
    let clock = seconds % 86_400;
    format!("{year:04}{month:02}{day:02}-{:02}{:02}{:02}", clock / 3_600, clock / 60 % 60, clock % 60)
}

/// The present moment for a report, in universal time: `2026-11-21 06:30 UTC`.
pub fn made_at() -> String {
    let stamp = stamp();
    let (date, clock) = (&stamp[..8], &stamp[9..]);
    format!("{}-{}-{} {}:{} UTC", &date[..4], &date[4..6], &date[6..], &clock[..2], &clock[2..4])
}

/// The Gregorian date `days` after 1970-01-01 (Fliegel and van Flandern 1968, through the Julian day number).
fn civil_date(days: u64) -> (u64, u64, u64) {
    let julian = days + 2_440_588;
    let l = julian + 68_569;
    let n = 4 * l / 146_097;
    let l = l - (146_097 * n).div_ceil(4);
    let i = 4_000 * (l + 1) / 1_461_001;
    let l = l - 1_461 * i / 4 + 31;
    let j = 80 * l / 2_447;
    let day = l - 2_447 * j / 80;
    let l = j / 11;
    (100 * (n - 49) + i + l, j + 2 - 12 * l, day)
}

#[cfg(test)]
mod tests {
    use super::civil_date;

    #[test]
    fn dates_of_known_days() {
        assert_eq!(civil_date(0), (1970, 1, 1));
        assert_eq!(civil_date(11_016), (2000, 2, 29));
        assert_eq!(civil_date(20_778), (2026, 11, 21));
    }
}
