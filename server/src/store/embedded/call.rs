//! What waits for the writer: calls, and where their answers go.
//!
//! Records are encoded by the caller, so that the writer spends its time on the file alone.

use rusqlite::{Connection, types::Value};
use tokio::sync::oneshot;

use super::{
    apply::{self, Applied},
    fault::Fault,
    memory,
    names::Names,
    stopped,
};
use crate::{
    clock::Timestamp,
    intent::IntentId,
    record::codec,
    store::{
        Error, Expected, Expiry, LeaseExpected, LeaseWrite, Memory, ResultWrite, Stored, Write,
    },
};

/// One call.
pub(super) enum Call {
    /// A conditional write of a record.
    Set(Asked<Box<Proposal>, Applied>),
    /// A conditional write of a memory.
    SetMemory(Asked<Box<memory::Proposal>, Memory>),
    /// A look that stands in line with the writes.
    Look(Asked<IntentId, Option<Box<Stored>>>),
}

/// A question, its answer once there is one, and where that goes after the commit.
pub(super) struct Asked<Q, A> {
    question: Q,
    answer: Result<A, Error>,
    reply: oneshot::Sender<Result<A, Error>>,
}

impl<Q, A> Asked<Q, A> {
    pub(super) fn new(question: Q, reply: oneshot::Sender<Result<A, Error>>) -> Self {
        Self { question, answer: Err(stopped()), reply }
    }

    /// Takes the answer, or why there is none; true if the question was answered.
    fn take(&mut self, answer: Result<A, Fault>) -> rusqlite::Result<bool> {
        self.answer = match answer {
            Ok(answer) => Ok(answer),
            Err(Fault::Call(error)) => Err(error),
            Err(Fault::File(error)) => return Err(error),
        };
        Ok(self.answer.is_ok())
    }

    fn send(self) {
        // Whoever asked may have gone.
        drop(self.reply.send(self.answer));
    }
}

impl Call {
    /// Applies it and keeps the answer; false if it alone failed and must be undone.
    pub(super) fn apply(
        &mut self,
        file: &Connection,
        names: &Names,
        now: Timestamp,
    ) -> rusqlite::Result<bool> {
        match self {
            Self::Set(asked) => {
                asked.take(apply::compare_and_set(file, names, &asked.question, now))
            }
            Self::SetMemory(asked) => asked.take(memory::apply(file, &asked.question)),
            Self::Look(asked) => asked.take(apply::look(file, names, &asked.question, now)),
        }
    }

    /// Sends the answer that was kept.
    pub(super) fn answer(self) {
        match self {
            Self::Set(asked) => asked.send(),
            Self::SetMemory(asked) => asked.send(),
            Self::Look(asked) => asked.send(),
        }
    }

    /// Sends a failure in its place.
    pub(super) fn refuse(mut self, error: Error) {
        match &mut self {
            Self::Set(asked) => asked.answer = Err(error),
            Self::SetMemory(asked) => asked.answer = Err(error),
            Self::Look(asked) => asked.answer = Err(error),
        }
        self.answer();
    }

    /// Takes a lease where none is held: what a full disk refuses.
    pub(super) fn is_grant(&self) -> bool {
        match self {
            Self::Set(asked) => asked.question.takes_lease(),
            Self::SetMemory(_) | Self::Look(_) => false,
        }
    }

    /// About how many bytes it takes to the disk.
    pub(super) fn weight(&self) -> u64 {
        // Its share of the pages that the rows and indexes of one group have in common.
        const PAGES: u64 = 2 << 10;
        match self {
            Self::Set(asked) => PAGES + asked.question.content_bytes(),
            Self::SetMemory(_) => PAGES,
            Self::Look(_) => 0,
        }
    }
}

/// A conditional write, encoded.
pub(super) struct Proposal {
    pub(super) intent: IntentId,
    pub(super) identity: [u8; 32],
    pub(super) expected: Expected,
    pub(super) cell: Cell,
    pub(super) references: Vec<String>,
    pub(super) result: ResultWrite,
    pub(super) lease: LeaseWrite,
    pub(super) expiry: Expiry,
    pub(super) result_expiry: Expiry,
}

/// A record as stored, and the columns that are derived from it.
pub(super) struct Cell {
    pub(super) revision: [u8; 16],
    pub(super) record: Vec<u8>,
    pub(super) first_claim_time: i64,
    pub(super) last_late_report: Option<i64>,
    pub(super) settled: bool,
}

impl Proposal {
    pub(super) fn new(intent: &IntentId, write: &Write) -> Self {
        let record = &write.record;
        Self {
            intent: intent.clone(),
            identity: intent.identity().0,
            expected: write.expected,
            cell: Cell {
                revision: record.revision.0.into_bytes(),
                record: codec::encode(record),
                first_claim_time: record.first_claim_time.0,
                last_late_report: record.last_late_report().map(|time| time.0),
                settled: record.settlement().is_some(),
            },
            references: record.provider_references().into_iter().map(str::to_owned).collect(),
            result: write.result.clone(),
            lease: write.lease,
            expiry: write.expiry,
            result_expiry: write.result_expiry,
        }
    }

    fn takes_lease(&self) -> bool {
        let held = matches!(self.expected, Expected::Revision { lease: LeaseExpected::Live, .. });
        matches!(self.lease, LeaseWrite::Start(_)) && !held
    }

    fn content_bytes(&self) -> u64 {
        let result = match &self.result {
            ResultWrite::Set(bytes) => bytes.len(),
            ResultWrite::Keep | ResultWrite::Clear => 0,
        };
        (self.cell.record.len() + result) as u64
    }

    /// The bytes of a new result; null if there is none.
    pub(super) fn new_result(&self) -> Value {
        match &self.result {
            ResultWrite::Set(bytes) => Value::Blob(bytes.to_vec()),
            ResultWrite::Keep | ResultWrite::Clear => Value::Null,
        }
    }
}
