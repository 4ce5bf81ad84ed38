//! What is refused: names that are paths, files that are no backups, folders that have a store.

use std::fs;

use super::*;

async fn server_with_one() -> (Binary, PathBuf) {
    let server = Binary::with(POLICY, &[]).await;
    server.calls().granted(&intent("payments", "payout", "k")).await;
    let copy = back_up(&server).await;
    (server, copy)
}

#[tokio::test]
async fn no_name_of_a_backup_leads_out_of_its_folder() {
    let (server, copy) = server_with_one().await;
    let folder = copy.parent().expect("the folder of backups");
    let before = fs::read_dir(folder).expect("a folder").count();
    let outside = server.folder().join("outside");
    for name in ["../outside", text_of(&outside), "a/../../outside", "..", "./x", ".x", "x-wal"] {
        let name = format!("--name={name}");
        let refused = onced_at(server.address, &["backup", &name]).await.ended(64);
        assert!(refused.err.contains("INVALID_FIELD"), "{refused:#?}");
    }
    assert!(!outside.exists());
    assert_eq!(fs::read_dir(folder).expect("a folder").count(), before);
    let refused = onced_at(server.address, &["backup", "--name=../x-wal"]).await.ended(64);
    for fault in ["begins with", "holds '/'", "ends with -wal"] {
        assert!(refused.err.contains(fault), "{fault}: {refused:#?}");
    }
}

#[tokio::test]
async fn a_backup_is_not_written_over_another() {
    let (server, _) = server_with_one().await;
    onced_at(server.address, &["backup", "--name", "nightly"]).await.ended(0);
    let refused = onced_at(server.address, &["backup", "--name", "nightly"]).await.ended(70);
    assert!(refused.err.contains("is there already"), "{refused:#?}");
}

#[tokio::test]
async fn nothing_is_restored_where_a_server_or_its_records_are() {
    let (mut server, copy) = server_with_one().await;
    let refused = restore(&copy, &server.folder()).await.ended(64);
    assert!(refused.err.contains("onced.sqlite is there"), "{refused:#?}");
    server.kill9();
    restore(&copy, &server.folder()).await.ended(64);
    server.restart().await;
    let verdict = server.calls().duplicate(&intent("payments", "payout", "k")).await;
    assert!(matches!(verdict, Verdict::InProgress(_)), "it is as it was: {verdict:?}");
}

/// Its records are deleted under a server that still runs: the folder is not free for that.
#[tokio::test]
async fn a_folder_that_a_server_still_owns_is_refused() {
    let (server, copy) = server_with_one().await;
    let files = Files::new();
    let kept = files.file("kept");
    fs::copy(&copy, &kept).expect("a copy");
    for name in ["onced.sqlite", "onced.sqlite-wal", "onced.sqlite-shm"] {
        let _ = fs::remove_file(server.folder().join(name));
    }
    let refused = restore(&kept, &server.folder()).await.ended(69);
    assert!(refused.err.contains("another process uses the data folder"), "{refused:#?}");
}

#[tokio::test]
async fn of_two_restores_at_once_one_is_done() {
    let (_server, copy) = server_with_one().await;
    for _ in 0..5 {
        let ground = ground();
        let folder = ground.folder();
        let (one, other) = tokio::join!(restore(&copy, &folder), restore(&copy, &folder));
        let done = [&one, &other].iter().filter(|ran| ran.status.success()).count();
        assert_eq!(done, 1, "{one:#?} {other:#?}");
        let server = Binary::over(ground, POLICY).await;
        in_gap(&server.calls().duplicate(&intent("payments", "payout", "new")).await);
    }
}

#[tokio::test]
async fn files_that_are_no_backups_are_refused_by_name_with_all_that_is_wrong() {
    let (mut server, copy) = server_with_one().await;
    let files = Files::new();
    let file = |name: &str, bytes: &[u8]| {
        let path = files.file(name);
        fs::write(&path, bytes).expect("a file");
        path
    };
    let whole = fs::read(&copy).expect("a copy");
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2;
    damaged[middle..].fill(0x55);
    let newer = file("newer", &whole);
    let raw = rusqlite::Connection::open(&newer).expect("a database");
    raw.execute("UPDATE meta SET value = 99 WHERE name = 'layout'", []).expect("an edit");
    drop(raw);
    server.kill9();
    let store = fs::read(server.folder().join("onced.sqlite")).expect("a store");
    let cases = [
        (file("empty", b""), "not a database"),
        (file("foreign", b"payments.onced export v1\n"), "not a database"),
        (file("damaged", &damaged), "is damaged"),
        (file("store", &store), "the file of a store itself"),
        (newer, "layout 99"),
        (files.file("nowhere"), "cannot be read"),
    ];
    for (path, fault) in cases {
        let ground = ground();
        let refused = restore(&path, &ground.folder()).await.ended(64);
        assert!(refused.err.contains(fault), "{fault}: {refused:#?}");
        assert!(refused.err.contains(text_of(&path)), "{refused:#?}");
        assert!(!ground.folder().exists(), "nothing is made");
        let both = restore(&path, &server.folder()).await.ended(64);
        assert!(
            both.err.contains(fault) && both.err.contains("onced.sqlite is there"),
            "{both:#?}"
        );
    }
}

/// Put in place by hand it would have no gap.
#[tokio::test]
async fn a_backup_that_is_put_in_place_by_hand_is_not_served() {
    let (mut server, copy) = server_with_one().await;
    server.kill9();
    let bytes = fs::read(&copy).expect("a copy");
    for name in ["onced.sqlite-wal", "onced.sqlite-shm"] {
        let _ = fs::remove_file(server.folder().join(name));
    }
    fs::write(server.folder().join("onced.sqlite"), bytes).expect("a file");
    assert!(server.try_restart().await.is_err());
    assert!(server.log().contains("onced restore"), "{}", server.log());
}
