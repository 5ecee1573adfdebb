//! Calls in the JSON of Chrome's trace viewer, which Perfetto reads: a process for each activation, its calls as nested slices, and a
//! track that shows what was off.

use super::json::{Track, document, named, slice};
use crate::calls::Calls;
use prazo_lab::calls::How;
use serde_json::{Value, json};
use std::io::{self, Write};

const CALLS: u32 = 1;
const LEVELS: u32 = 2;

/// Writes activations, each as a process of its own, beginning at its due instant.
pub fn calls(activations: &[Calls<'_>], to: impl Write) -> io::Result<()> {
    document((1..).zip(activations).flat_map(|(number, activation)| events(number, activation)), to)
}

fn events(process: u32, calls: &Calls<'_>) -> Vec<Value> {
    let track = |thread| Track { process, thread };
    let mut all = vec![
        named("process_name", track(0), calls.title),
        named("thread_name", track(CALLS), "calls"),
        named("thread_name", track(LEVELS), "interrupts or preemption off"),
    ];
    for stretch in calls.stretches() {
        let node = &calls.tree.nodes[stretch.node];
        let mut event = slice(&node.name, kind(node.how), track(CALLS), stretch.from_ns, stretch.to_ns);
        event["args"] = json!({"own_instructions": node.self_instructions(), "own_with_interrupts_off": node.self_off});
        all.push(event);
    }
    let off = calls.off().into_iter();
    all.extend(off.map(|(level, from, to)| slice(level.text(), "level", track(LEVELS), from, to)));
    all
}

fn kind(how: How) -> &'static str {
    match how {
        How::Thread => "thread",
        How::Call => "function",
        How::Interrupt => "interrupt",
        How::SystemCall => "system call",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::tests::example;

    #[test]
    fn calls_are_slices_inside_of_their_callers() {
        let (tree, span) = example();
        let one = Calls { title: "activation 7", tree: &tree, span: &span, instruction_ns: 8 };
        let mut text = Vec::new();
        calls(&[one, one], &mut text).unwrap();
        let document: Value = serde_json::from_slice(&text).expect("JSON");
        let all = document["traceEvents"].as_array().unwrap();
        let of_second = all.iter().filter(|event| event["pid"] == 2 && event["ph"] == "X");
        let slices: Vec<_> = of_second.map(|event| (&event["name"], &event["ts"], &event["dur"])).collect();
        let expected = [("task", 0.0, 0.4), ("caller", 0.0, 0.4), ("a<b>", 0.16, 0.16), ("interrupts off", 0.16, 0.16)];
        assert_eq!(slices.len(), expected.len());
        for ((name, ts, dur), expected) in slices.into_iter().zip(expected) {
            assert_eq!((name.as_str().unwrap(), ts.as_f64().unwrap(), dur.as_f64().unwrap()), expected);
        }
    }
}
