//! What happens when tasks run, job by job, with a virtual clock.

mod batch;
mod document;
mod files;
mod options;
mod run;
mod simulated;

pub(crate) use batch::{Modelled, modelled};
pub(crate) use files::chart_text;
pub(crate) use run::{SimulatedRun, run};

pub use batch::{SimulatedLine, simulate_batch, simulate_record};
pub use files::ScheduleFiles;
pub use options::SimulationOptions;
pub use prazo_report::simulation::Simulated;
pub use simulated::{SimulateAnswer, SimulateRequest, schedule_csv, schedule_svg, simulate};
