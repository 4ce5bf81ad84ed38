use onced_proto::v1::{Failed, InProgress, Succeeded, Unknown};
use tonic_types::ErrorDetails;

use super::*;

const FRESH: GrantCheck = GrantCheck { claimant_is_ours: false, lease_is_over: false };
const OURS: GrantCheck = GrantCheck { claimant_is_ours: true, lease_is_over: false };

#[track_caller]
fn check(verdict: impl Into<Option<Verdict>>, grant: GrantCheck, expected: u8) {
    let ruling = Ruling { verdict: verdict.into(), warnings: Vec::new() };
    assert_eq!(Exit::of_ruling(Some(&ruling), grant) as u8, expected);
}

fn granted(repeated: bool) -> Verdict {
    Verdict::Granted(Granted { repeated, ..Default::default() })
}

fn completed(outcome: impl Into<Option<Outcome>>, disputed: bool) -> Verdict {
    let outcome = outcome.into();
    Verdict::Completed(Completed { outcome, disputed, ..Default::default() })
}

fn succeeded() -> Outcome {
    Outcome::Succeeded(Succeeded::default())
}

fn failed() -> Outcome {
    Outcome::Failed(Failed::default())
}

#[test]
fn only_a_fresh_grant_means_go_ahead() {
    check(granted(false), FRESH, 0);
    check(granted(false), OURS, 0);
}

#[test]
fn a_repeated_grant_is_acted_upon_only_if_the_earlier_send_was_this_calls_own() {
    check(granted(true), FRESH, 13);
    check(granted(true), OURS, 0);
}

#[test]
fn a_grant_whose_lease_is_over_is_not_acted_upon() {
    check(granted(false), GrantCheck { lease_is_over: true, ..FRESH }, 13);
    check(granted(true), GrantCheck { lease_is_over: true, ..OURS }, 13);
}

#[test]
fn every_other_verdict_has_its_own_code() {
    check(completed(succeeded(), false), OURS, 10);
    check(Verdict::InProgress(InProgress::default()), OURS, 11);
    check(Verdict::Unknown(Unknown::default()), OURS, 12);
    check(completed(failed(), false), OURS, 14);
}

#[test]
fn what_is_disputed_counts_as_unknown_whatever_the_outcome_says() {
    check(completed(succeeded(), true), OURS, 12);
    check(completed(failed(), true), OURS, 12);
}

#[test]
fn an_answer_that_is_not_understood_counts_as_unknown() {
    check(None, OURS, 12);
    check(completed(None, false), OURS, 12);
    assert_eq!(Exit::of_ruling(None, OURS), Exit::Unknown);
}

#[test]
fn each_status_code_has_one_exit_code() {
    for (code, expected) in [
        (Code::Ok, 0),
        (Code::InvalidArgument, 64),
        (Code::Unavailable, 69),
        (Code::DeadlineExceeded, 69),
        (Code::Cancelled, 69),
        (Code::Unknown, 69),
        (Code::Internal, 69),
        (Code::ResourceExhausted, 69),
        (Code::NotFound, 70),
        (Code::AlreadyExists, 70),
        (Code::PermissionDenied, 70),
        (Code::FailedPrecondition, 70),
        (Code::Aborted, 70),
        (Code::OutOfRange, 70),
        (Code::Unimplemented, 70),
        (Code::DataLoss, 70),
        (Code::Unauthenticated, 70),
    ] {
        assert_eq!(Exit::of_status(&Status::new(code, "")) as u8, expected, "{code:?}");
    }
}

fn refused(domain: &str, reason: &str) -> Status {
    let details = ErrorDetails::with_error_info(reason, domain, []);
    Status::with_error_details(Code::Aborted, "", details)
}

#[test]
fn a_claim_refused_because_an_attempt_runs_ends_like_one_that_was_told_so() {
    assert_eq!(Exit::of_refused_ruling(&refused("onced.v1", "IN_PROGRESS")), Exit::InProgress);
    assert_eq!(Exit::of_refused_ruling(&refused("onced.v1", "FENCED")), Exit::Refused);
    assert_eq!(Exit::of_refused_ruling(&refused("proxy", "IN_PROGRESS")), Exit::Refused);
    assert_eq!(Exit::of_refused_ruling(&Status::unavailable("")), Exit::Unavailable);
}
