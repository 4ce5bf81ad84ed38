//! Reclaim, and the evidence it may bring.

use onced_proto::v1::{self, evidence::Finding as Given};

use super::{Asked, Checked, Faults, Limits, NAME_MAX, TEXT_MAX, claimant, intent, lease};
use super::{outcome, payload};
use crate::{
    ruling::{Etag, Evidence, Finding, Reclaim},
    wire::etag,
};

/// Judges a Reclaim by an authenticated `principal`.
pub fn reclaim(
    request: v1::ReclaimRequest,
    principal: String,
    traceparent: Option<String>,
    limits: &Limits,
) -> Checked<Asked<Reclaim>> {
    let mut faults = Faults::default();
    let intent = intent(&mut faults, request.intent);
    let claimant = claimant(&mut faults, &request.claimant);
    faults.length("holder", &request.holder, NAME_MAX);
    let payload = payload::required(&mut faults, request.payload);
    let has_evidence = request.evidence.is_some();
    let etag = etag(&mut faults, &request.etag, has_evidence);
    let evidence =
        request.evidence.and_then(|given| evidence(&mut faults, given, limits.result_bytes_max));
    let lease = lease(&mut faults, request.lease);
    faults.required("reason", &request.reason, TEXT_MAX);
    faults.finish(|| {
        let request = Reclaim {
            claimant: claimant?,
            holder: request.holder,
            payload: payload?,
            etag,
            evidence,
            lease,
            reason: request.reason,
            principal,
            traceparent,
        };
        Some(Asked { intent: intent?, request })
    })
}

fn etag(faults: &mut Faults, text: &str, has_evidence: bool) -> Option<Etag> {
    if text.is_empty() {
        if has_evidence {
            faults.note("etag", "is required with evidence");
        }
        return None;
    }
    etag::parse(text).or_else(|| faults.none("etag", "is not an etag of this service"))
}

fn evidence(faults: &mut Faults, given: v1::Evidence, result_bytes_max: usize) -> Option<Evidence> {
    if given.observe_time.is_none() {
        faults.note("evidence.observe_time", "is required");
    }
    faults.moment("evidence.observe_time", given.observe_time);
    faults.length("evidence.reference", &given.reference, TEXT_MAX);
    let finding = match given.finding {
        None => return faults.none("evidence.finding", "needs not_applied or applied"),
        Some(Given::NotApplied(given)) => {
            faults.length("evidence.not_applied.message", &given.message, TEXT_MAX);
            Finding::NotApplied
        }
        Some(Given::Applied(given)) => {
            let path = "evidence.applied";
            Finding::Applied(outcome::succeeded(faults, path, given, result_bytes_max))
        }
    };
    Some(Evidence { finding, reference: given.reference })
}
