//! An experiment's points as rows: every format holds what the result holds.

#[path = "support/experiment.rs"]
mod support;

use prazo_experiment::export;
use support::{run, small};

#[test]
fn csv_has_a_row_for_each_point_of_each_curve() {
    let folder = tempfile::tempdir().unwrap();
    let result = run(&small(), folder.path(), 2);
    let mut bytes = Vec::new();
    export::csv::write(&result, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows[0], export::csv::COLUMNS);
    assert_eq!(rows.len(), 1 + 3 * (4 + 9));
    assert!(rows[1].starts_with("light,plain,P,none,3,"), "{}", rows[1]);
    let first = &result.curves[0].points[0];
    let shares = format!(",{},{},{},", first.share.unwrap(), first.share_min.unwrap(), first.share_max.unwrap());
    assert!(rows[1].contains(&shares) && rows[1].contains(",120,120,0,0,0,"), "{}", rows[1]);
    assert!(rows[1].contains("\"first-fit, "), "{}", rows[1]);
}

#[test]
fn the_result_survives_json() {
    let folder = tempfile::tempdir().unwrap();
    let result = run(&small(), folder.path(), 2);
    let text = serde_json::to_string(&result).unwrap();
    assert_eq!(serde_json::from_str::<prazo_experiment::ExperimentResult>(&text).unwrap(), result);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_has_the_rows_of_the_csv() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;
    let folder = tempfile::tempdir().unwrap();
    let result = run(&small(), folder.path(), 2);
    let mut bytes = Vec::new();
    export::parquet::write(&result, &mut bytes).unwrap();
    let path = folder.path().join("points.parquet");
    std::fs::write(&path, bytes).unwrap();
    let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(|row| row.unwrap()).collect();
    let points: Vec<_> = result.curves.iter().flat_map(|curve| &curve.points).collect();
    assert_eq!(rows.len(), points.len());
    for (row, point) in rows.iter().zip(points) {
        assert_eq!(row.get_string(4).unwrap(), &point.utilization);
        assert_eq!(row.get_long(7).unwrap() as u64, point.accepted);
        assert_eq!(row.get_double(11).ok(), point.share);
    }
}
