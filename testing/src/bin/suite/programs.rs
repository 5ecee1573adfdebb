//! The test programs that cargo built, from its JSON messages.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// A test program and the package that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// The package, for example `prazo-core`.
    pub package: String,
    /// The target: an integration test's name, or the name of a library or a binary for its unit tests.
    pub target: String,
    /// What to run.
    pub executable: PathBuf,
    /// Where cargo would run it.
    pub folder: PathBuf,
    /// The harness's arguments, which choose tests.
    pub words: Vec<String>,
    /// Tests that must have run; another name of one in [`DEEP`] would leave it out.
    pub least: usize,
}

/// Programs that may run beside others: they measure no time and change nothing that others see.
///
/// A name alone is a package; `package target` is one of its programs. What is not named here runs alone.
const SIDE_BY_SIDE: &[&str] = &[
    "prazo-core",
    "prazo-oracle",
    "prazo-scenario",
    "prazo-analysis",
    "prazo-checker",
    "prazo-sim",
    "prazo-abi",
    "prazo-stats",
    "prazo-verdict",
    "prazo-report",
    "prazo-experiment",
    "prazo-testing",
    "prazo-lab",
    "prazo-study",
    "prazo-deploy guest",
    "prazo-platform kernel_module",
    "prazo-run prazo_run",
    "prazo-run exports",
    "prazo-run import_blaess",
    "prazo-run import_tools",
    "prazo-run import_xenomai",
    "prazo-cli arrows",
    "prazo-cli deploy_lab",
    "prazo-cli explain",
    "prazo-cli gate",
    "prazo-cli lab",
    "prazo-cli prazo",
    "prazo-cli simulate",
    "prazo-cli xenomai",
    "prazo-cli xenomai_guest",
    "xtask",
];

/// Programs that boot guests, or wait for what boots them: they need the lab and the agent.
const WITH_GUESTS: &[&str] = &[
    "prazo-lab",
    "prazo-study costs_in_guests",
    "prazo-study guests",
    "prazo-study lines_in_guests",
    "prazo-study overheads_in_guests",
    "prazo-study pairs",
    "prazo-deploy guest",
    "prazo-platform kernel_module",
    "prazo-cli deploy_lab",
    "prazo-cli explain",
    "prazo-cli gate",
    "prazo-cli lab",
    "prazo-cli sched",
    "prazo-cli xenomai_guest",
    "xtask",
];

/// Programs that take longest, first, so that the last to end is a short one.
const LONG: &[&str] = &[
    "guest",
    "kernel",
    "deploy_lab",
    "explain",
    "boots",
    "gate",
    "lines",
    "pairs",
    "overheads",
    "soundness",
    "analysis",
    "twin",
];

/// Programs whose tests mostly wait, for connections and time limits: more of them than processors run at the same time.
const WAITING: &[&str] = &["prazo-board", "prazo-cli boards"];
/// How many of their tests.
const THREADS_WAITING: usize = 6;

/// Tests that boot guests for minutes, and go deeper than others of the same program: `./test --guests` runs them.
const DEEP: &[(&str, &str)] = &[
    (
        "prazo-cli deploy_lab",
        "in_a_guest_a_clustered_assignment_is_deployed_watched_and_undone_and_what_breaks_it_is_told",
    ),
    ("prazo-cli explain", "a_bound_grows_with_what_a_module_keeps_off_to_the_instruction"),
    ("prazo-cli explain", "a_killed_session_of_the_debugger_leaves_no_emulator_and_no_files"),
    ("prazo-cli explain", "a_full_disk_during_the_recording_is_named_with_what_to_do"),
    ("prazo-cli explain", "the_worst_of_two_runs_are_compared_function_by_function"),
    ("prazo-cli lab", "a_guest_under_own_loads_is_the_same_without_the_hosts_programs"),
    ("prazo-cli gate", "git_bisect_finds_the_commit_that_changed_the_kernel_in_guests"),
    ("prazo-cli gate", "a_movement_is_explained_by_functions_and_the_exit_status_stays_in_guests"),
    ("prazo-cli xenomai_guest", "two_boots_with_the_same_initramfs_are_equal"),
    ("prazo-deploy guest", "in_a_guest_with_version_1_exclusive_cpusets_and_deployments_hold"),
    ("prazo-study costs_in_guests", "the_same_seed_gives_the_same_accounts_alone_and_beside_a_probe"),
    ("prazo-study guests", "loads_on_cards_and_disk_are_reached_and_repeat_themselves"),
    ("prazo-study guests", "splitting_adds_at_most_a_quarter_to_a_wake_up_s_instructions"),
    ("prazo-study overheads_in_guests", "the_same_seed_gives_the_same_pairs"),
    ("prazo-study overheads_in_guests", "the_same_seed_gives_the_same_pairs_on_rt"),
    ("prazo-study lines_in_guests", "the_orders_of_the_paper_hold_on_a_short_run"),
    ("xtask kernel", "agreement::every_scenario_has_the_same_trace_in_every_shape"),
    ("xtask kernel", "stress::a_million_switches_of_each_shape_on_eight_processors_lose_nobody"),
];

impl Program {
    /// Its tests in [`DEEP`].
    fn deep(&self) -> impl Iterator<Item = &'static str> {
        let name = self.name();
        DEEP.iter().filter(move |(program, _)| *program == name).map(|(_, test)| *test)
    }

    /// The same without its deep tests.
    pub(crate) fn shallow(self) -> Self {
        let mut words: Vec<String> = self.deep().map(|test| format!("--skip={test}")).collect();
        if !words.is_empty() {
            words.push("--exact".to_owned());
        }
        Self { words, ..self }
    }

    /// The same with its deep tests alone; `None` without any.
    pub(crate) fn deeper(self) -> Option<Self> {
        let least = self.deep().count();
        let words = self.deep().chain(["--exact"]).map(str::to_owned).collect();
        (least > 0).then_some(Self { words, least, ..self })
    }

    /// `package target`, as [`SIDE_BY_SIDE`] and the log files name it.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.package, self.target)
    }

    fn is_in(&self, list: &[&str]) -> bool {
        list.contains(&self.package.as_str()) || list.contains(&self.name().as_str())
    }

    /// True if it may run beside others.
    pub(crate) fn is_side_by_side(&self) -> bool {
        self.is_in(SIDE_BY_SIDE)
    }

    /// How many of its tests run at the same time, on so many processors.
    pub(crate) fn threads(&self, processors: usize) -> usize {
        // With a single thread the harness runs tests in its main thread, whose name does not say which test is skipped.
        if self.is_in(WAITING) { THREADS_WAITING.max(processors) } else { processors.max(2) }
    }

    /// Which part of a whole run it belongs to.
    pub(crate) fn part(&self) -> Part {
        match (self.is_in(WITH_GUESTS), self.is_side_by_side()) {
            (true, _) => Part::Guests,
            (false, true) => Part::Computed,
            (false, false) => Part::Alone,
        }
    }

    /// True if it takes long, mostly because it boots guests.
    pub(crate) fn is_long(&self) -> bool {
        LONG.iter().any(|part| self.target.contains(part)) || self.name() == "prazo-cli lab"
    }
}

/// A part of a whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// What runs alone, and boots no guest.
    Alone,
    /// What only computes, so that it may also run behind those at idle priority.
    Computed,
    /// What boots guests.
    Guests,
}

impl Part {
    /// Its word on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::Computed => "computed",
            Self::Guests => "guests",
        }
    }
}

/// The test programs among cargo's messages, the long ones first.
pub(crate) fn of_messages(messages: &str) -> Vec<Program> {
    let mut all: Vec<Program> = messages.lines().filter_map(of_message).collect();
    all.sort_by_key(|program| (!program.is_long(), program.name()));
    all
}

fn of_message(line: &str) -> Option<Program> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    // A benchmark without a harness is built as a test too, but has nothing that could be counted.
    if !is_test || message["target"]["kind"][0] == "bench" || message["target"]["kind"][0] == "example" {
        return None;
    }
    let manifest = Path::new(message["manifest_path"].as_str()?);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Some(Program {
        package: package(message["package_id"].as_str()?, manifest)?,
        target: text(&message["target"]["name"])?,
        executable: PathBuf::from(message["executable"].as_str()?),
        folder: manifest.parent()?.to_owned(),
        words: Vec::new(),
        least: 0,
    })
}

/// The name in `path+file:///a/b#name@0.1.0`, or of the folder in `path+file:///a/name#0.1.0`.
fn package(id: &str, manifest: &Path) -> Option<String> {
    let rest = id.rsplit_once('#')?.1;
    match rest.split_once('@') {
        Some((name, _)) => Some(name.to_owned()),
        None => Some(manifest.parent()?.file_name()?.to_str()?.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGES: &str = r#"{"reason":"compiler-artifact","package_id":"path+file:///w/scheduling/core#prazo-core@0.1.0","manifest_path":"/w/scheduling/core/Cargo.toml","target":{"kind":["test"],"name":"twin"},"profile":{"test":true},"executable":"/w/target/debug/deps/twin-1"}
{"reason":"compiler-artifact","package_id":"path+file:///w/xtask#0.1.0","manifest_path":"/w/xtask/Cargo.toml","target":{"kind":["bin"],"name":"xtask"},"profile":{"test":true},"executable":"/w/target/debug/deps/xtask-1"}
{"reason":"compiler-artifact","package_id":"path+file:///w/xtask#0.1.0","manifest_path":"/w/xtask/Cargo.toml","target":{"kind":["bin"],"name":"xtask"},"profile":{"test":false},"executable":"/w/target/debug/xtask"}
{"reason":"build-finished","success":true}"#;

    #[test]
    fn test_programs_are_found_with_their_packages() {
        let found = of_messages(MESSAGES);
        let names: Vec<String> = found.iter().map(Program::name).collect();
        assert_eq!(names, ["prazo-core twin", "xtask xtask"]);
        assert_eq!(found[1].folder, Path::new("/w/xtask"));
    }

    #[test]
    fn what_is_not_known_to_bear_company_runs_alone() {
        let program = |package: &str, target: &str| Program {
            package: package.into(),
            target: target.into(),
            executable: PathBuf::new(),
            folder: PathBuf::new(),
            words: Vec::new(),
            least: 0,
        };
        assert!(program("prazo-core", "new").is_side_by_side() && program("prazo-cli", "gate").is_side_by_side());
        assert!(!program("prazo-probe", "timer").is_side_by_side() && !program("prazo-cli", "new").is_side_by_side());
        let parts = [("prazo-core", "new"), ("prazo-cli", "gate"), ("prazo-cli", "sched"), ("prazo-cli", "new")];
        let parts = parts.map(|(package, target)| program(package, target).part());
        assert_eq!(parts, [Part::Computed, Part::Guests, Part::Guests, Part::Alone]);
    }

    /// A test that was renamed would run every time, and its deep run would fail.
    #[test]
    fn each_deep_test_is_there() {
        let root = prazo_testing::documents::root();
        for (program, test) in DEEP {
            let (package, target) = program.split_once(' ').unwrap();
            let folder = package.trim_start_matches("prazo-");
            let (file, name) = match test.split_once("::") {
                Some((module, name)) => (format!("tests/{target}/{module}.rs"), name),
                None => (format!("tests/{target}.rs"), *test),
            };
            let has_test = |room: &&str| {
                let text = std::fs::read_to_string(root.join(room).join(folder).join(&file));
                text.is_ok_and(|text| text.contains(&format!("fn {name}()")))
            };
            assert!(["answer", "measuring", "scheduling", "."].iter().any(has_test), "{program}: {test}");
        }
    }

    #[test]
    fn deep_tests_are_left_out_or_run_alone() {
        let mut lab = of_messages(MESSAGES).swap_remove(0);
        assert_eq!(lab.clone().deeper(), None);
        assert!(lab.clone().shallow().words.is_empty(), "a program may have no harness that knows the words");
        (lab.package, lab.target) = ("prazo-cli".into(), "lab".into());
        let name = "a_guest_under_own_loads_is_the_same_without_the_hosts_programs";
        assert_eq!(lab.clone().shallow().words, [format!("--skip={name}"), "--exact".into()]);
        let deep = lab.deeper().unwrap();
        assert_eq!((deep.words, deep.least), (vec![name.to_owned(), "--exact".into()], 1));
    }
}
