//! Who may open the folder, and what is said to whom it is refused.

use super::*;

fn refusal(folder: &Path) -> OpenError {
    Embedded::open(&options(folder, &Arc::new(ManualClock::at(NOON)))).unwrap_err()
}

/// A closed engine's folder whose database was changed.
fn changed(statement: &str) -> TempDir {
    let bench = Bench::new();
    bench.raw().execute_batch(statement).unwrap();
    bench.folder
}

#[test]
fn a_folder_in_use_is_refused() {
    let bench = Bench::new();
    assert!(matches!(refusal(bench.folder.path()), OpenError::InUse(_)));
}

#[test]
fn a_folder_is_free_once_its_engine_is_dropped() {
    let Bench { engine, clock, folder } = Bench::new();
    drop(engine);
    assert!(Embedded::open(&options(folder.path(), &clock)).is_ok());
}

#[test]
fn a_newer_layout_is_refused() {
    let folder = changed("UPDATE meta SET value = 99 WHERE name = 'layout'");
    let refusal = refusal(folder.path());
    assert!(matches!(refusal, OpenError::NewerLayout { found: 99, known: 2 }), "{refusal}");
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("onced.sqlite"), [7; 8192]).unwrap();
    assert!(matches!(refusal(folder.path()), OpenError::Corrupt(_)));
}

#[test]
fn a_database_of_somebody_else_is_refused() {
    let folder = TempDir::new().unwrap();
    let foreign = rusqlite::Connection::open(folder.path().join("onced.sqlite")).unwrap();
    foreign.execute_batch("CREATE TABLE recipes (name TEXT)").unwrap();
    drop(foreign);
    assert!(matches!(refusal(folder.path()), OpenError::Corrupt(_)));
}

#[test]
fn a_folder_that_cannot_be_written_is_refused() {
    let refusal = refusal(Path::new("/sys/onced"));
    assert!(matches!(refusal, OpenError::ReadOnly { .. }), "{refusal:?}");
}

#[test]
fn every_refusal_names_what_to_look_at() {
    let bench = Bench::new();
    let folder = bench.folder.path().display().to_string();
    assert!(refusal(bench.folder.path()).to_string().contains(&folder));
}

#[test]
fn every_connection_syncs_every_commit() {
    let bench = Bench::new();
    let file = schema::connect_reader(&bench.engine.folder).unwrap();
    let synchronous: i64 = file.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
    assert_eq!(synchronous, 2);
}

#[test]
fn a_sqlite_with_the_wal_reset_fault_is_refused() {
    assert!(matches!(schema::check_sqlite(3_051_002), Err(OpenError::SqliteTooOld { .. })));
    assert!(schema::check_sqlite(3_051_003).is_ok());
}
