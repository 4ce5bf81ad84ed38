//! Who changed a record by hand, and why.

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{
    Evidence, Finding, Reclaim, Resolve, ResolveVerdict,
    draft::{failure_digest, feed, note_audit, success_digest},
    look::standing,
};
use crate::{
    record::{AuditEntry, Record, Revision, Standing},
    store::Stored,
};

/// Where there is no record, what was judged is that nobody knows: its revision is the nil UUID.
pub(super) fn note_reclaim(
    stored: Option<&Stored>,
    record: &mut Record,
    reclaim: &Reclaim,
    after: Standing,
) {
    let reference = reclaim.evidence.as_ref().map_or("", |evidence| &evidence.reference);
    let entry = AuditEntry {
        principal: reclaim.principal.clone(),
        reason: reclaim.reason.clone(),
        reference: reference.to_owned(),
        time: record.written,
        before: stored.map_or(Standing::Unknown, standing),
        after,
        judged: stored.map_or(Revision(Uuid::nil()), |stored| stored.record.revision),
        decision: reclaim_decision(reclaim),
    };
    note_audit(record, entry);
}

pub(super) fn note_resolve(
    stored: &Stored,
    record: &mut Record,
    resolve: &Resolve,
    after: Standing,
) {
    let entry = AuditEntry {
        principal: resolve.principal.clone(),
        reason: resolve.reason.clone(),
        reference: resolve.reference.clone(),
        time: record.written,
        before: standing(stored),
        after,
        judged: stored.record.revision,
        decision: resolve_decision(resolve),
    };
    note_audit(record, entry);
}

fn reclaim_decision(reclaim: &Reclaim) -> [u8; 32] {
    let mut digest = Sha256::new_with_prefix(b"reclaim");
    match &reclaim.evidence {
        None => digest.update([0]),
        Some(Evidence { finding: Finding::NotApplied, .. }) => digest.update([1]),
        Some(Evidence { finding: Finding::Applied(success), .. }) => {
            digest.update([2]);
            digest.update(success_digest(success));
        }
    }
    digest.update(reclaim.claimant.0.as_bytes());
    digest.finalize().into()
}

/// Digest of all that a Resolve decides: the same one sent again is known by it.
pub(super) fn resolve_decision(resolve: &Resolve) -> [u8; 32] {
    let mut digest = Sha256::new_with_prefix(b"resolve");
    match &resolve.verdict {
        ResolveVerdict::Succeeded(success) => {
            digest.update([0]);
            digest.update(success_digest(success));
        }
        ResolveVerdict::Failed(failure) => {
            digest.update([1]);
            digest.update(failure_digest(failure));
        }
        ResolveVerdict::NotApplied => digest.update([2]),
    }
    for text in [&resolve.principal, &resolve.reason, &resolve.reference] {
        feed(&mut digest, text.as_bytes());
    }
    digest.finalize().into()
}
