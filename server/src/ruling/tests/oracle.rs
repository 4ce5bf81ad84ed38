//! What must be true whatever was asked, kept beside the core and in other words than its own.

use std::{collections::BTreeSet, time::Duration};

use super::{
    scene::{DAY, Scene},
    words::said,
};
use crate::{
    clock::Timestamp,
    record::{
        DETAILS_MAX, EffectClass, FencingToken, Outcome, Record, Report, SPENT_MAX, Said, Standing,
    },
    ruling::{
        Complete, Evidence, Finding, Reclaim, Release, ReleasedGrant, Reported, Request, Resolve,
        ResolveVerdict, Verdict, standing,
    },
};

/// A history so far, and what it commits the core to.
#[derive(Clone, Debug)]
pub(super) struct Oracle {
    pub(super) scene: Scene,
    class: EffectClass,
    first_grant: Option<Timestamp>,
    /// Attempts that may have had an effect or may have one yet.
    open: BTreeSet<FencingToken>,
    /// Successes that were taken or kept, and that nobody refuted.
    successes: BTreeSet<FencingToken>,
    /// Every report that moved something, with its answer.
    answered: Vec<(Request, String)>,
}

impl Oracle {
    pub(super) fn of(class: EffectClass, reclaim_on_expiry: bool) -> Self {
        let scene = Scene::of(class).with(|policy| {
            policy.reclaim_on_expiry = reclaim_on_expiry;
            policy.max_attempts = 4;
        });
        Self {
            scene,
            class,
            first_grant: None,
            open: BTreeSet::new(),
            successes: BTreeSet::new(),
            answered: Vec::new(),
        }
    }

    /// Lets time pass; what expired is forgotten, and only what is settled or free may.
    pub(super) fn wait(&mut self, span: Duration) {
        let was_there = self.scene.stored().is_some();
        self.scene = self.scene.later(span);
        if was_there && self.scene.stored().is_none() {
            self.first_grant = None;
            self.open.clear();
            self.successes.clear();
            self.answered.clear();
        }
    }

    /// Asks, and judges the answer.
    pub(super) fn ask(&mut self, request: &Request) {
        let before = self.scene.clone();
        let verdict = self.scene.ask(request);
        let wrote = before.row != self.scene.row;
        self.judge_grant(&before, request, &verdict);
        self.judge_outcome(&before, request);
        self.note(&before, request, &verdict, wrote);
        self.judge_success(request, &verdict);
        self.judge_reports();
        self.judge_bounds();
        self.judge_repeat(request, &verdict);
    }

    /// Sends again what was answered before: it gets that answer, and moves nothing.
    pub(super) fn send_again(&mut self, choice: usize) {
        let Some((request, answer)) = self.answered.get(choice % self.answered.len().max(1)) else {
            return;
        };
        if self.is_withdrawal(request) || self.is_cut() {
            return;
        }
        let before = self.scene.row.clone();
        let (request, answer) = (request.clone(), answer.clone());
        let told = self.scene.ask(&request);
        assert_eq!(plain(&told), answer, "a copy of {request:?}");
        assert!(before == self.scene.row, "a copy of {request:?} moved the record");
    }

    /// The one exception: unknown takes a release back, whenever it comes.
    fn is_withdrawal(&self, request: &Request) -> bool {
        let is_released = self.scene.stored().is_some_and(|s| standing(&s) == Standing::Released);
        is_released
            && matches!(request, Request::Complete(Complete { outcome: Reported::Unknown, .. }))
    }

    fn is_cut(&self) -> bool {
        let is_other = |report: &&Report| !report.is_standing_success();
        self.scene.stored().is_some_and(|stored| {
            let record = stored.record;
            record.audit_cut > 0
                || record.late_reports_cut > 0
                || record.reports.iter().filter(is_other).count() >= DETAILS_MAX
        })
    }

    fn deduplicates(&self, now: Timestamp, lease: Duration) -> bool {
        match (self.class, self.first_grant) {
            (EffectClass::NaturallyIdempotent, _) => true,
            (EffectClass::Keyed, Some(first)) => {
                now.after(lease + Duration::from_secs(20)) < first.after(DAY)
            }
            _ => false,
        }
    }

    /// One live grant; none over what may have happened, unless the provider deduplicates.
    fn judge_grant(&self, before: &Scene, request: &Request, verdict: &Verdict) {
        let Verdict::Granted(granted) = verdict else { return };
        if granted.repeated {
            assert_eq!(before.row, self.scene.row);
            let record = before.record();
            let current = record.current().expect("a grant");
            assert_eq!((current.token, current.claimant), (granted.token, claimant(request)));
            return;
        }
        if let Some(stored) = before.stored() {
            assert!(!stored.lease.is_live(), "two live grants");
            assert!(!stored.record.grants.iter().any(|g| g.claimant == claimant(request)));
            assert!(stored.record.token().is_none_or(|token| token < granted.token));
        }
        if self.deduplicates(before.now, granted.lease) {
            return;
        }
        assert!(self.successes.is_empty(), "granted over a reported success");
        let is_cleared = matches!(
            request,
            Request::Reclaim(Reclaim {
                evidence: Some(Evidence { finding: Finding::NotApplied, .. }),
                ..
            })
        );
        assert!(self.open.is_empty() || is_cleared, "granted over an open attempt");
    }

    /// What is settled changes by Resolve alone.
    fn judge_outcome(&self, before: &Scene, request: &Request) {
        let Some(old) = before.stored().and_then(|stored| outcome(&stored.record)) else { return };
        if !matches!(request, Request::Resolve(_)) {
            assert_eq!(outcome(&self.scene.record()), Some(old));
        }
    }

    fn note(&mut self, before: &Scene, request: &Request, verdict: &Verdict, wrote: bool) {
        if !wrote {
            return;
        }
        match (request, verdict) {
            (Request::Claim(_) | Request::Reclaim(_), Verdict::Granted(granted)) => {
                if is_absence(request) {
                    self.open.clear();
                }
                self.first_grant.get_or_insert(before.now);
                self.open.insert(granted.token);
            }
            (Request::Complete(complete), _) => self.note_report(complete, verdict),
            (Request::Release(release), Verdict::Released { .. }) => {
                self.note_release(before, release);
            }
            (Request::Resolve(Resolve { verdict, .. }), Verdict::Resolved) => {
                if !matches!(verdict, ResolveVerdict::Succeeded(_)) {
                    self.successes.clear();
                }
                if matches!(verdict, ResolveVerdict::NotApplied) {
                    self.open.clear();
                }
            }
            _ => {}
        }
        if is_kept(request) {
            self.answered.push((request.clone(), plain(verdict)));
        }
    }

    fn note_report(&mut self, complete: &Complete, verdict: &Verdict) {
        match (&complete.outcome, verdict) {
            (Reported::Succeeded(_), _) => {
                self.successes.insert(complete.token);
            }
            (Reported::Failed(_), Verdict::Reported { .. }) => {
                self.open.remove(&complete.token);
            }
            (Reported::Unknown, Verdict::Reported { .. }) => {
                self.open.insert(complete.token);
            }
            _ => {}
        }
    }

    fn note_release(&mut self, before: &Scene, release: &Release) {
        let token = match release.grant {
            ReleasedGrant::Token(token) => Some(token),
            ReleasedGrant::Claimant(claimant) => before.stored().and_then(|stored| {
                let grants = stored.record.grants;
                grants.iter().find(|grant| grant.claimant == Some(claimant)).map(|g| g.token)
            }),
        };
        if let Some(token) = token {
            self.open.remove(&token);
        }
    }

    /// A success under a token that was ever issued is on file, whatever it was told; another
    /// payload is refused first.
    fn judge_success(&self, request: &Request, verdict: &Verdict) {
        let Request::Complete(Complete { token, outcome: Reported::Succeeded(_), payload }) =
            request
        else {
            return;
        };
        let Some(stored) = self.scene.stored() else { return };
        let is_issued = stored.record.grants.iter().any(|grant| grant.token == *token);
        let is_right = match (payload, &stored.record.payload_hash) {
            (Some(payload), Some(hash)) => payload.hash() == hash,
            (None, _) | (_, None) => true,
        };
        if is_issued && is_right {
            let is_it = |report: &Report| {
                report.token == *token && matches!(report.said, Said::Succeeded(_))
            };
            let is_on_file = stored.record.reports.iter().any(is_it);
            assert!(is_on_file, "lost, though told {}: {request:?}", said(verdict));
        }
    }

    /// No report is lost: every success that was taken or kept is on file.
    fn judge_reports(&self) {
        for token in &self.successes {
            let record = self.scene.record();
            let is_it = |report: &Report| report.token == *token && report.is_standing_success();
            assert!(record.reports.iter().any(is_it), "the success under {token:?} is lost");
        }
    }

    fn judge_bounds(&self) {
        let Some(stored) = self.scene.stored() else { return };
        let record = stored.record;
        let is_other = |report: &&Report| !matches!(report.said, Said::Succeeded(_));
        assert!(record.reports.iter().filter(is_other).count() <= DETAILS_MAX);
        assert!(record.audit.len() <= DETAILS_MAX);
        assert!(record.spent.len() <= SPENT_MAX);
    }

    /// The answer may have been lost: sent again at once, the call is answered alike, and moves
    /// nothing. A grant over a reported success is not repeated: its claimant is told that it is in
    /// progress, and its token.
    fn judge_repeat(&self, request: &Request, verdict: &Verdict) {
        let mut scene = self.scene.clone();
        let again = scene.ask(request);
        let is_contested = self.scene.stored().is_some_and(|stored| stored.record.is_contested());
        let expected = match verdict {
            Verdict::Granted(_) if is_contested => "in progress, own token".to_owned(),
            _ => plain(verdict),
        };
        assert_eq!(plain(&again), expected, "{request:?}, sent again at once");
        assert!(scene.row == self.scene.row, "{request:?}, sent again at once, wrote");
    }
}

/// Its answer is on the record for good; that a claimant gave up is noted for ten minutes only.
fn is_kept(request: &Request) -> bool {
    match request {
        Request::Complete(_) | Request::Resolve(_) => true,
        Request::Release(release) => matches!(release.grant, ReleasedGrant::Token(_)),
        Request::Claim(_) | Request::Reclaim(_) | Request::Renew(_) | Request::Get(_) => false,
    }
}

fn is_absence(request: &Request) -> bool {
    matches!(
        request,
        Request::Reclaim(Reclaim {
            evidence: Some(Evidence { finding: Finding::NotApplied, .. }),
            ..
        })
    )
}

fn claimant(request: &Request) -> Option<crate::record::Claimant> {
    match request {
        Request::Claim(claim) => Some(claim.claimant),
        Request::Reclaim(reclaim) => Some(reclaim.claimant),
        _ => None,
    }
}

fn outcome(record: &Record) -> Option<bool> {
    record.settlement().map(|settlement| matches!(settlement.outcome, Outcome::Succeeded(_)))
}

/// A verdict without what may differ when a call is sent again.
fn plain(verdict: &Verdict) -> String {
    said(verdict).replace(", repeated", "").replace(", reclaimed", "")
}
