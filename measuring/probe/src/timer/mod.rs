//! The timer probe: threads that sleep until an instant and note how late they woke.

mod control;
mod engine;
mod method;
mod ring;
mod sys;
mod when_late;
