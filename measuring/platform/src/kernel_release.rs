//! What a kernel's release says about the kernel.

/// The first two numbers of a kernel's release, or `None` where it does not begin with two numbers.
pub(crate) fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|letter: char| !letter.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Whether this kernel has the fair server, which keeps a part of each processor for ordinary threads: Linux 6.12 introduced it.
///
/// `None`: the release has no version.
pub fn has_fair_server(release: &str) -> Option<bool> {
    version(release).map(|version| version >= (6, 12))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_compared_as_numbers() {
        let releases = [
            ("6.1.0-rt7", Some(false)),
            ("6.11.9", Some(false)),
            ("6.12.95+deb12-amd64", Some(true)),
            ("6.18.44-fc", Some(true)),
            ("7.2-rc1", Some(true)),
            ("next", None),
            ("6", None),
            ("", None),
        ];
        for (release, expected) in releases {
            assert_eq!(has_fair_server(release), expected, "{release}");
        }
    }
}
