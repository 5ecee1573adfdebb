//! Where the kernel lets a running task be preempted: the model that is in force, and how we know.
//!
//! A kernel with PREEMPT_DYNAMIC can be built as one model, booted as another and switched to a third, so the places are
//! asked in the order of their nearness to the truth: the switch itself, the log of this boot, the command line, the
//! configuration.

use crate::cmdline::{self, Cmdline};
use crate::kernel_config::KernelConfig;
use crate::root::{Reading, Root};

/// The preemption model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Only at explicit points in the kernel.
    None,
    /// At more such points.
    Voluntary,
    /// Fully for real-time tasks, at the next tick for others (since 6.13).
    Lazy,
    /// Everywhere but in critical sections.
    Full,
    /// PREEMPT_RT: nearly everywhere.
    Rt,
}

prazo_core::words!(Model: None => "none", Voluntary => "voluntary", Lazy => "lazy", Full => "full", Rt => "rt");

/// The model of this word, where a kernel can be switched to it.
fn switched_to(word: &str) -> Option<Model> {
    word.parse().ok().filter(|model| *model != Model::Rt)
}

/// A model and where it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetectedModel {
    /// The model.
    pub model: Model,
    /// The file, and what kind of evidence it is.
    pub source: String,
    /// False where only the build's default is known, which the running kernel may have left.
    pub is_effective: bool,
}

const SWITCH: &str = "/sys/kernel/debug/sched/preempt";
const VERSION: &str = "/proc/sys/kernel/version";

/// The model in force.
pub fn model(root: &Root) -> Reading<DetectedModel> {
    if let Some(found) = real_time(root).or_else(|| switched(root)).or_else(|| static_model(root)) {
        return Ok(found);
    }
    if let Some(found) = logged(root).or_else(|| chosen_at_boot(root)) {
        return Ok(found);
    }
    configured(root)
}

fn found(model: Model, source: impl Into<String>, is_effective: bool) -> DetectedModel {
    DetectedModel { model, source: source.into(), is_effective }
}

/// True where the kernel says that it is PREEMPT_RT.
pub fn is_real_time(root: &Root) -> bool {
    real_time(root).is_some()
}

/// The kernel's own word for PREEMPT_RT; `-rt` in the release name is nobody's word.
fn real_time(root: &Root) -> Option<DetectedModel> {
    const FLAG: &str = "/sys/kernel/realtime";
    if root.read(FLAG).is_ok_and(|text| text.trim() == "1") {
        return Some(found(Model::Rt, FLAG, true));
    }
    let version = root.read(VERSION).ok()?;
    let says_so = version.split_whitespace().any(|word| word == "PREEMPT_RT") || version.contains("PREEMPT RT");
    says_so.then(|| found(Model::Rt, VERSION, true))
}

fn switched(root: &Root) -> Option<DetectedModel> {
    let text = root.read(SWITCH).ok()?;
    let word = text.split_whitespace().find_map(|word| word.strip_prefix('(')?.strip_suffix(')'))?;
    Some(found(switched_to(word)?, SWITCH, true))
}

/// Without PREEMPT_DYNAMIC the build decides for good.
fn static_model(root: &Root) -> Option<DetectedModel> {
    let config = KernelConfig::read(root).ok()?;
    let model = built(&config)?;
    (!config.is_on("PREEMPT_DYNAMIC")).then(|| found(model, &config.source, true))
}

/// The latest word of the log: it is said at boot, and again at each switch.
fn logged(root: &Root) -> Option<DetectedModel> {
    const MARK: &str = "Dynamic Preempt: ";
    let log = root.kernel_log().ok()?;
    let word = log.rsplit_once(MARK)?.1.split_whitespace().next()?;
    Some(found(switched_to(word)?, "the kernel's log, \"Dynamic Preempt\"", true))
}

fn chosen_at_boot(root: &Root) -> Option<DetectedModel> {
    let model = switched_to(Cmdline::read(root).ok()?.value("preempt")?)?;
    Some(found(model, format!("{}, preempt=", cmdline::FILE), true))
}

fn configured(root: &Root) -> Reading<DetectedModel> {
    let config = KernelConfig::read(root)?;
    let source = format!("{}, the default; the preemption model can be changed at boot or at run time", config.source);
    Ok(found(built(&config).unwrap_or(Model::None), source, false))
}

fn built(config: &KernelConfig) -> Option<Model> {
    let models = [
        ("PREEMPT_RT", Model::Rt),
        ("PREEMPT_LAZY", Model::Lazy),
        ("PREEMPT_VOLUNTARY", Model::Voluntary),
        ("PREEMPT_NONE", Model::None),
        ("PREEMPT", Model::Full),
    ];
    models.into_iter().find_map(|(option, model)| config.is_on(option).then_some(model))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model_of(files: &[(&str, &str)]) -> Reading<DetectedModel> {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        model(&Root::at(folder.path()))
    }

    const RELEASE: (&str, &str) = ("proc/sys/kernel/osrelease", "6.18.0\n");
    const DYNAMIC: (&str, &str) = ("boot/config-6.18.0", "CONFIG_PREEMPT_NONE=y\nCONFIG_PREEMPT_DYNAMIC=y\n");

    #[test]
    fn the_nearest_evidence_wins() {
        let switch = ("sys/kernel/debug/sched/preempt", "none voluntary (full) lazy\n");
        let log = ("var/log/dmesg", "[0.1] Dynamic Preempt: voluntary\n[9.1] Dynamic Preempt: lazy\n");
        let line = ("proc/cmdline", "quiet preempt=voluntary\n");
        assert_eq!(model_of(&[RELEASE, DYNAMIC, switch, log, line]).unwrap().model, Model::Full);
        assert_eq!(model_of(&[RELEASE, DYNAMIC, log, line]).unwrap().model, Model::Lazy);
        assert_eq!(model_of(&[RELEASE, DYNAMIC, line]).unwrap().model, Model::Voluntary);
        let guess = model_of(&[RELEASE, DYNAMIC]).unwrap();
        assert_eq!((guess.model, guess.is_effective), (Model::None, false));
    }

    #[test]
    fn a_name_ending_in_rt_is_no_real_time_kernel() {
        let release = ("proc/sys/kernel/osrelease", "6.1.0-rt7\n");
        let config = ("boot/config-6.1.0-rt7", "CONFIG_PREEMPT=y\n");
        let version = ("proc/sys/kernel/version", "#1 SMP PREEMPT Debian\n");
        assert_eq!(model_of(&[release, config, version]).unwrap().model, Model::Full);
        let version = ("proc/sys/kernel/version", "#1 SMP PREEMPT_RT Debian\n");
        assert_eq!(model_of(&[release, config, version]).unwrap().model, Model::Rt);
    }

    #[test]
    fn nothing_readable_is_an_error_and_not_a_model() {
        assert!(model_of(&[]).unwrap_err().is_absent());
    }
}
