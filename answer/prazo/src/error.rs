//! Why a function of the library gives no answer: the request, the world, or the user's wish to stop.
//!
//! The cause stays the typed error of the crate that found it ([`std::error::Error::source`]), so that a caller can look for
//! an errno or a lower type instead of reading a sentence.

use prazo_load::LoadError;
use prazo_probe::session::SessionError;
use std::borrow::Cow;
use std::error::Error as StdError;
use std::{fmt, io, iter};

/// The typed error of a lower crate, or a sentence where no lower type exists.
type Cause = Box<dyn StdError + Send + Sync>;

/// Why there is no answer.
#[derive(Debug)]
pub enum Error {
    /// The request cannot be served as it stands.
    Refused(BadRequest),
    /// The system, a file or a network failed, or refused what the request needed.
    Failed(Fault),
    /// The caller asked to stop before there was an answer.
    Interrupted,
}

/// What is wrong with a request: the field, what is wrong with its value, and what to ask instead.
#[derive(Debug)]
pub struct BadRequest {
    /// The request's field, spelled as in the request; `None` where what a file holds is at fault.
    pub field: Option<&'static str>,
    /// The field's value, where the message needs it.
    pub value: Option<String>,
    /// What is wrong.
    pub cause: Cause,
    /// What to ask instead; `None` where the cause says it.
    pub remedy: Option<Cow<'static, str>>,
}

/// What the world refused: what was attempted, what came back, and what to do.
#[derive(Debug)]
pub struct Fault {
    /// What was attempted, as in "cannot write x.svg"; `None` where the cause says it.
    pub attempt: Option<String>,
    /// What came back.
    pub cause: Cause,
    /// What to do; `None` where the cause says it.
    pub remedy: Option<Cow<'static, str>>,
}

impl Error {
    /// The request is at fault, and `cause` says everything.
    pub fn refused(cause: impl Into<Cause>) -> Self {
        Self::Refused(BadRequest { field: None, value: None, cause: cause.into(), remedy: None })
    }

    /// A field of the request is at fault.
    pub fn field(field: &'static str, cause: impl Into<Cause>) -> Self {
        Self::Refused(BadRequest { field: Some(field), value: None, cause: cause.into(), remedy: None })
    }

    /// The world is at fault, and `cause` says everything.
    pub fn failed(cause: impl Into<Cause>) -> Self {
        Self::Failed(Fault { attempt: None, cause: cause.into(), remedy: None })
    }

    /// The request is at fault where `is_request`, else the world; `cause` says everything.
    pub(crate) fn blaming(is_request: bool, cause: impl Into<Cause>) -> Self {
        if is_request { Self::refused(cause) } else { Self::failed(cause) }
    }

    /// A file that the request names cannot be read: the request is at fault where there is no such file, else the world.
    pub(crate) fn reading(cause: impl Into<Cause>) -> Self {
        let cause = cause.into();
        let is_missing =
            |error: &io::Error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
        let is_request = io_errors(&*cause).any(is_missing);
        Self::blaming(is_request, cause)
    }

    /// The same of a request with this value in the field.
    pub fn with_value(mut self, value: impl fmt::Display) -> Self {
        if let Self::Refused(refusal) = &mut self {
            refusal.value = Some(value.to_string());
        }
        self
    }

    /// The same of the world with what was attempted, as in "cannot write x.svg".
    pub fn attempting(mut self, attempt: impl fmt::Display) -> Self {
        if let Self::Failed(fault) = &mut self {
            fault.attempt = Some(attempt.to_string());
        }
        self
    }

    /// The same with what to do.
    pub fn with_remedy(mut self, remedy: impl Into<Cow<'static, str>>) -> Self {
        match &mut self {
            Self::Refused(refusal) => refusal.remedy = Some(remedy.into()),
            Self::Failed(fault) => fault.remedy = Some(remedy.into()),
            Self::Interrupted => {}
        }
        self
    }

    /// The number of the system's error, if a system call is at the bottom of this.
    pub fn errno(&self) -> Option<i32> {
        io_errors(self.source()?).find_map(io::Error::raw_os_error)
    }
}

/// The system's errors among an error and what lies below it.
fn io_errors<'e>(error: &'e (dyn StdError + 'static)) -> impl Iterator<Item = &'e io::Error> {
    iter::successors(Some(error), |&error| error.source()).filter_map(|error| error.downcast_ref())
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Stopped { .. } => Self::Interrupted,
            error => Self::blaming(error.is_usage(), error),
        }
    }
}

impl From<SessionError> for Error {
    fn from(error: SessionError) -> Self {
        if error.is_interrupted() { Self::Interrupted } else { Self::blaming(error.is_usage(), error) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Failed(fault) => fault.fmt(f),
            Self::Interrupted => f.write_str("interrupted before there was an answer"),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Refused(refusal) => Some(&*refusal.cause),
            Self::Failed(fault) => Some(&*fault.cause),
            Self::Interrupted => None,
        }
    }
}

impl fmt::Display for BadRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.field, &self.value) {
            (Some(field), Some(value)) => write!(f, "{field} {value}: ")?,
            (Some(field), None) => write!(f, "{field}: ")?,
            (None, Some(value)) => write!(f, "{value}: ")?,
            (None, None) => {}
        }
        write!(f, "{}", self.cause)?;
        self.remedy.as_ref().map_or(Ok(()), |remedy| write!(f, "; {remedy}"))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(attempt) = &self.attempt {
            write!(f, "{attempt}: ")?;
        }
        write!(f, "{}", self.cause)?;
        self.remedy.as_ref().map_or(Ok(()), |remedy| write!(f, "; {remedy}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_what_was_asked_what_came_back_and_what_to_do() {
        let refused = Error::field("shape", "it is no shape").with_value("x2").with_remedy("write 2,2");
        assert_eq!(refused.to_string(), "shape x2: it is no shape; write 2,2");
        let denied = io::Error::from_raw_os_error(13);
        let failed = Error::failed(denied).attempting("cannot write a.svg").with_remedy("name another file");
        assert!(failed.to_string().starts_with("cannot write a.svg: "), "{failed}");
        assert!(failed.to_string().ends_with("; name another file"), "{failed}");
    }

    #[test]
    fn an_errno_stays_a_number_however_deep_it_lies() {
        let inner = Error::failed(io::Error::from_raw_os_error(28));
        assert_eq!(Error::failed(inner).errno(), Some(28));
        assert_eq!(Error::refused("a word").errno(), None);
        assert_eq!(Error::Interrupted.errno(), None);
    }
}
