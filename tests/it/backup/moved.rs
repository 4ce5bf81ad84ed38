//! A restored store moves on to another one, and its gap with it.

use onced::{clock::Timestamp, gap};
use onced_tests::harness::{InProcess, Setup, in_process::START};

use super::*;

async fn server(now: Timestamp) -> InProcess {
    let setup = Setup { policies: POLICY.to_owned(), ..Setup::default() };
    InProcess::at(Arc::new(Ground::new(Engine::Embedded)), now, setup).await
}

async fn carried(scope: &[&str]) -> InProcess {
    let files = Files::new();
    let file = files.file("out");
    let (source, target) = (server(START).await, server(START).await);
    source.calls().succeeded(&intent("payments", "payout", "k"), "done").await;
    let since = START.before(Duration::from_secs(3_600));
    gap::open(&*source.store(), since, START, "a snapshot").await.expect("a gap");
    for server in [&source, &target] {
        let seal = [&["freeze", "--seal", "--reason", "a move"], scope].concat();
        onced_at(server.address, &seal).await.ended(0);
    }
    let export = [&["export", "--to", text_of(&file)], scope].concat();
    onced_at(source.address, &export).await.ended(0);
    onced_at(target.address, &["import", text_of(&file)]).await.ended(0);
    let thaw = [&["thaw", "--reason", "moved"], scope].concat();
    onced_at(target.address, &thaw).await.ended(0);
    target
}

#[tokio::test]
async fn the_gap_of_what_was_never_used_moves_too() {
    let target = carried(&["--all"]).await;
    let calls = target.calls();
    in_gap(&calls.duplicate(&intent("payments", "payout", "new")).await);
    in_gap(&calls.duplicate(&intent("payments", "bonus", "new")).await);
    in_gap(&calls.duplicate(&intent("shipping", "parcel", "new")).await);
    calls.granted(&intent("payments", "charge", "new")).await;
}

#[tokio::test]
async fn with_one_namespace_moves_its_gap_alone() {
    let target = carried(&["--namespace", "payments"]).await;
    let calls = target.calls();
    in_gap(&calls.duplicate(&intent("payments", "bonus", "new")).await);
    calls.granted(&intent("shipping", "parcel", "new")).await;
    let accept = ["memory", "accept", "--reason", "compared", "--all"];
    onced_at(target.address, &accept).await.ended(0);
    calls.granted(&intent("payments", "points", "new")).await;
}
