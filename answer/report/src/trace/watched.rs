//! The worst activations of a watched program in the JSON of Chrome's trace viewer, which Perfetto reads: a process an activation,
//! with a track for what it is, one for what its thread did, and one for each processor.

use super::json::{Track, document, named, slice};
use std::io::{self, Write};

/// One activation, or one pass of a section.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceActivation {
    /// What it is called.
    pub title: String,
    /// What happened, the most telling first.
    pub tracks: Vec<TraceTrack>,
}

/// What one thread or processor did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceTrack {
    /// Its name.
    pub name: String,
    /// What it did; of two slices one lies in the other, or they do not overlap.
    pub slices: Vec<TraceSlice>,
}

/// Something that lasts, in nanoseconds since the watch began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceSlice {
    /// What it is.
    pub name: String,
    /// Its kind, in one word.
    pub kind: &'static str,
    /// It begins.
    pub from_ns: u64,
    /// It ends.
    pub to_ns: u64,
}

/// Writes activations, each as a process of its own, all on one axis of time.
pub fn watched(activations: &[TraceActivation], to: impl Write) -> io::Result<()> {
    let events = (1..).zip(activations).flat_map(|(process, activation)| {
        let name = std::iter::once(named("process_name", Track { process, thread: 0 }, &activation.title));
        let tracks = (1..).zip(&activation.tracks).flat_map(move |(thread, track)| {
            let of = Track { process, thread };
            let slices = track.slices.iter().map(move |one| slice(&one.name, one.kind, of, one.from_ns, one.to_ns));
            std::iter::once(named("thread_name", of, &track.name)).chain(slices)
        });
        name.chain(tracks)
    });
    document(events, to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn each_activation_is_a_process_with_its_tracks() {
        let slice = |name: &str, from_ns, to_ns| TraceSlice { name: name.into(), kind: "thread", from_ns, to_ns };
        let track = |name: &str, slices| TraceTrack { name: name.into(), slices };
        let one = TraceActivation {
            title: "ctl 7".into(),
            tracks: vec![track("ctl", vec![slice("runs", 1_500, 4_000)]), track("cpu 0", vec![slice("hog", 0, 1_500)])],
        };
        let mut text = Vec::new();
        watched(&[TraceActivation::default(), one], &mut text).unwrap();
        let document: Value = serde_json::from_slice(&text).expect("JSON");
        let all = document["traceEvents"].as_array().unwrap();
        let slices: Vec<_> = all.iter().filter(|event| event["ph"] == "X").collect();
        assert_eq!(slices.len(), 2);
        assert_eq!(
            (&slices[0]["pid"], &slices[0]["tid"], &slices[0]["ts"], &slices[0]["dur"]),
            (&json!(2), &json!(1), &json!(1.5), &json!(2.5))
        );
        assert_eq!(all.iter().filter(|event| event["ph"] == "M").count(), 4);
    }
}
