//! How far a verdict carries: what may grow before the set is no longer proven, and what must shrink until it is.
//!
//! Every question is put to the same tests again with other numbers, so an answer is exactly what those tests say, and none
//! of these searches knows which tests they are. The tests are not all sustainable: one may accept costs that are larger and
//! reject smaller ones (Burns and Baruah 2008). A bisection would hide that. So an answer names a number that was asked and
//! is proven, the next larger one, which was asked and is not, and how many questions that took; a few more numbers on both
//! sides are asked, and if one of them contradicts, the answer says that it is not monotone.
//!
//! A number holds for the arrivals that its tests hold for: at any real instant, unless the question asks for discrete time.

pub mod critical_task;
pub mod fewest_processors;
pub mod largest_cost_factor;
pub mod largest_overhead;
pub mod largest_task_cost;
pub mod region;
pub mod search;

use crate::{Task, Verdict};

/// Asks the tests about these tasks.
pub type AskTasks<'a> = &'a mut dyn FnMut(&[Task]) -> Verdict;
