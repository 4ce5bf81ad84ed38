//! Reported outcomes: successes with their results, failures with their details.

use bytes::Bytes;
use onced_proto::v1::{self, complete_request::Outcome};

use super::{Faults, NAME_MAX, TEXT_MAX, money};
use crate::{
    record::{Content, Failure},
    ruling::{Reported, ReportedResult, ReportedSuccess},
};

/// Longest class of a failure, in bytes.
const KIND_MAX: usize = 128;
/// Largest detail of a failure, in bytes.
const DETAIL_MAX: usize = 65_536;

/// Judges the outcome of a Complete.
pub(super) fn reported(
    faults: &mut Faults,
    given: Option<Outcome>,
    result_bytes_max: usize,
) -> Option<Reported> {
    match given {
        None => faults.none("outcome", "needs succeeded, failed or unknown"),
        Some(Outcome::Succeeded(given)) => {
            let success = succeeded(faults, "succeeded", given, result_bytes_max);
            Some(Reported::Succeeded(success))
        }
        Some(Outcome::Failed(given)) => Some(Reported::Failed(failed(faults, "failed", given))),
        Some(Outcome::Unknown(given)) => {
            faults.length("unknown.message", &given.message, TEXT_MAX);
            Some(Reported::Unknown)
        }
    }
}

/// Judges a success.
pub(super) fn succeeded(
    faults: &mut Faults,
    path: &str,
    given: v1::Succeeded,
    result_bytes_max: usize,
) -> ReportedSuccess {
    reference(faults, path, &given.provider_reference);
    let amount = given.amount.map(|amount| money::money(faults, &format!("{path}.amount"), amount));
    let absence = absence(faults, path, given.result_absence, given.result.is_some());
    let result = match given.result {
        None => absence,
        Some(result) => content(faults, &format!("{path}.result"), result, result_bytes_max)
            .map_or(absence, ReportedResult::Given),
    };
    ReportedSuccess { result, amount, provider_reference: given.provider_reference }
}

fn absence(faults: &mut Faults, path: &str, number: i32, has_result: bool) -> ReportedResult {
    let field = format!("{path}.result_absence");
    let absence = v1::ResultAbsence::try_from(number);
    if has_result && absence != Ok(v1::ResultAbsence::Unspecified) {
        faults.note(&field, "must not be set beside a result");
    }
    match absence {
        Ok(v1::ResultAbsence::Unspecified | v1::ResultAbsence::NoneGiven) => {
            ReportedResult::NoneGiven
        }
        Ok(v1::ResultAbsence::Omitted) => ReportedResult::Omitted,
        Ok(_) | Err(_) => {
            if !has_result {
                faults.note(&field, "must be NONE_GIVEN or OMITTED");
            }
            ReportedResult::Omitted
        }
    }
}

/// Judges a failure.
pub(super) fn failed(faults: &mut Faults, path: &str, given: v1::Failed) -> Failure {
    faults.required(&format!("{path}.type"), &given.r#type, KIND_MAX);
    faults.length(&format!("{path}.message"), &given.message, TEXT_MAX);
    reference(faults, path, &given.provider_reference);
    let detail = given
        .detail
        .and_then(|detail| content(faults, &format!("{path}.detail"), detail, DETAIL_MAX));
    Failure {
        kind: given.r#type,
        message: given.message,
        detail,
        provider_reference: given.provider_reference,
    }
}

fn reference(faults: &mut Faults, path: &str, reference: &str) {
    faults.length(&format!("{path}.provider_reference"), reference, NAME_MAX);
}

fn content(faults: &mut Faults, path: &str, given: v1::Content, max: usize) -> Option<Content> {
    use v1::content::Body;
    faults.length(&format!("{path}.content_type"), &given.content_type, NAME_MAX);
    let (body, text) = match given.body {
        Some(Body::Bytes(bytes)) => (bytes, false),
        Some(Body::Text(text)) => (Bytes::from(text), true),
        None => return faults.none(path, "needs bytes or text; absent and empty are different"),
    };
    faults.size(path, body.len(), max);
    Some(Content { body, text, content_type: given.content_type })
}
