//! The library's errors as Python's exceptions.

use prazo::{BadRequest, Error};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;

create_exception!(
    prazo,
    PrazoError,
    PyException,
    "A request that prazo could not answer; the message says what was requested, what failed, and what to do."
);
create_exception!(prazo, RefusedError, PrazoError, "The request is invalid and must be changed.");
create_exception!(
    prazo,
    FailedError,
    PrazoError,
    "The system, a file or the network failed, or refused what the request needed."
);

/// The three exceptions.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let python = module.py();
    module.add("PrazoError", python.get_type::<PrazoError>())?;
    module.add("RefusedError", python.get_type::<RefusedError>())?;
    module.add("FailedError", python.get_type::<FailedError>())
}

/// An error of the library.
pub(crate) fn of(error: Error) -> PyErr {
    match error {
        Error::Refused(_) => RefusedError::new_err(error.to_string()),
        Error::Failed(_) => FailedError::new_err(error.to_string()),
        Error::Interrupted => PyKeyboardInterrupt::new_err(error.to_string()),
    }
}

/// The same of a call whose keyword is another word than the library's field.
pub(crate) fn named(error: Error, field: &str, keyword: &'static str) -> PyErr {
    match error {
        Error::Refused(refusal) if refusal.field == Some(field) => {
            of(Error::Refused(BadRequest { field: Some(keyword), ..refusal }))
        }
        other => of(other),
    }
}

/// A request that a lower crate refuses, or a value that is none of its words.
pub(crate) fn refused(error: impl std::fmt::Display) -> PyErr {
    RefusedError::new_err(error.to_string())
}

/// A file or a system that failed.
pub(crate) fn failed(error: impl std::fmt::Display) -> PyErr {
    FailedError::new_err(error.to_string())
}

/// A document as JSON.
pub(crate) fn json(document: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(document).map_err(failed)
}

/// What an exception says.
pub(crate) fn said(error: &PyErr) -> String {
    Python::attach(|python| error.value(python).to_string())
}
