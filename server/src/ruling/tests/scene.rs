//! A scene: one intent, its row as a store would keep it, a clock that stands still, a policy.
//!
//! Every write is applied as the store contract says, and is refused where a store would refuse it.

use std::time::Duration;

use bytes::Bytes;
use uuid::Uuid;

use super::words::{said, stands};
use crate::{
    clock::Timestamp,
    policy::Policy,
    record::{EffectClass, FencingToken, Record, Revision},
    ruling::{Etag, Given, Request, Ruling, Verdict, rule, shown_etag},
    store::{
        Expected, Expiry, Lease, LeaseExpected, LeaseWrite, Memory, ResultWrite, Stored, Write,
    },
};

pub(super) const NOW: Timestamp = Timestamp(1_750_000_000_000_000);
pub(super) const DAY: Duration = Duration::from_secs(86_400);

#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) now: Timestamp,
    pub(super) policy: Option<Policy>,
    pub(super) memory: Memory,
    pub(super) clock_bound: Duration,
    /// How much longer the store holds a lease than it tells.
    pub(super) margin: Duration,
    /// When the copy was made that was put back.
    pub(super) forgotten_since: Timestamp,
    pub(super) row: Option<Row>,
    pub(super) revisions: u128,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    record: Record,
    result: Option<Bytes>,
    lease_end: Option<Timestamp>,
    expire: Option<Timestamp>,
    result_expire: Option<Timestamp>,
}

pub(super) fn policy(class: EffectClass) -> Policy {
    let provider_window = (class == EffectClass::Keyed).then_some(DAY);
    Policy { provider_window, ..Policy::of_class(class) }
}

impl Scene {
    /// Nothing yet, in a store that remembers a year.
    pub(super) fn of(class: EffectClass) -> Self {
        let memory = Memory {
            revision: Revision(Uuid::from_u128(1)),
            start: NOW.before(DAY * 365),
            smallest_retention: DAY * 45,
            restored: false,
            gap: false,
        };
        let policy = Some(policy(class));
        let (clock_bound, margin) = (Duration::ZERO, Duration::ZERO);
        let (now, forgotten_since) = (NOW, NOW);
        let (row, revisions) = (None, 1_000);
        Self { now, policy, memory, clock_bound, margin, forgotten_since, row, revisions }
    }

    pub(super) fn keyed() -> Self {
        Self::of(EffectClass::Keyed)
    }

    pub(super) fn external() -> Self {
        Self::of(EffectClass::External)
    }

    /// The same, under an edited policy.
    pub(super) fn with(&self, edit: impl FnOnce(&mut Policy)) -> Self {
        let mut scene = self.clone();
        edit(scene.policy.as_mut().expect("a policy to edit"));
        scene
    }

    pub(super) fn without_policy(&self) -> Self {
        Self { policy: None, ..self.clone() }
    }

    /// The same, later.
    pub(super) fn after(&self, seconds: u64) -> Self {
        self.later(Duration::from_secs(seconds))
    }

    pub(super) fn later(&self, span: Duration) -> Self {
        Self { now: self.now.after(span), ..self.clone() }
    }

    /// The same, so many seconds before `span` is over.
    pub(super) fn before_end(&self, span: Duration, seconds: u64) -> Self {
        self.later(span.saturating_sub(Duration::from_secs(seconds)))
    }

    /// The same, after a restore of this very state as a backup.
    pub(super) fn restored(&self) -> Self {
        let memory = Memory { start: self.now, restored: true, gap: true, ..self.memory.clone() };
        Self { memory, forgotten_since: self.now, ..self.clone() }
    }

    /// The same after a request that must have written.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "requests are made on the spot")]
    pub(super) fn then(&self, request: Request) -> Self {
        let mut scene = self.clone();
        let before = scene.row.clone();
        let verdict = scene.ask(&request);
        assert_ne!(before, scene.row, "{request:?} wrote nothing: {}", said(&verdict));
        scene
    }

    /// Rules, writes, answers.
    #[track_caller]
    pub(super) fn ask(&mut self, request: &Request) -> Verdict {
        let ruling = self.ruling(request);
        if let Some(write) = &ruling.write {
            self.apply(write);
        }
        ruling.verdict
    }

    pub(super) fn ruling(&mut self, request: &Request) -> Ruling {
        self.revisions += 1;
        let stored = self.stored();
        let ruling = rule(stored.as_ref(), request, &self.given(), self.now);
        assert_eq!(
            ruling,
            rule(stored.as_ref(), request, &self.given(), self.now),
            "same in, same out"
        );
        ruling
    }

    pub(super) fn stored(&self) -> Option<Stored> {
        let now = self.now;
        let row = self.row.as_ref().filter(|row| row.expire.is_none_or(|end| now < end))?;
        let lease = match row.lease_end {
            Some(end) if now < end.after(self.margin) => Lease::Live { left: end.since(now) },
            _ => Lease::Over,
        };
        let is_kept = row.result_expire.is_none_or(|end| now < end);
        Some(Stored {
            record: row.record.clone(),
            result: row.result.clone().filter(|_| is_kept),
            lease,
            expires_in: row.expire.map(|end| end.since(now)),
            result_expires_in: row.result_expire.map(|end| end.since(now)),
        })
    }

    #[track_caller]
    pub(super) fn record(&self) -> Record {
        self.stored().expect("a record").record
    }

    /// The token of an attempt; what no attempt has is never issued.
    #[track_caller]
    pub(super) fn token(&self, attempt: u32) -> FencingToken {
        let grants = self.record().grants;
        grants.iter().find(|grant| grant.attempt == attempt).expect("such an attempt").token
    }

    pub(super) fn given(&self) -> Given<'_> {
        Given {
            policy: self.policy.as_ref(),
            memory: &self.memory,
            forgotten_since: self.forgotten_since,
            revision: Uuid::from_u128(self.revisions),
            provider_key: "once1-test",
            clock_bound: self.clock_bound,
        }
    }

    /// The etag under which the record is shown now.
    pub(super) fn etag(&self) -> Etag {
        let given = self.given();
        self.stored().map_or(Etag::None, |stored| shown_etag(&stored, &given, self.now))
    }

    #[track_caller]
    fn apply(&mut self, write: &Write) {
        let stored = self.stored();
        self.assert_judged(stored.as_ref(), write);
        let old = self.row.take().filter(|_| stored.is_some());
        let record = write.record.clone();
        let (old_result, old_lease, old_expire, old_result_expire) = old
            .map_or((None, None, None, None), |row| {
                (row.result, row.lease_end, row.expire, row.result_expire)
            });
        self.row = Some(Row {
            record,
            result: match &write.result {
                ResultWrite::Keep => old_result,
                ResultWrite::Clear => None,
                ResultWrite::Set(bytes) => Some(bytes.clone()),
            },
            lease_end: match write.lease {
                LeaseWrite::Keep => old_lease,
                LeaseWrite::Clear => None,
                LeaseWrite::Start(seconds) => Some(self.in_seconds(seconds.get())),
            },
            expire: self.expire(write.expiry, old_expire),
            result_expire: self.expire(write.result_expiry, old_result_expire),
        });
        self.assert_sound();
    }

    fn in_seconds(&self, seconds: u32) -> Timestamp {
        self.now.after(Duration::from_secs(seconds.into()))
    }

    fn expire(&self, expiry: Expiry, old: Option<Timestamp>) -> Option<Timestamp> {
        match expiry {
            Expiry::Never => None,
            Expiry::Keep => old,
            Expiry::After(seconds) => Some(self.in_seconds(seconds.get())),
        }
    }

    /// A write names the record it was judged on, and has a revision and a version of its own.
    #[track_caller]
    fn assert_judged(&self, stored: Option<&Stored>, write: &Write) {
        assert_eq!(write.record.revision, Revision(Uuid::from_u128(self.revisions)));
        assert_eq!(write.record.written, self.now);
        let Some(stored) = stored else {
            assert_eq!(write.expected, Expected::None);
            assert_eq!(write.record.version, 1);
            return;
        };
        assert_eq!(write.record.version, stored.record.version + 1);
        let Expected::Revision { revision, lease } = write.expected else {
            panic!("a write over a record expects none");
        };
        assert_eq!(revision, stored.record.revision);
        let is_live = stored.lease.is_live();
        match lease {
            LeaseExpected::Any => assert_eq!(write.lease, LeaseWrite::Keep),
            LeaseExpected::Live => assert!(is_live),
            LeaseExpected::Over => assert!(!is_live),
        }
    }

    /// What no record may ever be.
    #[track_caller]
    pub(super) fn assert_sound(&self) {
        let Some(stored) = self.stored() else { return };
        let record = &stored.record;
        let unsettled =
            record.settlement().is_none() && record.state != crate::record::State::Released;
        let uncompared = record.orphan && record.reconcile_time.is_none();
        if unsettled || record.is_contested() || record.disputed || uncompared {
            assert_eq!(stored.expires_in, None, "{} may expire", stands(Some(&stored)));
        }
        if stored.lease.is_live() {
            assert_eq!(record.state, crate::record::State::Claimed, "a lease without a claim");
        }
        assert!(record.grants.is_sorted_by(|a, b| a.token < b.token), "tokens rise");
        let mut claimants: Vec<_> = record.grants.iter().filter_map(|g| g.claimant).collect();
        claimants.sort_by_key(|claimant| claimant.0);
        assert!(claimants.is_sorted_by(|a, b| a.0 < b.0), "one claimant, one grant");
    }
}

/// One cell: what the request is told, and how the record then stands; `=`: nothing was written.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "requests are made on the spot")]
pub(super) fn check(scene: &Scene, request: Request, verdict: &str, then: &str) -> Scene {
    let mut after = scene.clone();
    let told = after.ask(&request);
    assert_eq!(said(&told), verdict, "told, for {request:?}");
    if then == "=" {
        assert_eq!(scene.row, after.row, "nothing may be written for {request:?}");
    } else {
        assert_eq!(stands(after.stored().as_ref()), then, "stands, after {request:?}");
        assert_ne!(scene.row, after.row, "something must be written for {request:?}");
    }
    after
}
