//! Records of other formats than this version writes, on one store with its own: a newer one is
//! refused by every call and never taken for none, an older one is read.

use std::path::Path;

use onced::record::codec;
use onced_proto::v1::{ErrorReason, IntentId, State};
use onced_tests::harness::{
    Calls, Ground, Refusal, RulingExt, Site,
    in_process::{POLICIES, START},
    request::*,
};
use scylla::{
    client::session::Session,
    value::{CqlValue, Row},
};
use uuid::Uuid;

const WHERE: &str = "WHERE namespace = 'payments' AND operation = 'charge' AND key = ?";

/// What a newer version leaves: another format, and a part that this one does not know.
async fn rewrite_as_newer(session: &Session, key: &str) {
    let select = format!("SELECT record, revision FROM claims {WHERE}");
    let rows = session.query_unpaged(select, (key,)).await.expect("an answer");
    let rows = rows.into_rows_result().expect("rows");
    let (mut record, revision): (Vec<u8>, Uuid) = rows.first_row().expect("a row");
    let format = u8::try_from(codec::FORMAT).expect("a small number");
    assert_eq!(record[..2], [0x08, format], "a record begins with its format");
    record[1] += 1;
    record.extend([0xFA, 0x3F, 0x01, b'x']);
    let update = format!("UPDATE claims SET record = ?, revision = ? {WHERE} IF revision = ?");
    let values = (record, Uuid::new_v4(), key, revision);
    let rows = session.query_unpaged(update, values).await.expect("an answer");
    let row: Row = rows.into_rows_result().expect("rows").first_row().expect("a row");
    assert_eq!(row.columns[0].as_ref().and_then(CqlValue::as_boolean), Some(true));
}

/// Every call, and what it is refused with.
async fn refusals(calls: &Calls, intent: &IntentId, token: i64) -> Vec<(&'static str, Refusal)> {
    let batch = calls.batch_claim(batch([intent])).await.expect("an answer");
    let watched = match calls.watch(watch_whole(intent)).await {
        Ok(mut watched) => watched.next().await.map(|_| ()),
        Err(refusal) => Err(refusal),
    };
    let report = |outcome| complete(intent, token, outcome);
    let told = [
        ("Claim", calls.claim(claim(intent)).await.map(drop)),
        ("Claim that waits", calls.claim(waiting_claim(intent)).await.map(drop)),
        ("Reclaim", calls.reclaim(reclaim(intent)).await.map(drop)),
        ("Complete", calls.complete(report(succeeded("done"))).await.map(drop)),
        ("Complete failed", calls.complete(report(failed("no"))).await.map(drop)),
        ("Complete unknown", calls.complete(report(unknown())).await.map(drop)),
        ("Renew", calls.renew(renew(intent, token)).await.map(drop)),
        ("Release", calls.release(release(intent, token)).await.map(drop)),
        ("Take back", calls.release(release_by_claimant(intent, &claimant())).await.map(drop)),
        ("Get", calls.get(get(intent)).await.map(drop)),
        ("Watch", watched),
        ("BatchClaim", batch.into_iter().next().expect("a result").map(drop)),
    ];
    told.into_iter().map(|(call, told)| (call, told.expect_err(call))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_of_a_newer_version_is_refused_by_every_call_and_stays_as_it_is() {
    let Some(site) = Site::given().await else { return };
    let (session, [granting, other]) = (site.session().await, site.servers(POLICIES).await);
    for settled in [false, true] {
        let intent = charge(&format!("newer-{}", Uuid::new_v4()));
        let token = granting.calls().granted(&intent).await.fencing_token;
        if settled {
            let report = complete(&intent, token, succeeded("done"));
            other.calls().complete(report).await.expect("a report that is taken");
        }
        rewrite_as_newer(&session, &intent.key).await;
        let before = row(&session, &intent.key).await;
        // One remembers the grant, the other nothing but, where it is settled, the outcome.
        let servers = if settled { vec![&granting] } else { vec![&granting, &other] };
        for server in servers {
            for (call, refusal) in refusals(&server.calls(), &intent, token).await {
                assert_eq!(refusal.reason, "FORMAT_TOO_NEW", "{call}: {refusal:?}");
                refusal.is(ErrorReason::FormatTooNew);
            }
        }
        assert_eq!(row(&session, &intent.key).await, before);
    }
}

async fn row(session: &Session, key: &str) -> (Vec<u8>, Uuid) {
    let select = format!("SELECT record, revision FROM claims {WHERE}");
    let rows = session.query_unpaged(select, (key,)).await.expect("an answer");
    rows.into_rows_result().expect("rows").first_row().expect("a row")
}

/// Key, revision, record and result.
type OlderRow = (String, Vec<u8>, Vec<u8>, Option<Vec<u8>>);

/// The rows of the store that version 1 left, as they lie in its file.
fn older_rows() -> Vec<OlderRow> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ground = Ground::copy_of(&tests.join("fixtures/store-1/onced.sqlite"));
    let file = rusqlite::Connection::open(ground.database()).expect("a database");
    let mut select = file
        .prepare("SELECT key, revision, record, result FROM claims")
        .expect("the table of version 1");
    let rows = select.query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

/// Puts them where nobody else looks, without their leases.
async fn put(session: &Session, operation: &str) {
    for (key, revision, record, result) in older_rows() {
        let insert = "INSERT INTO claims (namespace, operation, key, revision, record, result)
             VALUES ('payments', ?, ?, ?, ?, ?) IF NOT EXISTS";
        let revision = Uuid::from_slice(&revision).expect("a revision");
        let values = (operation, key, revision, record, result);
        session.query_unpaged(insert, values).await.expect("an answer");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_of_the_first_version_are_read_from_a_cluster_as_they_were_written() {
    let Some(site) = Site::given().await else { return };
    put(&site.session().await, "refund").await;
    let (server, intent) = (site.server(POLICIES).await, |key| intent("payments", "refund", key));
    let calls = server.calls();
    let expected = [
        ("live", State::Unknown, 1),
        ("over", State::Unknown, 1),
        ("unknown", State::Unknown, 1),
        ("released", State::Released, 1),
        ("contested", State::Unknown, 2),
        ("late", State::Succeeded, 2),
        ("succeeded", State::Succeeded, 1),
        ("empty", State::Succeeded, 1),
        ("nothing", State::Succeeded, 1),
        ("omitted", State::Succeeded, 1),
        ("failed", State::Failed, 1),
        ("disputed", State::Failed, 1),
        ("orphan", State::Succeeded, 0),
    ];
    for (key, state, attempt) in expected {
        let shown = calls.get(get_whole(&intent(key))).await.expect("an intent");
        assert_eq!((shown.state(), shown.attempt), (state, attempt), "{key}");
    }
    let told = calls.duplicate(&intent("succeeded")).await.succeeded();
    assert_eq!(told.result, Some(raw([0, 0xFF, 0xFE, b'o', b'k'].to_vec())));
    // Who was at it then is heard.
    let report = complete(&intent("over"), START.0, succeeded("done"));
    calls.complete(report).await.expect("a report that is taken");
}
