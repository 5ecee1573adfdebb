//! The interrupts of a network card, and the threads that handle them: what the split of a frame's latency follows in front of it.
//!
//! A virtual interface has neither. With threaded handlers the kernel calls a line's thread `irq/LINE-NAME`.

use prazo_platform::root::Root;

/// What is known of a card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Card {
    /// Its interrupts' numbers.
    pub lines: Vec<u32>,
    /// The threads that handle them; none where handlers are not threaded.
    pub threads: Vec<u32>,
}

impl Card {
    /// The card behind an interface; nothing is known of one that is virtual, or not there.
    pub(crate) fn behind(root: &Root, interface: &str) -> Self {
        let lines = lines(root, interface);
        let threads = if lines.is_empty() { Vec::new() } else { threads(root, &lines) };
        Self { lines, threads }
    }
}

/// Message-signalled interrupts have a folder, of the device or of the one that it stands on; a plain line has a file.
fn lines(root: &Root, interface: &str) -> Vec<u32> {
    let device = format!("/sys/class/net/{interface}/device");
    for place in [device.clone(), format!("{device}/..")] {
        let listed = root.list(&format!("{place}/msi_irqs")).unwrap_or_default();
        let signalled: Vec<u32> = listed.iter().filter_map(|name| name.parse().ok()).collect();
        let plain = root.read_number(&format!("{place}/irq")).ok().and_then(|line| u32::try_from(line).ok());
        match plain.filter(|line| *line > 0) {
            _ if !signalled.is_empty() => return signalled,
            Some(line) => return vec![line],
            None => {}
        }
    }
    Vec::new()
}

fn threads(root: &Root, lines: &[u32]) -> Vec<u32> {
    let prefixes: Vec<String> = lines.iter().map(|line| format!("irq/{line}-")).collect();
    let handles = |process: &u32| {
        let name = root.read(&format!("/proc/{process}/comm")).unwrap_or_default();
        prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()))
    };
    let processes = root.list("/proc").unwrap_or_default();
    processes.iter().filter_map(|name| name.parse().ok()).filter(handles).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let root = Root::at(folder.path());
        (folder, root)
    }

    #[test]
    fn a_plain_line_and_its_thread_are_found_and_other_threads_are_not() {
        let device = ("sys/class/net/eth0/device/irq", "11\n");
        let threads = [("proc/7/comm", "irq/11-eth0\n"), ("proc/8/comm", "irq/110-ata\n"), ("proc/9/comm", "init\n")];
        let (_folder, root) = tree(&[device, threads[0], threads[1], threads[2]]);
        assert_eq!(Card::behind(&root, "eth0"), Card { lines: vec![11], threads: vec![7] });
    }

    #[test]
    fn message_signalled_interrupts_go_before_the_line_that_they_replace() {
        let signalled = ("sys/class/net/eth0/device/msi_irqs/25", "msix\n");
        let (_folder, root) = tree(&[signalled, ("sys/class/net/eth0/device/irq", "11\n"), ("proc/1/comm", "init\n")]);
        assert_eq!(Card::behind(&root, "eth0"), Card { lines: vec![25], threads: Vec::new() });
    }

    #[test]
    fn a_virtual_interface_has_no_interrupt() {
        let (_folder, root) = tree(&[("proc/7/comm", "irq/11-eth0\n")]);
        assert_eq!(Card::behind(&root, "event0"), Card::default());
    }
}
