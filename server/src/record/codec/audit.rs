//! Audit entries and spent claimants, on disk.

use onced_proto::store::v1 as layout;

use super::{
    super::{AuditEntry, SpentClaimant, Standing},
    field::{Fault, claimant, digest, digest_bytes, revision, time, uuid_bytes},
};

impl From<&AuditEntry> for layout::AuditEntry {
    fn from(entry: &AuditEntry) -> Self {
        Self {
            principal: entry.principal.clone(),
            reason: entry.reason.clone(),
            reference: entry.reference.clone(),
            time_micros: Some(entry.time.0),
            before: layout::Standing::from(entry.before).into(),
            after: layout::Standing::from(entry.after).into(),
            judged: uuid_bytes(entry.judged.0),
            decision: digest_bytes(&entry.decision),
        }
    }
}

impl TryFrom<layout::AuditEntry> for AuditEntry {
    type Error = Fault;

    fn try_from(cell: layout::AuditEntry) -> Result<Self, Fault> {
        Ok(Self {
            principal: cell.principal,
            reason: cell.reason,
            reference: cell.reference,
            time: time(cell.time_micros, "the time of an audit entry is missing")?,
            before: standing_from(cell.before)?,
            after: standing_from(cell.after)?,
            judged: revision(&cell.judged, "the revision of an audit entry is not a UUID")?,
            decision: digest(&cell.decision, "the decision of an audit entry is not a digest")?,
        })
    }
}

impl From<Standing> for layout::Standing {
    fn from(standing: Standing) -> Self {
        match standing {
            Standing::Live => Self::Live,
            Standing::Over => Self::Over,
            Standing::Unknown => Self::Unknown,
            Standing::Released => Self::Released,
            Standing::Succeeded => Self::Succeeded,
            Standing::Failed => Self::Failed,
        }
    }
}

fn standing_from(cell: i32) -> Result<Standing, Fault> {
    match layout::Standing::try_from(cell) {
        Ok(layout::Standing::Live) => Ok(Standing::Live),
        Ok(layout::Standing::Over) => Ok(Standing::Over),
        Ok(layout::Standing::Unknown) => Ok(Standing::Unknown),
        Ok(layout::Standing::Released) => Ok(Standing::Released),
        Ok(layout::Standing::Succeeded) => Ok(Standing::Succeeded),
        Ok(layout::Standing::Failed) => Ok(Standing::Failed),
        Ok(layout::Standing::Unspecified) | Err(_) => {
            Err(Fault("the standing in an audit entry is none that is known"))
        }
    }
}

impl From<&SpentClaimant> for layout::SpentClaimant {
    fn from(spent: &SpentClaimant) -> Self {
        Self { claimant: uuid_bytes(spent.claimant.0), time_micros: Some(spent.time.0) }
    }
}

impl TryFrom<layout::SpentClaimant> for SpentClaimant {
    type Error = Fault;

    fn try_from(cell: layout::SpentClaimant) -> Result<Self, Fault> {
        Ok(Self {
            claimant: claimant(&cell.claimant, "a spent claimant is not a UUID")?,
            time: time(cell.time_micros, "the time of a spent claimant is missing")?,
        })
    }
}
