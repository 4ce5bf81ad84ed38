//! A cluster's snapshot was put back: the gap is opened on the tables, before any server runs.

use onced::store::cql::Options;
use onced_tests::harness::cluster;

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_snapshot_of_a_cluster_a_reset_opens_the_gap() {
    cluster::in_keyspace("onced_reset", |_, keyspace| async move {
        let at = cluster::contact_points();
        cluster::create_tables(&Options { keyspace: keyspace.clone(), ..Options::at(at.clone()) })
            .await;
        let store = format!("cql://{}/{keyspace}", at.join(","));
        let mut server = Binary::with(POLICY, &["--store", &store]).await;
        server.calls().succeeded(&intent("payments", "payout", "kept"), "done").await;
        let refused = onced_at(server.address, &["backup"]).await.ended(70);
        assert!(refused.err.contains("onced memory reset"), "{refused:#?}");
        server.kill9();
        let reset = ["memory", "reset", "--reason", "a snapshot", "--store", &store];
        onced(&reset).await.ended(0);
        server.restart().await;
        let calls = server.calls();
        calls.duplicate(&intent("payments", "payout", "kept")).await;
        for operation in ["payout", "bonus", "charge"] {
            in_gap(&calls.duplicate(&intent("payments", operation, "new")).await);
        }
        calls.granted(&intent("payments", "label", "new")).await;
        let accept = ["memory", "accept", "--reason", "compared", "--all"];
        let accepted = onced_at(server.address, &accept).await.ended(0);
        assert!(accepted.out.starts_with("whole"), "{accepted:#?}");
        calls.granted(&intent("payments", "payout", "new")).await;
    })
    .await;
}
