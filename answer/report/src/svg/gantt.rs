//! A schedule as a static picture: a lane a processor, a lane a task, a colour a task.
//!
//! Processors show who runs; tasks show when jobs arrive (arrow up), when they are due (arrow down), when they run, and in
//! red what happens after the deadline. Bars say their job when pointed at.

use super::{COLOURS, Setting, WIDTH, cut, escaped, picture};
use crate::gantt::{Gantt, Slice};
use crate::words;
use std::fmt::Write;

const LEFT: f64 = 140.0;
const RIGHT: f64 = 24.0;
const HEAD: f64 = 58.0;
const CPU_LANE: f64 = 36.0;
const TASK_LANE: f64 = 46.0;
const GAP: f64 = 26.0;
const AXIS: f64 = 40.0;
const LEGEND: f64 = 30.0;
/// More tasks than these have no lane of their own.
const LANES_MAX: usize = 24;

const STYLE: &str = "<style>.gantt .bar{fill:var(--c)}.gantt .f1{fill-opacity:.62}.gantt .f2{fill-opacity:.38}\
.gantt .wait{fill:var(--c);fill-opacity:.16}.gantt .late-bar{fill:#d7263d}.gantt .name{font-weight:600}.gantt .on{fill:#fff;font-size:11px;font-weight:600}\
.gantt .dark{fill:#16191d}.gantt .lane{fill:currentColor;fill-opacity:.045}.gantt .base{stroke:currentColor;stroke-opacity:.5}\
.gantt .arrow{stroke:currentColor;stroke-width:1.4;fill:none}.gantt .due{stroke:#7a828c;stroke-width:1.4;fill:none}\
.gantt .missed{stroke:#d7263d;stroke-width:2.2;fill:none}.gantt .quiet-text{fill-opacity:.7;font-size:12px}\
.gantt .title{font-size:17px;font-weight:650}</style>";

/// The picture.
pub fn gantt(gantt: &Gantt<'_>, setting: Setting) -> String {
    let place = Place { gantt, tasks: gantt.tasks.len().min(LANES_MAX) };
    let slices = gantt.slices();
    let mut body = format!("{STYLE}<g class=\"gantt\">{}{}", place.head(), place.axis());
    (0..gantt.cpus.len()).for_each(|cpu| body.push_str(&place.cpu_lane(cpu)));
    (0..place.tasks).for_each(|task| body.push_str(&(place.task_lane(task) + &place.waits(task))));
    slices.iter().for_each(|slice| body.push_str(&place.on_cpu(slice)));
    slices.iter().filter(|slice| slice.task < place.tasks).for_each(|slice| body.push_str(&place.of_task(slice)));
    (0..place.tasks).for_each(|task| body.push_str(&place.arrows(task)));
    body.push_str(&place.legend());
    body.push_str("</g>");
    picture(&escaped(&gantt.title), place.height(), setting, &body)
}

struct Place<'a> {
    gantt: &'a Gantt<'a>,
    /// How many tasks have a lane.
    tasks: usize,
}

impl Place<'_> {
    fn x(&self, at_ns: u64) -> f64 {
        let length = (self.gantt.end_ns - self.gantt.start_ns).max(1) as f64;
        LEFT + (WIDTH - LEFT - RIGHT) * at_ns.saturating_sub(self.gantt.start_ns) as f64 / length
    }

    fn cpu_top(&self, cpu: usize) -> f64 {
        HEAD + CPU_LANE * cpu as f64
    }

    fn tasks_top(&self) -> f64 {
        self.cpu_top(self.gantt.cpus.len()) + GAP
    }

    /// The line that a task's jobs stand on.
    fn base(&self, task: usize) -> f64 {
        self.tasks_top() + TASK_LANE * (task + 1) as f64 - 6.0
    }

    fn axis_top(&self) -> f64 {
        self.tasks_top() + TASK_LANE * self.tasks as f64 + 4.0
    }

    fn height(&self) -> f64 {
        self.axis_top() + AXIS + LEGEND
    }

    fn head(&self) -> String {
        let (title, subtitle) = (escaped(&self.gantt.title), escaped(&self.gantt.subtitle));
        format!(
            "<text class=\"title\" x=\"12\" y=\"24\">{title}</text><text class=\"quiet-text\" x=\"12\" y=\"44\">{subtitle}</text>"
        )
    }

    /// Steps of 1, 2 or 5 units, about ten of them.
    fn ticks(&self) -> Vec<u64> {
        let length = (self.gantt.end_ns - self.gantt.start_ns).max(1);
        let rough = length.div_ceil(11);
        let power = 10u64.pow(rough.ilog10());
        let step = [1, 2, 5, 10].into_iter().map(|digit| digit * power).find(|step| *step >= rough).unwrap_or(rough);
        let first = self.gantt.start_ns.div_ceil(step);
        (first..).map(|count| count * step).take_while(|at_ns| *at_ns <= self.gantt.end_ns).collect()
    }

    fn axis(&self) -> String {
        let (top, bottom) = (HEAD - 4.0, self.axis_top());
        let mut text = String::new();
        for at_ns in self.ticks() {
            let (x, label) = (self.x(at_ns), words::latency(i64::try_from(at_ns).unwrap_or(i64::MAX)));
            let label = if at_ns == 0 { "0" } else { &label };
            let _ = write!(
                text,
                "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top}\" y2=\"{bottom}\"/>\
                 <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\" font-size=\"12\">{label}</text>",
                bottom + 18.0
            );
        }
        text
    }

    fn cpu_lane(&self, cpu: usize) -> String {
        let (top, width) = (self.cpu_top(cpu), WIDTH - LEFT - RIGHT);
        let (y, height, name) = (top + 3.0, CPU_LANE - 6.0, escaped(&self.gantt.cpus[cpu]));
        format!(
            "<rect class=\"lane\" x=\"{LEFT}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"3\"/>\
             <text class=\"name\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text>",
            LEFT - 10.0,
            top + CPU_LANE / 2.0 + 4.5
        )
    }

    fn task_lane(&self, task: usize) -> String {
        let (base, end, colour) = (self.base(task), WIDTH - RIGHT, task % COLOURS);
        let name = escaped(&short(&self.gantt.tasks[task].name, 14));
        format!(
            "<line class=\"base\" x1=\"{LEFT}\" x2=\"{end}\" y1=\"{base}\" y2=\"{base}\"/>\
             <rect class=\"bar c{colour}{}\" x=\"{}\" y=\"{}\" width=\"10\" height=\"10\" rx=\"2\"/>\
             <text class=\"name\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text>",
            faded(task),
            LEFT - 18.0,
            base - 17.0,
            LEFT - 24.0,
            base - 8.0
        )
    }

    /// From release to completion, behind the bars: what is not covered is waiting.
    fn waits(&self, task: usize) -> String {
        let (colour, top) = (task % COLOURS, self.base(task) - 16.0);
        let span = |(start_ns, end_ns): &(u64, u64)| {
            let (x, end) = (self.x(*start_ns), self.x(*end_ns));
            format!(
                "<rect class=\"wait c{colour}\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"16\"/>",
                end - x
            )
        };
        self.gantt.pending(task).iter().map(span).collect()
    }

    fn on_cpu(&self, slice: &Slice) -> String {
        let (x, top) = (self.x(slice.start_ns), self.cpu_top(slice.cpu) + 3.0);
        let width = (self.x(slice.end_ns) - x).max(0.6);
        let bar = self.bar(slice, (x, top, width, CPU_LANE - 6.0));
        let label = label(&self.gantt.tasks[slice.task].name, slice.job, width);
        let dark = if !slice.is_late && (slice.task >= COLOURS || matches!(slice.task % COLOURS, 3..=5)) {
            " dark"
        } else {
            ""
        };
        format!(
            "{bar}<text class=\"on{dark}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" pointer-events=\"none\">{}</text>",
            x + width / 2.0,
            top + CPU_LANE / 2.0 + 1.0,
            escaped(&label)
        )
    }

    fn of_task(&self, slice: &Slice) -> String {
        let (x, top) = (self.x(slice.start_ns), self.base(slice.task) - 16.0);
        self.bar(slice, (x, top, (self.x(slice.end_ns) - x).max(0.6), 16.0))
    }

    fn bar(&self, slice: &Slice, (x, y, width, height): (f64, f64, f64, f64)) -> String {
        let colour = slice.task % COLOURS;
        let class = if slice.is_late { "late-bar".to_owned() } else { format!("bar c{colour}{}", faded(slice.task)) };
        let time = |ns: u64| words::latency(i64::try_from(ns).unwrap_or(i64::MAX));
        let (name, cpu) = (escaped(&self.gantt.tasks[slice.task].name), escaped(&self.gantt.cpus[slice.cpu]));
        let late = if slice.is_late { ", after its deadline" } else { "" };
        format!(
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height}\" rx=\"2\"><title>{name}, \
             job {}: {cpu}, {} to {}{late}</title></rect>",
            slice.job,
            time(slice.start_ns),
            time(slice.end_ns)
        )
    }

    /// Arrivals a little right, deadlines a little left of their instant, so that both are seen where they coincide.
    fn arrows(&self, task: usize) -> String {
        let base = self.base(task);
        let up = |at_ns: &u64| arrow("arrow", self.x(*at_ns) + 2.6, base, base - 31.0);
        let down = |(at_ns, is_missed): &(u64, bool)| {
            let class = if *is_missed { "missed" } else { "due" };
            arrow(class, self.x(*at_ns) - 2.6, base - 33.0, base)
        };
        let arrivals: String = self.gantt.arrivals(task).iter().map(up).collect();
        arrivals + &self.gantt.deadlines(task).iter().map(down).collect::<String>()
    }

    fn legend(&self) -> String {
        let y = self.axis_top() + AXIS + 12.0;
        let word = |x: f64, text: &str| format!("<text x=\"{x}\" y=\"{y}\" font-size=\"12\">{text}</text>");
        let mut text = arrow("arrow", LEFT + 6.0, y + 3.0, y - 14.0) + &word(LEFT + 16.0, "arrival");
        text += &(arrow("due", LEFT + 86.0, y - 14.0, y + 3.0) + &word(LEFT + 96.0, "deadline"));
        text += &(arrow("missed", LEFT + 176.0, y - 14.0, y + 3.0) + &word(LEFT + 186.0, "deadline missed"));
        let bar = format!(
            "<rect class=\"late-bar\" x=\"{}\" y=\"{}\" width=\"22\" height=\"12\" rx=\"2\"/>",
            LEFT + 304.0,
            y - 10.0
        );
        text += &(bar + &word(LEFT + 332.0, "runs after its deadline"));
        let wait =
            format!("<rect class=\"wait c6\" x=\"{}\" y=\"{}\" width=\"22\" height=\"12\"/>", LEFT + 486.0, y - 10.0);
        text += &(wait + &word(LEFT + 514.0, "waits"));
        let left_out = self.gantt.tasks.len() - self.tasks;
        if left_out > 0 {
            text += &word(LEFT + 580.0, &format!("{} more without a lane", words::counted(left_out as u64, "task")));
        }
        text
    }
}

/// A line from `tail` to `tip` with a head.
fn arrow(class: &str, x: f64, tail: f64, tip: f64) -> String {
    let back = if tip < tail { tip + 6.0 } else { tip - 6.0 };
    format!(
        "<path class=\"{class}\" d=\"M{x:.1} {tail:.1}V{tip:.1}M{:.1} {back:.1}L{x:.1} {tip:.1}L{:.1} {back:.1}\"/>",
        x - 3.6,
        x + 3.6
    )
}

/// What fits into a bar of this width: name and job, the name, or its beginning.
fn label(name: &str, job: u64, width: f64) -> String {
    let room = ((width - 4.0) / 7.4).max(0.0) as usize;
    let full = format!("{} {job}", cut(name));
    match () {
        () if full.chars().count() <= room => full,
        () if room >= 3 || name.chars().count() <= room => short(name, room),
        () => String::new(),
    }
}

/// Colours repeat; the second and third time round they are paler.
fn faded(task: usize) -> &'static str {
    match task / COLOURS {
        0 => "",
        1 => " f1",
        _ => " f2",
    }
}

/// At most `most` letters, the last of them an ellipsis where some are left out.
fn short(name: &str, most: usize) -> String {
    if name.chars().count() <= most { name.to_owned() } else { name.chars().take(most - 1).chain(['…']).collect() }
}
