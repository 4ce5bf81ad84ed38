//! What is written before a record is.

use std::time::Duration;

use super::{super::ENTRY_FOR, Cluster};
use crate::store::{Expiry, Write, conformance::sample};

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn an_entry_is_written_again_after_a_while_and_not_before() {
    let cluster = Cluster::new().await;
    cluster.claim("first").await;
    let forget = "DELETE FROM {}.buckets USING TIMESTAMP ? WHERE namespace = ?";
    cluster.run(forget, (cluster.now().0, &cluster.namespace)).await;
    cluster.clock.advance(Duration::from_micros(1));
    cluster.claim("second").await;
    assert_eq!(cluster.entries("hints").await, 0);
    cluster.clock.advance(ENTRY_FOR);
    cluster.claim("third").await;
    assert_eq!(cluster.entries("hints").await, 1);
}

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn a_reference_ends_with_its_record_and_never_with_one_that_does_not() {
    let cluster = Cluster::new().await;
    for (key, expiry) in [("ends", Expiry::After(sample::seconds(2))), ("stays", Expiry::Never)] {
        let claimed = cluster.claim(key).await;
        let record = sample::succeeded_as(&claimed, key);
        let write = sample::complete(&claimed, b"", 2);
        cluster.put(&cluster.intent(key), Write { record, expiry, ..write }).await;
    }
    assert_eq!(cluster.named("r:ends").await, 1);
    cluster.wait_for_the_end_of("r:ends").await;
    assert_eq!(cluster.named("r:stays").await, 1);
}
