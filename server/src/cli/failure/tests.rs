use std::time::Duration;

use tonic_types::{ErrorDetails, FieldViolation};

use super::*;

#[test]
fn a_refusal_is_told_with_reason_facts_and_delay() {
    let facts = [("lease_expire_time", "2026"), ("attempt", "1")];
    let facts = facts.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut details = ErrorDetails::with_error_info("IN_PROGRESS", "onced.v1", facts);
    details.set_retry_info(Some(Duration::from_secs(2)));
    let status = Status::with_error_details(Code::Aborted, "an attempt runs", details);
    assert_eq!(
        page(&status).render(false),
        "refused: an attempt runs\n  reason        IN_PROGRESS\n  detail        attempt = 1\n  \
         detail        lease_expire_time = 2026\n  ask again in  2s\n"
    );
}

#[test]
fn every_violation_is_listed() {
    let details = ErrorDetails::with_bad_request(vec![
        FieldViolation::new("intent.key", "is blank"),
        FieldViolation::new("lease", "is not positive"),
    ]);
    let status = Status::with_error_details(Code::InvalidArgument, "2 faults", details);
    assert_eq!(
        page(&status).render(false),
        "invalid: 2 faults\n  reason  INVALID_ARGUMENT\n  field   intent.key: is blank\n  \
         field   lease: is not positive\n"
    );
}

#[test]
fn what_ends_a_command_decides_its_exit_code() {
    let output = Output::Text;
    let refusal = Refusal { status: Status::not_found("no such key"), output };
    assert_eq!(report(&refusal.into()), Exit::Refused);
    let unavailable = Refusal { status: Status::unavailable("down"), output };
    assert_eq!(report(&unavailable.into()), Exit::Unavailable);
    assert_eq!(report(&anyhow::anyhow!("--json-file x: no such file")), Exit::Usage);
    let gone = super::super::Unprintable(std::io::Error::other("closed"));
    assert_eq!(report(&gone.into()), Exit::Refused);
}
