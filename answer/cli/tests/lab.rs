//! `prazo lab` from outside: what it prints and answers, what it says where it cannot, and that no guest outlives it.

#[path = "../../../measuring/lab/tests/support/mod.rs"]
mod guests;
mod support;

use guests::Guests;
use prazo_lab::Cache;
use prazo_testing::{Need, Skipped, or_skip, skip};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Child;
use std::time::Duration;
use support::schema::violation;
use support::{Answer, Desk, OWN_MOUNTS, PRAZO, may_mount, processes, wait_for};

/// The emulator is there, and guests can be assembled.
fn lab() -> Result<Guests, Skipped> {
    guests::emulator().and_then(|_| Guests::new())
}

/// `prazo` with a cache of its own, which is empty.
fn with_empty_cache(desk: &Desk, words: &[&str], environment: &[(&str, &str)]) -> Answer {
    let mut command = desk.command(PRAZO);
    command.args(words).env("XDG_CACHE_HOME", desk.path("cache")).env_remove("PRAZO_QEMU");
    Answer::of(command.envs(environment.iter().copied()).output().expect("prazo starts"))
}

#[test]
fn the_console_goes_to_standard_output_and_the_ending_to_standard_error() {
    let guests = or_skip!(lab());
    let (desk, elf) = (Desk::new(), guests.assemble("hello"));
    let words = format!("lab boot --kernel {} --timeout 60s --console kept.txt", elf.display());
    let answer = desk.prazo(&words).expect_code(0);
    assert_eq!(answer.stdout, "hello from the guest\n");
    assert!(answer.stderr.contains("the guest ended with exit value 16"), "{}", answer.stderr);
    assert_eq!(std::fs::read_to_string(desk.path("kept.txt")).unwrap(), answer.stdout);
}

#[test]
fn a_boot_as_json_holds_to_its_schema_and_says_what_was_changed() {
    let guests = or_skip!(lab());
    let elf = guests.assemble("hello");
    let words =
        format!("lab boot --kernel {} --machine free-4 --processors 2 --seed 7 --timeout 60s --json", elf.display());
    let booted = Desk::new().prazo(&words).expect_code(0).json();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/lab-boot.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    assert_eq!(violation(&booted, &schema), None);
    assert_eq!((&booted["ending"], &booted["value"]), (&"exit".into(), &16.into()));
    assert_eq!((&booted["machine"]["processors"], &booted["machine"]["seed"]), (&2.into(), &7.into()));
    assert_eq!(booted["console"], "hello from the guest\n");
}

#[test]
fn a_limit_leaves_the_question_open_and_a_fault_answers_it() {
    let guests = or_skip!(lab());
    let desk = Desk::new();
    let boot = |guest: &str, limit: &str| {
        desk.prazo(&format!("lab boot --kernel {} --timeout {limit}", guests.assemble(guest).display()))
    };
    assert!(boot("forever", "500ms").expect_code(3).stderr.contains("time limit"));
    assert!(boot("fault", "60s").expect_code(1).stderr.contains("triple fault"));
}

/// A prazo whose guest runs; the guest's process.
fn spinning(desk: &Desk, guests: &Guests) -> (Child, processes::Process) {
    let prazo = desk.start(&format!("lab boot --kernel {} --timeout 300s", guests.assemble("forever").display()));
    let mut below = Default::default();
    let found = wait_for(Duration::from_secs(30), || {
        below = processes::below(prazo.id());
        below.iter().any(|process| runs_a_kernel(process.pid))
    });
    assert!(found, "the guest never ran: {below:?}");
    let guest = below.into_iter().find(|process| runs_a_kernel(process.pid)).expect("it was found");
    (prazo, guest)
}

fn runs_a_kernel(pid: u32) -> bool {
    std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| String::from_utf8_lossy(&line).contains("-icount"))
}

fn no_guest_survives(signal: &str) {
    let guests = or_skip!(lab());
    let desk = Desk::new();
    let (mut prazo, guest) = spinning(&desk, &guests);
    assert!(processes::is_alive(&guest));
    let sent = desk.command("kill").args([signal, &prazo.id().to_string()]).status().expect("kill starts");
    assert!(sent.success());
    prazo.wait().unwrap();
    assert!(wait_for(Duration::from_secs(10), || !processes::is_alive(&guest)), "{guest:?} survived {signal}");
}

#[test]
fn sigkill_of_prazo_ends_the_guest() {
    no_guest_survives("-KILL");
}

#[test]
fn an_interrupt_of_prazo_ends_the_guest() {
    no_guest_survives("-INT");
}

#[test]
fn without_an_emulator_the_remedy_is_named() {
    let desk = Desk::new();
    desk.write("kernel.elf", "");
    let answer = with_empty_cache(&desk, &["lab", "boot", "--kernel", "kernel.elf"], &[]).expect_code(4);
    answer.expect_error(&["prazo lab fetch", &desk.path("cache").display().to_string()]);
    let listed = with_empty_cache(&desk, &["lab", "list", "--json"], &[]).expect_code(0).json();
    assert!(listed["emulator"].is_null() && listed["reason"].as_str().unwrap().contains("prazo lab fetch"));
}

#[test]
fn fetching_without_a_network_leaves_nothing_behind() {
    let desk = Desk::new();
    let words = ["lab", "fetch", "--mirror", "http://127.0.0.1:9/debian"];
    let answer = with_empty_cache(&desk, &words, &[]).expect_code(4);
    if answer.stderr.contains("which is not available here") {
        skip!(Need::Program("apt-get"), "or no keys: {}", answer.stderr);
    }
    assert!(answer.stderr.contains("127.0.0.1") && answer.stderr.contains("--mirror"), "{}", answer.stderr);
    let left: Vec<_> =
        std::fs::read_dir(desk.path("cache/prazo/lab")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["lock"]);
}

#[test]
fn fetching_without_apt_names_what_is_missing() {
    let desk = Desk::new();
    // A device is no program; the search path alone would not hide apt-get from root.
    or_skip!(may_mount());
    let script = "mount --bind /dev/null /usr/bin/apt-get && unset PRAZO_QEMU && XDG_CACHE_HOME=$PWD/cache exec \"$PRAZO\" lab fetch";
    desk.shell(OWN_MOUNTS, script)
        .expect_code(4)
        .expect_error(&["needs apt-get, which is not available here", "PRAZO_QEMU"]);
}

/// What stands in for make: it answers as the kernel's makefiles do.
const MAKE: &str = r#"#!/bin/sh
[ -z "$KCFLAGS$HOME" ] || { echo "error: the user's environment" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    -C) cd "$2" || exit; shift ;;
    allnoconfig) grep -v "$LOST" "$KCONFIG_ALLCONFIG" >.config ;;
    kernelrelease) echo 6.12.117-riscv64-rt ;;
    Image) mkdir -p arch/riscv/boot; echo "  CC      init/main.o"; FAIL; echo kernel >arch/riscv/boot/Image ;;
  esac
  shift
done
"#;

/// `prazo lab build riscv64-rt` with sources that hold nothing, and with programs of the test's in place of those that unpack and compile.
fn build(desk: &Desk, make: &str) -> Answer {
    let set = "linux-source-6.12.117";
    let (cache, tools) = (desk.path("cache/prazo/lab"), desk.path("tools"));
    std::fs::create_dir_all(cache.join(set).join("usr/src")).unwrap();
    std::fs::create_dir_all(&tools).unwrap();
    std::fs::write(cache.join(set).join("usr/src/linux-source-6.12.tar.xz"), "").unwrap();
    let recipe = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../measuring/lab/recipes/riscv64-rt.toml");
    let recipe = std::fs::read_to_string(recipe).unwrap();
    let sum = recipe.lines().find_map(|line| line.strip_prefix("sha256 = ")).unwrap().trim_matches('"').to_owned();
    std::fs::write(cache.join(set).join("packages.sha256"), format!("{sum}  linux-source-6.12_6.12.117-1_all.deb\n"))
        .unwrap();
    Cache::at(&cache).unwrap().seal(set).unwrap();
    for name in ["flex", "bison", "bc", "perl", "gcc", "tar", "xz", "riscv64-linux-gnu-gcc", "make"] {
        let script = if name == "make" { make } else { "#!/bin/sh\necho compiler 1.0\n" };
        std::fs::write(tools.join(name), script).unwrap();
        std::fs::set_permissions(tools.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    // The first folder in which prazo looks for programs.
    let script = "mount --bind \"$PWD/tools\" /usr/local/sbin && echo $$ >prazo.pid && KCFLAGS=-O3 XDG_CACHE_HOME=$PWD/cache exec \"$PRAZO\" lab build \
                  riscv64-rt --json";
    desk.shell(OWN_MOUNTS, script)
}

fn in_cache(desk: &Desk, beginning: &str) -> Vec<String> {
    let entries = std::fs::read_dir(desk.path("cache/prazo/lab")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(beginning) && !name.ends_with(".lock")).collect()
}

#[test]
fn a_kernel_is_built_once_and_again_where_it_is_damaged() {
    or_skip!(may_mount());
    let (desk, make) = (Desk::new(), MAKE.replace("FAIL", ":").replace("$LOST", "nothing"));
    let built = build(&desk, &make).expect_code(0).json();
    assert_eq!((&built["release"], &built["compiler"]), (&"6.12.117-riscv64-rt".into(), &"compiler 1.0".into()));
    assert_eq!(built["platforms"], serde_json::json!(["riscv64-rt"]));
    let image = built["image"].as_str().unwrap();
    assert_eq!(std::fs::read_to_string(image).unwrap(), "kernel\n");
    assert_eq!((in_cache(&desk, "building-").len(), in_cache(&desk, "built-riscv64-rt-6.12.117-").len()), (0, 1));
    // What is there is not made again.
    build(&desk, "#!/bin/sh\nexit 1\n").expect_code(0);
    std::fs::write(image, "damaged").unwrap();
    assert_eq!(build(&desk, &make).expect_code(0).json()["sha256"], built["sha256"]);
    assert_eq!(std::fs::read_to_string(image).unwrap(), "kernel\n");
}

#[test]
fn a_build_that_fails_says_where_and_leaves_no_folder() {
    or_skip!(may_mount());
    let desk = Desk::new();
    let lost = build(&desk, &MAKE.replace("FAIL", ":").replace("$LOST", "CONFIG_PREEMPT_RT="));
    lost.expect_code(4)
        .expect_error(&["configuring the kernel failed: the kernel did not take PREEMPT_RT=y", "Kconfig"]);
    let other = MAKE.replace("FAIL", ":").replace("$LOST", "nothing").replace("echo 6.12.117", "echo 6.12.9");
    build(&desk, &other)
        .expect_code(4)
        .expect_error(&["the kernel's release is 6.12.9-riscv64-rt, but the recipe says 6.12.117"]);
    let fails = MAKE.replace("FAIL", "echo 'main.c:1: error: no such thing' >&2; exit 2").replace("$LOST", "nothing");
    build(&desk, &fails).expect_code(4).expect_error(&["compiling the kernel failed: main.c:1: error: no such thing"]);
    assert!(in_cache(&desk, "building-").is_empty() && in_cache(&desk, "built-").is_empty());
}

#[test]
fn a_kernel_that_is_not_built_and_a_recipe_that_is_none_are_named_with_the_remedy() {
    let desk = Desk::new();
    with_empty_cache(&desk, &["lab", "build", "riscv-rt"], &[])
        .expect_code(2)
        .expect_error(&["'riscv-rt'", "riscv64-rt"]);
    desk.write("own.toml", "name = 'own'\noptions = []\n");
    with_empty_cache(&desk, &["lab", "build", "own.toml"], &[])
        .expect_code(2)
        .expect_error(&["recipe 'own.toml'", "text"]);
    let listed = with_empty_cache(&desk, &["lab", "list", "--json"], &[]).expect_code(0).json();
    let sets = listed["sets"].as_array().unwrap();
    let kernel = sets.iter().find(|set| set["name"].as_str().unwrap().starts_with("built-riscv64-rt-")).unwrap();
    assert_eq!(kernel["state"], "not-fetched");
}

/// The kernel ends make with prazo, and would leave what make started.
#[test]
fn what_compiles_ends_with_prazo() {
    or_skip!(may_mount());
    let desk = Desk::new();
    let slow = MAKE.replace("FAIL", "sleep 600 & wait").replace("$LOST", "nothing");
    std::thread::scope(|scope| {
        let build = scope.spawn(|| build(&desk, &slow));
        // Other tests of this program have processes of the same names.
        let prazo = || std::fs::read_to_string(desk.path("prazo.pid")).ok()?.trim().parse::<u32>().ok();
        let sleep = || processes::below(prazo()?).into_iter().find(|process| process.name == "sleep");
        assert!(wait_for(Duration::from_secs(60), || sleep().is_some()), "make has begun");
        let (prazo, sleep) = (prazo().unwrap(), sleep().unwrap());
        let killed = desk.command("kill").args(["-KILL", &prazo.to_string()]).status();
        assert!(killed.is_ok_and(|status| status.success()));
        assert!(wait_for(Duration::from_secs(20), || !processes::is_alive(&sleep)), "it has ended");
        build.join().unwrap();
    });
    // The folder is known as left over, and goes.
    with_empty_cache(&desk, &["lab", "prune"], &[]).expect_code(0);
    assert!(in_cache(&desk, "building-").is_empty());
}

#[test]
fn a_given_emulator_that_is_none_is_named() {
    let desk = Desk::new();
    desk.write("kernel.elf", "");
    let words = ["lab", "boot", "--kernel", "kernel.elf"];
    with_empty_cache(&desk, &words, &[("PRAZO_QEMU", "/bin/true")])
        .expect_code(4)
        .expect_error(&["/bin/true is not usable"]);
    with_empty_cache(&desk, &words, &[("PRAZO_QEMU", "/no/qemu")])
        .expect_code(4)
        .expect_error(&["/no/qemu is not usable"]);
}

#[test]
fn an_emulator_that_is_too_old_is_refused_by_its_version() {
    let desk = Desk::new();
    desk.write("kernel.elf", "");
    desk.write("qemu", "#!/bin/sh\necho QEMU emulator version 7.2.0\n");
    let program = desk.path("qemu");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let program = program.to_str().unwrap();
    let words = ["lab", "boot", "--kernel", "kernel.elf"];
    with_empty_cache(&desk, &words, &[("PRAZO_QEMU", program)]).expect_code(4).expect_error(&["7.2.0", "8.1"]);
}

/// An archive that takes requests and never answers.
fn silent_mirror() -> (std::net::TcpListener, String) {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/debian", listener.local_addr().unwrap());
    (listener, url)
}

#[test]
fn a_fetch_that_was_killed_leaves_no_apt_and_the_next_one_clears_up() {
    let (desk, (listener, url)) = (Desk::new(), silent_mirror());
    let mut command = desk.command(PRAZO);
    command.args(["lab", "fetch", "--mirror", &url]).env("XDG_CACHE_HOME", desk.path("cache")).env_remove("PRAZO_QEMU");
    let mut prazo = command.stderr(std::process::Stdio::null()).spawn().expect("prazo starts");
    let mut below = std::collections::BTreeSet::new();
    let asked = wait_for(Duration::from_secs(60), || {
        below = processes::below(prazo.id());
        desk.path("cache/prazo/lab/fetching-qemu-10.0.2/apt.conf").exists() && !below.is_empty()
            || prazo.try_wait().unwrap().is_some()
    });
    if prazo.try_wait().unwrap().is_some() {
        skip!(Need::Program("apt-get"), "or no keys");
    }
    assert!(asked, "apt never began");
    prazo.kill().unwrap();
    prazo.wait().unwrap();
    for process in &below {
        assert!(wait_for(Duration::from_secs(30), || !processes::is_alive(process)), "{process:?} survived");
    }
    drop(listener);
    let words = ["lab", "fetch", "--mirror", "http://127.0.0.1:9/debian"];
    with_empty_cache(&desk, &words, &[]).expect_code(4);
    let left: Vec<_> =
        std::fs::read_dir(desk.path("cache/prazo/lab")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["lock"]);
}

#[test]
fn what_cannot_be_asked_is_refused_as_usage() {
    let desk = Desk::new();
    desk.prazo("lab boot --kernel k.elf --machine counted-3").expect_code(2).expect_error(&["counted-3", "counted-4"]);
    desk.prazo("lab boot --kernel k.elf --processors 65").expect_code(2).expect_error(&["processors", "64"]);
    desk.prazo("lab boot").expect_code(2).expect_error(&["--kernel"]);
    desk.prazo("lab boot --kernel a --disc b").expect_code(2).expect_error(&["--disc"]);
}

#[test]
fn a_platform_that_is_none_is_refused_as_usage() {
    let desk = Desk::new();
    desk.prazo("measure timer --platform lab:rt-ful").expect_code(2).expect_error(&["lab:rt-ful", "rt-full,"]);
    desk.prazo("measure timer --platform rt-full").expect_code(2).expect_error(&["rt-full", "lab:NAME"]);
    desk.prazo("measure timer --append quiet").expect_code(2).expect_error(&["--append", "--platform"]);
    desk.prazo("measure timer --initrd base.cpio").expect_code(2).expect_error(&["--kernel"]);
    desk.write("mine.toml", "name = \"mine\"\n");
    desk.prazo("measure timer --platform lab:mine.toml").expect_code(2).expect_error(&["mine.toml", "text"]);
}

#[test]
fn without_kernels_or_an_agent_the_remedy_is_named_and_no_run_is_left() {
    let _guests = or_skip!(lab());
    let desk = Desk::new();
    let words = ["measure", "timer", "--platform", "lab:rt-full", "-o", "run.prazo"];
    with_empty_cache(&desk, &words, &[]).expect_code(4).expect_error(&["prazo lab fetch"]);
    let mut command = desk.command(PRAZO);
    let answer = Answer::of(command.args(words).env("PRAZO_AGENT", "/no/agent").output().expect("prazo starts"));
    answer.expect_code(4).expect_error(&["/no/agent", "prazo lab fetch"]);
    assert!(!desk.path("run.prazo").exists());
}

/// The programs of this host are not in the guest: without them, its samples are the same.
#[test]
fn a_guest_under_own_loads_is_the_same_without_the_hosts_programs() {
    let _guests = or_skip!(lab());
    or_skip!(may_mount());
    let desk = Desk::new();
    let measure = |file: &str| {
        let loads = "--load scheduler --load memory --load disk-write --load compile";
        format!("\"$PRAZO\" measure timer --platform lab:standard-none -D 300ms --raw {loads} -o {file}")
    };
    let hide = "for program in stress-ng hackbench iperf3 tar cc ip mke2fs; do for folder in /usr/bin /usr/sbin; do
            test -e $folder/$program && mount --bind /dev/null $(realpath $folder/$program); done; done
        ! stress-ng --version && ! hackbench --help &&";
    desk.shell(OWN_MOUNTS, &measure("with.prazo")).expect_code(0);
    desk.shell(OWN_MOUNTS, &format!("{hide} {}", measure("without.prazo"))).expect_code(0);
    let samples = |file| desk.prazo(&format!("export {file} --format csv")).expect_code(0).stdout;
    let with = samples("with.prazo");
    assert!(with.lines().count() > 100, "{with}");
    assert!(with == samples("without.prazo"), "the samples differ");
}

#[test]
#[ignore = "needs a network and downloads 440 MB"]
fn fetching_needs_network_and_gives_the_pinned_emulator() {
    let desk = Desk::new();
    let words = ["lab", "fetch", "--json"];
    let first = with_empty_cache(&desk, &words, &[]).expect_code(0);
    assert!(first.stderr.contains("4/4"), "{}", first.stderr);
    assert_eq!(first.json()["pinned"], true);
    let again = with_empty_cache(&desk, &words, &[]).expect_code(0);
    assert_eq!((again.json(), again.stderr.as_str()), (first.json(), ""), "the second finds it there");
}
