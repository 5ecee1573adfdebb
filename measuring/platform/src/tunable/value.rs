//! When two texts of one knob mean the same value.
//!
//! The kernel answers in its own spelling: `always [madvise] never` for a choice, `00000003` for a mask written as `3`,
//! tabs for spaces.

use crate::cpumask;

/// True where both texts stand for one value of the knob at `path`.
pub fn same_value(path: &str, left: &str, right: &str) -> bool {
    if is_mask(path) && cpumask::parse(left).is_some() {
        return cpumask::parse(left) == cpumask::parse(right);
    }
    plain(left) == plain(right)
}

/// What has to be written to get back a value that was read: the chosen word of a choice, else the text itself.
pub(super) fn writable(text: &str) -> String {
    chosen(text).unwrap_or(text.trim()).to_owned()
}

/// The word in brackets.
pub(super) fn chosen(text: &str) -> Option<&str> {
    text.split_whitespace().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'))
}

fn plain(text: &str) -> String {
    writable(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_mask(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "smp_affinity" | "default_smp_affinity") || (name == "cpumask" && path.starts_with("/sys/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_is_no_difference() {
        let pages = "/sys/kernel/mm/transparent_hugepage/enabled";
        assert!(same_value(pages, "always [madvise] never", "madvise"));
        assert!(!same_value(pages, "always [madvise] never", "never"));
        assert!(same_value("/proc/irq/24/smp_affinity", "00000003", "3"));
        assert!(!same_value("/proc/irq/24/smp_affinity", "00000003", "1"));
        assert!(same_value("/proc/sys/kernel/printk", "4\t4\t1\t7\n", "4 4 1 7"));
        assert!(same_value("/proc/sys/kernel/watchdog_cpumask", "0-1", "0-1"), "this one is a list");
        assert_eq!(writable("always [madvise] never"), "madvise");
    }
}
