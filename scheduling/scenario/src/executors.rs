//! ROS 2 executors as data: threads that run callbacks one after the other, what activates the callbacks, and chains through them.

use crate::supply_words::SupplyWords;
use crate::unit::Unit;
use prazo_core::behaviour::{Burst, Supply};
use prazo_core::task::Ticks;

/// Executors with their callbacks, in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecutorSet {
    /// What it is called.
    pub name: String,
    /// The paper or system it is from.
    pub origin: Option<String>,
    /// What a reader should know of it.
    pub note: Option<String>,
    /// The length of a tick; `None` where the file states none.
    pub unit: Option<Unit>,
    /// The executors in their author's order.
    pub executors: Vec<NamedExecutor>,
    /// All callbacks, in the order of the file.
    pub callbacks: Vec<NamedCallback>,
    /// Chains through the callbacks.
    pub chains: Vec<CallbackChain>,
}

/// One thread that runs callbacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedExecutor {
    /// Its name.
    pub name: String,
    /// Which callback it runs next.
    pub kind: ExecutorKind,
    /// In which order it runs the subscriptions of a round.
    pub order: SubscriptionOrder,
    /// What the thread has of one processor; `None` if all of it.
    pub supply: Option<Supply>,
    /// How the supply was stated, where that is not a budget and a period.
    pub supply_words: Option<SupplyWords>,
}

/// How an executor chooses the next callback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ExecutorKind {
    /// The default executor of rclcpp: it samples what is ready, and runs all that before it samples again.
    #[default]
    SingleThreaded,
    /// The events executor: first come, first served.
    Events,
}

prazo_core::words!(ExecutorKind: SingleThreaded => "single-threaded", Events => "events");

/// In which order a single-threaded executor runs the subscriptions that it has sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SubscriptionOrder {
    /// Any order, another one each time: newer releases of rclcpp.
    #[default]
    Any,
    /// That of their registration, which is that of the file: older releases.
    Registration,
}

prazo_core::words!(SubscriptionOrder: Any => "any", Registration => "registration");

/// One callback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCallback {
    /// Its name.
    pub name: String,
    /// Index of its executor.
    pub executor: usize,
    /// Its longest execution time.
    pub cost: Ticks,
    /// What activates it.
    pub activation: Activator,
    /// The topics on which it publishes a message each time it has run.
    pub publishes: Vec<String>,
}

/// What activates a callback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Activator {
    /// A timer with this period.
    Timer {
        /// Its period.
        period: Ticks,
    },
    /// Messages of a topic that no callback of the file publishes.
    External {
        /// The topic.
        topic: String,
        /// How many messages arrive close together.
        arrivals: Burst,
        /// How much later than that a message may arrive.
        jitter: Ticks,
    },
    /// Messages of a topic that another callback publishes.
    Callback {
        /// The topic.
        topic: String,
        /// Index of the callback that publishes it.
        by: usize,
        /// A message arrives at most so long after it was published.
        delay: Ticks,
    },
}

/// A path of messages from callback to callback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackChain {
    /// Its name.
    pub name: String,
    /// Indices of the callbacks, each activated by the one before.
    pub callbacks: Vec<usize>,
    /// The longest time from the activation of the first callback to the end of the last; `None` where nothing is required.
    pub deadline: Option<Ticks>,
}
