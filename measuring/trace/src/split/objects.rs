//! The compiled BPF programs, where this prazo was built with a clang.

include!(concat!(env!("OUT_DIR"), "/objects.rs"));
