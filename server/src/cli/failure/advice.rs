//! What to do about each reason, in the words of the documentation.

use tonic::Status;

use crate::cli::exit::reason;

/// The advice for a refusal; none if the reason is not known here.
pub(super) fn of(status: &Status) -> Option<&'static str> {
    by_reason(&reason(status)?)
}

fn by_reason(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "INVALID_FIELD" => {
            "correct the request; every fault is listed, beyond 4 KiB of them counted"
        }
        "KEY_REUSED" => "two intents share one key: correct the key",
        "HASH_SCHEME_DIFFERS" => "send the payload itself, or a hash of the stored scheme",
        "IN_PROGRESS" => "ask again after the time given",
        "FENCED" => "stop; another attempt has been granted, or the record was forgotten",
        "LEASE_LOST" => "stop before the effect; if it was sent, report its outcome",
        "ETAG_MISMATCH" => "read the intent again, ask the provider again",
        "CLAIMANT_SPENT" => "a new execution makes a new claimant",
        "HOLD_EXHAUSTED" => "finish within the lease, or report unknown",
        "OUTCOME_CONFLICT" => "another outcome is on file; yours is kept; a person has to look",
        "ALREADY_SETTLED" => "nothing; Get shows the outcome",
        "EVIDENCE_TOO_EARLY" => "wait until the time given, read again, ask the provider again",
        "INTENT_TOO_OLD" => "find out at the provider; Reclaim with etag none and evidence",
        "KEY_NOT_FOUND" => "there is no record",
        "OPERATION_UNKNOWN" => "the policy file has no such operation",
        "QUOTA" | "OVERLOADED" => "ask again after the time given; never the answer to a report",
        "STORE_UNAVAILABLE" | "CONTENDED" | "DRAINING" => {
            "nothing happened; send the same call again"
        }
        "STORE_UNCERTAIN" | "DEADLINE" => {
            "it may have happened; send the same call again, with the same claimant"
        }
        "RECORD_CORRUPT" => "a person has to look; nothing is granted on it",
        "FORMAT_TOO_NEW" => "a newer server wrote the record; upgrade this one",
        "CREDENTIALS_INVALID" => "correct the credentials",
        "NOT_ALLOWED" => "ask for the role in this namespace",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
