//! The workers of a Dask cluster, to which Python's module hands out work (docs/python.md).
//!
//! ```text
//! {"work": "boots", "shared": .., "items": [.., ..]} ─► python -m prazo.cluster ADDRESS ─► workers
//! {"number": 1, "answer": ..}  ◄── one line for each item, in any order ──┘
//! ```
//! What is done with an answer is decided here, so that Python knows nothing of experiments or hunts. The end of the lines to
//! Python is the end of the work: it then cancels what is under way.

use crate::error::Error;
use crate::progress::{Progress, Stop};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The variable that names another Python than `python3`.
const PYTHON: &str = "PRAZO_PYTHON";
/// What to do where Python or its modules are missing.
const INSTALL: &str = "set PRAZO_PYTHON to a Python that has the package `prazo[dask]` (`pip install 'prazo[dask]'`)";
/// What the address of a Python process begins with that has a client already, and listens on a socket.
const SOCKET: &str = "unix:";
/// How often an interrupt is looked for.
const LOOK_FOR_STOP: Duration = Duration::from_millis(100);
/// How long Python may take to cancel what is under way: workers end their commands as Ctrl-C does.
const GRACE: Duration = Duration::from_secs(10);

/// Takes an answer with its item's place, or `None` while nothing comes.
pub(crate) type Keep<'a, T> = dyn FnMut(Option<(usize, T)>, &mut dyn Progress) -> Result<(), Error> + 'a;

/// A connection to a cluster. Its work ends with it.
pub(crate) struct Cluster {
    address: String,
    requests: Option<Box<dyn Write + Send>>,
    lines: Receiver<String>,
    child: Option<Child>,
    errors: Option<JoinHandle<String>>,
    stop: Stop,
}

#[derive(Deserialize)]
struct Greeting {
    version: String,
}

#[derive(Serialize)]
struct Request<'a, S, I> {
    work: &'a str,
    shared: &'a S,
    items: &'a [I],
}

/// What Python answers: an item's answer, or why there is none. An error without a number ends everything.
#[derive(Deserialize)]
#[serde(bound = "T: DeserializeOwned")]
struct Reply<T> {
    number: Option<usize>,
    answer: Option<T>,
    error: Option<String>,
}

impl Cluster {
    /// Connects to the scheduler at an address, such as `tcp://host:8786`.
    ///
    /// # Errors
    /// There is no Python with the modules, it has another version of prazo, or no scheduler is at the address.
    pub(crate) fn open(address: &str, progress: &mut dyn Progress) -> Result<Self, Error> {
        let stop = progress.stop().map_err(Error::failed)?;
        let mut cluster = match address.strip_prefix(SOCKET) {
            Some(path) => Self::connected(address, path, stop),
            None => Self::started(address, stop),
        }?;
        let greeting = cluster.line()?.ok_or_else(|| cluster.ended())?;
        match serde_json::from_str(&greeting) {
            Ok(Greeting { version }) if version == env!("CARGO_PKG_VERSION") => Ok(cluster),
            Ok(Greeting { version }) => {
                let own = env!("CARGO_PKG_VERSION");
                let what =
                    format!("the Python module belongs to prazo {version}, and this command belongs to prazo {own}");
                Err(cluster
                    .failed(what)
                    .with_remedy("install the same version of both, or set PRAZO_PYTHON to another Python"))
            }
            // Its last words on standard error say more than an unknown line.
            Err(_) => Err(match serde_json::from_str::<Reply<()>>(&greeting) {
                Ok(Reply { error: Some(error), .. }) => cluster.failed(error),
                _ => cluster.failed("the first line that Python printed does not name the version of prazo's module; install the package `prazo[dask]` of this prazo's version"),
            }),
        }
    }

    fn started(address: &str, stop: Stop) -> Result<Self, Error> {
        let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
        let spawned = Command::new(&python)
            .args(["-m", "prazo.cluster", address])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = spawned.map_err(|error| {
            unusable(address, format!("cannot start {}: {error}", python.display())).with_remedy(INSTALL)
        })?;
        let requests = child.stdin.take().map(|pipe| Box::new(pipe) as Box<dyn Write + Send>);
        let lines = lines(child.stdout.take());
        let errors = child.stderr.take().map(|pipe| std::thread::spawn(move || text(pipe)));
        Ok(Self { address: address.to_owned(), requests, lines, child: Some(child), errors, stop })
    }

    fn connected(address: &str, path: &str, stop: Stop) -> Result<Self, Error> {
        let failed = |error: io::Error| unusable(address, error);
        let requests = UnixStream::connect(path).map_err(failed)?;
        let lines = lines(Some(requests.try_clone().map_err(failed)?));
        let requests: Box<dyn Write + Send> = Box::new(Requests(requests));
        Ok(Self { address: address.to_owned(), requests: Some(requests), lines, child: None, errors: None, stop })
    }

    /// Has workers do `work` for each item, and hands each answer to `keep` as soon as it is there.
    ///
    /// # Errors
    /// A worker or the cluster fails, or `keep` does, or the caller wants to stop. Answers that came before are kept.
    pub(crate) fn each<S: Serialize, I: Serialize, T: DeserializeOwned>(
        &mut self,
        work: &str,
        shared: &S,
        items: &[I],
        progress: &mut dyn Progress,
        keep: &mut Keep<'_, T>,
    ) -> Result<(), Error> {
        self.request(&Request { work, shared, items })?;
        let mut failed = None;
        let mut is_done = vec![false; items.len()];
        while is_done.contains(&false) {
            let Some(line) = self.line_or_idle(&mut || keep(None, progress))? else { return Err(self.ended()) };
            let reply: Reply<T> = serde_json::from_str(&line).map_err(|error| self.failed(error))?;
            let fresh =
                reply.number.and_then(|number| is_done.get_mut(number).map(|done| !std::mem::replace(done, true)));
            match (fresh, reply) {
                (Some(true), Reply { number: Some(number), answer: Some(answer), .. }) => {
                    keep(Some((number, answer)), progress)?;
                }
                // Also after a failure: the answers to other items are kept.
                (Some(true), Reply { error: Some(error), .. }) => failed = failed.or(Some(error)),
                (None, Reply { error: Some(error), .. }) => return Err(self.failed(error)),
                _ => return Err(self.failed(format!("an answer from Python belongs to no open request: {line}"))),
            }
        }
        failed.map_or(Ok(()), |error| Err(self.failed(error)))
    }

    /// Ends the connection, when all was answered.
    pub(crate) fn close(mut self) -> Result<(), Error> {
        self.requests = None;
        match self.child.as_mut().map(Child::wait) {
            None => Ok(()),
            Some(Ok(status)) if status.success() => Ok(()),
            Some(Ok(_)) => Err(self.ended()),
            Some(Err(error)) => Err(self.failed(error)),
        }
    }

    fn request(&mut self, request: &impl Serialize) -> Result<(), Error> {
        let line = serde_json::to_string(request).map_err(Error::failed)? + "\n";
        let written = self.requests.as_mut().map(|to| to.write_all(line.as_bytes()).and_then(|()| to.flush()));
        match written {
            Some(Ok(())) => Ok(()),
            // It has ended, and said why.
            Some(Err(_)) | None => Err(self.ended()),
        }
    }

    fn line(&self) -> Result<Option<String>, Error> {
        self.line_or_idle(&mut || Ok(()))
    }

    /// The next line; `None` behind the last one.
    fn line_or_idle(&self, idle: &mut dyn FnMut() -> Result<(), Error>) -> Result<Option<String>, Error> {
        loop {
            if self.stop.is_set() {
                return Err(Error::Interrupted);
            }
            match self.lines.recv_timeout(LOOK_FOR_STOP) {
                Ok(line) => return Ok(Some(line)),
                Err(RecvTimeoutError::Timeout) => idle()?,
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    /// Why Python has ended.
    fn ended(&mut self) -> Error {
        self.requests = None;
        if let Some(child) = &mut self.child {
            // Its pipes are closed, so that it is about to end.
            let _ = child.wait();
        }
        let said = self.errors.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        let last = said.lines().rfind(|line| !line.trim().is_empty());
        let last = last.unwrap_or("the Python process ended without giving a reason");
        let error = self.failed(last.trim().to_owned());
        if self.stop.is_set() {
            Error::Interrupted
        } else if last.contains("No module named") {
            error.with_remedy(INSTALL)
        } else {
            error
        }
    }

    fn failed(&self, why: impl ToString) -> Error {
        unusable(&self.address, why)
    }
}

impl Drop for Cluster {
    /// Lets Python cancel what is under way, and ends it where it does not.
    fn drop(&mut self) {
        self.requests = None;
        let Some(child) = &mut self.child else { return };
        let end = Instant::now() + GRACE;
        while matches!(child.try_wait(), Ok(None)) && Instant::now() < end {
            std::thread::sleep(LOOK_FOR_STOP / 2);
        }
        // One that has ended is not there any more.
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// A socket's end for requests. It is read through a copy, so that only this tells Python that no more come.
struct Requests(UnixStream);

impl Write for Requests {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Drop for Requests {
    fn drop(&mut self) {
        // An end that is closed already needs to hear nothing.
        let _ = self.0.shutdown(Shutdown::Write);
    }
}

fn unusable(address: &str, why: impl ToString) -> Error {
    let whose = if address.starts_with(SOCKET) { "client".to_owned() } else { format!("scheduler at {address}") };
    Error::failed(why.to_string()).attempting(format!("cannot use the Dask {whose}"))
}

/// The lines of a pipe, as they come.
fn lines(pipe: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (send, lines) = mpsc::channel();
    // It ends with the pipe.
    std::thread::spawn(move || {
        let Some(pipe) = pipe else { return };
        let _ = BufReader::new(pipe).lines().map_while(Result::ok).try_for_each(|line| send.send(line));
    });
    lines
}

fn text(mut pipe: impl Read) -> String {
    let mut text = Vec::new();
    // What was read before an error still says why.
    let _ = pipe.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}
