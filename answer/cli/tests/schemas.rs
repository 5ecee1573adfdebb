//! The published schemas: they are those of this program, and what it prints holds to them.

mod support;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use support::Desk;
use support::schema::violation;

fn published() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema")
}

fn schemas(folder: &Path) -> BTreeMap<String, Value> {
    let entries = std::fs::read_dir(folder).expect("the folder of schemas").map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path.file_name().unwrap().to_string_lossy().into_owned(), serde_json::from_str(&text).expect("JSON"))
        })
        .collect()
}

#[test]
fn the_published_schemas_are_those_of_this_program() {
    let desk = Desk::new();
    desk.prazo("generate schema made").expect_code(0);
    let (made, published) = (schemas(&desk.path("made")), schemas(&published()));
    let differs: Vec<_> = made.iter().filter(|(name, schema)| published.get(*name) != Some(schema)).collect();
    let names: Vec<_> = differs.iter().map(|(name, _)| name).collect();
    assert!(names.is_empty(), "{names:?} differ: cargo run -p prazo-cli -- generate schema docs/schema");
    assert_eq!(made.len(), published.len(), "docs/schema holds a schema that nothing prints");
}

#[test]
fn every_published_schema_is_named_in_the_documentation() {
    let text = std::fs::read_to_string(published().join("../json.md")).expect("docs/json.md");
    for name in schemas(&published()).keys() {
        assert!(text.contains(&format!("schema/{name}")), "docs/json.md does not name {name}");
    }
}

#[track_caller]
fn holds(name: &str, document: &Value) {
    let schema = &schemas(&published())[&format!("{name}.json")];
    assert_eq!(violation(document, schema), None, "{name}");
}

#[test]
fn what_a_run_prints_holds_to_its_schemas() {
    let desk = Desk::new();
    let words = "measure timer -D 2s -p other --load cpu=1 --lead-in 0s --deadline 1ms --plain -o a.prazo --json";
    let measured = desk.prazo(words);
    holds("measure", &measured.json());
    desk.prazo("measure timer -D 2s -p other --method nanosleep --plain -o b.prazo").expect_code(0);
    holds("report", &desk.prazo("report a.prazo b.prazo --deadline 1ms --kind soft --json").json());
    holds("report", &desk.prazo("report b.prazo --json").json());
    holds("export-json", &desk.prazo("export a.prazo --json").json());
    holds("compare", &desk.prazo("compare a.prazo b.prazo --json").json());
}

#[test]
fn what_needs_no_run_holds_to_its_schemas() {
    let desk = Desk::new();
    desk.write("a.txt", "# Histogram\n000008 000500\n000009 000400\n# Total: 000000900\n# Min Latencies: 00008\n# Avg Latencies: 00008\n# Max Latencies: 00009\n# Histogram Overflows: 00000\n");
    for (name, words) in [
        ("import", "import a.txt -o runs --json"),
        ("check", "check --json"),
        ("tune", "tune --dry-run --json"),
        ("tune-undo", "tune undo --json"),
        ("load-list", "load --list --json"),
        ("load", "load --load cpu=1 -D 300ms --json"),
        ("load-compare", "load --load cpu=1 --compare -D 300ms --json"),
        ("lab-list", "lab list --json"),
        ("study-list", "study list --json"),
        ("study", "study show blaess-2014 -o study --json"),
    ] {
        holds(name, &desk.prazo(words).json());
    }
}

#[test]
fn the_check_finds_what_is_wrong_with_a_document() {
    let schema = &schemas(&published())["import.json"];
    let row = json!({"file": "f", "run": "r", "count": 1, "min_ns": null, "mean_ns": 1.5, "max_ns": 2,
        "stated_mean_ns": null, "overflow": 0, "caveats": []});
    assert_eq!(violation(&json!([row]), schema), None);
    for key in row.as_object().unwrap().keys() {
        let (mut missing, mut wrong) = (row.clone(), row.clone());
        missing.as_object_mut().unwrap().remove(key);
        wrong[key] = json!({});
        assert!(violation(&json!([missing]), schema).unwrap().contains(key.as_str()));
        assert!(violation(&json!([wrong]), schema).unwrap().contains(key.as_str()));
    }
}
