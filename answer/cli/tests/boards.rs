//! `--on ssh://BOARD`: against a real sshd on loopback, whose board is this machine in a folder of the test's own.

mod support;

use prazo_testing::{Need, OrSkipped, Skipped, or_skip};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::Permissions;
use std::io::Read;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use support::processes::below;
use support::{Answer, Desk, OWN_MOUNTS, PRAZO, may_mount, possible, wait_for};

/// The command without its symbols: each test sends it to its board, and with symbols it has three times the size.
fn stripped() -> &'static str {
    const STRIPPED: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/prazo-for-boards");
    static MADE: LazyLock<&str> = LazyLock::new(|| {
        let words = ["--strip-all", "-o", STRIPPED, PRAZO];
        if Command::new("strip").args(words).status().is_ok_and(|status| status.success()) { STRIPPED } else { PRAZO }
    });
    *MADE
}

/// An sshd that only this test knows, for hosts `board` and `other`.
struct Boards {
    desk: Desk,
    sshd: Child,
    network: Option<Network>,
    has_own_mounts: bool,
}

/// What is special about a board.
#[derive(Default)]
struct Special<'a> {
    /// Further lines of sshd's configuration.
    further: &'a str,
    /// What is mounted before sshd starts, as a shell reads it, in a mount namespace of sshd's own; `$BOARD` is the board's folder.
    mounts: &'a str,
    /// Whether board and client have network namespaces of their own, with a cable between them.
    cable: bool,
}

impl Boards {
    fn start() -> Result<Self, Skipped> {
        Self::special(&Special::default())
    }

    fn special(special: &Special<'_>) -> Result<Self, Skipped> {
        let sshd = program("sshd").or_skipped(Need::Program("sshd"))?;
        let keys = program("ssh-keygen").or_skipped(Need::Program("ssh-keygen"))?;
        let network = if special.cable { Some(Network::new()?) } else { None };
        let desk = Desk::new();
        for name in ["host", "changed", "user"] {
            let made = Command::new(&keys).args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(desk.path(name)).status();
            assert!(made.is_ok_and(|status| status.success()), "ssh-keygen makes a key");
        }
        std::fs::create_dir(desk.path("board")).expect("the folder can be written");
        let address = if special.cable { Network::BOARD } else { Ipv4Addr::LOCALHOST };
        let port =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|it| it.local_addr()).expect("a free port").port();
        let at = |name: &str| desk.path(name).display().to_string();
        desk.write("sshd_config", format!(
            "Port {port}\nListenAddress {address}\nHostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\nPidFile none\n\
             PasswordAuthentication no\nPermitRootLogin yes\n{}", at("host"), at("user.pub"), special.further,
        ));
        desk.write("ssh_config", format!(
            "Host board other\nHostName {address}\nPort {port}\nIdentityFile {}\nIdentitiesOnly yes\nUserKnownHostsFile {}\n\
             StrictHostKeyChecking accept-new\n", at("user"), at("known"),
        ));
        // What sshd wants before it gives up rights.
        let _ = std::fs::create_dir_all("/run/sshd");
        let mut words: Vec<String> = Vec::new();
        if let Some(network) = &network {
            words.extend(Network::inside(&network.board));
        }
        if !special.mounts.is_empty() {
            may_mount()?;
            let script = format!("{}\nexec \"$@\"", special.mounts);
            words.extend(OWN_MOUNTS.iter().map(ToString::to_string));
            words.extend(["sh".into(), "-e".into(), "-c".into(), script, "sh".into()]);
        }
        words.extend([sshd.display().to_string(), "-D".into(), "-f".into(), at("sshd_config")]);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env("BOARD", desk.path("board"));
        // Sessions of sshd may outlive it, and a test that shall not hang reads no pipe of theirs.
        let sshd = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("sshd starts");
        let boards = Self { desk, sshd, network, has_own_mounts: !special.mounts.is_empty() };
        let listens = || match &boards.network {
            None => std::net::TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok(),
            Some(_) => boards.ssh("true").is_some(),
        };
        assert!(wait_for(Duration::from_secs(10), listens), "sshd listens");
        Ok(boards)
    }

    /// What a command on the board prints; `None` where it fails.
    fn ssh(&self, words: &str) -> Option<String> {
        let mut ssh = self.command_of("ssh");
        let output = ssh.arg("-F").arg(self.desk.path("ssh_config")).args(["board", words]).output();
        let output = output.ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok()
    }

    /// A program here, with the client's network.
    fn command_of(&self, program: &str) -> Command {
        let Some(network) = &self.network else { return self.desk.command(program) };
        let words = Network::inside(&network.client);
        let mut command = self.desk.command(&words[0]);
        command.args(&words[1..]).arg(program);
        command
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.command_of(stripped());
        command.env("PRAZO_SSH", format!("ssh -F {}", self.desk.path("ssh_config").display())).args(words);
        command
    }

    fn prazo(&self, words: &[&str]) -> Answer {
        Answer::of(self.command(words).output().expect("prazo starts"))
    }

    /// `prazo` in the background; its standard output goes nowhere.
    fn start_prazo(&self, words: &[&str]) -> Started {
        let mut prazo = self.command(words);
        Started(prazo.stdout(Stdio::null()).spawn().expect("prazo starts"))
    }

    /// The address of a board with the test's own folder on it.
    fn address(&self, host: &str) -> String {
        format!("ssh://{host}{}", self.desk.path("board").display())
    }

    /// A path of the board, from here: its mounts are sshd's own.
    fn seen(&self, path: &Path) -> PathBuf {
        if !self.has_own_mounts {
            return path.to_owned();
        }
        let path = path.strip_prefix("/").expect("it is absolute");
        Path::new("/proc").join(self.sshd.id().to_string()).join("root").join(path)
    }

    /// Jobs that are on the board, seen from here.
    fn jobs(&self) -> Vec<PathBuf> {
        self.jobs_in(&self.desk.path("board"))
    }

    fn jobs_in(&self, folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.seen(folder)).expect("the board's folder is there");
        let jobs = entries.map(|entry| entry.expect("it can be read").path());
        jobs.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("prazo-"))).collect()
    }

    /// The address of a job, for `prazo fetch`.
    fn job_address(&self, job: &Path) -> String {
        format!("{}/{}", self.address("board"), job.file_name().expect("a name").to_string_lossy())
    }
}

/// A `prazo` that ends with the test.
struct Started(Child);

impl Started {
    /// How it ended by itself, within two minutes.
    fn answer(mut self) -> Answer {
        let ended = wait_for(Duration::from_secs(120), || matches!(self.0.try_wait(), Ok(Some(_))));
        let mut said = String::new();
        assert!(ended, "prazo ends");
        self.0.stderr.take().expect("it is piped").read_to_string(&mut said).expect("UTF-8");
        Answer { code: self.0.wait().expect("it ended").code(), stdout: String::new(), stderr: said }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Boards {
    fn drop(&mut self) {
        let _ = self.sshd.kill();
        let _ = self.sshd.wait();
    }
}

/// Two network namespaces, which carry names of this test alone, and a cable between them.
struct Network {
    client: String,
    board: String,
}

impl Network {
    const CLIENT: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);
    const BOARD: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 2);

    fn new() -> Result<Self, Skipped> {
        for name in ["ip", "nft", "nsenter"] {
            program(name).or_skipped(Need::Program(name))?;
        }
        let name = |side: &str| format!("prazo-test-{side}-{}", std::process::id());
        possible(Need::Namespaces, &["unshare", "--net", "true"])?;
        let network = Self { client: name("client"), board: name("board") };
        let (client, board) = (&network.client, &network.board);
        for line in [
            format!("ip netns add {client}"),
            format!("ip netns add {board}"),
            format!("ip -n {client} link add cable type veth peer name cable netns {board}"),
            format!("ip -n {client} address add {}/30 dev cable", Self::CLIENT),
            format!("ip -n {board} address add {}/30 dev cable", Self::BOARD),
            format!("ip -n {client} link set cable up"),
            format!("ip -n {board} link set cable up"),
            format!("ip -n {board} link set lo up"),
        ] {
            shell(&line);
        }
        Ok(network)
    }

    /// How a command is run in one of them.
    fn inside(name: &str) -> [String; 2] {
        ["nsenter".into(), format!("--net=/run/netns/{name}")]
    }

    /// Drops each packet, in both directions, as a pulled cable does.
    fn cut(&self) {
        let rules = "add table inet cut; add chain inet cut in { type filter hook input priority 0; policy drop; }; \
                     add chain inet cut out { type filter hook output priority 0; policy drop; }";
        shell(&format!("{} nft '{rules}'", Self::inside(&self.board).join(" ")));
    }

    fn mend(&self) {
        shell(&format!("{} nft delete table inet cut", Self::inside(&self.board).join(" ")));
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for name in [&self.client, &self.board] {
            // Everything in there is this test's.
            let script = format!("kill -KILL $(ip netns pids {name}); ip netns delete {name}");
            let _ = Command::new("sh").args(["-c", &script]).stderr(Stdio::null()).status();
        }
    }
}

fn shell(line: &str) {
    let output = Command::new("sh").args(["-c", line]).output().expect("a shell starts");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

fn program(name: &str) -> Result<PathBuf, String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = path.split(':').map(PathBuf::from).chain(["/usr/sbin".into()]);
    folders
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .ok_or_else(|| format!("{name} is not installed"))
}

/// The `prazo` that runs as the board's command, which is its guard's child.
fn measures(folder: &Path) -> bool {
    let guard = folder.join("guard");
    let pid = std::fs::read_to_string(guard).ok().and_then(|text| text.parse::<u32>().ok());
    pid.is_some_and(|pid| !below(pid).is_empty())
}

#[test]
fn a_run_on_a_board_comes_back_and_leaves_nothing() {
    let boards = or_skip!(Boards::start());
    let on = boards.address("board");
    let words = ["measure", "timer", "-p", "other", "-n", "200", "-o", "runs/a.prazo", "--json", "--on", &on];
    let document = boards.prazo(&words).expect_code(0).json();
    support::adds_up(&document);
    let run = boards.desk.path("runs/a.prazo");
    boards.prazo(&["report", run.to_str().expect("UTF-8")]).expect_code(0);
    assert!(boards.jobs().is_empty(), "{:?}", boards.jobs());
    // A second one would write over it.
    boards.prazo(&words).expect_error(&["runs/a.prazo", "--force"]);
}

#[test]
fn wake_ups_and_noise_of_a_board_are_measured_there_and_events_are_refused() {
    let boards = or_skip!(Boards::start());
    let on = boards.address("board");
    let noise = ["measure", "noise", "-p", "other", "-D", "1s", "--no-split", "-o", "n.prazo", "--json", "--on", &on];
    let document = boards.prazo(&noise).expect_code(0).json();
    assert!(document["noise"].as_array().is_some_and(|loops| !loops.is_empty()), "{document:#}");
    // One file for each call, beside the given one, which is not below the folder here.
    let elsewhere = Desk::new();
    let given = elsewhere.path("wakes.prazo");
    let given = given.to_str().expect("UTF-8");
    let wakeup =
        ["measure", "wakeup", "--method", "all", "-p", "other", "-n", "50", "-o", given, "--json", "--on", &on];
    boards.prazo(&wakeup).expect_code(0);
    for method in ["futex", "mqueue", "signal"] {
        let file = elsewhere.path(&format!("wakes-{method}.prazo"));
        boards.prazo(&["report", file.to_str().expect("UTF-8")]).expect_code(0);
    }
    assert!(boards.jobs().is_empty(), "{:?}", boards.jobs());
    let refused = boards.prazo(&["measure", "event", "--on", &on]).expect_code(2);
    refused.expect_error(&["--on: `measure event` does not run over SSH", "prazo trigger"]);
    assert!(!boards.prazo(&["measure", "event", "--help"]).stdout.contains("--on "), "it is not offered");
}

#[test]
fn a_study_measures_on_two_boards_and_takes_up_what_is_there() {
    let boards = or_skip!(Boards::start());
    let study = format!(
        "[study]\nname = \"two\"\ntitle = \"Two boards\"\nquestion = \"Are they the same?\"\n\
         [[platform]]\nid = \"old\"\non = \"{}\"\n[[platform]]\nid = \"new\"\non = \"{}\"\n\
         [[load]]\nid = \"idle\"\n[[probe]]\nid = \"other\"\npolicy = \"other\"\nactivations = 100\n\
         [[measure]]\nrepeats = 3\n[[claim]]\nid = \"all\"\ntext = \"Nothing is skipped\"\ncheck.served-all-due = {{ cells = [\"new.idle.other\"] }}\n",
        boards.address("board"),
        boards.address("other"),
    );
    boards.desk.write("two.toml", &study);
    let words = ["study", "run", "two.toml", "--json", "-o", "kept"];
    let first = boards.prazo(&words);
    assert!(matches!(first.code, Some(0 | 1)), "{:?}: {}", first.code, first.stderr);
    let states = |document: &Value| -> Vec<(String, String)> {
        let cells = document["cells"].as_array().expect("cells").iter();
        let word = |cell: &Value, key: &str| cell[key].as_str().unwrap_or_default().to_owned();
        cells.map(|cell| (word(cell, "id"), word(cell, "state"))).collect()
    };
    let both = |state: &str| ["old", "new"].map(|id| (format!("{id}.idle.other"), state.to_owned())).to_vec();
    assert_eq!(states(&first.json()), both("measured"));
    assert_eq!(states(&boards.prazo(&words).json()), both("reused"), "nothing is measured twice");
    let shown = boards.prazo(&["report", "kept/new.idle.other.prazo", "--json"]).json();
    let threads = shown["runs"][0]["series"].as_array().map_or(0, Vec::len);
    assert_eq!(threads, std::thread::available_parallelism().expect("processors").get(), "{shown:#}");
    let kept = boards.prazo(&["gate", "two.toml", "-o", "kept", "--save", "kept.json"]);
    assert!(kept.stderr.contains("baseline: kept.json, 2 cells"), "{}", kept.stderr);
    let words = ["gate", "two.toml", "-o", "again", "--baseline", "kept.json", "--floor", "10s", "--json"];
    let gate = boards.prazo(&words).json()["gate"].clone();
    let compared = gate["compared"].as_array().expect("figures are compared");
    let medians: Vec<&Value> = compared.iter().filter(|one| one["figure"] == "median").collect();
    assert_eq!(medians.len(), 2, "{gate:#}");
    assert!(
        medians.iter().all(|one| one["movement"] == "none" && one["seeds"] == serde_json::json!([3, 3])),
        "{gate:#}"
    );
    // What the kernel is not allowed to hide: another plan.
    boards.desk.write("two.toml", study.replace("activations = 100", "activations = 90"));
    boards.prazo(&words).expect_code(2).expect_error(&["conditions differ", "plan"]);
    assert!(boards.jobs().is_empty(), "{:?}", boards.jobs());
}

#[test]
fn the_cells_of_a_study_share_one_connection_and_one_copy() {
    let boards = or_skip!(Boards::start());
    let study = format!(
        "[study]\nname = \"one\"\ntitle = \"One\"\nquestion = \"How often is prazo copied?\"\n\
         [[platform]]\nid = \"board\"\non = \"{}\"\n[[load]]\nid = \"idle\"\n{}",
        boards.address("board"),
        ["a", "b", "c"].map(|id| format!("[[probe]]\nid = \"{id}\"\npolicy = \"other\"\nactivations = 20\n")).concat(),
    );
    boards.desk.write("one.toml", study);
    // What OpenSSH's client is asked to do.
    boards.desk.write("ssh.sh", "printf '%s\\n' \"$*\" >>ssh.log\nexec ssh \"$@\"\n");
    let script = boards.desk.path("ssh.sh");
    let client = format!("sh {} -F {}", script.display(), boards.desk.path("ssh_config").display());
    let mut command = boards.command(&["study", "run", "one.toml", "--json", "-o", "kept"]);
    let answer = Answer::of(command.env("PRAZO_SSH", client).output().expect("prazo starts"));
    let document = answer.json();
    let cells = document["cells"].as_array().expect("cells");
    assert!(cells.len() == 3 && cells.iter().all(|cell| cell["state"] == "measured"), "{document:#}");
    let log = std::fs::read_to_string(boards.desk.path("ssh.log")).expect("the client was called");
    let count = |words: &str| log.matches(words).count();
    assert_eq!((count("ControlMaster=yes"), count("cat > "), count("measure plan")), (1, 1, 3), "{log}");
    assert!(boards.jobs().is_empty(), "{:?}", boards.jobs());
}

#[test]
fn results_that_have_no_place_here_stay_on_the_board_for_fetch() {
    let boards = or_skip!(Boards::start());
    boards.desk.write("file", "");
    let on = boards.address("board");
    let words = ["measure", "timer", "-p", "other", "-n", "50", "-o", "file/a.prazo", "--json", "--on", &on];
    let answer = boards.prazo(&words).expect_code(4);
    let address = boards.job_address(&boards.jobs().pop().expect("the job is there"));
    assert!(
        answer.stderr.contains(&format!("stay on the board for an hour; copy them with `prazo fetch {address}`")),
        "{}",
        answer.stderr
    );
    std::fs::remove_file(boards.desk.path("file")).expect("it is there");
    boards.prazo(&["fetch", &address]).expect_code(0);
    assert!(boards.desk.path("file/a.prazo").is_file() && boards.jobs().is_empty());
}

#[test]
fn a_user_without_rights_is_told_what_is_missing_and_measures_without_them_needs_root() {
    // The same key, and nobody's rights on the board.
    let nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all"];
    or_skip!(possible(Need::Root, &[&nobody[..], &["true"]].concat()));
    let command = format!("ForceCommand exec {} sh -c \"$SSH_ORIGINAL_COMMAND\"\n", nobody.join(" "));
    let boards = or_skip!(Boards::special(&Special { further: &command, ..Special::default() }));
    for folder in [boards.desk.folder(), &boards.desk.path("board")] {
        std::fs::set_permissions(folder, Permissions::from_mode(0o777)).expect("it is this user's");
    }
    let on = boards.address("board");
    let checks = boards.prazo(&["check", "--json", "--on", &on]).json();
    let privileges = checks.as_array().and_then(|checks| checks.iter().find(|check| check["id"] == "privileges"));
    assert!(privileges.is_some_and(|check| check.to_string().contains("no effective CAP_SYS_NICE")), "{checks:#}");
    let measure = |policy, file| ["measure", "timer", "-p", policy, "-n", "100", "-o", file, "--json", "--on", &on];
    boards.prazo(&measure("fifo", "f.prazo")).expect_code(4).expect_error(&["policy fifo", "refused", "CAP_SYS_NICE"]);
    support::adds_up(&boards.prazo(&measure("other", "o.prazo")).expect_code(0).json());
    assert!(boards.desk.path("o.prazo").is_file() && boards.jobs().is_empty(), "{:?}", boards.jobs());
}

#[test]
fn a_board_that_is_not_there_fails_its_cells_alone() {
    let boards = or_skip!(Boards::start());
    let study = "[study]\nname = \"one\"\ntitle = \"One\"\nquestion = \"Is it there?\"\n\
                 [[platform]]\nid = \"here\"\n[[platform]]\nid = \"gone\"\non = \"ssh://127.0.0.1:1\"\n\
                 [[load]]\nid = \"idle\"\n[[probe]]\nid = \"other\"\npolicy = \"other\"\nactivations = 10\n";
    boards.desk.write("one.toml", study);
    let answer = boards.prazo(&["study", "run", "one.toml", "--json", "-o", "kept"]);
    let cells = answer.json()["cells"].clone();
    assert_eq!((cells[0]["state"].as_str(), cells[1]["state"].as_str()), (Some("measured"), Some("failed")));
    let reason = cells[1]["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("ssh://127.0.0.1:1") && reason.contains("refused"), "{reason}");
}

/// What a command says on the board, as it says it here: the deployment of a set, settings, and instruments that are not there.
#[test]
fn commands_that_change_a_machine_or_need_more_of_it_ask_the_board() {
    let state = Desk::new();
    let further = format!("SetEnv PRAZO_STATE_DIR={}\n", state.folder().display());
    let boards = or_skip!(Boards::special(&Special { further: &further, ..Special::default() }));
    let on = boards.address("board");
    boards.desk.write("one.toml", "processors = 1\n[task.arm]\ncost = \"2ms\"\nperiod = \"20ms\"\n");
    let ask = |words: &[&str]| boards.prazo(&[words, &["--on", &on]].concat());
    let plan = ["sched", "deploy", "one.toml", "-s", "rm", "--command", "arm=sleep 60", "--dry-run", "--json"];
    let planned = ask(&plan).expect_code(0).json();
    assert!(planned.to_string().contains("arm"), "{planned:#}");
    ask(&["sched", "watch", "--plain"]).expect_code(2).expect_error(&["nothing is deployed"]);
    assert_eq!(ask(&["sched", "undeploy", "--json"]).expect_code(0).json(), Value::Array(Vec::new()));
    let settings = ask(&["tune", "--json"]);
    assert!(matches!(settings.code, Some(0 | 1 | 3)), "{}", settings.stderr);
    assert!(settings.json().is_array(), "{}", settings.stdout);
    // Wherever the flag stands; a board that is not there shows that nothing is applied here.
    for words in [["tune", "--on", "ssh://127.0.0.1:1", "apply"], ["tune", "apply", "--on", "ssh://127.0.0.1:1"]] {
        boards.prazo(&words).expect_code(4).expect_error(&["ssh://127.0.0.1:1", "refused"]);
    }
    assert!(matches!(ask(&["tune", "undo", "--json"]).code, Some(0 | 1 | 3)));
    ask(&["measure", "xenomai", "-D", "1s"]).expect_error(&["/proc/xenomai"]);
    ask(&["measure", "interrupt", "-D", "1s"]).expect_error(&["irqlat"]);
    assert!(boards.jobs().is_empty(), "{:?}", boards.jobs());
}

#[test]
fn files_that_a_command_reads_go_along() {
    let boards = or_skip!(Boards::start());
    let tasks = "[[task]]\nname = \"a\"\nperiod = \"10ms\"\nexecution = \"1ms\"\npriority = 10\n";
    boards.desk.write("set.toml", tasks);
    let on = boards.address("board");
    let here = boards.prazo(&["sched", "run", "set.toml", "--no-such-flag", "--on", &on]);
    here.expect_code(2);
    let answer = boards.prazo(&["sched", "run", "set.toml", "-D", "200ms", "--json", "--on", &on]);
    assert!(!answer.stderr.contains("set.toml: "), "the file is found there: {}", answer.stderr);
    assert!(boards.jobs().is_empty(), "{:?}", boards.jobs());
}

#[test]
fn the_users_interrupt_keeps_what_was_measured() {
    let boards = or_skip!(Boards::start());
    let on = boards.address("board");
    let mut prazo = boards.command(&["measure", "timer", "-p", "other", "-D", "600s", "-o", "c.prazo", "--on", &on]);
    let mut prazo = prazo.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("prazo starts");
    assert!(wait_for(Duration::from_secs(180), || boards.jobs().iter().any(|job| job.join("out/c.prazo").exists())));
    let interrupted = Command::new("kill").args(["-INT", &prazo.id().to_string()]).status();
    assert!(interrupted.is_ok_and(|status| status.success()));
    assert_eq!(prazo.wait().expect("it ends").code(), Some(0));
    assert!(boards.desk.path("c.prazo").is_file());
    assert!(boards.jobs().is_empty(), "{:?}", boards.jobs());
}

#[test]
fn a_killed_prazo_ends_the_run_on_the_board_and_fetch_takes_it() {
    let boards = or_skip!(Boards::start());
    let on = boards.address("board");
    let mut prazo = boards.command(&["measure", "timer", "-p", "other", "-D", "600s", "-o", "k.prazo", "--on", &on]);
    let mut prazo = prazo.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("prazo starts");
    assert!(wait_for(Duration::from_secs(180), || boards.jobs().iter().any(|job| job.join("out/k.prazo").exists())));
    prazo.kill().expect("it runs");
    prazo.wait().expect("it ends");
    let job = boards.jobs().pop().expect("the job is there");
    assert!(wait_for(Duration::from_secs(60), || job.join("status").is_file()), "the run ended");
    assert!(wait_for(Duration::from_secs(10), || !measures(&job)), "nothing of it runs");
    let fetch = boards.job_address(&job);
    let document = boards.prazo(&["fetch", &fetch, "--json"]).expect_code(0).json();
    assert_eq!(document["files"], serde_json::json!(["k.prazo"]));
    boards.prazo(&["report", "k.prazo"]).expect_code(0);
    assert!(boards.jobs().is_empty(), "{:?}", boards.jobs());
    boards.prazo(&["fetch", &fetch]).expect_error(&["is not the folder of a prazo command"]);
}

#[test]
fn a_command_whose_guard_was_killed_goes_on_and_is_fetched() {
    let boards = or_skip!(Boards::start());
    let on = boards.address("board");
    let prazo = boards.start_prazo(&["measure", "timer", "-p", "other", "-D", "600s", "-o", "g.prazo", "--on", &on]);
    assert!(wait_for(Duration::from_secs(180), || boards.jobs().iter().any(|job| job.join("out/g.prazo").exists())));
    let job = boards.jobs().pop().expect("the job is there");
    let number = |name: &str| std::fs::read_to_string(job.join(name)).expect("it was written down");
    let signal = |name: &str, pid: &str| Command::new("kill").args([name, pid]).status().expect("kill starts");
    assert!(signal("-KILL", &number("guard")).success());
    let address = boards.job_address(&job);
    boards.prazo(&["fetch", &address]).expect_code(3);
    assert!(signal("-INT", &number("command")).success());
    let said = prazo.answer().expect_code(4).stderr;
    assert!(said.contains("was killed") && said.contains(&format!("`prazo fetch {address}`")), "{said}");
    // Nobody saw how the command ended.
    boards.prazo(&["fetch", &address]).expect_code(4);
    assert!(boards.jobs().is_empty(), "{:?}", boards.jobs());
    boards.prazo(&["report", "g.prazo"]).expect_code(0);
}

#[test]
fn a_connection_that_falls_silent_is_lost_and_the_board_ends_the_run() {
    let boards = or_skip!(Boards::start());
    let on = boards.address("board");
    let mut prazo = boards.command(&["measure", "timer", "-p", "other", "-D", "600s", "-o", "l.prazo", "--on", &on]);
    let mut prazo = prazo.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("prazo starts");
    assert!(wait_for(Duration::from_secs(180), || boards.jobs().iter().any(|job| job.join("out/l.prazo").exists())));
    // The server's process for this connection stands still, as a pulled cable makes it: the parent of the board's shells.
    let sessions =
        std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", boards.sshd.id())).expect("sshd runs");
    let signal = |name: &str| {
        for pid in sessions.split_whitespace() {
            let _ = Command::new("kill").args([name, pid]).status();
        }
    };
    signal("-STOP");
    let job = boards.jobs().pop().expect("the job is there");
    let ended = wait_for(Duration::from_secs(60), || job.join("status").is_file());
    let code = wait_for(Duration::from_secs(60), || matches!(prazo.try_wait(), Ok(Some(_))));
    signal("-CONT");
    assert!(ended, "the run ended on the board");
    assert!(code, "prazo ended");
    let mut said = String::new();
    prazo.stderr.take().expect("it is piped").read_to_string(&mut said).expect("UTF-8");
    assert_eq!(prazo.wait().expect("it ended").code(), Some(4), "{said}");
    let address = boards.job_address(&job);
    assert!(said.contains("was lost after") && said.contains(&format!("`prazo fetch {address}`")), "{said}");
    boards.prazo(&["fetch", &address]).expect_code(0);
    assert!(boards.desk.path("l.prazo").is_file() && boards.jobs().is_empty());
}

#[test]
fn a_detached_command_is_fetched_when_it_has_ended() {
    let boards = or_skip!(Boards::start());
    let on = boards.address("board");
    let words = ["measure", "timer", "-p", "other", "-n", "500", "-o", "d.prazo", "--json", "--detach", "--on", &on];
    let said = boards.prazo(&words).expect_code(0).stderr;
    let address =
        said.split('`').nth(1).and_then(|words| words.strip_prefix("prazo fetch ")).expect("an address").to_owned();
    let mut answers = Vec::new();
    let is_fetched = wait_for(Duration::from_secs(60), || {
        answers.push(boards.prazo(&["fetch", &address, "--json"]));
        answers.last().is_some_and(|answer| answer.code != Some(3))
    });
    assert!(is_fetched, "the command ended");
    let document = answers.pop().expect("it was asked").expect_code(0).json();
    support::adds_up(&document["answer"]);
    assert!(boards.desk.path("d.prazo").is_file() && boards.jobs().is_empty());
}

#[test]
fn two_boards_run_side_by_side_and_one_page_compares_them() {
    let boards = or_skip!(Boards::start());
    let (one, other) = (boards.address("board"), boards.address("other"));
    let words =
        ["measure", "timer", "-p", "other", "-n", "200", "-o", "r.prazo", "--json", "--on", &one, "--on", &other];
    let document = boards.prazo(&words).expect_code(0).json();
    let ends = document["boards"].as_array().expect("an array");
    assert_eq!(ends.len(), 2);
    assert!(ends.iter().all(|end| end["status"] == 0 && end["answer"].is_object()), "{document:#}");
    for host in ["board", "other"] {
        assert!(boards.desk.path(&format!("{host}/r.prazo")).is_file());
    }
    let page = document["page"].as_str().expect("a page");
    assert!(std::fs::read_to_string(boards.desk.path(page)).expect("it is there").contains("<svg"));
    // One that cannot be reached does not take the other with it.
    let words = ["check", "--json", "--on", &one, "--on", "ssh://root@127.0.0.1:1"];
    let answer = boards.prazo(&words);
    assert!(matches!(answer.code, Some(1 | 4)), "{:?}", answer.code);
    let ends = serde_json::from_str::<Value>(&answer.stdout).expect("JSON");
    assert!(ends["boards"][0]["answer"].is_array() && ends["boards"][1]["reason"].is_string(), "{ends:#}");
}

#[test]
fn what_is_wrong_with_a_board_is_named_with_its_remedy() {
    let boards = or_skip!(Boards::start());
    boards.prazo(&["check", "--on", "board"]).expect_error(&["ssh://root@board"]);
    boards.prazo(&["check", "--on", "ssh://nowhere.invalid"]).expect_error(&["cannot connect", "nowhere.invalid"]);
    boards.prazo(&["check", "--on", "ssh://root@127.0.0.1:1"]).expect_error(&["refused", "sshd"]);
    boards
        .prazo(&["check", "--on", "ssh://board/nowhere"])
        .expect_error(&["/nowhere cannot be written", "ssh://board/mnt/data"]);
    boards.prazo(&["check", "--on", "ssh://board/proc"]).expect_error(&["/proc cannot be written"]);
    // A key that changed.
    let known = std::fs::read_to_string(boards.desk.path("known")).expect("the host is known");
    let changed = std::fs::read_to_string(boards.desk.path("changed.pub")).expect("a key");
    let key: Vec<&str> = changed.split_whitespace().take(2).collect();
    let forged =
        known.lines().map(|line| format!("{} {}\n", line.split(' ').next().unwrap_or_default(), key.join(" ")));
    boards.desk.write("known", forged.collect::<String>());
    boards.prazo(&["check", "--on", &boards.address("board")]).expect_error(&["ssh-keygen -R"]);
    assert!(boards.jobs().is_empty());
}

#[test]
fn a_program_of_a_board_is_watched_there_and_its_run_comes_back_needs_root() {
    let boards = or_skip!(Boards::start());
    let here = boards.prazo(&["watch", "--json", "--", "true"]);
    if here.code != Some(0) {
        prazo_testing::skip!(Need::Tracing, "programs cannot be watched here: {}", here.stderr.trim());
    }
    let on = boards.address("board");
    let loops = "for i in 1 2 3 4 5 6 7 8; do sleep 0.05; done; exit 7";
    let words = ["watch", "--json", "-o", "runs/a.prazo", "--on", &on, "--", "sh", "-c", loops];
    let answer = boards.prazo(&words).expect_code(7);
    let document = answer.json();
    assert_eq!(document["status"], 7, "{document:#}");
    let threads = document["threads"].as_array().expect("threads");
    assert!(threads.iter().any(|thread| thread["name"] == "sh"), "{document:#}");
    let run = boards.desk.path("runs/a.prazo");
    boards.prazo(&["report", run.to_str().expect("UTF-8")]);
    let export = boards.prazo(&["export", run.to_str().expect("UTF-8"), "--json"]).expect_code(0).json();
    assert!(export["series"].as_array().is_some_and(|series| !series.is_empty()), "{export:#}");
    assert!(boards.jobs().is_empty(), "{:?}", boards.jobs());
}

/// Control groups that a command on the board has made and not removed, by the board's journal.
fn groups(state: &Path) -> Vec<PathBuf> {
    let journal = std::fs::read(state.join("journal.json")).unwrap_or_default();
    let journal: Value = serde_json::from_slice(&journal).unwrap_or_default();
    let entries = journal["entries"].as_array().cloned().unwrap_or_default();
    entries.iter().filter_map(|entry| entry["step"]["path"].as_str()).map(PathBuf::from).collect()
}

/// Waits until `prazo cost` has started `tail` on the board; a skip where it could make no group for it.
fn made_group(boards: &Boards, state: &Path) -> Result<(), Skipped> {
    let has_begun = || below(boards.sshd.id()).iter().any(|process| process.name == "tail");
    assert!(wait_for(Duration::from_secs(180), has_begun), "the command has begun on the board");
    let has_group = groups(state).iter().any(|group| group.exists());
    has_group.then_some(()).ok_or("`prazo cost` made none").or_skipped(Need::ControlGroups)
}

#[test]
fn a_pulled_cable_ends_what_runs_on_the_board_and_its_results_are_fetched_later_needs_root() {
    or_skip!(possible(Need::Root, &["setpriv", "--reuid", "65534", "--clear-groups", "true"]));
    let state = Desk::new();
    let further = format!("SetEnv PRAZO_STATE_DIR={}\n", state.folder().display());
    let boards = or_skip!(Boards::special(&Special { cable: true, further: &further, ..Special::default() }));
    let on = boards.address("board");
    let begun = |file: &str| boards.jobs().into_iter().find(|job| job.join("out").join(file).exists());
    let measures_now =
        boards.start_prazo(&["measure", "timer", "-p", "other", "-D", "600s", "-o", "l.prazo", "--on", &on]);
    assert!(wait_for(Duration::from_secs(180), || begun("l.prazo").is_some()));
    let measured = begun("l.prazo").expect("it was there");
    // What this one changes on the machine is a control group for the command.
    let costs = boards.start_prazo(&["cost", "--on", &on, "-o", "c.json", "--", "tail", "-f", "/dev/null"]);
    or_skip!(made_group(&boards, state.folder()));
    let group = groups(state.folder()).pop().expect("it was there");
    let costed = boards.jobs().into_iter().find(|job| *job != measured).expect("a second job");
    let network = boards.network.as_ref().expect("there is a cable");
    network.cut();
    let pulled = Instant::now();
    let ended = || [&measured, &costed].iter().all(|job| job.join("status").is_file() || !job.exists());
    assert!(wait_for(Duration::from_secs(20), ended), "both have ended on the board within seconds");
    assert!(pulled.elapsed() > Duration::from_secs(5), "a short silence is no lost connection: {:?}", pulled.elapsed());
    assert!(!measures(&measured) && !measures(&costed), "nothing of them runs");
    assert!(!group.exists() && groups(state.folder()).is_empty(), "what was changed is put back");
    for (prazo, job) in [(measures_now, &measured), (costs, &costed)] {
        let said = prazo.answer().expect_code(4).stderr;
        let fetch = format!("`prazo fetch {}`", boards.job_address(job));
        assert!(said.contains("was lost after") && said.contains(&fetch), "{said}");
    }
    boards.prazo(&["fetch", &boards.job_address(&measured)]).expect_error(&["cannot connect", "timed out"]);
    network.mend();
    boards.prazo(&["fetch", &boards.job_address(&measured)]).expect_code(0);
    boards.prazo(&["report", "l.prazo"]).expect_code(0);
    boards.prazo(&["fetch", &boards.job_address(&costed)]);
    assert!(boards.jobs().is_empty(), "{:?}", boards.jobs());
}

#[test]
fn a_killed_command_has_what_it_changed_put_back_needs_root() {
    or_skip!(possible(Need::Root, &["setpriv", "--reuid", "65534", "--clear-groups", "true"]));
    let state = Desk::new();
    let further = format!("SetEnv PRAZO_STATE_DIR={}\n", state.folder().display());
    let boards = or_skip!(Boards::special(&Special { further: &further, ..Special::default() }));
    let on = boards.address("board");
    let prazo = boards.start_prazo(&["cost", "--on", &on, "--", "tail", "-f", "/dev/null"]);
    or_skip!(made_group(&boards, state.folder()));
    let group = groups(state.folder()).pop().expect("it was there");
    let job = boards.jobs().pop().expect("the job is there");
    shell(&format!("kill -KILL {}", std::fs::read_to_string(job.join("command")).expect("the guard wrote it down")));
    prazo.answer().expect_code(137);
    assert!(!group.exists() && groups(state.folder()).is_empty(), "its guard put it back");
    assert!(boards.jobs().is_empty(), "{:?}", boards.jobs());
}

#[test]
fn a_disk_that_fills_up_on_the_board_is_named_with_the_place_of_the_complete_run_there_needs_root() {
    let megabytes = 40 + std::fs::metadata(stripped()).expect("it was built").len() / 1_000_000;
    let mounts = format!("mount -t tmpfs -o size={megabytes}M,mode=700 board \"$BOARD\"");
    let refuge = Desk::new();
    let further = format!("SetEnv TMPDIR={}\n", refuge.folder().display());
    let special = Special { mounts: &mounts, further: &further, ..Special::default() };
    let boards = or_skip!(Boards::special(&special));
    let on = boards.address("board");
    let words = ["measure", "timer", "-p", "other", "-i", "100us", "-D", "20s", "-o", "f.prazo", "--on", &on];
    let run = boards.start_prazo(&words);
    // The run file exists from its first byte on. It is complete when seconds of samples follow each other in it.
    let size = |name: &str| {
        boards
            .jobs()
            .iter()
            .filter_map(|job| job.join("out").join(name).metadata().ok())
            .map(|it| it.len())
            .sum::<u64>()
    };
    let mut sizes = BTreeSet::new();
    let is_written = || {
        sizes.insert(size("f.prazo") + size("f.prazo-wal"));
        sizes.len() > 8
    };
    assert!(wait_for(Duration::from_secs(120), is_written), "seconds of samples are written");
    // What else is on the board takes all that is left.
    let full = boards.seen(&boards.desk.path("board")).join("full");
    let mut file = std::fs::File::create(full).expect("the folder can be written");
    let chunk = vec![0u8; 1 << 16];
    while std::io::Write::write_all(&mut file, &chunk).is_ok() {}
    let said = run.answer().expect_code(0).stderr;
    let complete = std::fs::read_dir(refuge.folder()).expect("it is there").flatten().next().expect("a run").path();
    let sentence = format!("holds a part of the run; the complete run is in {}", complete.display());
    assert!(said.contains(&sentence), "{said}");
    boards.prazo(&["report", complete.to_str().expect("UTF-8")]).expect_code(0);
    assert!(boards.desk.path("f.prazo").is_file(), "the part comes back");
    assert!(boards.jobs().is_empty(), "{:?}", boards.jobs());
}

#[test]
fn a_board_of_another_processor_is_named_with_what_is_missing_for_it() {
    let folder = Desk::new();
    folder.write("uname", "#!/bin/sh\nif [ \"$1\" = -m ]; then cat \"${0%/*}/machine\"; else echo 6.1.0; fi\n");
    std::fs::set_permissions(folder.path("uname"), Permissions::from_mode(0o755)).expect("it is this user's");
    let further = format!("SetEnv PATH={}:/usr/bin:/bin\n", folder.folder().display());
    let boards = or_skip!(Boards::special(&Special { further: &further, ..Special::default() }));
    let on = boards.address("board");
    folder.write("machine", "mips64\n");
    boards.prazo(&["check", "--on", &on]).expect_error(&["its processor is mips64", "no prazo program for mips64"]);
    // One that says it is for the processor, which the board then cannot start.
    let mut program = std::fs::read(stripped()).expect("it was built");
    program.truncate(1 << 16);
    let (machine, number) = if cfg!(target_arch = "riscv64") { ("aarch64", 183) } else { ("riscv64", 243) };
    program[18..20].copy_from_slice(&u16::to_le_bytes(number));
    folder.write(&format!("prazo-{machine}"), program);
    folder.write("machine", format!("{machine}\n"));
    let mut command = boards.command(&["check", "--on", &on]);
    let answer = Answer::of(command.env("PRAZO_BOARD_PROGRAMS", folder.folder()).output().expect("prazo starts"));
    answer.expect_code(4).expect_error(&["does not run on", "must be a static program for", machine]);
    assert!(boards.jobs().is_empty(), "{:?}", boards.jobs());
}

#[test]
fn a_board_without_dev_shm_whose_tmp_executes_nothing_uses_another_folder_or_names_each_needs_root() {
    // A /dev in which /dev/shm was never made; what may be written lets nothing start.
    let bare = "umask 022; mkdir \"$BOARD/dev\"; mount -t tmpfs dev \"$BOARD/dev\"
        for one in null zero full random urandom tty; do : >\"$BOARD/dev/$one\"; mount --bind /dev/$one \"$BOARD/dev/$one\"; done
        mkdir \"$BOARD/dev/pts\"; mount --rbind /dev/pts \"$BOARD/dev/pts\"; ln -s pts/ptmx \"$BOARD/dev/ptmx\"
        mount --rbind \"$BOARD/dev\" /dev
        mount -t tmpfs -o noexec,mode=755 run /run; mkdir /run/sshd";
    let last = |options: &str| format!("{bare}\nmount -t tmpfs -o {options} var /var/tmp");
    let noexec = "mount --bind /tmp /tmp; mount -o remount,bind,noexec /tmp";
    let start = |options: &str| {
        let mounts = format!("{}\n{noexec}", last(options));
        Boards::special(&Special { mounts: &mounts, ..Special::default() })
    };
    let boards = or_skip!(start("mode=1777"));
    let answer = boards.prazo(&["check", "--json", "--on", "ssh://board"]);
    assert!(answer.stderr.contains("folder /var/tmp/prazo-"), "{}", answer.stderr);
    assert!(answer.json().is_array() && boards.jobs_in(Path::new("/var/tmp")).is_empty());
    let boards = or_skip!(start("ro"));
    boards.prazo(&["check", "--on", "ssh://board"]).expect_code(4).expect_error(&[
        "/dev/shm cannot be written, /run does not allow programs to be executed (noexec), /var/tmp cannot be written, \
         /tmp does not allow programs to be executed (noexec)",
        "ssh://board/mnt/data",
    ]);
}
