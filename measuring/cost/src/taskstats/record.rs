//! One exit record, read from the kernel's structure (include/uapi/linux/taskstats.h) by its documented offsets.

/// What one task had used when it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Record {
    /// The task.
    pub task: u32,
    /// The process it belonged to.
    pub process: u32,
    /// That process's parent when the task ended.
    pub parent: u32,
    /// True for the last task of its process.
    pub is_last: bool,
    /// From its fork to this record.
    pub lifetime_ns: u64,
    /// Runnable and not running.
    pub run_queue_wait_ns: u64,
    /// How often it was given a processor; 0 where the kernel does not keep this account.
    pub dispatches: u64,
    /// Waiting for block devices, swapping in and thrashing pages included: the kernel's two other accounts overlap this one.
    /// 0 unless delay accounting was on.
    pub io_wait_ns: u64,
    /// Processor time up to its last tick or switch, so at most what it had used.
    pub executed_ns_min: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
}

/// The first version with process numbers.
const VERSION_MIN: u16 = 12;
/// A version whose fields moved, taken back by the next one.
const VERSION_WITHDRAWN: u16 = 15;
const LENGTH_MIN: usize = 372;
/// `ac_flag`: the last task of its group.
const LAST_OF_GROUP: u8 = 0x20;

/// Reads a record; `Err` says why it cannot be read.
pub(crate) fn record(bytes: &[u8]) -> Result<Record, String> {
    let version = bytes.get(..2).map_or(0, |two| u16::from_ne_bytes([two[0], two[1]]));
    if bytes.len() < LENGTH_MIN || version < VERSION_MIN || version == VERSION_WITHDRAWN {
        return Err(format!(
            "prazo cannot read exit records (taskstats) of version {version} with {} bytes",
            bytes.len()
        ));
    }
    let word = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let long = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    Ok(Record {
        is_last: bytes[8] & LAST_OF_GROUP != 0,
        dispatches: long(16),
        run_queue_wait_ns: long(24),
        io_wait_ns: long(40),
        executed_ns_min: long(72),
        task: word(128),
        parent: word(132),
        lifetime_ns: long(144) * 1_000,
        minor_faults: long(168),
        major_faults: long(176),
        voluntary_switches: long(272),
        involuntary_switches: long(280),
        process: word(368),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_is_not_understood_is_refused() {
        let of_version = |version: u16| {
            let mut bytes = vec![0u8; 560];
            bytes[..2].copy_from_slice(&version.to_ne_bytes());
            record(&bytes)
        };
        assert!(of_version(13).is_ok() && of_version(16).is_ok());
        assert!(of_version(11).is_err() && of_version(15).unwrap_err().contains("version 15"));
        assert!(record(&[13, 0, 0]).is_err(), "a short read");
    }

    /// A page that is swapped in is waited for once, and is in the kernel's accounts of both.
    #[test]
    fn one_wait_for_a_device_is_counted_once() {
        let mut bytes = vec![0u8; 560];
        bytes[..2].copy_from_slice(&13u16.to_ne_bytes());
        for at in [40, 56, 336] {
            bytes[at..at + 8].copy_from_slice(&700u64.to_ne_bytes());
        }
        assert_eq!(record(&bytes).unwrap().io_wait_ns, 700);
    }
}
