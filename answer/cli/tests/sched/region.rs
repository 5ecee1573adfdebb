//! `prazo sched test --region`: the schedulable region over two parameters, for scripts and as a picture.

use crate::checkout;
use crate::support::Desk;

#[test]
fn a_region_has_the_verdict_of_each_set_alone() {
    let desk = Desk::new();
    let crane = checkout("examples/crane.toml");
    let crane = crane.display();
    let line = format!("sched test {crane} --shape global --region drives.cost,planner.cost");
    let document = desk.prazo(&format!("{line} --json")).expect_code(1).json();
    let region = &document[0]["region"];
    let values = |axis: &str| -> Vec<u64> {
        region[axis]["values"].as_array().expect("values").iter().filter_map(serde_json::Value::as_u64).collect()
    };
    let (x, y) = (values("x"), values("y"));
    assert!((15..=41).contains(&x.len()) && (15..=41).contains(&y.len()), "{region}");
    let verdicts = region["verdicts"].as_array().expect("rows");
    assert!(verdicts.len() == y.len() && verdicts.iter().all(|row| row.as_array().map(Vec::len) == Some(x.len())));
    // Some of them as sets of their own.
    let set = std::fs::read_to_string(checkout("examples/crane.toml")).expect("it is there");
    for (column, row) in [(0, 0), (x.len() - 1, y.len() - 1), (0, y.len() - 1), (x.len() / 2, y.len() / 2)] {
        let (drives, planner) = (x[column], y[row]);
        let other = set
            .replacen("cost = \"2ms\"", &format!("cost = \"{drives}ns\""), 1)
            .replace("cost = \"16ms\"", &format!("cost = \"{planner}ns\""));
        desk.write("other.toml", other);
        let alone = desk.prazo("sched test other.toml --shape global --json").json();
        assert_eq!(alone[0]["verdict"], verdicts[row][column], "{drives} {planner}");
    }
    let told = desk.prazo(&format!("{line} --report crane.html")).expect_code(1).stdout;
    assert!(told.contains("Schedulable region") && told.contains("combinations"), "{told}");
    let page = std::fs::read_to_string(desk.path("crane.html")).expect("it was written");
    assert!(page.contains("Schedulable region over drives.cost and planner.cost") && page.contains("this task set"));
    let ids = page.matches("id=\"region").count();
    assert_eq!(ids, page.matches("id=\"region-").count() + 1, "an id occurs once");
}

#[test]
fn a_region_of_what_is_not_there_is_refused() {
    let desk = Desk::new();
    let crane = checkout("examples/crane.toml");
    let test = |region: &str| desk.prazo(&format!("sched test {} --region {region}", crane.display()));
    test("hoist.cost,planner.cost").expect_code(2).expect_error(&["no task 'hoist'", "drives, sway, planner"]);
    test("planner.cost").expect_code(2).expect_error(&["two parameters"]);
    test("planner.colour,drives.cost").expect_code(2).expect_error(&["cost, period, deadline, jitter"]);
}
