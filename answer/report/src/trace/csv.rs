//! Events as CSV: `at_ns,event,task,job,cpu`, the last empty where an event happens on no processor.

use prazo_core::event::Event;
use std::io::{self, Write};

/// Writes events as rows.
pub struct Csv<'a, W> {
    to: W,
    names: &'a [String],
}

impl<'a, W: Write> Csv<'a, W> {
    /// Begins with the head.
    pub fn new(mut to: W, names: &'a [String]) -> io::Result<Self> {
        writeln!(to, "at_ns,event,task,job,cpu")?;
        Ok(Self { to, names })
    }

    /// Writes one event.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        let (at_ns, kind, name) = (event.at.as_ns(), event.kind.name(), quoted(&self.names[event.task.index()]));
        write!(self.to, "{at_ns},{kind},{name},{},", event.job)?;
        match event.kind.cpu() {
            Some(cpu) => writeln!(self.to, "{cpu}"),
            None => writeln!(self.to),
        }
    }

    /// Writes out what is buffered.
    pub fn finish(mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// A name with a comma, a quotation mark or a line's end in quotation marks (RFC 4180).
fn quoted(name: &str) -> String {
    match name.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::event::EventKind;
    use prazo_core::job::TaskIndex;
    use prazo_core::time::Instant;

    #[test]
    fn an_awkward_name_stays_one_field() {
        let (mut text, names) = (Vec::new(), ["a,\"b\"".to_owned()]);
        let mut csv = Csv::new(&mut text, &names).unwrap();
        let event =
            Event { at: Instant::from_ns(7), task: TaskIndex::new(0).unwrap(), job: 3, kind: EventKind::Arrival };
        csv.event(&event).unwrap();
        csv.finish().unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "at_ns,event,task,job,cpu\n7,arrival,\"a,\"\"b\"\"\",3,\n");
    }
}
