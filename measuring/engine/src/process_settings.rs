//! What a run sets for the whole process: idle states held off, a processor-time limit, the recorder's place. Each is read
//! back, recorded, and put back when dropped; none outlives the process, so that SIGKILL leaves nothing behind.

use super::error::ProbeError;
use super::surroundings::Surroundings;
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_platform::tunable::TunableRecord;
use prazo_run::Plan;
use prazo_run::plan::Policy;
use prazo_sys::memory;
use prazo_sys::scheduling::{self, Resource, SCHED_OTHER, SchedAttr};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

/// A real-time thread that runs this long without blocking is ended, so that a hopeless catch-up cannot hang a small machine.
pub const PROCESSOR_TIME_LIMIT_US: u64 = 1_000_000;

const IDLE: &str = "/dev/cpu_dma_latency";
const LIMIT: &str = "RLIMIT_RTTIME";
const RECORDER_POLICY: &str = "sched_setattr of the recording thread";
const RECORDER_PLACE: &str = "sched_setaffinity of the recording thread";

/// The settings in force; dropped, they are put back.
#[derive(Debug)]
pub struct ProcessSettings {
    idle: Option<File>,
    limit_before_us: Option<u64>,
    place_before: Option<CpuSet>,
    policy_before: Option<Attributes>,
    records: Vec<TunableRecord>,
    /// The recorder's processor.
    pub housekeeping: Cpu,
    /// Why idle states could not be held off, where that was asked.
    pub idle_not_held: Option<String>,
}

struct Attributes(SchedAttr);

impl std::fmt::Debug for Attributes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.in_a_record())
    }
}

impl ProcessSettings {
    /// Sets everything for `plan`; the calling thread becomes the recorder.
    pub fn apply(plan: &Plan, usable: &CpuSet, around: &Surroundings) -> Result<Self, ProbeError> {
        let housekeeping = housekeeping(plan, usable);
        let mut settings = Self {
            idle: None,
            limit_before_us: None,
            place_before: None,
            policy_before: None,
            records: Vec::new(),
            housekeeping,
            idle_not_held: None,
        };
        if plan.hold_dma_latency {
            settings.hold_idle_states(around);
        }
        if matches!(plan.policy, Policy::Fifo { .. } | Policy::Rr { .. }) {
            settings
                .limit_processor_time()
                .map_err(|source| failed("setting the limit on real-time processor time (RLIMIT_RTTIME)", source))?;
        }
        settings
            .place_recorder()
            .map_err(|source| failed("setting the policy and the affinity of the recording thread", source))?;
        Ok(settings)
    }

    /// Puts everything back; answers what was set, and whether it is back.
    pub fn put_back(mut self) -> Vec<TunableRecord> {
        self.restore();
        std::mem::take(&mut self.records)
    }

    fn record(&mut self, knob: &str, before: Option<String>, requested: String, effective: Option<String>) {
        self.records.push(TunableRecord { knob: knob.into(), before, requested, effective, restored: false });
    }

    fn note_restored(&mut self, knob: &str, restored: bool) {
        self.records.iter_mut().filter(|record| record.knob == knob).for_each(|record| record.restored = restored);
    }

    /// The limit was ours to lower, so raising it back to a value below the hard one is allowed.
    fn restore(&mut self) {
        if let Some(before_us) = self.limit_before_us.take() {
            let _ = scheduling::set_soft_limit(Resource::RealTimeRun, before_us);
            let back = scheduling::limit(Resource::RealTimeRun).0 == before_us;
            self.note_restored(LIMIT, back);
        }
        if let Some(cpus) = self.place_before.take() {
            let _ = scheduling::set_affinity(&cpus);
            self.note_restored(RECORDER_PLACE, scheduling::affinity().is_ok_and(|now| now == cpus));
        }
        if let Some(Attributes(before)) = self.policy_before.take() {
            let _ = scheduling::set_attributes(&before);
            let back = scheduling::attributes().is_ok_and(|now| now.in_a_record() == before.in_a_record());
            self.note_restored(RECORDER_POLICY, back);
        }
        if self.idle.take().is_some() {
            // The kernel drops the request with the file.
            self.note_restored(IDLE, true);
        }
        memory::unlock_all();
    }

    /// The kernel keeps the request as long as the file stays open.
    fn hold_idle_states(&mut self, around: &Surroundings) {
        const NAME: &str = "dev/cpu_dma_latency";
        match hold_zero(around, NAME) {
            Ok((file, before, effective)) => {
                self.idle = Some(file);
                self.record(IDLE, before, "0 µs while the file is open".into(), effective);
            }
            Err(error) => self.idle_not_held = Some(format!("{}: {error}", around.path(NAME).display())),
        }
    }

    fn limit_processor_time(&mut self) -> io::Result<()> {
        let (soft, hard) = scheduling::limit(Resource::RealTimeRun);
        let wanted = PROCESSOR_TIME_LIMIT_US.min(soft).min(hard);
        scheduling::set_soft_limit(Resource::RealTimeRun, wanted)?;
        self.limit_before_us = Some(soft);
        let (effective, _) = scheduling::limit(Resource::RealTimeRun);
        let shown = |us: u64| if us == u64::MAX { "unlimited".into() } else { format!("{us} µs") };
        self.record(LIMIT, Some(shown(soft)), shown(wanted), Some(shown(effective)));
        Ok(())
    }

    /// The recorder stays below the measured threads, on its own processor.
    fn place_recorder(&mut self) -> io::Result<()> {
        let before = scheduling::attributes()?;
        if before.policy != SCHED_OTHER {
            scheduling::set_attributes(&SchedAttr::default())?;
            let effective = scheduling::attributes()?.in_a_record();
            self.record(RECORDER_POLICY, Some(before.in_a_record()), "other".into(), Some(effective));
            self.policy_before = Some(Attributes(before));
        }
        let cpus = scheduling::affinity()?;
        scheduling::set_affinity(&CpuSet::only(self.housekeeping))?;
        self.place_before = Some(cpus);
        let effective = scheduling::affinity()?.to_string();
        let wanted = self.housekeeping.to_string();
        self.record(RECORDER_PLACE, Some(cpus.to_string()), wanted, Some(effective));
        Ok(())
    }
}

impl Drop for ProcessSettings {
    fn drop(&mut self) {
        self.restore();
    }
}

fn failed(what: &'static str, source: io::Error) -> ProbeError {
    ProbeError::System {
        what,
        source,
        remedy: "this kernel or container may forbid a system call that every run needs",
    }
}

/// The plan's choice; else the first processor that is not measured; else the first of all.
fn housekeeping(plan: &Plan, usable: &CpuSet) -> Cpu {
    let measured = CpuSet::from_cpus(plan.threads.iter().filter_map(|thread| Cpu::new(thread.cpu)));
    let free = measured.and_then(|measured| usable.difference(measured));
    plan.housekeeping_cpu.and_then(Cpu::new).unwrap_or_else(|| free.unwrap_or(*usable).first())
}

/// The file that holds the request, the effective limit before it, and after it.
fn hold_zero(around: &Surroundings, name: &str) -> io::Result<(File, Option<String>, Option<String>)> {
    let mut file = OpenOptions::new().read(true).write(true).open(around.path(name))?;
    let before = microseconds(&file);
    file.write_all(&0i32.to_ne_bytes())?;
    let effective = microseconds(&file);
    Ok((file, before, effective))
}

/// The kernel answers its effective limit as a 32-bit integer. The file cannot seek, so each read says where it begins.
fn microseconds(file: &File) -> Option<String> {
    let mut bytes = [0; 4];
    file.read_exact_at(&mut bytes, 0).ok()?;
    Some(format!("{} µs", i32::from_ne_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::super::plans::plan;
    use super::*;
    use std::thread;

    #[test]
    fn the_recorder_stays_apart_from_the_measured_where_it_can() {
        let usable: CpuSet = "0-3".parse().unwrap();
        assert_eq!(housekeeping(&plan(&[0, 1]), &usable).number(), 2);
        assert_eq!(housekeeping(&plan(&[0, 1, 2, 3]), &usable).number(), 0);
        let chosen = Plan { housekeeping_cpu: Some(1), ..plan(&[0, 1]) };
        assert_eq!(housekeeping(&chosen, &usable).number(), 1);
    }

    #[test]
    fn what_was_set_is_put_back() {
        thread::spawn(|| {
            let usable = scheduling::usable_cpus().unwrap();
            let before = scheduling::affinity().unwrap();
            let settings = ProcessSettings::apply(&plan(&[0]), &usable, &Surroundings::default()).unwrap();
            assert_eq!(scheduling::affinity().unwrap(), CpuSet::only(settings.housekeeping));
            assert!(settings.records.iter().all(|record| !record.restored), "nothing is back before it is put back");
            let records = settings.put_back();
            assert_eq!(scheduling::affinity().unwrap(), before);
            assert!(!records.is_empty() && records.iter().all(|record| record.restored), "{records:?}");
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_place_that_cannot_be_had_back_is_not_said_to_be_back() {
        thread::spawn(|| {
            let usable = scheduling::usable_cpus().unwrap();
            let mut settings = ProcessSettings::apply(&plan(&[0]), &usable, &Surroundings::default()).unwrap();
            settings.place_before = Some("1023".parse().unwrap());
            let records = settings.put_back();
            let place = records.iter().find(|record| record.knob == RECORDER_PLACE).unwrap();
            assert!(!place.restored, "no machine of this test has processor 1023");
        })
        .join()
        .unwrap();
    }

    #[test]
    fn an_absent_latency_file_is_told_and_does_not_stop_the_run() {
        thread::spawn(|| {
            let tree = tempfile::tempdir().unwrap();
            let usable = scheduling::usable_cpus().unwrap();
            let settings = ProcessSettings::apply(&plan(&[0]), &usable, &Surroundings::below(tree.path())).unwrap();
            assert!(settings.idle_not_held.as_ref().unwrap().contains("dev/cpu_dma_latency: No such file"));
            let unasked = Plan { hold_dma_latency: false, ..plan(&[0]) };
            let settings = ProcessSettings::apply(&unasked, &usable, &Surroundings::below(tree.path())).unwrap();
            assert_eq!(settings.idle_not_held, None);
        })
        .join()
        .unwrap();
    }
}
