//! `--on ssh://BOARD`: against a real sshd on loopback, whose board is this machine in a folder of the test's own.

mod support;

use prazo_testing::{Need, OrSkipped, Skipped, or_skip};
use serde_json::Value;
use std::fs::Permissions;
use std::io::Read;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use support::processes::below;
use support::{Answer, Desk, PRAZO, possible, wait_for};

/// An sshd that only this test knows, for hosts `board` and `other`.
struct Boards {
    desk: Desk,
    sshd: Child,
}

impl Boards {
    fn start() -> Result<Self, Skipped> {
        Self::with("")
    }

    /// With further lines of sshd's configuration.
    fn with(further: &str) -> Result<Self, Skipped> {
        let sshd = program("sshd").or_skipped(Need::Program("sshd"))?;
        let keys = program("ssh-keygen").or_skipped(Need::Program("ssh-keygen"))?;
        let desk = Desk::new();
        for name in ["host", "changed", "user"] {
            let made = Command::new(&keys).args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(desk.path(name)).status();
            assert!(made.is_ok_and(|status| status.success()), "ssh-keygen makes a key");
        }
        std::fs::create_dir(desk.path("board")).expect("the folder can be written");
        let port =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|it| it.local_addr()).expect("a free port").port();
        let at = |name: &str| desk.path(name).display().to_string();
        desk.write("sshd_config", format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\nPidFile none\n\
             PasswordAuthentication no\nPermitRootLogin yes\n{further}", at("host"), at("user.pub"),
        ));
        desk.write("ssh_config", format!(
            "Host board other\nHostName 127.0.0.1\nPort {port}\nIdentityFile {}\nIdentitiesOnly yes\nUserKnownHostsFile {}\n\
             StrictHostKeyChecking accept-new\n", at("user"), at("known"),
        ));
        // What sshd wants before it gives up rights.
        let _ = std::fs::create_dir_all("/run/sshd");
        let sshd = Command::new(sshd).arg("-D").arg("-f").arg(desk.path("sshd_config")).stderr(Stdio::null()).spawn();
        let boards = Self { desk, sshd: sshd.expect("sshd starts") };
        let listens = || std::net::TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok();
        assert!(wait_for(Duration::from_secs(10), listens), "sshd listens");
        Ok(boards)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.desk.command(PRAZO);
        command.env("PRAZO_SSH", format!("ssh -F {}", self.desk.path("ssh_config").display())).args(words);
        command
    }

    fn prazo(&self, words: &[&str]) -> Answer {
        Answer::of(self.command(words).output().expect("prazo starts"))
    }

    /// The address of a board with the test's own folder on it.
    fn address(&self, host: &str) -> String {
        format!("ssh://{host}{}", self.desk.path("board").display())
    }

    /// Jobs that are on the board.
    fn jobs(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.desk.path("board")).expect("the board's folder is there");
        entries.map(|entry| entry.expect("it can be read").path()).collect()
    }
}

impl Drop for Boards {
    fn drop(&mut self) {
        let _ = self.sshd.kill();
        let _ = self.sshd.wait();
    }
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
    let address = format!("ssh://board{}", boards.jobs().pop().expect("the job is there").display());
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
    let boards = or_skip!(Boards::with(&command));
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
    assert!(wait_for(Duration::from_secs(60), || boards.jobs().iter().any(|job| job.join("out/c.prazo").exists())));
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
    assert!(wait_for(Duration::from_secs(60), || boards.jobs().iter().any(|job| job.join("out/k.prazo").exists())));
    prazo.kill().expect("it runs");
    prazo.wait().expect("it ends");
    let job = boards.jobs().pop().expect("the job is there");
    assert!(wait_for(Duration::from_secs(60), || job.join("status").is_file()), "the run ended");
    assert!(wait_for(Duration::from_secs(10), || !measures(&job)), "nothing of it runs");
    let fetch = format!("ssh://board{}", job.display());
    let document = boards.prazo(&["fetch", &fetch, "--json"]).expect_code(0).json();
    assert_eq!(document["files"], serde_json::json!(["k.prazo"]));
    boards.prazo(&["report", "k.prazo"]).expect_code(0);
    assert!(boards.jobs().is_empty(), "{:?}", boards.jobs());
    boards.prazo(&["fetch", &fetch]).expect_error(&["there is no prazo command in"]);
}

#[test]
fn a_connection_that_falls_silent_is_lost_and_the_board_ends_the_run() {
    let boards = or_skip!(Boards::start());
    let on = boards.address("board");
    let mut prazo = boards.command(&["measure", "timer", "-p", "other", "-D", "600s", "-o", "l.prazo", "--on", &on]);
    let mut prazo = prazo.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("prazo starts");
    assert!(wait_for(Duration::from_secs(60), || boards.jobs().iter().any(|job| job.join("out/l.prazo").exists())));
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
    let address = format!("ssh://board{}", job.display());
    assert!(said.contains("was lost after") && said.contains(&format!("`prazo fetch {address}`")), "{said}");
    boards.prazo(&["fetch", &address]).expect_code(0);
    assert!(boards.desk.path("l.prazo").is_file() && boards.jobs().is_empty());
}

#[test]
fn a_detached_command_is_fetched_when_it_has_ended() {
    let boards = or_skip!(Boards::start());
    let on = boards.address("board");
    let words = ["measure", "timer", "-p", "other", "-n", "500", "-o", "d.prazo", "--detach", "--on", &on];
    let said = boards.prazo(&words).expect_code(0).stderr;
    let address =
        said.split('`').nth(1).and_then(|words| words.strip_prefix("prazo fetch ")).expect("an address").to_owned();
    let mut codes = Vec::new();
    let is_fetched = wait_for(Duration::from_secs(60), || {
        codes.push(boards.prazo(&["fetch", &address]).code);
        codes.last() != Some(&Some(3))
    });
    assert!(is_fetched && codes.last() == Some(&Some(0)), "{codes:?}");
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
