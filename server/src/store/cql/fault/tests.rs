//! Which failures surely did nothing.

use std::time::Duration;

use scylla::{
    errors::{DbError, ExecutionError, RequestAttemptError, WriteType},
    statement::Consistency,
};

use super::of_write;
use crate::store::Error;

fn told(error: DbError) -> ExecutionError {
    ExecutionError::LastAttemptError(RequestAttemptError::DbError(error, String::new()))
}

fn too_few(consistency: Consistency) -> ExecutionError {
    told(DbError::Unavailable { consistency, required: 2, alive: 1 })
}

fn timed_out(write_type: WriteType) -> ExecutionError {
    told(DbError::WriteTimeout {
        consistency: Consistency::Serial,
        received: 1,
        required: 2,
        write_type,
    })
}

#[test]
fn what_was_refused_before_it_began_did_nothing() {
    let refused = [
        too_few(Consistency::Serial),
        too_few(Consistency::LocalSerial),
        told(DbError::Invalid),
        told(DbError::Unauthorized),
        ExecutionError::EmptyPlan,
        ExecutionError::LastAttemptError(RequestAttemptError::UnableToAllocStreamId),
    ];
    for error in refused {
        assert!(matches!(of_write(&error), Error::Unavailable(_)), "{error}");
    }
}

#[test]
fn everything_else_may_have_been_applied() {
    let in_doubt = [
        timed_out(WriteType::Cas),
        timed_out(WriteType::Simple),
        // The write was agreed on; only its end found too few.
        too_few(Consistency::Quorum),
        too_few(Consistency::LocalQuorum),
        told(DbError::Overloaded),
        told(DbError::ServerError),
        told(DbError::TruncateError),
        told(DbError::IsBootstrapping),
        // The state of the agreement is unknown, in the protocol's later versions.
        told(DbError::Other(0x1700)),
        ExecutionError::RequestTimeout(Duration::from_secs(5)),
    ];
    for error in in_doubt {
        assert!(matches!(of_write(&error), Error::Uncertain(_)), "{error}");
    }
}
