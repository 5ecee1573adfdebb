//! OpenSSH's client: one connection, which all commands of a job share.

use crate::address::Address;
use crate::error::BoardError;
use prazo_sys::child;
use prazo_sys::machine::effective_user;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};

/// Names another client, with its first options, as in `ssh -F FILE`.
const CLIENT: &str = "PRAZO_SSH";

/// How a board is reached.
pub(crate) struct Ssh {
    pub(crate) address: Address,
    /// The connection's socket, which OpenSSH's client removes.
    socket: PathBuf,
}

impl Ssh {
    pub(crate) fn new(address: &Address) -> Result<Self, BoardError> {
        Ok(Self { address: address.clone(), socket: own_folder()?.join(socket_name()) })
    }

    /// The first command of a job: makes the connection.
    pub(crate) fn first(&self, words: &str) -> Command {
        // What does not answer for six seconds is lost.
        let options = [
            "ControlMaster=yes",
            "ControlPersist=no",
            "ServerAliveInterval=2",
            "ServerAliveCountMax=3",
            "ConnectTimeout=15",
        ];
        let mut command = self.client();
        for option in options {
            command.args(["-o", option]);
        }
        self.destination(command, false, words)
    }

    /// A further command over the same connection.
    pub(crate) fn further(&self, terminal: bool, words: &str) -> Command {
        let mut command = self.client();
        // Without the first one's connection this one shall fail, not ask for a password.
        command.args([
            "-o",
            "ControlMaster=no",
            "-o",
            "BatchMode=yes",
            "-o",
            "ConnectTimeout=5",
            "-o",
            "LogLevel=ERROR",
        ]);
        self.destination(command, terminal, words)
    }

    fn client(&self) -> Command {
        let given = std::env::var(CLIENT).unwrap_or_default();
        let mut words = given.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or("ssh"));
        command.args(words).arg("-S").arg(&self.socket);
        command
    }

    fn destination(&self, mut command: Command, terminal: bool, words: &str) -> Command {
        if let Some(port) = self.address.port {
            command.args(["-p", &port.to_string()]);
        }
        command.arg(if terminal { "-tt" } else { "-T" }).arg("--").arg(self.address.destination()).arg(words);
        command
    }
}

/// A folder of this user's alone, the same for every call, so that a killed prazo leaves nothing new. A socket's path must be
/// short, which that of a home folder may not be.
fn own_folder() -> Result<PathBuf, BoardError> {
    let user = effective_user();
    let folder = PathBuf::from(format!("/tmp/prazo-ssh-{user}"));
    let failed = |cause| BoardError::Here { step: "use the folder", file: folder.clone(), cause };
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
        _ => {}
    }
    let found = std::fs::symlink_metadata(&folder).map_err(failed)?;
    if found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0 {
        return Ok(folder);
    }
    let wrong = "it must be a folder that belongs to this user and that no other user can access; remove it, and prazo makes a new one";
    Err(failed(io::Error::other(wrong)))
}

/// Another one for each connection of each process.
fn socket_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Starts a client that ends with this thread, and that an interrupt from the terminal does not end.
pub(crate) fn start(mut command: Command) -> Result<Child, BoardError> {
    child::tie_without_interrupts(&mut command);
    let program = command.get_program().to_string_lossy().into_owned();
    command.spawn().map_err(|cause| BoardError::NoSsh { program, cause })
}

/// What to do about a connection that could not be made, from what OpenSSH's client said.
pub(crate) fn remedy(answer: &str) -> &'static str {
    let known = [
        ("Could not resolve hostname", "check the name, or give the board's IP address as in ssh://root@10.0.0.2"),
        (
            "IDENTIFICATION HAS CHANGED",
            "if the board was reinstalled, remove its old key with `ssh-keygen -R HOST`; otherwise another host \
             is answering at the board's address",
        ),
        ("Host key verification failed", "log in once with ssh(1), and compare the key that it shows with the board's"),
        ("Permission denied", "check the user name, and install your key on the board with ssh-copy-id(1)"),
        ("Connection refused", "start sshd on the board, or give its port as in ssh://root@board:2222"),
        ("timed out", "check the cable, the board's power and its firewall"),
        ("No route to host", "check the cable, the board's power and its network"),
    ];
    known.iter().find(|(words, _)| answer.contains(words)).map_or("try to log in with ssh(1)", |(_, remedy)| remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_never_read_as_an_option() {
        let address: Address = "ssh://root@board:2222".parse().unwrap();
        let ssh = Ssh::new(&address).unwrap();
        let command = ssh.further(true, "true");
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        assert_eq!(words[words.len() - 6..], ["-p", "2222", "-tt", "--", "root@board", "true"]);
        let other = Ssh::new(&address).unwrap();
        assert!(ssh.socket != other.socket && ssh.socket.as_os_str().len() < 60, "{:?}", ssh.socket);
    }

    #[test]
    fn what_ssh_says_has_its_remedy() {
        assert!(remedy("ssh: Could not resolve hostname nowhere: Name or service not known").contains("IP address"));
        assert!(remedy("WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!").contains("ssh-keygen -R"));
        assert_eq!(remedy("something new"), "try to log in with ssh(1)");
    }
}
