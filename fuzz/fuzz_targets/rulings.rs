//! Any bytes as a history of one intent: calls and time, ruled on by the core and written as an
//! engine would. Never a panic; what is written is of the record that was judged, can be stored,
//! and grants nothing over a reported success that the provider would not deduplicate.
#![no_main]

use std::{collections::BTreeMap, time::Duration};

use libfuzzer_sys::fuzz_target;
use onced::{
    clock::Timestamp,
    payload::{Payload, PayloadHash},
    policy::Policy,
    record::{
        Claimant, EffectClass, Failure, FencingToken, NotAppliedReason, Revision, Said,
        codec::{decode, encode},
    },
    ruling::{
        Claim, Complete, Etag, Evidence, Finding, Given, Reclaim, Release, ReleasedGrant, Renew,
        Reported, ReportedResult, ReportedSuccess, Request, Resolve, ResolveVerdict, Verdict, rule,
        shown_etag,
    },
    store::{Expected, Lease, LeaseExpected, LeaseWrite, Memory, Stored, Write},
};
use uuid::Uuid;

const START: Timestamp = Timestamp(1_764_000_000_000_000);
/// How far time may move in one step, in seconds.
const LEAPS: [u64; 8] = [0, 0, 1, 5, 31, 400, 90_000, 4_000_000];

fuzz_target!(|bytes: &[u8]| {
    let Some((first, steps)) = bytes.split_first() else { return };
    let mut world = World::new(*first);
    for step in steps.chunks_exact(4).take(64) {
        world.now = world.now.after(Duration::from_secs(LEAPS[usize::from(step[3] % 8)]));
        let request = world.request(step[0], step[1], step[2]);
        world.ask(&request);
    }
});

struct World {
    now: Timestamp,
    policy: Policy,
    memory: Memory,
    row: Option<(Stored, Timestamp)>,
    revisions: u128,
}

impl World {
    fn new(first: u8) -> Self {
        let classes = [
            EffectClass::NaturallyIdempotent,
            EffectClass::Keyed,
            EffectClass::Accumulative,
            EffectClass::External,
        ];
        let mut policy = Policy::of_class(classes[usize::from(first % 4)]);
        policy.provider_window = Some(Duration::from_secs(86_400));
        policy.reclaim_on_expiry = first & 4 != 0;
        let memory = Memory {
            revision: Revision(Uuid::nil()),
            start: START,
            smallest_retention: policy.retention,
            restored: first & 8 != 0,
            gap: first & 8 != 0,
        };
        Self { now: START, policy, memory, row: None, revisions: 0 }
    }

    fn stored(&self) -> Option<Stored> {
        let (stored, end) = self.row.as_ref()?;
        let left = end.since(self.now);
        let lease = if left.is_zero() { Lease::Over } else { Lease::Live { left } };
        Some(Stored { lease, ..stored.clone() })
    }

    fn given(&self) -> Given<'_> {
        Given {
            policy: Some(&self.policy),
            memory: &self.memory,
            forgotten_since: START,
            revision: Uuid::from_u128(self.revisions),
            provider_key: "once1-fuzz",
            clock_bound: Duration::ZERO,
        }
    }

    fn ask(&mut self, request: &Request) {
        self.revisions += 1;
        let stored = self.stored();
        let ruling = rule(stored.as_ref(), request, &self.given(), self.now);
        let Some(write) = ruling.write else { return };
        assert!(is_of(write.expected, stored.as_ref()), "not of what was judged: {request:?}");
        assert_eq!(decode(&encode(&write.record)).as_ref(), Ok(&write.record));
        if let (Verdict::Granted(_), Some(before)) = (&ruling.verdict, &stored) {
            let reported = before
                .record
                .reports
                .iter()
                .any(|report| matches!(report.said, Said::Succeeded(_)) && !report.refuted);
            let harmless = before.record.terms.effect_class <= EffectClass::Keyed;
            assert!(!reported || harmless, "granted over a reported success");
        }
        self.apply(stored.as_ref(), &write);
    }

    fn apply(&mut self, before: Option<&Stored>, write: &Write) {
        let kept = self.row.as_ref().map_or(self.now, |(_, end)| *end);
        let end = match write.lease {
            LeaseWrite::Keep => kept,
            LeaseWrite::Clear => self.now,
            LeaseWrite::Start(seconds) => self.now.after(Duration::from_secs(seconds.get().into())),
        };
        self.row = Some((write.applied_on(before), end));
    }

    fn request(&self, kind: u8, who: u8, what: u8) -> Request {
        match kind % 6 {
            0 => Request::Claim(claim(who, what)),
            1 => Request::Complete(Complete {
                token: self.token(who),
                outcome: outcome(what),
                payload: (what & 8 != 0).then(|| payload(what >> 4)),
            }),
            2 => Request::Renew(Renew { token: self.token(who), lease: lease(what) }),
            3 => Request::Release(Release {
                grant: if what & 1 == 0 {
                    ReleasedGrant::Token(self.token(who))
                } else {
                    ReleasedGrant::Claimant(claimant(who))
                },
                reason: NotAppliedReason::NotStarted,
            }),
            4 => Request::Reclaim(self.reclaim(who, what)),
            _ => Request::Resolve(Resolve {
                etag: self.etag(what),
                verdict: match what >> 4 & 3 {
                    0 => ResolveVerdict::Succeeded(success(what)),
                    1 => ResolveVerdict::Failed(failure(what)),
                    _ => ResolveVerdict::NotApplied,
                },
                reason: "fuzz".to_owned(),
                reference: "fuzz".to_owned(),
                principal: "fuzz".to_owned(),
            }),
        }
    }

    fn reclaim(&self, who: u8, what: u8) -> Reclaim {
        let finding = match what >> 4 & 3 {
            0 => Some(Finding::NotApplied),
            1 => Some(Finding::Applied(success(what))),
            _ => None,
        };
        Reclaim {
            claimant: claimant(who),
            holder: String::new(),
            payload: payload(0),
            etag: (what & 4 == 0).then(|| self.etag(what)),
            evidence: finding.map(|finding| Evidence { finding, reference: String::new() }),
            lease: lease(what),
            reason: "fuzz".to_owned(),
            principal: String::new(),
            traceparent: None,
        }
    }

    /// One that was issued, or one nearby.
    fn token(&self, which: u8) -> FencingToken {
        let grants = self.row.as_ref().map_or(&[][..], |(stored, _)| &stored.record.grants);
        match grants.get(usize::from(which % 8)) {
            Some(grant) => grant.token,
            None => FencingToken(self.now.0 - 3 + i64::from(which % 8)),
        }
    }

    fn etag(&self, what: u8) -> Etag {
        match self.stored() {
            Some(stored) if what & 2 == 0 => shown_etag(&stored, &self.given(), self.now),
            Some(_) => Etag::Revision { revision: Revision(Uuid::nil()), marked: true },
            None => Etag::None,
        }
    }
}

fn is_of(expected: Expected, stored: Option<&Stored>) -> bool {
    match (expected, stored) {
        (Expected::None, stored) => stored.is_none(),
        (Expected::Revision { revision, lease }, Some(stored)) => {
            let lease_is_so = match lease {
                LeaseExpected::Any => true,
                LeaseExpected::Live => stored.lease.is_live(),
                LeaseExpected::Over => !stored.lease.is_live(),
            };
            revision == stored.record.revision && lease_is_so
        }
        (Expected::Revision { .. }, None) => false,
    }
}

fn claim(who: u8, what: u8) -> Claim {
    Claim {
        claimant: claimant(who),
        holder: String::new(),
        payload: payload(what & 1),
        lease: lease(what),
        first_sent_time: (what & 16 != 0).then_some(START),
        amount: None,
        labels: BTreeMap::new(),
        traceparent: None,
    }
}

fn claimant(who: u8) -> Claimant {
    Claimant(Uuid::from_u128(u128::from(who % 8) + 1))
}

fn payload(which: u8) -> Payload {
    let digest = format!("{:064x}", which & 1);
    Payload::from_hash(PayloadHash { scheme: "sha256".to_owned(), digest })
}

fn lease(what: u8) -> Option<Duration> {
    (what & 32 != 0).then(|| Duration::from_secs(u64::from(what)))
}

fn outcome(what: u8) -> Reported {
    match what % 3 {
        0 => Reported::Succeeded(success(what)),
        1 => Reported::Failed(failure(what)),
        _ => Reported::Unknown,
    }
}

fn success(what: u8) -> ReportedSuccess {
    ReportedSuccess {
        result: if what & 64 == 0 { ReportedResult::NoneGiven } else { ReportedResult::Omitted },
        amount: None,
        provider_reference: format!("ch_{}", what & 3),
    }
}

fn failure(what: u8) -> Failure {
    Failure {
        kind: format!("declined_{}", what & 3),
        message: String::new(),
        detail: None,
        provider_reference: if what & 64 == 0 { String::new() } else { "re_1".to_owned() },
    }
}
