use std::os::unix::fs::PermissionsExt;

use tempfile::TempDir;

use super::*;
use crate::{
    clock::ManualClock,
    store::embedded::{Embedded, Options},
};

fn engine(folder: &TempDir) -> Embedded {
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::at(Timestamp(1_772_000_000_000_000)));
    Embedded::open(&Options { clock: Some(clock), ..Options::at(folder.path().join("data")) })
        .unwrap()
}

#[tokio::test]
async fn a_copy_is_for_its_owner_alone_and_lies_in_one_file() {
    let folder = TempDir::new().unwrap();
    let copy = folder.path().join("copies");
    fs::create_dir(&copy).unwrap();
    engine(&folder).backup(&copy.join("one")).await.unwrap();
    let files: Vec<_> = fs::read_dir(&copy).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(files, ["one"]);
    let mode = fs::metadata(copy.join("one")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn half_a_copy_of_before_is_no_obstacle() {
    let folder = TempDir::new().unwrap();
    let copy = folder.path().join("one");
    fs::write(beside(&copy, PARTIAL), "half").unwrap();
    engine(&folder).backup(&copy).await.unwrap();
    assert!(!beside(&copy, PARTIAL).exists());
}

#[tokio::test]
async fn what_cannot_be_written_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    let refusal = engine(&folder).backup(&folder.path().join("nowhere/one")).await.unwrap_err();
    assert!(matches!(refusal, BackupError::System(_)), "{refusal}");
    assert!(!folder.path().join("nowhere").exists());
}

#[tokio::test]
async fn a_copy_that_cannot_be_read_again_is_found_before_it_has_its_name() {
    let folder = TempDir::new().unwrap();
    let copy = folder.path().join("one");
    engine(&folder).backup(&copy).await.unwrap();
    let file = Connection::open(&copy).unwrap();
    file.execute("DELETE FROM meta WHERE name = 'backup_time'", []).unwrap();
    drop(file);
    let mut bytes = fs::read(&copy).unwrap();
    // Every page but the first two, which say what there is.
    bytes[8_192..].fill(0xa5);
    fs::write(&copy, bytes).unwrap();
    let told = seal(&copy, Timestamp(1));
    assert!(matches!(told, Err(BackupError::Damaged(_) | BackupError::Sqlite(_))), "{told:?}");
}
