//! A web server and its client: ab in Marsal 2013, against nginx.

use super::data;
use super::kind::{Scene, Workload, words};
use prazo_platform::foreign_programs::{AB, NGINX};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

pub(super) const WORKLOAD: Workload = Workload {
    name: "web",
    what: "Requests a 16 KiB file over HTTP, four requests at a time, each over a new connection. Measures the client.",
    source: "Marsal 2013: ab",
    unit: "requests",
    first_size: 500,
    programs: &[AB, NGINX],
    prepare,
    server,
    check,
    command,
};

fn prepare(scene: &Scene, _: u64) -> io::Result<()> {
    data::files(&scene.work.join("www"), "page", 1, PAGE_BYTES)?;
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let folders = temporary.map(|name| format!("{name}_temp_path temporary;")).join(" ");
    let port = scene.port;
    let configuration = format!(
        "daemon off; master_process off; pid pid; error_log stderr; events {{}}\n\
         http {{ access_log off; {folders} server {{ listen 127.0.0.1:{port}; root www; }} }}\n"
    );
    std::fs::write(scene.work.join("nginx.conf"), configuration)
}

const PAGE_BYTES: usize = 16 << 10;

/// ab ends with 0 whatever it is answered, so that one page is asked for before.
fn check(scene: &Scene) -> io::Result<()> {
    let mut connection = TcpStream::connect((Ipv4Addr::LOCALHOST, scene.port))?;
    connection.set_read_timeout(Some(Duration::from_secs(10)))?;
    connection.write_all(b"GET /page.0 HTTP/1.0\r\n\r\n")?;
    let mut answer = vec![];
    connection.read_to_end(&mut answer)?;
    let first = String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned();
    if first.contains(" 200 ") && answer.len() > PAGE_BYTES {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "the web server answered '{first}' and {} bytes instead of the requested page",
        answer.len()
    )))
}

fn server(scene: &Scene) -> Vec<String> {
    let work = scene.work.display().to_string();
    ["nginx", "-p", &work, "-e", "stderr", "-c", "nginx.conf"].map(str::to_owned).to_vec()
}

fn command(scene: &Scene, size: u64) -> Vec<String> {
    words(&format!("ab -q -n {size} -c {} http://127.0.0.1:{}/page.0", size.min(4), scene.port))
}
