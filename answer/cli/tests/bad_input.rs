//! What cannot be right, or is not allowed: files nobody vouches for, machines that refuse. Each error names what and what to do.

mod support;

use prazo_testing::{Need, or_skip, skip};
use support::{Answer, Desk, OWN_MOUNTS, PRAZO, adds_up, caveats, may_be_real_time, may_mount, possible};

/// Files that are no measurement.
fn strangers() -> Vec<(&'static str, Vec<u8>)> {
    let mut sqlite_only = b"SQLite format 3\0".to_vec();
    sqlite_only.resize(4_096, 0);
    vec![
        ("empty", Vec::new()),
        ("unknown", b"Dear sir,\nplease find attached nothing.\n".to_vec()),
        ("zeros", vec![0; 100_000]),
        ("binary", (0..=255).cycle().take(70_000).collect()),
        ("no-utf8", b"\xff\xfe\x00# Histogram\n\xc3\x28 0001\n".to_vec()),
        ("sqlite", sqlite_only),
        ("deep.json", [b"[".repeat(200_000), b"]".repeat(200_000)].concat()),
        ("huge-number", b"# Histogram\n000001 99999999999999999999999999999999\n# Total: 1\n".to_vec()),
    ]
}

#[test]
fn files_that_are_no_measurement_are_refused_by_name() {
    let desk = Desk::new();
    for (name, content) in strangers() {
        desk.write(name, content);
        for words in ["import {} -o runs --json", "report {} --json", "export {} --format csv"] {
            let words = words.replace("{}", name);
            desk.prazo(&words).expect_code(4).expect_error(&[name]);
        }
    }
    let left = std::fs::read_dir(desk.path("runs")).unwrap().count();
    assert_eq!(left, 0, "nothing is imported of what cannot be read");
}

#[test]
fn what_is_no_file_at_all_is_refused() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("folder")).unwrap();
    for words in ["import folder", "import /dev/zero"] {
        desk.prazo(words).expect_code(4).expect_error(&[words.split(' ').nth(1).unwrap()]);
    }
    // A name that is wrong is a wrong request, whichever command it is given to.
    for words in ["import", "report", "export --format csv", "compare", "sched test", "sched simulate", "sched curve"] {
        let second = if words == "compare" { "other" } else { "" };
        desk.prazo(&format!("{words} absent {second}")).expect_code(2).expect_error(&["absent"]);
    }
    desk.prazo("check --root absent").expect_code(2).expect_error(&["absent", "not a folder", "/proc"]);
    assert!(!desk.path("absent.prazo").exists(), "looking at a file does not make it");
}

/// Commands that read a file, and the status that they end with where it is not what they read: 2 where the file is the request, 4 where
/// it should have been a measurement. A file that is not there is a wrong request for each.
const READERS: [(&str, i32); 10] = [
    ("report {}", 4),
    ("compare {} {}", 4),
    ("export {} --format csv", 4),
    ("import {} -o runs", 4),
    ("lab explain {}", 4),
    ("lab bound {}", 4),
    ("gate {}", 2),
    ("gate --baseline {}", 2),
    ("sched test {}", 2),
    ("sched verify {}", 2),
];

#[test]
fn a_file_that_is_missing_a_folder_empty_or_a_letter_is_refused_by_name_with_the_commands_status() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("folder")).unwrap();
    desk.write("empty", "");
    desk.write("letter", "Dear sir,\nplease find attached nothing.\n");
    for name in ["absent", "folder", "empty", "letter"] {
        for (command, code) in READERS {
            let words = command.replace("{}", name);
            let answer = desk.prazo(&words);
            // A certificate that can be read and does not hold is an answer.
            if command.starts_with("sched verify") && matches!(name, "empty" | "letter") {
                let rejected = answer.expect_code(1).stdout;
                assert!(rejected.starts_with(&format!("{name}: REJECTED\n- line 1: ")), "{words}: {rejected}");
                continue;
            }
            println!("{words}: {:?}, {}", answer.code, answer.stderr);
            answer.expect_code(if name == "absent" { 2 } else { code }).expect_error(&[name]);
        }
    }
    assert!(!desk.path("absent").exists(), "looking at a file does not make it");
}

#[test]
fn a_truncated_run_is_refused_or_read_whole() {
    let desk = Desk::new();
    let whole = std::fs::read(desk.measured("r.prazo")).unwrap();
    let told = desk.prazo("export r.prazo --json").expect_code(0).stdout;
    for part in [1, 50, 100, 1_000, 4_096, whole.len() / 2, whole.len() - 4_096, whole.len() - 1] {
        desk.write("cut.prazo", &whole[..part]);
        let answer = desk.prazo("export cut.prazo --json");
        match answer.code {
            Some(4) => answer.expect_error(&["cut.prazo"]),
            _ => assert!(answer.stdout == told, "{part} of {} bytes were read as another run", whole.len()),
        }
    }
}

#[test]
fn a_run_with_flipped_bytes_never_panics() {
    let desk = Desk::new();
    let whole = std::fs::read(desk.measured("r.prazo")).unwrap();
    let (mut random, mut refused) = (0x2545_f491_4f6c_dd1d_u64, 0);
    println!("seed {random:#x}");
    for _ in 0..40 {
        let mut damaged = whole.clone();
        for _ in 0..20 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let at = (random >> 16) as usize % damaged.len();
            damaged[at] ^= (random as u8) | 1;
        }
        desk.write("flipped.prazo", damaged);
        let answer = desk.prazo("report flipped.prazo --json");
        assert!(matches!(answer.code, Some(0 | 4)), "{:?}: {}", answer.code, answer.stderr);
        refused += u32::from(answer.code == Some(4));
    }
    assert!(refused > 0, "of 40 damaged files not one was refused");
}

#[test]
fn a_run_of_another_schema_version_is_refused_with_both_versions() {
    or_skip!(possible(Need::Program("sqlite3"), &["sqlite3", "--version"]));
    let desk = Desk::new();
    desk.measured("r.prazo");
    desk.shell(&[], "sqlite3 r.prazo 'PRAGMA user_version = 77'").expect_code(0);
    desk.prazo("report r.prazo").expect_code(4).expect_error(&["77", "r.prazo"]);
}

/// Text that would act in a page, in a terminal, or in a table.
const HOSTILE: &str = "<script>alert(1)</script>\"'&\u{1b}[31m|`</title><img src=x onerror=alert(2)>";

#[test]
fn hostile_texts_in_a_run_do_not_act() {
    or_skip!(possible(Need::Program("sqlite3"), &["sqlite3", "--version"]));
    let desk = Desk::new();
    desk.measured("r.prazo");
    let text = HOSTILE.replace('\'', "''");
    desk.write(
        "hostile.sql",
        format!(
            "UPDATE meta SET value = '{text}' WHERE key IN ('name', 'command');
             INSERT INTO caveat (name, severity, what, remedy) VALUES ('{text}', 'high', '{text}', '{text}');"
        ),
    );
    desk.shell(&[], "sqlite3 -bail r.prazo < hostile.sql").expect_code(0);
    desk.prazo("report r.prazo -o page.html").expect_code(0);
    let page = std::fs::read_to_string(desk.path("page.html")).unwrap();
    assert!(page.contains("alert(1)"), "the text is shown");
    for acting in ["<script>alert(1)", "<img src=x", "</title><img"] {
        assert!(!page.contains(acting), "{acting} acts in the page");
    }
    for form in ["text", "markdown"] {
        let told = desk.prazo(&format!("report r.prazo --format {form}")).expect_code(0).stdout;
        assert!(!told.contains('\u{1b}'), "an escape sequence reached the {form}");
        assert!(form == "text" || !outside_fences(&told).contains("<script>"), "a tag reached the Markdown");
    }
    let told = desk.prazo("report r.prazo --json").expect_code(0).json();
    assert_eq!(told["runs"][0]["name"], HOSTILE, "JSON carries the text as it is");
}

/// A run's name that would clear the screen, turn its line around, and add a line that says what nobody found.
const FORGER: &str = "a\u{1b}[2J\u{202e}\u{9b}31m\nPASS";

#[test]
fn no_command_about_runs_lets_a_name_act() {
    let desk = Desk::new();
    let histogram = "# Histogram\n000008 500000\n# Total: 000500000\n# Min Latencies: 00008\n# Avg Latencies: 00008\n\
                     # Max Latencies: 00008\n# Histogram Overflows: 00000\n";
    let (foreign, run) = (format!("{FORGER}.txt"), format!("runs/{FORGER}.prazo"));
    ["b.txt", &foreign].iter().for_each(|name| drop(desk.write(name, histogram)));
    for (code, words) in [
        (0, &["import", foreign.as_str(), "b.txt", "-o", "runs"][..]),
        (0, &["import", foreign.as_str(), "-o", "json", "--json"]),
        (0, &["compare", &run, "runs/b.prazo"]),
        (0, &["compare", &run, "runs/b.prazo", "--json"]),
        (0, &["report", &run]),
        (0, &["report", &run, "--json"]),
        (0, &["report", &run, "runs/b.prazo", "--format", "text"]),
        (0, &["report", &run, "runs/b.prazo", "--format", "markdown"]),
        (0, &["report", &run, "-o", &format!("{FORGER}.html")]),
        (2, &["compare", &run, FORGER]),
    ] {
        let answer = Answer::of(desk.command(PRAZO).args(words).output().unwrap()).expect_code(code);
        let told = answer.stdout + &answer.stderr;
        let acting: Vec<_> = told.chars().filter(|c| *c != '\n' && prazo_core::text::acts(*c)).collect();
        assert!(acting.is_empty(), "{words:?}: {acting:?} reached the terminal in {told:?}");
        // A narrow column may wrap before that word, but the name does not end a line.
        assert!(!told.contains("31m\nPASS"), "{words:?}: a name began a line of {told}");
        assert!(told.contains("31m"), "{words:?}: the name is not shown in {told}");
    }
    let compared = desk.command(PRAZO).args(["compare", &run, "runs/b.prazo", "--json"]).output().unwrap();
    assert_eq!(Answer::of(compared).json()[0]["reference"], FORGER, "JSON carries the name as it is");
}

/// Markdown without its literal blocks, in which nothing acts.
fn outside_fences(markdown: &str) -> String {
    markdown.split("```").step_by(2).collect()
}

#[test]
fn a_period_shorter_than_the_loop_can_serve_ends_with_a_caveat_and_adds_up() {
    let desk = Desk::new();
    let words = "measure timer -D 1s --warm-up 0ns -i 1us -c 0 -p other --plain -o r.prazo --json";
    let measured = desk.prazo(words).expect_code(0).json();
    adds_up(&measured);
    assert!(measured["skipped"].as_u64().unwrap() > 0);
    assert!(caveats(&measured).contains(&"period-too-short"), "{:?}", caveats(&measured));
}

#[test]
fn a_real_time_loop_that_never_rests_ends_with_a_caveat_and_adds_up() {
    or_skip!(may_be_real_time());
    let desk = Desk::new();
    let words = "measure timer -D 2s --warm-up 0ns -i 1us -c 0 --when-late catch-up --plain -o r.prazo --json";
    let measured = desk.prazo(words).expect_code(0).json();
    adds_up(&measured);
    assert!(caveats(&measured).contains(&"period-too-short"), "{:?}", caveats(&measured));
}

#[test]
fn a_refused_policy_names_the_privilege_and_the_remedy() {
    let wrapper = ["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice"];
    or_skip!(possible(Need::Root, &[&wrapper[..], &["true"]].concat()));
    let desk = Desk::new();
    for policy in ["fifo", "rr", "deadline"] {
        let script = format!("ulimit -r 0 && exec \"$PRAZO\" measure timer -D 2s -p {policy} -c 0 -o r.prazo --json");
        desk.shell(&wrapper, &script).expect_code(4).expect_error(&["CAP_SYS_NICE", "setcap", policy]);
        assert!(!desk.path("r.prazo").exists(), "a run without a sample leaves no file");
    }
}

#[test]
fn a_user_namespace_is_refused_with_a_remedy() {
    let wrapper = ["unshare", "--user", "--map-root-user"];
    or_skip!(possible(Need::Namespaces, &[&wrapper[..], &["true"]].concat()));
    let desk = Desk::new();
    let script = "ulimit -r 0 && exec \"$PRAZO\" measure timer -D 2s -p fifo -c 0 -o r.prazo --json";
    let answer = desk.shell(&wrapper, script).expect_code(4);
    answer.expect_error(&["fifo", "not permitted"]);
    assert!(answer.stderr.contains("container") || answer.stderr.contains("CAP_SYS_NICE"), "{}", answer.stderr);
}

/// Version 1 of the `cpu` controller, where RT_GROUP_SCHED shows as a file.
const GROUPS: &str = "/sys/fs/cgroup/cpu";

/// A control group that is removed again.
struct Group(std::path::PathBuf);

impl Group {
    fn new(folder: &str, name: &str) -> Option<Self> {
        let path = std::path::Path::new(folder).join(format!("prazo-test-{name}-{}", std::process::id()));
        std::fs::create_dir(&path).ok().map(|()| Self(path))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

#[test]
fn a_group_without_real_time_budget_is_named_with_its_file() {
    let has_budget = std::path::Path::new(GROUPS).join("cpu.rt_runtime_us").exists();
    let Some(group) = has_budget.then(|| Group::new(GROUPS, "rt")).flatten() else {
        skip!(Need::RealTimeGroups, "{GROUPS}");
    };
    let script =
        format!("echo $$ > {}/cgroup.procs && exec \"$PRAZO\" measure timer -D 2s -c 0 -o r.prazo", group.0.display());
    Desk::new().shell(&[], &script).expect_code(4).expect_error(&["RT_GROUP_SCHED", "cpu.rt_runtime_us", "950000"]);
}

#[test]
fn a_processor_that_is_not_there_is_a_usage_error_naming_the_flag() {
    let desk = Desk::new();
    desk.prazo("measure timer -D 2s -c 999").expect_code(2).expect_error(&[
        "--cpus",
        "999",
        "does not exist; this machine has processors",
    ]);
    desk.prazo("measure timer -D 2s -c 0 --housekeeping-cpu 999")
        .expect_code(2)
        .expect_error(&["--housekeeping-cpu", "999"]);
    desk.prazo("measure timer -D 2s -c 7-3").expect_code(2).expect_error(&["--cpus"]);
}

#[test]
fn a_processor_outside_the_cpuset_is_a_usage_error_naming_the_flag() {
    let Some(group) = Group::new("/sys/fs/cgroup/cpuset", "cpuset") else {
        skip!(Need::Cpusets, "no group of version 1 could be made");
    };
    let set = |file: &str, value: &str| std::fs::write(group.0.join(file), value);
    if !std::path::Path::new("/sys/devices/system/cpu/cpu1").exists() || set("cpuset.cpus", "0").is_err() {
        skip!(Need::TwoProcessors, "no processor lies outside");
    }
    set("cpuset.mems", "0").expect("memory node 0");
    let script = format!("echo $$ > {}/cgroup.procs && exec \"$PRAZO\" measure timer -D 2s -c 1", group.0.display());
    Desk::new().shell(&[], &script).expect_code(2).expect_error(&["--cpus", "processor 1", "cpuset"]);
}

#[test]
fn without_the_latency_device_the_run_says_so() {
    or_skip!(may_mount());
    let desk = Desk::new();
    let script = "mkdir dev && touch dev/null && mount --bind /dev/null dev/null && mount --rbind dev /dev &&
        exec \"$PRAZO\" measure timer -D 2s -p other --plain -o r.prazo --json";
    let measured = desk.shell(OWN_MOUNTS, script).expect_code(0).json();
    assert!(caveats(&measured).contains(&"no-dma-latency"), "{:?}", caveats(&measured));
    assert!(measured["served"].as_u64().unwrap() > 0);
}

#[test]
fn a_missing_generator_is_named_with_its_package() {
    or_skip!(may_mount());
    let desk = Desk::new();
    let script = "for folder in /usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin; do
            test -e $folder/stress-ng && mount --bind /dev/null $(realpath $folder/stress-ng); done
        exec \"$PRAZO\" WHAT";
    let measure = "measure timer -D 2s -p other --load stress-ng-cpu -o r.prazo --json";
    for what in [measure, "load --load stress-ng-cpu -D 1s --json"] {
        let answer = desk.shell(OWN_MOUNTS, &script.replace("WHAT", what)).expect_code(4);
        answer.expect_error(&["stress-ng", "apt-get install stress-ng"]);
    }
    assert!(!desk.path("r.prazo").exists(), "a run that could not start leaves no file");
    let own = desk.shell(OWN_MOUNTS, &script.replace("WHAT", "load --load cpu -D 1s --json")).expect_code(0).json();
    assert_eq!(own["loads"][0]["name"], "cpu", "prazo's own load needs no program");
}

#[test]
fn a_journal_that_somebody_else_can_write_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    std::fs::create_dir(desk.path("state")).unwrap();
    std::fs::set_permissions(desk.path("state"), std::fs::Permissions::from_mode(0o777)).unwrap();
    desk.prazo("tune undo").expect_code(4).expect_error(&["PRAZO_STATE_DIR"]);
}

#[test]
fn a_damaged_journal_is_named_and_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    std::fs::create_dir(desk.path("state")).unwrap();
    std::fs::set_permissions(desk.path("state"), std::fs::Permissions::from_mode(0o700)).unwrap();
    let journal = desk.write("state/journal.json", "{ half");
    desk.prazo("tune undo").expect_code(4).expect_error(&["journal.json", "by hand"]);
    assert_eq!(std::fs::read_to_string(journal).unwrap(), "{ half");
}
