//! One page over HTTP on loopback, for programs that scrape it.
//!
//! A connection that says nothing, or too slowly, must not keep a scraper waiting: each connection has [`PATIENCE`] for its
//! request and its answer together, and where [`CONNECTIONS_MAX`] are open the one that has been open longest is closed.
//! `GET` and `HEAD` of [`PATH`] are answered; other paths get 404 and other methods 405.

use crate::error::Error;
use http_body_util::Full;
use hyper::body::{Body, Bytes};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::ready;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

/// What a page of OpenMetrics is.
pub(crate) const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Where the page is.
pub(crate) const PATH: &str = "/metrics";
/// How long a connection may take from its beginning until it is answered.
const PATIENCE: Duration = Duration::from_secs(2);
/// So many connections may be open; one scraper needs one.
const CONNECTIONS_MAX: usize = 64;
/// A request's line and headers fit into this. It is the least that the library takes.
const REQUEST_BYTES_MAX: usize = 8 * 1024;
/// How long to wait where no connection can be taken, as without a free file descriptor.
const PAUSE: Duration = Duration::from_millis(50);

/// The page's text, kept up to date.
#[derive(Clone, Default)]
pub(crate) struct Page(Arc<Mutex<Bytes>>);

impl Page {
    /// Serves this text from now on.
    pub(crate) fn show(&self, text: String) {
        *self.0.lock().expect("no thread panics with the lock") = text.into();
    }

    fn text(&self) -> Bytes {
        self.0.lock().expect("no thread panics with the lock").clone()
    }
}

/// Why a page cannot be served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeError {
    /// Whoever can reach the machine could read it.
    #[error(
        "{0}: metrics are served only on a loopback address, as in 127.0.0.1:9100; to scrape remotely, put a proxy \
         with authentication in front of it"
    )]
    NotLoopback(SocketAddr),
    /// The address cannot be listened on.
    #[error("{address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
}

/// The same as an answer: what to give instead.
pub(crate) fn unserved(error: ServeError) -> Error {
    match error {
        ServeError::NotLoopback(address) => {
            Error::field("metrics", "metrics are served only on a loopback address, as in 127.0.0.1:9100")
                .with_value(address)
                .with_remedy("to scrape remotely, put a proxy with authentication in front of it")
        }
        ServeError::Listen { address, source } => {
            Error::failed(source).attempting(format!("metrics at {address} cannot be served"))
        }
    }
}

/// Serves `page` as `content_type` at `address` for as long as this process lives; the address that was bound.
pub(crate) fn serve(address: SocketAddr, content_type: &'static str, page: Page) -> Result<SocketAddr, ServeError> {
    if !address.ip().is_loopback() {
        return Err(ServeError::NotLoopback(address));
    }
    begin(address, content_type, page).map_err(|source| ServeError::Listen { address, source })
}

fn begin(address: SocketAddr, content_type: &'static str, page: Page) -> io::Result<SocketAddr> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let listener = runtime.block_on(TcpListener::bind(address))?;
    let bound = listener.local_addr()?;
    let site = Site { content_type: HeaderValue::from_static(content_type), page };
    let accept = move || runtime.block_on(accept(listener, site));
    std::thread::Builder::new().name("prazo-metrics".into()).spawn(accept)?;
    Ok(bound)
}

async fn accept(listener: TcpListener, site: Site) {
    let mut open: VecDeque<AbortHandle> = VecDeque::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        open.retain(|connection| !connection.is_finished());
        if open.len() >= CONNECTIONS_MAX {
            open.pop_front().inspect(AbortHandle::abort);
        }
        open.push_back(tokio::spawn(connection(stream, site.clone())).abort_handle());
    }
}

/// Answers one request. What goes wrong is the reader's business: it went away, or said nothing in time.
async fn connection(stream: TcpStream, site: Site) {
    let answer = service_fn(move |request| ready(Ok::<_, Infallible>(site.answer(&request))));
    let mut protocol = http1::Builder::new();
    protocol.keep_alive(false).max_buf_size(REQUEST_BYTES_MAX);
    let _ = timeout(PATIENCE, protocol.serve_connection(TokioIo::new(stream), answer)).await;
}

#[derive(Clone)]
struct Site {
    content_type: HeaderValue,
    page: Page,
}

impl Site {
    fn answer<B: Body>(&self, request: &Request<B>) -> Response<Full<Bytes>> {
        if request.uri().path() != PATH {
            return refused(StatusCode::NOT_FOUND, format!("not found; the only path is {PATH}\n"));
        }
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            let mut response = refused(StatusCode::METHOD_NOT_ALLOWED, format!("{PATH} is read-only\n"));
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return response;
        }
        let mut response = Response::new(Full::new(self.page.text()));
        response.headers_mut().insert(CONTENT_TYPE, self.content_type.clone());
        response
    }
}

fn refused(status: StatusCode, why: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(why.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::time::Instant;

    fn served(text: &str) -> (Page, SocketAddr) {
        let page = Page::default();
        page.show(text.into());
        let address = serve("127.0.0.1:0".parse().unwrap(), "text/x-figures", page.clone()).unwrap();
        (page, address)
    }

    /// Opens a connection and says `words`.
    fn say(address: SocketAddr, words: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(words).unwrap();
        stream
    }

    /// Everything that comes until the connection is closed.
    fn heard(mut stream: TcpStream) -> String {
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn asked(address: SocketAddr, request: &str) -> String {
        heard(say(address, format!("{request} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()))
    }

    #[test]
    fn a_scraper_gets_what_was_shown_last() {
        let (page, address) = served("one");
        let answer = asked(address, "GET /metrics");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\none"), "{answer}");
        assert!(answer.contains("content-type: text/x-figures\r\n"), "{answer}");
        page.show("two".into());
        assert!(asked(address, "GET /metrics?a=b").ends_with("\r\n\r\ntwo"));
        let head = asked(address, "HEAD /metrics");
        assert!(head.contains("content-length: 3\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    }

    #[test]
    fn other_paths_and_methods_are_refused_by_their_numbers() {
        let (_, address) = served("page");
        assert!(asked(address, "GET /").starts_with("HTTP/1.1 404 "));
        assert!(asked(address, "GET /metrics/").starts_with("HTTP/1.1 404 "));
        let posted = asked(address, "POST /metrics");
        assert!(posted.starts_with("HTTP/1.1 405 ") && posted.contains("allow: GET, HEAD\r\n"), "{posted}");
        let long = format!("GET /metrics HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", "x".repeat(2 * REQUEST_BYTES_MAX));
        assert!(heard(say(address, long.as_bytes())).starts_with("HTTP/1.1 431 "));
        assert!(heard(say(address, b"\0\x16 no request\r\n\r\n")).starts_with("HTTP/1.1 400 "));
    }

    #[test]
    fn only_loopback_is_served() {
        let refused = serve("0.0.0.0:0".parse().unwrap(), "text/plain", Page::default());
        assert!(matches!(refused, Err(ServeError::NotLoopback(_))));
        let (_, address) = served("page");
        assert!(matches!(serve(address, "text/plain", Page::default()), Err(ServeError::Listen { .. })), "it is taken");
    }

    /// Some say nothing, some half a request.
    #[test]
    fn half_open_connections_do_not_keep_a_scraper_waiting() {
        let (_, address) = served("page");
        let begun = Instant::now();
        let half_open: Vec<TcpStream> = (0..200)
            .map(|at| say(address, if at % 2 == 0 { b"" } else { b"GET /metrics HTTP/1.1\r\nHost: x\r\n" }))
            .collect();
        assert!(asked(address, "GET /metrics").ends_with("page"));
        assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
        // The last ones are closed when their time is over, all at once and not one after another.
        half_open.into_iter().rev().take(CONNECTIONS_MAX / 2).for_each(|stream| drop(heard(stream)));
        assert!(begun.elapsed() < 3 * PATIENCE, "{:?}", begun.elapsed());
    }

    /// A reader that sends a byte now and then is never silent for long, and is over when its time is.
    #[test]
    fn a_slow_request_ends_with_its_time() {
        let (_, address) = served("page");
        let mut stream = say(address, b"GET /metrics HTTP/1.1\r\nX: ");
        let begun = Instant::now();
        while stream.write_all(b"x").is_ok() {
            assert!(begun.elapsed() < 5 * PATIENCE, "it is still open");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}
