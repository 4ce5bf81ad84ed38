//! Whether one record is a later version of another.
//!
//! Says no where it cannot tell: a record that is taken for an earlier version is overwritten.

use crate::record::Record;

/// `later` came of `earlier`, and holds all that was reported to it.
pub(super) fn follows(earlier: &Record, later: &Record) -> bool {
    later.version > earlier.version
        && is_of_the_same_intent(earlier, later)
        && keeps_grants(earlier, later)
        && keeps_reports(earlier, later)
        && keeps_audit(earlier, later)
}

/// A note of spent claimants alone counts as none: what follows it begins anew.
fn is_of_the_same_intent(earlier: &Record, later: &Record) -> bool {
    earlier.is_spent_only()
        || (earlier.payload_hash == later.payload_hash
            && earlier.first_claim_time == later.first_claim_time)
}

fn keeps_grants(earlier: &Record, later: &Record) -> bool {
    let same = |(one, other): (&crate::record::Grant, &crate::record::Grant)| {
        one.token == other.token && one.claimant == other.claimant
    };
    earlier.grants.len() <= later.grants.len() && earlier.grants.iter().zip(&later.grants).all(same)
}

/// Late reports are bounded: where more were cut since, one may be missing.
fn keeps_reports(earlier: &Record, later: &Record) -> bool {
    let missing = earlier.reports.iter().filter(|report| {
        !later.reports.iter().any(|kept| {
            (kept.token, kept.digest, kept.time) == (report.token, report.digest, report.time)
        })
    });
    let cut = later.late_reports_cut.saturating_sub(earlier.late_reports_cut);
    missing.count() <= cut as usize
}

/// The oldest entries are cut first.
fn keeps_audit(earlier: &Record, later: &Record) -> bool {
    let cut = later.audit_cut.saturating_sub(earlier.audit_cut) as usize;
    let kept = earlier.audit.get(cut.min(earlier.audit.len())..).unwrap_or_default();
    later.audit.starts_with(kept)
}
