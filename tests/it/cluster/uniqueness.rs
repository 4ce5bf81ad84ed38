//! A second record of one intent cannot be written, whoever writes: shown by hand, past onced.

use std::num::NonZeroU32;

use onced::{
    intent::IntentId,
    record::{Record, Revision},
    store::{Expected, Expiry, LeaseWrite, Look, ResultWrite, Set, Store, Write},
};
use onced_tests::harness::{RulingExt, Site, in_process::POLICIES, request::*};
use scylla::{client::session::Session, value::CqlValue};
use uuid::Uuid;

/// Whether a conditional statement was applied.
async fn applies(session: &Session, statement: &str) -> bool {
    let result = session.query_unpaged(statement, ()).await.expect("an answer");
    let rows = result.into_rows_result().expect("a row");
    let row: scylla::value::Row = rows.first_row().expect("a row");
    row.columns[0] == Some(CqlValue::Boolean(true))
}

fn insert(key: &str) -> String {
    let (lease, revision) = (Uuid::new_v4(), Uuid::new_v4());
    format!(
        "INSERT INTO claims (namespace, operation, key, lease, revision, record)
         VALUES ('payments', 'charge', '{key}', {lease}, {revision}, 0x0801) IF NOT EXISTS"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_that_is_inserted_by_hand_on_a_claimed_key_does_not_apply() {
    let Some(site) = Site::given().await else { return };
    let (server, session) = (site.server(POLICIES).await, site.session().await);
    let intent = charge(&format!("by-hand-{}", Uuid::new_v4()));
    let calls = server.calls();
    let token = calls.granted(&intent).await.fencing_token;
    assert!(!applies(&session, &insert(&intent.key)).await, "a second row of a live claim");
    calls.complete(complete(&intent, token, succeeded("done"))).await.expect("a report");
    assert!(!applies(&session, &insert(&intent.key)).await, "a second row of a settled one");
    let told = calls.duplicate(&intent).await.succeeded();
    assert_eq!(told.result, Some(text("done")));
    // The statement is a good one: on a key of its own it applies.
    assert!(applies(&session, &insert(&format!("by-hand-{}", Uuid::new_v4()))).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_that_another_engine_creates_on_a_claimed_key_is_lost() {
    let Some(site) = Site::given().await else { return };
    let [first, second] = site.servers(POLICIES).await;
    let intent = charge(&format!("engines-{}", Uuid::new_v4()));
    let token = first.calls().granted(&intent).await.fencing_token;
    let id = IntentId::new("test", "payments", "charge", &intent.key).expect("names");
    let stands = first.engine.load(&id, Look::Fresh).await.expect("a look").expect("a record");
    for _ in 0..2 {
        let record = Record { revision: Revision(Uuid::new_v4()), ..stands.record.clone() };
        let write = Write {
            expected: Expected::None,
            record,
            result: ResultWrite::Keep,
            lease: LeaseWrite::Start(NonZeroU32::new(30).expect("a span")),
            expiry: Expiry::Never,
            result_expiry: Expiry::Keep,
        };
        let set = second.engine.compare_and_set(&id, &write).await.expect("an answer");
        let Set::Lost(Some(row)) = set else { panic!("{set:?}") };
        assert_eq!(row.record.revision, stands.record.revision);
    }
    let report = complete(&intent, token, succeeded("done"));
    first.calls().complete(report).await.expect("a report that is taken");
}
