//! A plot with logarithmic axes, as SVG.

use std::fmt::Write;

/// One line.
pub(crate) struct Series {
    pub name: &'static str,
    /// Number of tasks, microseconds.
    pub points: Vec<(f64, f64)>,
}

/// Lines of time over the number of tasks.
pub(crate) struct Plot<'a> {
    pub title: &'a str,
    pub series: &'a [Series],
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 90.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#e69f00", "#cc79a7", "#56b4e9", "#6b6b6b", "#1f2328"];

/// A logarithmic axis: values from `first` to `last` lie between the pixels `from` and `to`.
struct Axis {
    first: f64,
    last: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn place(&self, value: f64) -> f64 {
        self.from + (self.to - self.from) * (value / self.first).ln() / (self.last / self.first).ln()
    }
}

impl Plot<'_> {
    /// The whole picture.
    pub(crate) fn to_svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let first = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
        let last = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let tasks = Axis {
            first: first(&mut points().map(|point| point.0)),
            last: last(&mut points().map(|point| point.0)),
            from: LEFT,
            to: WIDTH - RIGHT,
        };
        let time = Axis {
            first: decade_below(first(&mut points().map(|point| point.1))),
            last: 10.0 * decade_below(last(&mut points().map(|point| point.1))),
            from: HEIGHT - BOTTOM,
            to: TOP,
        };
        let mut svg = header(self.title);
        self.draw_grid(&mut svg, &tasks, &time);
        self.draw_lines(&mut svg, &tasks, &time);
        svg + "</svg>\n"
    }

    fn draw_grid(&self, svg: &mut String, tasks: &Axis, time: &Axis) {
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        let mut decade = time.first;
        while decade <= time.last * 1.001 {
            let y = time.place(decade);
            push(svg, format_args!(r#"<path class="grid" d="M{LEFT} {y:.1}H{right}"/>"#));
            push(
                svg,
                format_args!(r#"<text x="{}" y="{:.1}" class="end">{}</text>"#, LEFT - 8.0, y + 4.0, with_unit(decade)),
            );
            decade *= 10.0;
        }
        for (tasks_there, _) in self.series.iter().take(1).flat_map(|series| &series.points) {
            let x = tasks.place(*tasks_there);
            push(svg, format_args!(r#"<path class="grid" d="M{x:.1} {TOP}V{bottom}"/>"#));
            push(svg, format_args!(r#"<text x="{x:.1}" y="{}" class="middle">{tasks_there}</text>"#, bottom + 18.0));
        }
        let middle = (LEFT + right) / 2.0;
        push(svg, format_args!(r#"<text x="{middle}" y="{}" class="middle">tasks</text>"#, bottom + 38.0));
    }

    fn draw_lines(&self, svg: &mut String, tasks: &Axis, time: &Axis) {
        let label_places = self.label_places(time);
        for ((series, colour), label) in self.series.iter().zip(COLOURS).zip(label_places) {
            let at = series.points.iter().map(|(n, us)| format!("{:.1} {:.1}", tasks.place(*n), time.place(*us)));
            let path = at.collect::<Vec<_>>().join("L");
            push(svg, format_args!(r#"<path stroke="{colour}" d="M{path}"/>"#));
            let x = WIDTH - RIGHT + 8.0;
            push(svg, format_args!(r#"<text x="{x}" y="{label:.1}" fill="{colour}">{}</text>"#, series.name));
        }
    }

    /// Where each line's name stands: at its end, but no two closer than a line of text.
    fn label_places(&self, time: &Axis) -> Vec<f64> {
        let end = |series: &Series| series.points.last().map_or(TOP, |point| time.place(point.1) + 4.0);
        let mut places: Vec<(usize, f64)> = self.series.iter().map(end).enumerate().collect();
        places.sort_by(|a, b| b.1.total_cmp(&a.1));
        for above in 1..places.len() {
            places[above].1 = places[above].1.min(places[above - 1].1 - 15.0);
        }
        places.sort_by_key(|place| place.0);
        places.into_iter().map(|place| place.1).collect()
    }
}

fn header(title: &str) -> String {
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, sans-serif" font-size="13">
<style>path{{fill:none;stroke-width:1.8}}.grid{{stroke:#dfe2e6;stroke-width:1}}.end{{text-anchor:end}}.middle{{text-anchor:middle}}</style>
<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>
<text x="{LEFT}" y="22" font-weight="600">{title}</text>
"##
    )
}

fn push(svg: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(svg, "{line}").expect("a string takes all text");
}

fn decade_below(value: f64) -> f64 {
    10f64.powf(value.log10().floor())
}

fn with_unit(us: f64) -> String {
    if us >= 999.0 { format!("{:.0} ms", us / 1e3) } else { format!("{us} µs") }
}
