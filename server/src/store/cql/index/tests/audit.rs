//! Open records that cannot be found are given back what leads to them.

use super::{super::Audited, Cluster, HOUR};

impl Cluster {
    async fn audit(&self) -> Audited {
        self.index.audit(&self.claims).await.expect("an audit")
    }

    /// As if nothing had been written before the record.
    async fn lose_hints(&self) {
        let forget = "DELETE FROM {}.buckets USING TIMESTAMP ? WHERE namespace = ?";
        self.run(forget, (self.now().0, &self.namespace)).await;
        for bucket in [super::Bucket::hour_of(super::START).0] {
            for shard in 0..8 {
                let forget = "DELETE FROM {}.hints USING TIMESTAMP ? WHERE namespace = ?
                    AND operation = 'charge' AND bucket = ? AND shard = ?";
                self.run(forget, (self.now().0, &self.namespace, bucket, shard)).await;
            }
        }
    }
}

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn an_audit_finds_every_open_record_without_a_hint() {
    let cluster = Cluster::new().await;
    let record = cluster.claim("open").await;
    // All over the ring.
    for number in 0..15 {
        cluster.claim(&format!("k{number}")).await;
    }
    cluster.settle("settled", 600).await;
    let name = format!("k:{}", record.provider_key);
    let forget =
        "DELETE FROM {}.intents_by_name USING TIMESTAMP ? WHERE namespace = ? AND name = ?";
    cluster.run(forget, (cluster.now().0, &cluster.namespace, name)).await;
    cluster.lose_hints().await;
    assert_eq!(cluster.unreconciled().await, Vec::<String>::new());
    cluster.clock.advance(HOUR);
    let audited = cluster.audit().await;
    assert!(audited.restored >= 16, "{audited:?}");
    assert!(audited.records > audited.open, "{audited:?}");
    assert_eq!(cluster.unreconciled().await.len(), 16);
    assert_eq!(cluster.found(&record.provider_key).await, 1);
    assert_eq!(cluster.hints().await, (16, 0));
}

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn an_audit_gives_no_second_hint() {
    let cluster = Cluster::new().await;
    cluster.claim("carried").await;
    cluster.clock.advance(3 * HOUR);
    cluster.sweep().await;
    cluster.claim("young").await;
    let before = cluster.hints().await;
    cluster.audit().await;
    assert_eq!((before, cluster.hints().await), ((0, 1), (0, 1)));
}
