//! Schedulability: task sets proven, packed, simulated, run, deployed and watched.

mod acceptance;
pub mod advise;
mod certificate;
mod cpu_order;
mod curve;
pub mod deploy;
mod executors;
mod experiment;
mod grants;
pub mod inversion;
mod json_lines;
mod method;
mod options;
mod partition;
mod pattern;
mod pieces;
mod place;
mod question;
mod region;
pub mod run;
mod scheduler;
mod shape;
pub mod simulate;
mod test;
mod test_batch;
mod test_files;
mod verify;
pub mod watch;

pub use advise::{AdviseAnswer, AdviseRequest, Advised, advise};
pub use cpu_order::{CpuOrder, NoCpuOrder};
pub use curve::{CurveRequest, ObservedCurve, ObservedCurves, ObservedStep, curve};
pub use deploy::{DeployMode, DeployRequest, Deployment, UndeployRequest, deploy, undeploy};
pub use executors::{CallbackChainRow, CallbackRow, ExecutorsRequest, TestedExecutors, executors};
pub use experiment::{
    ExperimentRequest, ExportFile, ExportForm, NoExport, experiment, experiment_chunk, experiment_outcome,
    find_experiment, specification, specified_chunks,
};
pub use inversion::{InversionRequest, Inverted, inversion};
pub use json_lines::BatchCount;
pub use method::MethodOptions;
pub use options::{OverheadsChoice, SchedulerOptions, TaskSet};
pub use partition::{PartitionAnswer, PartitionRequest, partition};
pub use prazo_report::schedulability::Answered;
pub use question::PosedQuestion;
pub(crate) use question::check_plain;
pub use region::{Parameter, RegionOf};
pub use run::{RunAnswer, RunLine, RunOptions, RunRequest, RunSet, Stage, run, run_batch};
pub use scheduler::{NoScheduler, SchedulerChoice};
pub use shape::{NoShapeChoice, ShapeChoice, Sharing};
pub use simulate::{
    ScheduleFiles, SimulateAnswer, SimulateRequest, Simulated, SimulatedLine, SimulationOptions, schedule_csv,
    schedule_svg, simulate, simulate_batch, simulate_record,
};
pub use test::{Admitted, RefusedTask, Supplied, TestAnswer, TestRequest, Tested, test};
pub use test_batch::{RecordAnswer, test_batch, test_record};
pub use test_files::{TestFilesRequest, TestedFiles, test_files};
pub use verify::{CertifiedTask, Verified, VerifyRequest, verify, verify_text};
pub use watch::{WatchRequest, Watched, watch};
