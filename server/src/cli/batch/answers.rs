//! The answers to a batch: one line of JSON each, with the exit code of the single command.

use onced_proto::v1::{
    BatchClaimResponse, BatchClaimResult, BatchCompleteResult, BatchRenewResult,
    batch_claim_result, batch_complete_result, batch_renew_result,
};
use serde_json::{Value, json};
use tonic::{Code, Status};

use super::lines::Line;
use crate::cli::{
    claim::lease_is_over,
    connection::Answer,
    exit::{Exit, GrantCheck},
    json,
};

/// One answer.
#[derive(Debug)]
pub(super) struct Told {
    exit: Exit,
    name: &'static str,
    value: Value,
    /// It is no ruling, and was not taken.
    pub(super) is_refused: bool,
}

impl Told {
    /// As a line.
    pub(super) fn line<M>(&self, line: &Line<M>) -> Value {
        let exit = self.exit as u8;
        json!({ "line": line.number, "key": line.key, "exit": exit, self.name: self.value })
    }
}

/// What came of a claim. A grant counts as in the single command.
pub(super) fn claimed(result: &BatchClaimResult, answer: &Answer<BatchClaimResponse>) -> Told {
    match &result.result {
        Some(batch_claim_result::Result::Ruling(ruling)) => {
            let lease_is_over = lease_is_over(Some(ruling), answer.sent_at.elapsed());
            // A repeated grant answers an earlier send of this very batch, or none that is known.
            let check = GrantCheck { claimant_is_ours: answer.is_resend, lease_is_over };
            taken(
                Exit::of_ruling(Some(ruling), check),
                "ruling",
                json::value("onced.v1.Ruling", ruling),
            )
        }
        Some(batch_claim_result::Result::Status(status)) => refused(status),
        None => not_understood(),
    }
}

/// What came of a report.
pub(super) fn completed(result: &BatchCompleteResult) -> Told {
    match &result.result {
        Some(batch_complete_result::Result::Response(response)) => {
            taken(Exit::Done, "response", json::value("onced.v1.CompleteResponse", response))
        }
        Some(batch_complete_result::Result::Status(status)) => refused(status),
        None => not_understood(),
    }
}

/// What came of a renewal.
pub(super) fn renewed(result: &BatchRenewResult) -> Told {
    match &result.result {
        Some(batch_renew_result::Result::Response(response)) => {
            taken(Exit::Done, "response", json::value("onced.v1.RenewResponse", response))
        }
        Some(batch_renew_result::Result::Status(status)) => refused(status),
        None => not_understood(),
    }
}

fn taken(exit: Exit, name: &'static str, value: anyhow::Result<Value>) -> Told {
    value.map_or_else(|_| not_understood(), |value| Told { exit, name, value, is_refused: false })
}

fn refused(status: &tonic_types::Status) -> Told {
    let exit = Exit::of_status(&Status::new(Code::from(status.code), ""));
    let value = json::status_value(status).unwrap_or_default();
    Told { exit, name: "status", value, is_refused: true }
}

fn not_understood() -> Told {
    Told { exit: Exit::Unknown, name: "status", value: Value::Null, is_refused: true }
}
