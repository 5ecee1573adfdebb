//! A schedule as a static picture: a lane a processor, a lane a task, a colour a task.
//!
//! Processors show who runs; tasks show when jobs arrive (arrow up), when they are due (arrow down), when they run, and in
//! red stripes what happens after the deadline. A dashed frame is a suspension, grey on a processor's lane the time without supply. A diamond
//! is a server's used up budget. Bars say their job when pointed at.

pub(super) mod axis;
mod legend;

use super::frame::{COLOURS, Screen, Setting, cut, cut_to, escaped, for_each_screen};
use crate::gantt::{Gantt, Slice};
use crate::words::{self, time};
use legend::{Legend, arrow, diamond};
use std::collections::BTreeSet;

const RIGHT: f64 = 24.0;
const HEAD: f64 = 58.0;
const CPU_LANE: f64 = 36.0;
/// Heights of a task's lane where there are few of them, and where there are many.
const TASK_LANES: (f64, f64) = (46.0, 34.0);
/// As many tasks are few.
const FEW: usize = 12;
const GAP: f64 = 26.0;
const AXIS: f64 = 40.0;
/// Letters of a title and of a subtitle that find room on a narrow screen; the page has both in full.
const TITLE_MAX: usize = 34;
const SUBTITLE_MAX: usize = 52;
/// More tasks than these have no lane of their own.
const LANES_MAX: usize = 48;

const STYLE: &str = "<style>.gantt{--late:#d7263d;--on:#fff;--on-dark:#16191d;--on-pale:#16191d}.gantt .bar{fill:var(--c)}.gantt .f1{fill-opacity:.62}.gantt .f2{fill-opacity:.4;stroke:var(--c);stroke-width:1}\
.gantt .wait{fill:var(--c);fill-opacity:.13}.gantt .away{fill:none;stroke:var(--c);stroke-dasharray:3 2}.gantt .gone{fill:currentColor;fill-opacity:.2}.gantt .late-bar{fill:url(#late)}.narrow .gantt .late-bar{fill:url(#late-narrow)}.gantt .late-fill{fill:var(--late)}.gantt .late-line{stroke:#fff;stroke-opacity:.45;stroke-width:2.4}\
.gantt .name{font-weight:600}.gantt .on{fill:var(--on);font-size:11px;font-weight:600}.gantt .on-late{fill:#fff}\
.gantt .dark{fill:var(--on-dark)}.gantt .pale{fill:var(--on-pale)}.gantt .lane{fill:currentColor;fill-opacity:.045}.gantt .base{stroke:currentColor;stroke-opacity:.5}\
.gantt .arrow{stroke:currentColor;stroke-width:1.4;fill:none}.gantt .due{stroke:#7a828c;stroke-width:1.4;fill:none}\
.gantt .missed{stroke:var(--late);stroke-width:2.2;fill:none}.gantt .lateness{fill:var(--late);font-size:11px;font-weight:600}\
.gantt .used-up{fill:var(--c);stroke:currentColor;stroke-width:1.2}.gantt .quiet-text{fill-opacity:.7;font-size:12px}\
.gantt .title{font-size:17px;font-weight:650}\
@media(prefers-color-scheme:dark){.gantt{--late:#ff5468;--on:#14171a;--on-dark:#14171a;--on-pale:#f0f2f4}.gantt .late-line{stroke:#14171a}.gantt .due{stroke:#9aa3ad}}</style>";

/// The stripes of what runs after its deadline, between the pattern's name and this.
const STRIPES: &str = "\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
<rect class=\"late-fill\" width=\"8\" height=\"8\"/><line class=\"late-line\" x1=\"0\" x2=\"0\" y1=\"0\" y2=\"8\"/></pattern></defs>";

/// The picture.
pub fn gantt(gantt: &Gantt<'_>, setting: Setting) -> String {
    let slices = gantt.slices();
    let draw = |screen| {
        let place = Place { gantt, lanes: lanes(gantt), screen };
        let axis = axis::axis([gantt.start_ns, gantt.end_ns], [HEAD - 4.0, place.axis_top()], |at_ns| place.x(at_ns));
        let mut body = format!("<g class=\"gantt\">{STYLE}{}{}{axis}", place.stripes(), place.head());
        (0..gantt.cpus.len()).for_each(|cpu| body.push_str(&place.cpu_lane(cpu)));
        body.push_str(&place.unserved());
        place.each_lane(|lane, task| {
            body.push_str(&(place.task_lane(lane, task) + &place.waits(lane, task) + &place.suspended(lane, task)));
        });
        slices.iter().for_each(|slice| body.push_str(&place.on_cpu(slice)));
        slices.iter().for_each(|slice| body.push_str(&place.of_task(slice)));
        place.each_lane(|lane, task| body.push_str(&(place.arrows(lane, task) + &place.postponements(lane, task))));
        let (legend, height) = place.legend().drawn();
        body.push_str(&legend);
        body.push_str("</g>");
        (height, body)
    };
    for_each_screen(setting, draw, &escaped(&gantt.title))
}

/// The picture on a page of its own, light or dark as the reader's system is.
pub fn page(gantt: &Gantt<'_>) -> String {
    let title = escaped(&gantt.title);
    let picture = self::gantt(gantt, Setting::Alone);
    let window = format!(
        "From {} to {}.",
        match gantt.start_ns {
            0 => "0".to_owned(),
            start_ns => words::latency(i64::try_from(start_ns).unwrap_or(i64::MAX)),
        },
        words::latency(i64::try_from(gantt.end_ns).unwrap_or(i64::MAX))
    );
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>:root{{color-scheme:light dark}}\
         body{{margin:2rem auto;max-width:1400px;padding:0 1rem;font:15px system-ui,sans-serif}}svg{{width:100%;height:auto}}\
         </style></head><body>{picture}<p>{window} Point at a bar to read its job.</p></body></html>\n"
    )
}

/// The tasks that have a lane, in order: all, or those that miss and as many others as there is room for.
fn lanes(gantt: &Gantt<'_>) -> Vec<usize> {
    let late: BTreeSet<usize> = gantt.late().into_keys().map(|(task, _)| task).collect();
    let others = (0..gantt.tasks.len()).filter(|task| !late.contains(task));
    let mut lanes: Vec<usize> = late.iter().copied().chain(others).take(LANES_MAX).collect();
    lanes.sort_unstable();
    lanes
}

struct Place<'a> {
    gantt: &'a Gantt<'a>,
    /// The task of each lane.
    lanes: Vec<usize>,
    screen: Screen,
}

impl Place<'_> {
    fn each_lane(&self, draw: impl FnMut(usize, usize)) {
        let mut draw = draw;
        self.lanes.iter().enumerate().for_each(|(lane, task)| draw(lane, *task));
    }

    /// Where lanes begin; names stand before it.
    fn left(&self) -> f64 {
        if self.screen == Screen::Wide { 140.0 } else { 92.0 }
    }

    fn right(&self) -> f64 {
        self.screen.width() - RIGHT
    }

    /// A picture that is not shown lends no pattern, so that each has its own.
    fn stripes(&self) -> String {
        let name = if self.screen == Screen::Wide { "late" } else { "late-narrow" };
        format!("<defs><pattern id=\"{name}{STRIPES}")
    }

    fn lane_height(&self) -> f64 {
        if self.lanes.len() <= FEW { TASK_LANES.0 } else { TASK_LANES.1 }
    }

    /// How high arrows reach above the line that jobs stand on.
    fn reach(&self) -> f64 {
        self.lane_height() - 13.0
    }

    fn x(&self, at_ns: u64) -> f64 {
        let length = (self.gantt.end_ns - self.gantt.start_ns).max(1) as f64;
        self.left() + (self.right() - self.left()) * at_ns.saturating_sub(self.gantt.start_ns) as f64 / length
    }

    fn cpu_top(&self, cpu: usize) -> f64 {
        HEAD + CPU_LANE * cpu as f64
    }

    fn tasks_top(&self) -> f64 {
        self.cpu_top(self.gantt.cpus.len()) + GAP
    }

    /// The line that the jobs of a lane stand on.
    fn base(&self, lane: usize) -> f64 {
        self.tasks_top() + self.lane_height() * (lane + 1) as f64 - 6.0
    }

    fn legend(&self) -> Legend<'_> {
        let left = if self.screen == Screen::Wide { self.left() + 6.0 } else { 12.0 };
        Legend { gantt: self.gantt, lanes: &self.lanes, left, right: self.right(), top: self.axis_top() + AXIS }
    }

    fn axis_top(&self) -> f64 {
        self.tasks_top() + self.lane_height() * self.lanes.len() as f64 + 4.0
    }

    fn head(&self) -> String {
        let [of_title, most] = if self.screen == Screen::Wide { [usize::MAX; 2] } else { [TITLE_MAX, SUBTITLE_MAX] };
        let (title, subtitle) =
            (escaped(&cut_to(&self.gantt.title, of_title)), escaped(&cut_to(&self.gantt.subtitle, most)));
        format!(
            "<text class=\"title\" x=\"12\" y=\"24\">{title}</text><text class=\"quiet-text\" x=\"12\" y=\"44\">{subtitle}</text>"
        )
    }

    fn cpu_lane(&self, cpu: usize) -> String {
        let (top, left, width) = (self.cpu_top(cpu), self.left(), self.right() - self.left());
        let (y, height, name) = (top + 3.0, CPU_LANE - 6.0, escaped(&self.gantt.cpus[cpu]));
        format!(
            "<rect class=\"lane\" x=\"{left}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"3\"/>\
             <text class=\"name\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text>",
            left - 10.0,
            top + CPU_LANE / 2.0 + 4.5
        )
    }

    fn task_lane(&self, lane: usize, task: usize) -> String {
        let (base, left, end, colour) = (self.base(lane), self.left(), self.right(), task % COLOURS);
        let letters = if self.screen == Screen::Wide { 14 } else { 8 };
        let name = escaped(&cut_to(&self.gantt.tasks[task].name, letters));
        format!(
            "<line class=\"base\" x1=\"{left}\" x2=\"{end}\" y1=\"{base}\" y2=\"{base}\"/>\
             <rect class=\"bar c{colour}{}\" x=\"{}\" y=\"{}\" width=\"10\" height=\"10\" rx=\"2\"/>\
             <text class=\"name\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text>",
            faded(task),
            left - 18.0,
            base - 17.0,
            left - 24.0,
            base - 8.0
        )
    }

    /// From release to completion, behind the bars: what is not covered is waiting.
    fn waits(&self, lane: usize, task: usize) -> String {
        let (colour, top) = (task % COLOURS, self.base(lane) - 16.0);
        let span = |(start_ns, end_ns): &(u64, u64)| {
            let (x, end) = (self.x(*start_ns), self.x(*end_ns));
            format!(
                "<rect class=\"wait c{colour}\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"16\"/>",
                end - x
            )
        };
        self.gantt.pending(task).iter().map(span).collect()
    }

    fn suspended(&self, lane: usize, task: usize) -> String {
        let (colour, top) = (task % COLOURS, self.base(lane) - 15.5);
        let span = |(start_ns, end_ns): &(u64, u64)| {
            let (x, end) = (self.x(*start_ns), self.x(*end_ns));
            format!(
                "<rect class=\"away c{colour}\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"15\"><title>suspended, {} to {}</title></rect>",
                end - x,
                time(*start_ns),
                time(*end_ns)
            )
        };
        self.gantt.suspended(task).iter().map(span).collect()
    }

    /// A set with a supply has one processor.
    fn unserved(&self) -> String {
        let (top, height) = (self.cpu_top(0) + 3.0, CPU_LANE - 6.0);
        let span = |(start_ns, end_ns): &(u64, u64)| {
            let (x, end) = (self.x(*start_ns), self.x(*end_ns));
            format!(
                "<rect class=\"gone\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{height}\"><title>no supply, {} to {}</title></rect>",
                end - x,
                time(*start_ns),
                time(*end_ns)
            )
        };
        self.gantt.unserved.iter().map(span).collect()
    }

    fn on_cpu(&self, slice: &Slice) -> String {
        let (x, top) = (self.x(slice.start_ns), self.cpu_top(slice.cpu) + 3.0);
        let width = (self.x(slice.end_ns) - x).max(0.6);
        let bar = self.bar(slice, (x, top, width, CPU_LANE - 6.0));
        let label = label(&self.gantt.tasks[slice.task].name, slice.job, width);
        let ink = ink(slice);
        format!(
            "{bar}<text class=\"on{ink}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" pointer-events=\"none\">{}</text>",
            x + width / 2.0,
            top + CPU_LANE / 2.0 + 1.0,
            escaped(&label)
        )
    }

    fn of_task(&self, slice: &Slice) -> String {
        let Some(lane) = self.lanes.iter().position(|task| *task == slice.task) else { return String::new() };
        let (x, top) = (self.x(slice.start_ns), self.base(lane) - 16.0);
        self.bar(slice, (x, top, (self.x(slice.end_ns) - x).max(0.6), 16.0))
    }

    fn bar(&self, slice: &Slice, (x, y, width, height): (f64, f64, f64, f64)) -> String {
        let colour = slice.task % COLOURS;
        let class = if slice.is_late { "late-bar".to_owned() } else { format!("bar c{colour}{}", faded(slice.task)) };
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
    fn arrows(&self, lane: usize, task: usize) -> String {
        let (base, reach) = (self.base(lane), self.reach());
        let up = |at_ns: &u64| arrow("arrow", self.x(*at_ns) + 2.6, base, base - reach + 2.0);
        let down = |(at_ns, is_missed): &(u64, bool)| {
            let class = if *is_missed { "missed" } else { "due" };
            arrow(class, self.x(*at_ns) - 2.6, base - reach, base)
        };
        let arrivals: String = self.gantt.arrivals(task).iter().map(up).collect();
        arrivals + &self.gantt.deadlines(task).iter().map(down).collect::<String>() + &self.lateness(lane, task)
    }

    /// How late each late job ended, behind its end, where there is room before the next arrow.
    fn lateness(&self, lane: usize, task: usize) -> String {
        let marks: Vec<u64> = self.gantt.arrivals(task).into_iter().chain(self.gantt.deadlines_ns(task)).collect();
        let words = |(end_ns, late_ns): &(u64, u64)| {
            let (x, text) = (self.x(*end_ns) + 5.0, format!("{} late", time(*late_ns)));
            let next =
                marks.iter().filter(|at_ns| *at_ns > end_ns).min().map_or(self.screen.width(), |at_ns| self.x(*at_ns));
            let fits = x + 6.4 * text.len() as f64 <= next - 6.0;
            let y = self.base(lane) - 20.0;
            if fits {
                format!("<text class=\"lateness\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>")
            } else {
                String::new()
            }
        };
        self.gantt.tardy(task).iter().map(words).collect()
    }

    /// A diamond where a budget was used up.
    fn postponements(&self, lane: usize, task: usize) -> String {
        let (y, colour) = (self.base(lane), task % COLOURS);
        let diamond = |(at_ns, until_ns): &(u64, u64)| {
            let title = format!("budget used up at {}: deadline postponed to {}", time(*at_ns), time(*until_ns));
            format!(
                "<path class=\"used-up c{colour}\" d=\"{}\"><title>{title}</title></path>",
                diamond(self.x(*at_ns), y)
            )
        };
        self.gantt.postponements(task).iter().map(diamond).collect()
    }
}

/// Which ink is read on a bar: pale and light colours want another than full ones.
fn ink(slice: &Slice) -> &'static str {
    match slice.task {
        _ if slice.is_late => " on-late",
        task if task >= COLOURS => " pale",
        3..=5 => " dark",
        _ => "",
    }
}

/// What fits into a bar of this width: name and job, the name, its beginning with its number, or the number.
fn label(name: &str, job: u64, width: f64) -> String {
    let room = ((width - 4.0) / 7.4).max(0.0) as usize;
    let full = format!("{} {job}", cut(name));
    match () {
        () if full.chars().count() <= room => full,
        () if name.chars().count() <= room => name.to_owned(),
        () => abridged(name, room),
    }
}

/// `task-26` in five letters is `ta…26`, in two `26`: the number at the end tells many tasks of one kind apart.
fn abridged(name: &str, room: usize) -> String {
    let head = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = &name[head.len()..];
    match room.checked_sub(number.len()) {
        Some(left) if left >= 2 + usize::from(number.is_empty()) => cut_to(head, left) + number,
        Some(_) => number.to_owned(),
        None => String::new(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gantt::GanttTask;

    #[test]
    fn names_are_escaped_in_picture_and_page() {
        let task = GanttTask { name: "a<b".to_owned(), deadline_ns: 5 };
        let (title, subtitle, cpus) = ("c<d".to_owned(), String::new(), vec!["CPU 0".to_owned()]);
        let chart =
            Gantt { title, subtitle, cpus, tasks: vec![task], start_ns: 10, end_ns: 30, unserved: vec![], events: &[] };
        let page = page(&chart);
        assert!(page.contains("a&lt;b") && !page.contains("a<b"));
        assert!(page.contains("c&lt;d") && !page.contains("c<d"));
    }

    #[test]
    fn a_label_keeps_what_tells_tasks_apart() {
        let of_room = |name, room: usize| abridged(name, room);
        assert_eq!(
            [7, 5, 4, 3, 2, 1].map(|room| of_room("task-261", room)),
            ["tas…261", "t…261", "261", "261", "", ""]
        );
        assert_eq!([4, 3, 2, 0].map(|room| of_room("sensor", room)), ["sen…", "se…", "", ""]);
        assert_eq!(label("video", 3, 60.0), "video 3");
    }
}
