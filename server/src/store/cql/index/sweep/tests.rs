//! Sweeps of a real cluster, and what happens beside them.

use std::time::Duration;

use futures_util::FutureExt;
use tokio_util::sync::CancellationToken;

use super::{Pass, STRAY_FOR, Swept};
use crate::{
    clock::Timestamp,
    record::Record,
    store::{
        Error, Expiry, LeaseWrite, Page, Scope, Write,
        conformance::sample,
        cql::index::{
            Bucket, Kind, Looks,
            mark::Entry,
            tests::{AfterLook, Cluster, FailsOn, HOUR, InDoubt},
        },
    },
};

/// Records of an hour that is listed while it is swept.
const MANY: usize = 40;
const DAY: Duration = Duration::from_secs(86_400);

impl Cluster {
    /// A sweep of this namespace, which must not fail.
    pub(in crate::store::cql::index) async fn sweep(&self) -> Swept {
        self.sweep_by(&self.claims).await.expect("a sweep")
    }

    async fn sweep_by(&self, look: &dyn Looks) -> Result<Swept, Error> {
        let mut pass = Pass { look, now: self.now(), swept: Swept::default() };
        self.index.sweep_namespace(&mut pass, &self.namespace).await?;
        Ok(pass.swept)
    }

    /// A record that was settled, and whose hints are old enough to be swept.
    async fn settled_long_ago(&self, retention: u32) -> Record {
        let settled = self.settle("k", retention).await;
        self.clock.advance(3 * HOUR);
        settled
    }

    async fn report_late(&self, key: &str, judged: &Record) -> Record {
        let record = sample::with_late_report(judged, self.now(), "");
        self.put(&self.intent(key), sample::annotate(judged, record)).await
    }

    fn advance_to_the_turn_of(&self, bucket: Bucket) {
        while !bucket.is_due(self.now()) {
            self.clock.advance(HOUR);
        }
    }

    /// Rows of the day of a report, whatever has become of their records.
    async fn late_rows(&self, reported: Timestamp) -> usize {
        let rows = "late_reports WHERE namespace = ? AND operation = 'charge' AND day = ?";
        self.count(rows, (&self.namespace, Bucket::day_of(reported).0)).await
    }

    async fn late_reports(&self, since: Timestamp) -> Vec<String> {
        let page = Page { cursor: Vec::new(), size: 10 };
        let listing = self.index.late_reports(&self.claims, &self.scope(), since, &page).await;
        let found = listing.expect("a listing").found;
        found.into_iter().map(|(intent, _)| intent.key().to_owned()).collect()
    }
}

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn what_is_settled_leaves_no_hint_and_its_name_ends_with_it() {
    let cluster = Cluster::new().await;
    let settled = cluster.settled_long_ago(3).await;
    let name = format!("k:{}", settled.provider_key);
    assert_eq!(cluster.sweep().await.dropped, 1);
    assert_eq!((cluster.hints().await, cluster.entries("hints").await), ((0, 0), 0));
    assert_eq!(cluster.named(&name).await, 1);
    cluster.wait_for_the_end_of(&name).await;
}

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn what_is_open_is_carried_and_listed_once() {
    let cluster = Cluster::new().await;
    cluster.claim("k").await;
    cluster.clock.advance(3 * HOUR);
    for _ in 0..2 {
        cluster.sweep().await;
        assert_eq!((cluster.hints().await, cluster.entries("hints").await), ((0, 1), 1));
        assert_eq!(cluster.unreconciled().await, ["k"]);
    }
}

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn what_was_carried_goes_the_day_after_it_is_settled() {
    let cluster = Cluster::new().await;
    let claimed = cluster.claim("k").await;
    cluster.clock.advance(3 * HOUR);
    cluster.sweep().await;
    cluster.put(&cluster.intent("k"), sample::complete(&claimed, b"", 86_400)).await;
    cluster.sweep().await;
    assert_eq!(cluster.hints().await, (0, 1), "it is not yet its turn");
    cluster.clock.advance(21 * HOUR);
    cluster.sweep().await;
    assert_eq!((cluster.hints().await, cluster.entries("hints").await), ((0, 0), 0));
}

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn an_intent_without_an_outcome_keeps_its_hint_though_it_will_be_forgotten() {
    let cluster = Cluster::new().await;
    let claimed = cluster.claim("k").await;
    let release = Write {
        lease: LeaseWrite::Clear,
        expiry: Expiry::After(sample::seconds(600)),
        ..sample::annotate(&claimed, sample::released(&claimed))
    };
    cluster.put(&cluster.intent("k"), release).await;
    cluster.clock.advance(3 * HOUR);
    cluster.sweep().await;
    assert!(cluster.is_unsettled().await);
}

/// An old hour gets a young hint where a record is imported, or disputed long after its claim.
#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn a_young_hint_in_an_old_hour_is_left_alone() {
    let cluster = Cluster::new().await;
    let settled = cluster.settled_long_ago(600).await;
    let dispute = cluster.dispute(&settled);
    cluster.index.before(&cluster.intent("k"), &dispute, None).await.expect("a hint");
    cluster.clock.advance(Duration::from_secs(60));
    let swept = cluster.sweep().await;
    assert_eq!((swept.checked, swept.dropped), (1, 1), "the young one is not even looked at");
    assert_eq!((cluster.hints().await, cluster.entries("hints").await), ((1, 0), 1));
    cluster.put(&cluster.intent("k"), dispute).await;
    assert_eq!(cluster.unreconciled().await, ["k"]);
}

/// The sweep looks at a settled record; before it removes the hint, the record is disputed.
#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn a_dispute_right_after_the_look_keeps_its_own_hint_and_name() {
    let cluster = Cluster::new().await;
    let settled = cluster.settled_long_ago(2).await;
    let dispute = cluster.dispute(&settled);
    let intent = cluster.intent("k");
    let look = AfterLook::of(&cluster, cluster.put(&intent, dispute).map(drop));
    cluster.sweep_by(&look).await.expect("a sweep");
    assert_eq!(cluster.hints().await, (1, 0));
    assert_eq!(cluster.unreconciled().await, ["k"]);
    // A name that was given the same end as the sweep gave to this one, if it did.
    let other = cluster.intent("other");
    let mut retention = sample::complete(&cluster.claim("other").await, b"", 2);
    retention.record = sample::succeeded_as(&retention.record, "ch_1");
    cluster.put(&other, retention).await;
    cluster.wait_for_the_end_of("r:ch_1").await;
    assert_eq!(cluster.found(&settled.provider_key).await, 1);
}

/// A write whose answer never came may be found applied by a later look. Its hint waits for a day,
/// and for a look that ends the doubt.
#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn a_hint_that_is_newer_than_its_record_waits_for_a_day() {
    let cluster = Cluster::new().await;
    let settled = cluster.settled_long_ago(600).await;
    let dispute = cluster.dispute(&settled);
    cluster.index.before(&cluster.intent("k"), &dispute, None).await.expect("a hint");
    cluster.clock.advance(2 * HOUR);
    cluster.sweep().await;
    assert_eq!(cluster.hints().await, (0, 1));
    cluster.put(&cluster.intent("k"), Write { ..dispute }).await;
    assert_eq!(cluster.unreconciled().await, ["k"]);
}

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn a_hint_without_a_record_goes_after_a_day_and_its_names_with_it() {
    let cluster = Cluster::new().await;
    let intent = cluster.intent("k");
    let claim = sample::claim(sample::record(&intent, cluster.now()), 60);
    cluster.index.before(&intent, &claim, None).await.expect("a hint");
    let name = format!("k:{}", claim.record.provider_key);
    cluster.clock.advance(3 * HOUR);
    cluster.sweep().await;
    assert_eq!((cluster.hints().await, cluster.named(&name).await), ((0, 1), 1));
    cluster.clock.advance(STRAY_FOR);
    cluster.advance_to_the_turn_of(Bucket::hour_of(claim.record.first_claim_time));
    cluster.sweep().await;
    assert_eq!((cluster.hints().await, cluster.named(&name).await), ((0, 0), 0));
    assert_eq!(cluster.entries("hints").await, 0);
}

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn nothing_is_given_up_while_its_write_is_in_doubt() {
    let cluster = Cluster::new().await;
    let claimed = cluster.claim("k").await;
    let reported = cluster.report_late("k", &claimed).await;
    let since = reported.last_late_report().expect("a report");
    cluster.clock.advance(STRAY_FOR + DAY);
    for turn in [Bucket::hour_of(claimed.first_claim_time), Bucket::day_of(since)] {
        cluster.advance_to_the_turn_of(turn);
        let swept = cluster.sweep_by(&InDoubt(&cluster)).await.expect("a sweep");
        assert_eq!((swept.dropped, swept.late_dropped), (0, 0));
    }
    assert_eq!(cluster.unreconciled().await, ["k"]);
    assert_eq!(cluster.late_reports(since).await, ["k"]);
}

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn a_claim_that_lost_takes_nothing_of_the_winner_along() {
    let cluster = Cluster::new().await;
    let won = cluster.claim("k").await;
    let intent = cluster.intent("k");
    let lost = sample::claim(sample::record(&intent, cluster.now()), 60);
    let set = cluster.claims.compare_and_set(&intent, &lost, &cluster.index).await;
    assert!(matches!(set, Ok(crate::store::Set::Lost(Some(_)))), "{set:?}");
    assert_eq!(cluster.unreconciled().await, ["k"]);
    cluster.clock.advance(3 * HOUR);
    cluster.sweep().await;
    assert_eq!(cluster.hints().await, (0, 1));
    assert_eq!(cluster.unreconciled().await, ["k"]);
    assert_eq!(cluster.found(&won.provider_key).await, 1);
}

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn two_sweeps_at_once_lose_nothing() {
    let cluster = Cluster::new().await;
    for number in 0..6 {
        cluster.claim(&format!("open{number}")).await;
        cluster.settle(&format!("settled{number}"), 600).await;
    }
    cluster.clock.advance(3 * HOUR);
    tokio::join!(cluster.sweep(), cluster.sweep());
    assert_eq!(cluster.hints().await, (0, 6));
    assert_eq!(cluster.unreconciled().await.len(), 6);
}

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn pages_on_both_sides_of_a_sweep_miss_and_repeat_nothing() {
    let cluster = Cluster::new().await;
    for number in 0..5 {
        cluster.claim(&format!("k{number}")).await;
    }
    cluster.clock.advance(3 * HOUR);
    let page = Page { cursor: Vec::new(), size: 2 };
    let first = cluster.index.unreconciled(&cluster.claims, &cluster.scope(), &page).await;
    let first = first.expect("a page");
    cluster.sweep().await;
    let page = Page { cursor: first.next.expect("more"), size: 1_000 };
    let rest = cluster.index.unreconciled(&cluster.claims, &cluster.scope(), &page).await;
    let all = first.found.into_iter().chain(rest.expect("a page").found);
    let keys: Vec<_> = all.map(|(intent, _)| intent.key().to_owned()).collect();
    assert_eq!(keys, ["k0", "k1", "k2", "k3", "k4"]);
}

/// What is carried while the hours are read stands in what is read next. Many operations make a
/// long time between the two.
#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn listings_beside_a_sweep_miss_nothing() {
    let cluster = Cluster::new().await;
    for number in 0..MANY {
        cluster.claim(&format!("k{number}")).await;
        let idle = sample::intent(&cluster.namespace, &format!("operation{number}"), "k");
        let lost = sample::claim(sample::record(&idle, cluster.now()), 60);
        cluster.index.before(&idle, &lost, None).await.expect("a hint");
    }
    cluster.clock.advance(3 * HOUR);
    let swept = CancellationToken::new();
    let sweep = cluster.sweep().map(|_| swept.cancel());
    let scope = Scope { operation: None, ..cluster.scope() };
    let page = Page { cursor: Vec::new(), size: 1_000 };
    let list = async || {
        while !swept.is_cancelled() {
            let listing = cluster.index.unreconciled(&cluster.claims, &scope, &page).await;
            assert_eq!(listing.expect("a listing").found.len(), MANY);
        }
    };
    tokio::join!(sweep, list(), list());
    assert_eq!(cluster.hints().await, (0, MANY));
}

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn an_entry_that_rows_may_rest_on_outlives_an_empty_bucket() {
    let cluster = Cluster::new().await;
    let pass = Pass { look: &cluster.claims, now: cluster.now(), swept: Swept::default() };
    let intent = cluster.intent("k");
    let entry = Entry::of(&intent, Kind::Hints, Bucket::hour_of(cluster.now()));
    // As old as an entry can be that a process does not write again with a hint an hour ago.
    let at = cluster.now().before(HOUR + Duration::from_secs(600));
    let put = &cluster.index.statements.put_entry;
    let values = |at: Timestamp| (&cluster.namespace, "hints", "charge", entry.bucket.0, at.0);
    cluster.index.write(put, values(at)).await.expect("an entry");
    cluster.index.drop_entry(&pass, &entry).await.expect("an answer");
    assert_eq!(cluster.entries("hints").await, 1);
    let pass = Pass { now: pass.now.after(HOUR), ..pass };
    cluster.index.drop_entry(&pass, &entry).await.expect("an answer");
    assert_eq!(cluster.entries("hints").await, 0);
}

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn a_record_that_cannot_be_read_keeps_its_hint() {
    let cluster = Cluster::new().await;
    cluster.settled_long_ago(600).await;
    let error = Error::Corrupt("it is malformed".to_owned());
    let look = FailsOn { cluster: &cluster, key: "k", error };
    assert_eq!(cluster.sweep_by(&look).await.expect("a sweep").dropped, 0);
    assert_eq!(cluster.hints().await, (0, 1));
}

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn what_fails_is_told_and_left_and_keeps_nothing_else_from_its_turn() {
    let cluster = Cluster::new().await;
    cluster.settle("fails", 600).await;
    cluster.clock.advance(HOUR);
    cluster.settle("k", 600).await;
    cluster.clock.advance(3 * HOUR);
    let error = Error::Unavailable("no".to_owned());
    let look = FailsOn { cluster: &cluster, key: "fails", error: error.clone() };
    assert_eq!(cluster.sweep_by(&look).await, Err(error));
    assert_eq!((cluster.hints().await, cluster.entries("hints").await), ((1, 0), 1));
}

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn only_the_newest_late_report_of_a_record_keeps_its_row() {
    let cluster = Cluster::new().await;
    let claimed = cluster.claim("k").await;
    let reported = cluster.report_late("k", &claimed).await;
    let newer = cluster.report_late("k", &reported).await;
    let gone = cluster.intent("gone");
    let record = sample::with_late_report(&claimed, cluster.now(), "");
    cluster.index.before(&gone, &sample::annotate(&claimed, record), None).await.expect("a row");
    let since = newer.last_late_report().expect("a report");
    assert_eq!(cluster.late_rows(since).await, 3);
    cluster.clock.advance(2 * DAY);
    cluster.advance_to_the_turn_of(Bucket::day_of(since));
    assert_eq!(cluster.sweep().await.late_dropped, 2);
    assert_eq!((cluster.late_rows(since).await, cluster.entries("late").await), (1, 1));
    assert_eq!(cluster.late_reports(since).await, ["k"]);
}

#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn a_day_without_late_reports_is_forgotten() {
    let cluster = Cluster::new().await;
    let claimed = cluster.claim("k").await;
    let record = sample::with_late_report(&claimed, cluster.now(), "");
    let lost = sample::annotate(&claimed, record);
    cluster.index.before(&cluster.intent("k"), &lost, None).await.expect("a row");
    assert_eq!(cluster.entries("late").await, 1);
    let day = Bucket::day_of(cluster.now());
    cluster.clock.advance(2 * DAY);
    cluster.advance_to_the_turn_of(day);
    cluster.sweep().await;
    assert_eq!(cluster.entries("late").await, 0);
}

/// A record is imported with a report of long ago: its row is there before the record is.
#[tokio::test]
#[ignore = "needs a cluster: ONCED_TEST_CQL"]
async fn a_young_row_of_an_old_late_report_survives() {
    let cluster = Cluster::new().await;
    let (intent, old) = (cluster.intent("k"), cluster.now());
    cluster.clock.advance(2 * DAY);
    cluster.advance_to_the_turn_of(Bucket::day_of(old));
    let record = sample::with_late_report(&sample::record(&intent, old), old, "");
    let import = sample::create(record);
    cluster.index.before(&intent, &import, None).await.expect("a row");
    cluster.sweep().await;
    assert_eq!((cluster.late_rows(old).await, cluster.entries("late").await), (1, 1));
}
