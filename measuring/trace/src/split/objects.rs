//! The compiled BPF programs, where this prazo was built with a clang.

include!(concat!(env!("OUT_DIR"), "/objects.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_object_names_the_folder_that_it_was_built_in() {
        let folder = env!("CARGO_MANIFEST_DIR").as_bytes();
        for object in [SPLIT, EVENTS, ANSWER, OVERHEADS, ACTIVATIONS].into_iter().flatten() {
            let has_it = object.windows(folder.len()).any(|part| part == folder);
            assert!(!has_it, "an object has {}", env!("CARGO_MANIFEST_DIR"));
        }
    }
}
