//! A disk was rolled back under the store: nobody knows, unless a person says so.

use std::fs;

use super::*;

fn carry(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for name in ["onced.sqlite", "onced.sqlite-wal"] {
        if from.join(name).exists() {
            fs::copy(from.join(name), to.join(name)).expect("a copy");
        }
    }
}

#[tokio::test]
async fn a_reset_opens_the_gap_over_a_store_that_was_rolled_back() {
    let files = Files::new();
    let mut server = Binary::with(POLICY, &[]).await;
    let calls = server.calls();
    calls.succeeded(&intent("payments", "payout", "kept"), "done").await;
    server.kill9();
    carry(&server.folder(), &files.file("snapshot"));
    server.restart().await;
    let lost = intent("payments", "payout", "lost");
    server.calls().granted(&lost).await;
    let words = ["memory", "reset", "--reason", "a roll back", "--data"];
    let folder = server.folder();
    let reset = [&words[..], &[text_of(&folder)]].concat();
    let refused = onced(&reset).await.ended(69);
    assert!(refused.err.contains("another process"), "{refused:#?}");
    server.kill9();
    for name in ["onced.sqlite", "onced.sqlite-wal", "onced.sqlite-shm"] {
        let _ = fs::remove_file(server.folder().join(name));
    }
    onced(&reset).await.ended(69);
    carry(&files.file("snapshot"), &server.folder());
    let opened = onced(&reset).await.ended(0);
    assert!(opened.out.starts_with("open"), "{opened:#?}");
    server.restart().await;
    let calls = server.calls();
    calls.duplicate(&intent("payments", "payout", "kept")).await;
    in_gap(&calls.duplicate(&lost).await);
    in_gap(&calls.duplicate(&intent("payments", "bonus", "new")).await);
    // Nobody said as of when the snapshot is: the provider may have forgotten too.
    in_gap(&calls.duplicate(&intent("payments", "charge", "new")).await);
    let shown = onced_at(server.address, &["memory", "show"]).await.ended(0);
    for part in ["payments/payout", "every other operation", "a roll back", "nobody knows as of"] {
        assert!(shown.out.contains(part), "{part}: {shown:#?}");
    }
    let accept = ["memory", "accept", "--reason", "compared", "--all"];
    let accepted = onced_at(server.address, &accept).await.ended(0);
    assert!(accepted.out.starts_with("whole"), "{accepted:#?}");
    calls.granted(&lost).await;
    calls.granted(&intent("payments", "bonus", "new")).await;
}

#[tokio::test]
async fn an_acceptance_says_of_what_and_why() {
    let server = Binary::with(POLICY, &[]).await;
    for words in [
        &["memory", "accept", "--reason", "x"][..],
        &["memory", "accept", "--all"],
        &["memory", "accept", "--reason", "x", "--operation", "payout"],
        &["memory", "accept", "--reason", "x", "--all", "--namespace", "payments"],
        &["memory", "reset", "--data", "nowhere"],
    ] {
        onced(words).await.ended(64);
    }
    let one = ["memory", "accept", "--reason", "x", "--namespace", "a", "--operation", "b"];
    onced_at(server.address, &one).await.ended(70);
}
