//! On a cluster that runs already: `ONCED_TEST_CQL` says where, `host:port`.

use std::{sync::Arc, time::Duration};

use data_encoding::HEXLOWER;
use scylla::{client::session::Session, serialize::row::SerializeRow};
use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;
use uuid::Uuid;

use super::{Bucket, Index, Looks};
use crate::{
    clock::{Clock, ManualClock, Timestamp},
    intent::IntentId,
    record::Record,
    store::{
        Answer, Error, Expiry, Find, Look, Page, Scope, Set, Stored, Write,
        conformance::sample,
        cql::{Options, SCHEMA, Tally, claims::Claims, connect},
    },
};

mod audit;
mod mark;

/// When the clock of every test starts: a quarter past an hour.
pub(super) const START: Timestamp = Timestamp(1_772_000_100_000_000);
pub(super) const HOUR: Duration = Duration::from_secs(3_600);

/// The engine's parts over a real cluster, on a clock that the test moves, in a namespace that
/// nobody else uses.
pub(super) struct Cluster {
    pub(super) index: Index,
    pub(super) claims: Claims,
    pub(super) clock: Arc<ManualClock>,
    pub(super) namespace: String,
    session: Arc<Session>,
}

static SESSION: OnceCell<String> = OnceCell::const_new();

#[expect(clippy::disallowed_methods, reason = "where the cluster is, for this test alone")]
fn options() -> Options {
    let at = std::env::var("ONCED_TEST_CQL").expect("ONCED_TEST_CQL says where the cluster is");
    let keyspace = HEXLOWER.encode(&Sha256::digest(SCHEMA)[..6]);
    let keyspace = format!("onced_index_{keyspace}");
    Options { keyspace, ..Options::at(vec![at]) }
}

/// Of this schema; made by whoever comes first.
async fn keyspace() -> String {
    let Options { keyspace, .. } = options();
    let session = connect::connect(&options()).await.expect("a cluster");
    let create = format!(
        "CREATE KEYSPACE IF NOT EXISTS {keyspace} WITH replication =
             {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
    );
    session.query_unpaged(create, ()).await.expect("a keyspace");
    session.use_keyspace(&keyspace, false).await.expect("the keyspace");
    let lines: Vec<_> = SCHEMA.lines().filter(|line| !line.starts_with("--")).collect();
    let schema = lines.join("\n").replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS");
    for statement in schema.split(';').filter(|text| !text.trim().is_empty()) {
        session.query_unpaged(statement, ()).await.expect("a table");
    }
    keyspace
}

impl Cluster {
    pub(super) async fn new() -> Self {
        let keyspace = SESSION.get_or_init(keyspace).await;
        let session = Arc::new(connect::connect(&options()).await.expect("a cluster"));
        let clock = Arc::new(ManualClock::at(START));
        let mut index = Index::prepare(&session, keyspace, clock.clone()).await.expect("tables");
        index.name_outlives = Duration::from_secs(1);
        let (tally, serial) = (Tally::new(|_| {}), connect::serial(&options()));
        let claims = Claims::prepare(&session, keyspace, serial, clock.clone(), 1, tally).await;
        let claims = claims.expect("tables");
        let namespace = format!("index-{}", Uuid::new_v4().simple());
        Self { index, claims, clock, namespace, session }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(super) fn intent(&self, key: &str) -> IntentId {
        sample::intent(&self.namespace, "charge", key)
    }

    /// Writes, which must apply; the record, written now.
    pub(super) async fn put(&self, intent: &IntentId, mut write: Write) -> Record {
        write.record.written = self.now();
        let set = self.claims.compare_and_set(intent, &write, &self.index).await;
        assert_eq!(set, Ok(Set::Applied));
        self.clock.advance(Duration::from_micros(1));
        write.record
    }

    pub(super) async fn claim(&self, key: &str) -> Record {
        let intent = self.intent(key);
        self.put(&intent, sample::claim(sample::record(&intent, self.now()), 3_600)).await
    }

    /// Claimed, then done, and to be forgotten in so many seconds.
    pub(super) async fn settle(&self, key: &str, retention: u32) -> Record {
        let claimed = self.claim(key).await;
        self.put(&self.intent(key), sample::complete(&claimed, b"", retention)).await
    }

    /// Of a settled record: it never expires again.
    pub(super) fn dispute(&self, settled: &Record) -> Write {
        let mut record = sample::next(settled);
        record.written = self.now();
        Write { expiry: Expiry::Never, ..sample::annotate(settled, record) }
    }

    pub(super) fn scope(&self) -> Scope {
        Scope { namespace: self.namespace.clone(), operation: Some("charge".to_owned()) }
    }

    /// The keys of every page of the unreconciled.
    pub(super) async fn unreconciled(&self) -> Vec<String> {
        let mut page = Page { cursor: Vec::new(), size: 16 };
        let mut keys = Vec::new();
        loop {
            let listing = self.index.unreconciled(&self.claims, &self.scope(), &page).await;
            let listing = listing.expect("a listing");
            keys.extend(listing.found.iter().map(|(intent, _)| intent.key().to_owned()));
            match listing.next {
                Some(cursor) => page.cursor = cursor,
                None => return keys,
            }
        }
    }

    pub(super) async fn is_unsettled(&self) -> bool {
        let said = self.index.any_unsettled(&self.claims, &self.namespace, "charge").await;
        said.expect("an answer")
    }

    /// Hints that stand in the hour of the start, and those that were carried out of it.
    pub(super) async fn hints(&self) -> (usize, usize) {
        let hour = Bucket::hour_of(START);
        (self.hints_in(hour).await, self.hints_in(hour.carried()).await)
    }

    async fn hints_in(&self, bucket: Bucket) -> usize {
        let mut count = 0;
        for shard in 0..8 {
            let rows = "hints WHERE namespace = ? AND operation = 'charge' AND bucket = ?
                AND shard = ?";
            count += self.count(rows, (&self.namespace, bucket.0, shard)).await;
        }
        count
    }

    pub(super) async fn entries(&self, kind: &str) -> usize {
        self.count("buckets WHERE namespace = ? AND kind = ?", (&self.namespace, kind)).await
    }

    /// Rows of a name, whatever has become of their records.
    pub(super) async fn named(&self, name: &str) -> usize {
        let rows = "intents_by_name WHERE namespace = ? AND name = ?";
        self.count(rows, (&self.namespace, name)).await
    }

    pub(super) async fn count(&self, rows: &str, values: impl SerializeRow) -> usize {
        let select = format!("SELECT namespace FROM {}.{rows}", options().keyspace);
        let result = self.session.query_unpaged(select, values).await.expect("rows");
        result.into_rows_result().expect("rows").rows_num()
    }

    pub(super) async fn run(&self, statement: &str, values: impl SerializeRow) {
        let statement = statement.replace("{}", &options().keyspace);
        self.session.query_unpaged(statement, values).await.expect("a statement");
    }

    /// Until the cluster has let go of a row of this name that ends.
    pub(super) async fn wait_for_the_end_of(&self, name: &str) {
        let gone = async {
            while self.named(name).await > 0 {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), gone).await.expect("the name ends");
    }

    pub(super) async fn found(&self, provider_key: &str) -> usize {
        let by = Find::ProviderKey(provider_key.to_owned());
        self.index.find(&self.claims, &self.namespace, &by).await.expect("an answer").len()
    }
}

/// Something happens once, right after the sweep has looked at a record.
pub(super) struct AfterLook<'a, F> {
    cluster: &'a Cluster,
    then: tokio::sync::Mutex<Option<F>>,
}

impl<'a, F> AfterLook<'a, F> {
    pub(super) fn of(cluster: &'a Cluster, then: F) -> Self {
        Self { cluster, then: tokio::sync::Mutex::new(Some(then)) }
    }
}

impl<F> Looks for AfterLook<'_, F>
where
    F: Future<Output = ()> + Send,
{
    fn look<'a>(&'a self, intent: &'a IntentId, look: Look) -> Answer<'a, Option<Stored>> {
        Box::pin(async move {
            let seen = Looks::look(&self.cluster.claims, intent, look).await;
            if let Some(then) = self.then.lock().await.take() {
                then.await;
            }
            seen
        })
    }
}

/// Looks at one intent fail so.
pub(super) struct FailsOn<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) key: &'static str,
    pub(super) error: Error,
}

impl Looks for FailsOn<'_> {
    fn look<'a>(&'a self, intent: &'a IntentId, look: Look) -> Answer<'a, Option<Stored>> {
        Box::pin(async move {
            if intent.key() == self.key {
                return Err(self.error.clone());
            }
            Looks::look(&self.cluster.claims, intent, look).await
        })
    }
}

/// A cluster with conditional writes in doubt: only a look that ends the doubt sees a record.
pub(super) struct InDoubt<'a>(pub(super) &'a Cluster);

impl Looks for InDoubt<'_> {
    fn look<'a>(&'a self, intent: &'a IntentId, look: Look) -> Answer<'a, Option<Stored>> {
        Box::pin(async move {
            match look {
                Look::Recent => Ok(None),
                Look::Fresh => Looks::look(&self.0.claims, intent, look).await,
            }
        })
    }
}
