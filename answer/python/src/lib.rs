//! The library for Python: each function here is one of `prazo`, and the package around it (`prazo/`) gives it Python's types.
//!
//! ```text
//! prazo/tasks.py ─► _prazo.test(toml, options) ─► prazo::sched::test ─► its JSON document ─► prazo/tasks.py
//! ```
//! Documents cross as JSON, as `--json` prints them, so that one schema describes both; samples cross as Arrow. What takes
//! longer than a millisecond runs without the interpreter's lock, and a signal ends it where the library can stop.
#![forbid(unsafe_code)]

mod batch;
mod error;
mod experiment;
mod frame;
mod generate;
mod interrupt;
mod options;
mod progress;
mod run;
mod samples;
mod sched;
mod table;

use pyo3::prelude::*;

/// The module.
#[pymodule(name = "_prazo")]
fn contents(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    error::add(module)?;
    module.add_class::<run::RunFile>()?;
    module.add_class::<samples::Samples>()?;
    module.add_class::<table::Table>()?;
    module.add_function(wrap_pyfunction!(sched::read_tasks, module)?)?;
    module.add_function(wrap_pyfunction!(sched::read_file, module)?)?;
    module.add_function(wrap_pyfunction!(sched::read_overheads, module)?)?;
    module.add_function(wrap_pyfunction!(sched::scenario_keys, module)?)?;
    module.add_function(wrap_pyfunction!(sched::test, module)?)?;
    module.add_function(wrap_pyfunction!(sched::test_page, module)?)?;
    module.add_function(wrap_pyfunction!(batch::test_frame, module)?)?;
    module.add_function(wrap_pyfunction!(batch::test_lines, module)?)?;
    module.add_function(wrap_pyfunction!(batch::test_texts, module)?)?;
    module.add_function(wrap_pyfunction!(sched::verify, module)?)?;
    module.add_function(wrap_pyfunction!(sched::simulate, module)?)?;
    module.add_function(wrap_pyfunction!(sched::gantt, module)?)?;
    module.add_function(wrap_pyfunction!(sched::events, module)?)?;
    module.add_function(wrap_pyfunction!(batch::simulate_frame, module)?)?;
    module.add_function(wrap_pyfunction!(batch::simulate_lines, module)?)?;
    module.add_function(wrap_pyfunction!(batch::simulate_texts, module)?)?;
    module.add_function(wrap_pyfunction!(generate::families, module)?)?;
    module.add_function(wrap_pyfunction!(generate::generate, module)?)?;
    module.add_function(wrap_pyfunction!(generate::draw, module)?)?;
    module.add_function(wrap_pyfunction!(frame::record_keys, module)?)?;
    module.add_function(wrap_pyfunction!(experiment::experiment, module)?)?;
    module.add_function(wrap_pyfunction!(experiment::specification, module)?)?;
    module.add_function(wrap_pyfunction!(experiment::specified_chunks, module)?)?;
    Ok(())
}
