//! The statements on `claims`, prepared once. Every write of them is conditional.

use std::sync::Arc;

use scylla::{
    client::session::Session,
    errors::PrepareError,
    statement::{Consistency, SerialConsistency, prepared::PreparedStatement},
};
use tokio::try_join;

const KEY: &str = "namespace = ? AND operation = ? AND key = ?";

/// On what a write is judged, as it is asked of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// There is no record, though there may be a row.
    Absent,
    /// This revision.
    Revision,
    /// This revision, its lease held by this claimant.
    RevisionHeld,
    /// This revision, its lease held by nobody.
    RevisionFree,
}

impl Condition {
    const ALL: [Self; 4] = [Self::Absent, Self::Revision, Self::RevisionHeld, Self::RevisionFree];

    fn text(self) -> &'static str {
        match self {
            Self::Absent => "revision = null AND lease = null",
            Self::Revision => "revision = ?",
            Self::RevisionHeld => "revision = ? AND lease = ?",
            Self::RevisionFree => "revision = ? AND lease = null",
        }
    }
}

/// All of them.
#[derive(Debug)]
pub(super) struct Statements {
    /// The row as it is, by a plain read.
    pub(super) look: PreparedStatement,
    /// The same without the result.
    pub(super) look_bare: PreparedStatement,
    /// The row after every write that was answered, by a conditional read.
    pub(super) look_fresh: PreparedStatement,
    /// A row where there is none, with its lease.
    pub(super) insert_lease: PreparedStatement,
    /// The lease, conditionally.
    set_lease: [PreparedStatement; 4],
    /// The record, conditionally.
    set_record_if: [PreparedStatement; 4],
    /// The record, beside a conditional statement on the same row.
    pub(super) set_record: PreparedStatement,
    /// The result, beside a conditional statement on the same row.
    pub(super) set_result: PreparedStatement,
}

impl Statements {
    pub(super) async fn prepare(
        session: &Arc<Session>,
        claims: &str,
        serial: SerialConsistency,
    ) -> Result<Self, PrepareError> {
        let look = select("lease, revision, record, result", claims);
        let bare = select("lease, revision, record", claims);
        let insert_lease = format!(
            "INSERT INTO {claims} (namespace, operation, key, lease) VALUES (?, ?, ?, ?)
             IF NOT EXISTS USING TTL ?"
        );
        let record = "state = ?, record = ?, revision = ?";
        let (lease, record) = (update(claims, "lease = ?"), update(claims, record));
        let (mut look_fresh, look, look_bare, insert_lease) = try_join!(
            session.prepare(&*look),
            session.prepare(&*look),
            session.prepare(bare),
            session.prepare(insert_lease),
        )?;
        let (set_lease, set_record_if, set_record, set_result) = try_join!(
            each(session, &lease),
            each(session, &record),
            session.prepare(&*record),
            session.prepare(update(claims, "result = ?")),
        )?;
        look_fresh.set_consistency(match serial {
            SerialConsistency::Serial => Consistency::Serial,
            SerialConsistency::LocalSerial => Consistency::LocalSerial,
        });
        Ok(Self {
            look,
            look_bare,
            look_fresh,
            insert_lease,
            set_lease,
            set_record_if,
            set_record,
            set_result,
        })
    }

    pub(super) fn set_lease(&self, condition: Condition) -> &PreparedStatement {
        &self.set_lease[condition as usize]
    }

    pub(super) fn set_record_if(&self, condition: Condition) -> &PreparedStatement {
        &self.set_record_if[condition as usize]
    }
}

/// The time to live of each cell is what is left of it.
fn select(columns: &str, claims: &str) -> String {
    let left = columns.split(", ").filter(|column| *column != "record");
    let left: Vec<_> = left.map(|column| format!("TTL({column})")).collect();
    format!("SELECT {columns}, {} FROM {claims} WHERE {KEY}", left.join(", "))
}

fn update(claims: &str, set: &str) -> String {
    format!("UPDATE {claims} USING TTL ? SET {set} WHERE {KEY}")
}

async fn each(session: &Session, update: &str) -> Result<[PreparedStatement; 4], PrepareError> {
    let [absent, revision, held, free] =
        Condition::ALL.map(|condition| format!("{update} IF {}", condition.text()));
    let (absent, revision, held, free) = try_join!(
        session.prepare(absent),
        session.prepare(revision),
        session.prepare(held),
        session.prepare(free),
    )?;
    Ok([absent, revision, held, free])
}
