//! Loads on this machine: what they reach, how they are held, and that nothing of them is ever left.

mod containment;
mod death;
mod faults;
mod machine;
mod rates;
mod system_calls;
