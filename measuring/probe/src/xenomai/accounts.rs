//! Cobalt's `/proc/xenomai/sched/acct`: what each of its threads has done so far, and how often it fell back to Linux.
//!
//! ```text
//! 0 118 1 841 751 0 00048044 4519212320527 133726080 133726080 lock low rt 20 0
//! cpu pid msw csw xsc pf state period exec_period exec_total name.. class priority period
//! ```
//! There is no header; the name is not escaped and may hold spaces, so that the last three fields are read from the right.

/// One thread of Cobalt's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadAccount {
    /// Its processor.
    pub cpu: u32,
    /// Linux's number of it; 0 for Linux itself.
    pub thread_id: u32,
    /// Switches between Cobalt and Linux.
    pub mode_switches: u64,
    /// Page faults.
    pub page_faults: u64,
    /// Processor time since it began, in nanoseconds.
    pub executed_ns: u64,
    /// Its name.
    pub name: String,
    /// Its scheduling class.
    pub class: String,
    /// Its priority.
    pub priority: i32,
}

/// Every line that can be read; a thread that comes or goes meanwhile may leave half a line.
pub fn accounts(text: &str) -> Vec<ThreadAccount> {
    text.lines().filter_map(account).collect()
}

fn account(line: &str) -> Option<ThreadAccount> {
    const LEFT: usize = 10;
    let mut left = line.splitn(LEFT + 1, ' ');
    let numbers: Vec<&str> = left.by_ref().take(LEFT).collect();
    let mut right = left.next()?.rsplitn(4, ' ');
    let (_period, priority, class, name) = (right.next()?, right.next()?, right.next()?, right.next()?);
    Some(ThreadAccount {
        cpu: numbers.first()?.parse().ok()?,
        thread_id: numbers.get(1)?.parse().ok()?,
        mode_switches: numbers.get(2)?.parse().ok()?,
        page_faults: numbers.get(5)?.parse().ok()?,
        executed_ns: numbers.get(9)?.parse().ok()?,
        name: name.into(),
        class: class.into(),
        priority: priority.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_spaces_is_read_whole() {
        let read = accounts("0 118 1 841 751 0 00048044 4519212320527 133726080 133726081 lock low rt 20 0\n");
        assert_eq!(read.len(), 1);
        let thread = &read[0];
        assert_eq!((thread.thread_id, thread.mode_switches, thread.executed_ns), (118, 1, 133_726_081));
        assert_eq!((thread.name.as_str(), thread.class.as_str(), thread.priority), ("lock low", "rt", 20));
    }

    #[test]
    fn half_a_line_is_left_out() {
        assert_eq!(accounts("0 118 1 841\n\n1 2 x 4 5 6 7 8 9 10 name rt 1 0\n"), []);
    }
}
