//! Stores that earlier versions wrote are read by this one, every state of them.
//!
//! Each folder below `tests/fixtures` is a store as a version of its time left it; it is never
//! written again. A new one is made by the ignored test here when the layout or the record's format
//! changes, and the old ones stay.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use onced::clock::Timestamp;
use onced_proto::v1::{
    self, ClaimRequest, CompleteRequest, ErrorReason, ReclaimRequest, ReleaseRequest,
    ResultAbsence, State, Succeeded, complete_request::Outcome, completed,
};
use onced_tests::harness::{
    Calls, Ground, InProcess, RulingExt, Setup, in_process::START, request::*,
};

/// The claimant that gave up before it was granted.
const SPENT: &str = "5f1d7a52-0f0e-4a65-9c0b-6d1f6b0e7c11";
/// A result that is no text, with a zero byte.
const RESULT: [u8; 5] = [0, 0xFF, 0xFE, b'o', b'k'];
/// What passes before the later half is written: more than a lease.
const LATER: Duration = Duration::from_secs(31);
/// The clock when the store is opened again.
const OPENED: Duration = Duration::from_secs(51);

/// The layouts that there have been.
const STORES: [u32; 2] = [1, 2];

fn store(version: u32) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.join(format!("fixtures/store-{version}/onced.sqlite"))
}

/// A token is the microsecond of its grant.
fn token(after: Duration) -> i64 {
    START.after(after).0
}

/// Writes a record in every state.
pub(crate) async fn write(server: &InProcess) {
    let calls = server.calls();
    for key in ["over", "contested", "late"] {
        calls.granted(&charge(key)).await;
    }
    server.advance(LATER);
    contest(&calls).await;
    settle(&calls).await;
    leave_open(&calls).await;
}

/// Two attempts, and a success of the first one: before the second has an outcome, and after it.
async fn contest(calls: &Calls) {
    for key in ["contested", "late"] {
        let intent = charge(key);
        let request = ReclaimRequest { holder: "pod-8".into(), ..reclaim(&intent) };
        let second = calls.reclaim(request).await.expect("a ruling").granted().fencing_token;
        if key == "late" {
            calls.complete(complete(&intent, second, succeeded("new"))).await.expect("taken");
        }
        let late = complete(&intent, token(Duration::ZERO), succeeded("old"));
        calls.complete(late).await.expect_err("a refusal").is(ErrorReason::Fenced);
    }
}

/// Every kind of outcome.
async fn settle(calls: &Calls) {
    let omitted = Succeeded {
        result_absence: ResultAbsence::Omitted.into(),
        provider_reference: "ch_1".into(),
        ..Succeeded::default()
    };
    let outcomes = [
        ("succeeded", succeeded_with(Some(raw(RESULT.to_vec())))),
        ("empty", succeeded_with(Some(raw(Vec::new())))),
        ("nothing", succeeded_with(None)),
        ("omitted", Outcome::Succeeded(omitted)),
        ("failed", failed("card_declined")),
        ("disputed", failed("card_declined")),
    ];
    for (key, outcome) in outcomes {
        let granted = calls.granted(&charge(key)).await.fencing_token;
        calls.complete(complete(&charge(key), granted, outcome)).await.expect("taken");
    }
    let after_all = complete(&charge("disputed"), token(LATER), succeeded("after all"));
    calls.complete(after_all).await.expect_err("a refusal").is(ErrorReason::OutcomeConflict);
    let orphan = complete(&charge("orphan"), token(Duration::ZERO), succeeded("alone"));
    let orphan = CompleteRequest { payload: json(PAYLOAD), ..orphan };
    calls.complete(orphan).await.expect("taken");
}

/// Everything without an outcome.
async fn leave_open(calls: &Calls) {
    let reported = calls.granted(&charge("unknown")).await.fencing_token;
    calls.complete(complete(&charge("unknown"), reported, unknown())).await.expect("taken");
    let freed = calls.granted(&charge("released")).await.fencing_token;
    let free = ReleaseRequest { message: "no stock".into(), ..release(&charge("released"), freed) };
    calls.release(free).await.expect("a release");
    calls.release(release_by_claimant(&charge("spent"), SPENT)).await.expect("a release");
    let labels = [("trace".to_owned(), "7".to_owned())].into();
    let live = ClaimRequest { holder: "pod-7".into(), labels, ..claim(&charge("live")) };
    calls.claim(live).await.expect("a ruling").granted();
}

#[tokio::test]
#[ignore = "writes the fixture of this version's layout, once"]
async fn write_the_store_of_this_version() {
    let database = store(STORES[STORES.len() - 1]);
    // A fixture is never replaced: whoever opens it is to read what was written then.
    if database.exists() {
        return;
    }
    let ground = Arc::new(Ground::default());
    let mut server = InProcess::at(ground.clone(), START, Setup::default()).await;
    write(&server).await;
    server.end().await;
    drop(server);
    std::fs::create_dir_all(database.parent().expect("a folder")).expect("a folder");
    assert!(!ground.folder().join("onced.sqlite-wal").exists(), "it was not closed in order");
    std::fs::copy(ground.database(), database).expect("a copy");
}

/// A copy of a store, opened by this version.
async fn opened(version: u32) -> (InProcess, Calls) {
    let ground = Arc::new(Ground::copy_of(&store(version)));
    let server = InProcess::at(ground, START.after(OPENED), Setup::default()).await;
    let calls = server.calls();
    (server, calls)
}

async fn shown(calls: &Calls, key: &str) -> v1::Intent {
    calls.get(get_whole(&charge(key))).await.unwrap_or_else(|refusal| panic!("{key}: {refusal:?}"))
}

/// The marks that are set, in words.
fn marks(intent: &v1::Intent) -> String {
    let marks = [
        (intent.contested, "contested"),
        (intent.disputed, "disputed"),
        (intent.orphan, "orphan"),
        (intent.after_release, "after release"),
        (intent.adopted, "adopted"),
    ];
    let set = marks.into_iter().filter_map(|(is_set, mark)| is_set.then_some(mark));
    set.collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn every_state_of_an_earlier_store_is_read_as_it_was_written() {
    for version in STORES {
        states_are_read(version).await;
    }
}

async fn states_are_read(version: u32) {
    let (_server, calls) = opened(version).await;
    let expected = [
        ("live", State::InProgress, 1, "", 0, 0),
        ("over", State::Unknown, 1, "", 0, 0),
        ("unknown", State::Unknown, 1, "", 0, 0),
        ("released", State::Released, 1, "", 0, 0),
        ("contested", State::InProgress, 2, "contested", 1, 1),
        ("late", State::Succeeded, 2, "", 1, 1),
        ("succeeded", State::Succeeded, 1, "", 0, 0),
        ("empty", State::Succeeded, 1, "", 0, 0),
        ("nothing", State::Succeeded, 1, "", 0, 0),
        ("omitted", State::Succeeded, 1, "", 0, 0),
        ("failed", State::Failed, 1, "", 0, 0),
        ("disputed", State::Failed, 1, "disputed", 1, 0),
        ("orphan", State::Succeeded, 0, "orphan", 0, 0),
    ];
    for (key, state, attempt, set, late, audits) in expected {
        let intent = shown(&calls, key).await;
        assert_eq!((intent.state(), intent.attempt), (state, attempt), "{key}");
        assert_eq!(marks(&intent), set, "{key}");
        let kept = (intent.late_reports.len(), intent.audit_entries.len());
        assert_eq!(kept, (late, audits), "{key}: {intent:#?}");
        assert_eq!(intent.provider_key.len(), 38, "{key}");
    }
}

#[tokio::test]
async fn the_words_of_people_in_an_earlier_store_are_read_as_they_were_written() {
    for version in STORES {
        words_are_read(version).await;
    }
}

async fn words_are_read(version: u32) {
    let (_server, calls) = opened(version).await;
    let live = shown(&calls, "live").await;
    assert_eq!((live.holder.as_str(), live.labels["trace"].as_str()), ("pod-7", "7"));
    let late = shown(&calls, "late").await;
    assert_eq!(late.holder, "pod-8");
    assert_eq!(late.audit_entries[0].reason, "the holder died");
    assert_eq!(late.earlier_attempts[0].attempt, 1);
    assert_eq!(late.first_claim_time.expect("a time").seconds, START.0 / 1_000_000);
}

#[tokio::test]
async fn every_outcome_in_an_earlier_store_is_told_byte_for_byte() {
    for version in STORES {
        outcomes_are_told(version).await;
    }
}

async fn outcomes_are_told(version: u32) {
    let (_server, calls) = opened(version).await;
    for (key, result) in [("succeeded", &RESULT[..]), ("empty", &[])] {
        let succeeded = calls.duplicate(&charge(key)).await.succeeded();
        assert_eq!(succeeded.result, Some(raw(result.to_vec())), "{key}");
    }
    let nothing = calls.duplicate(&charge("nothing")).await.succeeded();
    assert_eq!(nothing.result_absence(), ResultAbsence::NoneGiven);
    let omitted = calls.duplicate(&charge("omitted")).await.succeeded();
    assert_eq!(omitted.result_absence(), ResultAbsence::Omitted);
    assert_eq!(omitted.provider_reference, "ch_1");
    assert_eq!(calls.duplicate(&charge("late")).await.succeeded().result, Some(text("new")));
    assert_eq!(calls.duplicate(&charge("orphan")).await.succeeded().result, Some(text("alone")));
    for (key, disputed) in [("failed", false), ("disputed", true)] {
        let told = calls.duplicate(&charge(key)).await.completed();
        assert_eq!(told.disputed, disputed, "{key}");
        let Some(completed::Outcome::Failed(failed)) = told.outcome else { panic!("{key}") };
        assert_eq!(failed.r#type, "card_declined", "{key}");
    }
}

#[tokio::test]
async fn a_lease_that_was_live_in_an_earlier_store_is_counted_anew_and_its_holder_goes_on() {
    for version in STORES {
        a_live_lease_goes_on(version).await;
    }
}

async fn a_live_lease_goes_on(version: u32) {
    let (server, calls) = opened(version).await;
    let end = |now: Timestamp| now.after(Duration::from_secs(30)).0 / 1_000_000;
    let told = calls.duplicate(&charge("live")).await.in_progress();
    assert_eq!(told.lease_expire_time.expect("a time").seconds, end(server.now()));
    server.advance(Duration::from_secs(29));
    calls.duplicate(&charge("live")).await.in_progress();
    let report = complete(&charge("live"), token(LATER), succeeded("done"));
    let taken = calls.complete(report).await.expect("a report that is taken");
    assert!(!taken.late);
    calls.duplicate(&charge("over")).await.unknown();
}

#[tokio::test]
async fn what_is_open_in_an_earlier_store_can_be_brought_to_an_end() {
    for version in STORES {
        open_ends(version).await;
    }
}

async fn open_ends(version: u32) {
    let (server, calls) = opened(version).await;
    let report = complete(&charge("unknown"), token(LATER), succeeded("found"));
    calls.complete(report).await.expect("a report that is taken");
    let again = calls.reclaim(reclaim(&charge("over"))).await.expect("a ruling").granted();
    assert_eq!((again.attempt, again.reclaimed), (2, true));
    assert_eq!(calls.granted(&charge("released")).await.attempt, 2);
    let spent = ClaimRequest { claimant: SPENT.into(), ..claim(&charge("spent")) };
    calls.claim(spent).await.expect_err("a refusal").is(ErrorReason::ClaimantSpent);
    assert_eq!(calls.granted(&charge("spent")).await.attempt, 1);
    server.advance(LATER);
    let contested = calls.duplicate(&charge("contested")).await.unknown();
    assert!(contested.contested);
}
