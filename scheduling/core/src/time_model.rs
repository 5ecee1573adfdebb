//! At which instants jobs may arrive, as far as a proof is concerned.

/// The arrivals that a proof must hold for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimeModel {
    /// At any real instant, whatever the tick of the task set is. This is what a machine does.
    #[default]
    Continuous,
    /// At whole ticks only, and jobs run for whole ticks. Some published tools assume this.
    Discrete,
}

crate::words!(TimeModel: Continuous => "continuous", Discrete => "discrete");
