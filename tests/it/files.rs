//! The data folder in trouble: read-only, in use, damaged, full. Refused loudly, and nothing is
//! overwritten.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use onced_proto::v1::{ErrorReason, State, ruling::Verdict};
use onced_tests::harness::{
    Binary, Calls, InProcess, RulingExt, Setup, binary::program, in_process::POLICIES, page,
    request::*,
};
use tokio::{process::Command, time::timeout};
use tonic::Code;

/// Longest time that a refusal to start may take.
const BOUND: Duration = Duration::from_secs(20);
/// As SQLite writes them.
const PAGE: usize = 4_096;

/// Starts a server that is to refuse this folder; what it says, and how it ends.
async fn refused(folder: &Path) -> (i32, String) {
    let running = Command::new(program())
        .args(["serve", "--dev", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--data"])
        .arg(folder)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let ended = timeout(BOUND, running).await.expect("an end in time").expect("a process");
    let Output { status, stdout, stderr } = ended;
    assert!(stdout.is_empty(), "it says that it is ready: {}", String::from_utf8_lossy(&stdout));
    (status.code().expect("an exit code"), String::from_utf8_lossy(&stderr).into_owned())
}

/// A folder with settled intents, whose server has ended in order.
async fn written() -> Binary {
    let mut server = Binary::with(POLICIES, &["--disk-reserve", "1MiB"]).await;
    let calls = server.calls();
    for key in keys() {
        calls.succeeded(&charge(&key), &result(&key)).await;
    }
    drop(calls);
    server.terminate();
    assert!(server.ended().await.success(), "{}", server.log());
    server
}

fn keys() -> impl Iterator<Item = String> {
    (0..120).map(|key| format!("order-{key}"))
}

fn result(key: &str) -> String {
    format!("the result of {key} {}", "=".repeat(1_000))
}

fn database(server: &Binary) -> PathBuf {
    server.folder().join("onced.sqlite")
}

/// Every key is told its result, or refused as damaged; none is granted. How many were refused.
async fn damaged(calls: &Calls) -> usize {
    let mut refused = 0;
    for key in keys() {
        match calls.claim(claim(&charge(&key))).await {
            Ok(ruling) => {
                assert_eq!(ruling.succeeded().result, Some(text(&result(&key))), "{key}");
            }
            Err(refusal) => {
                let loud = ["RECORD_CORRUPT", "STORE_UNAVAILABLE", "STORE_UNCERTAIN", ""];
                assert!(loud.contains(&refusal.reason.as_str()), "{refusal:?}");
                refused += 1;
            }
        }
    }
    refused
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_refused() {
    let (code, said) = refused(Path::new("/sys/onced-data")).await;
    assert_eq!(code, 69, "{said}");
    assert!(said.contains("/sys/onced-data"), "{said}");
    assert!(said.contains("cannot be written"), "{said}");
}

#[tokio::test]
async fn a_second_server_on_the_same_folder_is_refused_and_the_first_goes_on() {
    let first = Binary::start().await;
    let token = first.calls().granted(&charge("order-1")).await.fencing_token;
    let (code, said) = refused(&first.folder()).await;
    assert_eq!(code, 69, "{said}");
    assert!(said.contains("another process uses the data folder"), "{said}");
    let report = complete(&charge("order-1"), token, succeeded("done"));
    first.calls().complete(report).await.expect("a report that is taken");
}

#[tokio::test]
async fn a_folder_is_free_again_as_soon_as_its_server_was_killed() {
    let mut server = Binary::start().await;
    server.calls().granted(&charge("order-1")).await;
    server.kill9();
    server.restart().await;
    server.calls().duplicate(&charge("order-1")).await.in_progress();
}

#[tokio::test]
async fn a_file_whose_head_is_gone_is_refused_kept_as_it_is_and_good_once_restored() {
    let mut server = written().await;
    let whole = fs::read(database(&server)).expect("a database");
    let mut scribbled = whole.clone();
    scribbled[..100].fill(0xA5);
    for damaged in [&whole[..60], &whole[..PAGE / 2], &scribbled[..]] {
        fs::write(database(&server), damaged).expect("a damaged file");
        let (code, said) = refused(&server.folder()).await;
        assert_eq!(code, 69, "{said}");
        assert!(said.contains("damaged") && said.contains("restore a backup"), "{said}");
        let after = fs::read(database(&server)).expect("a database");
        assert!(after == damaged, "the damaged file was written to");
    }
    fs::write(database(&server), &whole).expect("a whole file");
    server.restart().await;
    assert_eq!(damaged(&server.calls()).await, 0);
}

#[tokio::test]
async fn no_key_is_granted_anew_over_a_file_that_is_damaged_in_the_middle() {
    let mut server = written().await;
    let whole = fs::read(database(&server)).expect("a database");
    let pages = whole.len() / PAGE;
    assert!(pages > 30, "{pages} pages");
    let mut scribbled = whole.clone();
    for byte in &mut scribbled[pages / 2 * PAGE..(pages / 2 + 8) * PAGE] {
        *byte ^= 0xFF;
    }
    fs::write(database(&server), &scribbled).expect("a damaged file");
    let (status, refused) = match server.try_restart().await {
        Ok(()) => (None, damaged(&server.calls()).await),
        Err(status) => (status.code(), 0),
    };
    assert!(refused > 0 || status == Some(69), "nobody notices:\n{}", server.log());
    if status.is_none() {
        server.kill9();
    }
    for file in ["onced.sqlite-wal", "onced.sqlite-shm"] {
        let _ = fs::remove_file(server.folder().join(file));
    }
    fs::write(database(&server), &whole).expect("a whole file");
    server.restart().await;
    assert_eq!(damaged(&server.calls()).await, 0);
}

#[tokio::test]
async fn on_a_full_disk_claims_are_refused_and_reports_are_taken() {
    let size_limit = Some(1 << 19);
    let server = InProcess::with(Setup { size_limit, ..Setup::default() }).await;
    let calls = server.calls();
    let mut granted = Vec::new();
    let refusal = loop {
        let intent = charge(&format!("order-{}", granted.len()));
        match calls.claim(claim(&intent)).await {
            Ok(ruling) => granted.push((intent, ruling.granted().fencing_token)),
            Err(refusal) => break refusal,
        }
    };
    assert!(granted.len() > 50, "{}", granted.len());
    assert_eq!(refusal.is(ErrorReason::StoreUnavailable).code, Code::Unavailable);
    for (turn, (intent, token)) in granted.iter().enumerate() {
        match turn % 3 {
            0 => drop(calls.renew(renew(intent, *token)).await.expect("an extension")),
            1 => drop(calls.release(release(intent, *token)).await.expect("a release")),
            _ => {
                let report = complete(intent, *token, succeeded(&"x".repeat(2_000)));
                calls.complete(report).await.expect("a report that is taken");
            }
        }
    }
    let (done, _) = &granted[2];
    assert!(matches!(calls.duplicate(done).await, Verdict::Completed(_)));
    assert_eq!(calls.get(get(&granted[1].0)).await.expect("an intent").state(), State::Released);
    let refusal = calls.claim(claim(&charge("new"))).await.expect_err("a refusal");
    refusal.is(ErrorReason::StoreUnavailable);
    let page = page::get(server.admin, "/readyz").await.expect("a page");
    assert_eq!(page.status, 503);
    assert!(page.body.contains("Claims are refused, reports are taken"), "{}", page.body);
}
