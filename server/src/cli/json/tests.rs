use std::time::Duration;

use onced_proto::v1::{
    ClaimResponse, Completed, Content, Granted, Money, OutcomeSource, Ruling, Succeeded,
    completed::Outcome, content::Body, ruling::Verdict,
};
use tonic::Code;
use tonic_types::{ErrorDetails, StatusExt};

use super::*;

fn answer(verdict: Verdict) -> ClaimResponse {
    ClaimResponse { ruling: Some(Ruling { verdict: Some(verdict), warnings: Vec::new() }) }
}

#[track_caller]
fn check(message: &ClaimResponse, expected: &str) {
    assert_eq!(render("onced.v1.ClaimResponse", message).unwrap(), expected.trim());
}

#[test]
fn a_grant_has_camel_case_names_numbers_as_strings_and_durations_with_their_unit() {
    let granted = Granted {
        attempt: 1,
        fencing_token: 1_764_547_200_000_000,
        provider_key: "once1-abc".to_owned(),
        lease: Some(prost_types::Duration { seconds: 30, nanos: 0 }),
        lease_expire_time: Some(prost_types::Timestamp { seconds: 1_769_860_800, nanos: 0 }),
        waited: Some(prost_types::Duration { seconds: 0, nanos: 1_500_000 }),
        result_bytes_max: 65_536,
        ..Default::default()
    };
    check(
        &answer(Verdict::Granted(granted)),
        r#"
{
  "ruling": {
    "granted": {
      "attempt": 1,
      "fencingToken": "1764547200000000",
      "providerKey": "once1-abc",
      "lease": "30s",
      "leaseExpireTime": "2026-01-31T12:00:00Z",
      "waited": "0.001500s",
      "resultBytesMax": 65536
    }
  }
}"#,
    );
}

#[test]
fn an_outcome_has_enums_by_name_bytes_in_base64_and_no_defaults() {
    let succeeded = Succeeded {
        result: Some(Content {
            body: Some(Body::Bytes(vec![1, 2, 255].into())),
            content_type: "application/octet-stream".to_owned(),
        }),
        amount: Some(Money { currency_code: "EUR".to_owned(), units: 12, nanos: 340_000_000 }),
        ..Default::default()
    };
    let completed = Completed {
        outcome: Some(Outcome::Succeeded(succeeded)),
        attempt: 2,
        source: OutcomeSource::Holder.into(),
        ..Default::default()
    };
    check(
        &answer(Verdict::Completed(completed)),
        r#"
{
  "ruling": {
    "completed": {
      "succeeded": {
        "result": {
          "bytes": "AQL/",
          "contentType": "application/octet-stream"
        },
        "amount": {
          "currencyCode": "EUR",
          "units": "12",
          "nanos": 340000000
        }
      },
      "attempt": 2,
      "source": "OUTCOME_SOURCE_HOLDER"
    }
  }
}"#,
    );
}

#[test]
fn an_empty_answer_is_an_empty_object() {
    check(&ClaimResponse::default(), "{}");
}

#[test]
fn an_empty_result_is_told_apart_from_an_absent_one() {
    let result = Content { body: Some(Body::Text(String::new())), content_type: String::new() };
    let succeeded = Succeeded { result: Some(result), ..Default::default() };
    let text = render("onced.v1.Succeeded", &succeeded).unwrap();
    assert_eq!(text, "{\n  \"result\": {\n    \"text\": \"\"\n  }\n}");
}

#[test]
fn a_refusal_shows_its_decoded_details() {
    let mut details = ErrorDetails::with_error_info("IN_PROGRESS", "onced.v1", []);
    details.set_retry_info(Some(Duration::from_secs(2)));
    let status = Status::with_error_details(Code::Aborted, "an attempt runs", details);
    assert_eq!(
        render_status(&status).unwrap(),
        r#"{
  "code": 10,
  "message": "an attempt runs",
  "details": [
    {
      "@type": "type.googleapis.com/google.rpc.RetryInfo",
      "retryDelay": "2s"
    },
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      "reason": "IN_PROGRESS",
      "domain": "onced.v1"
    }
  ]
}"#
    );
}

#[test]
fn a_refusal_with_details_of_another_world_is_shown_without_them() {
    let details = tonic_types::Status {
        code: 14,
        message: "down".to_owned(),
        details: vec![prost_types::Any {
            type_url: "type.googleapis.com/else.Where".to_owned(),
            value: vec![255],
        }],
    };
    let status = Status::with_details(Code::Unavailable, "down", details.encode_to_vec().into());
    assert_eq!(render_status(&status).unwrap(), "{\n  \"code\": 14,\n  \"message\": \"down\"\n}");
}
